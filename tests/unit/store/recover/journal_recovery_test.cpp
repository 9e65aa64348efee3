// Opening after crashes, and after damage: nothing durable is missing, nothing is invented, and
// what looks like damage is refused.
#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "journal/api/journal_tools.hpp"
#include "store/api/entry.hpp"
#include "store/api/journal_format.hpp"
#include "store/write/tail_marker.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/sanitized.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using ::testing::AllOf;
using testing::FakeDisk;
using ::testing::HasSubstr;

const std::string kFolder = "/journal";

std::string segment_path(std::uint64_t number) { return kFolder + '/' + segment_file_name(number); }

// A small journal: its files, what it holds, and where its records begin.
struct Sample {
  std::vector<std::string> files;
  std::vector<ScannedMessage> messages;
  std::size_t last_record_at = 0;  // in the last file
  std::string owner{};             // without what is noted of the log's end

  void put_into(FakeDisk& disk) const {
    for (std::size_t i = 0; i < files.size(); ++i) {
      disk.set_contents(segment_path(i + 1), files[i]);
    }
    disk.set_contents(kFolder + "/owner", owner);
  }
};

// Large enough that segments after the first begin with checkpoints.
constexpr std::uint64_t kCheckpointedSegmentBytes = 1'500;

JournalOptions options_with(std::uint64_t segment_bytes) {
  return {.folder = kFolder,
          .durability = Durability::Sync,
          .segment_bytes = segment_bytes,
          .checks_all = true};
}

Sample make_sample(std::uint64_t segment_bytes, WallTime created = at_second(50)) {
  FakeDisk disk;
  Sample sample;
  {
    const auto journal = open_journal(disk, options_with(segment_bytes), created);
    EXPECT_TRUE(journal) << journal.error().text;
    Store& store = *journal->store;
    const SessionKey a = open_session(store, "FIX.4.4:VENUE->A");
    const SessionKey b = open_session(store, "FIX.4.4:VENUE->B");
    const std::uint64_t messages = segment_bytes == kCheckpointedSegmentBytes ? 60 : 8;
    for (std::uint64_t n = 1; n <= messages; ++n) {
      sample.last_record_at = static_cast<std::size_t>(store.appended());
      EXPECT_TRUE(append(store, [&](Transaction& t) {
        t.inbound_progress(a, n + 1);
        t.outbound_message(n % 2 == 0 ? a : b, n, "8=FIX.4.4|34=" + std::to_string(n) + '|');
      }));
      if (n % 2 == 0) {
        EXPECT_TRUE(store.flush());
      }
    }
    sample.messages = scan_all(store);
  }
  std::size_t before_last = 0;
  for (std::uint64_t number = 1; disk.exists(segment_path(number)); ++number) {
    if (!sample.files.empty()) before_last += sample.files.back().size();
    sample.files.push_back(disk.contents(segment_path(number)));
  }
  sample.owner = disk.contents(kFolder + "/owner").substr(0, kTailMarkerAt);
  // A record that opened the last segment lies after that segment's start.
  const auto last = decode_segment_header(sample.files.back());
  EXPECT_TRUE(last);
  sample.last_record_at =
      std::max<std::size_t>(sample.last_record_at, before_last + last->records_at()) - before_last;
  return sample;
}

bool is_in_checkpoint(const Sample& sample, std::size_t file, std::size_t offset) {
  const auto header = decode_segment_header(sample.files[file]);
  return offset >= header->header_bytes() && offset < header->records_at();
}

bool is_prefix(const std::vector<ScannedMessage>& part, const std::vector<ScannedMessage>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

std::vector<ScannedMessage> messages_of(const std::vector<ScannedMessage>& all,
                                        std::string_view session) {
  std::vector<ScannedMessage> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [&](const ScannedMessage& one) { return one.session == session; });
  return found;
}

