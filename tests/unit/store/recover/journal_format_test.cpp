// Journals of every format version still open; the folders journal_v1, journal_v2 and journal_v3
// were written by the programs that knew no later one.
#include "store/api/journal_format.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

#include "journal/api/journal_tools.hpp"
#include "store/api/journal.hpp"
#include "support/disks/fake_disk.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using testing::FakeDisk;

const std::string kFolder = "/journal";

std::string sample(std::uint64_t number, const std::string& version = "journal_v1") {
  std::ifstream file{
      std::string{NEXUSFIX_STORE_SAMPLES} + '/' + version + '/' + segment_file_name(number),
      std::ios::binary};
  EXPECT_TRUE(file.is_open());
  return {std::istreambuf_iterator<char>{file}, {}};
}

class JournalVersion : public ::testing::Test {
 protected:
  explicit JournalVersion(const std::string& version, std::uint64_t segments = 2) {
    for (std::uint64_t number = 1; number <= segments; ++number) {
      disk_.set_contents(kFolder + '/' + segment_file_name(number), sample(number, version));
    }
  }

  static void check(Store& store) {
    ASSERT_EQ(store.session_count(), 2U);
    EXPECT_EQ(store.session_name(0), "FIX.4.4:VENUE->A");
    EXPECT_EQ(store.session(0).next_outbound, 11U);
    EXPECT_EQ(store.session(0).created, at_second(1'700'000'001));
    EXPECT_EQ(store.session(1).epoch, 2U);
    EXPECT_EQ(store.session(1).next_inbound, 2U);
    EXPECT_EQ(store.session(1).next_outbound, 6U);
    EXPECT_EQ(store.session(1).created, at_second(1'700'000'030));
    EXPECT_EQ(read_all(store, 0, 6, 7),
              (std::vector<KeptMessage>{{6, "8=FIX.4.4|35=8|34=6|58=for A|"},
                                        {7, std::string(40, 'a') + "7"}}));
    EXPECT_EQ(read_all(store, 1).size(), 5U);
  }

  FakeDisk disk_;
};

class JournalVersion1 : public JournalVersion {
 protected:
  JournalVersion1() : JournalVersion{"journal_v1"} {}
};

class JournalVersion2 : public JournalVersion {
 protected:
  JournalVersion2() : JournalVersion{"journal_v2"} {}
};

TEST_F(JournalVersion2, is_read_and_checked) {
  const auto found = inspect_journal(disk_, kFolder);
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->report.messages, 15U);
  EXPECT_FALSE(found->report.power_lost);
  check(*found->store);
  const auto checked = verify_journal(disk_, kFolder);
  ASSERT_TRUE(checked);
  EXPECT_TRUE(checked->damages.empty());
}

TEST_F(JournalVersion2, goes_on_in_a_new_segment_that_tells_of_it) {
  for (int opening = 1; opening <= 3; ++opening) {
    const OpenedJournal journal =
        open_or_fail(disk_, {.folder = kFolder, .durability = Durability::Sync});
    EXPECT_FALSE(journal.report.power_lost);
    check(*journal.store);
    EXPECT_EQ(journal.report.scanned_bytes < journal.report.bytes, opening > 1);
  }
  for (std::uint64_t number = 1; number <= 2; ++number) {
    EXPECT_EQ(disk_.contents(kFolder + '/' + segment_file_name(number)),
              sample(number, "journal_v2"));
  }
}

TEST_F(JournalVersion2, a_damaged_header_is_written_again_by_a_repair) {
  const std::string name = kFolder + '/' + segment_file_name(2);
  std::string bytes = disk_.contents(name);
  bytes.replace(16, 4, "lost");
  disk_.set_contents(name, bytes);
  const auto repaired = repair_journal(
      disk_, {.folder = kFolder, .mode = RepairMode::Carry, .text = "me", .names = {}},
      at_second(1));
  ASSERT_TRUE(repaired) << repaired.error().text;
  check(*open_or_fail(disk_, {.folder = kFolder}).store);
}

// Segments with checkpoints, of 1,500 bytes each, zeros after the records of the last one that was
// begun, and one that was prepared.
class JournalVersion3 : public JournalVersion {
 protected:
  static constexpr std::uint64_t kBegun = 3;
  static constexpr std::uint64_t kSegmentBytes = 1'500;
  JournalVersion3() : JournalVersion{"journal_v3", kBegun + 1} {
    disk_.set_mapping(true);
    // The header's writer; no tail marker.
    disk_.set_contents(kFolder + "/owner", "epoch 00000000000000000001 since 1700000000000000000");
  }

  static JournalOptions options() {
    return {.folder = kFolder, .segment_bytes = kSegmentBytes, .numbers_ahead_max = 100};
  }
  // What the sample was written by.
  static void write(FakeDisk& disk) {
    disk.set_mapping(true);
    const auto opened = open_journal(disk, options(), at_second(1'700'000'000));
    ASSERT_TRUE(opened) << opened.error().text;
    Store& store = *opened->store;
    ASSERT_TRUE(store.open_session("FIX.4.4:VENUE->A", at_second(1'700'000'001)));
    ASSERT_TRUE(store.open_session("FIX.4.4:VENUE->B", at_second(1'700'000'002)));
    for (std::uint64_t number = 1; number <= 10; ++number) {
      const std::string text = number == 6 ? "8=FIX.4.4|35=8|34=6|58=for A|"
                                           : std::string(number == 7 ? 40 : 10 * number, 'a');
      append_at(store, 10 + number, [&](Transaction& t) {
        t.inbound_progress(0, number + 1);
        t.outbound_message(0, number, number == 6 ? text : text + std::to_string(number));
        t.outbound_number(1, number);
      });
    }
    append_at(store, 30, [](Transaction& t) { t.reset(1); });
    for (std::uint64_t number = 1; number <= 5; ++number) {
      append_at(store, 30 + number, [&](Transaction& t) {
        t.outbound_message(1, number, "for B " + std::string(200, 'b') + std::to_string(number));
        t.inbound_progress(1, 2);
      });
    }
    ASSERT_TRUE(store.flush());
  }

 private:
  template <class Build>
  static void append_at(Store& store, std::uint64_t second, Build build) {
    const WallTime now = at_second(1'700'000'000 + static_cast<std::int64_t>(second));
    ASSERT_TRUE(append(store, build, now));
    ASSERT_TRUE(store.flush());
  }
};

// A change of what is written makes a new version of it, and keeps this sample.
TEST_F(JournalVersion3, is_still_written_byte_for_byte) {
  FakeDisk disk;
  write(disk);
  for (std::uint64_t number = 1; number <= kBegun; ++number) {
    const std::string path = kFolder + '/' + segment_file_name(number);
    ASSERT_TRUE(disk.exists(path));
    EXPECT_TRUE(disk.contents(path) == disk_.contents(path)) << path;
  }
  EXPECT_FALSE(disk.exists(kFolder + '/' + segment_file_name(kBegun + 1)));
  EXPECT_EQ(sample(kBegun + 1, "journal_v3"), std::string(kSegmentBytes, '\0'));
}

TEST_F(JournalVersion3, is_read_and_checked) {
  const auto found = inspect_journal(disk_, kFolder);
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->report.messages, 15U);
  EXPECT_FALSE(found->report.power_lost);
  EXPECT_EQ(found->report.owner_epoch, 1U);
  check(*found->store);
  EXPECT_EQ(scan_all(*found->store).size(), 15U);
  const auto checked = verify_journal(disk_, kFolder);
  ASSERT_TRUE(checked);
  EXPECT_TRUE(checked->damages.empty());
  EXPECT_TRUE(checked->checkpoint_faults.empty());
}

TEST_F(JournalVersion3, goes_on_from_its_checkpoint_in_its_last_segment) {
  {
    const OpenedJournal journal = open_or_fail(disk_, options());
    EXPECT_FALSE(journal.report.power_lost);
    EXPECT_LT(journal.report.scanned_bytes, journal.report.bytes);
    check(*journal.store);
    ASSERT_TRUE(append_message(*journal.store, 0, 11, "eleven"));
    ASSERT_TRUE(journal.store->flush());
  }
  const OpenedJournal journal = open_or_fail(disk_, options());
  EXPECT_EQ(read_all(*journal.store, 0, 10, 11).back(), (KeptMessage{11, "eleven"}));
  const std::string last = kFolder + '/' + segment_file_name(kBegun);
  EXPECT_NE(disk_.contents(last), sample(kBegun, "journal_v3"));
}

TEST_F(JournalVersion3, tells_how_many_numbers_a_loss_of_power_may_have_taken) {
  disk_.reboot();
  const OpenedJournal journal = open_or_fail(disk_, options());
  EXPECT_TRUE(journal.report.power_lost);
  ASSERT_EQ(journal.report.skipped.size(), 2U);
  EXPECT_EQ(journal.report.skipped[0].first, 11U);
  EXPECT_EQ(journal.report.skipped[0].last, 110U);
  EXPECT_EQ(journal.report.skipped[1].first, 6U);
  EXPECT_EQ(journal.report.skipped[1].last, 105U);
}

TEST_F(JournalVersion1, is_read) {
  const auto found = inspect_journal(disk_, kFolder);
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->report.messages, 15U);
  check(*found->store);
}

TEST_F(JournalVersion1, goes_on_in_a_new_segment_and_keeps_its_own_as_they_are) {
  for (const Durability durability : {Durability::Process, Durability::Sync}) {
    OpenedJournal journal = open_or_fail(disk_, {.folder = kFolder, .durability = durability});
    EXPECT_FALSE(journal.report.power_lost);
    check(*journal.store);
    const std::uint64_t next = journal.store->session(0).next_outbound;
    journal.store.reset();
    journal = open_or_fail(disk_, {.folder = kFolder, .durability = durability});
    EXPECT_EQ(journal.store->session(0).next_outbound, next);
  }
  {
    const OpenedJournal journal = open_or_fail(disk_, {.folder = kFolder});
    ASSERT_TRUE(append_message(*journal.store, 0, 11, "eleven"));
    ASSERT_TRUE(journal.store->flush());
  }
  const OpenedJournal journal = open_or_fail(disk_, {.folder = kFolder});
  EXPECT_EQ(read_all(*journal.store, 0, 10, 11).back(), (KeptMessage{11, "eleven"}));
  for (std::uint64_t number = 1; number <= 2; ++number) {
    EXPECT_EQ(disk_.contents(kFolder + '/' + segment_file_name(number)), sample(number));
  }
}

TEST_F(JournalVersion1, skips_no_numbers_as_its_writer_told_nothing_of_the_machine) {
  disk_.reboot();
  const OpenedJournal journal = open_or_fail(disk_, {.folder = kFolder});
  EXPECT_FALSE(journal.report.power_lost);
  check(*journal.store);
}

TEST_F(JournalVersion1, with_a_torn_end_is_cut_and_goes_on) {
  const std::string name = kFolder + '/' + segment_file_name(2);
  disk_.set_contents(name, std::string_view{sample(2)}.substr(0, sample(2).size() - 3));
  {
    const OpenedJournal journal = open_or_fail(disk_, {.folder = kFolder});
    EXPECT_GT(journal.report.torn_bytes, 0U);
    EXPECT_EQ(journal.store->session(0).next_outbound, 10U);
    ASSERT_TRUE(append_message(*journal.store, 0, 10, "ten"));
    ASSERT_TRUE(journal.store->flush());
  }
  const OpenedJournal journal = open_or_fail(disk_, {.folder = kFolder});
  EXPECT_EQ(journal.report.torn_bytes, 0U);
  EXPECT_EQ(read_all(*journal.store, 0, 10, 10), (std::vector<KeptMessage>{{10, "ten"}}));
}

}  // namespace
}  // namespace nexusfix::store
