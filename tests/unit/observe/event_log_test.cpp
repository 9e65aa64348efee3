#include <chrono>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/observe/logs.hpp>

#include "observe/api/logs.hpp"

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
  const std::string line = format_event({at(kMorning), EventId::LoggedOn, kSession, text});
  const std::string before = "20240115-10:30:00.123 INFO NXF-1001 FIX.4.4:VENUE->TRADER ";
  EXPECT_THAT(line, StartsWith(before));
  return line.substr(before.size());
}

TEST(EventLog, a_line_is_time_severity_session_and_text) {
  EXPECT_EQ(format_event({at(kMorning), EventId::LogonTimedOut, kSession, "no Logon"}),
            "20240115-10:30:00.123 WARN NXF-4002 FIX.4.4:VENUE->TRADER no Logon");
  EXPECT_EQ(format_event({at(kMorning), EventId::StoreFull, {}, "disk full"}),
            "20240115-10:30:00.123 ERROR NXF-5012 engine disk full");
}

TEST(EventLog, a_line_of_json_has_the_same_parts) {
  EXPECT_EQ(format_event_as_json({at(kMorning), EventId::LogonTimedOut, kSession, "no Logon"}),
            R"({"time":"2024-01-15T10:30:00.123Z","id":"NXF-4002","severity":"WARN",)"
            R"("category":"logon","session":"FIX.4.4:VENUE->TRADER","text":"no Logon"})");
  EXPECT_THAT(format_event_as_json({at(kMorning), EventId::StoreFull, {}, "disk full"}, 9),
              StartsWith(R"({"time":"2024-01-15T10:30:00.123000000Z","id":"NXF-5012",)"
                         R"("severity":"ERROR","category":"store","session":"","text":)"));
}

TEST(EventLog, bytes_of_a_counterparty_cannot_end_a_json_text) {
  const auto text_in_json = [](std::string_view text) {
    const std::string line = format_event_as_json({at(kMorning), EventId::LoggedOn, {}, text});
    return line.substr(line.find("\"text\":") + 7);
  };
  EXPECT_EQ(text_in_json("a\"}\n{\\"), R"("a\"}\u000a{\\"})");
  EXPECT_EQ(text_in_json("35=A\x01\x1B[2J\x7F"), R"("35=A\u0001\u001b[2J\u007f"})");
  EXPECT_EQ(text_in_json("\xC3\xA9\x80\xFF"), "\"\xC3\xA9\\\\x80\\\\xff\"}");
}

TEST(EventLog, a_text_in_json_is_truncated_between_characters_and_says_so) {
  const std::string line = format_event_as_json({at(kMorning), EventId::LoggedOn, {}, "x" + [] {
                                                   std::string text;
                                                   for (int i = 0; i < 2'000; ++i)
                                                     text += "\xC3\xA9";
                                                   return text;
                                                 }()});
  EXPECT_THAT(line, EndsWith("\xC3\xA9 ... [cut: 2002 more bytes]\"}"));
  EXPECT_EQ(line.find("\\\\x"), std::string::npos);
}

TEST(EventLog, times_are_utc_in_milliseconds) {
  const auto time = [](WallTime wall) {
    return format_event({wall, EventId::LoggedOn, kSession, ""}).substr(0, 21);
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
  EXPECT_EQ(format_event({at(kMorning), EventId::LoggedOn, "A\nB", "x"}),
            "20240115-10:30:00.123 INFO NXF-1001 A\\x0AB x");
}

TEST(EventLog, a_line_is_truncated_after_2000_bytes_and_says_so) {
  const std::size_t room =
      2'000 - std::string{"20240115-10:30:00.123 INFO NXF-1001  "}.size() - kSession.size();
  EXPECT_EQ(text_of(std::string(room, 'x')), std::string(room, 'x'));
  EXPECT_EQ(text_of(std::string(room + 1, 'x')),
            std::string(room, 'x') + " ... [cut: 1 more bytes]");
  EXPECT_THAT(text_of(std::string(1U << 20U, 'x')), EndsWith("more bytes]"));
}

TEST(EventLog, an_escape_is_never_split) {
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
      format_event({at(kMorning), EventId::LoggedOn, std::string(5'000, '\n'), "what happened"});
  EXPECT_THAT(line, EndsWith("\\x0A... what happened"));
}

TEST(EventLog, the_stream_has_each_line_at_once) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* stream = ::open_memstream(&text, &size);
  ASSERT_NE(stream, nullptr);
  StreamEventLog log{stream};
  log.write({at(kMorning), EventId::LoggedOn, kSession, "one"});
  EXPECT_EQ((std::string{text, size}),
            "20240115-10:30:00.123 INFO NXF-1001 FIX.4.4:VENUE->TRADER one\n");
  log.write({at(kMorning), EventId::LoggedOn, kSession, "two"});
  EXPECT_THAT((std::string{text, size}), EndsWith("one\n20240115-10:30:00.123 INFO NXF-1001 "
                                                  "FIX.4.4:VENUE->TRADER two\n"));
  std::fclose(stream);
  std::free(text);
}

TEST(EventLog, the_null_log_accepts_events) {
  NullEventLog log;
  log.write({at(kMorning), EventId::StoreFull, kSession, "not written"});
}

}  // namespace
}  // namespace nexusfix::observe
