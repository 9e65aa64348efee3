// Finds a key among ascending keys that grow nearly evenly, such as the first MsgSeqNums of groups:
// it looks where the key would be if they grew evenly, and around that place. A binary search of a
// long list would read a dozen keys, each from memory that is in no cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace nexusfix::store {

// The number of keys that are not above value: key_at(0) to key_at(count - 1) ascend.
template <class KeyAt>
[[nodiscard]] std::size_t count_not_above(std::uint64_t value, std::size_t count,
                                          KeyAt key_at) noexcept {
  if (count == 0 || value < key_at(0)) return 0;
  const std::uint64_t first = key_at(0);
  const std::uint64_t last = key_at(count - 1);
  if (value >= last) return count;
  // key_at(low) is not above value, and key_at(high) is.
  std::size_t low = 0;
  std::size_t high = count - 1;
  const double share = static_cast<double>(value - first) / static_cast<double>(last - first);
  const auto guess = static_cast<std::size_t>(share * static_cast<double>(count - 1));
  const auto look_at = [&](std::size_t at) {
    const bool is_above = key_at(at) > value;
    (is_above ? high : low) = at;
    return is_above;
  };
  if (look_at(std::min(guess, high - 1))) {
    for (std::size_t step = 1; step < high - low && look_at(high - step);) step *= 2;
  } else {
    for (std::size_t step = 1; step < high - low && !look_at(low + step);) step *= 2;
  }
  // NOLINTNEXTLINE(bugprone-infinite-loop): look_at() moves low or high.
  while (high - low > 1) look_at(low + (high - low) / 2);
  return high;
}

}  // namespace nexusfix::store
