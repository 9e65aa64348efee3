#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <string_view>

#include "settings_fixture.hpp"

namespace nexusfix::config {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SettingsValues, no_interval_at_all_is_answered_with_the_shortest) {
  EXPECT_THAT(errors_of("ReconnectInterval=0"),
              ::testing::ElementsAre(::testing::AllOf(
                  ::testing::HasSubstr("whole number of seconds from 1"),
                  ::testing::EndsWith("ReconnectInterval=1 is the shortest here"))));
}

TEST(SettingsValues, time_precision_is_given_by_digits_by_words_or_by_the_milliseconds_switch) {
  using wire::TimePrecision;
  const std::map<std::string, TimePrecision> expected{
      {"TimestampPrecision=0", TimePrecision::Seconds},
      {"TimestampPrecision=9", TimePrecision::Nanos},
      {"TimeStampPrecision=SECONDS", TimePrecision::Seconds},
      {"TimeStampPrecision=MILLIS", TimePrecision::Millis},
      {"TimeStampPrecision=MICROS", TimePrecision::Micros},
      {"TimeStampPrecision=NANOS", TimePrecision::Nanos},
      {"MillisecondsInTimeStamp=N", TimePrecision::Seconds},
      {"MillisecondsInTimeStamp=Y", TimePrecision::Millis},
      {"MillisecondsInTimeStamp=N\nTimestampPrecision=3", TimePrecision::Millis}};
  for (const auto& [line, precision] : expected) {
    EXPECT_EQ(session_with(line).session.header.time_precision, precision) << line;
    EXPECT_THAT(warnings_of(line), IsEmpty()) << line;
  }
  EXPECT_EQ(session_with("TimestampPrecision=4").session.header.time_precision,
            TimePrecision::Micros);
  EXPECT_THAT(warnings_of("TimestampPrecision=4"),
              ElementsAre("t.cfg:11: TimestampPrecision=4: there are 0, 3, 6 or 9 digits; the next "
                          "larger number is used"));
}

TEST(SettingsValues, wrong_values_are_reported_with_line_key_value_and_what_was_expected) {
  EXPECT_THAT(errors_of("HeartBtInt=abc"),
              ElementsAre("t.cfg:11: HeartBtInt=abc: a whole number of seconds from 0 to 3600 was "
                          "expected"));
  EXPECT_THAT(
      errors_of("SocketConnectPort=65536"),
      ElementsAre("t.cfg:11: SocketConnectPort=65536: a port from 1 to 65535 was expected"));
  EXPECT_THAT(errors_of("ResetOnLogon=yes"),
              ElementsAre("t.cfg:11: ResetOnLogon=yes: Y or N was expected"));
  EXPECT_THAT(errors_of("BeginString=FIX.5.0"),
              ElementsAre("t.cfg:11: BeginString=FIX.5.0: FIX.4.0, FIX.4.1, FIX.4.2, FIX.4.3, "
                          "FIX.4.4 or FIXT.1.1 (which FIX.5.0 is spoken over) was expected"));
}

constexpr std::string_view kWrongLines[] = {"HeartBtInt=",
                                            "HeartBtInt=-1",
                                            "HeartBtInt=+1",
                                            "HeartBtInt=3 0",
                                            "HeartBtInt=3601",
                                            "HeartBtInt=0x1E",
                                            "HeartBtInt=30s",
                                            "HeartBtInt=99999999999999999999999",
                                            "ReconnectInterval=0",
                                            "ReconnectInterval=;5",
                                            "LogonTimeout=0",
                                            "LogoutTimeout=0",
                                            "MaxLatency=0",
                                            "SocketConnectPort=0",
                                            "SocketConnectHost=",
                                            "SenderCompID=",
                                            "BeginString=FIXT.1.2",
                                            "BeginString=fix.4.4",
                                            "BeginString=",
                                            "BeginString=FIXT.1.1\nDefaultApplVerID=",
                                            "DefaultApplVerID=1",
                                            "DefaultApplVerID=FIX.5.1",
                                            "ConnectionType=both",
                                            "FileStorePath=",
                                            "PersistMessages=",
                                            "CheckCompID=2",
                                            "TimestampPrecision=10",
                                            "TimestampPrecision=PICOS",
                                            "TestRequestDelayMultiplier=nan",
                                            "TestRequestDelayMultiplier=0",
                                            "TestRequestDelayMultiplier=-0.5",
                                            "HeartBeatTimeoutMultiplier=1e1",
                                            "HeartBeatTimeoutMultiplier=101",
                                            "HeartBeatTimeoutMultiplier=inf",
                                            "MaxAdminMessagesPerSecond=0",
                                            "MaxAdminMessagesPerSecond=1000001",
                                            "MaxPendingLogons=-1",
                                            "SlowConsumerTimeout=0",
                                            "SlowConsumerTimeout=3601",
                                            "ThrottleInterval=0",
                                            "ThrottleMessages=-1",
                                            "ThrottleAction=drop",
                                            "OutboundMessagesByType=D",
                                            "OutboundMessagesByType=D:0",
                                            "OutboundMessagesByType=D:1000001",
                                            "OutboundMessagesByType=D:20 D:30",
                                            "OutboundMessagesByType=0:20",
                                            "OutboundMessagesByType=:20",
                                            "OutboundMessagesByType=TOOLONGXX:20",
                                            "OutboundMessagesByType=,",
                                            "OutboundLimitRule=drop",
                                            "MaxResendAge=31536001",
                                            "SendWhileLoggedOut=later",
                                            "AllowResetSeqNumFlag=never",
                                            "AllowSequenceReset=",
                                            "HeartBtIntOverride=always",
                                            "DisableHeartBeatCheck=2",
                                            "SendLogoutBeforeDisconnectFromTimeout=maybe",
                                            "MinHeartBtInt=-1",
                                            "MaxHeartBtInt=3601",
                                            "Store=disk",
                                            "JournalDurability=always",
                                            "StartTime=25:00:00",
                                            "EndTime=8:00",
                                            "StartTime=08:60:00"};

