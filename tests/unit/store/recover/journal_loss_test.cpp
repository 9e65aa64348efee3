// What shows that a log may have lost its end, beside another start of the machine: another mount
// of the file system, a run that ended by an error, a log that is shorter than what was written.
// Each is handled as a loss of power: no number is used for two messages. A process that was killed
// on the same mount loses nothing, and nothing is skipped.
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "journal/api/journal_tools.hpp"
#include "store/api/crc32c.hpp"
#include "store/api/journal.hpp"
#include "store/api/journal_format.hpp"
#include "store/scan/damaged_log.hpp"
#include "store/write/tail_marker.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/random_runs.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using testing::DiskCall;
using testing::FakeDisk;

const std::string kFolder = "/journal";
const std::string kOwner = kFolder + "/owner";
const std::string kSegment = kFolder + "/0000000001.journal";

// Whose power loss is a mount in the same boot.
FakeDisk remounting_disk() {
  FakeDisk disk;
  disk.set_remounting(true);
  return disk;
}

class JournalLoss : public ::testing::Test {
 protected:
  // A has sent these messages; of the last ones nothing is known to be on the disk.
  void write(std::uint64_t messages) {
    const OpenedJournal journal = open_or_fail(disk_, options_);
    send(*journal.store, messages);
  }
  static void send(Store& store, std::uint64_t messages) {
    const SessionKey key = open_session(store, "A");
    ASSERT_TRUE(store.flush());
    for (std::uint64_t n = 1; n <= messages; ++n) {
      ASSERT_TRUE(append_message(store, key, store.session(key).next_outbound, "message"));
    }
    ASSERT_TRUE(store.flush());
  }
  // Looking says it first, and changes nothing.
  void expect_loss(LossCause cause, std::uint64_t next) {
    const auto looked = inspect_journal(disk_, kFolder);
    ASSERT_TRUE(looked) << looked.error().text;
    EXPECT_EQ(looked->report.loss, cause);
    const auto checked = verify_journal(disk_, kFolder);
    ASSERT_TRUE(checked) << checked.error().text;
    EXPECT_EQ(checked->power_lost, cause != LossCause::None);
    const OpenedJournal opened = open_or_fail(disk_, options_);
    ASSERT_NE(opened.store, nullptr);
    EXPECT_EQ(opened.report.loss, cause) << describe(opened.report.loss);
    EXPECT_EQ(opened.report.power_lost, cause != LossCause::None);
    EXPECT_EQ(opened.report.skipped.size(), cause == LossCause::None ? 0U : 1U);
    EXPECT_EQ(opened.store->session(0).next_outbound, next);
  }
  [[nodiscard]] TailMarker marker() {
    const FoundTailMarker found = read_tail_marker(disk_, kFolder);
    EXPECT_TRUE(found.marker) << found.fault;
    return found.marker.value_or(TailMarker{});
  }

  FakeDisk disk_ = remounting_disk();
  JournalOptions options_{.folder = kFolder, .segment_bytes = 8192, .numbers_ahead_max = 100};
};

TEST_F(JournalLoss, a_file_system_that_is_mounted_again_in_the_same_boot_is_a_loss_of_power) {
  write(5);
  disk_.power_loss();
  expect_loss(LossCause::MountedAgain, 101);
  disk_.process_death();
  expect_loss(LossCause::None, 101);
}

TEST_F(JournalLoss, a_killed_process_on_the_same_mount_skips_nothing) {
  write(5);
  disk_.process_death();
  expect_loss(LossCause::None, 6);
}

TEST_F(JournalLoss, a_mount_after_an_end_in_order_skips_nothing) {
  {
    const OpenedJournal journal = open_or_fail(disk_, options_);
    send(*journal.store, 5);
    ASSERT_TRUE(journal.store->close());
  }
  disk_.power_loss();
  expect_loss(LossCause::None, 6);
}

// As an older program leaves it: it wrote down the boot alone.
TEST_F(JournalLoss, where_the_mount_was_not_written_down_the_boot_decides) {
  const BootId both = to_boot_id("0d8f6a5e-7c1b-4b52-9a43-2f8f0e6d1c3b", "mount 1");
  const BootId boot = to_boot_id("0d8f6a5e-7c1b-4b52-9a43-2f8f0e6d1c3b");
  EXPECT_TRUE(is_same_boot(both, boot));
  EXPECT_TRUE(is_same_mount(both, boot));
  const BootId other_mount = to_boot_id("0d8f6a5e-7c1b-4b52-9a43-2f8f0e6d1c3b", "mount 2");
  EXPECT_TRUE(is_same_boot(both, other_mount));
  EXPECT_FALSE(is_same_mount(both, other_mount));
  EXPECT_FALSE(is_same_boot(both, to_boot_id("1d8f6a5e-7c1b-4b52-9a43-2f8f0e6d1c3b", "mount 1")));
  EXPECT_FALSE(is_same_boot(to_boot_id({}), to_boot_id({}))) << "not known";
}

