// The assertion of a fuzz target: prints its position and ends the process.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace nexusfix::testing {

inline void require(bool condition, std::source_location place = std::source_location::current()) {
  if (condition) return;
  std::fprintf(stderr, "%s:%u: not so\n", place.file_name(), static_cast<unsigned>(place.line()));
  std::abort();
}

}  // namespace nexusfix::testing
