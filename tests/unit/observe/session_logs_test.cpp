// On a disk in memory, which takes no threads: turn() has written everything when it returns.
#include "observe/api/session_logs.hpp"

#include <cerrno>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/poll.h>
#include <unistd.h>
#include <vector>

#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"

namespace nexusfix::observe {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::bar;
using testing::DiskCall;
using ::testing::ElementsAre;
using testing::FakeDisk;
using testing::fix;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr WallTime kMorning{std::chrono::nanoseconds{1'705'314'600'123'456'789}};
constexpr std::size_t kTrader = 0;
constexpr std::size_t kGlobal = 1;
const std::string kMessages = "log/FIX.4.4-VENUE-TRADER.messages.current.log";
const std::string kEvents = "log/FIX.4.4-VENUE-TRADER.event.current.log";

std::string backup(int number) {
  return "log/FIX.4.4-VENUE-TRADER.messages.backup." + std::to_string(number) + ".log";
}

class SessionLogsTest : public ::testing::Test {
 protected:
  SessionLogsTest() {
    files.folder = "log";
    files.free_bytes_min = 0;
  }

  void open() {
    std::vector<SessionLogOptions> sessions{
        {.name = "FIX.4.4:VENUE->TRADER",
         .prefix = log_file_prefix("FIX.4.4", {"VENUE"}, {"TRADER"}, ""),
         .files = files,
         .screen = screen},
        {.name = "", .prefix = "GLOBAL", .files = files, .screen = {}}};
    auto opened = SessionLogs::open(disk, options, std::move(sessions), now);
    ASSERT_TRUE(opened) << opened.error();
    logs = std::move(*opened);
  }
  void receive(std::string_view bytes) {
    logs->received(kTrader, bytes, now);
    report_notices();
  }
  void report_notices() {
    for (const LogNotice& notice : logs->turn()) notices.push_back(notice.text);
  }
  [[nodiscard]] std::string contents(const std::string& path) const {
    return disk.exists(path) ? bar(disk.contents(path)) : "(absent)";
  }

  FakeDisk disk;
  LogFileOptions files;
  ScreenLogOptions screen;
  SessionLogsOptions options;
  WallTime now = kMorning;
  std::unique_ptr<SessionLogs> logs;
  std::vector<std::string> notices;
};

TEST_F(SessionLogsTest, messages_and_events_have_files_of_quickfix_names_from_the_start) {
  open();
  for (const char* name : {"FIX.4.4-VENUE-TRADER", "GLOBAL"}) {
    EXPECT_EQ(contents(std::string{"log/"} + name + ".messages.current.log"), "");
    EXPECT_EQ(contents(std::string{"log/"} + name + ".event.current.log"), "");
  }
}

TEST_F(SessionLogsTest, each_line_has_its_time_its_direction_and_its_bytes) {
  open();
  const std::string order = fix("FIX.4.4", "35=D|11=1|");
  const std::string report = fix("FIX.4.4", "35=8|11=1|");
  logs->received(kTrader, order, now);
  logs->sent(kTrader, report, now + std::chrono::nanoseconds{1});
  logs->garbled(kTrader, "8=FIX", now + std::chrono::nanoseconds{2});
  logs->event(kTrader, EventId::SequenceGapDetected, "a\nb", now);
  logs->event(kGlobal, EventId::PortOpened, "listening", now);
  report_notices();
  EXPECT_EQ(contents(kMessages), "20240115-10:30:00.123456789 IN : " + bar(order) +
                                     "\n20240115-10:30:00.123456790 OUT : " + bar(report) +
                                     "\n20240115-10:30:00.123456791 IN GARBLED : 8=FIX\n");
  EXPECT_EQ(contents(kEvents), "20240115-10:30:00.123456789 WARN NXF-2003 : a\\x0Ab\n");
  EXPECT_EQ(contents("log/GLOBAL.event.current.log"),
            "20240115-10:30:00.123456789 INFO NXF-3030 : listening\n");
  EXPECT_THAT(notices, IsEmpty());
  EXPECT_EQ(logs->stats().taken, 5U);
}

TEST_F(SessionLogsTest, events_are_objects_if_the_format_is_json_and_messages_stay_lines) {
  files.event_format = EventFormat::Json;
  files.fraction_digits = 3;
  open();
  logs->event(kTrader, EventId::SequenceGapDetected, "a\n\"b", now);
  const std::string about = "FIX.4.4:VENUE->LATER";
  logs->event(kGlobal, EventId::SessionAdded, about + "added", now, about.size());
  logs->event(kGlobal, EventId::PortOpened, "listening", now);
  receive("8=FIX");
  EXPECT_EQ(contents(kEvents),
            R"({"time":"2024-01-15T10:30:00.123Z","id":"NXF-2003","severity":"WARN",)"
            R"("category":"sequence","session":"FIX.4.4:VENUE->TRADER","text":"a\u000a\"b"})"
            "\n");
  EXPECT_EQ(contents("log/GLOBAL.event.current.log"),
            R"({"time":"2024-01-15T10:30:00.123Z","id":"NXF-1020","severity":"INFO",)"
            R"("category":"session","session":"FIX.4.4:VENUE->LATER","text":"added"})"
            "\n"
            R"({"time":"2024-01-15T10:30:00.123Z","id":"NXF-3030","severity":"INFO",)"
            R"("category":"connection","session":"","text":"listening"})"
            "\n");
  EXPECT_EQ(contents(kMessages), "20240115-10:30:00.123 IN : 8=FIX\n");
}

