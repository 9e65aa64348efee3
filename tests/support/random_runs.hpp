// How often a random test repeats.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string_view>
#include <system_error>

namespace nexusfix::testing {

// The usual number, or NEXUSFIX_RANDOM_RUNS: `make crash` sets it.
inline std::uint64_t random_runs(std::uint64_t usual) {
  const char* const wanted = std::getenv("NEXUSFIX_RANDOM_RUNS");
  if (wanted == nullptr) return usual;
  const std::string_view text{wanted};
  std::uint64_t runs = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), runs);
  if (error == std::errc{} && end == text.data() + text.size() && runs > 0) return runs;
  ADD_FAILURE() << "NEXUSFIX_RANDOM_RUNS=" << text << ": a number above 0 is expected";
  return 0;
}

}  // namespace nexusfix::testing
