// Checking and repairing a damaged journal: what was lost is reported, no number is used twice, and
// nothing else changes.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "journal/api/journal_tools.hpp"
#include "store/api/journal.hpp"
#include "store/api/journal_format.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/sanitized.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using ::testing::ElementsAre;
using testing::FakeDisk;
using ::testing::HasSubstr;

const std::string kFolder = "/journal";

std::string segment_path(std::uint64_t number) { return path_of_segment(kFolder, number); }

// Records, each with its place.
class Sample {
 public:
  explicit Sample(std::uint64_t segment_bytes = 64U << 20U)
      : store{open_or_fail(disk, {.folder = kFolder,
                                  .durability = Durability::Sync,
                                  .segment_bytes = segment_bytes})
                  .store} {}

  SessionKey open(std::string_view name) {
    const auto begin = static_cast<std::size_t>(store->appended());
    const SessionKey key = open_session(*store, name);
    begins.push_back(begin);
    return key;
  }

  template <class Build>
  void add(Build build) {
    begins.push_back(static_cast<std::size_t>(store->appended()));
    EXPECT_TRUE(append(*store, build));
    EXPECT_TRUE(store->flush());
  }

  void message(SessionKey key, std::uint64_t number) {
    add([&](Transaction& t) {
      t.inbound_progress(key, number + 1);
      t.outbound_message(key, number, "message " + std::to_string(number));
    });
  }

  // Flips a bit in a log of one segment.
  void flip(std::size_t record, std::size_t byte = 20) {
    std::string bytes = disk.contents(segment_path(1));
    bytes[begins.at(record) + byte] = static_cast<char>(bytes[begins.at(record) + byte] ^ 0x10);
    disk.set_contents(segment_path(1), bytes);
  }

  void close() { store.reset(); }

  FakeDisk disk;
  std::unique_ptr<Store> store;
  std::vector<std::size_t> begins;  // of each record in the log
};

RepairReport repair_or_fail(FakeDisk& disk, RepairMode mode = RepairMode::Carry,
                            std::map<SessionKey, std::string> names = {}) {
  auto report = repair_journal(
      disk, {.folder = kFolder, .mode = mode, .text = "anna, disk 7", .names = std::move(names)},
      at_second(70));
  EXPECT_TRUE(report) << report.error().text;
  return report ? std::move(*report) : RepairReport{};
}

JournalCheck check_or_fail(FakeDisk& disk) {
  auto check = verify_journal(disk, kFolder);
  EXPECT_TRUE(check) << check.error().text;
  return check ? std::move(*check) : JournalCheck{};
}

OpenedJournal reopen(FakeDisk& disk) { return open_or_fail(disk, {.folder = kFolder}); }

TEST(JournalCheck, a_sound_journal_is_counted_whole) {
  Sample sample{400};
  const SessionKey a = sample.open("A");
  for (std::uint64_t n = 1; n <= 12; ++n) sample.message(a, n);
  sample.close();
  const JournalCheck check = check_or_fail(sample.disk);
  EXPECT_TRUE(check.damages.empty());
  EXPECT_GT(check.segments.size(), 2U);
  EXPECT_EQ(check.records, 13U);
  EXPECT_EQ(check.messages, 12U);
  EXPECT_EQ(check.torn_bytes, 0U);
  ASSERT_EQ(check.sessions.size(), 1U);
  EXPECT_EQ(check.sessions[0].messages, 12U);
  EXPECT_EQ(check.sessions[0].record.next_outbound, 13U);
  EXPECT_TRUE(repair_or_fail(sample.disk).steps.empty());
}

TEST(JournalCheck, damage_names_file_offset_length_and_the_lost_numbers) {
  Sample sample;
  const SessionKey a = sample.open("A");
  const SessionKey b = sample.open("B");
  for (std::uint64_t n = 1; n <= 3; ++n) {
    sample.message(a, n);
    sample.message(b, n);
  }
  sample.flip(4);  // A's second message
  sample.close();
  const JournalCheck check = check_or_fail(sample.disk);
  ASSERT_EQ(check.damages.size(), 1U);
  EXPECT_EQ(check.damages[0].file, segment_path(1));
  EXPECT_EQ(check.damages[0].offset, sample.begins[4]);
  EXPECT_EQ(check.damages[0].bytes, sample.begins[5] - sample.begins[4]);
  EXPECT_THAT(check.damages[0].losses, ElementsAre("session A: number 2 of epoch 1 is lost"));
}

