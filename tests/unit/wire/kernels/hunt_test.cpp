#include "wire/hunt.hpp"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include <nexusfix/base/clock.hpp>

#include "unit/wire/kernels/guarded_bytes.hpp"

namespace nexusfix::wire {
namespace {

constexpr std::size_t kBytesMax = 300;

std::size_t obvious(std::string_view text, std::string_view bytes, std::size_t from) {
  std::size_t at = from;
  while (at < bytes.size() && !text.starts_with(bytes.substr(at, text.size()))) ++at;
  return at;
}

// Garbage of several kinds with at most one start in it.
std::string garbage(SeededRandom& random, std::size_t size) {
  constexpr std::string_view kKinds[] = {"8",
                                         "=",
                                         "\x01",
                                         "8=",
                                         "8=FI",
                                         "\x01"
                                         "10",
                                         "x",
                                         "FIX8=",
                                         "\x01\x01"
                                         "1",
                                         "0=",
                                         "8=F\x01"
                                         "1"};
  const std::string_view kind = kKinds[random.below(std::size(kKinds))];
  std::string bytes;
  while (bytes.size() < size) bytes += kind;
  bytes.resize(size);
  if (size > 0 && random.below(2) == 0) {
    const std::string_view text = random.below(2) == 0 ? kFrameStart : kCheckSumStart;
    bytes.insert(random.below(size), text);
    bytes.resize(size);
  }
  return bytes;
}

TEST(Hunt, finds_the_first_start_in_garbage_of_every_length_and_reads_nothing_else) {
  SeededRandom random{1};
  nexusfix::test::GuardedBytes guarded{kBytesMax};
  for (int round = 0; round < 40; ++round) {
    for (std::size_t size = 0; size <= kBytesMax; ++size) {
      const std::string bytes = garbage(random, size);
      const std::size_t from = random.below(size + 1);
      for (const std::string_view there : {guarded.at_begin(bytes), guarded.at_end(bytes)}) {
        ASSERT_EQ(find_frame_start(there, from), obvious(kFrameStart, bytes, from)) << bytes;
        ASSERT_EQ(find_check_sum(there, from), obvious(kCheckSumStart, bytes, from)) << bytes;
      }
    }
  }
}

TEST(Hunt, a_start_is_found_at_every_place_of_a_block) {
  for (std::size_t at = 0; at < 200; ++at) {
    std::string bytes(kBytesMax, '8');
    bytes.replace(at, kFrameStart.size(), kFrameStart);
    EXPECT_EQ(find_frame_start(bytes, 0), at);
  }
}

TEST(Hunt, a_start_that_the_end_cuts_off_is_found) {
  for (std::size_t kept = 1; kept <= kFrameStart.size(); ++kept) {
    const std::string bytes = std::string(100, '=') + std::string{kFrameStart.substr(0, kept)};
    EXPECT_EQ(find_frame_start(bytes, 0), 100U) << kept;
  }
}

TEST(Hunt, without_a_start_the_result_is_the_end) {
  EXPECT_EQ(find_frame_start({}, 0), 0U);
  EXPECT_EQ(find_frame_start("abc", 3), 3U);
  EXPECT_EQ(find_frame_start(std::string(1000, '='), 5), 1000U);
}

}  // namespace
}  // namespace nexusfix::wire
