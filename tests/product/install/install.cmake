# cmake -DBUILD=... -DPREFIX=... -P install.cmake
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
# No private header, test or file of the build is installed.
file(GLOB_RECURSE installed RELATIVE ${PREFIX} ${PREFIX}/*)
foreach(file IN LISTS installed)
  if(file MATCHES "_test\\.py$|examples/store/|__pycache__")
    message(FATAL_ERROR "installed for no user: ${file}")
  endif()
  set(pages "man/man1/nexusfix[-a-z_]*\\.1|bash-completion/completions/nexusfix")
  string(APPEND pages "|zsh/[a-z-]+/_nexusfix|fish/[a-z_.]+/nexusfix\\.fish")
  if(NOT file MATCHES "^(bin/nexusfix(_codegen)?$|include/nexusfix/|share/(doc/)?nexusfix/)" AND
     NOT file MATCHES "^(lib[^/]*/|share/(${pages})$)")
    message(FATAL_ERROR "installed to an unexpected place: ${file}")
  endif()
endforeach()
set(unit lib/systemd/system/nexusfix@.service)
set(documents share/doc/nexusfix)
foreach(file LICENSE README.md docs/guide/tutorial.md docs/images/bench.svg
        examples/02_initiator.cpp examples/08_order_venue.cfg apps/nexusfix/config/venue.cfg)
  if(NOT EXISTS ${PREFIX}/${documents}/${file})
    message(FATAL_ERROR "not installed: ${documents}/${file}")
  endif()
endforeach()
# A product of the command, by itself.
set(file_of_logs guide/logs.md)
set(file_of_stream operations/streaming.md)
set(file_of_tester guide/test.md)
set(page_of_logs nexusfix-grep.1)
set(page_of_stream nexusfix-stream.1)
set(page_of_tester nexusfix-test.1)
foreach(product IN LISTS PRODUCTS)
  set(alone ${PREFIX}-${product})
  file(REMOVE_RECURSE ${alone})
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${alone}
                          --component ${product}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  foreach(file bin/nexusfix share/man/man1/${page_of_${product}}
          ${documents}/docs/${file_of_${product}})
    if(NOT EXISTS ${alone}/${file})
      message(FATAL_ERROR "not in the component ${product}: ${file}")
    endif()
  endforeach()
endforeach()
# The unit names the program of this prefix, not of the prefix of the configuration.
file(STRINGS ${PREFIX}/${unit} start REGEX "^ExecStart=")
if(NOT start STREQUAL "ExecStart=${PREFIX}/bin/nexusfix serve --strict /etc/nexusfix/%i.cfg")
  message(FATAL_ERROR "${unit} has ${start}")
endif()
list(LENGTH installed count)
if(count LESS 20)
  message(FATAL_ERROR "only ${count} files were installed: ${installed}")
endif()
