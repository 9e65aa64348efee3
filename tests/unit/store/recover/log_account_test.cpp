#include "store/api/log_account.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "store/api/entry.hpp"
#include "support/disks/fake_disk.hpp"

namespace nexusfix::store {
namespace {

class LogAccountTest : public ::testing::Test {
 protected:
  void SetUp() override { EXPECT_TRUE(account_.begin_segment(header_, {}).is_start); }

  StoreResult<void> pass(const Entry& entry) {
    std::vector<char> entries;
    append_entry(entries, entry);
    const Record record{.offset = at_,
                        .record_bytes = kRecordHeaderBytes + entries.size(),
                        .time = {},
                        .entries = entries};
    at_ += record.record_bytes;
    return account_.record(header_, record);
  }
  StoreResult<void> open_session() {
    return pass({.kind = EntryKind::SessionOpened, .session = 0, .number = 0, .bytes = "DESK"});
  }
  StoreResult<void> send(std::uint64_t number) {
    return pass(
        {.kind = EntryKind::OutboundMessage, .session = 0, .number = number, .bytes = "8=FIX"});
  }
  void damage(std::uint64_t bytes) {
    account_.damage({.segment = 1,
                     .offset = at_,
                     .position = at_,
                     .bytes = bytes,
                     .fault = RecordFault::Checksum,
                     .is_header = false});
    at_ += bytes;
  }
  StoreResult<void> end() {
    return account_.end(header_, header_, {.segment = 1, .offset = at_, .position = at_});
  }

  testing::FakeDisk disk_;
  const std::string folder_ = "journal";
  SegmentHeader header_;
  std::uint64_t at_ = kSegmentHeaderBytes;
  LogAccount account_{disk_, folder_};
};

TEST_F(LogAccountTest, has_the_sessions_of_the_records) {
  ASSERT_TRUE(open_session());
  ASSERT_TRUE(send(1));
  ASSERT_TRUE(end());
  ASSERT_EQ(account_.sessions().size(), 1U);
  EXPECT_EQ(account_.sessions().name(0), "DESK");
  EXPECT_EQ(account_.sessions().record(0).next_outbound, 2U);
  EXPECT_TRUE(account_.losses().empty());
}

TEST_F(LogAccountTest, a_number_that_is_missing_after_damage_was_lost_in_it) {
  ASSERT_TRUE(open_session());
  ASSERT_TRUE(send(1));
  damage(40);
  ASSERT_TRUE(send(3));
  ASSERT_TRUE(end());
  ASSERT_EQ(account_.losses().size(), 1U);
  EXPECT_EQ(loss_text(account_.sessions(), account_.losses()[0]),
            "session DESK: number 2 of epoch 1 is lost");
}

TEST_F(LogAccountTest, a_session_without_a_record_after_damage_is_in_doubt) {
  ASSERT_TRUE(open_session());
  ASSERT_TRUE(send(1));
  damage(40);
  ASSERT_TRUE(end());
  ASSERT_EQ(account_.losses().size(), 1U);
  EXPECT_EQ(loss_text(account_.sessions(), account_.losses()[0]),
            "session DESK: it may have used numbers from 2 on");
}

TEST_F(LogAccountTest, a_record_that_contradicts_those_before_it_is_refused) {
  ASSERT_TRUE(open_session());
  ASSERT_TRUE(send(2));
  const auto again = send(1);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, StoreErrorCode::Corrupt);
}

TEST_F(LogAccountTest, entries_in_place_of_damage_must_fit_the_log) {
  ASSERT_TRUE(open_session());
  std::vector<char> entries;
  append_entry(entries, {.kind = EntryKind::Reset, .session = 0, .number = 0, .bytes = {}});
  const DamagedBytes bytes{.segment = 1,
                           .offset = at_,
                           .position = at_,
                           .bytes = 40,
                           .fault = RecordFault::Checksum,
                           .is_header = false};
  ASSERT_TRUE(account_.replace(bytes, entries, {}));
  EXPECT_EQ(account_.sessions().record(0).epoch, 2U);
  entries.clear();
  append_entry(entries, {.kind = EntryKind::Reset, .session = 9, .number = 0, .bytes = {}});
  EXPECT_FALSE(account_.replace(bytes, entries, {}));
}

// The segments before the first one are missing, and no checkpoint stands for them.
TEST_F(LogAccountTest, a_log_without_its_beginning_is_refused) {
  LogAccount account{disk_, folder_};
  SegmentHeader third = header_;
  third.number = 3;
  EXPECT_FALSE(account.begin_segment(third, {}).is_start);
  EXPECT_FALSE(account.knows_sessions());
  const auto ended = account.end(third, third, {});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, StoreErrorCode::Corrupt);
}

}  // namespace
}  // namespace nexusfix::store