// The disk comes back by itself, in the same boot and on the same mount: a thin pool that got room.
// What the failed sync should have written was clean in memory, and memory ran short.
TEST_F(JournalLoss, a_run_that_ended_by_an_error_is_a_loss_of_power_on_the_same_mount) {
  {
    const OpenedJournal journal = open_or_fail(disk_, options_);
    send(*journal.store, 90);
    disk_.fail(DiskCall::Sync, 1, EIO);
    // The number above what is reserved waits for the disk.
    for (std::uint64_t n = 91; n <= 101; ++n) {
      ASSERT_TRUE(append_message(*journal.store, 0, n, "message"));
    }
    ASSERT_FALSE(journal.store->flush());
  }
  EXPECT_EQ(marker().state, TailMarker::State::Failed);
  disk_.evict();
  const auto looked = inspect_journal(disk_, kFolder);
  ASSERT_TRUE(looked) << looked.error().text;
  ASSERT_LT(looked->store->session(0).next_outbound, 90U) << "something was lost";
  const OpenedJournal opened = open_or_fail(disk_, options_);
  EXPECT_EQ(opened.report.loss, LossCause::StoreFailed);
  EXPECT_GT(opened.store->session(0).next_outbound, 100U);
  EXPECT_NE(marker().state, TailMarker::State::Failed) << "what was skipped is on the disk";
  disk_.process_death();
  EXPECT_EQ(open_or_fail(disk_, options_).report.loss, LossCause::None);
}

TEST_F(JournalLoss, a_failure_is_recorded_until_the_skip_is_on_the_disk) {
  for (unsigned nth = 1;; ++nth) {
    SCOPED_TRACE(nth);
    disk_ = remounting_disk();
    write(5);
    TailMarker failed = marker();
    failed.state = TailMarker::State::Failed;
    std::string owner = disk_.contents(kOwner);
    disk_.process_death();
    disk_.set_contents(kOwner,
                       owner.replace(kTailMarkerAt, kTailMarkerBytes, encode_tail_marker(failed)));
    disk_.fail_any(nth, EIO);
    const bool is_open = open_journal(disk_, options_, at_second(60)).has_value();
    const bool had_fault = disk_.faults_hit() > 0;
    disk_.power_loss();
    const OpenedJournal again = open_or_fail(disk_, options_);
    ASSERT_NE(again.store, nullptr);
    EXPECT_GT(again.store->session(0).next_outbound, 100U);
    if (HasFailure() || !had_fault) {
      EXPECT_TRUE(is_open);
      return;
    }
  }
}

// What an opening reads and cannot bring to the disk may be gone the next time.
TEST_F(JournalLoss, an_opening_that_could_not_save_what_it_read_is_an_error_of_the_store) {
  write(5);
  disk_.process_death();
  // The first sync is that of the owner's record.
  disk_.fail(DiskCall::Sync, 2, EIO);
  ASSERT_FALSE(open_journal(disk_, options_, at_second(60)));
  EXPECT_EQ(marker().state, TailMarker::State::Failed);
  disk_.evict();
  expect_loss(LossCause::StoreFailed, 101);
}

// The mark could not be written, and the disk came back by itself: what remains is a log that ends
// before what was recorded as written.
TEST_F(JournalLoss, a_log_that_ends_before_what_was_written_is_a_loss_of_power) {
  for (const Durability mode : {Durability::Process, Durability::Group, Durability::Sync}) {
    SCOPED_TRACE(to_string(mode));
    disk_ = remounting_disk();
    options_.durability = mode;
    write(5);
    TailMarker noted = marker();
    noted.written = disk_.contents(kSegment).size();
    std::string owner = disk_.contents(kOwner);
    disk_.process_death();
    disk_.set_contents(kOwner,
                       owner.replace(kTailMarkerAt, kTailMarkerBytes, encode_tail_marker(noted)));
    EXPECT_EQ(inspect_journal(disk_, kFolder)->report.loss, LossCause::None) << "all is there";
    std::string log = disk_.contents(kSegment);
    disk_.set_contents(kSegment, log.substr(0, log.size() - 40));
    expect_loss(LossCause::LogCut, 105);
  }
}