// A session that is not refused has all that it had, and goes on; no other session is opened.
void expect_only_whole_sessions(OpenedJournal& opened,
                                const std::vector<ScannedMessage>& original) {
  EXPECT_THAT(opened.report.damages.front(), AllOf(HasSubstr(kFolder), HasSubstr("offset")));
  const std::vector<ScannedMessage> found = scan_all(*opened.store);
  for (const std::string name : {"FIX.4.4:VENUE->A", "FIX.4.4:VENUE->B"}) {
    const auto key = opened.store->open_session(name, at_second(60));
    if (!key) {
      EXPECT_EQ(key.error().code, StoreErrorCode::SessionRefused);
      EXPECT_THAT(key.error().text, AllOf(HasSubstr("offset"), HasSubstr("nexusfix journal")));
      continue;
    }
    EXPECT_EQ(messages_of(found, name), messages_of(original, name));
    EXPECT_EQ(read_all(*opened.store, *key).size(), messages_of(original, name).size());
    const std::uint64_t next = opened.store->session(*key).next_outbound;
    EXPECT_EQ(next, messages_of(original, name).back().number + 1);
    EXPECT_TRUE(append_message(*opened.store, *key, next, "appended"));
  }
  const auto unknown = opened.store->open_session("new", at_second(60));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, StoreErrorCode::SessionRefused);
  EXPECT_TRUE(opened.store->flush());
}

// Opens damaged files. Damage with more after it: sessions that may have lost something are
// refused. A log that cannot be followed: says where, changed nothing. Opened: holds a prefix, and
// takes appends that are there when it is opened again. Returns the number of messages, or -1.
int open_damaged(const Sample& damaged, const std::vector<ScannedMessage>& original) {
  FakeDisk disk;
  damaged.put_into(disk);
  std::vector<ScannedMessage> found;
  {
    auto opened = open_journal(disk, options_with(64U << 20U), at_second(60));
    if (!opened) {
      EXPECT_EQ(opened.error().code, StoreErrorCode::Corrupt) << opened.error().text;
      EXPECT_THAT(opened.error().text, AllOf(HasSubstr(kFolder), HasSubstr("offset")));
      for (std::size_t i = 0; i < damaged.files.size(); ++i) {
        EXPECT_EQ(disk.contents(segment_path(i + 1)), damaged.files[i]);
      }
      return -1;
    }
    if (!opened->report.damages.empty()) {
      expect_only_whole_sessions(*opened, original);
      return -1;
    }
    found = scan_all(*opened->store);
    EXPECT_TRUE(is_prefix(found, original));
    const SessionKey key = open_session(*opened->store, "new");
    EXPECT_TRUE(append_message(*opened->store, key, 1, "appended"));
    EXPECT_TRUE(opened->store->flush());
  }
  const OpenedJournal again = open_or_fail(disk, options_with(64U << 20U));
  EXPECT_EQ(again.report.torn_bytes, 0U);
  std::vector<ScannedMessage> expected = found;
  expected.push_back({"new", 1, 1, "appended"});
  EXPECT_EQ(scan_all(*again.store), expected);
  return static_cast<int>(found.size());
}

class JournalDamage : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(JournalDamage, the_samples_have_checkpoints_where_they_are_meant_to) {
  const Sample sample = make_sample(GetParam());
  std::size_t checkpoints = 0;
  for (const std::string& file : sample.files) {
    if (decode_segment_header(file)->has_checkpoint()) ++checkpoints;
  }
  EXPECT_EQ(checkpoints > 1, GetParam() == kCheckpointedSegmentBytes);
}

// A checkpoint only saves time: one that is damaged takes nothing.
TEST_P(JournalDamage, a_flipped_bit_anywhere_is_refused_or_takes_only_the_last_record) {
  const Sample sample = make_sample(GetParam());
  for (std::size_t file = 0; file < sample.files.size(); ++file) {
    for (std::size_t offset = 0; offset < sample.files[file].size(); offset += case_step(7)) {
      for (const int bits : {0x01, 0x80, 0xFF}) {
        Sample damaged = sample;
        damaged.files[file][offset] = static_cast<char>(damaged.files[file][offset] ^ bits);
        const int messages = open_damaged(damaged, sample.messages);
        const bool in_last_record =
            file + 1 == sample.files.size() && offset >= sample.last_record_at;
        const auto all = static_cast<int>(sample.messages.size());
        const int expected = is_in_checkpoint(sample, file, offset) ? all
                             : in_last_record                       ? all - 1
                                                                    : -1;
        ASSERT_EQ(messages, expected) << "file " << file + 1 << " offset " << offset;
      }
    }
  }
}

TEST_P(JournalDamage, the_last_segment_truncated_at_any_length_opens_with_a_prefix) {
  const Sample sample = make_sample(GetParam());
  int last_count = 0;
  for (std::size_t length = 0; length <= sample.files.back().size(); ++length) {
    Sample damaged = sample;
    damaged.files.back().resize(length);
    const int messages = open_damaged(damaged, sample.messages);
    ASSERT_GE(messages, last_count) << length;
    last_count = messages;
  }
  EXPECT_EQ(last_count, static_cast<int>(sample.messages.size()));
}

