// However a stream is cut into reads, the same frames come out of it.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <nexusfix/wire/frame.hpp>

#include "property/wire_generate.hpp"

namespace nexusfix::wire {
namespace {

using test::Generator;

struct Framed {
  std::vector<std::string> frames;
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
  return result;
}

// As a session does it: keeps what is not whole, and asks again only when enough has come.
Framed in_pieces(const std::string& stream, FrameLimits limits, std::uint64_t piece_bytes_max,
                 Generator& generator) {
  Framed result;
  std::string buffer;
  std::size_t needed = 0;
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t size = 1 + generator.below(piece_bytes_max);
    buffer += stream.substr(at, size);
    at += size;
    while (!buffer.empty() && buffer.size() >= needed) {
      const FrameResult next = next_frame(buffer, limits);
      if (next.status == FrameStatus::NeedMore) {
        EXPECT_GT(next.size, buffer.size());
        needed = next.size;
        break;
      }
      EXPECT_GT(next.size, 0U);
      EXPECT_LE(next.size, buffer.size());
      if (next.status == FrameStatus::Complete) {
        result.frames.push_back(buffer.substr(0, next.size));
      } else {
        result.garbled_bytes += next.size;
      }
      buffer.erase(0, next.size);
      needed = 0;
    }
  }
  result.rest = buffer;
  return result;
}

std::string random_stream(Generator& generator) {
  std::string stream;
  for (std::uint64_t messages = 1 + generator.below(6); messages > 0; --messages) {
    std::string frame = Generator::framed(generator.body());
    if (generator.below(2) == 0) generator.damage(frame);
    stream += frame;
  }
  return stream;
}

TEST(StreamProperty, any_cut_gives_the_same_frames) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Generator generator{seed};
    const std::string stream = random_stream(generator);
    const FrameLimits limits{.message_bytes_max = generator.below(3) == 0 ? 300U : 100'000U};
    const std::uint64_t piece_bytes_max = 1 + generator.below(200);
    ASSERT_EQ(in_pieces(stream, limits, piece_bytes_max, generator), in_one_piece(stream, limits))
        << "seed " << seed << ": " << test::with_pipes(stream);
  }
}

TEST(StreamProperty, good_messages_around_a_damaged_one_survive_but_for_the_one_it_swallows) {
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
