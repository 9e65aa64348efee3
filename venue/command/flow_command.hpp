// `nexusfix trade --rules`: the trader that follows rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nexusfix/files/settings_loader.hpp"

namespace nexusfix::command {

struct FlowOptions {
  std::string config;
  std::string rules;  // a file
  UnknownKeys unknown_keys = UnknownKeys::Warn;
  std::optional<std::uint64_t> seed;
  std::uint64_t silence_seconds = 30;
  bool spin = false;
};

// Trades until all orders are sent and none is open, and prints what happened. Returns the exit
// status.
[[nodiscard]] int trade_by_rules(const FlowOptions& options);

}  // namespace nexusfix::command
