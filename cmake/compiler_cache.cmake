# Uses ccache if it is installed. The compiler's list of headers says what a source depends on, so
# ccache preprocesses none. A second clone of the project, in another folder, uses the cached files
# of the first one: cached_compiler.sh and nexusfix_flags keep the folder out of object files.
find_program(NEXUSFIX_CCACHE ccache)
if(NEXUSFIX_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache keeps files with precompiled headers only with these sloppiness settings.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true
      CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=true CCACHE_DEPEND=true
      ${PROJECT_SOURCE_DIR}/cmake/cached_compiler.sh ${NEXUSFIX_CCACHE})
endif()
