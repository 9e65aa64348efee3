#include "observe/message_line.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <string>

#include "support/fix_text.hpp"

namespace nexusfix::observe {
namespace {

using testing::fix;

constexpr WallTime kMorning{std::chrono::nanoseconds{1'705'314'600'123'456'789}};

std::string file_line(const MessageToLog& message, unsigned digits = 9) {
  MessageLine line{Masking{{}}};
  std::string text;
  line.take(message);
  line.append_to_file(text, &digits);
  return text;
}
std::string screen_line(const MessageToLog& message) {
  MessageLine line{Masking{{}}};
  std::string text;
  line.take(message);
  line.append_to_screen(text, "FIX.4.4:V->T", 3);
  return text;
}

TEST(MessageLine, has_time_direction_and_the_raw_bytes) {
  const std::string order = fix("FIX.4.4", "35=D|58=\xC3\xA9\xFF\\|");
  EXPECT_EQ(file_line({.time = kMorning, .direction = Direction::In, .bytes = order}),
            "20240115-10:30:00.123456789 IN : " + order + "\n");
  EXPECT_EQ(file_line({.time = kMorning, .direction = Direction::Out, .bytes = order}, 3),
            "20240115-10:30:00.123 OUT : " + order + "\n");
}

TEST(MessageLine, a_line_feed_in_a_message_cannot_forge_a_line) {
  const std::string line = file_line(
      {.time = kMorning, .bytes = fix("FIX.4.4", "35=B|58=a\n20240115-10:30:01 OUT : 8=F\\n|")});
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  EXPECT_NE(line.find(" IN ESCAPED : 8=FIX.4.4\x01"), std::string::npos);
  EXPECT_NE(line.find("58=a\\x0A20240115-10:30:01 OUT : 8=F\\\\n\x01"), std::string::npos);
}

TEST(MessageLine, control_bytes_of_a_terminal_are_escaped_and_other_bytes_are_not) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text{static_cast<char>(byte)};
    const std::string line = file_line({.time = kMorning, .bytes = "8=FIX.4.4\x01" + text});
    const bool is_control = (byte < 32 && byte != 1) || byte == 127;
    EXPECT_EQ(line.find("ESCAPED") != std::string::npos, is_control) << byte;
    EXPECT_EQ(line.find(text, line.find(" : ")) < line.size() - 1, !is_control) << byte;
  }
}

TEST(MessageLine, the_screen_shows_bars_and_no_control_bytes) {
  EXPECT_EQ(screen_line({.time = kMorning,
                         .direction = Direction::Out,
                         .bytes = "8=FIX.4.4\x01"
                                  "58=\x1B[2J\xFF\x01"}),
            "20240115-10:30:00.123 OUT FIX.4.4:V->T 8=FIX.4.4|58=\\x1B[2J\\xFF|\n");
}

TEST(MessageLine, truncated_bytes_are_reported) {
  EXPECT_EQ(file_line({.time = kMorning, .is_garbled = true, .bytes = "8=FIX", .cut_bytes = 7}),
            "20240115-10:30:00.123456789 IN GARBLED : 8=FIX ... [cut: 7 more bytes]\n");
}

TEST(MessageLine, heartbeats_are_recognized_by_their_third_field) {
  EXPECT_TRUE(is_heartbeat(fix("FIX.4.4", "35=0|")));
  EXPECT_FALSE(is_heartbeat(fix("FIX.4.4", "35=D|58=35=0|")));
  EXPECT_FALSE(is_heartbeat(fix("FIX.4.4", "35=00|")));
  EXPECT_FALSE(is_heartbeat("35=0\x01"));
  EXPECT_FALSE(is_heartbeat(""));
}

}  // namespace
}  // namespace nexusfix::observe