TEST(JournalCheck, a_journal_that_was_not_opened_is_sound_and_empty) {
  for (const std::size_t files : {1U, 2U}) {
    FakeDisk disk;
    for (std::size_t number = 1; number <= files; ++number) {
      disk.set_contents(segment_path(number), std::string(4'096, '\0'));
    }
    const JournalCheck check = check_or_fail(disk);
    EXPECT_TRUE(check.damages.empty());
    EXPECT_EQ(check.records, 0U);
    EXPECT_EQ(check.torn_bytes, 0U);
    EXPECT_TRUE(repair_or_fail(disk).steps.empty());
    EXPECT_TRUE(reopen(disk).store);
  }
}

TEST(JournalCheck, a_first_segment_of_zeros_is_damage_where_others_follow) {
  Sample sample{300};
  const SessionKey a = sample.open("A");
  for (std::uint64_t n = 1; n <= 8; ++n) sample.message(a, n);
  sample.close();
  const std::string first = sample.disk.contents(segment_path(1));
  sample.disk.set_contents(segment_path(1), std::string(first.size(), '\0'));
  const auto opened = open_journal(sample.disk, {.folder = kFolder}, at_second(60));
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().text, HasSubstr("nexusfix journal repair " + kFolder));
  const JournalCheck check = check_or_fail(sample.disk);
  ASSERT_FALSE(check.damages.empty());
  EXPECT_EQ(check.damages[0].file, segment_path(1));
  repair_or_fail(sample.disk, RepairMode::Carry, {{0, "A"}});
  const OpenedJournal repaired = reopen(sample.disk);
  EXPECT_EQ(repaired.store->session(a).next_outbound, 9U);
}

TEST(JournalRepair, a_lost_message_is_a_gap_from_then_on_and_all_others_are_kept) {
  Sample sample;
  const SessionKey a = sample.open("A");
  const SessionKey b = sample.open("B");
  for (std::uint64_t n = 1; n <= 3; ++n) {
    sample.message(a, n);
    sample.message(b, n);
  }
  sample.flip(4);
  sample.close();
  const std::string damaged = sample.disk.contents(segment_path(1));

  const RepairReport planned = repair_or_fail(sample.disk, RepairMode::Plan);
  EXPECT_EQ(sample.disk.contents(segment_path(1)), damaged);
  EXPECT_TRUE(planned.copy_folder.empty());

  const RepairReport done = repair_or_fail(sample.disk);
  EXPECT_EQ(done.steps, planned.steps);
  EXPECT_EQ(done.alarms, planned.alarms);
  EXPECT_THAT(done.alarms, ElementsAre("session A: what was sent as number 2 of epoch 1 is lost"));
  EXPECT_EQ(sample.disk.contents(done.copy_folder + "/0000000001.journal"), damaged);
  EXPECT_TRUE(check_or_fail(sample.disk).damages.empty());
  EXPECT_THAT(sample.disk.contents(segment_path(1)), HasSubstr("anna, disk 7"));

  const OpenedJournal opened = reopen(sample.disk);
  EXPECT_EQ(read_all(*opened.store, a),
            (std::vector<KeptMessage>{{1, "message 1"}, {3, "message 3"}}));
  EXPECT_EQ(read_all(*opened.store, b).size(), 3U);
  EXPECT_EQ(opened.store->session(a).next_outbound, 4U);
  EXPECT_EQ(opened.store->session(a).next_inbound, 4U);
  EXPECT_THAT(opened.store->lost_numbers(a), ElementsAre(NumberRange{2, 2}));
  EXPECT_TRUE(opened.store->lost_numbers(b).empty());
}

TEST(JournalRepair, a_session_without_later_records_moves_above_every_number_it_may_have_used) {
  Sample sample;
  const SessionKey a = sample.open("A");
  const SessionKey b = sample.open("B");
  sample.message(a, 1);
  sample.message(b, 1);
  sample.message(b, 2);  // damaged
  sample.message(a, 2);
  sample.flip(4);
  sample.close();
  const std::uint64_t most = (sample.begins[5] - sample.begins[4] - kRecordHeaderBytes) / 17;
  ASSERT_GE(most, 1U);
  const RepairReport done = repair_or_fail(sample.disk);
  EXPECT_EQ(done.alarms.size(), 1U);
  const OpenedJournal opened = reopen(sample.disk);
  EXPECT_EQ(opened.store->session(a).next_outbound, 3U);
  EXPECT_EQ(opened.store->session(b).next_outbound, 2 + most);
  EXPECT_EQ(opened.store->session(b).next_inbound, 2U);
  EXPECT_THAT(opened.store->lost_numbers(b), ElementsAre(NumberRange{2, 1 + most}));
  const JournalCheck check = check_or_fail(sample.disk);
  ASSERT_EQ(check.changes.size(), 2U);
  EXPECT_THAT(check.changes[0].text, HasSubstr("taken out by a repair: anna, disk 7"));
  EXPECT_EQ(check.changes[1].session, "B");
  EXPECT_EQ(check.changes[1].before.next_outbound, 2U);
  EXPECT_EQ(check.changes[1].text, "repair: anna, disk 7");
}

TEST(JournalRepair, what_was_done_is_among_the_changes_even_if_no_number_was_lost) {
  Sample sample{300};
  const SessionKey a = sample.open("A");
  for (std::uint64_t n = 1; n <= 8; ++n) sample.message(a, n);
  ASSERT_TRUE(sample.store->close());
  sample.close();
  std::string bytes = sample.disk.contents(segment_path(2));
  bytes[3] = static_cast<char>(bytes[3] ^ 1);
  sample.disk.set_contents(segment_path(2), bytes);
  EXPECT_TRUE(repair_or_fail(sample.disk).alarms.empty());
  const JournalCheck check = check_or_fail(sample.disk);
  ASSERT_EQ(check.changes.size(), 1U);
  EXPECT_EQ(check.changes[0].session, "");
  EXPECT_EQ(check.changes[0].time, at_second(70));
  EXPECT_THAT(check.changes[0].text, AllOf(HasSubstr(segment_path(2)), HasSubstr("anna, disk 7")));
  // It was closed in order, and still is.
  sample.disk.power_loss();
  EXPECT_FALSE(check_or_fail(sample.disk).power_lost);
  EXPECT_FALSE(reopen(sample.disk).report.power_lost);
}

TEST(JournalRepair, damage_before_a_segment_whose_beginning_was_interrupted_is_repaired) {
  for (const std::size_t begun_bytes : {1U, 60U, 127U}) {
    Sample sample{300};
    const SessionKey a = sample.open("A");
    for (std::uint64_t n = 1; n <= 8; ++n) sample.message(a, n);
    sample.close();
    sample.flip(2);
    std::uint64_t last = 1;
    while (sample.disk.exists(segment_path(last + 1))) ++last;
    ASSERT_GT(last, 2U);
    // No tail marker names the segment yet.
    ASSERT_TRUE(sample.disk.remove(kFolder + "/owner"));
    const std::string begun = sample.disk.contents(segment_path(last)).substr(0, begun_bytes);
    sample.disk.set_contents(segment_path(last), begun);
    EXPECT_EQ(repair_or_fail(sample.disk).alarms.size(), 1U);
    EXPECT_TRUE(check_or_fail(sample.disk).damages.empty());
    EXPECT_THAT(sample.disk.contents(segment_path(last)), HasSubstr("anna, disk 7"));
    const OpenedJournal opened = reopen(sample.disk);
    ASSERT_TRUE(opened.store);
    EXPECT_FALSE(opened.report.power_lost);
    EXPECT_THAT(opened.store->lost_numbers(a), ElementsAre(NumberRange{2, 2}));
    EXPECT_TRUE(append_message(*opened.store, a, opened.store->session(a).next_outbound, "next"));
  }
}

TEST(JournalRepair, a_journal_whose_only_headers_lack_a_bit_keeps_its_identity) {
  Sample sample{300};
  const SessionKey a = sample.open("A");
  for (std::uint64_t n = 1; n <= 3; ++n) sample.message(a, n);
  sample.close();
  ASSERT_TRUE(sample.disk.exists(segment_path(2)));
  ASSERT_FALSE(sample.disk.exists(segment_path(3)));
  sample.disk.set_contents(segment_path(1), sample.disk.contents(segment_path(1)).substr(0, 10));
  std::string second = sample.disk.contents(segment_path(2));
  second[0] = static_cast<char>(second[0] ^ 1);
  sample.disk.set_contents(segment_path(2), second);
  repair_or_fail(sample.disk, RepairMode::Carry, {{0, "A"}});
  EXPECT_TRUE(check_or_fail(sample.disk).damages.empty());
  EXPECT_GE(reopen(sample.disk).store->session(a).next_outbound, 4U);
}

TEST(JournalRepair, segments_that_all_lost_their_headers_stay_segments_of_one_journal) {
  Sample sample{300};
  const SessionKey a = sample.open("A");
  for (std::uint64_t n = 1; n <= 3; ++n) sample.message(a, n);
  sample.close();
  ASSERT_FALSE(sample.disk.exists(segment_path(3)));
  std::string first = sample.disk.contents(segment_path(1));
  std::fill_n(first.begin(), 40, '\0');
  sample.disk.set_contents(segment_path(1), first);
  std::string second = sample.disk.contents(segment_path(2));
  second[0] = static_cast<char>(second[0] ^ 3);
  sample.disk.set_contents(segment_path(2), second);
  EXPECT_TRUE(repair_or_fail(sample.disk).alarms.empty());
  EXPECT_TRUE(check_or_fail(sample.disk).damages.empty());
  EXPECT_EQ(read_all(*reopen(sample.disk).store, a).size(), 3U);
}

TEST(JournalRepair, what_has_no_place_in_the_log_any_more_is_refused_before_anything_is_changed) {
  Sample sample{300};
  const SessionKey a = sample.open("A");
  for (std::uint64_t n = 1; n <= 8; ++n) sample.message(a, n);
  sample.close();
  ASSERT_TRUE(sample.disk.exists(segment_path(4)));
  // Longer than it was, and the header that would tell where it ended is gone.
  const std::string longer = sample.disk.contents(segment_path(1)) + std::string(200, 'x');
  sample.disk.set_contents(segment_path(1), longer);
  sample.disk.set_contents(segment_path(2), "N");
  const auto refused = repair_journal(
      sample.disk, {.folder = kFolder, .mode = RepairMode::Carry, .text = {}, .names = {}},
      at_second(70));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, StoreErrorCode::Corrupt);
  EXPECT_THAT(refused.error().text, AllOf(HasSubstr(segment_path(3)), HasSubstr("from a copy")));
  EXPECT_EQ(sample.disk.contents(segment_path(1)), longer);
  EXPECT_EQ(sample.disk.contents(segment_path(2)), "N");
}

