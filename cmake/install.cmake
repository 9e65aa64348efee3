# install and find_package(nexusfix): one exported target a layer, named nexusfix::<layer>.
# The core, the command and each product are components: cmake --install build --component core.
include(CMakePackageConfigHelpers)

get_property(layers GLOBAL PROPERTY NEXUSFIX_LAYERS)
set(products)
foreach(target IN LISTS layers)
  get_target_property(component ${target} EXPORT_NAME)
  get_property(product GLOBAL PROPERTY NEXUSFIX_PRODUCT_${component})
  if(product)
    list(APPEND products ${product})
  else()
    set(product core)
  endif()
  list(APPEND targets_of_${product} ${target})
endforeach()
list(REMOVE_DUPLICATES products)
foreach(product IN ITEMS core LISTS products)
  set(export nexusfix-${product}Targets)
  if(product STREQUAL "core")
    set(export nexusfixTargets)  # it also has the generator
  endif()
  install(TARGETS ${targets_of_${product}} EXPORT ${export}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${product}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${product}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ${product})
  install(EXPORT ${export} NAMESPACE nexusfix:: COMPONENT ${product}
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nexusfix)
endforeach()
list(JOIN products " " NEXUSFIX_PRODUCT_EXPORTS)

# The dependencies of each component, so that a user of wire needs no library of engine. A product
# brings its own, for a core that was built without it.
set(NEXUSFIX_COMPONENT_TABLE)
foreach(target IN LISTS layers)
  get_target_property(component ${target} EXPORT_NAME)
  get_property(requires GLOBAL PROPERTY NEXUSFIX_REQUIRES_${component})
  get_property(packages GLOBAL PROPERTY NEXUSFIX_PACKAGES_${component})
  get_property(on_demand GLOBAL PROPERTY NEXUSFIX_ON_DEMAND_${component})
  get_property(product GLOBAL PROPERTY NEXUSFIX_PRODUCT_${component})
  string(CONCAT rows
         "list(APPEND nexusfix_components ${component})\n"
         "set(nexusfix_${component}_requires \"${requires}\")\n"
         "set(nexusfix_${component}_packages \"${packages}\")\n"
         "set(nexusfix_${component}_product \"${product}\")\n")
  if(NOT on_demand)
    string(APPEND rows "list(APPEND nexusfix_usual ${component})\n")
  endif()
  string(APPEND NEXUSFIX_COMPONENT_TABLE "${rows}")
  string(APPEND rows_of_${product} "${rows}")
endforeach()
foreach(product IN LISTS products)
  set(file ${PROJECT_BINARY_DIR}/nexusfix-${product}Components.cmake)
  file(CONFIGURE OUTPUT ${file} CONTENT
       "list(APPEND nexusfix_products ${product})\n${rows_of_${product}}" @ONLY)
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nexusfix COMPONENT ${product})
endforeach()
configure_package_config_file(cmake/nexusfixConfig.cmake.in
  ${PROJECT_BINARY_DIR}/nexusfixConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nexusfix
  PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/nexusfixConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/nexusfixConfig.cmake
              ${PROJECT_BINARY_DIR}/nexusfixConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nexusfix)

# pkg-config for builds without CMake: a module for each component. The prefix is relative to the
# file's own place, so that an installed tree can be moved.
file(RELATIVE_PATH NEXUSFIX_PREFIX_FROM_PC
     ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})

# As the programs of this build are linked.
set(NEXUSFIX_PC_LINK_FLAGS "-Wl,--gc-sections")
if(NEXUSFIX_PACKS_RELOCATIONS)
  string(APPEND NEXUSFIX_PC_LINK_FLAGS " -Wl,-z,pack-relative-relocs")
endif()

