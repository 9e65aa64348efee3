// Following a journal from a cursor on: nothing is lost, nothing comes twice, and a cursor that
// does not fit is refused. Segments that a cursor needs stay.
#include "journal/api/journal_follower.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "store/api/journal_cursor.hpp"
#include "store/api/journal_format.hpp"
#include "store/write/tail_marker.hpp"
#include "support/disks/fake_disk.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using ::testing::ElementsAre;
using testing::FakeDisk;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kFolder = "/journal";
constexpr std::uint64_t kSegmentBytes = 1'500;

class FollowingAJournal : public ::testing::Test {
 protected:
  OpenedJournal open() { return open_or_fail(disk_, options_); }
  static void send(Store& store, SessionKey key, std::uint64_t count = 1) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t next = store.session(key).next_outbound;
      ASSERT_TRUE(append_message(store, key, next, "m" + std::to_string(next) + kPadding));
      ASSERT_TRUE(store.flush());
    }
  }
  JournalFollower follow(FollowOptions options = {}) {
    auto follower = JournalFollower::open(disk_, kFolder, options);
    EXPECT_TRUE(follower) << follower.error();
    return std::move(*follower);
  }
  std::string refusal(const JournalCursor& cursor) {
    const auto follower = JournalFollower::open(disk_, kFolder, {.cursor = cursor});
    return follower ? "" : follower.error();
  }
  // What next() passes until it has no more: "A 1 out 7 m7".
  static std::vector<std::string> read(JournalFollower& follower, std::size_t max = SIZE_MAX) {
    std::vector<std::string> found;
    while (found.size() < max) {
      const auto more = follower.next([&](const FollowedMessage& one) {
        found.push_back(std::string{one.session} + ' ' + std::to_string(one.epoch) +
                        (one.is_received ? " in " : " out ") + std::to_string(one.msg_seq_num) +
                        ' ' + std::string{one.bytes.substr(0, one.bytes.find('.'))});
      });
      EXPECT_TRUE(more) << more.error();
      if (!more || !*more) break;
    }
    return found;
  }
  std::string segment(std::uint64_t number) const { return path_of_segment(kFolder, number); }

  static inline const std::string kPadding = std::string(80, '.');
  FakeDisk disk_;
  JournalOptions options_{.folder = kFolder, .segment_bytes = kSegmentBytes, .background = false};
};

TEST_F(FollowingAJournal, messages_of_both_directions_come_in_the_order_of_the_log) {
  const OpenedJournal journal = open();
  const SessionKey a = open_session(*journal.store, "A");
  const SessionKey b = open_session(*journal.store, "B");
  ASSERT_TRUE(append(*journal.store, [&](Transaction& t) {
    t.outbound_message(a, 1, "report.");
    t.inbound_progress(a, 9,
                       "8=FIX.4.4\x01"
                       "35=4\x01"
                       "34=5\x01"
                       "36=9\x01");
    t.outbound_number(b, 1);
  }));
  ASSERT_TRUE(append(*journal.store, [&](Transaction& t) { t.reset(a); }));
  send(*journal.store, a);
  send(*journal.store, b);
  JournalFollower follower = follow();
  // 34 of a gap fill is its own, not the number before the next one.
  EXPECT_THAT(read(follower),
              ElementsAre("A 1 out 1 report", ::testing::StartsWith("A 1 in 5 8=FIX"),
                          "A 2 out 1 m1", "B 1 out 2 m2"));
  EXPECT_THAT(read(follower), IsEmpty());
  send(*journal.store, a);
  EXPECT_THAT(read(follower), ElementsAre("A 2 out 2 m2"));
}

TEST_F(FollowingAJournal, each_message_has_a_position_of_its_own_that_rises) {
  const OpenedJournal journal = open();
  const SessionKey a = open_session(*journal.store, "A");
  ASSERT_TRUE(append(*journal.store, [&](Transaction& t) {
    t.outbound_message(a, 1, "one");
    t.outbound_message(a, 2, "two");
  }));
  send(*journal.store, a);
  std::vector<LogPosition> positions;
  std::uint64_t owner = 0;
  JournalFollower follower = follow();
  while (follower
             .next([&](const FollowedMessage& one) {
               positions.push_back(one.position);
               owner = one.owner_epoch;
             })
             .value()) {
  }
  ASSERT_THAT(positions, SizeIs(3));
  EXPECT_LT(positions[0], positions[1]);
  EXPECT_LT(positions[1], positions[2]);
  EXPECT_EQ(owner, 1U);
}

