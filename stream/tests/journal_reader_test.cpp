// Reading across a damaged part of a journal: no message has an empty or a wrong session, and those
// that are skipped are counted.
#include "stream/journal_reader.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "store/api/journal_format.hpp"
#include "support/disks/fake_disk.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::stream {
namespace {

using store::append;
using store::append_message;
using store::FollowOptions;
using store::Store;
using store::Transaction;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using testing::FakeDisk;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string kFolder = "/journal";
const std::string kPadding = std::string(80, '.');

class ReadingAcrossDamage : public ::testing::Test {
 protected:
  void send(store::SessionKey key, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t next = journal().session(key).next_outbound;
      ASSERT_TRUE(append_message(journal(), key, next, "m" + std::to_string(next) + kPadding));
      ASSERT_TRUE(journal().flush());
    }
  }
  Store& journal() { return *opened_.store; }
  std::string segment(std::uint64_t number) const {
    return store::path_of_segment(kFolder, number);
  }
  void damage(const std::string& where) {
    std::string bytes = disk_.contents(segment(1));
    const std::size_t at = bytes.find(where);
    ASSERT_NE(at, bytes.npos);
    bytes[at] = 'X';
    disk_.set_contents(segment(1), bytes);
  }
  // The messages: "A 1 out 7".
  void read(bool is_followed = false) {
    if (!reader_) {
      auto opened = JournalReader::open(
          disk_, kFolder, {.gap = FollowOptions::Gap::Accept, .is_followed = is_followed});
      ASSERT_TRUE(opened) << opened.error();
      reader_.emplace(std::move(*opened));
    }
    std::size_t idle = 0;
    while (idle < 300) {
      const auto more = reader_->next([&](const store::FollowedMessage& one) {
        found_.push_back(std::string{one.session} + ' ' + std::to_string(one.epoch) +
                         (one.is_received ? " in " : " out ") + std::to_string(one.msg_seq_num));
      });
      if (!more) error_ = more.error();
      if (!more || (!*more && !is_followed)) break;
      idle = *more ? 0 : idle + 1;
    }
    while (auto gap = reader_->consume_gap()) gaps_.push_back(*gap);
  }
  void finish() {
    reader_->finish();
    while (auto gap = reader_->consume_gap()) gaps_.push_back(*gap);
  }

