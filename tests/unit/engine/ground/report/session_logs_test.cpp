// The content that the engine writes to the logs of FileLogPath: each message once, with its
// direction, when it is certain that the message was received or will be sent.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <vector>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class EngineLogsTest : public AcceptorTest {
 protected:
  EngineLogsTest() { extra = "FileLogPath=" + folder.path() + "/log\nLogMaxBytes=1000000"; }

  [[nodiscard]] std::string path(const std::string& name) const {
    return folder.path() + "/log/" + name + ".current.log";
  }
  // The lines without their times; the engine is destroyed first, so that all lines are written.
  [[nodiscard]] std::vector<std::string> lines(const std::string& name) {
    acceptor.reset();
    std::ifstream file{path(name), std::ios::binary};
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) {
      EXPECT_TRUE(line.starts_with("20240115-10:30:0")) << line;
      all.push_back(bar(line.substr(line.find(' ') + 1)));
    }
    return all;
  }
  [[nodiscard]] std::string text(const std::string& name) {
    std::string all;
    for (const std::string& line : lines(name)) all += line + "\n";
    return all;
  }
};

const std::string kMessages = "FIX.4.4-VENUE-TRADER.messages";
const std::string kEvents = "FIX.4.4-VENUE-TRADER.event";

TEST_F(EngineLogsTest, every_message_is_one_line_with_its_direction_in_the_order_it_happened) {
  open();
  RawPeer& trader = log_on("TRADER");
  const std::string order_bytes = order("TRADER", 2, "A1");
  trader.send(order_bytes);
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 2; }));
  const std::string answer = bar(trader.messages()[0]);
  const std::string report = bar(trader.messages()[1]);
  const auto all = lines(kMessages);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0], "IN : " + bar(logon("TRADER", 1)));
  EXPECT_EQ(all[1], "OUT : " + answer);
  EXPECT_EQ(all[2], "IN : " + bar(order_bytes));
  EXPECT_EQ(all[3], "OUT : " + report);
  EXPECT_THAT(text(kEvents),
              AllOf(HasSubstr("INFO NXF-3002 : connection from 127.0.0.1"),
                    HasSubstr("INFO NXF-1001 : logged on, next MsgSeqNum in 2, out 2")));
  EXPECT_THAT(text("GLOBAL.event"), HasSubstr("INFO NXF-3030 : listening on 127.0.0.1"));
  EXPECT_THAT(lines("FIX.4.2-VENUE-OTHER.messages"), ::testing::IsEmpty());
}

TEST_F(EngineLogsTest, an_event_of_the_start_on_the_screen_is_not_on_standard_error_too) {
  extra = "ScreenLogShowEvents=Y\nUnknownKey=1";
  EngineUnderTest opening = under_test();
  opening.options.log = nullptr;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  ASSERT_TRUE(opening.try_open(venue).has_value());
  const std::string screen = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(screen, HasSubstr("UnknownKey"));
}

TEST_F(EngineLogsTest, json_events_are_objects_with_their_identifiers) {
  extra += "\nEventLogFormat=json";
  open();
  static_cast<void>(log_on("TRADER"));
  acceptor.reset();
  std::ifstream file{path(kEvents), std::ios::binary};
  std::stringstream all;
  all << file.rdbuf();
  EXPECT_THAT(all.str(), HasSubstr(R"("id":"NXF-1001","severity":"INFO","category":"session",)"
                                   R"("session":"FIX.4.4:VENUE->TRADER",)"
                                   R"("text":"logged on, next MsgSeqNum in 2, out 2"})"
                                   "\n"));
  EXPECT_THAT(all.str(), ::testing::StartsWith(R"({"time":"2024-01-15T10:30:0)"));
}

TEST_F(EngineLogsTest, files_are_accessible_only_to_their_owner) {
  open();
  for (const std::string& name : {kMessages, kEvents, std::string{"GLOBAL.messages"}}) {
    struct stat found{};
    ASSERT_EQ(::stat(path(name).c_str(), &found), 0) << name;
    EXPECT_EQ(found.st_mode & 0777U, 0600U);
  }
  struct stat found{};
  ASSERT_EQ(::stat((folder.path() + "/log").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0700U);
}

TEST_F(EngineLogsTest, message_rolled_back_by_a_throwing_callback_is_not_logged) {
  open();
  RawPeer& trader = log_on("TRADER");
  venue.before_answer = [](Session& session, const MessageView&) {
    EchoVenue::answer(session, "TAKEN-BACK");
    throw std::runtime_error{"no"};
  };
  trader.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 2; }));
  EXPECT_THAT(text(kMessages), AllOf(Not(HasSubstr("TAKEN-BACK")), HasSubstr("OUT : 8=FIX.4.4"),
                                     HasSubstr("Application not available")));
}

