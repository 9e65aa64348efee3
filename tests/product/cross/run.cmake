# Configures and builds the project in this folder for 64-bit ARM in BUILD, and runs its tests
# under qemu-user.
set(toolchain ${CMAKE_CURRENT_LIST_DIR}/../../../cmake/toolchain-aarch64.cmake)
foreach(program aarch64-linux-gnu-g++ qemu-aarch64)
  find_program(found_${program} ${program})
  if(NOT found_${program})
    message(FATAL_ERROR "there is no ${program}: `make deps` installs it")
  endif()
endforeach()

function(run_quietly what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
                                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed:\n${output}")
  endif()
endfunction()

run_quietly("to configure" ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${BUILD}
            -DCMAKE_TOOLCHAIN_FILE=${toolchain} -DCMAKE_BUILD_TYPE=Release
            "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG"
            -DNEXUSFIX_WERROR=ON)
run_quietly("the build" ${CMAKE_COMMAND} --build ${BUILD} --parallel 2)
run_quietly("a test" ${CMAKE_CTEST_COMMAND} --test-dir ${BUILD} --output-on-failure
            --no-tests=error --parallel 2)
