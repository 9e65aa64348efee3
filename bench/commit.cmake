# Writes the header bench/commit.hpp with the commit and the flags of the build. It runs at every
# build, and writes the header only when it changes.
#   cmake -D SOURCE=folder -D OUTPUT=file -D FLAGS=text -P commit.cmake
set(commit "")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --exclude=*
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
string(STRIP "${FLAGS}" flags)
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#pragma once

namespace nexusfix::bench {

inline constexpr const char* kCommit = "@commit@";
inline constexpr const char* kCompilerFlags = "@flags@";

}  // namespace nexusfix::bench
]])
