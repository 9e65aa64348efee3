# Compiles SOURCE with nothing but what pkg-config says about the installed prefix.
find_program(PKG_CONFIG NAMES pkgconf pkg-config REQUIRED)
file(REMOVE_RECURSE ${BUILD})
file(MAKE_DIRECTORY ${BUILD})
set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${LIBDIR}/pkgconfig)
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs nexusfix-wire
                OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
execute_process(COMMAND ${COMPILER} ${SOURCE} ${flags} -o ${BUILD}/consumer
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${BUILD}/consumer OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
get_filename_component(folder ${SOURCE} DIRECTORY)
file(READ ${folder}/expected.txt expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "printed:\n${printed}\nexpected:\n${expected}")
endif()
