# An overlay port: it builds the sources that it lies in. docs/operations/install.md shows its use.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
  cluster NEXUSFIX_CLUSTER
  passwords NEXUSFIX_PASSWORDS
  postgres NEXUSFIX_POSTGRES
  tls NEXUSFIX_TLS
  web NEXUSFIX_WEB)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "dynamic" shared)
# The target install does not build the benchmarks and examples.
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DNEXUSFIX_TESTS=OFF -DNEXUSFIX_WERROR=OFF -DNEXUSFIX_TUI=OFF -DNEXUSFIX_SHARED=${shared}
          ${features}
          -DCMAKE_SKIP_INSTALL_ALL_DEPENDENCY=ON)
# With the command and the generator, which builds of applications call.
vcpkg_cmake_build(TARGET nexusfix_installed)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/nexusfix)
vcpkg_copy_tools(TOOL_NAMES nexusfix nexusfix_codegen AUTO_CLEAN)
# GoogleTest is no dependency of the port, and the unit names a program that is now in tools/.
foreach(prefix IN ITEMS "${CURRENT_PACKAGES_DIR}" "${CURRENT_PACKAGES_DIR}/debug")
  file(REMOVE_RECURSE "${prefix}/lib/systemd" "${prefix}/lib/pkgconfig/nexusfix-store_contract.pc")
endforeach()
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
