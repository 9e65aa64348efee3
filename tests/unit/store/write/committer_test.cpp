#include "store/write/committer.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "support/disks/gated_disk.hpp"
#include "support/disks/temporary_folder.hpp"

namespace nexusfix::store {
namespace {

// A request that finds everything synced wakes no thread, and must not let the next one sleep.
TEST(Committer, each_request_wakes_its_thread_also_after_one_that_had_nothing_to_do) {
  const testing::TemporaryFolder folder;
  PosixDisk disk;
  // With this number, most sleep when they are needed.
  std::vector<std::unique_ptr<Committer>> committers;
  for (int i = 0; i < 30; ++i) {
    OpenSegment segment{
        .file = disk.open(folder.file("segment" + std::to_string(i)), OpenMode::Create).value(),
        .mapping = nullptr,
        .is_directory_entry_synced = true};
    committers.push_back(std::make_unique<Committer>(
        Committer::Options{
            .interval = std::chrono::hours{1}, .disk = &disk, .folder = folder.path()},
        std::move(segment), 0, 0));
    committers.back()->request();
  }
  // Without a wake they sleep for an hour.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{5};
  for (const auto& committer : committers) {
    committer->publish(1);
    committer->request();
    while (committer->synced() < 1) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "no thread woke it";
      std::this_thread::yield();
    }
  }
}

// The disk has something to do while a burst goes on.
TEST(Committer, many_bytes_are_synced_before_the_interval_is_over) {
  const testing::TemporaryFolder folder;
  testing::GatedDisk disk;
  OpenSegment segment{.file = disk.open(folder.file("segment"), OpenMode::Create).value(),
                      .mapping = nullptr,
                      .is_directory_entry_synced = true};
  disk.hold_syncs();
  Committer committer{
      Committer::Options{.interval = std::chrono::hours{1}, .disk = &disk, .folder = folder.path()},
      std::move(segment), 0, 0};
  committer.publish(1);
  committer.request();
  disk.wait_for_held_sync();
  constexpr LogPosition kEnd = 1 + Committer::kUnsyncedBytesMax;
  committer.publish(kEnd);
  disk.release_syncs();
  while (committer.synced() < kEnd) std::this_thread::yield();
  EXPECT_EQ(disk.syncs(), 2U);
}

}  // namespace
}  // namespace nexusfix::store
