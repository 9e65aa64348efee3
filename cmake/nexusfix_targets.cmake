# Functions that every folder uses to declare its targets, so that flags live in one place and
# stay private: nothing here reaches a user who links nexusfix::<layer>.

find_package(Threads REQUIRED)

add_library(nexusfix_flags INTERFACE)
target_compile_options(nexusfix_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion
                                                $<$<BOOL:${NEXUSFIX_WERROR}>:-Werror>)
if(NEXUSFIX_SANITIZE)
  target_compile_options(nexusfix_flags INTERFACE -fsanitize=${NEXUSFIX_SANITIZE}
                                                  -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(nexusfix_flags INTERFACE -fsanitize=${NEXUSFIX_SANITIZE})
endif()
if(NEXUSFIX_FUZZ)
  target_compile_options(nexusfix_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# nexusfix_layer(NAME SOURCES a.cpp ... DEPENDS base ... [PRIVATE_LINK lib ...])
function(nexusfix_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;PRIVATE_LINK" ${ARGN})
  set(target nexusfix_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(nexusfix::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/include/nexusfix/${name}/*.hpp
       ${PROJECT_SOURCE_DIR}/include/nexusfix/${name}.hpp)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include
                                  FILES ${headers})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(${target} PUBLIC cxx_std_23)
  list(TRANSFORM arg_DEPENDS PREPEND nexusfix::)
  target_link_libraries(${target} PUBLIC ${arg_DEPENDS}
                                  PRIVATE $<BUILD_INTERFACE:nexusfix_flags> ${arg_PRIVATE_LINK})
  set_property(GLOBAL APPEND PROPERTY NEXUSFIX_LAYERS ${target})
endfunction()

# nexusfix_test(NAME LABEL unit|property|... SOURCES a.cpp ... [LINK lib ...])
# A GoogleTest program; each case becomes one ctest test.
function(nexusfix_test name)
  cmake_parse_arguments(arg "" "LABEL;TIMEOUT" "SOURCES;LINK" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${arg_LINK} nexusfix_flags GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT}
                       DISCOVERY_TIMEOUT 60)
endfunction()
