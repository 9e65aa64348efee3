# nexusfix_generate(TARGET NAMESPACE name DICTIONARY file.xml)
# Makes the INTERFACE library TARGET, whose headers nexusfix/<name>/*.hpp are written at build time
# from a dictionary, QuickFIX XML or Orchestra. #include <nexusfix/<name>/new_order_single.hpp> and
# use nexusfix::<name>::NewOrderSingle. A header is only written when its content changes.
# DICTIONARY FIX43.xml is the installed standard dictionary, unless the project has such a file.
function(nexusfix_generate target)
  cmake_parse_arguments(arg "" "NAMESPACE;DICTIONARY" "" ${ARGN})
  if(NOT arg_NAMESPACE OR NOT arg_DICTIONARY OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "nexusfix_generate(TARGET NAMESPACE name DICTIONARY file.xml)")
  endif()
  get_filename_component(dictionary ${arg_DICTIONARY} ABSOLUTE)
  foreach(place ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../dictionaries ${nexusfix_DICTIONARIES})
    if(NOT EXISTS ${dictionary} AND EXISTS ${place}/${arg_DICTIONARY})
      get_filename_component(dictionary ${place}/${arg_DICTIONARY} ABSOLUTE)
    endif()
  endforeach()
  if(NOT EXISTS ${dictionary})
    message(FATAL_ERROR "nexusfix_generate(${target}): there is no file ${dictionary}")
  endif()
  # The generator of this build, or the installed one.
  set(program nexusfix_codegen)
  if(NOT TARGET nexusfix_codegen)
    set(program nexusfix::codegen)
  endif()
  # A folder for each library, so that a target sees only the messages of its own libraries.
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}/include)
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${target}/stamp)
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${program} messages ${dictionary} --namespace ${arg_NAMESPACE} -o ${folder}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${dictionary} ${program}
    COMMENT "Typed messages nexusfix::${arg_NAMESPACE}" VERBATIM)
  add_custom_target(${target}_headers DEPENDS ${stamp})
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_headers)
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${folder}>)
  target_link_libraries(${target} INTERFACE nexusfix::wire)
  target_compile_features(${target} INTERFACE cxx_std_23)
  set_target_properties(${target} PROPERTIES NEXUSFIX_GENERATED_FOLDER ${folder})
endfunction()
