#include <chrono>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/observe/event_log.hpp>

namespace nexusfix::observe {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

WallTime at(std::int64_t milliseconds) { return WallTime{std::chrono::milliseconds{milliseconds}}; }

// 2024-01-15 10:30:00.123
constexpr std::int64_t kMorning = 1'705'314'600'123;
constexpr std::string_view kSession = "FIX.4.4:VENUE->TRADER";

std::string text_of(std::string_view text) {
  const std::string line = format_event({at(kMorning), Severity::Info, kSession, text});
  const std::string before = "20240115-10:30:00.123 INFO FIX.4.4:VENUE->TRADER ";
  EXPECT_THAT(line, StartsWith(before));
  return line.substr(before.size());
}

TEST(EventLog, a_line_is_time_severity_session_and_text) {
  EXPECT_EQ(format_event({at(kMorning), Severity::Warning, kSession, "no Logon"}),
            "20240115-10:30:00.123 WARN FIX.4.4:VENUE->TRADER no Logon");
  EXPECT_EQ(format_event({at(kMorning), Severity::Error, {}, "disk full"}),
            "20240115-10:30:00.123 ERROR engine disk full");
}

TEST(EventLog, times_are_utc_and_cut_to_milliseconds) {
  const auto time = [](WallTime wall) {
    return format_event({wall, Severity::Info, kSession, ""}).substr(0, 21);
  };
  EXPECT_EQ(time(at(0)), "19700101-00:00:00.000");
  EXPECT_EQ(time(at(-1)), "19691231-23:59:59.999");
  EXPECT_EQ(time(at(951'868'799'999)), "20000229-23:59:59.999");
  EXPECT_EQ(time(WallTime{std::chrono::nanoseconds{1'999'999}}), "19700101-00:00:00.001");
  EXPECT_EQ(time(WallTime::max()), "22620411-23:47:16.854");
  EXPECT_EQ(time(WallTime::min()), "16770921-00:12:43.145");
}

TEST(EventLog, bytes_of_a_counterparty_cannot_forge_lines_or_move_the_cursor) {
  EXPECT_EQ(text_of("8=FIX.4.4\x01"
                    "35=A\x01"),
            "8=FIX.4.4|35=A|");
  EXPECT_EQ(text_of("a\nb\rc\td"), "a\\x0Ab\\x0Dc\\x09d");
  EXPECT_EQ(text_of(std::string_view{"\0\x1B[2J\x7F", 6}), "\\x00\\x1B[2J\\x7F");
  EXPECT_EQ(text_of("\xC3\xA9\x80\xFF ~"), "\\xC3\\xA9\\x80\\xFF ~");
  EXPECT_EQ(format_event({at(kMorning), Severity::Info, "A\nB", "x"}),
            "20240115-10:30:00.123 INFO A\\x0AB x");
}

TEST(EventLog, a_line_is_cut_after_2000_bytes_and_says_so) {
  const std::size_t room =
      2'000 - std::string{"20240115-10:30:00.123 INFO  "}.size() - kSession.size();
  EXPECT_EQ(text_of(std::string(room, 'x')), std::string(room, 'x'));
  EXPECT_EQ(text_of(std::string(room + 1, 'x')),
            std::string(room, 'x') + " ... [cut: 1 more bytes]");
  EXPECT_THAT(text_of(std::string(1U << 20U, 'x')), EndsWith("more bytes]"));
}

TEST(EventLog, an_escape_is_never_cut_in_two) {
  for (std::size_t length = 1'900; length < 2'000; ++length) {
    const std::string text = text_of(std::string(length, 'x') + "\n\n\n\n");
    const std::size_t end = text.find(" ... [cut");
    const std::string kept = text.substr(0, end);
    const std::size_t escapes =
        kept.find('\\') == std::string::npos ? 0 : (kept.size() - kept.find('\\'));
    EXPECT_EQ(escapes % 4, 0U) << text;
  }
}

TEST(EventLog, a_long_session_name_leaves_room_for_the_text) {
  const std::string line =
      format_event({at(kMorning), Severity::Info, std::string(5'000, '\n'), "what happened"});
  EXPECT_THAT(line, EndsWith("\\x0A... what happened"));
}

TEST(EventLog, the_stream_has_each_line_at_once) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* stream = ::open_memstream(&text, &size);
  ASSERT_NE(stream, nullptr);
  StreamEventLog log{stream};
  log.write({at(kMorning), Severity::Info, kSession, "one"});
  EXPECT_EQ((std::string{text, size}), "20240115-10:30:00.123 INFO FIX.4.4:VENUE->TRADER one\n");
  log.write({at(kMorning), Severity::Info, kSession, "two"});
  EXPECT_THAT((std::string{text, size}), EndsWith("one\n20240115-10:30:00.123 INFO "
                                                  "FIX.4.4:VENUE->TRADER two\n"));
  std::fclose(stream);
  std::free(text);
}

TEST(EventLog, the_null_log_takes_everything) {
  NullEventLog log;
  log.write({at(kMorning), Severity::Error, kSession, "nobody reads this"});
}

}  // namespace
}  // namespace nexusfix::observe
