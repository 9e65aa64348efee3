// Logs on real file systems that fail: full, forbidden, gone. A line is lost and reported; nothing
// else is delayed.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "observe/api/session_logs.hpp"
#include "support/disks/own_mounts.hpp"
#include "support/disks/passing_disk.hpp"
#include "support/disks/temporary_folder.hpp"

namespace nexusfix::observe {
namespace {

using ::testing::HasSubstr;

class LogRealFaults : public ::testing::Test {
 protected:
  void open() {
    files.folder = disk_folder() + "/log";
    auto opened = SessionLogs::open(disk, {}, {{.prefix = "A", .files = files}}, now);
    ASSERT_TRUE(opened) << opened.error();
    logs = std::move(*opened);
  }
  void receive(std::string_view bytes) {
    logs->received(0, bytes, now);
    for (const LogNotice& notice : logs->turn()) notices.push_back(notice.text);
    now += std::chrono::seconds{1};
  }
  [[nodiscard]] std::string disk_folder() const { return folder.file("disk"); }
  [[nodiscard]] std::string contents() const {
    std::ostringstream text;
    text << std::ifstream{disk_folder() + "/log/A.messages.current.log"}.rdbuf();
    return text.str();
  }
  void run_on_small_disk(const std::string& size, const std::function<void()>& body) {
    std::filesystem::create_directory(disk_folder());
    const int status = testing::in_child([&] {
      if (!testing::own_mounts() || !testing::mount_tmpfs(disk_folder(), "size=" + size)) {
        return testing::kCannotMount;
      }
      body();
      return 0;
    });
    if (status == testing::kCannotMount) {
      GTEST_SKIP() << "only root can mount here: the kernel has no user namespaces";
    }
    EXPECT_EQ(status, 0);
  }

  testing::TemporaryFolder folder;
  testing::OneThreadDisk disk;  // turn() writes
  LogFileOptions files{.free_bytes_min = 0};
  WallTime now{std::chrono::seconds{1'705'314'600}};
  std::unique_ptr<SessionLogs> logs;
  std::vector<std::string> notices;
};

// Catalogue D18.
TEST_F(LogRealFaults, a_full_disk_loses_whole_lines_and_the_log_continues_when_there_is_room) {
  run_on_small_disk("256k", [&] {
    const std::string ballast = disk_folder() + "/ballast";
    std::ofstream{ballast} << std::string(128U << 10U, 'b');
    open();
    for (int i = 0; i < 200; ++i) receive(std::string(1'000, 'x'));
    ASSERT_EQ(notices.size(), 1U);
    EXPECT_THAT(notices[0], HasSubstr("No space left on device"));
    const std::uint64_t lost = logs->stats().lost_on_disk;
    EXPECT_GT(lost, 50U);
    std::filesystem::remove(ballast);
    receive("goes on");
    ASSERT_EQ(notices.size(), 2U);
    EXPECT_THAT(notices[1], HasSubstr(std::to_string(lost) + " of its lines were lost"));
    logs.reset();
    std::istringstream lines{contents()};
    std::uint64_t whole = 0;
    std::string last;
    for (std::string line; std::getline(lines, line); last = line) {
      if (line.ends_with(" IN : " + std::string(1'000, 'x'))) ++whole;
    }
    EXPECT_EQ(whole + lost, 200U);
    EXPECT_TRUE(last.ends_with(" IN : goes on")) << last;
    EXPECT_NE(contents().find("LOST : " + std::to_string(lost) + " lines were not"),
              std::string::npos);
  });
}

// Catalogue D18: the last free space of the disk is for the store.
TEST_F(LogRealFaults, messages_are_not_logged_before_the_disk_is_full_and_events_are) {
  run_on_small_disk("1m", [&] {
    files.free_bytes_min = 512U << 10U;
    open();
    for (int i = 0; i < 1'000; ++i) receive(std::string(1'000, 'x'));
    logs->event(0, EventId::StoreFailed, "what happened", now);
    receive("lost");
    EXPECT_GE(*disk.free_bytes(disk_folder()), 500U << 10U);
    ASSERT_EQ(notices.size(), 1U);
    EXPECT_THAT(notices[0], HasSubstr("messages are not logged until there are 524288"));
    std::ifstream events{disk_folder() + "/log/A.event.current.log"};
    std::string line;
    EXPECT_TRUE(std::getline(events, line) && line.ends_with("what happened"));
    std::filesystem::resize_file(disk_folder() + "/log/A.messages.current.log", 0);
    receive("goes on");
    EXPECT_THAT(contents(), HasSubstr("IN : goes on"));
    EXPECT_THAT(contents(), HasSubstr("lines were not logged"));
    EXPECT_THAT(notices.back(), HasSubstr("messages are logged"));
  });
}

TEST_F(LogRealFaults, limits_hold_the_logs_to_their_own_share_of_the_disk) {
  files.bytes_max = 10'000;
  files.backups_max = 3;
  open();
  for (int i = 0; i < 500; ++i) receive(std::string(1'000, 'x'));
  std::uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator{files.folder}) {
    bytes += file.file_size();
  }
  EXPECT_LE(bytes, 4 * 10'000U);
  EXPECT_EQ(logs->stats().lost_on_disk, 0U);
}

TEST_F(LogRealFaults, files_have_the_configured_permissions) {
  const auto mode_of = [&](const std::string& name) {
    using std::filesystem::perms;
    const perms found = std::filesystem::status(files.folder + "/" + name).permissions();
    return static_cast<unsigned>(found & perms::mask);
  };
  open();
  receive("first");
  EXPECT_EQ(mode_of("A.messages.current.log"), 0600U);
  files.permissions = 0640;
  files.bytes_max = 100;
  open();
  EXPECT_EQ(mode_of("A.messages.current.log"), 0640U);
  EXPECT_EQ(mode_of("A.event.current.log"), 0640U);
  for (int i = 0; i < 5; ++i) receive(std::string(60, 'x'));
  EXPECT_EQ(mode_of("A.messages.current.log"), 0640U);
  EXPECT_EQ(mode_of("A.messages.backup.1.log"), 0640U);
  std::filesystem::remove(files.folder + "/A.event.current.log");
  logs->reopen();
  receive("last");
  EXPECT_EQ(mode_of("A.event.current.log"), 0640U);
}

TEST_F(LogRealFaults, a_folder_that_vanishes_is_made_again) {
  open();
  receive("first");
  std::filesystem::remove_all(disk_folder());
  receive("second");
  receive("third");
  EXPECT_THAT(contents(), HasSubstr("IN : second\n"));
  EXPECT_THAT(contents(), HasSubstr("IN : third\n"));
  EXPECT_EQ(logs->stats().lost_on_disk, 0U);
}

TEST_F(LogRealFaults, a_folder_that_becomes_a_file_loses_lines_until_it_is_a_folder_again) {
  open();
  receive("first");
  std::filesystem::remove_all(files.folder);
  std::ofstream{files.folder} << "in the way";
  receive("lost");
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_THAT(notices[0], HasSubstr(files.folder));
  std::filesystem::remove(files.folder);
  receive("third");
  EXPECT_THAT(contents(), HasSubstr("LOST : 1 line was not logged"));
  EXPECT_THAT(contents(), HasSubstr("IN : third\n"));
}

}  // namespace
}  // namespace nexusfix::observe
