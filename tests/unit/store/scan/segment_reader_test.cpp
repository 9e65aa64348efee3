#include "store/api/segment_reader.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "store/api/entry.hpp"
#include "store/api/journal_format.hpp"
#include "support/disks/fake_disk.hpp"

namespace nexusfix::store {
namespace {

class SegmentReaderTest : public ::testing::Test {
 protected:
  // Two records, and zeros after them.
  void SetUp() override {
    header_.log_id = 7;
    bytes_.resize(kSegmentHeaderBytes);
    encode_segment_header(header_, std::span{bytes_}.first<kSegmentHeaderBytes>());
    add_record(1);
    second_at_ = bytes_.size();
    add_record(2);
    end_ = bytes_.size();
    bytes_.resize(end_ + 100);
  }
  void add_record(std::uint64_t number) {
    std::vector<char> entries;
    append_entry(entries,
                 {.kind = EntryKind::InboundProgress, .session = 0, .number = number, .bytes = {}});
    append_record(bytes_, RecordSeed{header_}, bytes_.size(), WallTime{}, entries);
  }
  FileWindow& window() {
    disk_.set_contents("segment", std::string{bytes_.begin(), bytes_.end()});
    file_ = *disk_.open("segment", OpenMode::Read);
    window_.open(*file_, bytes_.size());
    return window_;
  }
  testing::FakeDisk disk_;
  SegmentHeader header_;
  std::vector<char> bytes_;
  std::uint64_t second_at_ = 0;
  std::uint64_t end_ = 0;
  std::unique_ptr<File> file_;
  FileWindow window_;
};

TEST_F(SegmentReaderTest, passes_each_record_with_its_place) {
  SegmentReader reader{window(), RecordSeed{header_}, kSegmentHeaderBytes};
  const auto first = reader.next();
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->offset, kSegmentHeaderBytes);
  const auto second = reader.next();
  ASSERT_TRUE(second && *second);
  EXPECT_EQ((*second)->offset, second_at_);
  EXPECT_EQ((*second)->record_bytes, end_ - second_at_);
  const auto none = reader.next();
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->has_value());
  EXPECT_EQ(reader.offset(), end_);
}

TEST_F(SegmentReaderTest, stops_at_a_flipped_bit_after_which_the_next_record_is_found) {
  bytes_[kSegmentHeaderBytes + kRecordHeaderBytes] ^= 1;
  SegmentReader reader{window(), RecordSeed{header_}, kSegmentHeaderBytes};
  const auto none = reader.next();
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->has_value());
  EXPECT_EQ(reader.fault(), RecordFault::Checksum);
  EXPECT_EQ(reader.offset(), kSegmentHeaderBytes);
  const auto found = find_valid_record(window_, RecordSeed{header_}, kSegmentHeaderBytes + 1);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(**found, second_at_);
}

TEST_F(SegmentReaderTest, accepts_no_record_of_another_log) {
  SegmentHeader other = header_;
  other.log_id = 8;
  SegmentReader reader{window(), RecordSeed{other}, kSegmentHeaderBytes};
  const auto none = reader.next();
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->has_value());
  EXPECT_EQ(reader.fault(), RecordFault::Checksum);
}

TEST_F(SegmentReaderTest, zeros_end_where_the_disk_has_changed_a_byte) {
  EXPECT_EQ(skip_zeros(window(), end_).value(), bytes_.size());
  bytes_[end_ + 40] = 1;
  EXPECT_EQ(skip_zeros(window(), end_).value(), end_ + 40);
}

TEST_F(SegmentReaderTest, only_few_bytes_of_a_prepared_file_count_as_stray) {
  bytes_.assign(4096, '\0');
  const auto none = find_stray_bytes(window());
  ASSERT_TRUE(none && *none);
  EXPECT_EQ((*none)->bytes, 0U);
  bytes_[1000] = bytes_[1000 + kStrayBytesMax - 1] = 1;
  const auto few = find_stray_bytes(window());
  ASSERT_TRUE(few && *few);
  EXPECT_EQ((*few)->offset, 1000U);
  EXPECT_EQ((*few)->bytes, kStrayBytesMax);
  bytes_[1000 + kStrayBytesMax] = 1;
  const auto more = find_stray_bytes(window());
  ASSERT_TRUE(more);
  EXPECT_FALSE(more->has_value());
}

}  // namespace
}  // namespace nexusfix::store