// The disk has lost much more of the log than the sequence numbers that its mode reserves: as many
// are skipped as the lost bytes can hold.
TEST_F(JournalLoss, a_long_lost_end_skips_as_many_numbers_as_it_can_hold) {
  for (const Durability mode : {Durability::Process, Durability::Group, Durability::Sync}) {
    SCOPED_TRACE(to_string(mode));
    disk_ = remounting_disk();
    options_.durability = mode;
    options_.numbers_ahead_max = 10;
    write(5);
    TailMarker noted = marker();
    constexpr std::uint64_t kLostBytes = 1U << 20U;
    noted.position += kLostBytes;
    noted.written = noted.position;
    std::string owner = disk_.contents(kOwner);
    disk_.power_loss();
    disk_.set_contents(kOwner,
                       owner.replace(kTailMarkerAt, kTailMarkerBytes, encode_tail_marker(noted)));
    const OpenedJournal opened = open_or_fail(disk_, options_);
    ASSERT_NE(opened.store, nullptr);
    EXPECT_EQ(opened.report.loss, LossCause::MountedAgain);
    EXPECT_GT(opened.report.missing_bytes, kLostBytes / 2);
    const std::uint64_t next = opened.store->session(0).next_outbound;
    EXPECT_GE(next, numbers_in(kLostBytes));
    // A session of which the log knows nothing may have been opened in what is lost, and may have
    // used as many.
    const SessionKey other = open_session(*opened.store, "B");
    EXPECT_GE(opened.store->session(other).next_outbound, numbers_in(kLostBytes) + 1);
    const auto lost = opened.store->lost_numbers(other);
    ASSERT_EQ(lost.size(), 1U);
    EXPECT_EQ(lost.front().first, 1U);
    EXPECT_EQ(lost.front().last + 1, opened.store->session(other).next_outbound);
    ASSERT_EQ(opened.report.skipped.size(), 1U);
    const auto& skipped = opened.report.skipped.front();
    EXPECT_EQ(lost.front().last, skipped.last - skipped.first + 1) << "as many as of the other";
  }
}

// A session that is opened when nothing is lost begins at 1, whatever was lost earlier.
TEST_F(JournalLoss, only_a_session_opened_after_a_lost_end_begins_above_1) {
  write(5);
  disk_.power_loss();
  const OpenedJournal opened = open_or_fail(disk_, options_);
  EXPECT_EQ(opened.report.loss, LossCause::MountedAgain);
  EXPECT_EQ(opened.store->session(open_session(*opened.store, "B")).next_outbound, 1U)
      << "no byte that was known to be on the disk is missing";
}

TEST_F(JournalLoss, a_log_whose_owner_is_lost_is_a_loss_of_power) {
  for (const bool is_older : {false, true}) {
    disk_ = remounting_disk();
    std::string before;
    for (int run = 0; run < 2; ++run) {
      const OpenedJournal journal = open_or_fail(disk_, options_);
      send(*journal.store, 5);
      ASSERT_TRUE(journal.store->close());
      if (run == 0) before = disk_.contents(kOwner);
    }
    if (is_older) {
      // With the marker of its time, which the log goes beyond.
      disk_.set_contents(kOwner, before);
    } else {
      ASSERT_TRUE(disk_.remove(kOwner));
    }
    expect_loss(LossCause::OwnerLost, 111);
    disk_.process_death();
    expect_loss(LossCause::None, 111);
  }
}

TEST_F(JournalLoss, nothing_is_skipped_in_a_mode_that_promises_nothing) {
  options_.durability = Durability::None;
  write(5);
  ASSERT_TRUE(disk_.remove(kOwner));
  const OpenedJournal opened = open_or_fail(disk_, options_);
  EXPECT_TRUE(opened.report.skipped.empty());
}

TEST_F(JournalLoss, each_cause_has_a_word_and_a_sentence) {
  for (const LossCause cause :
       {LossCause::MachineRestarted, LossCause::MountedAgain, LossCause::StoreFailed,
        LossCause::LogCut, LossCause::FolderCopied, LossCause::OwnerLost}) {
    EXPECT_NE(to_word(cause), to_word(LossCause::None));
    EXPECT_NE(describe(cause), describe(LossCause::None));
  }
}