  FakeDisk disk_;
  store::JournalOptions options_{.folder = kFolder, .segment_bytes = 1'500, .background = false};
  store::OpenedJournal opened_ = store::open_or_fail(disk_, options_);
  std::optional<JournalReader> reader_;
  std::vector<std::string> found_;
  std::vector<std::string> gaps_;
  std::string error_;
};

TEST_F(ReadingAcrossDamage, a_hidden_session_has_no_record_with_an_empty_key) {
  const auto a = open_session(journal(), "ALPHA");
  const auto b = open_session(journal(), "BETA");
  send(a, 3);
  send(b, 2);
  damage("ALPHA");
  read();
  EXPECT_THAT(found_, IsEmpty());
  send(a, 20);
  ASSERT_TRUE(disk_.exists(segment(2)));
  read();
  EXPECT_EQ(error_, "");
  EXPECT_THAT(found_, Each(StartsWith("ALPHA 1 out ")));
  ASSERT_FALSE(found_.empty());
  EXPECT_EQ(found_.back(), "ALPHA 1 out 23");
  EXPECT_THAT(gaps_, Contains(AllOf(HasSubstr("after a gap skipped"),
                                    HasSubstr("an unknown session out MsgSeqNum 1 to "),
                                    HasSubstr("BETA out MsgSeqNum 1 to 2 (2)"))))
      << ::testing::PrintToString(gaps_);
  EXPECT_EQ(std::stoul(found_.front().substr(12)) + found_.size(), 24U) << "none is missing later";
}

TEST_F(ReadingAcrossDamage, a_hidden_last_session_is_no_final_error_if_a_segment_follows) {
  const auto a = open_session(journal(), "ALPHA");
  const auto b = open_session(journal(), "BETA");
  send(a, 2);
  send(b, 2);
  damage("BETA");
  read(true);
  send(b, 28);
  read(true);
  EXPECT_EQ(error_, "");
  ASSERT_FALSE(found_.empty());
  EXPECT_EQ(found_.back(), "BETA 1 out 30");
  EXPECT_THAT(found_, Each(StartsWith("BETA 1 out ")));
  EXPECT_THAT(gaps_, Contains(HasSubstr("the rest of segment 1 is not sent")));
  EXPECT_THAT(gaps_, Contains(HasSubstr("ALPHA out MsgSeqNum 1 to 2 (2)")));
}

TEST_F(ReadingAcrossDamage, a_stream_waits_for_the_next_segment_and_says_so_once) {
  const auto a = open_session(journal(), "ALPHA");
  send(a, 3);
  damage("ALPHA");
  read(true);
  EXPECT_EQ(error_, "");
  EXPECT_THAT(found_, IsEmpty());
  EXPECT_EQ(std::ranges::count_if(
                gaps_, [](const auto& one) { return one.contains("waits for the next segment"); }),
            1)
      << ::testing::PrintToString(gaps_);
}

TEST_F(ReadingAcrossDamage, a_hidden_reset_gives_no_wrong_epoch) {
  const auto a = open_session(journal(), "ALPHA");
  send(a, 2);
  ASSERT_TRUE(append(journal(), [&](Transaction& t) {
    t.reset(a);
    t.outbound_message(a, 1, "hidden." + kPadding);
  }));
  send(a, 2);
  damage("hidden.");
  read();
  send(a, 28);
  read();
  EXPECT_EQ(error_, "");
  ASSERT_GT(found_.size(), 3U);
  EXPECT_EQ(found_[0], "ALPHA 1 out 1");
  EXPECT_EQ(found_[1], "ALPHA 1 out 2");
  found_.erase(found_.begin(), found_.begin() + 2);
  EXPECT_THAT(found_, Each(StartsWith("ALPHA 2 out ")));
  EXPECT_EQ(found_.back(), "ALPHA 2 out 31");
  EXPECT_THAT(gaps_, Contains(HasSubstr("ALPHA out MsgSeqNum 2 to ")));
}

TEST_F(ReadingAcrossDamage, what_is_skipped_is_counted_also_if_a_segment_follows_already) {
  const auto a = open_session(journal(), "ALPHA");
  send(a, 30);
  ASSERT_TRUE(disk_.exists(segment(2)));
  damage("m2.");
  read();
  EXPECT_EQ(error_, "");
  ASSERT_GT(found_.size(), 2U);
  EXPECT_EQ(found_.front(), "ALPHA 1 out 1");
  const std::uint64_t next = std::stoul(found_[1].substr(12));
  EXPECT_EQ(found_.size(), 1 + 31 - next);
  EXPECT_THAT(gaps_, Contains(HasSubstr("ALPHA out MsgSeqNum 3 to " + std::to_string(next - 1) +
                                        " (" + std::to_string(next - 3) + ')')))
      << ::testing::PrintToString(gaps_);
}

TEST_F(ReadingAcrossDamage, without_another_segment_what_was_skipped_is_counted_at_the_end) {
  const auto a = open_session(journal(), "ALPHA");
  send(a, 5);
  damage("m2.");
  read();
  finish();
  EXPECT_EQ(error_, "");
  EXPECT_THAT(found_, ::testing::ElementsAre("ALPHA 1 out 1"));
  EXPECT_THAT(gaps_, Contains(HasSubstr("3 messages after a gap skipped")));
  EXPECT_THAT(gaps_, Contains(HasSubstr("ALPHA out MsgSeqNum 3 to 5 (3)")));
}

}  // namespace
}  // namespace nexusfix::stream