TEST_P(JournalDamage, an_earlier_segment_truncated_at_any_length_is_refused) {
  const Sample sample = make_sample(GetParam());
  for (std::size_t file = 0; file + 1 < sample.files.size(); ++file) {
    for (std::size_t length = 0; length < sample.files[file].size(); ++length) {
      Sample damaged = sample;
      damaged.files[file].resize(length);
      ASSERT_EQ(open_damaged(damaged, sample.messages), -1) << file + 1 << ' ' << length;
    }
  }
}

TEST_P(JournalDamage, zeros_or_rubbish_after_the_last_record_are_cut) {
  const Sample sample = make_sample(GetParam());
  SeededRandom random{GetParam()};
  for (std::size_t length = 1; length < 400; length += 7) {
    Sample zeros = sample;
    zeros.files.back().append(length, '\0');
    EXPECT_EQ(open_damaged(zeros, sample.messages), static_cast<int>(sample.messages.size()));
    Sample rubbish = sample;
    for (std::size_t i = 0; i < length; ++i) {
      rubbish.files.back() += static_cast<char>(random.next());
    }
    EXPECT_EQ(open_damaged(rubbish, sample.messages), static_cast<int>(sample.messages.size()));
  }
}

INSTANTIATE_TEST_SUITE_P(SegmentBytes, JournalDamage,
                         ::testing::Values(64U << 20U, 300U, kCheckpointedSegmentBytes));

class JournalRecovery : public ::testing::Test {
 protected:
  StoreError refused(const Sample& files) {
    FakeDisk disk;
    files.put_into(disk);
    auto opened = open_journal(disk, options_with(300), at_second(60));
    EXPECT_FALSE(opened);
    return opened ? StoreError{} : opened.error();
  }

  Sample sample_ = make_sample(300);
};

TEST_F(JournalRecovery, the_error_names_file_offset_cause_and_remedy) {
  sample_.files[0][180] = static_cast<char>(sample_.files[0][180] ^ 1);
  FakeDisk disk;
  sample_.put_into(disk);
  const OpenedJournal opened = open_or_fail(disk, options_with(300));
  // A, whose first number is 2, may have lost its first; B has lost its name.
  ASSERT_EQ(opened.report.refused.size(), 2U);
  EXPECT_EQ(opened.report.refused[1].session, "lost session 1");
  EXPECT_THAT(opened.report.refused[1].text,
              AllOf(HasSubstr("/journal/0000000001.journal"), HasSubstr("offset 177"),
                    HasSubstr("checksum"), HasSubstr("nexusfix journal repair /journal")));
}

// Catalogue D15: a kill in group mode leaves several segments that were prepared and not begun.
TEST_F(JournalRecovery, any_number_of_empty_segments_at_the_end_is_used_again) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{40}, std::size_t{300}}) {
    for (std::size_t count = 1; count <= 3; ++count) {
      Sample more = sample_;
      more.files.resize(more.files.size() + count, std::string(size, '\0'));
      FakeDisk disk;
      more.put_into(disk);
      {
        const OpenedJournal opened = open_or_fail(disk, options_with(300));
        ASSERT_NE(opened.store, nullptr);
        EXPECT_TRUE(opened.report.damages.empty());
        EXPECT_EQ(scan_all(*opened.store), sample_.messages);
        for (int i = 0; i < 20; ++i) {
          ASSERT_TRUE(append_message(*opened.store, 0, opened.store->session(0).next_outbound,
                                     std::string(40, 'm')));
        }
        ASSERT_TRUE(opened.store->flush());
      }
      disk.process_death();
      const OpenedJournal opened = open_or_fail(disk, options_with(300));
      EXPECT_EQ(scan_all(*opened.store).size(), sample_.messages.size() + 20);
      // One with records in it ends that: the segment before it is missing.
      more.files.push_back(sample_.files.back());
      EXPECT_EQ(refused(more).code, StoreErrorCode::Corrupt);
    }
  }
}

TEST_F(JournalRecovery, a_missing_segment_is_refused) {
  FakeDisk disk;
  sample_.put_into(disk);
  ASSERT_TRUE(disk.remove(segment_path(2)));
  const auto opened = open_journal(disk, options_with(300), at_second(60));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, StoreErrorCode::Corrupt);
  EXPECT_THAT(opened.error().text, HasSubstr("0000000002.journal is missing"));
}

