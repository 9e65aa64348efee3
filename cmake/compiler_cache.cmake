# Uses ccache if it is installed. A second clone of the project, in another folder, uses the cached
# files of the first one: paths below the project's folder are relative for the cache, and
# nexusfix_flags keeps the folder's path out of object files.
find_program(NEXUSFIX_CCACHE ccache)
if(NEXUSFIX_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache keeps files with precompiled headers only with these sloppiness settings.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true
      CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=true
      ${PROJECT_SOURCE_DIR}/cmake/cached_compiler.sh ${NEXUSFIX_CCACHE})
endif()
