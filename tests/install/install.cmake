# cmake -DBUILD=... -DPREFIX=... -P install.cmake
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
# Private headers, tests and generated build files are nobody's business.
file(GLOB_RECURSE installed RELATIVE ${PREFIX} ${PREFIX}/*)
foreach(file IN LISTS installed)
  if(NOT file MATCHES "^(bin/nexusfix(_codegen)?$|include/nexusfix/|share/nexusfix/|lib[^/]*/)")
    message(FATAL_ERROR "installed to an unexpected place: ${file}")
  endif()
endforeach()
list(LENGTH installed count)
if(count LESS 20)
  message(FATAL_ERROR "only ${count} files were installed: ${installed}")
endif()