TEST_F(JournalRecovery, segments_in_each_others_place_are_refused) {
  std::swap(sample_.files[1], sample_.files[2]);
  EXPECT_THAT(refused(sample_).text, HasSubstr("belongs to another place"));
}

TEST_F(JournalRecovery, a_segment_of_another_journal_is_refused) {
  // A log of equal content, made at another time: only its identity differs.
  sample_.files[1] = make_sample(300, at_second(51)).files[1];
  EXPECT_THAT(refused(sample_).text, HasSubstr("another journal"));
}

TEST_F(JournalRecovery, a_record_in_another_place_than_it_was_written_to_does_not_check) {
  // Records of one size that would make sense in each other's place: a misdirected write.
  FakeDisk disk;
  std::size_t record = 0;
  {
    const OpenedJournal journal = open_or_fail(disk, options_with(64U << 20U));
    const SessionKey key = open_session(*journal.store, "A");
    for (std::uint64_t next = 2; next <= 5; ++next) {
      const LogPosition before = journal.store->appended();
      ASSERT_TRUE(append(*journal.store, [&](Transaction& t) { t.inbound_progress(key, next); }));
      record = static_cast<std::size_t>(journal.store->appended() - before);
    }
    ASSERT_TRUE(journal.store->flush());
  }
  std::string file = disk.contents(segment_path(1));
  file.replace(file.size() - 3 * record, record, file, file.size() - 2 * record, record);
  disk.set_contents(segment_path(1), file);
  const OpenedJournal opened = open_or_fail(disk, options_with(64U << 20U));
  ASSERT_EQ(opened.report.damages.size(), 1U);
  EXPECT_THAT(opened.report.damages[0], HasSubstr("checksum"));
}

TEST_F(JournalRecovery, an_unknown_format_version_is_refused_by_name) {
  sample_.files.resize(1);
  sample_.files[0][8] = 4;
  EXPECT_THAT(refused(sample_).text,
              AllOf(HasSubstr("format version"), HasSubstr("versions 1 to 3")));
}

TEST_F(JournalRecovery, a_checked_record_with_impossible_content_is_refused) {
  const auto journal_of = [](const std::function<void(Transaction&)>& build) {
    const SegmentHeader header{.log_id = 1, .number = 1, .position = 0, .time = at_second(1)};
    std::string file(kSegmentHeaderBytes, '\0');
    encode_segment_header(header, std::span{file}.first<kSegmentHeaderBytes>());
    Transaction transaction;
    build(transaction);
    std::vector<char> record;
    append_record(record, RecordSeed{header}, file.size(), at_second(1), transaction.entries());
    file.append(record.begin(), record.end());
    return Sample{.files = {file}, .messages = {}, .last_record_at = 0};
  };
  const StoreError error = refused(journal_of([](Transaction& t) { t.inbound_progress(7, 2); }));
  EXPECT_EQ(error.code, StoreErrorCode::Corrupt);
  EXPECT_THAT(error.text, AllOf(HasSubstr("offset 128"), HasSubstr("never opened")));
}

TEST_F(JournalRecovery, lengths_that_announce_gigabytes_are_cut_or_refused_without_reading_them) {
  for (const char byte : {'\x10', '\x3F', '\x7F', '\xFF'}) {
    Sample damaged = make_sample(64U << 20U);
    damaged.files[0][damaged.last_record_at + 7] = byte;
    EXPECT_EQ(open_damaged(damaged, make_sample(64U << 20U).messages), 7);
  }
}

TEST_F(JournalRecovery, a_tail_made_to_look_like_many_records_is_answered_in_bounded_time) {
  // The tail is made of headers, each of which begins a well-formed record that reaches to the
  // end; to sum them all would take minutes.
  Sample hostile = make_sample(64U << 20U);
  std::string& file = hostile.files[0];
  const std::size_t begin = file.size();
  file.append(4'000'000, '\0');
  const auto put = [&](std::size_t at, std::size_t value) {
    for (unsigned byte = 0; byte < 4; ++byte) {
      file[at + byte] = static_cast<char>(value >> (8 * byte));
    }
  };
  constexpr std::size_t kHeaders = kRecordHeaderBytes + kEntryHeaderBytes;
  for (std::size_t at = begin; at + kHeaders < file.size(); at += kHeaders) {
    put(at + 4, file.size() - at - kRecordHeaderBytes);
    file[at + 16] = static_cast<char>(EntryKind::OutboundMessage);
    put(at + 21, 1);
    put(at + 29, file.size() - at - kHeaders);
  }
  FakeDisk disk;
  hostile.put_into(disk);
  const auto opened = open_journal(disk, options_with(64U << 20U), at_second(60));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, StoreErrorCode::Corrupt);
}

