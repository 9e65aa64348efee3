# cmake "-DMODULES=nexusfix-engine nexusfix-proxy" -DSOURCE=main.cpp ... -P pkg_config.cmake
# Compiles SOURCE, by LAUNCHER if it is not empty, only with the flags that pkg-config prints for
# the installed prefix, and compares its output with the expected.txt in the same folder. A
# venue.xml there becomes typed messages first.
find_program(PKG_CONFIG NAMES pkgconf pkg-config REQUIRED)
file(REMOVE_RECURSE ${BUILD})
file(MAKE_DIRECTORY ${BUILD})
get_filename_component(folder ${SOURCE} DIRECTORY)
if(EXISTS ${folder}/venue.xml)
  execute_process(COMMAND ${PREFIX}/bin/nexusfix_codegen messages ${folder}/venue.xml
                          --namespace venue -o ${BUILD}/include
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endif()
set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${LIBDIR}/pkgconfig)
separate_arguments(MODULES UNIX_COMMAND "${MODULES}")
foreach(kind cflags libs)
  execute_process(COMMAND ${PKG_CONFIG} --${kind} ${MODULES}
                  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(${kind} UNIX_COMMAND "${flags}")
endforeach()
execute_process(COMMAND ${LAUNCHER} ${COMPILER} -c ${SOURCE} -I${BUILD}/include ${cflags}
                        -o ${BUILD}/consumer.o COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${COMPILER} ${BUILD}/consumer.o ${libs} -o ${BUILD}/consumer
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${BUILD}/consumer OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${folder}/expected.txt expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "printed:\n${printed}\nexpected:\n${expected}")
endif()