TEST(JournalCheck, a_loss_of_power_is_reported) {
  Sample sample;
  sample.message(sample.open("A"), 1);
  sample.close();
  EXPECT_FALSE(check_or_fail(sample.disk).power_lost);
  sample.disk.power_loss();
  EXPECT_TRUE(check_or_fail(sample.disk).power_lost);
}

TEST(JournalRepair, a_lost_reset_is_put_back) {
  Sample sample;
  const SessionKey a = sample.open("A");
  for (std::uint64_t n = 1; n <= 5; ++n) sample.message(a, n);
  sample.add([&](Transaction& t) {
    t.reset(a);
    t.outbound_message(a, 1, "after the reset");
  });
  sample.add([&](Transaction& t) { t.outbound_message(a, 2, "second"); });
  sample.flip(6);
  sample.close();
  const RepairReport done = repair_or_fail(sample.disk);
  EXPECT_THAT(done.alarms, ElementsAre("session A: a reset of its sequence numbers was lost",
                                       "session A: what was sent as number 1 of epoch 2 is lost"));
  const OpenedJournal opened = reopen(sample.disk);
  EXPECT_EQ(opened.store->session(a).epoch, 2U);
  EXPECT_EQ(opened.store->session(a).next_outbound, 3U);
  EXPECT_EQ(read_all(*opened.store, a), (std::vector<KeptMessage>{{2, "second"}}));
}

