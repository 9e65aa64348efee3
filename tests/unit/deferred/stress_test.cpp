// Order and completeness over many records, with two threads that collide on indices, full rings
// and wraps all the time.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include <nexusfix/deferred.hpp>

namespace nexusfix::deferred {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kRecords = 2'000'000;
#elif defined(NDEBUG)
constexpr std::uint64_t kRecords = 20'000'000;
#else
constexpr std::uint64_t kRecords = 4'000'000;
#endif

// Cheap, and different for neighbours, so that a torn or repeated record is detected.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t index) {
  constexpr std::uint64_t kOdd = 0x9e37'79b9'7f4a'7c15;
  return index * kOdd;
}

struct Pair {
  std::uint64_t index = 0;
  std::uint64_t check = 0;
};

TEST(Stress, fixed_slots_arrive_once_each_and_in_order) {
  const auto queue = std::make_unique<SpscQueue<Pair, 1024>>();
  std::thread producer{[&] {
    std::array<Pair, 48> batch;
    for (std::uint64_t sent = 0; sent < kRecords;) {
      // Single pushes, claims and batches in turn.
      if (sent % 3 == 0) {
        const std::size_t wanted = std::min<std::uint64_t>(batch.size(), kRecords - sent);
        for (std::size_t i = 0; i < wanted; ++i) batch[i] = {sent + i, mixed(sent + i)};
        const std::size_t pushed = queue->push_batch(std::span{batch}.first(wanted));
        sent += pushed;
        if (pushed == 0) std::this_thread::yield();
      } else if (Pair* const slot = queue->claim()) {
        *slot = {sent, mixed(sent)};
        queue->commit();
        ++sent;
      } else {
        std::this_thread::yield();
      }
    }
  }};
  std::uint64_t wrong = 0;
  std::uint64_t received = 0;
  std::array<Pair, 33> batch;
  const auto check = [&](std::span<const Pair> pairs) {
    for (const Pair& pair : pairs) {
      wrong += pair.index != received || pair.check != mixed(received) ? 1U : 0U;
      ++received;
    }
  };
  while (received < kRecords) {
    const std::span<Pair> some = queue->readable(100);
    check(some);
    queue->release(some.size());
    const std::size_t popped = queue->pop_batch(batch);
    check(std::span{batch}.first(popped));
    if (some.empty() && popped == 0) std::this_thread::yield();
  }
  producer.join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(queue->size(), 0U);
}

TEST(Stress, byte_records_arrive_whole_once_each_and_in_order) {
  RecordQueue queue{std::size_t{1} << 14U};
  constexpr std::uint64_t kCount = kRecords / 2;
  // 8 to 64 bytes, each word a function of the record's number.
  const auto words_of = [](std::uint64_t index) { return 1 + (mixed(index) >> 61U); };
  std::thread producer{[&] {
    for (std::uint64_t sent = 0; sent < kCount;) {
      const std::uint64_t words = words_of(sent);
      const auto room = queue.claim(words * sizeof(std::uint64_t));
      if (!room) {
        std::this_thread::yield();
        continue;
      }
      for (std::uint64_t i = 0; i < words; ++i) {
        const std::uint64_t word = mixed(sent) + i;
        std::memcpy(room->data() + i * sizeof word, &word, sizeof word);
      }
      queue.commit(room->size());
      ++sent;
    }
  }};
  std::uint64_t wrong = 0;
  for (std::uint64_t received = 0; received < kCount;) {
    const auto record = queue.read();
    if (!record) {
      queue.release();
      std::this_thread::yield();
      continue;
    }
    const std::uint64_t words = words_of(received);
    wrong += record->size() != words * sizeof(std::uint64_t) ? 1U : 0U;
    for (std::uint64_t i = 0; i < words && wrong == 0; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, record->data() + i * sizeof word, sizeof word);
      wrong += word != mixed(received) + i ? 1U : 0U;
    }
    if (++received % 16 == 0) queue.release();
  }
  producer.join();
  EXPECT_EQ(wrong, 0U);
}

TEST(Stress, a_processor_handles_everything_once_and_in_order_under_each_policy) {
  struct Number {
    bool assign(std::uint64_t value) noexcept {
      number = value;
      return true;
    }
    std::uint64_t number = 0;
  };
  for (const WhenFull when_full : {WhenFull::Wait, WhenFull::Spill}) {
    constexpr std::uint64_t kCount = kRecords / 4;
    DeferredProcessor<Number, 4096> processor{
        {.when_full = when_full, .idle = Idle::Sleep, .spilled_max = 1U << 16U}};
    std::uint64_t next = 0;
    std::uint64_t wrong = 0;
    ASSERT_TRUE(processor.start([&](const Number& number) {
      wrong += number.number != next ? 1U : 0U;
      ++next;
    }));
    for (std::uint64_t i = 0; i < kCount;) {
      if (processor.submit(i)) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
    processor.stop();
    EXPECT_EQ(wrong, 0U);
    EXPECT_EQ(next, kCount);
    EXPECT_EQ(processor.stats().processed, kCount);
  }
}

// Each message begins where the one before it ends, and is written while that one is read.
TEST(Stress, messages_of_any_length_arrive_whole_once_each_and_in_order) {
  constexpr std::size_t kBytesMax = 300;
  // A copy is checked as well, while the next message is being written.
  using Buffer = MessageBuffer<kBytesMax>;
  const auto text = [](std::uint64_t index) {
    static const std::string letters = [] {
      std::string all(2 * kBytesMax, ' ');
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<char>('0' + i % 79);
      return all;
    }();
    const std::uint64_t number = mixed(index) >> 32U;
    return std::string_view{letters}.substr(number % kBytesMax, number / kBytesMax % kBytesMax);
  };
  const std::uint64_t count = std::max<std::uint64_t>(kRecords / 100, 100'000);
  DeferredProcessor<Buffer, 64> processor{{.when_full = WhenFull::Wait, .idle = Idle::Yield}};
  std::uint64_t next = 0;
  std::uint64_t wrong = 0;
  ASSERT_TRUE(processor.start([&](const Buffer& message) {
    const Buffer copy{message};
    const auto number = static_cast<std::uint64_t>(message.time().time_since_epoch().count());
    wrong += number != next || message.bytes() != text(next) ? 1U : 0U;
    wrong += copy.time() != message.time() || copy.bytes() != message.bytes() ? 1U : 0U;
    ++next;
  }));
  for (std::uint64_t i = 0; i < count; ++i) {
    const WallTime time{std::chrono::nanoseconds{static_cast<std::int64_t>(i)}};
    ASSERT_TRUE(processor.submit(text(i), time));
  }
  processor.stop();
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(next, count);
}

}  // namespace
}  // namespace nexusfix::deferred