TEST_F(FollowingAJournal, a_cursor_at_every_place_continues_without_loss_or_repetition) {
  {
    const OpenedJournal journal = open();
    const SessionKey a = open_session(*journal.store, "A");
    const SessionKey b = open_session(*journal.store, "B");
    for (int i = 0; i < 20; ++i) {
      send(*journal.store, i % 3 == 0 ? b : a);
      if (i == 11) {
        ASSERT_TRUE(append(*journal.store, [&](Transaction& t) { t.reset(a); }));
      }
    }
    ASSERT_TRUE(journal.store->close());
  }
  ASSERT_TRUE(disk_.exists(segment(2)));
  JournalFollower all = follow();
  const std::vector<std::string> wanted = read(all);
  ASSERT_THAT(wanted, SizeIs(20));
  JournalFollower first = follow();
  std::vector<std::string> before;
  for (;;) {
    std::vector<std::string> whole = before;
    JournalFollower second = follow({.cursor = first.cursor()});
    const auto rest = read(second);
    whole.insert(whole.end(), rest.begin(), rest.end());
    EXPECT_EQ(whole, wanted) << "cursor at " << first.cursor().position;
    const auto one = read(first, 1);
    before.insert(before.end(), one.begin(), one.end());
    if (one.empty()) break;
  }
}

TEST_F(FollowingAJournal, a_new_cursor_may_begin_at_the_end) {
  const OpenedJournal journal = open();
  const SessionKey a = open_session(*journal.store, "A");
  send(*journal.store, a, 30);
  JournalFollower follower = follow({.begin = FollowOptions::Begin::Newest});
  EXPECT_THAT(read(follower), IsEmpty());
  send(*journal.store, a);
  EXPECT_THAT(read(follower), ElementsAre("A 1 out 31 m31"));
}

TEST_F(FollowingAJournal, a_fork_reads_from_the_same_place) {
  const OpenedJournal journal = open();
  const SessionKey a = open_session(*journal.store, "A");
  send(*journal.store, a, 30);
  JournalFollower follower = follow();
  EXPECT_THAT(read(follower, 12), SizeIs(12));
  auto fork = follower.fork();
  ASSERT_TRUE(fork) << fork.error();
  EXPECT_EQ(read(*fork), read(follower));
}

TEST_F(FollowingAJournal, the_cursor_of_another_journal_is_refused) {
  JournalCursor cursor;
  {
    const OpenedJournal journal = open();
    send(*journal.store, open_session(*journal.store, "A"));
    JournalFollower follower = follow();
    read(follower);
    cursor = follower.cursor();
  }
  cursor.log_id += 1;
  EXPECT_THAT(refusal(cursor), HasSubstr("it was replaced"));
  JournalFollower follower = follow({.cursor = cursor, .gap = FollowOptions::Gap::Accept});
  EXPECT_THAT(read(follower), ElementsAre("A 1 out 1 m1"));
  EXPECT_THAT(follower.consume_gap().value_or(""), HasSubstr("it was replaced"));
  EXPECT_EQ(follower.consume_gap(), std::nullopt);
}

TEST_F(FollowingAJournal, segments_that_are_gone_are_a_gap) {
  const OpenedJournal journal = open();
  const SessionKey a = open_session(*journal.store, "A");
  send(*journal.store, a, 5);
  JournalFollower early = follow();
  read(early);
  send(*journal.store, a, 40);
  ASSERT_TRUE(disk_.exists(segment(3)));
  ASSERT_TRUE(disk_.remove(segment(1)));
  EXPECT_THAT(refusal(early.cursor()), HasSubstr("0000000001.journal to 0000000001.journal are not "
                                                 "there any more"));
  JournalFollower follower = follow({.cursor = early.cursor(), .gap = FollowOptions::Gap::Accept});
  EXPECT_THAT(follower.consume_gap().value_or(""), HasSubstr("not there any more"));
  EXPECT_EQ(read(follower).back(), "A 1 out 45 m45");
}

