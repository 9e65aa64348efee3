#include <cerrno>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include <nexusfix/simulator/simulated_disk.hpp>

namespace nexusfix::simulator {
namespace {

struct SimulatedDiskTest : ::testing::Test {
  SimulatedDiskTest() {
    life.begin();
    EXPECT_TRUE(disk.make_directories("/d"));
  }

  std::unique_ptr<File> create(const std::string& path) {
    auto file = disk.open(path, OpenMode::Create);
    EXPECT_TRUE(file);
    return std::move(*file);
  }
  std::string content(const std::string& path) {
    const auto read = read_file(disk, path, 1'000'000);
    return read ? *read : "(" + read.error().what() + ")";
  }
  std::uint64_t count_of(Fault fault) const { return counts[static_cast<std::size_t>(fault)]; }

  ProcessLife life;
  SeededRandom random{7};
  FaultCounts counts{};
  SimulatedDisk disk{life, random, counts};
};

// The contract of nexusfix/base/disk.hpp.
TEST_F(SimulatedDiskTest, synced_writes_survive_a_loss_of_power) {
  const auto file = create("/d/a");
  ASSERT_TRUE(file->write_at(0, std::string_view{"hello "}));
  ASSERT_TRUE(file->write_at(6, std::string_view{"world"}));
  ASSERT_TRUE(file->sync());
  ASSERT_TRUE(disk.sync_directory("/d"));
  disk.lose_power();
  life.begin();
  EXPECT_EQ(content("/d/a"), "hello world");
}

TEST_F(SimulatedDiskTest, a_new_file_is_reported_once_and_again_after_its_removal) {
  int created = 0;
  disk.on_create([&] { ++created; });
  create("/d/a");
  create("/d/a");
  create("/d/b");
  EXPECT_EQ(created, 2);
  ASSERT_TRUE(disk.remove("/d/a"));
  EXPECT_FALSE(disk.open("/d/a", OpenMode::Read));
  create("/d/a");
  EXPECT_EQ(created, 3);
}

TEST_F(SimulatedDiskTest, a_file_whose_removal_was_not_synced_may_be_back) {
  int back = 0;
  for (int i = 0; i < 100; ++i) {
    const std::string path = "/d/" + std::to_string(i);
    ASSERT_TRUE(create(path)->write_at(0, std::string_view{"kept"}));
    ASSERT_TRUE(disk.open(path, OpenMode::ReadWrite).value()->sync());
    ASSERT_TRUE(disk.sync_directory("/d"));
    ASSERT_TRUE(disk.remove(path));
    if (i % 2 == 0) {
      ASSERT_TRUE(disk.sync_directory("/d"));
    }
    disk.lose_power();
    life.begin();
    const bool is_back = content(path) == "kept";
    EXPECT_FALSE(is_back && i % 2 == 0) << "its removal was synced";
    if (is_back) ++back;
  }
  EXPECT_GT(back, 10);
  EXPECT_LT(back, 40);
}

TEST_F(SimulatedDiskTest, a_loss_of_power_keeps_a_beginning_of_the_unsynced_writes) {
  const std::string all = "synced, 0123456789abcdefghij";
  bool lost_some = false;
  for (int i = 0; i < 50; ++i) {
    const std::string path = "/d/" + std::to_string(i);
    const auto file = create(path);
    ASSERT_TRUE(file->write_at(0, std::string_view{all}.substr(0, 8)));
    ASSERT_TRUE(file->sync());
    ASSERT_TRUE(disk.sync_directory("/d"));
    ASSERT_TRUE(file->write_at(8, std::string_view{all}.substr(8, 10)));
    ASSERT_TRUE(file->write_at(18, std::string_view{all}.substr(18)));
    disk.lose_power();
    life.begin();
    const std::string left = content(path);
    EXPECT_GE(left.size(), 8U);
    EXPECT_EQ(left, all.substr(0, left.size()));
    lost_some |= left.size() < all.size();
  }
  EXPECT_TRUE(lost_some);
}

TEST_F(SimulatedDiskTest, an_unsynced_overwrite_and_truncation_are_undone) {
  bool was_undone = false;
  for (int i = 0; i < 50; ++i) {
    const std::string path = "/d/" + std::to_string(i);
    const auto file = create(path);
    ASSERT_TRUE(file->write_at(0, std::string_view{"0123456789"}));
    ASSERT_TRUE(file->sync());
    ASSERT_TRUE(disk.sync_directory("/d"));
    ASSERT_TRUE(file->truncate(4));
    ASSERT_TRUE(file->write_at(2, std::string_view{"xxxx"}));
    disk.lose_power();
    life.begin();
    was_undone |= content(path) == "0123456789";
  }
  EXPECT_TRUE(was_undone);
}

TEST_F(SimulatedDiskTest, the_death_of_a_process_keeps_its_writes_and_releases_its_lock) {
  auto file = create("/d/a");
  ASSERT_TRUE(file->write_at(0, std::string_view{"kept"}));
  ASSERT_EQ(file->try_lock(), true);
  ASSERT_EQ(create("/d/a")->try_lock(), false);
  life.end();
  EXPECT_FALSE(file->write_at(4, std::string_view{"never"}));
  disk.end_process();
  life.begin();
  EXPECT_EQ(content("/d/a"), "kept");
  EXPECT_EQ(create("/d/a")->try_lock(), true);
  // A File of the dead process stays dead while another process lives.
  EXPECT_FALSE(file->write_at(4, std::string_view{"never"}));
}

TEST_F(SimulatedDiskTest, a_process_that_dies_in_a_write_leaves_a_beginning_of_it) {
  const std::string bytes(100, 'x');
  for (int i = 0; i < 20; ++i) {
    const std::string path = "/d/" + std::to_string(i);
    const auto file = create(path);
    life.end_in_write();
    EXPECT_FALSE(file->write_at(0, bytes));
    EXPECT_FALSE(life.alive());
    life.begin();
    EXPECT_LE(content(path).size(), bytes.size());
  }
  EXPECT_GT(count_of(Fault::TornWrite), 0U);
}

TEST_F(SimulatedDiskTest, a_full_disk_refuses_writes_until_it_has_room_again) {
  const auto file = create("/d/a");
  disk.set_full(true);
  const auto refused = file->write_at(0, std::string_view{"x"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error_number, ENOSPC);
  EXPECT_FALSE(disk.open("/d/new", OpenMode::Create));
  EXPECT_EQ(count_of(Fault::DiskFull), 2U);
  disk.set_full(false);
  EXPECT_TRUE(file->write_at(0, std::string_view{"x"}));
}

TEST_F(SimulatedDiskTest, one_write_and_one_sync_fail_and_the_next_do_not) {
  const auto file = create("/d/a");
  disk.fail_next_write();
  disk.fail_next_sync(false);
  EXPECT_FALSE(file->write_at(0, std::string_view{"x"}));
  EXPECT_TRUE(file->write_at(0, std::string_view{"x"}));
  EXPECT_FALSE(file->sync());
  EXPECT_TRUE(file->sync());
  EXPECT_EQ(count_of(Fault::WriteError), 1U);
  EXPECT_EQ(count_of(Fault::SyncError), 1U);
}

}  // namespace
}  // namespace nexusfix::simulator
