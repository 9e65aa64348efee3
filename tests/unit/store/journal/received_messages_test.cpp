// Received messages in the journal (JournalInbound), and marks of what has left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "journal/api/journal_tools.hpp"
#include "store/api/entry.hpp"
#include "store/api/journal.hpp"
#include "store/api/journal_format.hpp"
#include "support/disks/fake_disk.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using ::testing::ElementsAre;
using testing::FakeDisk;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kFolder = "/journal";
const std::string kFirst = "/journal/0000000001.journal";

class ReceivedMessages : public ::testing::Test {
 protected:
  OpenedJournal open() { return open_or_fail(disk_, options_); }
  // "in 1 order", "out 1 report", "left 2"
  static std::vector<std::string> all_of(Store& store) {
    std::vector<std::string> found;
    const auto scanned = store.scan_all([&](const Store::LogMessage& one) {
      const std::string number = std::to_string(one.msg_seq_num);
      switch (one.kind) {
        case Store::LogKind::Sent:
          found.push_back("out " + number + ' ' + std::string{one.bytes});
          break;
        case Store::LogKind::Received:
          found.push_back("in " + number + ' ' + std::string{one.bytes});
          break;
        case Store::LogKind::Left:
          found.push_back("left " + number);
          break;
      }
    });
    EXPECT_TRUE(scanned) << scanned.error().text;
    return found;
  }
  static void answer(Store& store, SessionKey key, std::uint64_t number) {
    ASSERT_TRUE(append(store, [&](Transaction& t) {
      t.outbound_message(key, number, "report");
      t.inbound_progress(key, number + 1, "order");
    }));
  }

  FakeDisk disk_;
  JournalOptions options_{.folder = kFolder};
};

TEST_F(ReceivedMessages, are_read_back_after_a_restart_in_the_order_of_the_log) {
  {
    const OpenedJournal journal = open();
    const SessionKey key = open_session(*journal.store, "A");
    answer(*journal.store, key, 1);
    ASSERT_TRUE(append(*journal.store, [&](Transaction& t) {
      t.inbound_progress(key, 3, "heartbeat");
      t.messages_left(key, 2);
    }));
    ASSERT_TRUE(journal.store->close());
  }
  const OpenedJournal journal = open();
  EXPECT_THAT(all_of(*journal.store),
              ElementsAre("out 1 report", "in 1 order", "in 2 heartbeat", "left 2"));
  EXPECT_EQ(journal.store->session(0).next_inbound, 3U);
  EXPECT_EQ(journal.store->session(0).next_outbound, 2U);
  EXPECT_EQ(journal.report.messages, 1U);
}

// The application gets from a scan what it has sent, as before.
TEST_F(ReceivedMessages, are_not_in_a_scan_nor_in_a_resend) {
  const OpenedJournal journal = open();
  const SessionKey key = open_session(*journal.store, "A");
  answer(*journal.store, key, 1);
  std::vector<std::string> sent;
  ASSERT_TRUE(
      journal.store->scan([&](const Store::LogMessage& one) { sent.emplace_back(one.bytes); }));
  EXPECT_THAT(sent, ElementsAre("report"));
  sent.clear();
  ASSERT_TRUE(journal.store->read(key, 1, 9, [&](std::uint64_t, std::string_view bytes) {
    sent.emplace_back(bytes);
    return true;
  }));
  EXPECT_THAT(sent, ElementsAre("report"));
}

// One record: after a kill at any byte, the message and its effect are both there, or neither is.
TEST_F(ReceivedMessages, are_there_with_their_effect_or_not_at_all) {
  for (std::size_t missing = 0; missing <= 120; ++missing) {
    disk_ = FakeDisk{};
    {
      const OpenedJournal journal = open();
      const SessionKey key = open_session(*journal.store, "A");
      ASSERT_TRUE(journal.store->flush());
      answer(*journal.store, key, 1);
      ASSERT_TRUE(journal.store->flush());
      disk_.process_death(missing);
    }
    const OpenedJournal journal = open();
    if (journal.store->session(0).next_inbound == 2) {
      EXPECT_THAT(all_of(*journal.store), ElementsAre("out 1 report", "in 1 order"));
    } else {
      EXPECT_THAT(all_of(*journal.store), IsEmpty());
    }
  }
}

TEST_F(ReceivedMessages, survive_segments_and_checkpoints) {
  options_.segment_bytes = 4096;
  {
    const OpenedJournal journal = open();
    const SessionKey key = open_session(*journal.store, "A");
    for (std::uint64_t n = 1; n <= 200; ++n) {
      answer(*journal.store, key, n);
      ASSERT_TRUE(journal.store->flush());
    }
    ASSERT_TRUE(journal.store->close());
  }
  const OpenedJournal journal = open();
  EXPECT_EQ(all_of(*journal.store).size(), 400U);
  const auto check = verify_journal(disk_, kFolder);
  ASSERT_TRUE(check) << check.error().text;
  EXPECT_THAT(check->damages, IsEmpty());
  EXPECT_THAT(check->checkpoint_faults, IsEmpty());
  EXPECT_GT(check->segments.size(), 2U);
  EXPECT_EQ(check->messages, 200U);
}

// A program before this kind of entry refuses in the same way: nothing is lost by a downgrade.
TEST_F(ReceivedMessages, an_entry_that_only_a_newer_version_knows_is_refused_and_nothing_changes) {
  {
    const OpenedJournal journal = open();
    const SessionKey key = open_session(*journal.store, "A");
    ASSERT_TRUE(
        append(*journal.store, [&](Transaction& t) { t.inbound_progress(key, 2, "text"); }));
    ASSERT_TRUE(journal.store->close());
  }
  std::string file = disk_.contents(kFirst);
  const auto header = decode_segment_header(std::span{file}.first(kSegmentHeaderBytes));
  ASSERT_TRUE(header);
  const std::size_t at = file.find("text") - kEntryHeaderBytes - kRecordHeaderBytes;
  const auto record = std::span{file}.subspan(at);
  ASSERT_EQ(record[kRecordHeaderBytes], static_cast<char>(EntryKind::InboundProgress));
  record[kRecordHeaderBytes] = 15;
  const RecordHeader head = decode_record_header(record.first<kRecordHeaderBytes>());
  seal_record(record.first(static_cast<std::size_t>(head.record_bytes())), RecordSeed{*header}, at,
              head.time);
  disk_.set_contents(kFirst, file);
  const auto opened = open_journal(disk_, options_, at_second(80));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, StoreErrorCode::Corrupt);
  EXPECT_THAT(opened.error().text, HasSubstr("of a kind that only a newer version knows"));
  EXPECT_EQ(disk_.contents(kFirst), file);
}

}  // namespace
}  // namespace nexusfix::store
