// The thread that prepares segments: it goes on without memory, and keeps their order.
#include "store/write/segment_supply.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "support/disks/gated_disk.hpp"
#include "support/disks/temporary_folder.hpp"

namespace nexusfix::store {
namespace {

// There is no memory in this number of these calls.
class ForgetfulDisk final : public Disk {
 public:
  std::atomic<int> opens_without{0};
  std::atomic<int> syncs_without{0};

  DiskResult<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    need_memory(opens_without);
    return disk_.open(path, mode);
  }
  DiskResult<void> make_directories(const std::string& path) override {
    return disk_.make_directories(path);
  }
  DiskResult<std::vector<std::string>> list(const std::string& path) override {
    return disk_.list(path);
  }
  DiskResult<void> remove(const std::string& path) override { return disk_.remove(path); }
  DiskResult<void> sync_directory(const std::string& path) override {
    need_memory(syncs_without);
    return disk_.sync_directory(path);
  }
  bool takes_threads() const noexcept override { return true; }

 private:
  static void need_memory(std::atomic<int>& without) {
    if (without > 0) {
      --without;
      throw std::bad_alloc{};
    }
  }
  PosixDisk disk_;
};

class SegmentSupplyTest : public ::testing::Test {
 protected:
  DiskError shortage() {
    while (!supply_.has_shortage()) std::this_thread::yield();
    const auto shortage = supply_.consume_shortage();
    EXPECT_TRUE(shortage);
    EXPECT_FALSE(supply_.consume_shortage()) << "reported once";
    return shortage.value_or(DiskError{});
  }

  testing::TemporaryFolder folder_;
  ForgetfulDisk disk_;
  SegmentSupply supply_{disk_,
                        {.folder = folder_.path(),
                         .segment_bytes = 4'096,
                         .maps = true,
                         .syncs_directory_entries = true,
                         .background = true}};
};

TEST_F(SegmentSupplyTest,
       a_segment_for_which_there_is_no_memory_is_reported_and_made_when_there_is) {
  disk_.opens_without = 1;
  supply_.prepare(1);
  EXPECT_EQ(shortage().error_number, ENOMEM);
  EXPECT_TRUE(supply_.is_short());
  supply_.prepare(1);
  const auto taken = supply_.take(1, 100);
  ASSERT_TRUE(taken) << taken.error().what();
  EXPECT_EQ(taken->reserved_bytes, 4'096U);
  EXPECT_TRUE(taken->is_directory_entry_synced);
  EXPECT_FALSE(supply_.is_short());
}

TEST_F(SegmentSupplyTest, a_sync_for_which_there_is_no_memory_is_reported_and_not_waited_for) {
  disk_.syncs_without = 1;
  supply_.prepare(1);
  EXPECT_EQ(shortage().what(), "get memory for a segment: Cannot allocate memory");
  const auto taken = supply_.take(1, 100);
  ASSERT_TRUE(taken) << taken.error().what();
  EXPECT_TRUE(taken->is_directory_entry_synced);
  supply_.close();
}

// Another journal's folder has come in the place of this one's.
TEST_F(SegmentSupplyTest, a_file_that_was_opened_is_never_emptied) {
  const std::string path = folder_.file("0000000001.journal");
  const std::string begun = "NXFXJRNL and what follows";
  {
    PosixDisk disk;
    const auto file = disk.open(path, OpenMode::Create);
    ASSERT_TRUE(file && (*file)->write_at(0, begun));
  }
  supply_.prepare(1);
  EXPECT_EQ(shortage().error_number, EEXIST);
  const auto taken = supply_.take(1, 100);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().what(), "begin " + path + ": File exists");
  PosixDisk disk;
  EXPECT_EQ(read_file(disk, path, 1000), begun);
}

// A segment is taken while its first sync is under way.
class SegmentTakenEarly : public ::testing::Test {
 protected:
  void SetUp() override {
    disk_.hold_folder_syncs();
    supply_.prepare(1);
    disk_.wait_for_held_folder_sync();
    auto taken = supply_.take(1, 100);
    ASSERT_TRUE(taken) << taken.error().what();
    first_sync_ = taken->first_sync;
    ASSERT_NE(first_sync_, nullptr);
    EXPECT_FALSE(first_sync_->has_succeeded());
  }
  void TearDown() override { disk_.release_folder_syncs(); }

  testing::TemporaryFolder folder_;
  std::string second_ = folder_.file("0000000002.journal");
  testing::GatedDisk disk_;
  std::shared_ptr<PendingSync> first_sync_;
  SegmentSupply supply_{disk_,
                        {.folder = folder_.path(),
                         .segment_bytes = 4'096,
                         .maps = true,
                         .syncs_directory_entries = true,
                         .leaves_syncs = true,
                         .background = true}};
};

TEST_F(SegmentTakenEarly, the_next_one_is_made_after_that_sync) {
  supply_.prepare(2);
  EXPECT_EQ(disk_.creations(second_), 0U);
  disk_.release_folder_syncs();
  EXPECT_TRUE(first_sync_->wait());
  EXPECT_TRUE(first_sync_->has_succeeded());
  while (disk_.creations(second_) == 0) std::this_thread::yield();
  EXPECT_TRUE(supply_.take(2, 100));
}

TEST_F(SegmentTakenEarly, the_next_one_is_not_made_if_it_is_requested_after_that_sync_has_failed) {
  disk_.fail_folder_syncs(EIO);
  disk_.release_folder_syncs();
  EXPECT_FALSE(first_sync_->wait());
  supply_.close();  // waits until that sync is noted
  disk_.fail_folder_syncs(0);
  supply_.prepare(2);
  std::this_thread::sleep_for(std::chrono::milliseconds{20});  // nothing says that it does nothing
  EXPECT_EQ(disk_.creations(second_), 0U);
}

TEST_F(SegmentTakenEarly, the_next_one_is_not_made_if_that_sync_fails) {
  supply_.prepare(2);
  disk_.fail_folder_syncs(EIO);
  disk_.release_folder_syncs();
  EXPECT_FALSE(first_sync_->wait());
  EXPECT_FALSE(first_sync_->has_succeeded());
  supply_.close();  // waits for what is being made
  EXPECT_EQ(disk_.creations(second_), 0U);
}

}  // namespace
}  // namespace nexusfix::store
