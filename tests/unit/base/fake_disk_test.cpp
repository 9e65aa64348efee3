// The store's tests prove only as much as this fake is right, so it is tested like the product.
#include "support/disks/fake_disk.hpp"

#include <array>
#include <cerrno>
#include <gtest/gtest.h>

namespace {

using nexusfix::File;
using nexusfix::OpenMode;
using nexusfix::testing::DiskCall;
using nexusfix::testing::FakeDisk;

class FakeDiskTest : public ::testing::Test {
 protected:
  FakeDiskTest() { EXPECT_TRUE(disk_.make_directories("/f")); }
  std::unique_ptr<File> create(const std::string& path) {
    return std::move(disk_.open(path, OpenMode::Create).value());
  }
  std::unique_ptr<File> create_durable(const std::string& path) {
    auto file = create(path);
    EXPECT_TRUE(disk_.sync_directory("/f"));
    return file;
  }

  FakeDisk disk_;
};

TEST_F(FakeDiskTest, power_loss_keeps_only_what_was_synced) {
  auto file = create_durable("/f/a");
  ASSERT_TRUE(file->write_at(0, std::string_view{"synced"}));
  ASSERT_TRUE(file->sync());
  ASSERT_TRUE(file->write_at(6, std::string_view{" not"}));
  EXPECT_EQ(disk_.unsynced_bytes(), 4U);
  disk_.power_loss();
  EXPECT_EQ(disk_.contents("/f/a"), "synced");
}

TEST_F(FakeDiskTest, power_loss_can_tear_at_any_byte) {
  for (std::size_t kept = 0; kept <= 7; ++kept) {
    FakeDisk disk;
    ASSERT_TRUE(disk.make_directories("/f"));
    auto file = std::move(disk.open("/f/a", OpenMode::Create).value());
    ASSERT_TRUE(disk.sync_directory("/f"));
    ASSERT_TRUE(file->write_at(0, std::string_view{"abc"}));
    ASSERT_TRUE(file->write_at(3, std::string_view{"defg"}));
    disk.power_loss(kept);
    EXPECT_EQ(disk.contents("/f/a"), std::string_view{"abcdefg"}.substr(0, kept));
  }
}

TEST_F(FakeDiskTest, power_loss_forgets_names_that_were_not_synced) {
  create_durable("/f/a");
  auto file = create("/f/b");
  ASSERT_TRUE(file->write_at(0, std::string_view{"x"}));
  ASSERT_TRUE(file->sync());
  ASSERT_TRUE(disk_.remove("/f/a"));
  disk_.power_loss();
  EXPECT_TRUE(disk_.exists("/f/a"));
  EXPECT_FALSE(disk_.exists("/f/b"));
}

TEST_F(FakeDiskTest, process_death_keeps_what_was_written_and_tears_the_last_write) {
  auto file = create("/f/a");
  ASSERT_TRUE(file->write_at(0, std::string_view{"abc"}));
  ASSERT_TRUE(file->write_at(3, std::string_view{"def"}));
  disk_.process_death(2);
  EXPECT_EQ(disk_.contents("/f/a"), "abcd");
  EXPECT_FALSE(file->write_at(0, std::string_view{"zombie"}));
  EXPECT_EQ(disk_.contents("/f/a"), "abcd");
}

TEST_F(FakeDiskTest, a_lock_excludes_others_and_is_released_with_its_file_or_process) {
  auto first = create("/f/a");
  auto second = create("/f/a");
  EXPECT_EQ(first->try_lock(), true);
  EXPECT_EQ(second->try_lock(), false);
  first.reset();
  EXPECT_EQ(second->try_lock(), true);
  disk_.process_death();
  EXPECT_EQ(create("/f/a")->try_lock(), true);
}

TEST_F(FakeDiskTest, the_chosen_call_fails_once) {
  auto file = create("/f/a");
  disk_.fail(DiskCall::Write, 2, EIO);
  EXPECT_TRUE(file->write_at(0, std::string_view{"12"}));
  const auto failed = file->write_at(2, std::string_view{"3456"});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().error_number, EIO);
  EXPECT_EQ(disk_.contents("/f/a"), "1234");
  EXPECT_TRUE(file->write_at(4, std::string_view{"56"}));
  EXPECT_EQ(disk_.calls(DiskCall::Write), 3U);
  disk_.fail_any(1, ENOSPC);
  EXPECT_FALSE(file->sync());
  EXPECT_TRUE(file->sync());
  EXPECT_EQ(disk_.faults_hit(), 2U);
}

TEST_F(FakeDiskTest, a_full_disk_refuses_growth) {
  auto file = create("/f/a");
  disk_.set_capacity(4);
  EXPECT_TRUE(file->write_at(0, std::string_view{"1234"}));
  EXPECT_TRUE(file->write_at(2, std::string_view{"ab"}));
  EXPECT_FALSE(file->write_at(4, std::string_view{"5"}));
}

TEST_F(FakeDiskTest, reads_can_be_short) {
  auto file = create("/f/a");
  ASSERT_TRUE(file->write_at(0, std::string_view{"1234"}));
  disk_.shorten_read(1);
  std::array<char, 4> bytes{};
  EXPECT_EQ(file->read_at(0, bytes), 2U);
  EXPECT_EQ(file->read_at(0, bytes), 4U);
}

}  // namespace
