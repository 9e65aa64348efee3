# install and find_package(nexusfix): one exported target a layer, named nexusfix::<layer>.
include(CMakePackageConfigHelpers)

get_property(layers GLOBAL PROPERTY NEXUSFIX_LAYERS)
install(TARGETS ${layers} EXPORT nexusfixTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT nexusfixTargets NAMESPACE nexusfix::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nexusfix)

# What each component needs, so that a user who asks for wire only needs no library of engine's.
set(NEXUSFIX_COMPONENT_TABLE)
foreach(target IN LISTS layers)
  get_target_property(component ${target} EXPORT_NAME)
  get_property(requires GLOBAL PROPERTY NEXUSFIX_REQUIRES_${component})
  get_property(packages GLOBAL PROPERTY NEXUSFIX_PACKAGES_${component})
  get_property(on_demand GLOBAL PROPERTY NEXUSFIX_ON_DEMAND_${component})
  if(NOT on_demand)
    string(APPEND NEXUSFIX_COMPONENT_TABLE "list(APPEND nexusfix_usual ${component})\n")
  endif()
  string(APPEND NEXUSFIX_COMPONENT_TABLE
         "list(APPEND nexusfix_components ${component})\n"
         "set(nexusfix_${component}_requires \"${requires}\")\n"
         "set(nexusfix_${component}_packages \"${packages}\")\n")
endforeach()
configure_package_config_file(cmake/nexusfixConfig.cmake.in
  ${PROJECT_BINARY_DIR}/nexusfixConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nexusfix)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/nexusfixConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/nexusfixConfig.cmake
              ${PROJECT_BINARY_DIR}/nexusfixConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nexusfix)

# pkg-config for those who parse FIX without CMake. The prefix is found from the file's own place,
# so that an installed tree can be moved.
file(RELATIVE_PATH NEXUSFIX_PREFIX_FROM_PC
     ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/nexusfix-wire.pc.in ${PROJECT_BINARY_DIR}/nexusfix-wire.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/nexusfix-wire.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
