#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>

#include <nexusfix/deferred/spsc_queue.hpp>

namespace nexusfix::deferred::detail {
namespace {

TEST(RingMemory, is_zeroed_and_aligned_to_cache_lines_at_any_size) {
  constexpr std::size_t kHugePageBytes = std::size_t{2} << 20U;
  for (const std::size_t size : {std::size_t{64}, std::size_t{4096} + 1, 2 * kHugePageBytes + 64}) {
    const RingMemory memory{size};
    const std::span bytes{memory.data(), size};
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % kApartBytes, 0U);
    EXPECT_TRUE(
        std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{}; }));
  }
}

}  // namespace
}  // namespace nexusfix::deferred::detail
