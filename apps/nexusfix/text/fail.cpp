#include <cstdio>
#include <fmt/format.h>

#include "nexusfix/command.hpp"

namespace nexusfix::command {

int fail(std::string_view name, std::string_view text) {
  fmt::print(stderr, "nexusfix {}: {}\n", name, text);
  return kFailure;
}

}  // namespace nexusfix::command