TEST_F(EngineLogsTest, message_that_waits_for_a_logon_is_logged_when_it_is_sent) {
  open();
  EchoVenue::answer(*acceptor->find_session("FIX.4.4:VENUE->TRADER"), "LATER");
  turn(2);
  RawPeer& trader = log_on("TRADER");
  trader.send(from("TRADER", "2", 2, "7=1|16=0|"));
  // The message, and a gap fill for the Logon.
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 3; }));
  const auto all = lines(kMessages);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_THAT(all[3], AllOf(HasSubstr("OUT : "), HasSubstr("|43=Y|"), HasSubstr("|11=LATER|")));
}

TEST_F(EngineLogsTest, passwords_of_both_directions_are_masked_in_every_file) {
  open();
  RawPeer& trader = connect();
  trader.send(logon("TRADER", 1, "553=me|554=CANARY-1|925=CANARY-2|95=8|96=CANARY-3|"));
  RawPeer& unknown = connect();
  unknown.send(from("UNKNOWN", "A", 1, "98=0|108=30|554=CANARY-4|"));
  RawPeer& broken = connect();
  std::string damaged = logon("OTHER", 1, "554=CANARY-5|");
  damaged[damaged.size() - 2] = damaged[damaged.size() - 2] == '0' ? '1' : '0';
  broken.send(damaged);
  ASSERT_TRUE(run_until([&] { return !trader.messages().empty() && broken.closed(); }));
  acceptor.reset();
  std::string everything;
  for (const auto& file : std::filesystem::directory_iterator{folder.path() + "/log"}) {
    std::ostringstream bytes;
    bytes << std::ifstream{file.path(), std::ios::binary}.rdbuf();
    everything += bytes.str();
  }
  EXPECT_THAT(everything, Not(HasSubstr("CANARY")));
  EXPECT_THAT(bar(everything), AllOf(HasSubstr(" IN MASKED : 8=FIX.4.4|"), HasSubstr("|554=***|"),
                                     HasSubstr("|95=3|96=***|"), HasSubstr(" IN GARBLED MASKED : "),
                                     HasSubstr("|49=UNKNOWN|")));
}

TEST_F(EngineLogsTest, garbled_bytes_are_in_the_log_of_their_session) {
  open();
  RawPeer& trader = log_on("TRADER");
  trader.send("rubbish\n");
  std::string damaged = order("TRADER", 2, "BAD");
  damaged[damaged.size() - 2] = damaged[damaged.size() - 2] == '0' ? '1' : '0';
  trader.send(damaged);
  trader.send(order("TRADER", 2, "GOOD"));
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 2; }));
  const std::string all = text(kMessages);
  EXPECT_THAT(all,
              AllOf(HasSubstr("IN GARBLED ESCAPED : rubbish\\x0A"),
                    HasSubstr("IN GARBLED : " + bar(damaged) + "\n"), HasSubstr("IN : 8=FIX.4.4")));
}

TEST_F(EngineLogsTest, message_without_a_session_is_in_the_global_log_if_configured) {
  for (const bool shall : {true, false}) {
    if (!shall) extra += "\nLogMessageWhenSessionNotFound=N";
    open();
    RawPeer& unknown = connect();
    unknown.send(from("UNKNOWN", "A", 1, "98=0|108=30|"));
    ASSERT_TRUE(run_until([&] { return unknown.closed(); }));
    EXPECT_THAT(text("GLOBAL.event"), HasSubstr("49=UNKNOWN"));
    const std::string messages = text("GLOBAL.messages");
    EXPECT_EQ(messages.find("|49=UNKNOWN|") != std::string::npos, shall) << messages;
    peers.clear();
    std::filesystem::remove_all(folder.path() + "/log");
  }
}

