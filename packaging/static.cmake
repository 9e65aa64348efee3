# The command without shared libraries, for any Linux of the architecture: NEXUSFIX_STATIC=ON.
# Debian has no static library of fmt and of date, so both are compiled from Debian's sources, which
# tools/package.py puts into NEXUSFIX_STATIC_SOURCES.
set(NEXUSFIX_STATIC_SOURCES "" CACHE PATH "The folder of the sources of fmt and date")
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(OPENSSL_USE_STATIC_LIBS ON)

# nexusfix_static_source(NAME PATTERN source...): the static library nexusfix_static_<NAME>.
function(nexusfix_static_source name pattern)
  file(GLOB folder ${NEXUSFIX_STATIC_SOURCES}/${pattern})
  if(NOT folder)
    message(FATAL_ERROR "NEXUSFIX_STATIC: no ${pattern} in '${NEXUSFIX_STATIC_SOURCES}': "
                        "`make package` fetches it")
  endif()
  list(TRANSFORM ARGN PREPEND ${folder}/src/)
  add_library(nexusfix_static_${name} STATIC ${ARGN})
  target_include_directories(nexusfix_static_${name} SYSTEM PRIVATE ${folder}/include)
  target_compile_options(nexusfix_static_${name} PRIVATE
                         -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
                         -ffile-prefix-map=${folder}=${name})
  set_target_properties(nexusfix_static_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
                                                           UNITY_BUILD OFF)
endfunction()
nexusfix_static_source(fmt fmtlib-* format.cc os.cc)
nexusfix_static_source(date howardhinnant-date-* tz.cpp)

# The targets that find_package(fmt) and find_package(date) would define, with the definitions of
# Debian's own: the headers are Debian's, and the compiler's cache serves other builds, too.
foreach(target fmt::fmt fmt::fmt-header-only date::date date::date-tz)
  add_library(${target} INTERFACE IMPORTED)
endforeach()
target_link_libraries(fmt::fmt INTERFACE nexusfix_static_fmt)
target_compile_definitions(fmt::fmt INTERFACE FMT_SHARED)
set(definitions ONLY_C_LOCALE=1 HAS_STRING_VIEW=1 USE_OS_TZDB=1)
target_compile_definitions(nexusfix_static_date PRIVATE ${definitions})
target_compile_definitions(date::date-tz INTERFACE ${definitions})
target_link_libraries(date::date-tz INTERFACE nexusfix_static_date)

find_package(pugixml REQUIRED)
set_target_properties(pugixml::pugixml PROPERTIES INTERFACE_LINK_LIBRARIES pugixml::static)
