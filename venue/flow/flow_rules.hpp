// The rules of a trader: how many orders of what kind it sends, and how it answers reports. Plain
// data, in the language of the venue's rules.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "venue/rules/rules.hpp"

namespace nexusfix::flow {

using venue::Milliseconds;
using venue::Units;

struct Symbol {
  std::string name{};
  unsigned permille = 0;  // of the orders
};

// Each value between min and max, in steps, is as likely.
struct Range {
  Units min = 0;
  Units max = 0;
  Units step = 1;

  [[nodiscard]] Units pick(Random& random) const noexcept;
};

// A share of the orders gets a request after a time.
struct Later {
  unsigned permille = 0;
  Milliseconds min{0};
  Milliseconds max{0};

  [[nodiscard]] bool happens(Random& random) const noexcept;
  [[nodiscard]] Milliseconds pick(Random& random) const noexcept;
};

struct FlowRules {
  std::uint64_t orders = 100;
  unsigned rate = 10;           // orders a second, 1 to 100,000
  bool is_rate_random = false;  // exponential pauses; otherwise equal ones
  std::vector<Symbol> symbols{{"TEST1", 1'000}};
  unsigned buy_permille = 500;
  unsigned market_permille = 0;
  Range size{100 * venue::kUnitsPerOne, 100 * venue::kUnitsPerOne, venue::kUnitsPerOne};
  Range price{10 * venue::kUnitsPerOne, 10 * venue::kUnitsPerOne, venue::kUnitsPerOne};
  Later cancel{};
  Later replace{};
  std::vector<venue::Rule> rules{};  // for messages of the venue; the first that holds acts

  [[nodiscard]] const std::string& pick_symbol(Random& random) const noexcept;
};

// Each invalid line is an error.
[[nodiscard]] std::expected<FlowRules, std::vector<venue::RulesError>> parse_flow_rules(
    std::string_view text);

}  // namespace nexusfix::flow