TEST_F(EngineLogsTest, unwritable_folder_refuses_the_start_before_anything_else) {
  std::ofstream{folder.path() + "/log"} << "a file where the folder should be";
  const auto opened = under_test().try_open(venue);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().what(),
              AllOf(HasSubstr("the logs cannot be written: "), HasSubstr(folder.path() + "/log")));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/store"));
}

TEST_F(EngineLogsTest, moved_file_is_opened_again_by_its_name) {
  open();
  RawPeer& trader = log_on("TRADER");
  ASSERT_TRUE(run_until([&] { return std::filesystem::file_size(path(kMessages)) > 0; }));
  std::filesystem::rename(path(kMessages), folder.path() + "/moved");
  acceptor->reopen_logs();
  ASSERT_TRUE(run_until([&] {
    trader.send("rubbish");
    std::error_code absent;  // until the log's thread has opened it again
    return std::filesystem::file_size(path(kMessages), absent) > 0 && !absent;
  }));
  EXPECT_EQ(acceptor->statistics().logs.lost_on_disk, 0U);
  EXPECT_THAT(text(kMessages), HasSubstr("IN GARBLED : rubbish"));
}

// Sessions that are created while the engine runs.
class AddedSessionLogsTest : public EngineLogsTest {
 protected:
  static constexpr const char* kTemplate =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=*\nAcceptorTemplate=Y\n"
      "LogMaskedTags=9001\n";

  // The contents of all log files.
  [[nodiscard]] std::string everything() {
    acceptor.reset();
    std::string all;
    for (const auto& file : std::filesystem::directory_iterator{folder.path() + "/log"}) {
      std::ostringstream bytes;
      bytes << std::ifstream{file.path(), std::ios::binary}.rdbuf();
      all += bytes.str();
    }
    return bar(all);
  }
  [[nodiscard]] config::Settings more(const std::string& keys) {
    auto settings = config::parse_settings(
        "[SESSION]\nConnectionType=acceptor\nSocketAcceptPort=0\nSocketAcceptAddress=127.0.0.1\n"
        "FileStorePath=elsewhere\nNonStopSession=Y\nUseDataDictionary=N\nBeginString=FIX.4.4\n"
        "SenderCompID=VENUE\nTargetCompID=LATER\n" +
            keys,
        "more.cfg");
    EXPECT_TRUE(settings.has_value()) << settings.error().front().what();
    return std::move(*settings);
  }
  void remove_session(const std::string& name) {
    acceptor->find_session(name)->remove("later");
    peers.clear();
    ASSERT_TRUE(run_until([&] { return acceptor->find_session(name) == nullptr; })) << log.all();
  }
};

