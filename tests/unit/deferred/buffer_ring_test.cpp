#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include <nexusfix/deferred.hpp>
#include <nexusfix/deferred/spsc_queue.hpp>

namespace nexusfix::deferred::detail {
namespace {

constexpr std::size_t kCapacity = 4;
using Buffer = MessageBuffer<200>;
using Ring = BufferRing<Buffer, kCapacity>;

[[nodiscard]] bool push(Ring& ring, const std::string& text) {
  Buffer* const buffer = ring.claim();
  if (buffer == nullptr || !buffer->assign(text, WallTime{})) return false;
  ring.commit();
  return true;
}

[[nodiscard]] std::string pop(Ring& ring) {
  Buffers<Buffer> one = ring.readable(1);
  if (one.count() == 0) return "(empty)";
  std::string text{one.front()->bytes()};
  one.drop_front();
  ring.release(1, one);
  return text;
}

TEST(BufferRing, holds_its_capacity_however_long_or_short_its_buffers_are) {
  for (const std::size_t size : {0U, 1U, 100U, 200U}) {
    Ring ring;
    for (int lap = 0; lap < 20; ++lap) {
      for (std::size_t i = 0; i < kCapacity; ++i) {
        ASSERT_TRUE(push(ring, std::string(size, static_cast<char>('a' + i))));
      }
      ASSERT_FALSE(push(ring, "x"));
      for (std::size_t i = 0; i < kCapacity; ++i) {
        ASSERT_EQ(pop(ring), std::string(size, static_cast<char>('a' + i)));
      }
      ASSERT_TRUE(ring.empty());
    }
  }
}

// Always one buffer short of full, at every place and with every neighbour.
TEST(BufferRing, long_and_short_buffers_never_overlap) {
  Ring ring;
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
  const auto text = [](std::uint64_t number) {
    return std::string(number * number * 37 % 201, static_cast<char>('A' + number % 58));
  };
  for (int i = 0; i < 5'000; ++i) {
    while (push(ring, text(pushed))) ++pushed;
    ASSERT_EQ(pushed - popped, kCapacity);
    ASSERT_EQ(pop(ring), text(popped));
    ++popped;
  }
  EXPECT_EQ(ring.pushed(), pushed);
}

TEST(BufferRing, short_buffers_are_close_together) {
  Ring ring;
  Buffer* const first = ring.claim();
  ASSERT_TRUE(first->assign("short", WallTime{}));
  ring.commit();
  const auto distance = static_cast<std::byte*>(static_cast<void*>(ring.claim())) -
                        static_cast<std::byte*>(static_cast<void*>(first));
  EXPECT_EQ(distance, static_cast<std::ptrdiff_t>(alignof(Buffer)));
}

TEST(BufferRing, a_claim_that_is_not_committed_has_no_effect) {
  Ring ring;
  ASSERT_TRUE(ring.claim()->assign("forgotten", WallTime{}));
  EXPECT_TRUE(ring.empty());
  EXPECT_TRUE(push(ring, "kept"));
  EXPECT_EQ(pop(ring), "kept");
  EXPECT_EQ(pop(ring), "(empty)");
}

TEST(BufferRing, buffers_that_own_something_are_made_once_and_destroyed_once) {
  struct Owning {
    std::shared_ptr<int> value;
  };
  auto value = std::make_shared<int>(1);
  {
    BufferRing<Owning, 2> ring;
    for (int i = 0; i < 10; ++i) {
      ring.claim()->value = value;
      ring.commit();
      if (i == 9) break;
      Buffers<Owning> one = ring.readable(1);
      EXPECT_EQ(one.front()->value, value);
      one.drop_front();
      ring.release(1, one);
    }
    EXPECT_GT(value.use_count(), 1);
  }
  EXPECT_EQ(value.use_count(), 1);
}

}  // namespace
}  // namespace nexusfix::deferred::detail