// A number that was sent is never sent again, whatever the disk does in one boot: it fails, drops
// what it should have written, is mounted again or not, and the process is killed at times.
class FailingMachine {
 public:
  explicit FailingMachine(std::uint64_t seed)
      : random_{seed},
        options_{.folder = kFolder,
                 .durability = random_.below(3) == 0 ? Durability::Group : Durability::Process,
                 .segment_bytes = 400 + random_.below(6'000),
                 .numbers_ahead_max = 1 + static_cast<std::uint32_t>(random_.below(12))} {
    disk_.set_mapping(random_.below(2) == 0);
    disk_.set_remounting(true);
  }

  void live() {
    auto opened = open_journal(disk_, options_, at_second(50));
    if (!opened) {
      ASSERT_EQ(opened.error().code, StoreErrorCode::Disk) << opened.error().text;
      return end(true);
    }
    losses_ += opened->report.power_lost ? 1 : 0;
    Store& store = *opened->store;
    if (random_.below(2) == 0) {
      disk_.fail(DiskCall::Sync, static_cast<unsigned>(1 + random_.below(6)), EIO);
    }
    const bool is_well = run(store);
    opened->store.reset();
    end(!is_well);
  }
  [[nodiscard]] std::uint64_t losses() const noexcept { return losses_; }
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_.size(); }

 private:
  using Place = std::pair<std::uint64_t, std::uint64_t>;  // epoch, MsgSeqNum

  // False: the store has stopped.
  bool run(Store& store) {
    const auto key = store.open_session("A", at_second(60));
    if (!key) return false;
    for (std::uint64_t step = random_.below(60); step > 0; --step) {
      const bool resets = random_.below(40) == 0;
      const SessionRecord before = store.session(*key);
      const Place place{before.epoch + (resets ? 1 : 0), resets ? 1 : before.next_outbound};
      const std::string bytes = "message " + std::to_string(++messages_);
      const auto appended = append(store, [&](Transaction& t) {
        if (resets) t.reset(*key);
        t.outbound_message(*key, place.second, bytes);
      });
      if (!appended) return false;
      waiting_.push_back({*appended, place, bytes});
      if (random_.below(3) == 0 && !store.flush()) return false;
      while (!waiting_.empty() && std::get<0>(waiting_.front()) <= store.durable()) {
        const auto& [position, where, text] = waiting_.front();
        const auto [known, is_new] = sent_.emplace(where, text);
        EXPECT_TRUE(is_new) << "number " << where.second << " of epoch " << where.first
                            << " was sent twice";
        waiting_.erase(waiting_.begin());
      }
    }
    return true;
  }

  void end(bool has_failed) {
    waiting_.clear();
    const std::uint64_t what = random_.below(3);
    if (has_failed && what == 0) {
      disk_.evict();
    } else if (what == 1) {
      disk_.power_loss_by_sectors(random_);
    } else {
      disk_.process_death();
    }
  }

  SeededRandom random_;
  JournalOptions options_;
  FakeDisk disk_;
  std::uint64_t messages_ = 0;
  std::uint64_t losses_ = 0;
  std::vector<std::tuple<LogPosition, Place, std::string>> waiting_;
  std::map<Place, std::string> sent_;
};

TEST(JournalLossProperty, no_number_is_sent_twice_whatever_the_disk_does_in_one_boot) {
  const std::uint64_t seeds = testing::random_runs(300);
  std::uint64_t losses = 0;
  std::uint64_t sent = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FailingMachine machine{seed};
    for (int life = 0; life < 10; ++life) {
      machine.live();
      if (::testing::Test::HasFailure()) return;
    }
    losses += machine.losses();
    sent += machine.sent();
  }
  EXPECT_GT(losses, seeds);
  EXPECT_GT(sent, seeds * 20);
}

TEST(TailMarker, of_an_older_program_is_read) {
  std::string text =
      "log to 00000000000000010609 in segment 00000000000000000009 of 00000000000067108864 bytes, "
      "begun ";
  const std::uint32_t crc = crc32c(0, text);
  std::array<char, 9> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x", crc);
  text += std::string{", crc32c "} + digits.data();
  text.resize(kTailMarkerBytes - 1, ' ');
  text += '\n';
  const TailMarker marker{.segment = 9, .position = 10'609, .segment_bytes = 64U << 20U};
  EXPECT_EQ(decode_tail_marker(text), marker);
}

TEST(TailMarker, of_a_failure_comes_back_as_it_went) {
  const TailMarker failed{.segment = 9,
                          .position = 10'609,
                          .segment_bytes = 64U << 20U,
                          .state = TailMarker::State::Failed,
                          .written = 20'000};
  EXPECT_EQ(decode_tail_marker(encode_tail_marker(failed)), failed);
}

TEST(OwnerIdentity, is_text_that_comes_back_as_it_went) {
  const OwnerIdentity place{.inode = 0x12ab, .handle = 0xffff'0000'1234'5678};
  EXPECT_EQ(encode_owner_identity(place).size(), kOwnerIdentityBytes);
  EXPECT_EQ(decode_owner_identity(encode_owner_identity(place)), place);
  EXPECT_FALSE(decode_owner_identity(encode_owner_identity(place).substr(1)));
}

}  // namespace
}  // namespace nexusfix::store
