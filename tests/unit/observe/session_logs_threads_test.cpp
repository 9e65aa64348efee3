// The event loop's thread and the background thread, on a real disk.
#include <atomic>
#include <chrono>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "observe/api/session_logs.hpp"
#include "support/disks/gated_disk.hpp"
#include "support/disks/temporary_folder.hpp"

namespace nexusfix::observe {
namespace {

constexpr WallTime kMorning{std::chrono::nanoseconds{1'705'314'600'123'456'789}};

class SessionLogsThreads : public ::testing::Test {
 protected:
  void open(std::size_t queue_bytes, std::uint64_t bytes_max = 0) {
    LogFileOptions files{
        .folder = folder.path() + "/log", .bytes_max = bytes_max, .free_bytes_min = 0};
    auto opened = SessionLogs::open(disk, {.queue_bytes = queue_bytes},
                                    {{.prefix = "A", .files = files}}, kMorning);
    ASSERT_TRUE(opened) << opened.error();
    logs = std::move(*opened);
  }
  // The lines of all files, in their order.
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (int n = 1;; ++n) {
      std::ifstream file{folder.path() + "/log/A.messages.backup." + std::to_string(n) + ".log"};
      if (!file) break;
      for (std::string line; std::getline(file, line);) all.push_back(line);
    }
    std::ifstream file{folder.path() + "/log/A.messages.current.log"};
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }

  testing::TemporaryFolder folder;
  testing::GatedDisk disk;
  std::unique_ptr<SessionLogs> logs;
};

TEST_F(SessionLogsThreads, every_queued_message_is_logged_once_and_in_order) {
  constexpr int kMessages = 20'000;
  open(1U << 20U, 100'000);
  std::atomic<bool> done{false};
  // Any thread may read the statistics, and have the files opened again.
  std::thread other{[&] {
    while (!done) {
      logs->reopen();
      static_cast<void>(logs->stats());
      std::this_thread::yield();
    }
  }};
  for (int i = 0; i < kMessages; ++i) {
    while (true) {
      const std::uint64_t lost = logs->stats().lost_in_queue;
      logs->received(0, "8=FIX.4.4\x01" + std::to_string(i), kMorning);
      if (logs->stats().lost_in_queue == lost) break;
    }
    if (i % 100 == 0) static_cast<void>(logs->turn());
  }
  done = true;
  other.join();
  const SessionLogsStats stats = logs->stats();
  logs.reset();
  int next = 0;
  for (const std::string& line : lines()) {
    if (line.find(" LOST : ") != std::string::npos) continue;
    ASSERT_TRUE(line.ends_with("8=FIX.4.4\x01" + std::to_string(next))) << line;
    ++next;
  }
  EXPECT_EQ(next, kMessages);
  EXPECT_EQ(stats.taken, static_cast<std::uint64_t>(kMessages));
}

TEST_F(SessionLogsThreads, a_blocked_disk_delays_no_thread_and_losses_are_reported) {
  open(64U << 10U);
  disk.hold_changes();
  logs->received(0, "first", kMorning);
  disk.wait_for_held_change();
  const std::string message(1'000, 'x');
  // This thread continues whatever the disk does.
  for (int i = 0; i < 1'000; ++i) {
    logs->received(0, message, kMorning + std::chrono::milliseconds{i});
  }
  const std::uint64_t lost = logs->stats().lost_in_queue;
  EXPECT_GT(lost, 900U);
  std::vector<LogNotice> notices = logs->turn();
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].id, EventId::LogQueueFull);
  disk.release_changes();
  while (notices.size() < 2) {
    for (LogNotice& notice : logs->turn()) notices.push_back(std::move(notice));
    std::this_thread::yield();
  }
  EXPECT_THAT(notices[1].text, ::testing::HasSubstr(std::to_string(lost) + " messages and events"));
  logs.reset();
  const auto all = lines();
  EXPECT_EQ(all.size(), 1'001 - lost + 1);
  EXPECT_THAT(all.back(), ::testing::HasSubstr(" LOST : " + std::to_string(lost) +
                                               " messages and events were "
                                               "not logged, from "));
}

}  // namespace
}  // namespace nexusfix::observe
