# install and find_package(nexusfix): one exported target a layer, named nexusfix::<layer>.
include(CMakePackageConfigHelpers)
get_property(layers GLOBAL PROPERTY NEXUSFIX_LAYERS)
install(TARGETS ${layers} EXPORT nexusfixTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT nexusfixTargets NAMESPACE nexusfix::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nexusfix)
configure_package_config_file(cmake/nexusfixConfig.cmake.in
  ${PROJECT_BINARY_DIR}/nexusfixConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nexusfix)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/nexusfixConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/nexusfixConfig.cmake
              ${PROJECT_BINARY_DIR}/nexusfixConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nexusfix)