TEST_F(AddedSessionLogsTest, template_session_has_its_own_files_and_masks) {
  sessions += kTemplate;
  open();
  RawPeer& peer = connect();
  peer.send(logon("SOMEBODY", 1, "9001=CANARY|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
  EXPECT_THAT(text("FIX.4.4-VENUE-SOMEBODY.messages"),
              AllOf(HasSubstr("IN MASKED : 8=FIX.4.4|"), HasSubstr("|9001=***|"),
                    HasSubstr("OUT : 8=FIX.4.4|")));
  EXPECT_THAT(text("FIX.4.4-VENUE-SOMEBODY.event"),
              HasSubstr("INFO NXF-1022 : session made of the template"));
  EXPECT_THAT(text("GLOBAL.messages"), Not(HasSubstr("SOMEBODY")));
  EXPECT_THAT(text("GLOBAL.event"), Not(HasSubstr("template")));
  EXPECT_FALSE(std::filesystem::exists(path("FIX.4.4-VENUE-*.messages")));
  EXPECT_THAT(everything(), Not(HasSubstr("CANARY")));
}

TEST_F(AddedSessionLogsTest, added_session_logs_even_if_no_other_session_does) {
  const std::string keys = extra;
  extra.clear();
  open();
  static_cast<void>(log_on("TRADER"));
  ASSERT_TRUE(acceptor->add_sessions(more(keys + "\nLogMaskedTags=9001\n")).has_value());
  RawPeer& peer = connect();
  peer.send(logon("LATER", 1, "9001=CANARY|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
  EXPECT_GT(acceptor->statistics().logs.taken, 0U);
  acceptor->reopen_logs();
  EXPECT_THAT(text("FIX.4.4-VENUE-LATER.messages"), HasSubstr("|9001=***|"));
  EXPECT_THAT(text("FIX.4.4-VENUE-LATER.event"), HasSubstr("INFO NXF-1020 : session added"));
  EXPECT_THAT(everything(), AllOf(Not(HasSubstr("CANARY")), Not(HasSubstr("|49=TRADER|"))));
}

TEST_F(AddedSessionLogsTest, session_added_again_continues_its_files_with_new_masks) {
  open();
  const std::string name = "FIX.4.4:VENUE->LATER";
  for (const std::string tag : {"9001", "9002", "9002"}) {
    ASSERT_TRUE(acceptor->add_sessions(more(extra + "\nLogMaskedTags=" + tag + "\n")).has_value());
    RawPeer& peer = connect();
    const std::uint64_t next = acceptor->find_session(name)->numbers().next_inbound;
    peer.send(logon("LATER", next, tag + "=CANARY|1=" + tag + "|"));
    ASSERT_TRUE(run_until([&] { return !peer.messages().empty(); })) << log.all();
    remove_session(name);
  }
  const std::string all = text("FIX.4.4-VENUE-LATER.messages");
  EXPECT_THAT(all, AllOf(HasSubstr("|9001=***|1=9001|"), HasSubstr("|9002=***|1=9002|")));
  EXPECT_THAT(everything(), Not(HasSubstr("CANARY")));
}

TEST_F(AddedSessionLogsTest, session_without_files_is_reported_and_logs_masked_to_global) {
  open();
  std::ofstream{folder.path() + "/file"} << "no folder";
  ASSERT_TRUE(acceptor
                  ->add_sessions(more("FileLogPath=" + folder.path() +
                                      "/file\nLogMaxBytes=1000000\nLogMaskedTags=9001\n"))
                  .has_value());
  RawPeer& peer = connect();
  peer.send(logon("LATER", 1, "9001=CANARY|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
  ASSERT_TRUE(run_until([&] { return log.all().find("logs to GLOBAL") != std::string::npos; }));
  EXPECT_THAT(log.all(), AllOf(HasSubstr("FIX.4.4:VENUE->LATER"), HasSubstr("/file")));
  EXPECT_THAT(text("GLOBAL.messages"), HasSubstr("|9001=***|"));
  EXPECT_THAT(text("GLOBAL.event"),
              HasSubstr("INFO NXF-1020 : FIX.4.4:VENUE->LATER: session added"));
}

TEST_F(AddedSessionLogsTest, refused_client_is_logged_with_the_masks_of_all_sessions) {
  sessions += kTemplate;
  open();
  RawPeer& unknown = connect();
  unknown.send(from("UNKNOWN/", "A", 1, "98=0|108=30|9001=CANARY|"));
  ASSERT_TRUE(run_until([&] { return unknown.closed(); }));
  EXPECT_THAT(text("GLOBAL.messages"), HasSubstr("|9001=***|"));
  ASSERT_FALSE(HasFailure());
  open();
  ASSERT_TRUE(acceptor->add_sessions(more("LogMaskedTags=9002\n")).has_value());
  RawPeer& other = connect();
  other.send(from("UNKNOWN/", "A", 1, "98=0|108=30|9001=CANARY|9002=CANARY|"));
  ASSERT_TRUE(run_until([&] { return other.closed(); }));
  EXPECT_THAT(everything(), AllOf(HasSubstr("|9002=***|"), Not(HasSubstr("CANARY"))));
}

TEST_F(EngineLogsTest, without_keys_no_log_is_created) {
  extra.clear();
  open();
  static_cast<void>(log_on("TRADER"));
  EXPECT_EQ(acceptor->statistics().logs.taken, 0U);
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/log"));
}

}  // namespace
}  // namespace nexusfix::testing
