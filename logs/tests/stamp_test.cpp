#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "logs/source/log_time.hpp"
#include "support/fix_text.hpp"

namespace nexusfix::logs {
namespace {

using testing::fix;

// Forms of engines and of the loggers that they write to. A message near 10:30 UTC follows.
struct LoggerStamp {
  const char* writer;
  const char* prefix;
  int nanos = 123'000'000;
};
const LoggerStamp kLoggerStamps[] = {
    LoggerStamp{"NexusFIX", "20240115-10:30:00.123000000 IN : "},
    {"QuickFIX", "20240115-10:30:00.123 : "},
    {"QuickFIX, screen", "<20240115-10:30:00, FIX.4.4:T->V, incoming> (", 0},
    {"FIX TZTimestamp", "20240115-12:30:00.123+02 : "},
    {"Go", "2024/01/15 10:30:00.123000 [FIX.4.4:T->V] "},
    {"Go, Time.String", "2024-01-15 12:30:00.123 +0200 CEST m=+0.01 "},
    {"Fix8", "2024-01-15 10:30:00.123000000 A [0001] received "},
    {"log4j, default", "2024-01-15 10:30:00,123 [main] INFO  q.Session - "},
    {"log4j, ABSOLUTE", "10:30:00,123 INFO  "},
    {"log4j, DATE", "15 Jan 2024 10:30:00,123 INFO "},
    {"log4j, ISO8601_BASIC", "20240115T103000,123 INFO "},
    {"log4j, COMPACT", "20240115103000123 INFO "},
    {"log4j, UNIX_MILLIS", "1705314600123 INFO "},
    {"log4j, z", "2024-01-15 11:30:00,123 CET INFO "},
    {"logback, default", "10:30:00.123 [main] DEBUG q.Session -- "},
    {"logback, Z", "2024-01-15 05:30:00.123 -0500 [main] "},
    {"logback, offset", "2024-01-15T16:00:00.123+05:30 "},
    {"java.util.logging", "Jan 15, 2024 10:30:00 AM q.Session log INFO: ", 0},
    {"Tomcat", "15-Jan-2024 10:30:00.123 INFO [main] "},
    {"Java, Date", "Mon Jan 15 11:30:00 CET 2024 ", 0},
    {"Java, ZonedDateTime", "2024-01-15T11:30:00.123+01:00[Europe/Berlin] "},
    {"spdlog", "[2024-01-15 10:30:00.123] [info] "},
    {"glog", "I0115 10:30:00.123000 12345 session.cc:12] "},
    {"glog, with year", "I20240115 10:30:00.123000 12345 session.cc:12] "},
    {"Boost.Log", "[2024-Jan-15 10:30:00.123000] <info> "},
    {"Python logging", "2024-01-15 10:30:00,123 - fix - INFO - "},
    {"loguru", "2024-01-15 10:30:00.123 | INFO | "},
    {"zap", "{\"level\":\"info\",\"ts\":1705314600.123,\"msg\":\""},
    {"pino", "{\"level\":30,\"time\":1705314600123,\"msg\":\""},
    {".NET", "2024-01-15 12:30:00.1230000 +02:00 [INF] "},
    {".NET, US", "1/15/2024 10:30:00 AM: ", 0},
    {"US", "01/15/2024 10:30:00.123 "},
    {"US, evening before in New York", "01/15/2024 05:30:00.123 AM EST "},
    {"US, two digits", "01/15/24 10:30:00.123 "},
    {"British", "15/01/2024 10:30:00.123 "},
    {"German", "15.01.2024 10:30:00,123 "},
    {"clock first", "10:30:00.123 15/01/2024 "},
    {"minutes only", "2024-01-15 10:30 ", 0},
    {"ctime", "Mon Jan 15 10:30:00 2024 ", 0},
    {"RFC 2822", "Mon, 15 Jan 2024 12:30:00 +0200 ", 0},
    {"HTTP", "Mon, 15 Jan 2024 10:30:00 GMT ", 0},
    {"Apache", "10.0.0.1 - - [15/Jan/2024:12:30:00 +0200] \"", 0},
    {"syslog, RFC 3164", "<13>Jan 15 10:30:00 host fix[12]: ", 0},
    {"syslog, RFC 5424", "<13>1 2024-01-15T10:30:00.123Z host fix 12 - - "},
    {"journald, short", "Jan 15 10:30:00 host fix[12]: ", 0},
    {"journald, short-precise", "Jan 15 10:30:00.123000 host fix[12]: "},
    {"journald, short-iso", "2024-01-15T12:30:00+0200 host fix[12]: ", 0},
    {"journald, short-full", "Mon 2024-01-15 11:30:00 CET host fix[12]: ", 0},
    {"journald, short-unix", "1705314600.123000 host fix[12]: "},
    {"journald, JSON", "{\"__REALTIME_TIMESTAMP\":\"1705314600123000\",\"MESSAGE\":\""},
    {"Kubernetes", "2024-01-15T10:30:00.123000000Z stdout F "},
    {"PostgreSQL", "2024-01-15 12:30:00.123+02 [8] LOG: "},
    {"nanoseconds", "1705314600123000000 "},
    {"UTC+2", "2024-01-15 12:30:00.123 UTC+2 "},
    {"both", "Jan 15 10:30:07 host fix: 2024-01-15 10:30:00.123 "}};

TEST(LogStamp, reads_the_stamps_of_loggers) {
  const WallTime second{std::chrono::seconds{1'705'314'600}};
  const std::string bytes = fix("FIX.4.4", "35=0|52=20240115-10:29:59|");
  for (const LoggerStamp& one : kLoggerStamps) {
    EXPECT_EQ(time_of_message({.bytes = bytes, .prefix = one.prefix}),
              second + std::chrono::nanoseconds{one.nanos})
        << one.writer << ": " << one.prefix;
  }
}

// The SendingTime decides what a stamp leaves open.
TEST(LogStamp, takes_the_meaning_that_is_nearest_to_the_sending_time) {
  struct Case {
    const char* prefix;
    const char* sending_time;
    const char* expected;
  };
  for (const Case& one : {Case{"05/06/2024 10:30:00 ", "20240605-10:30:00", "20240605-10:30:00"},
                          {"05/06/2024 10:30:00 ", "20240506-10:30:00", "20240506-10:30:00"},
                          {"23:59:59.9 ", "20240115-00:00:00", "20240114-23:59:59.900"},
                          {"00:00:00.1 ", "20240114-23:59:59", "20240115-00:00:00.100"},
                          {"Dec 31 23:59:59 ", "20240101-00:00:00", "20231231-23:59:59"},
                          {"Feb 29 10:30:00 ", "20240301-00:00:00", "20240229-10:30:00"},
                          // No time: an order's number.
                          {"1605314600123 ", "20240115-10:30:00", "20240115-10:30:00"},
                          {"order 1705314600 ", "20250115-10:30:00", "20250115-10:30:00"}}) {
    const std::string bytes = fix("FIX.4.4", "35=0|52=" + std::string{one.sending_time} + "|");
    EXPECT_EQ(time_of_message({.bytes = bytes, .prefix = one.prefix}), time_in(one.expected))
        << one.prefix;
  }
  EXPECT_FALSE(time_in("05/06/2024 10:30:00").has_value());
  EXPECT_TRUE(time_in("25/06/2024 10:30:00").has_value());
}

TEST(LogStamp, reads_the_form_that_the_user_gives) {
  struct Case {
    const char* format;
    const char* prefix;
  };
  const std::string bytes = fix("FIX.4.4", "35=0|52=20240115-10:30:00|");
  for (const Case& one : {Case{"%d-%m-%Y %H.%M.%S,%f", "x [15-01-2024 10.30.00,500] "},
                          {"%H|%M|%S.%f", "10|30|00.5|"},
                          {"%b %e %I:%M:%S.%f %p %Z", "Jan 15 5:30:00.5 AM EST "},
                          {"%Y%m%d%H%M%S%f %z", "2024011512300050 +0200 "},
                          {"t=%s", "t=1705314600500 "}}) {
    ASSERT_TRUE(check_time_format(one.format)) << one.format;
    LogTimes times{{.format = one.format}};
    EXPECT_EQ(time_of_message({.bytes = bytes, .prefix = one.prefix, .times = &times}),
              time_in("20240115-10:30:00.5"))
        << one.format;
  }
  for (const char* const format : {"", "%Y", "%H:%M %q", "%H%", "%I:%M", "%H:%M %d"}) {
    EXPECT_FALSE(check_time_format(format)) << format;
  }
}

TEST(LogStamp, reads_zones) {
  using std::chrono::minutes;
  for (const auto& [text, offset] : {std::pair{"Z", minutes{0}},
                                     {"+02:00", minutes{120}},
                                     {"-0530", minutes{-330}},
                                     {"+02", minutes{120}},
                                     {"CET", minutes{60}},
                                     {"EDT", minutes{-240}},
                                     {"UTC+1", minutes{60}},
                                     {"GMT-05:00", minutes{-300}}}) {
    EXPECT_EQ(read_zone(text), offset) << text;
  }
  for (const char* const text : {"", " CET", "+2", "+02:01", "+15:00", "CETX", "IN", "+02:00x"}) {
    EXPECT_FALSE(read_zone(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace nexusfix::logs
