// How often a random test repeats.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string_view>
#include <system_error>

namespace nexusfix::testing {

// The usual number, or NEXUSFIX_RANDOM_RUNS: `make crash` sets it. With a sanitizer a quarter of
// the usual number: a build without one runs them all.
inline std::uint64_t random_runs(std::uint64_t usual) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr std::uint64_t kShare = 4;
#elif defined(__has_feature)
  constexpr std::uint64_t kShare =
      __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ? 4 : 1;
#else
  constexpr std::uint64_t kShare = 1;
#endif
  const char* const wanted = std::getenv("NEXUSFIX_RANDOM_RUNS");
  if (wanted == nullptr) return (usual + kShare - 1) / kShare;
  const std::string_view text{wanted};
  std::uint64_t runs = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), runs);
  if (error == std::errc{} && end == text.data() + text.size() && runs > 0) return runs;
  ADD_FAILURE() << "NEXUSFIX_RANDOM_RUNS=" << text << ": a number above 0 is expected";
  return 0;
}

}  // namespace nexusfix::testing