# nexusfix_pkg_config(LAYER DESCRIPTION): the .pc file of a layer, with the layers below it.
function(nexusfix_pkg_config layer description)
  set(open ${layer})
  set(closure)
  while(open)
    list(POP_FRONT open name)
    if(NOT name IN_LIST closure)
      list(APPEND closure ${name})
      get_property(requires GLOBAL PROPERTY NEXUSFIX_REQUIRES_${name})
      list(APPEND open ${requires})
    endif()
  endwhile()
  # Static libraries: a library comes before its dependencies, which were declared before it.
  set(libraries)
  set(modules)
  foreach(target IN LISTS layers)
    get_target_property(name ${target} EXPORT_NAME)
    if(name IN_LIST closure)
      get_target_property(kind ${target} TYPE)
      if(NOT kind STREQUAL INTERFACE_LIBRARY)
        list(PREPEND libraries -l${target})
      endif()
      get_property(more_modules GLOBAL PROPERTY NEXUSFIX_PKG_CONFIG_${name})
      list(APPEND modules ${more_modules})
      get_property(more_flags GLOBAL PROPERTY NEXUSFIX_PKG_CONFIG_FLAGS_${name})
      list(APPEND flags ${more_flags})
    endif()
  endforeach()
  list(JOIN libraries " " NEXUSFIX_PC_LIBRARIES)
  list(JOIN modules " " NEXUSFIX_PC_MODULES)
  list(JOIN flags " " NEXUSFIX_PC_FLAGS)
  set(NEXUSFIX_PC_NAME nexusfix-${layer})
  set(NEXUSFIX_PC_DESCRIPTION ${description})
  configure_file(cmake/nexusfix.pc.in ${PROJECT_BINARY_DIR}/nexusfix-${layer}.pc @ONLY)
  get_property(product GLOBAL PROPERTY NEXUSFIX_PRODUCT_${layer})
  if(NOT product)
    set(product core)
  endif()
  install(FILES ${PROJECT_BINARY_DIR}/nexusfix-${layer}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${product})
endfunction()
set(described_base "NexusFIX basics: decimals, times, clocks, disks")
set(described_deferred "Queues and threads for work beside a message's path")
set(described_catalog "FIX dictionaries as files, and the groups of any message")
set(described_explanation "Why a FIX message is wrong, for a person")
set(described_logger "Log lines that another thread formats")
set(described_coroutine "Conversations of FIX sessions as coroutines")
set(described_wire "FIX messages: framing, parsing, conversions, encoding")
set(described_dictionary "FIX dictionaries: loading, explaining, validating")
set(described_session "The FIX session layer as a state machine without sockets")
set(described_store "NexusFIX journals and message stores")
set(described_transport "NexusFIX connections: TCP and TLS")
set(described_observe "NexusFIX event logs and message logs")
set(described_config "NexusFIX configuration files")
set(described_control "NexusFIX statistics, and the commands of operators")
set(described_engine "FIX sessions: acceptors and initiators with a journal on disk")
set(described_simulator "NexusFIX engines in virtual time, with faults")
set(described_record_store "A base class for a message store of your own")
set(described_proxy "NexusFIX by way of proxies: UseTCPProxy, ProxyType")
set(described_passwords "NexusFIX with passwords of Logons: PasswordFile")
set(described_metrics "NexusFIX statistics for Prometheus, health and readiness")
set(described_log_compression "NexusFIX with packed log files: LogCompress")
set(described_web "NexusFIX with its web console and metrics: ConsolePort, MetricsPort")
set(described_postgres "NexusFIX with its store in PostgreSQL: Store=postgresql")
set(described_cluster "NexusFIX with shards on several nodes: ClusterShard")
set(described_store_contract "Tests of a message store of your own, with GoogleTest")
foreach(target IN LISTS layers)
  get_target_property(component ${target} EXPORT_NAME)
  if(component MATCHES "^fix")
    set(described_${component} "Typed messages of the dictionary ${component}")
  elseif(NOT DEFINED described_${component})
    message(FATAL_ERROR "cmake/install.cmake: a description of ${component}, for pkg-config")
  endif()
  nexusfix_pkg_config(${component} "${described_${component}}")
endforeach()

# The documents and examples for users. README.md keeps its links to docs/ and examples/.
install(FILES LICENSE NOTICE README.md CHANGELOG.md ROADMAP.md SECURITY.md SUPPORT.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY share/prometheus share/grafana share/cluster
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/share PATTERN certificates EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        PATTERN store EXCLUDE PATTERN *_test.py EXCLUDE PATTERN __pycache__ EXCLUDE)
install(DIRECTORY apps/nexusfix/config DESTINATION ${CMAKE_INSTALL_DOCDIR}/apps/nexusfix
        FILES_MATCHING PATTERN *.cfg PATTERN *.txt)
nexusfix_mend_links(core)

# Builds only the installed targets.
add_custom_target(nexusfix_installed DEPENDS ${layers} nexusfix_typed_messages nexusfix_codegen)
if(TARGET nexusfix_c)
  add_dependencies(nexusfix_installed nexusfix_c)
endif()
if(TARGET nexusfix_arrow_command)
  add_dependencies(nexusfix_installed nexusfix_arrow_command)
endif()
if(TARGET nexusfix)
  add_dependencies(nexusfix_installed nexusfix)
  if(TARGET nexusfix_pages)
    add_dependencies(nexusfix_installed nexusfix_pages)
  endif()
endif()