// All that was confirmed to a run as durable must be there afterwards, and nothing that it did not
// append.
struct Acknowledged {
  std::vector<ScannedMessage> appended;
  std::size_t durable = 0;
};

void run_until_error(FakeDisk& disk, Durability durability, Acknowledged& acknowledged) {
  auto opened = open_journal(
      disk, {.folder = kFolder, .durability = durability, .segment_bytes = 300}, at_second(1));
  if (!opened) return;
  Store& store = *opened->store;
  const auto key = store.open_session("A", at_second(1));
  if (!key) return;
  for (std::uint64_t n = store.session(*key).next_outbound; n <= 12; ++n) {
    const std::string bytes = "message " + std::to_string(n);
    acknowledged.appended.push_back({"A", 1, n, bytes});
    if (!append_message(store, *key, n, bytes)) return;
    if (n % 2 != 0) continue;
    if (!store.flush()) return;
    acknowledged.durable = acknowledged.appended.size();
  }
}

void check_after_crash(FakeDisk& disk, Durability durability, const Acknowledged& acknowledged) {
  const OpenedJournal journal =
      open_or_fail(disk, {.folder = kFolder, .durability = durability, .segment_bytes = 300});
  ASSERT_NE(journal.store, nullptr);
  const std::vector<ScannedMessage> found = scan_all(*journal.store);
  EXPECT_TRUE(is_prefix(found, acknowledged.appended));
  EXPECT_GE(found.size(), acknowledged.durable);
  if (found.empty()) return;
  // A run that ended by an error is taken for a loss of power.
  const bool skips = !journal.report.skipped.empty();
  EXPECT_EQ(skips, journal.report.power_lost && durability == Durability::Process);
  const std::uint64_t skipped = skips ? JournalOptions{}.numbers_ahead_max : 0;
  EXPECT_EQ(journal.store->session(0).next_outbound, found.size() + 1 + skipped)
      << to_word(journal.report.loss);
}

TEST(JournalFaults, an_error_at_any_disk_call_loses_nothing_durable) {
  for (const Durability durability : {Durability::Process, Durability::Sync}) {
    for (const bool power : {false, true}) {
      if (power && durability == Durability::Process) continue;
      unsigned nth = 1;
      for (bool hit = true; hit; ++nth) {
        SCOPED_TRACE("call " + std::to_string(nth));
        FakeDisk disk;
        Acknowledged acknowledged;
        disk.fail_any(nth, EIO);
        run_until_error(disk, durability, acknowledged);
        hit = disk.faults_hit() != 0;
        power ? disk.power_loss() : disk.process_death();
        check_after_crash(disk, durability, acknowledged);
        if (::testing::Test::HasFailure()) return;
      }
      EXPECT_GT(nth, 20U);
    }
  }
}

