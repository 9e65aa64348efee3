// Backups of log files that are packed (LogCompress) and removed by their age (LogKeepDays). On a
// disk in memory, which takes no threads: turn() has done everything when it returns.
#include "observe/log_backups.hpp"

#include <cerrno>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>
#include <zstd.h>

#include <nexusfix/observe/logs.hpp>

#include "observe/api/logs.hpp"
#include "observe/api/session_logs.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/fix_text.hpp"

namespace nexusfix::observe {
namespace {

using std::chrono::days;
using testing::DiskCall;
using testing::FakeDisk;
using testing::fix;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr WallTime kMorning{std::chrono::nanoseconds{1'705'314'600'123'456'789}};
const std::string kCurrent = "log/A.messages.current.log";

std::string backup(int number) {
  return "log/A.messages.backup." + std::to_string(number) + ".log";
}
std::string packed(int number) { return backup(number) + ".zst"; }

class LogBackups : public ::testing::Test {
 protected:
  LogBackups() {
    files.folder = "log";
    files.free_bytes_min = 0;
    files.bytes_max = 100;  // each line rotates the file
    files.is_compressed = true;
  }
  void open() {
    auto opened =
        SessionLogs::open(disk, {.compression = log_compression_part()},
                          {{.name = "A", .prefix = "A", .files = files, .screen = {}}}, now);
    ASSERT_TRUE(opened) << opened.error();
    logs = std::move(*opened);
  }
  // Logs a message with this text.
  void receive(const std::string& text) {
    logs->received(0, fix("FIX.4.4", "35=B|58=" + text + "|"), now);
    for (const LogNotice& notice : logs->turn()) notices.push_back(notice);
  }
  // "(absent)", or the unpacked bytes.
  std::string unpack(const std::string& path) {
    if (!disk.exists(path)) return "(absent)";
    const std::string bytes = disk.contents(path);
    std::string text(ZSTD_getFrameContentSize(bytes.data(), bytes.size()), '\0');
    const std::size_t size = ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size());
    EXPECT_EQ(size, text.size()) << path;
    return text;
  }
  // Every line that is anywhere on the disk: a text must be in exactly one file, or in both forms
  // of one backup.
  bool has_line(const std::string& text) {
    for (int n = 1; n <= 9; ++n) {
      if (disk.exists(backup(n)) && disk.contents(backup(n)).find(text) != std::string::npos) {
        return true;
      }
      if (unpack(packed(n)).find(text) != std::string::npos) return true;
    }
    return disk.exists(kCurrent) && disk.contents(kCurrent).find(text) != std::string::npos;
  }

  FakeDisk disk;
  LogFileOptions files;
  WallTime now = kMorning;
  std::unique_ptr<SessionLogs> logs;
  std::vector<LogNotice> notices;
};

TEST_F(LogBackups, backup_is_packed_and_has_every_byte) {
  open();
  receive("one");
  const std::string line = disk.contents(kCurrent);
  receive("two");
  EXPECT_EQ(unpack(packed(1)), line);
  EXPECT_FALSE(disk.exists(backup(1)));
  EXPECT_THAT(notices, IsEmpty());
}

TEST_F(LogBackups, numbers_go_on_after_packed_backups_and_both_forms_count) {
  files.backups_max = 2;
  open();
  for (const char* text : {"one", "two", "three", "four"}) receive(text);
  EXPECT_FALSE(disk.exists(packed(1)));
  EXPECT_TRUE(disk.exists(packed(2)));
  EXPECT_TRUE(disk.exists(packed(3)));
  logs.reset();
  files.is_compressed = false;
  open();
  receive("five");
  EXPECT_FALSE(disk.exists(packed(2)));
  EXPECT_TRUE(disk.exists(packed(3)));
  EXPECT_TRUE(disk.exists(backup(4)));
}

TEST_F(LogBackups, both_forms_of_one_backup_count_once) {
  files.backups_max = 3;
  files.is_compressed = false;
  for (const std::string& path : {backup(1), backup(2), packed(2)}) disk.set_contents(path, "old");
  open();
  receive("one");
  receive("two");
  EXPECT_TRUE(disk.exists(backup(1)));
  EXPECT_TRUE(disk.exists(backup(3)));
}

// Also of a backup that is not there any more, and if logs are no longer packed.
TEST_F(LogBackups, what_a_killed_process_left_of_a_packing_is_removed) {
  for (const bool is_compressed : {true, false}) {
    files.is_compressed = is_compressed;
    for (const int number : {1, 7}) disk.set_contents(packed(number) + ".part", "half");
    const std::string others[] = {"log/B.messages.backup.1.log.zst.part", "log/notes.part",
                                  backup(3) + ".part"};
    for (const std::string& other : others) disk.set_contents(other, "of others");
    open();
    receive("one");
    EXPECT_FALSE(disk.exists(packed(1) + ".part"));
    EXPECT_FALSE(disk.exists(packed(7) + ".part"));
    for (const std::string& other : others) EXPECT_TRUE(disk.exists(other)) << other;
    EXPECT_THAT(notices, IsEmpty());
    logs.reset();
  }
}

// The process is killed, or the disk fails, at any call: no line is lost, and the next run packs
// what was left.
TEST_F(LogBackups, failure_of_any_call_loses_no_line) {
  unsigned calls = 1;
  for (bool was_hit = true; was_hit && calls < 100; ++calls) {
    disk = FakeDisk{};
    logs.reset();
    files.is_compressed = false;
    open();
    receive("one");
    receive("two");
    logs.reset();
    files.is_compressed = true;
    disk.fail_any(calls, EIO);
    auto opened =
        SessionLogs::open(disk, {.compression = log_compression_part()},
                          {{.name = "A", .prefix = "A", .files = files, .screen = {}}}, now);
    if (opened) {
      logs = std::move(*opened);
      receive("three");
      logs.reset();
    }
    was_hit = disk.faults_hit() > 0;
    disk.process_death();
    EXPECT_TRUE(has_line("58=one")) << calls;
    EXPECT_TRUE(has_line("58=two")) << calls;
    open();
    receive("four");
    EXPECT_TRUE(has_line("58=one")) << calls;
    EXPECT_FALSE(disk.exists(backup(1))) << calls;
    EXPECT_FALSE(disk.exists(packed(1) + ".part")) << calls;
  }
  EXPECT_GT(calls, 10U);
}

TEST_F(LogBackups, full_disk_leaves_the_backup_and_is_reported_once) {
  open();
  receive("one");
  disk.fail(DiskCall::Write, 2, ENOSPC);  // the first one is that of the next line
  receive("two");
  EXPECT_TRUE(disk.exists(backup(1)));
  EXPECT_FALSE(disk.exists(packed(1)));
  EXPECT_FALSE(disk.exists(packed(1) + ".part"));
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].id, EventId::LogNotPacked);
  EXPECT_THAT(notices[0].text, HasSubstr("No space left on device"));
  receive("three");
  EXPECT_FALSE(disk.exists(backup(1)));
  EXPECT_TRUE(has_line("58=one"));
  EXPECT_EQ(notices.size(), 1U);
}