TEST(JournalRepair, a_lost_name_must_be_given) {
  Sample sample;
  sample.open("A");
  const SessionKey b = sample.open("FIX.4.4:US->B");
  sample.message(b, 1);
  sample.flip(1, 3);  // in the checksum: the name can be read still
  sample.close();
  const auto refused = repair_journal(
      sample.disk, {.folder = kFolder, .mode = RepairMode::Carry, .text = {}, .names = {}},
      at_second(70));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, StoreErrorCode::Refused);
  EXPECT_THAT(refused.error().text, HasSubstr("--name 1=NAME"));
  EXPECT_THAT(refused.error().text, HasSubstr("FIX.4.4:US->B"));
  repair_or_fail(sample.disk, RepairMode::Carry, {{1, "FIX.4.4:US->B"}});
  const OpenedJournal opened = reopen(sample.disk);
  EXPECT_EQ(opened.store->session_name(b), "FIX.4.4:US->B");
  EXPECT_EQ(opened.store->session(b).next_outbound, 2U);
  EXPECT_EQ(read_all(*opened.store, b).size(), 1U);
}

TEST(JournalRepair, an_interrupted_write_is_cut) {
  Sample sample;
  const SessionKey a = sample.open("A");
  sample.message(a, 1);
  sample.message(a, 2);
  sample.close();
  std::string bytes = sample.disk.contents(segment_path(1));
  bytes.resize(sample.begins[2] + 20);
  sample.disk.set_contents(segment_path(1), bytes);
  const JournalCheck check = check_or_fail(sample.disk);
  EXPECT_EQ(check.torn_bytes, 20U);
  EXPECT_EQ(check.torn_offset, sample.begins[2]);
  EXPECT_EQ(repair_or_fail(sample.disk).steps.size(), 1U);
  EXPECT_EQ(sample.disk.contents(segment_path(1)).size(), sample.begins[2]);
}