TEST_F(FollowingAJournal, a_cursor_after_the_end_of_the_log_is_refused) {
  JournalCursor cursor;
  std::string older;
  {
    const OpenedJournal journal = open();
    const SessionKey a = open_session(*journal.store, "A");
    send(*journal.store, a, 3);
    older = disk_.contents(segment(1));
    send(*journal.store, a, 2);
    JournalFollower follower = follow();
    read(follower);
    cursor = follower.cursor();
  }
  disk_.set_contents(segment(1), older);
  EXPECT_THAT(refusal(cursor), HasSubstr("the cursor is after the end of the log"));
  // Everything of that segment again: the headers mark what is repeated.
  JournalFollower follower = follow({.cursor = cursor, .gap = FollowOptions::Gap::Accept});
  EXPECT_THAT(read(follower), SizeIs(3));
}

TEST_F(FollowingAJournal, another_record_at_the_place_before_the_cursor_is_refused) {
  const OpenedJournal journal = open();
  send(*journal.store, open_session(*journal.store, "A"), 3);
  JournalFollower follower = follow();
  read(follower);
  JournalCursor cursor = follower.cursor();
  ++cursor.last_crc;
  EXPECT_THAT(refusal(cursor), HasSubstr("the record before the cursor is damaged"));
}

TEST_F(FollowingAJournal, damage_is_an_error_and_is_passed_only_if_that_is_accepted) {
  const OpenedJournal journal = open();
  const SessionKey a = open_session(*journal.store, "A");
  send(*journal.store, a, 5);
  std::string bytes = disk_.contents(segment(1));
  bytes[bytes.find("m3.")] = 'X';
  disk_.set_contents(segment(1), bytes);
  JournalFollower strict = follow({.is_followed = false});
  EXPECT_THAT(read(strict, 2), SizeIs(2));
  const auto more = strict.next([](const FollowedMessage&) {});
  ASSERT_FALSE(more);
  EXPECT_THAT(more.error(), HasSubstr("0000000001.journal: at offset"));
  EXPECT_THAT(more.error(), HasSubstr("a record is damaged"));
  JournalFollower tolerant = follow({.gap = FollowOptions::Gap::Accept, .is_followed = false});
  EXPECT_THAT(read(tolerant),
              ElementsAre("A 1 out 1 m1", "A 1 out 2 m2", "A 1 out 4 m4", "A 1 out 5 m5"));
  EXPECT_THAT(tolerant.consume_gap().value_or(""), HasSubstr("a record is damaged"));
}

TEST_F(FollowingAJournal, a_cursor_after_damage_in_the_newest_segment_is_followed) {
  const OpenedJournal journal = open();
  const SessionKey a = open_session(*journal.store, "A");
  send(*journal.store, a, 5);
  std::string bytes = disk_.contents(segment(1));
  bytes[bytes.find("m3.")] = 'X';
  disk_.set_contents(segment(1), bytes);
  JournalFollower first = follow({.gap = FollowOptions::Gap::Accept, .is_followed = false});
  EXPECT_THAT(read(first), SizeIs(4));
  for (const bool is_followed : {false, true}) {
    JournalFollower again = follow(
        {.cursor = first.cursor(), .gap = FollowOptions::Gap::Accept, .is_followed = is_followed});
    EXPECT_THAT(again.consume_gap().value_or(""), HasSubstr("a record is damaged"));
    EXPECT_THAT(read(again), IsEmpty());
    EXPECT_EQ(again.cursor().position, first.cursor().position);
  }
  JournalFollower again = follow({.cursor = first.cursor(), .gap = FollowOptions::Gap::Accept});
  send(*journal.store, a);
  EXPECT_THAT(read(again), ElementsAre("A 1 out 6 m6"));
}

