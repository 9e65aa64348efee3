#include "store/state/even_search.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::store {
namespace {

// The result, and how many keys were read.
struct Found {
  std::size_t count = 0;
  std::size_t reads = 0;
};

Found find(const std::vector<std::uint64_t>& keys, std::uint64_t value) {
  Found found;
  found.count = count_not_above(value, keys.size(), [&](std::size_t index) {
    ++found.reads;
    return keys.at(index);
  });
  return found;
}

std::size_t expected_count(const std::vector<std::uint64_t>& keys, std::uint64_t value) {
  return static_cast<std::size_t>(std::ranges::upper_bound(keys, value) - keys.begin());
}

TEST(EvenSearch, finds_what_a_binary_search_finds_however_uneven_the_keys_are) {
  SeededRandom random{45};
  for (int run = 0; run < 2'000; ++run) {
    const unsigned bits = 1 + static_cast<unsigned>(random.below(63));
    std::vector<std::uint64_t> keys(static_cast<std::size_t>(random.below(80)));
    for (std::uint64_t& key : keys) key = random.next() >> random.below(bits);
    if (!keys.empty() && random.below(8) == 0) keys.front() = UINT64_MAX;
    std::ranges::sort(keys);
    std::vector<std::uint64_t> values = keys;
    for (const std::uint64_t key : keys) values.insert(values.end(), {key - 1, key + 1});
    values.insert(values.end(), {0, 1, UINT64_MAX, random.next()});
    for (const std::uint64_t value : values) {
      ASSERT_EQ(find(keys, value).count, expected_count(keys, value)) << "run " << run;
    }
  }
}

TEST(EvenSearch, reads_few_of_many_even_keys_and_few_more_of_uneven_ones) {
  std::vector<std::uint64_t> even(16'384);
  for (std::size_t i = 0; i < even.size(); ++i) even[i] = 1 + 64 * i;
  std::vector<std::uint64_t> uneven(16'384);
  for (std::size_t i = 0; i < uneven.size(); ++i) uneven[i] = i * i * i;
  for (std::uint64_t at = 0; at < 16'384; at += 7) {
    EXPECT_LE(find(even, 64 * at).reads, 8U);
    EXPECT_LE(find(uneven, at * at * at).reads, 34U);
  }
}

}  // namespace
}  // namespace nexusfix::store