TEST(JournalRepair, a_damaged_header_is_written_again) {
  Sample sample{300};
  const SessionKey a = sample.open("A");
  for (std::uint64_t n = 1; n <= 8; ++n) sample.message(a, n);
  sample.close();
  for (std::size_t at = 0; at < kSegmentHeaderBytes; ++at) {
    std::string bytes = sample.disk.contents(segment_path(2));
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    sample.disk.set_contents(segment_path(2), bytes);
    ASSERT_EQ(check_or_fail(sample.disk).damages.size(), 1U) << at;
    const auto report = repair_journal(
        sample.disk, {.folder = kFolder, .mode = RepairMode::Carry, .text = {}, .names = {}},
        at_second(100 + static_cast<std::int64_t>(at)));
    ASSERT_TRUE(report) << report.error().text;
    EXPECT_TRUE(report->alarms.empty());
    const OpenedJournal opened = reopen(sample.disk);
    ASSERT_EQ(read_all(*opened.store, a).size(), 8U);
  }
}

TEST(JournalRepair, a_segment_that_lost_its_end_keeps_its_place) {
  Sample sample{300};
  const SessionKey a = sample.open("A");
  for (std::uint64_t n = 1; n <= 8; ++n) sample.message(a, n);
  sample.close();
  const std::string whole = sample.disk.contents(segment_path(2));
  sample.disk.set_contents(segment_path(2), whole.substr(0, whole.size() - 10));
  const JournalCheck check = check_or_fail(sample.disk);
  ASSERT_EQ(check.damages.size(), 1U);
  EXPECT_EQ(check.damages[0].losses.size(), 1U);
  repair_or_fail(sample.disk);
  EXPECT_EQ(sample.disk.contents(segment_path(2)).size(), whole.size());
  EXPECT_EQ(read_all(*reopen(sample.disk).store, a).size(), 7U);
}

