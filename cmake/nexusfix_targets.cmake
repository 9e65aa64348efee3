# Functions that every folder uses to declare its targets, so that flags are in one place and
# private: no flag reaches a user who links nexusfix::<layer>.

find_package(Threads REQUIRED)

add_library(nexusfix_flags INTERFACE)
# What a layer shows to other layers is in src/<layer>/api. tools/tidy.py says who includes what.
target_include_directories(nexusfix_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(nexusfix_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion
                                                $<$<BOOL:${NEXUSFIX_WERROR}>:-Werror>)
# g++ takes a source that is compiled together with others for a header.
target_compile_options(nexusfix_flags INTERFACE
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
if(PROJECT_IS_TOP_LEVEL)
  # An object file names no folder of this machine: a clone elsewhere finds it in the cache.
  target_compile_options(nexusfix_flags INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
endif()
# False warnings about std::string's own code and about loads within a buffer: g++ 12 prints them
# with a precompiled header, and with -O3, which a user's project may set for its subprojects.
set(NEXUSFIX_UNTRUE_WARNINGS
    $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow>)
if(NOT PROJECT_IS_TOP_LEVEL)
  target_compile_options(nexusfix_flags INTERFACE ${NEXUSFIX_UNTRUE_WARNINGS})
endif()
# g++ collects garbage above a gigabyte only: it takes a fifth less time, and a fifth more memory.
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(nexusfix_flags INTERFACE
                         $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>)
endif()
# mold links tests and sanitized programs in a fifth of the time. The system's own linker links what
# is delivered.
find_program(NEXUSFIX_MOLD mold)
if(NEXUSFIX_SANITIZE)
  target_compile_options(nexusfix_flags INTERFACE -fsanitize=${NEXUSFIX_SANITIZE}
                                                  -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(nexusfix_flags INTERFACE -fsanitize=${NEXUSFIX_SANITIZE})
  if(NEXUSFIX_MOLD)
    target_link_options(nexusfix_flags INTERFACE -fuse-ld=mold)
  endif()
endif()
# The fuzzers' counters make code without optimisation a third slower to compile: only the code that
# a fuzz target runs has them (nexusfix_guides_fuzzers).
if(NEXUSFIX_FUZZ)
  target_compile_options(nexusfix_flags INTERFACE
    $<$<BOOL:$<TARGET_PROPERTY:NEXUSFIX_GUIDES_FUZZERS>>:-fsanitize=fuzzer-no-link>)
endif()
# These checks of each pointer take a quarter of the time of clang. AddressSanitizer reports an
# access through a null pointer, too. nexusfix_reads_bytes() keeps the check of the alignment.
if(NEXUSFIX_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(nexusfix_flags INTERFACE -fno-sanitize=null,object-size,vptr
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:NEXUSFIX_CHECKS_ALIGNMENT>>>:-fno-sanitize=alignment>)
endif()

# nexusfix_reads_bytes(TARGET) Code that finds values at any place in bytes from outside.
# UndefinedBehaviorSanitizer checks there that each access is aligned.
function(nexusfix_reads_bytes target)
  set_target_properties(${target} PROPERTIES NEXUSFIX_CHECKS_ALIGNMENT ON)
endfunction()

# Sources of a target are compiled together, twenty at a time: reading the same headers again is
# half of the work. A build that only tests compiles all of a library at once. CMAKE_UNITY_BUILD=OFF
# compiles each by itself.
if(NOT DEFINED CMAKE_UNITY_BUILD)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 20)
  if(NEXUSFIX_SANITIZE OR NEXUSFIX_HARDENED)
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 40)
  endif()
endif()

# nexusfix_apart(a.cpp ...) Files that are compiled by themselves in any build: another file of the
# program uses the same names.
function(nexusfix_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# nexusfix_alone_if_optimised(a.cpp ...) Files whose loops are slower when others are compiled with
# them: the compiler then inlines less.
function(nexusfix_alone_if_optimised)
  if(NOT NEXUSFIX_SANITIZE AND NOT NEXUSFIX_HARDENED)
    nexusfix_apart(${ARGN})
  endif()
endfunction()

# nexusfix_hot(TARGET a.cpp ...) Files on the path of every message are compiled as one in an
# optimised build, as code that cannot be replaced at run time: then their calls of one another are
# inlined. The gain is in docs/internals/engine-performance.md.
function(nexusfix_hot target)
  if(NEXUSFIX_SANITIZE OR NOT CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$")
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP hot)
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  if(CMAKE_UNITY_BUILD)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    list(REMOVE_ITEM sources ${ARGN})
    set(position 0)
    foreach(source IN LISTS sources)
      math(EXPR group "${position} / ${CMAKE_UNITY_BUILD_BATCH_SIZE}")
      math(EXPR position "${position} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endforeach()
  endif()
endfunction()

# nexusfix_cold(TARGET) Code that no message runs, all of a target, is optimised for its size in an
# optimised build: a third smaller. A file with hot code must not be in it, nor a template that hot
# code also uses without inlining it: the linker keeps one of the two.
function(nexusfix_cold target)
  if(NOT NEXUSFIX_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-Os>)
  endif()
endfunction()

# nexusfix_precompile(TARGET a.hpp ...)
# In a build with sanitizers, which compiles slowly, reads these headers once for all sources of the
# target. A plain build reads them as a user's program does.
function(nexusfix_precompile target)
  if(NEXUSFIX_SANITIZE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    target_compile_options(${target} PRIVATE ${NEXUSFIX_UNTRUE_WARNINGS})
  endif()
endfunction()

# nexusfix_sees_products(TARGET ...) A product itself, or a test of it: it includes private headers
# of products, as "console/...".
function(nexusfix_sees_products)
  foreach(target IN LISTS ARGN)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  endforeach()
endfunction()

# nexusfix_layer(NAME SOURCES a.cpp ... DEPENDS base ... [PRIVATE_LINK lib ...]
#                [PRIVATE_PACKAGES pugixml ...] [PKG_CONFIG pugixml -lx ...] [ON_DEMAND]
#                [PRODUCT console])
# PRIVATE_PACKAGES names what find_package() must find in a user's project before that user can link
# the installed static library; give it together with PRIVATE_LINK. PKG_CONFIG names the same for
# pkg-config: modules, and flags for libraries that have none. ON_DEMAND: only a project that names
# the component gets it, and needs its packages. PRODUCT names the folder at the root, beside the
# core, that the target is in: its public headers are in PRODUCT/include, it includes its own files
# as "PRODUCT/...", and `cmake --install --component PRODUCT` installs it.
function(nexusfix_layer name)
  cmake_parse_arguments(arg "ON_DEMAND" "PRODUCT"
                        "SOURCES;DEPENDS;PRIVATE_LINK;PRIVATE_PACKAGES;PKG_CONFIG" ${ARGN})
  set(target nexusfix_${name})
  # Both kinds have equal objects: CMake's own symbol for a shared library is left out.
  set(kind STATIC)
  if(NEXUSFIX_SHARED)
    set(kind SHARED)
    # A shared library names what it needs itself: a user's project does not link it.
    set(arg_PRIVATE_PACKAGES)
    set(arg_PKG_CONFIG)
  endif()
  add_library(${target} ${kind} ${arg_SOURCES})
  add_library(nexusfix::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${NEXUSFIX_ABI} DEFINE_SYMBOL ""
    EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  set(public ${PROJECT_SOURCE_DIR}/${arg_PRODUCT}/include)
  cmake_path(NORMAL_PATH public)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${public}/nexusfix/${name}/*.hpp
                                              ${public}/nexusfix/${name}.hpp)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${public} FILES ${headers})
  if(arg_PRODUCT)
    nexusfix_sees_products(${target})
  endif()
  target_compile_features(${target} PUBLIC cxx_std_23)
  # Programs leave out the functions that they do not call.
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  target_link_options(${target} INTERFACE LINKER:--gc-sections)
  if(name MATCHES "^(base|deferred|wire|session|store)$")
    nexusfix_reads_bytes(${target})
  elseif(NEXUSFIX_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang"
         AND NOT name STREQUAL "dictionary")
    # clang compiles it in half the time, and the tests of it wait more than they compute.
    target_compile_options(${target} PRIVATE -O0)
  endif()
  if(NEXUSFIX_CORE_WITHOUT_EXCEPTIONS AND name MATCHES "^(wire|session)$")
    target_compile_options(${target} PRIVATE -fno-exceptions -fno-rtti)
  endif()
  set_property(GLOBAL APPEND PROPERTY NEXUSFIX_LAYERS ${target})
  set_property(GLOBAL PROPERTY NEXUSFIX_REQUIRES_${name} "${arg_DEPENDS}")
  set_property(GLOBAL PROPERTY NEXUSFIX_PACKAGES_${name} "${arg_PRIVATE_PACKAGES}")
  set(modules ${arg_PKG_CONFIG})
  list(FILTER modules EXCLUDE REGEX "^-")
  set_property(GLOBAL PROPERTY NEXUSFIX_PKG_CONFIG_${name} "${modules}")
  list(FILTER arg_PKG_CONFIG INCLUDE REGEX "^-")
  set_property(GLOBAL PROPERTY NEXUSFIX_PKG_CONFIG_FLAGS_${name} "${arg_PKG_CONFIG}")
  set_property(GLOBAL PROPERTY NEXUSFIX_ON_DEMAND_${name} "${arg_ON_DEMAND}")
  set_property(GLOBAL PROPERTY NEXUSFIX_PRODUCT_${name} "${arg_PRODUCT}")
  list(TRANSFORM arg_DEPENDS PREPEND nexusfix::)
  target_link_libraries(${target} PUBLIC ${arg_DEPENDS}
                                  PRIVATE $<BUILD_INTERFACE:nexusfix_flags> ${arg_PRIVATE_LINK})
endfunction()

# nexusfix_command_product(NAME SUBCOMMANDS a ... PAGES guide/a.md ...) A product of subcommands.
# `cmake --install --component NAME` installs the command, the man pages of these subcommands and
# these pages of docs/.
function(nexusfix_command_product name)
  cmake_parse_arguments(arg "" "" "SUBCOMMANDS;PAGES" ${ARGN})
  set_property(GLOBAL APPEND PROPERTY NEXUSFIX_COMMAND_PRODUCTS ${name})
  set_property(GLOBAL PROPERTY NEXUSFIX_SUBCOMMANDS_${name} "${arg_SUBCOMMANDS}")
  set_property(GLOBAL PROPERTY NEXUSFIX_PAGES_${name} "${arg_PAGES}")
endfunction()

# nexusfix_mend_links(COMPONENT [EXCLUDE_FROM_ALL]) Links of the component's installed documents to
# files that are not installed become text: tools/installed_documents.py.
function(nexusfix_mend_links component)
  find_package(Python3 QUIET COMPONENTS Interpreter)
  if(Python3_FOUND)
    install(CODE "set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
      set(data \"\${prefix}/${CMAKE_INSTALL_DATADIR}/nexusfix\")
      execute_process(COMMAND_ERROR_IS_FATAL ANY
        COMMAND \"${Python3_EXECUTABLE}\" -B \"${PROJECT_SOURCE_DIR}/tools/installed_documents.py\"
                \"\${prefix}/${CMAKE_INSTALL_DOCDIR}\"
                --place \"include=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}\"
                --place \"dictionaries=\${data}/dictionaries\"
                --place \"venues=\${data}/venues\")"
      COMPONENT ${component} ${ARGN})
  endif()
endfunction()

# Makes the target nexusfix_tests_<label>, which builds every test program of one label: a sanitizer
# build compiles only the tests that it runs.
function(nexusfix_label_target program)
  foreach(label IN LISTS ARGN)
    if(NOT TARGET nexusfix_tests_${label})
      add_custom_target(nexusfix_tests_${label})
    endif()
    add_dependencies(nexusfix_tests_${label} ${program})
  endforeach()
endfunction()

# nexusfix_test_headers(NAME HEADERS a.hpp ... [LINK lib ...])
# Headers that are compiled once for the test programs of a folder, which have its flags. Reading
# headers takes most of the time of compiling a test. NEXUSFIX_TEST_HEADERS_SOURCE: an empty source.
function(nexusfix_test_headers name)
  cmake_parse_arguments(arg "" "" "HEADERS;LINK" ${ARGN})
  add_library(${name} OBJECT ${NEXUSFIX_TEST_HEADERS_SOURCE})
  # As a program's sources are compiled, also where libraries are position-independent.
  if(CMAKE_POSITION_INDEPENDENT_CODE)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIE})
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${arg_LINK} nexusfix_flags GTest::gmock)
  list(TRANSFORM arg_HEADERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# nexusfix_test(NAME LABEL unit|property|... SOURCES a.cpp ... [LINK lib ...] [ONE_TEST]) A
# GoogleTest program. `ctest -C parts -LE case`, as tools/run_tests.py calls it, runs each program
# in four parts, which saves the starts of thousands of processes. It counts the cases in the XML
# that they leave. Without -C each case is one ctest test, which -R finds by its name. With
# sanitizers, where listing the cases takes long, there are the parts alone. ONE_TEST: all cases are
# one test. Several labels are possible: LABEL unit threads is a unit test that also runs under
# ThreadSanitizer. NEXUSFIX_TEST_HEADERS: the nexusfix_test_headers() that is used; empty: none.
function(nexusfix_test name)
  cmake_parse_arguments(arg "ONE_TEST" "" "LABEL;SOURCES;LINK" ${ARGN})
  if(name IN_LIST NEXUSFIX_QUICK_TESTS)
    list(APPEND arg_LABEL quick)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${arg_LINK} nexusfix_flags GTest::gmock GTest::gtest_main)
  if(NEXUSFIX_TEST_HEADERS)
    target_precompile_headers(${name} REUSE_FROM ${NEXUSFIX_TEST_HEADERS})
    target_compile_options(${name} PRIVATE ${NEXUSFIX_UNTRUE_WARNINGS})
  endif()
  nexusfix_label_target(${name} ${arg_LABEL})
  if(arg_ONE_TEST)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABEL}"
                         SKIP_REGULAR_EXPRESSION "no PostgreSQL server .* is installed")
    return()
  endif()
  set(when CONFIGURATIONS parts)
  if(NEXUSFIX_TESTS_IN_PARTS)
    set(when)
  endif()
  foreach(part RANGE 3)
    set(result ${PROJECT_BINARY_DIR}/cases/${name}.${part}.xml)
    add_test(NAME ${name}.${part} ${when}
             COMMAND ${name} --gtest_brief=1 --gtest_output=xml:${result})
    set_tests_properties(${name}.${part} PROPERTIES LABELS "${arg_LABEL}"
                         ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${part}")
  endforeach()
  if(NOT NEXUSFIX_TESTS_IN_PARTS)
    # gtest_discover_tests() splits lists; as one word the labels still match ctest -L threads.
    list(JOIN arg_LABEL "," labels)
    gtest_discover_tests(${name} PROPERTIES LABELS "${labels},case" DISCOVERY_TIMEOUT 600)
  endif()
endfunction()

# nexusfix_test_with(PROGRAM PRODUCT SOURCES...) Further sources of a test program, which need a
# product beside the core. A build without the products leaves them out.
function(nexusfix_test_with program product)
  if(TARGET nexusfix::${product})
    target_sources(${program} PRIVATE ${ARGN})
    target_link_libraries(${program} PRIVATE nexusfix::${product})
  endif()
endfunction()

# nexusfix_guides_fuzzers(TARGET) A fuzz target, and all libraries of the project that it links,
# count what runs, so that the fuzzer keeps an input that runs new code.
function(nexusfix_guides_fuzzers target)
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    set(target ${aliased})
  endif()
  get_target_property(is_imported ${target} IMPORTED)
  get_target_property(is_known ${target} NEXUSFIX_GUIDES_FUZZERS)
  if(is_imported OR is_known)
    return()
  endif()
  set_target_properties(${target} PROPERTIES NEXUSFIX_GUIDES_FUZZERS ON)
  foreach(links LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
    get_target_property(libraries ${target} ${links})
    foreach(library IN LISTS libraries)
      if(TARGET ${library})
        nexusfix_guides_fuzzers(${library})
      endif()
    endforeach()
  endforeach()
endfunction()

# nexusfix_fuzz_target(NAME SOURCES a.cpp ... [LINK lib ...])
# A libFuzzer program, built by the preset "clang" only. Its seed corpus is corpus/NAME and its
# regressions are regressions/NAME, both next to the CMakeLists.txt; either may be absent. The smoke
# test replays them and then tries new inputs for a few seconds.
function(nexusfix_fuzz_target name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} nexusfix_flags)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  nexusfix_reads_bytes(${name})
  nexusfix_guides_fuzzers(${name})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz_targets)
  set(labels fuzz-smoke)
  if(name IN_LIST NEXUSFIX_QUICK_TESTS)
    list(APPEND labels quick)
  endif()
  nexusfix_label_target(${name} ${labels})
  set(found ${PROJECT_BINARY_DIR}/fuzz_found/${name})
  file(MAKE_DIRECTORY ${found})
  set(seeds)
  foreach(kind corpus regressions)
    if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${kind}/${name})
      list(APPEND seeds ${CMAKE_CURRENT_SOURCE_DIR}/${kind}/${name})
    endif()
  endforeach()
  add_test(NAME fuzz-smoke.${name}
           COMMAND ${name} -seed=1 -max_total_time=1 -timeout=120 -max_len=4096
                   -print_final_stats=1
                   -artifact_prefix=${PROJECT_BINARY_DIR}/fuzz_found/${name}. ${found} ${seeds})
  set_tests_properties(fuzz-smoke.${name} PROPERTIES LABELS "${labels}")
endfunction()
