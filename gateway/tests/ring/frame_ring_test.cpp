// One ring: what is written is read, in order, whole and once, around the end of the ring; and no
// word of the other side does more than end it.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "gateway/tests/ring/ring_memory.hpp"

namespace nexusfix::gateway {
namespace {

using testing::RingMemory;

constexpr std::uint64_t kBytes = 4096;
constexpr std::uint64_t kFrameMax = frame_bytes_possible(kBytes);

std::string frame_of(std::size_t size, char fill) { return std::string(size, fill); }

// A ring, its producer and its consumer.
struct Ring {
  RingMemory memory{kBytes};
  FrameWriter writer{memory.place()};
  FrameReader reader{memory.place()};
};

TEST(FrameRing, a_frame_of_two_parts_is_read_as_one) {
  Ring ring;
  EXPECT_EQ(ring.reader.read(), "");
  ASSERT_EQ(ring.writer.write("head", "body"), Written::Yes);
  ASSERT_EQ(ring.writer.write("x"), Written::Yes);
  EXPECT_EQ(ring.reader.read(), "headbody");
  EXPECT_EQ(ring.reader.read(), "x");
  EXPECT_EQ(ring.reader.read(), "");
  EXPECT_EQ(ring.reader.fault(), RingFault::None);
}

TEST(FrameRing, has_the_bytes_of_the_reference) {
  // docs/reference/gateway-memory.md, "A record": the second frame begins at position 16.
  Ring ring;
  ASSERT_EQ(ring.writer.write("abcde"), Written::Yes);
  ASSERT_EQ(ring.writer.write("f"), Written::Yes);
  EXPECT_EQ(ring.memory.word(0), 0x0000'0000'0000'0005U);
  EXPECT_EQ(ring.memory.word(8) & 0xFF'FFFF'FFFF, 0x65'6463'6261U);
  EXPECT_EQ(ring.memory.word(16), 0x0000'0010'0000'0001U);
  EXPECT_EQ(ring.memory.word(32), 0U);
}

TEST(FrameRing, takes_frames_up_to_its_limit_and_no_longer) {
  for (const std::size_t size : {std::size_t{1}, kFrameMax - 1, kFrameMax}) {
    Ring ring;
    ASSERT_EQ(ring.writer.write(frame_of(size, 'a')), Written::Yes) << size;
    EXPECT_EQ(ring.reader.read(), frame_of(size, 'a'));
  }
  Ring ring;
  EXPECT_EQ(ring.writer.write(frame_of(kFrameMax + 1, 'a')), Written::TooLong);
  EXPECT_EQ(ring.writer.write(""), Written::TooLong);
  EXPECT_EQ(ring.reader.read(), "");
}

TEST(FrameRing, an_empty_ring_takes_the_longest_frame_at_each_position) {
  for (std::size_t before = 1; before <= kBytes; before += 8) {
    Ring ring;
    for (std::size_t written = 0; written < before; written += 16) {
      ASSERT_EQ(ring.writer.write("12345678"), Written::Yes);
      ASSERT_EQ(ring.reader.read(), "12345678");
    }
    ASSERT_EQ(ring.reader.read(), "");  // releases
    ASSERT_EQ(ring.writer.write(frame_of(kFrameMax, 'z')), Written::Yes) << before;
    ASSERT_EQ(ring.reader.read(), frame_of(kFrameMax, 'z'));
  }
}

TEST(FrameRing, a_full_ring_refuses_and_takes_again_what_was_read) {
  Ring ring;
  std::size_t written = 0;
  while (ring.writer.write(frame_of(100, static_cast<char>('a' + written % 26))) == Written::Yes)
    ++written;
  // 112 bytes a record, and eight for the word after the last one.
  EXPECT_EQ(written, (kBytes - 8) / 112);
  EXPECT_EQ(ring.writer.write("x"), Written::Yes);  // a smaller one still fits
  for (std::size_t i = 0; i < written; ++i) {
    ASSERT_EQ(ring.reader.read(), frame_of(100, static_cast<char>('a' + i % 26)));
  }
  EXPECT_EQ(ring.reader.read(), "x");
  EXPECT_EQ(ring.reader.read(), "");
  EXPECT_EQ(ring.writer.write(frame_of(100, '!')), Written::Yes);
  EXPECT_EQ(ring.reader.read(), frame_of(100, '!'));
}

TEST(FrameRing, positions_pass_four_gigabytes) {
  // The mark of a record is the lower half of its position.
  constexpr std::uint64_t kLargeBytes = 1U << 26U;
  RingMemory memory{kLargeBytes};
  FrameWriter writer{memory.place()};
  FrameReader reader{memory.place()};
  const std::string frame(frame_bytes_possible(kLargeBytes), 'g');
  for (std::uint64_t bytes = 0; bytes <= 5ULL << 30U; bytes += frame.size()) {
    ASSERT_EQ(writer.write(frame), Written::Yes);
    ASSERT_EQ(reader.read().size(), frame.size());
    ASSERT_EQ(reader.read(), "");
  }
}

TEST(FrameRing, a_frame_that_is_not_finished_is_not_seen) {
  // A process that is killed has written a part of the frame, and not the word before it.
  Ring ring;
  ASSERT_EQ(ring.writer.write("whole"), Written::Yes);
  ring.memory.word(24) = 0x4141'4141'4141'4141;  // of the frame after it
  EXPECT_EQ(ring.reader.read(), "whole");
  EXPECT_EQ(ring.reader.read(), "");
  EXPECT_EQ(ring.reader.fault(), RingFault::None);
}

TEST(FrameRing, a_word_of_another_position_is_a_torn_record) {
  for (const std::uint64_t mark : {8U, 16U, 0xFFFF'FFF8U}) {
    Ring ring;
    ring.memory.word(0) = mark << 32U | 5U;
    EXPECT_EQ(ring.reader.read(), "");
    EXPECT_EQ(ring.reader.fault(), RingFault::Mark);
  }
}

TEST(FrameRing, an_impossible_size_is_a_fault) {
  const auto fault_of = [](std::uint32_t size, std::uint64_t position) {
    Ring ring;
    for (std::uint64_t at = 0; at < position; at += 16) {
      EXPECT_EQ(ring.writer.write("12345678"), Written::Yes);
      EXPECT_EQ(ring.reader.read(), "12345678");
    }
    ring.memory.word(position) = position << 32U | size;
    const bool is_empty = ring.reader.read().empty();
    EXPECT_EQ(is_empty, ring.reader.fault() != RingFault::None);
    return ring.reader.fault();
  };
  EXPECT_EQ(fault_of(kFrameMax, 16), RingFault::None);
  EXPECT_EQ(fault_of(kFrameMax + 1, 16), RingFault::Size);
  EXPECT_EQ(fault_of(0, 16), RingFault::Size);
  EXPECT_EQ(fault_of(0xFFFF'FFFE, 16), RingFault::Size);
  EXPECT_EQ(fault_of(0x8000'0000, 16), RingFault::Size);
  // At the end of the ring.
  EXPECT_EQ(fault_of(24, kBytes - 32), RingFault::None);
  EXPECT_EQ(fault_of(25, kBytes - 32), RingFault::Size);
}

TEST(FrameRing, a_jump_that_leads_nowhere_is_a_fault) {
  Ring ring;
  ring.memory.word(0) = kJumpToStart;
  EXPECT_EQ(ring.reader.read(), "");
  EXPECT_EQ(ring.reader.fault(), RingFault::Jump);

  Ring twice;
  ASSERT_EQ(twice.writer.write("12345678"), Written::Yes);
  ASSERT_EQ(twice.reader.read(), "12345678");
  twice.memory.word(16) = 16ULL << 32U | kJumpToStart;
  twice.memory.word(0) = kBytes << 32U | kJumpToStart;
  EXPECT_EQ(twice.reader.read(), "");
  EXPECT_EQ(twice.reader.fault(), RingFault::Size);  // a jump is no size of a record

  Ring torn;
  ASSERT_EQ(torn.writer.write("12345678"), Written::Yes);
  ASSERT_EQ(torn.reader.read(), "12345678");
  torn.memory.word(16) = 24ULL << 32U | kJumpToStart;
  EXPECT_EQ(torn.reader.read(), "");
  EXPECT_EQ(torn.reader.fault(), RingFault::Mark);
}

TEST(FrameRing, an_impossible_read_position_is_a_fault_of_the_writer) {
  for (const std::uint64_t head :
       {std::uint64_t{8192}, std::uint64_t{1} << 63U, ~std::uint64_t{0}}) {
    Ring ring;
    while (ring.writer.write(frame_of(100, 'a')) == Written::Yes) {
    }
    ring.memory.words().head = head;
    EXPECT_EQ(ring.writer.write(frame_of(100, 'a')), Written::Fault) << head;
  }
  // One that goes back.
  Ring ring;
  while (ring.writer.write(frame_of(100, 'a')) == Written::Yes) {
  }
  ring.memory.words().head = 1120;
  ASSERT_EQ(ring.writer.write(frame_of(100, 'a')), Written::Yes);
  while (ring.writer.write(frame_of(100, 'a')) == Written::Yes) {
  }
  ring.memory.words().head = 1008;
  EXPECT_EQ(ring.writer.write(frame_of(100, 'a')), Written::Fault);
}

TEST(FrameRing, a_consumer_that_sleeps_is_woken_once) {
  Ring ring;
  EXPECT_EQ(ring.writer.take_sleeper(), Sleeps::No);
  ASSERT_TRUE(ring.reader.begin_sleep(Sleeps::Futex));
  ASSERT_EQ(ring.writer.write("a"), Written::Yes);
  EXPECT_EQ(ring.writer.take_sleeper(), Sleeps::Futex);
  ASSERT_EQ(ring.writer.write("b"), Written::Yes);
  EXPECT_EQ(ring.writer.take_sleeper(), Sleeps::No);
  // It does not sleep while there is a frame.
  EXPECT_FALSE(ring.reader.begin_sleep(Sleeps::Socket));
  EXPECT_EQ(ring.writer.take_sleeper(), Sleeps::No);
  EXPECT_EQ(ring.reader.read(), "a");
  EXPECT_FALSE(ring.reader.begin_sleep(Sleeps::Socket));
  EXPECT_EQ(ring.reader.read(), "b");
  EXPECT_TRUE(ring.reader.begin_sleep(Sleeps::Socket));
  EXPECT_EQ(ring.writer.take_sleeper(), Sleeps::Socket);
}

}  // namespace
}  // namespace nexusfix::gateway
