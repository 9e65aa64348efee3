// Copies of the messages of an event loop for its readers.
#include "observe/api/message_tap.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace nexusfix::observe {
namespace {

TEST(MessageTap, costs_nothing_without_readers_and_forgets_one_that_has_gone) {
  MessageTap tap{nullptr};
  EXPECT_FALSE(tap.is_heard());
  const auto channel = std::make_shared<TapChannel>("");
  tap.add(channel);
  EXPECT_TRUE(tap.is_heard());
  {
    TapReader reader{{channel}};
  }
  tap.write({.time = {}, .session = "S", .bytes = "8=FIX", .kind = {}});
  EXPECT_FALSE(tap.is_heard());
  EXPECT_TRUE(channel->has_ended());
}

TEST(MessageTap, reader_that_never_reads_is_removed) {
  MessageTap tap{nullptr};
  const auto channel = std::make_shared<TapChannel>("");
  TapReader reader{{channel}};
  tap.add(channel);
  const std::string bytes(TapChannel::kRingBytes, 'x');  // never fits
  for (std::uint64_t i = 0; i < TapChannel::kLostInRowMax; ++i) {
    tap.write({.time = {}, .session = "S", .bytes = bytes, .kind = {}});
  }
  EXPECT_FALSE(tap.is_heard());
  EXPECT_TRUE(reader.has_ended());
  EXPECT_EQ(reader.consume_lost(), TapChannel::kLostInRowMax);
}

}  // namespace
}  // namespace nexusfix::observe
