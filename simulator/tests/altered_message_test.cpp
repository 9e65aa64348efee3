#include "simulator/altered_message.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>

#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/parser.hpp>

#include "simulator/check/wire_message.hpp"
#include "support/fix_text.hpp"

namespace nexusfix::simulator {
namespace {

std::string fix(const std::string& body) { return nexusfix::testing::fix("FIX.4.4", body); }

std::string order(int number) {
  return fix("35=D|49=A|56=B|34=" + std::to_string(number) + "|52=20240115-10:30:00.000|11=ID" +
             std::to_string(number) + "|38=100|");
}

// The messages with a number that a reader finds.
std::set<std::string> readable(const std::string& stream) {
  std::set<std::string> found;
  wire::Framer framer{stream};
  wire::Parser parser;
  while (const auto frame = framer.next()) {
    const auto message = parser.parse(*frame);
    if (message && message->has(34)) found.emplace(*frame);
  }
  return found;
}

TEST(AlteredMessage, no_reader_takes_it_for_a_message_and_most_later_messages_are_read) {
  SeededRandom random{11};
  int read = 0;
  constexpr int kRuns = 20'000;
  for (int i = 0; i < kRuns; ++i) {
    std::string bytes = order(10'000 + i);
    const std::string before = bytes;
    const std::size_t size = bytes.size();
    const std::string next = order(10'001 + i);
    bytes += next;
    const std::string sent = bytes;
    ASSERT_TRUE(alter_message(bytes, random));
    ASSERT_NE(bytes, sent);
    EXPECT_EQ(bytes.substr(size), next);
    EXPECT_FALSE(read_wire_message(std::string_view{bytes}.substr(0, size))) << bytes;
    const std::set<std::string> messages = readable(bytes);
    for (const std::string& message : messages) ASSERT_EQ(message, next) << bytes;
    read += messages.empty() ? 0 : 1;
  }
  EXPECT_GT(read, kRuns / 10 * 9);
}

TEST(AlteredMessage, the_first_whole_message_is_altered_even_after_a_part_of_another) {
  SeededRandom random{12};
  const std::string part = order(1).substr(5);
  const std::string rest = order(3);
  std::string bytes = part + order(2) + rest;
  ASSERT_TRUE(alter_message(bytes, random));
  EXPECT_TRUE(bytes.starts_with(part));
  EXPECT_TRUE(bytes.ends_with(rest));
  EXPECT_EQ(bytes.find(order(2)), std::string::npos);
}

TEST(AlteredMessage, bytes_without_a_whole_message_are_unchanged) {
  SeededRandom random{13};
  const std::string whole = order(1);
  for (std::string bytes : {std::string{}, whole.substr(3), whole.substr(0, whole.size() - 1)}) {
    const std::string before = bytes;
    EXPECT_FALSE(alter_message(bytes, random));
    EXPECT_EQ(bytes, before);
  }
}

}  // namespace
}  // namespace nexusfix::simulator
