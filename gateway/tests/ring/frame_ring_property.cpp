// For any sequence of writes and reads, a ring is a list with a limit; and between two threads,
// every frame arrives once, whole and in order.
#include <cstdint>
#include <deque>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "gateway/tests/ring/ring_memory.hpp"

namespace nexusfix::gateway {
namespace {

using testing::RingMemory;

constexpr std::uint64_t kBytes = 4096;

// The operation and its size.
using Step = std::pair<std::uint8_t, std::uint16_t>;

RC_GTEST_PROP(FrameRingProperty, a_ring_is_a_list_with_a_limit, (std::vector<Step> steps)) {
  RingMemory memory{kBytes};
  FrameWriter writer{memory.place()};
  FrameReader reader{memory.place()};
  std::deque<std::string> model;
  char next = 'a';
  bool is_drained = true;  // the last read found nothing
  for (const auto& [what, how_much] : steps) {
    if (what % 5 < 3) {
      // Long and short ones: only long ones fill a ring in few steps.
      const std::size_t size =
          what % 5 == 0 ? how_much % (frame_bytes_possible(kBytes) + 8) : how_much % 200;
      const std::string frame(size, next);
      const std::size_t first = size == 0 ? 0 : how_much % size;
      const Written written = writer.write(std::string_view{frame}.substr(0, first),
                                           std::string_view{frame}.substr(first));
      const bool fits = size != 0 && size <= frame_bytes_possible(kBytes);
      RC_ASSERT((written == Written::TooLong) == !fits);
      RC_ASSERT(written != Written::Fault);
      RC_ASSERT(!fits || !is_drained || !model.empty() || written == Written::Yes);
      if (written != Written::Yes) continue;
      model.push_back(frame);
      next = next == 'z' ? 'a' : static_cast<char>(next + 1);
    } else {
      const std::string_view frame = reader.read();
      RC_ASSERT(reader.fault() == RingFault::None);
      is_drained = frame.empty();
      RC_ASSERT(frame.empty() == model.empty());
      if (frame.empty()) continue;
      RC_ASSERT(frame == model.front());
      model.pop_front();
    }
    RC_ASSERT(reader.has_frame() == !model.empty());
  }
}

RC_GTEST_PROP(FrameRingProperty, no_word_of_a_producer_leads_outside_of_the_ring,
              (std::vector<std::uint64_t> words, std::vector<Step> steps)) {
  RingMemory memory{kBytes};
  FrameWriter writer{memory.place()};
  FrameReader reader{memory.place()};
  for (const auto& [what, how_much] : steps) {
    if (words.empty() || reader.fault() != RingFault::None) return;
    const std::uint64_t word = words[how_much % words.size()];
    const std::uint64_t position = how_much / 8 * 8;
    switch (what % 4) {
      case 0:
        memory.word(position) = word;
        break;
      case 1:  // nearly a record
        memory.word(position) = position << 32U | (word % 3000);
        break;
      case 2: {
        const std::string_view frame = reader.read();
        if (frame.empty()) break;
        RC_ASSERT(frame.data() >= memory.place().data);
        RC_ASSERT(frame.data() + frame.size() <= memory.place().data + kBytes);
        break;
      }
      default:
        memory.words().head = word;
        static_cast<void>(writer.write(std::string(how_much % 2100, 'w')));
    }
  }
}

TEST(FrameRingThreads, every_frame_arrives_once_whole_and_in_order) {
  constexpr std::uint64_t kFrames = 20'000;
  RingMemory memory{kBytes};
  std::thread producer{[&] {
    FrameWriter writer{memory.place()};
    SeededRandom sizes{1};
    std::string frame;
    for (std::uint64_t i = 0; i < kFrames; ++i) {
      frame.assign(8 + sizes.below(300), static_cast<char>('a' + i % 26));
      std::memcpy(frame.data(), &i, sizeof i);
      while (writer.write(frame) != Written::Yes) std::this_thread::yield();
    }
  }};
  FrameReader reader{memory.place()};
  SeededRandom sizes{1};
  std::uint64_t different = 0;
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    std::string_view frame;
    while ((frame = reader.read()).empty() && reader.fault() == RingFault::None)
      std::this_thread::yield();
    std::string expected(8 + sizes.below(300), static_cast<char>('a' + i % 26));
    std::memcpy(expected.data(), &i, sizeof i);
    if (frame != expected) ++different;
    if (reader.fault() != RingFault::None) break;
  }
  producer.join();
  EXPECT_EQ(reader.fault(), RingFault::None);
  EXPECT_EQ(different, 0U);
}

TEST(FrameRingThreads, no_frame_is_written_to_a_sleeper_who_is_not_woken) {
  // Both sides change the words at once: if the producer misses that the consumer sleeps, and the
  // consumer misses the frame, nothing wakes it and the test hangs.
  constexpr std::uint64_t kFrames = 20'000;
  RingMemory memory{kBytes};
  std::atomic<std::uint64_t> wakes{0};
  std::thread producer{[&] {
    FrameWriter writer{memory.place()};
    for (std::uint64_t i = 0; i < kFrames; ++i) {
      while (writer.write("frame") != Written::Yes) std::this_thread::yield();
      if (writer.take_sleeper() == Sleeps::Futex) {
        wakes.fetch_add(1);
        wakes.notify_one();
      }
    }
  }};
  FrameReader reader{memory.place()};
  for (std::uint64_t i = 0; i < kFrames;) {
    if (!reader.read().empty()) {
      ++i;
      continue;
    }
    const std::uint64_t woken = wakes.load();
    if (reader.begin_sleep(Sleeps::Futex)) {
      // The producer clears the word before it counts.
      while (std::atomic_ref{memory.words().sleeps}.load() != 0 && wakes.load() == woken)
        std::this_thread::yield();
      reader.end_sleep();
    }
  }
  producer.join();
  EXPECT_EQ(reader.fault(), RingFault::None);
}

}  // namespace
}  // namespace nexusfix::gateway