// A record that is being written does not check either, so damage is believed later.
TEST_F(FollowingAJournal, a_record_that_is_completed_soon_is_no_damage) {
  const OpenedJournal journal = open();
  const SessionKey a = open_session(*journal.store, "A");
  send(*journal.store, a, 5);
  const std::string whole = disk_.contents(segment(1));
  std::string torn = whole;
  torn[torn.find("m3.")] = 'X';
  disk_.set_contents(segment(1), torn);
  JournalFollower follower = follow();
  EXPECT_THAT(read(follower), SizeIs(2));
  EXPECT_THAT(read(follower), IsEmpty());
  disk_.set_contents(segment(1), whole);
  EXPECT_THAT(read(follower), SizeIs(3));
}

// An engine that ends cuts what it has prepared and not used.
TEST_F(FollowingAJournal, a_segment_that_gets_shorter_meanwhile_has_ended) {
  options_.segment_bytes = 1U << 20U;
  const OpenedJournal journal = open();
  const SessionKey a = open_session(*journal.store, "A");
  for (std::uint64_t number = 1; number <= 5; ++number) {
    ASSERT_TRUE(append_message(*journal.store, a, number, std::string(40'000, '.')));
  }
  ASSERT_TRUE(journal.store->flush());
  const std::string used = disk_.contents(segment(1));
  disk_.set_contents(segment(1), used + std::string(1U << 20U, '\0'));
  JournalFollower follower = follow();
  EXPECT_THAT(read(follower, 2), SizeIs(2));
  disk_.set_contents(segment(1), used);
  EXPECT_THAT(read(follower), SizeIs(3));
}

// What is not synced may be lost with the power, and was not sent.
TEST_F(FollowingAJournal, in_group_mode_only_what_is_synced_is_read) {
  const std::string path = kFolder + "/owner";
  options_.durability = Durability::Group;
  {
    const OpenedJournal journal = open();
    send(*journal.store, open_session(*journal.store, "A"), 2);
    ASSERT_TRUE(journal.store->close());
  }
  const std::string owner = disk_.contents(path);
  JournalFollower first = follow();
  EXPECT_THAT(read(first, 1), SizeIs(1));
  // As the owner left it that was killed after the sync of the first message.
  std::string earlier = owner;
  earlier.replace(kTailMarkerAt, kTailMarkerBytes,
                  encode_tail_marker({.segment = 1,
                                      .position = first.cursor().position,
                                      .segment_bytes = kSegmentBytes,
                                      .state = TailMarker::State::Open,
                                      .written = first.cursor().position}));
  disk_.set_contents(path, earlier);
  JournalFollower follower = follow();
  EXPECT_THAT(read(follower), SizeIs(1));
  EXPECT_THAT(read(follower), IsEmpty());
  // No process has the journal open: the last bytes of a killed one are in the files.
  JournalFollower last = follow({.is_followed = false});
  EXPECT_THAT(read(last), SizeIs(2));
  disk_.set_contents(path, owner);
  EXPECT_THAT(read(follower), ElementsAre("A 1 out 2 m2"));
}

TEST(ACursorFile, keeps_the_newest_place_and_survives_a_torn_write) {
  FakeDisk disk;
  ASSERT_TRUE(disk.make_directories(kFolder));
  const JournalCursor first{.log_id = 7, .segment = 1, .position = 100, .last = 90, .last_crc = 3};
  const JournalCursor second{
      .log_id = 7, .segment = 2, .position = 300, .last = 250, .last_crc = 9};
  std::string path;
  {
    auto file = CursorFile::open(disk, kFolder, "kafka");
    ASSERT_TRUE(file) << file.error();
    EXPECT_EQ(file->cursor(), std::nullopt);
    ASSERT_TRUE(file->save(first));
    ASSERT_TRUE(file->save(second));
    path = file->path();
    EXPECT_THAT(CursorFile::open(disk, kFolder, "kafka").error(), HasSubstr("another process"));
  }
  EXPECT_EQ(CursorFile::open(disk, kFolder, "kafka")->cursor(), second);
  std::string bytes = disk.contents(path);
  for (std::size_t torn = 0; torn < 512; torn += 16) {
    std::string copy = bytes;
    copy.replace(torn, 512 - torn, 512 - torn, 'x');  // the sector of the second save
    disk.set_contents(path, copy);
    const auto file = CursorFile::open(disk, kFolder, "kafka");
    ASSERT_TRUE(file) << file.error();
    EXPECT_THAT(file->cursor(), ::testing::AnyOf(first, second));
  }
  disk.set_contents(path, std::string(1024, 'x'));
  EXPECT_THAT(CursorFile::open(disk, kFolder, "kafka").error(), HasSubstr("the cursor is damaged"));
  const auto found = read_cursors(disk, kFolder);
  ASSERT_TRUE(found);
  ASSERT_THAT(*found, SizeIs(1));
  EXPECT_EQ(found->front().cursor, std::nullopt);
}

TEST(ACursorFile, has_a_name_that_is_a_file_name) {
  EXPECT_TRUE(is_cursor_name("kafka-2_b.c"));
  for (const std::string_view name : {"", ".hidden", "a/b", "..", "a b", "a\n"}) {
    EXPECT_FALSE(is_cursor_name(name)) << name;
  }
  EXPECT_TRUE(is_cursor_name(std::string(64, 'a')));
  EXPECT_FALSE(is_cursor_name(std::string(65, 'a')));
}

class SegmentsOfACursor : public FollowingAJournal {
 protected:
  SegmentsOfACursor() { options_.retention = {.keep_bytes = kSegmentBytes, .even_current = true}; }
  static std::vector<EventId> events_of(Store& store) {
    std::vector<EventId> found;
    while (const auto event = store.next_event()) found.push_back(event->id);
    return found;
  }
};

TEST_F(SegmentsOfACursor, stay_until_it_has_passed_them) {
  const OpenedJournal journal = open();
  const SessionKey a = open_session(*journal.store, "A");
  send(*journal.store, a, 3);
  auto file = CursorFile::open(disk_, kFolder, "kafka");
  ASSERT_TRUE(file) << file.error();
  JournalFollower follower = follow();
  read(follower);
  ASSERT_TRUE(file->save(follower.cursor()));
  send(*journal.store, a, 100);
  EXPECT_TRUE(disk_.exists(segment(1)));
  EXPECT_THAT(events_of(*journal.store), ElementsAre(EventId::SegmentsHeld));
  // The whole log is still there.
  EXPECT_THAT(read(follower), SizeIs(100));
  ASSERT_TRUE(file->save(follower.cursor()));
  send(*journal.store, a, 40);
  EXPECT_FALSE(disk_.exists(segment(1)));
  EXPECT_THAT(events_of(*journal.store), ::testing::Contains(EventId::SegmentsRetired));
}

TEST_F(SegmentsOfACursor, go_when_its_file_is_deleted) {
  const OpenedJournal journal = open();
  const SessionKey a = open_session(*journal.store, "A");
  send(*journal.store, a, 3);
  {
    auto file = CursorFile::open(disk_, kFolder, "kafka");
    ASSERT_TRUE(file) << file.error();
    ASSERT_TRUE(file->save(follow().cursor()));
  }
  send(*journal.store, a, 100);
  EXPECT_TRUE(disk_.exists(segment(1)));
  ASSERT_TRUE(disk_.remove(kFolder + "/cursors/kafka"));
  send(*journal.store, a, 40);
  EXPECT_FALSE(disk_.exists(segment(1)));
}

TEST_F(SegmentsOfACursor, stay_for_a_cursor_that_cannot_be_read) {
  const OpenedJournal journal = open();
  const SessionKey a = open_session(*journal.store, "A");
  send(*journal.store, a, 3);
  ASSERT_TRUE(disk_.make_directories(kFolder + "/cursors"));
  disk_.set_contents(kFolder + "/cursors/kafka", "not a cursor");
  send(*journal.store, a, 100);
  EXPECT_TRUE(disk_.exists(segment(1)));
}

}  // namespace
}  // namespace nexusfix::store