TEST_F(SessionLogsTest, an_event_about_another_session_begins_with_its_name) {
  open();
  const std::string about = "FIX.4.4:VENUE->LATER";
  logs->event(kGlobal, EventId::SessionAdded, about + "added", now, about.size());
  report_notices();
  EXPECT_EQ(contents("log/GLOBAL.event.current.log"),
            "20240115-10:30:00.123456789 INFO NXF-1020 : FIX.4.4:VENUE->LATER: added\n");
}

TEST_F(SessionLogsTest, lost_lines_are_reported_as_an_object_in_json_and_a_line_in_text) {
  files.event_format = EventFormat::Json;
  files.fraction_digits = 0;
  open();
  disk.fail(DiskCall::Write, 1, ENOSPC);
  logs->event(kTrader, EventId::LoggedOn, "lost", now);
  report_notices();
  now += seconds{1};
  logs->event(kTrader, EventId::LoggedOn, "there", now);
  report_notices();
  EXPECT_THAT(contents(kEvents),
              ::testing::StartsWith(
                  R"({"time":"2024-01-15T10:30:01Z","id":"NXF-8009","severity":"WARN",)"
                  R"("category":"logs","session":"","text":"1 line was not logged, from )"));
  EXPECT_THAT(contents(kEvents), ::testing::EndsWith("\"text\":\"there\"}\n"));
}

TEST_F(SessionLogsTest, an_existing_file_is_continued_and_a_torn_line_is_ended) {
  disk.set_contents(kMessages, "20240115-09:00:00.0 IN : 8=FI");
  open();
  receive("8=FIX");
  EXPECT_EQ(contents(kMessages),
            "20240115-09:00:00.0 IN : 8=FI\n20240115-10:30:00.123456789 IN : 8=FIX\n");
}

TEST_F(SessionLogsTest, keys_omit_heartbeats_times_and_digits) {
  files.has_heartbeats = false;
  files.has_message_times = false;
  files.fraction_digits = 0;
  open();
  receive(fix("FIX.4.4", "35=0|"));
  receive("8=FIX");
  logs->event(kTrader, EventId::LoggedOn, "x", now);
  report_notices();
  EXPECT_EQ(contents(kMessages), "IN : 8=FIX\n");
  EXPECT_EQ(contents(kEvents), "20240115-10:30:00 INFO NXF-1001 : x\n");
}

TEST_F(SessionLogsTest, garbled_bytes_of_a_session_without_a_log_take_no_room) {
  files.folder.clear();
  open();
  logs->garbled(kTrader, "8=FIX", now);
  EXPECT_EQ(logs->stats().taken, 0U);
}

TEST_F(SessionLogsTest, a_masked_message_has_nothing_of_an_earlier_one) {
  open();
  logs->received(kTrader, fix("FIX.4.4", "35=A|49=FIRST|554=x|"), now);
  receive(fix("FIX.4.4", "35=A|49=SECOND|554=y|"));
  const std::string text = contents(kMessages);
  EXPECT_EQ(text.find("FIRST"), text.rfind("FIRST")) << text;
  EXPECT_THAT(text, HasSubstr("SECOND"));
}

TEST_F(SessionLogsTest, garbled_bytes_are_truncated_after_4096_and_say_so) {
  open();
  logs->garbled(kTrader, std::string(4'096, 'x'), now);
  logs->garbled(kTrader, std::string(4'097, 'y'), now);
  report_notices();
  EXPECT_THAT(contents(kMessages), HasSubstr(std::string(4'096, 'x') + "\n"));
  EXPECT_THAT(contents(kMessages),
              HasSubstr(std::string(4'096, 'y') + " ... [cut: 1 more bytes]\n"));
}

// A line of 40 bytes.
constexpr std::string_view kLine40 = "123456";
constexpr std::size_t kLineBytes = 40;

TEST_F(SessionLogsTest, a_file_at_its_limit_becomes_a_backup_and_old_backups_are_removed) {
  files.bytes_max = 2 * kLineBytes;
  files.backups_max = 2;
  open();
  for (int i = 0; i < 9; ++i) receive(kLine40);
  EXPECT_EQ(contents(kMessages).size(), kLineBytes);
  EXPECT_EQ(contents(backup(4)).size(), 2 * kLineBytes);
  EXPECT_EQ(contents(backup(3)).size(), 2 * kLineBytes);
  EXPECT_EQ(contents(backup(2)), "(absent)");
  EXPECT_EQ(contents(backup(1)), "(absent)");
  EXPECT_THAT(notices, IsEmpty());
}

TEST_F(SessionLogsTest, a_file_is_never_larger_than_its_limit_however_lines_come) {
  for (const std::uint64_t limit :
       {kLineBytes - 1, kLineBytes, kLineBytes + 1, 2 * kLineBytes - 1, 3 * kLineBytes}) {
    disk = FakeDisk{};
    files.bytes_max = limit;
    files.backups_max = 100;
    open();
    for (int i = 0; i < 10; ++i) logs->received(kTrader, kLine40, now);  // in one write
    report_notices();
    const std::size_t lines = std::max<std::size_t>(1, limit / kLineBytes);
    std::size_t all = 0;
    for (int n = 1; contents(backup(n)) != "(absent)"; ++n) {
      EXPECT_EQ(contents(backup(n)).size(), lines * kLineBytes);
      all += contents(backup(n)).size();
    }
    EXPECT_LE(contents(kMessages).size(), lines * kLineBytes);
    EXPECT_EQ(all + contents(kMessages).size(), 10 * kLineBytes) << limit;
    logs.reset();
  }
}

TEST_F(SessionLogsTest, numbers_continue_after_existing_backups_and_other_files_are_left_alone) {
  disk.set_contents(backup(7), "old");
  disk.set_contents("log/FIX.4.4-VENUE-TRADER.messages.backup.x.log", "not ours");
  disk.set_contents("log/FIX.4.4-VENUE-TRADER-Q.messages.backup.9.log", "another session's");
  const std::string lettered = "log/FIX.4.4-VENUE-TRADER.messages.backup.9x.log";
  disk.set_contents(lettered, "not ours either");
  const std::string archive = "log/FIX.4.4-VENUE-TRADER.messages.archive9.log";
  disk.set_contents(archive, "an operator's");
  files.bytes_max = kLineBytes;
  files.backups_max = 1;
  open();
  receive(kLine40);
  receive(kLine40);
  EXPECT_EQ(contents(lettered), "not ours either");
  EXPECT_EQ(contents(archive), "an operator's");
  EXPECT_EQ(contents(backup(8)).size(), kLineBytes);
  EXPECT_EQ(contents(backup(7)), "(absent)");
  EXPECT_EQ(contents("log/FIX.4.4-VENUE-TRADER.messages.backup.x.log"), "not ours");
  EXPECT_EQ(contents("log/FIX.4.4-VENUE-TRADER-Q.messages.backup.9.log"), "another session's");
}

TEST_F(SessionLogsTest, no_backups_and_a_backup_folder_can_be_configured) {
  files.bytes_max = kLineBytes;
  files.backups_max = 0;
  open();
  receive(kLine40);
  receive(kLine40);
  EXPECT_EQ(contents(kMessages).size(), kLineBytes);
  EXPECT_EQ(contents(backup(1)), "(absent)");
  files.backups_max = 3;
  files.backup_folder = "old";
  open();
  receive(kLine40);
  EXPECT_EQ(contents("old/FIX.4.4-VENUE-TRADER.messages.backup.1.log").size(), kLineBytes);
}

TEST_F(SessionLogsTest, a_backup_stays_beside_its_log_if_its_folder_is_on_another_file_system) {
  files.bytes_max = kLineBytes;
  files.backup_folder = "old";
  open();
  receive(kLine40);
  disk.fail(DiskCall::Remove, 1, EXDEV);
  receive(kLine40);
  EXPECT_EQ(contents(backup(1)).size(), kLineBytes);
  EXPECT_EQ(contents(kMessages).size(), kLineBytes);
  EXPECT_THAT(notices, IsEmpty());
}

TEST_F(SessionLogsTest, a_log_that_failed_is_tried_again_after_the_clock_was_set_back) {
  open();
  disk.fail(DiskCall::Write, 1, ENOSPC);
  receive("lost");
  now -= std::chrono::hours{1};
  receive("there");
  EXPECT_THAT(contents(kMessages), HasSubstr(" IN : there\n"));
  EXPECT_EQ(logs->stats().lost_on_disk, 1U);
}

TEST_F(SessionLogsTest, a_daily_file_ends_at_midnight_utc_also_across_a_restart) {
  files.is_daily = true;
  open();
  receive(kLine40);
  now += std::chrono::hours{13} + std::chrono::minutes{29};  // 23:59
  receive(kLine40);
  EXPECT_EQ(contents(kMessages).size(), 2 * kLineBytes);
  now += std::chrono::minutes{1};
  logs.reset();
  open();
  receive(kLine40);
  EXPECT_EQ(contents(kMessages).size(), kLineBytes);
  EXPECT_EQ(contents(backup(1)).size(), 2 * kLineBytes);
}

TEST_F(SessionLogsTest, a_file_that_was_moved_away_is_made_again_within_a_second) {
  open();
  receive("first");
  ASSERT_TRUE(disk.rename(kMessages, "log/moved"));
  now += milliseconds{500};
  receive("second");  // still to the moved one
  now += milliseconds{500};
  receive("third");
  EXPECT_THAT(contents("log/moved"), HasSubstr("second"));
  EXPECT_EQ(contents(kMessages), "20240115-10:30:01.123456789 IN : third\n");
}

TEST_F(SessionLogsTest, reopen_finds_a_moved_file_at_once) {
  open();
  receive("first");
  ASSERT_TRUE(disk.rename(kMessages, "log/moved"));
  logs->reopen();
  receive("second");
  EXPECT_THAT(contents("log/moved"), Not(HasSubstr("second")));
  EXPECT_THAT(contents(kMessages), HasSubstr("second"));
}

TEST_F(SessionLogsTest, a_file_that_is_reopened_exists_without_a_line) {
  open();
  receive("first");
  for (const std::string& path : {kMessages, kEvents}) {
    ASSERT_TRUE(disk.rename(path, path + ".1"));
  }
  report_notices();
  EXPECT_FALSE(disk.exists(kMessages));
  logs->reopen();
  report_notices();
  EXPECT_EQ(contents(kMessages), "");
  EXPECT_EQ(contents(kEvents), "");
  EXPECT_EQ(contents("log/GLOBAL.event.current.log"), "");
  EXPECT_THAT(notices, IsEmpty());
}

TEST_F(SessionLogsTest, all_files_are_reopened_in_any_number) {
  std::vector<SessionLogOptions> sessions;
  constexpr std::size_t kSessions = 300;  // most of their files are closed again
  for (std::size_t i = 0; i < kSessions; ++i) {
    sessions.push_back({.name = std::to_string(i), .prefix = std::to_string(i), .files = files});
  }
  auto opened = SessionLogs::open(disk, options, std::move(sessions), now);
  ASSERT_TRUE(opened) << opened.error();
  logs = std::move(*opened);
  const auto path = [](std::size_t i) {
    return "log/" + std::to_string(i) + ".messages.current.log";
  };
  constexpr std::size_t kSilent = 200;  // without a line: its file was never made
  for (std::size_t i = 0; i < kSessions; ++i) {
    if (i != kSilent) logs->received(i, "line", now);
  }
  report_notices();
  for (std::size_t i = 0; i < kSessions; ++i) {
    if (i == kSilent) continue;
    ASSERT_TRUE(disk.rename(path(i), path(i) + ".1")) << i;
  }
  logs->reopen();
  report_notices();
  for (std::size_t i = 0; i < kSessions; ++i) EXPECT_EQ(disk.exists(path(i)), i != kSilent) << i;
}

TEST_F(SessionLogsTest, a_file_that_was_truncated_is_continued_at_its_end) {
  open();
  receive("first");
  auto file = disk.open(kMessages, OpenMode::ReadWrite);
  ASSERT_TRUE((*file)->truncate(0));
  receive("second");
  EXPECT_EQ(contents(kMessages), "20240115-10:30:00.123456789 IN : second\n");
}

TEST_F(SessionLogsTest, records_without_room_in_the_queue_are_counted_and_reported_in_their_place) {
  options.queue_bytes = 4'096;
  open();
  const std::string message(1'000, 'x');
  for (int i = 0; i < 10; ++i) {
    logs->received(kTrader, message, now);
    now += seconds{1};
  }
  const std::uint64_t lost = logs->stats().lost_in_queue;
  ASSERT_GT(lost, 0U);
  EXPECT_EQ(logs->stats().taken, 10 - lost);
  report_notices();
  report_notices();
  EXPECT_THAT(notices,
              ElementsAre(HasSubstr("do not keep up"),
                          HasSubstr("keep up again; " + std::to_string(lost) + " messages")));
  receive("next");
  const std::string text = contents(kMessages);
  const std::size_t report =
      text.find(" LOST : " + std::to_string(lost) +
                " messages and events were not logged, from 20240115-10:30:0" +
                std::to_string(10 - lost) + ".123456789 to 20240115-10:30:09.123456789");
  ASSERT_NE(report, std::string::npos) << text;
  EXPECT_LT(text.rfind("xxx"), report);
  EXPECT_GT(text.find("next"), report);
}

TEST_F(SessionLogsTest, a_loss_is_reported_before_the_next_message_that_has_room) {
  options.queue_bytes = 4'096;
  open();
  for (int i = 0; i < 10; ++i) logs->received(kTrader, std::string(1'000, 'x'), now);
  report_notices();  // There is room again.
  receive("next");
  const std::string text = contents(kMessages);
  ASSERT_THAT(text, HasSubstr(" LOST : "));
  EXPECT_LT(text.find(" LOST : "), text.find(" IN : next"));
}

TEST_F(SessionLogsTest, a_message_that_the_queue_can_never_hold_is_reported_too) {
  options.queue_bytes = 4'096;
  open();
  receive(std::string(3'000, 'x'));
  receive("next");
  EXPECT_THAT(contents(kMessages), HasSubstr("LOST : 1 message or event was not logged"));
  EXPECT_THAT(contents(kMessages), HasSubstr("IN : next\n"));
}

TEST_F(SessionLogsTest, losses_at_the_very_end_are_reported) {
  options.queue_bytes = 4'096;
  open();
  for (int i = 0; i < 10; ++i) logs->received(kTrader, std::string(1'000, 'x'), now);
  logs.reset();
  EXPECT_THAT(contents(kMessages), HasSubstr(" messages and events were not logged"));
}

TEST_F(SessionLogsTest, a_disk_that_fails_loses_lines_which_are_reported_when_it_works_again) {
  open();
  receive("first");
  disk.fail(DiskCall::Write, 1, ENOSPC);
  now += seconds{1};
  receive("lost one");  // half of it is written, and truncated again
  receive("lost two");  // not even tried
  EXPECT_THAT(notices, ElementsAre(HasSubstr("No space left on device")));
  EXPECT_THAT(notices[0], HasSubstr(kMessages));
  EXPECT_EQ(contents(kMessages), "20240115-10:30:00.123456789 IN : first\n");
  now += seconds{1};
  receive("third");
  EXPECT_EQ(contents(kMessages),
            "20240115-10:30:00.123456789 IN : first\n"
            "20240115-10:30:02.123456789 LOST : 2 lines were not logged, from "
            "20240115-10:30:01.123456789 to 20240115-10:30:01.123456789: write " +
                kMessages +
                ": No space left on device\n"
                "20240115-10:30:02.123456789 IN : third\n");
  EXPECT_THAT(notices[1], HasSubstr("written again; 2 of its lines were lost"));
  EXPECT_EQ(logs->stats().lost_on_disk, 2U);
}

TEST_F(SessionLogsTest, a_disk_that_fails_again_is_reported_once_and_all_its_losses_as_one) {
  open();
  for (int i = 0; i < 2; ++i) {
    disk.fail(DiskCall::Write, 1, ENOSPC);
    logs->received(kTrader, "lost", now);
    now += seconds{1};
    receive("lost too");
    now += seconds{1};
  }
  EXPECT_THAT(notices, ElementsAre(HasSubstr("No space left on device")));
  receive("third");
  EXPECT_THAT(contents(kMessages),
              HasSubstr("LOST : 4 lines were not logged, from 20240115-10:30:00.123456789 to "
                        "20240115-10:30:03.123456789"));
  EXPECT_EQ(logs->stats().lost_on_disk, 4U);
}

TEST_F(SessionLogsTest, whichever_call_fails_no_line_is_torn_or_repeated) {
  files.bytes_max = 2 * kLineBytes;
  files.backups_max = 1'000;
  for (unsigned nth = 1; nth < 60; ++nth) {
    disk = FakeDisk{};
    open();
    disk.fail_any(nth, EIO);
    for (int i = 0; i < 12; ++i) {
      receive("00000" + std::to_string(i % 10));
      now += seconds{1};
    }
    logs.reset();
    std::string text;
    for (int n = 1; contents(backup(n)) != "(absent)"; ++n) text += contents(backup(n));
    text += contents(kMessages);
    std::size_t lines = 0;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      const std::string line = text.substr(at, text.find('\n', at) - at);
      EXPECT_TRUE(line.find(" IN : 00000") != std::string::npos ||
                  line.find(" LOST : 1 line was") != std::string::npos)
          << line;
      ++lines;
    }
    EXPECT_EQ(lines, 12U) << "call " << nth << "\n" << text;
  }
}

TEST_F(SessionLogsTest, a_folder_that_cannot_be_made_or_written_is_named_by_an_error_at_the_start) {
  disk.fail(DiskCall::MakeDirectories, 1, EACCES);
  std::vector<SessionLogOptions> sessions{{.prefix = "GLOBAL", .files = files}};
  auto opened = SessionLogs::open(disk, options, sessions, now);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error(), HasSubstr("log: Permission denied"));
  disk.fail(DiskCall::Open, 2, EROFS);
  opened = SessionLogs::open(disk, options, sessions, now);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error(), "open log/GLOBAL.event.current.log: Read-only file system");
}

// 200 sessions have 400 files, some of which are always closed.
TEST_F(SessionLogsTest, more_sessions_than_files_may_be_open_lose_nothing) {
  std::vector<SessionLogOptions> sessions;
  constexpr std::size_t kSessions = 200;
  for (std::size_t i = 0; i < kSessions; ++i) {
    sessions.push_back({.prefix = "S" + std::to_string(i), .files = files});
  }
  auto opened = SessionLogs::open(disk, options, std::move(sessions), now);
  ASSERT_TRUE(opened);
  for (int times = 0; times < 3; ++times) {
    for (std::size_t i = 0; i < kSessions; ++i) (*opened)->received(i, "8=FIX", now);
    EXPECT_THAT((*opened)->turn(), IsEmpty());
  }
  for (std::size_t i = 0; i < kSessions; ++i) {
    const std::string line = "20240115-10:30:00.123456789 IN : 8=FIX\n";
    EXPECT_EQ(contents("log/S" + std::to_string(i) + ".messages.current.log"), line + line + line);
  }
}

class ManySessionsTest : public SessionLogsTest {
 protected:
  static constexpr std::size_t kAtOnce = 64;
  static constexpr std::size_t kLate = 150;  // one of those whose files are not opened at the start
  static constexpr std::size_t kSessions = 200;

  void open_many() {
    const LogFileOptions here = files;
    std::vector<SessionLogOptions> sessions;
    for (std::size_t i = 0; i < kSessions; ++i) {
      sessions.push_back({.prefix = "S" + std::to_string(i), .files = i == kLate ? late : here});
    }
    sessions.push_back({.prefix = "GLOBAL", .files = here});
    auto opened = SessionLogs::open(disk, options, std::move(sessions), now);
    error = opened ? "" : opened.error();
    if (opened) logs = std::move(*opened);
  }
  void receive_late(std::string_view bytes) {
    logs->received(kLate, bytes, now);
    report_notices();
  }
  static std::string messages_of(std::size_t session) {
    return "log/S" + std::to_string(session) + ".messages.current.log";
  }

  LogFileOptions late = files;
  std::string error;
};

TEST_F(ManySessionsTest, files_that_cannot_stay_open_are_made_with_their_first_lines) {
  open_many();
  ASSERT_EQ(error, "");
  EXPECT_EQ(contents(messages_of(kAtOnce - 1)), "");
  EXPECT_EQ(contents("log/GLOBAL.event.current.log"), "");
  EXPECT_EQ(contents(messages_of(kAtOnce)), "(absent)");
  EXPECT_EQ(contents(messages_of(kLate)), "(absent)");
  receive_late("first");
  EXPECT_EQ(contents(messages_of(kLate)), "20240115-10:30:00.123456789 IN : first\n");
  EXPECT_EQ(contents(messages_of(kAtOnce)), "(absent)");
  EXPECT_THAT(notices, IsEmpty());
}

TEST_F(ManySessionsTest, a_file_of_an_earlier_run_is_continued_by_its_first_line) {
  disk.set_contents(messages_of(kLate), "20240115-09:00:00.0 IN : 8=FI");
  open_many();
  receive_late("first");
  EXPECT_EQ(contents(messages_of(kLate)),
            "20240115-09:00:00.0 IN : 8=FI\n20240115-10:30:00.123456789 IN : first\n");
}

TEST_F(ManySessionsTest, a_file_that_cannot_be_opened_later_is_reported_and_its_lines_counted) {
  open_many();
  disk.fail(DiskCall::Open, 1, EACCES);
  receive_late("lost");
  EXPECT_THAT(notices, ElementsAre(HasSubstr(messages_of(kLate) + ": Permission denied")));
  EXPECT_EQ(logs->stats().lost_on_disk, 1U);
  now += seconds{1};
  receive_late("second");
  EXPECT_THAT(contents(messages_of(kLate)), HasSubstr(" LOST : 1 line was not logged"));
  EXPECT_THAT(contents(messages_of(kLate)), HasSubstr(" IN : second\n"));
  ASSERT_EQ(notices.size(), 2U);
  EXPECT_THAT(notices[1], HasSubstr("written again; 1 of its lines were lost"));
}

TEST_F(ManySessionsTest,
       a_folder_of_one_session_that_takes_no_file_is_named_by_an_error_at_the_start) {
  late.folder = "elsewhere";
  // The files of the first sessions, and then the only one of its folder.
  disk.fail(DiskCall::Open, 2 * kAtOnce + 1, EROFS);
  open_many();
  EXPECT_EQ(error, "open elsewhere/S150.messages.current.log: Read-only file system");
  late.backup_folder = "backups";
  disk.fail(DiskCall::MakeDirectories, 3, EACCES);
  open_many();
  EXPECT_THAT(error, HasSubstr("backups: Permission denied"));
}

class ScreenTest : public SessionLogsTest {
 protected:
  ScreenTest() {
    EXPECT_EQ(::pipe(ends), 0);
    options.screen_descriptor = ends[1];
    files.folder.clear();
  }
  ~ScreenTest() override {
    for (const int end : ends) ::close(end);
  }
  [[nodiscard]] std::string shown() const {
    std::string text(1U << 20U, '\0');
    pollfd ready{.fd = ends[0], .events = POLLIN, .revents = 0};
    std::size_t size = 0;
    while (::poll(&ready, 1, 0) == 1) {
      const ssize_t got = ::read(ends[0], text.data() + size, text.size() - size);
      if (got <= 0) break;
      size += static_cast<std::size_t>(got);
    }
    text.resize(size);
    return text;
  }

  int ends[2]{};
};

TEST_F(ScreenTest, shows_what_its_keys_select) {
  screen = {.has_outgoing = true, .has_events = true, .has_heartbeats = false};
  open();
  receive(fix("FIX.4.4", "35=D|"));
  logs->sent(kTrader, fix("FIX.4.4", "35=0|"), now);
  logs->sent(kTrader, "8=FIX.4.4\x01", now);
  logs->event(kTrader, EventId::CallbackThrew, "bad\n", now);
  report_notices();
  EXPECT_EQ(shown(),
            "20240115-10:30:00.123 OUT FIX.4.4:VENUE->TRADER 8=FIX.4.4|\n"
            "20240115-10:30:00.123 ERROR NXF-1060 FIX.4.4:VENUE->TRADER bad\\x0A\n");
  EXPECT_EQ(logs->stats().taken, 3U);
}

TEST_F(ScreenTest, a_blocked_screen_loses_lines_and_reports_them_when_it_continues) {
  screen.has_incoming = true;
  open();
  const std::string message(4'000, 'x');
  for (int i = 0; i < 40; ++i) receive(message);  // more than a pipe takes
  const std::uint64_t lost = logs->stats().lost_on_screen;
  EXPECT_GT(lost, 10U);
  static_cast<void>(shown());
  receive("next");
  EXPECT_THAT(shown(), HasSubstr(std::to_string(lost) + " lines were not shown\n20240115"));
}

TEST_F(ScreenTest, one_lost_line_is_one_line) {
  screen.has_incoming = true;
  open();
  while (logs->stats().lost_on_screen == 0) receive(std::string(4'000, 'x'));
  ASSERT_EQ(logs->stats().lost_on_screen, 1U);
  static_cast<void>(shown());
  receive("next");
  EXPECT_THAT(shown(), HasSubstr("1 line was not shown\n20240115"));
}

}  // namespace
}  // namespace nexusfix::observe