TEST_F(LogBackups, old_backups_are_removed_with_the_first_line_of_a_day) {
  files.keep_for = days{3};
  open();
  receive("one");
  receive("two");
  receive("three");
  disk.set_written_at(packed(1), now);
  disk.set_written_at(packed(2), now + days{1});
  files.bytes_max = 0;
  now += days{3};
  static_cast<void>(logs->add({.name = "A", .prefix = "A", .files = files, .screen = {}}));
  logs->received(1, fix("FIX.4.4", "35=0|"), now);
  static_cast<void>(logs->turn());
  EXPECT_TRUE(disk.exists(packed(1)));
  now += days{1};
  logs->received(1, fix("FIX.4.4", "35=0|"), now);
  static_cast<void>(logs->turn());
  EXPECT_FALSE(disk.exists(packed(1)));
  EXPECT_TRUE(disk.exists(packed(2)));
}

// A day without a time of writing: nothing is removed by guess.
TEST_F(LogBackups, disk_without_times_keeps_every_backup) {
  files.keep_for = days{1};
  open();
  receive("one");
  receive("two");
  now += days{30};
  receive("three");
  EXPECT_TRUE(disk.exists(packed(1)));
}

// On a real disk a thread packs. Its end may interrupt it; the next run packs what is left.
TEST(LogBackupsOnARealDisk, are_packed_by_a_thread_in_this_run_or_the_next) {
  const testing::TemporaryFolder folder;
  PosixDisk disk;
  const std::string log = folder.path() + "/log";
  LogFileOptions files;
  files.folder = log;
  files.bytes_max = 100;
  files.backups_max = 100;
  files.is_compressed = true;
  const auto run = [&] {
    auto logs =
        SessionLogs::open(disk, {.compression = log_compression_part()},
                          {{.name = "A", .prefix = "A", .files = files, .screen = {}}}, kMorning);
    ASSERT_TRUE(logs) << logs.error();
    for (int i = 0; i < 20; ++i) (*logs)->received(0, fix("FIX.4.4", "35=0|"), kMorning);
  };
  run();
  run();
  const auto unpacked = [&] {
    std::size_t count = 0;
    const auto names = disk.list(log);
    for (const std::string& name : *names) {
      const auto backup = read_backup_name(name, "A.messages");
      if (backup && !backup->is_packed) ++count;
    }
    return count;
  };
  auto logs =
      SessionLogs::open(disk, {.compression = log_compression_part()},
                        {{.name = "A", .prefix = "A", .files = files, .screen = {}}}, kMorning);
  ASSERT_TRUE(logs) << logs.error();
  (*logs)->received(0, fix("FIX.4.4", "35=0|"), kMorning);
  while (unpacked() != 0) std::this_thread::yield();
  EXPECT_GT(disk.list(log)->size(), 20U);
  EXPECT_GT(disk.written_at(log + "/A.messages.backup.1.log.zst").value(), kMorning);
}

}  // namespace
}  // namespace nexusfix::observe