TEST(JournalRepair, a_bit_flipped_anywhere_is_repaired_and_no_number_is_used_twice) {
  Sample sample;
  const SessionKey a = sample.open("A");
  const SessionKey b = sample.open("B");
  for (std::uint64_t n = 1; n <= 3; ++n) {
    sample.message(a, n);
    sample.message(b, n);
  }
  sample.add([&](Transaction& t) { t.reset(b); });
  sample.message(b, 1);
  sample.message(a, 4);
  sample.close();
  const std::string whole = sample.disk.contents(segment_path(1));
  const std::map<SessionKey, std::string> names{{a, "A"}, {b, "B"}};
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x40);
    FakeDisk disk;
    disk.set_contents(segment_path(1), bytes);
    repair_or_fail(disk, RepairMode::Carry, names);
    const bool torn = at >= sample.begins.back();
    const OpenedJournal opened = reopen(disk);
    ASSERT_GE(opened.store->session(a).next_outbound, torn ? 4U : 5U) << at;
    const std::vector<KeptMessage> kept = read_all(*opened.store, a);
    ASSERT_GE(kept.size(), 3U) << at;
    for (const KeptMessage& message : kept) {
      ASSERT_EQ(message.bytes, "message " + std::to_string(message.number));
    }
    ASSERT_EQ(opened.store->session_name(b), "B");
  }
}

// Three segments and more; the second one has room left after its records, of zeros.
class UnusedTail : public ::testing::Test {
 protected:
  UnusedTail() {
    Sample sample{400};
    const SessionKey a = sample.open("A");
    for (std::uint64_t n = 1; n <= 12; ++n) sample.message(a, n);
    sample.close();
    for (std::uint64_t number = 1; sample.disk.exists(segment_path(number)); ++number) {
      segments_.push_back(sample.disk.contents(segment_path(number)));
    }
    used_ = segments_[1].size();
    segments_[1].resize(used_ + 60, '\0');
  }

  // The log with this second segment: what verify and opening say of it; and that it can be opened
  // once a repair says that it is mended. True: it was sound.
  bool look_and_repair(const std::string& second) const {
    FakeDisk disk;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      disk.set_contents(segment_path(i + 1), i == 1 ? second : segments_[i]);
    }
    const auto check = verify_journal(disk, kFolder);
    const auto looked = inspect_journal(disk, kFolder);
    const bool is_sound = check && check->damages.empty();
    EXPECT_EQ(is_sound, looked && looked->report.damages.empty());
    const auto repaired = repair_journal(
        disk, {.folder = kFolder, .mode = RepairMode::Carry, .text = {}, .names = {{0, "A"}}},
        at_second(70));
    if (!repaired) return is_sound;
    const auto opened = open_journal(disk, {.folder = kFolder, .checks_all = true}, at_second(80));
    EXPECT_TRUE(opened) << opened.error().text;
    if (opened) {
      EXPECT_TRUE(opened->report.damages.empty());
    }
    const JournalCheck again = check_or_fail(disk);
    EXPECT_TRUE(again.damages.empty());
    EXPECT_TRUE(again.unused.empty());
    return is_sound;
  }

  std::vector<std::string> segments_;
  std::size_t used_ = 0;  // of the second one
};

TEST_F(UnusedTail, what_is_written_there_is_no_damage_and_is_reported) {
  for (std::size_t at = used_; at < segments_[1].size(); ++at) {
    std::string second = segments_[1];
    second[at] = 'x';
    ASSERT_TRUE(look_and_repair(second)) << at;
  }
  for (const std::string& more : {std::string{"x"}, std::string(40, '\xFF'), segments_[1]}) {
    ASSERT_TRUE(look_and_repair(segments_[1] + more)) << more.size();
    ASSERT_TRUE(look_and_repair(segments_[1].substr(0, used_) + more)) << more.size();
  }
  ASSERT_TRUE(look_and_repair(segments_[1]));
}

