#include <gtest/gtest.h>
#include <memory>
#include <signal.h>
#include <span>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include <nexusfix/base/disk.hpp>

#include "support/disks/temporary_folder.hpp"

namespace nexusfix {
namespace {

constexpr std::uint64_t kMappedBytes = 16'384;

class MapFileTest : public ::testing::Test {
 protected:
  std::unique_ptr<File::Mapping> map() {
    EXPECT_TRUE(file_->reserve(kMappedBytes));
    auto mapping = file_->map(kMappedBytes);
    EXPECT_TRUE(mapping) << mapping.error().what();
    return mapping ? std::move(*mapping) : nullptr;
  }

  testing::TemporaryFolder folder_;
  PosixDisk disk_;
  std::unique_ptr<File> file_ = std::move(*disk_.open(folder_.file("file"), OpenMode::Create));
};

TEST_F(MapFileTest, a_mapping_that_lost_its_file_fails_and_the_program_goes_on) {
  {
    const auto mapping = map();
    ASSERT_NE(mapping, nullptr);
    EXPECT_FALSE(mapping->failed());
    ASSERT_TRUE(file_->truncate(0));
    volatile char* const byte = mapping->bytes().data();
    *byte = 'x';
    EXPECT_EQ(*byte, 'x');
    EXPECT_TRUE(mapping->failed());
  }
  const auto next = map();
  ASSERT_NE(next, nullptr);
  EXPECT_FALSE(next->failed()) << "the failure was that of an earlier mapping";
}

TEST_F(MapFileTest, a_closed_mapping_leaves_its_place_to_another_one) {
  for (int i = 0; i < 1100; ++i) ASSERT_NE(map(), nullptr) << i;
}

TEST_F(MapFileTest, what_is_stored_in_a_mapping_is_in_the_file) {
  const auto mapping = map();
  ASSERT_NE(mapping, nullptr);
  mapping->prepare(0, kMappedBytes);
  mapping->bytes()[5'000] = 'x';
  ASSERT_TRUE(file_->sync_mapped(*mapping, 4'000, 2'000));
  char byte = 0;
  ASSERT_EQ(file_->read_at(5'000, std::span{&byte, 1}), 1U);
  EXPECT_EQ(byte, 'x');
}

TEST_F(MapFileTest, a_sync_that_fails_is_an_error) {
  class GoneMapping final : public File::Mapping {
   public:
    GoneMapping() {
      void* const memory =
          ::mmap(nullptr, kMappedBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      ::munmap(memory, kMappedBytes);
      bytes_ = {static_cast<char*>(memory), kMappedBytes};
    }
    std::span<char> bytes() noexcept override { return bytes_; }
    const std::atomic<bool>& failed() const noexcept override { return failed_; }
    void prepare(std::uint64_t, std::uint64_t) noexcept override {}

   private:
    std::span<char> bytes_;
    std::atomic<bool> failed_ = false;
  };
  GoneMapping gone;
  EXPECT_FALSE(file_->sync_mapped(gone, 0, kMappedBytes));
}

TEST_F(MapFileTest, a_bus_error_of_no_mapping_ends_the_program) {
  const auto mapping = map();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(::raise(SIGBUS), "");
}

}  // namespace
}  // namespace nexusfix