TEST(SettingsValues, every_value_is_read_strictly) {
  for (const std::string_view line : kWrongLines) {
    EXPECT_THAT(errors_of(line), Contains(HasSubstr("was expected"))) << line;
  }
  for (const std::string_view line : {"HeartBtInt=0", "HeartBtInt=3600", "HeartBtInt=007",
                                      "ReconnectInterval=86400", "SocketConnectPort=65535"}) {
    EXPECT_THAT(warnings_of(line), IsEmpty()) << line;
  }
}

TEST(SettingsValues, booleans_of_other_kinds_are_read_with_a_warning) {
  for (const std::string_view yes : {"y", "true", "TRUE", "1"}) {
    const std::string line = joined("ResetOnLogon=", yes);
    EXPECT_TRUE(session_with(line).session.reset.on_logon);
    EXPECT_THAT(warnings_of(line), ElementsAre(HasSubstr("other engines know Y and N only")));
  }
  for (const std::string_view no : {"n", "false", "0"}) {
    EXPECT_FALSE(session_with(joined("CheckLatency=", no)).session.header.check_latency);
  }
}

// QuickFIX/J's list.
TEST(SettingsValues, reconnect_intervals_are_a_list_with_repeats) {
  using std::chrono::seconds;
  EXPECT_THAT(session_with("ReconnectInterval=5;30;60").reconnect.intervals,
              ElementsAre(seconds{5}, seconds{30}, seconds{60}));
  EXPECT_THAT(session_with("ReconnectInterval=2*10;60").reconnect.intervals,
              ElementsAre(seconds{10}, seconds{10}, seconds{60}));
  for (const std::string_view wrong :
       {"0", "5;", ";5", "0*5", "101*5", "5*", "*5", "5;x", "86401"}) {
    EXPECT_THAT(errors_of(joined("ReconnectInterval=", wrong)),
                ElementsAre(HasSubstr("a whole number of seconds from 1 to 86400, or a list")))
        << wrong;
  }
}

TEST(SettingsValues, each_event_loop_has_a_cpu_of_its_own) {
  EXPECT_THAT(errors_of("EventLoops=2\nEventLoopCpu=1,1"),
              ElementsAre(HasSubstr("EventLoopCpu=1,1")));
}

TEST(SettingsValues, names_of_a_console_are_read_in_lower_case) {
  EXPECT_THAT(accepted(joined(kInitiator, "ConsolePort=9000\nConsoleNames=Desk.Example\n"))
                  .web.console_names,
              ElementsAre("desk.example"));
}

TEST(SettingsValues, messages_are_validated_unless_a_key_says_no) {
  EXPECT_TRUE(session_with("ValidateIncomingMessage=Y\n").dictionary.is_used);
  EXPECT_FALSE(session_with("ValidateIncomingMessage=N\n").dictionary.is_used);
  EXPECT_TRUE(session_with("").validates_check_sum);
  EXPECT_FALSE(session_with("ValidateLengthAndChecksum=N\n").validates_check_sum);
}

}  // namespace
}  // namespace nexusfix::config