TEST_F(UnusedTail, a_repair_keeps_a_copy_and_cuts_it_off) {
  FakeDisk disk;
  segments_[1].back() = 'x';
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    disk.set_contents(segment_path(i + 1), segments_[i]);
  }
  const JournalCheck check = check_or_fail(disk);
  ASSERT_EQ(check.unused.size(), 1U);
  EXPECT_EQ(check.unused[0].file, segment_path(2));
  EXPECT_EQ(check.unused[0].offset, used_);
  EXPECT_EQ(check.unused[0].bytes, 60U);
  const RepairReport done = repair_or_fail(disk);
  EXPECT_EQ(done.steps.size(), 1U);
  EXPECT_TRUE(done.alarms.empty());
  EXPECT_EQ(disk.contents(done.copy_folder + "/0000000002.journal"), segments_[1]);
  EXPECT_EQ(disk.contents(segment_path(2)), segments_[1].substr(0, used_));
  EXPECT_EQ(read_all(*reopen(disk).store, 0).size(), 12U);
}

TEST_F(UnusedTail, bytes_that_were_inserted_or_taken_out_are_repaired_or_refused) {
  for (std::size_t at = 0; at <= used_; at += case_step(5)) {
    for (const std::string& text : {std::string{"x"}, std::string(23, 'y'), std::string(5, '\0')}) {
      std::string second = segments_[1];
      look_and_repair(second.insert(at, text));
      second = segments_[1];
      look_and_repair(second.erase(at, text.size()));
    }
    ASSERT_FALSE(HasFailure()) << at;
  }
}

TEST(JournalRepair, an_interrupted_repair_can_be_done_again) {
  for (unsigned nth = 1;; ++nth) {
    Sample sample;
    const SessionKey a = sample.open("A");
    const SessionKey b = sample.open("B");
    sample.message(a, 1);
    sample.message(b, 1);
    sample.message(b, 2);
    sample.message(a, 2);
    sample.flip(4);
    sample.close();
    sample.disk.fail_any(nth, 5);
    const auto failed = repair_journal(
        sample.disk, {.folder = kFolder, .mode = RepairMode::Carry, .text = {}, .names = {}},
        at_second(70));
    if (sample.disk.faults_hit() == 0) {
      ASSERT_TRUE(failed);
      EXPECT_GT(nth, 20U);
      break;
    }
    sample.disk.process_death();
    const auto again = repair_journal(
        sample.disk, {.folder = kFolder, .mode = RepairMode::Carry, .text = {}, .names = {}},
        at_second(70));
    ASSERT_TRUE(again) << nth << ": " << again.error().text;
    const OpenedJournal opened = reopen(sample.disk);
    EXPECT_GT(opened.store->session(b).next_outbound, 2U) << nth;
    EXPECT_EQ(opened.store->session(a).next_outbound, 3U) << nth;
  }
}

TEST(JournalRepair, one_that_is_done_again_within_its_second_leaves_the_first_copy_as_it_was) {
  Sample sample;
  const SessionKey a = sample.open("A");
  for (std::uint64_t n = 1; n <= 3; ++n) sample.message(a, n);
  sample.close();
  std::vector<std::string> copies;
  for (std::size_t record = 1; record <= 3; ++record) {
    sample.flip(record);
    const std::string damaged = sample.disk.contents(segment_path(1));
    const RepairReport done = repair_or_fail(sample.disk);
    ASSERT_FALSE(done.copy_folder.empty());
    EXPECT_EQ(sample.disk.contents(done.copy_folder + "/0000000001.journal"), damaged);
    copies.push_back(done.copy_folder);
  }
  const std::string first = kFolder + "/before-repair-70";
  EXPECT_THAT(copies, ElementsAre(first, first + ".2", first + ".3"));
}

TEST(JournalRepair, a_journal_in_use_is_left_alone) {
  Sample sample;
  sample.open("A");
  const auto report = repair_journal(
      sample.disk, {.folder = kFolder, .mode = RepairMode::Carry, .text = {}, .names = {}},
      at_second(70));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, StoreErrorCode::Locked);
}

}  // namespace
}  // namespace nexusfix::store