TEST(JournalFaults, a_crash_at_any_disk_call_and_an_error_while_recovering_lose_nothing) {
  for (unsigned first = 8; first < 60; first += 3) {
    for (unsigned second = 1; second < 30; ++second) {
      FakeDisk disk;
      Acknowledged acknowledged;
      disk.fail_any(first, EIO);
      run_until_error(disk, Durability::Sync, acknowledged);
      disk.power_loss(disk.unsynced_bytes() / 2);
      disk.fail_any(second, EIO);
      Acknowledged ignored;
      {
        auto opened = open_journal(
            disk, {.folder = kFolder, .durability = Durability::Sync, .segment_bytes = 300},
            at_second(2));
      }
      disk.power_loss();
      check_after_crash(disk, Durability::Sync, acknowledged);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(JournalFaults, a_power_loss_at_any_byte_of_what_was_not_synced_loses_nothing_durable) {
  for (std::size_t kept = 0;; ++kept) {
    FakeDisk disk;
    Acknowledged acknowledged;
    std::size_t unsynced = 0;
    {
      const OpenedJournal journal = open_or_fail(
          disk, {.folder = kFolder, .durability = Durability::Sync, .segment_bytes = 10'000});
      const SessionKey key = open_session(*journal.store, "A");
      for (std::uint64_t n = 1; n <= 4; ++n) {
        acknowledged.appended.push_back({"A", 1, n, "message " + std::to_string(n)});
        ASSERT_TRUE(append_message(*journal.store, key, n, acknowledged.appended.back().bytes));
        if (n == 2) {
          ASSERT_TRUE(journal.store->flush());
        }
      }
      acknowledged.durable = 2;
      disk.fail(testing::DiskCall::Sync, 1, EIO);
      ASSERT_FALSE(journal.store->flush());
      unsynced = disk.unsynced_bytes();
      ASSERT_GT(unsynced, 50U);
      disk.power_loss(kept);
    }
    check_after_crash(disk, Durability::Sync, acknowledged);
    if (kept == unsynced) break;
  }
}

TEST(JournalFaults, a_full_disk_is_reported_and_what_was_durable_is_there_when_space_is_back) {
  FakeDisk disk;
  disk.set_capacity(912 + kOwnerIdentityBytes);
  Acknowledged acknowledged;
  run_until_error(disk, Durability::Sync, acknowledged);
  EXPECT_LT(acknowledged.durable, 12U);
  EXPECT_GT(acknowledged.durable, 0U);
  disk.process_death();
  disk.set_capacity(UINT64_MAX);
  check_after_crash(disk, Durability::Sync, acknowledged);
}

// What no engine writes, and a user may hand over: a first segment that ends before its records
// begin, of another machine, with a second one that is none.
TEST(JournalFaults, a_first_segment_that_is_cut_off_before_its_records_is_reported_as_damage) {
  FakeDisk disk;
  SegmentHeader header;
  header.log_id = 1;
  header.boot_id = to_boot_id("another start");
  header.start_bytes = 4'096;
  std::array<char, kSegmentHeaderBytes> bytes{};
  encode_segment_header(header, bytes);
  disk.set_contents(segment_path(1), {bytes.data(), bytes.size()});
  disk.set_contents(segment_path(2), "junk");
  const auto opened = open_journal(disk, options_with(4'096), at_second(60));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, StoreErrorCode::Corrupt);
  EXPECT_THAT(opened.error().text, HasSubstr("the segment's start is cut off"));
  EXPECT_FALSE(inspect_journal(disk, kFolder));
}

// What is left begins with a record and is no longer than a header: nothing of a header is in it.
TEST(JournalFaults, a_segment_that_lost_its_header_is_never_opened_again_over_its_records) {
  FakeDisk disk;
  {
    const OpenedJournal opened = open_or_fail(disk, options_with(4'096));
    open_session(*opened.store, "A");
    ASSERT_TRUE(opened.store->flush());
  }
  ASSERT_GT(disk.contents(segment_path(1)).size(), kSegmentHeaderBytes);
  for (const std::uint64_t number : {1U, 2U}) {
    const std::string whole = disk.contents(segment_path(1));
    ASSERT_LT(whole.size(), 2 * kSegmentHeaderBytes);
    disk.set_contents(segment_path(number), whole.substr(kSegmentHeaderBytes));
    const auto opened = open_journal(disk, options_with(4'096), at_second(60));
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, StoreErrorCode::Corrupt);
    EXPECT_THAT(opened.error().text,
                AllOf(HasSubstr(segment_path(number)), HasSubstr("at offset 34"),
                      HasSubstr("nexusfix journal repair " + kFolder + " --dry-run")));
    EXPECT_FALSE(inspect_journal(disk, kFolder));
    const auto check = verify_journal(disk, kFolder);
    ASSERT_FALSE(check);
    EXPECT_THAT(check.error().text, HasSubstr(segment_path(number) + ": neither the header"));
    EXPECT_EQ(disk.contents(segment_path(number)), whole.substr(kSegmentHeaderBytes));
    disk.set_contents(segment_path(1), whole);
  }
}

TEST(JournalFaults, a_file_with_the_number_0_is_not_a_segment) {
  FakeDisk disk;
  make_sample(4'096).put_into(disk);
  disk.set_contents(kFolder + "/0000000000.journal", "not ours");
  const auto opened = open_journal(disk, options_with(4'096), at_second(60));
  EXPECT_TRUE(opened) << opened.error().text;
}

}  // namespace
}  // namespace nexusfix::store
