// The frames of a stream do not depend on where its reads split it.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <nexusfix/wire/frame.hpp>

#include "random/property/wire/frame_reference.hpp"
#include "random/property/wire/wire_generate.hpp"

namespace nexusfix::wire {
namespace {

using test::Generator;

struct Framed {
  std::vector<std::string> frames;
  std::vector<GarbledReason> garbled;
  std::string rest;
  std::size_t garbled_bytes = 0;
  friend bool operator==(const Framed&, const Framed&) = default;
};

Framed in_one_piece(const std::string& stream, FrameLimits limits) {
  Framer framer{stream, limits};
  Framed result;
  while (const auto frame = framer.next()) result.frames.emplace_back(*frame);
  result.rest = framer.rest();
  result.garbled_bytes = framer.garbled_bytes();
  std::string_view rest = stream;
  while (!rest.empty()) {
    const FrameResult next = next_frame(rest, limits);
    if (next.status == FrameResult::Status::NeedMore) break;
    if (next.status == FrameResult::Status::Garbled) result.garbled.push_back(next.reason);
    rest.remove_prefix(next.size);
  }
  EXPECT_EQ(rest, result.rest);
  return result;
}

Framed by_the_rule(const std::string& stream, FrameLimits limits) {
  Framed result;
  std::string_view rest = stream;
  while (!rest.empty()) {
    const FrameResult next = test::ReferenceFramer{rest, limits.message_bytes_max}.next();
    if (next.status == FrameResult::Status::NeedMore) break;
    if (next.status == FrameResult::Status::Garbled) {
      result.garbled.push_back(next.reason);
      result.garbled_bytes += next.size;
    } else {
      result.frames.emplace_back(rest.substr(0, next.size));
    }
    rest.remove_prefix(next.size);
  }
  result.rest = rest;
  return result;
}

// Overwrites bytes that must not be examined again, so that a second look finds wrong ones.
void blank(std::string& looked_at, FrameLimits limits, Generator& generator) {
  const char blank =
      "\x01"
      "8=0x"[generator.below(5)];
  for (std::size_t at = 0; at < looked_at.size(); ++at) {
    // Except the end of the longest message, where the hunt continues if it has none.
    const bool is_kept = at < limits.message_bytes_max && at + 4 >= limits.message_bytes_max;
    if (!is_kept) looked_at[at] = blank;
  }
}

// Like a connection: keeps incomplete bytes and calls the scanner only when enough have arrived.
// Replaces the bytes that the scanner has examined by blanks.
Framed in_pieces(const std::string& stream, FrameLimits limits, std::uint64_t piece_bytes_max,
                 Generator& generator) {
  Framed result;
  std::string buffer;
  std::string blanked;
  FrameScanner scanner{limits};
  std::size_t needed = 0;
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t size = 1 + generator.below(piece_bytes_max);
    buffer += stream.substr(at, size);
    blanked += stream.substr(at, size);
    at += size;
    while (!buffer.empty() && buffer.size() >= needed) {
      const FrameResult next = scanner.next(blanked);
      if (next.status == FrameResult::Status::NeedMore) {
        EXPECT_GT(next.size, buffer.size());
        needed = next.size;
        blank(blanked, limits, generator);
        break;
      }
      EXPECT_GT(next.size, 0U);
      EXPECT_LE(next.size, buffer.size());
      if (next.status == FrameResult::Status::Complete) {
        result.frames.push_back(buffer.substr(0, next.size));
      } else {
        result.garbled_bytes += next.size;
      }
      if (next.status == FrameResult::Status::Garbled) result.garbled.push_back(next.reason);
      buffer.erase(0, next.size);
      blanked.erase(0, next.size);
      needed = 0;
    }
  }
  result.rest = buffer;
  return result;
}

// Parts of the texts that the scanner searches for, and similar texts.
std::string garbage(Generator& generator) {
  constexpr std::string_view kParts[] = {
      "8",
      "=",
      "\x01",
      "8=",
      "8=F",
      "8=FI",
      "8=FIX",
      "8=FIX.4.4\x01",
      "9=5\x01",
      "10=",
      "\x01"
      "10=",
      "35=",
      "9=18=",
      "\x01"
      "1",
      "xyz",
      "35=0\x01",
      "9=0\x01"
      "35=",
  };
  std::string garbage;
  for (std::uint64_t parts = generator.below(60); parts > 0; --parts) {
    garbage += kParts[generator.below(std::size(kParts))];
  }
  return garbage;
}

std::string random_stream(Generator& generator) {
  std::string stream;
  for (std::uint64_t messages = 1 + generator.below(6); messages > 0; --messages) {
    std::string frame = Generator::framed(generator.body());
    if (generator.below(4) == 0) frame.replace(2, 7, "FIXT.1.1");
    if (generator.below(2) == 0) generator.damage(frame);
    stream += frame;
    if (generator.below(4) == 0) stream += garbage(generator);
  }
  return stream;
}

TEST(StreamProperty, frames_follow_the_rule) {
  for (std::uint64_t seed = 0; seed < 40'000; ++seed) {
    Generator generator{seed};
    const std::string stream = random_stream(generator);
    const FrameLimits limits{.message_bytes_max = generator.below(3) == 0 ? 300U : 100'000U};
    ASSERT_EQ(in_one_piece(stream, limits), by_the_rule(stream, limits))
        << "seed " << seed << ": " << test::with_pipes(stream);
  }
}

// For nearly ordinary messages, the fast path must agree with the rule.
TEST(StreamProperty, frames_follow_the_rule_after_a_change_of_any_byte) {
  constexpr std::string_view kBytes = "\x01=8/09:5X\xb0";
  const std::string next = test::message_of("35=0|34=2|49=TW|");
  for (const char* version : {"FIX.4.4", "FIXT.1.1"}) {
    for (const std::size_t text : {0U, 5U, 100U, 1'000U, 10'000U}) {
      const std::string good =
          test::message_of("35=B|34=2|58=" + std::string(text, 'x') + "|", version);
      std::string stream = good + next;
      for (std::size_t at = 0; at < good.size();
           at = at == 40 ? std::max(at + 1, good.size() - 12) : at + 1) {
        for (const char byte : kBytes) {
          stream[at] = byte;
          ASSERT_EQ(in_one_piece(stream, {}), by_the_rule(stream, {}))
              << at << ' ' << test::with_pipes(stream);
        }
        stream[at] = good[at];
      }
    }
  }
}

TEST(StreamProperty, any_split_gives_the_same_frames) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Generator generator{seed};
    const std::string stream = random_stream(generator);
    const FrameLimits limits{.message_bytes_max = generator.below(3) == 0 ? 300U : 100'000U};
    const std::uint64_t piece_bytes_max = 1 + generator.below(200);
    ASSERT_EQ(in_pieces(stream, limits, piece_bytes_max, generator), in_one_piece(stream, limits))
        << "seed " << seed << ": " << test::with_pipes(stream);
  }
}

TEST(StreamProperty, valid_messages_around_a_damaged_one_survive_except_one_that_it_includes) {
  const std::string good = test::message_of("35=0|34=1|49=A|52=20240115-10:30:00|56=B|");
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Generator generator{seed};
    std::string bad = test::message_of("35=D|34=2|49=A|52=20240115-10:30:00|56=B|11=X|55=Y|");
    generator.damage(bad);
    std::string stream = good + bad;
    for (int i = 0; i < 40; ++i) stream += good;
    const Framed framed = in_one_piece(stream, {.message_bytes_max = 400});
    ASSERT_FALSE(framed.frames.empty()) << "seed " << seed;
    ASSERT_EQ(framed.frames.front(), good) << "seed " << seed;
    ASSERT_EQ(framed.frames.back(), good) << "seed " << seed;
    ASSERT_TRUE(framed.rest.empty()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace nexusfix::wire
