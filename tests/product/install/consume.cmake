# Configures, builds and runs the project in SOURCE, and compares its output with its
# expected.txt. A no_symbols.txt there has patterns that no symbol of the program may match, a
# symbols.txt patterns that must all be found.
file(REMOVE_RECURSE ${BUILD})
execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${BUILD}
                        -DCMAKE_PREFIX_PATH=${PREFIX} -DCMAKE_CXX_COMPILER=${COMPILER}
                        -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DNEXUSFIX_SOURCE=${PROJECT}
                        -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} --parallel 2
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the build failed:\n${output}")
endif()
execute_process(COMMAND ${BUILD}/consumer OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${SOURCE}/expected.txt expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "printed:\n${printed}\nexpected:\n${expected}")
endif()
if(EXISTS ${SOURCE}/no_symbols.txt OR EXISTS ${SOURCE}/symbols.txt)
  execute_process(COMMAND ${NM} --demangle ${BUILD}/consumer OUTPUT_VARIABLE names
                  COMMAND_ERROR_IS_FATAL ANY)
  foreach(list no_symbols symbols)
    set(patterns)
    if(EXISTS ${SOURCE}/${list}.txt)
      file(STRINGS ${SOURCE}/${list}.txt patterns)
    endif()
    foreach(pattern IN LISTS patterns)
      # Not the whole line: CMake then tries each byte of it as the first one, which takes 10 s.
      string(REGEX MATCH "${pattern}" found "${names}")
      if(list STREQUAL "no_symbols" AND found)
        string(REGEX MATCH "[^\n]*${found}[^\n]*" found "${names}")
        message(FATAL_ERROR "the program has a symbol that it does not need: ${found}")
      elseif(list STREQUAL "symbols" AND NOT found)
        message(FATAL_ERROR "the program has no symbol ${pattern}")
      endif()
    endforeach()
  endforeach()
endif()
