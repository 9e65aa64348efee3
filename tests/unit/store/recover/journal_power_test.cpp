// A loss of power: what was not synced is gone, or there in part, in any order. What was durable by
// its mode is there, and no number is ever used for two messages.
#include <cerrno>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "store/api/journal_format.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/random_runs.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using ::testing::AllOf;
using testing::FakeDisk;
using ::testing::HasSubstr;

const std::string kFolder = "/journal";
constexpr std::size_t kSessions = 3;

// One machine that sends, loses its power, and starts again; remembers every number that left.
class Machine {
 public:
  Machine(Durability durability, bool maps, std::uint64_t seed)
      : random_{seed},
        options_{.folder = kFolder,
                 .durability = durability,
                 .segment_bytes = 400 + random_.below(8'000),
                 .numbers_ahead_max = 1 + static_cast<std::uint32_t>(random_.below(12))} {
    disk_.set_mapping(maps);
    disk_.set_remounting(true);
  }

  void live() {
    OpenedJournal journal = open_or_fail(disk_, options_);
    ASSERT_NE(journal.store, nullptr);
    Store& store = *journal.store;
    for (std::size_t i = 0; i < kSessions; ++i) open_session(store, "S" + std::to_string(i));
    check(store);
    // Now and then one session alone sends much, so that more and more is reserved for it.
    const bool bursts = random_.below(4) == 0;
    for (std::uint64_t step = random_.below(bursts ? 400 : 60); step > 0; --step) {
      const auto key =
          static_cast<SessionKey>(bursts && random_.below(50) != 0 ? 0 : random_.below(kSessions));
      const bool resets = random_.below(40) == 0;
      if (random_.below(40) == 0) set_numbers(store, key);
      const auto appended = append(store, [&](Transaction& t) {
        if (resets) t.reset(key);
        const std::uint64_t number = resets ? 1 : store.session(key).next_outbound;
        const std::string bytes =
            "message " + std::to_string(++messages_) + std::string(random_.below(300), 'm');
        t.outbound_message(key, number, bytes);
        waiting_.push_back({.session = key,
                            .epoch = store.session(key).epoch + (resets ? 1 : 0),
                            .number = number,
                            .bytes = bytes});
      });
      ASSERT_TRUE(appended) << appended.error().text;
      waiting_.back().position = *appended;
      if (random_.below(3) == 0) {
        ASSERT_TRUE(store.flush());
      }
      send(store);
    }
    // At times the last writes are under way when the power goes.
    if (random_.below(2) == 0) {
      disk_.fail(testing::DiskCall::Sync, 1, EIO);
      static_cast<void>(store.flush());
    }
    waiting_.clear();
    // Or the file system alone, which is mounted again in the same boot.
    disk_.set_remounting(random_.below(2) == 0);
    disk_.power_loss_by_sectors(random_);
  }

 private:
  struct Message {
    SessionKey session = 0;
    std::uint64_t epoch = 0;
    std::uint64_t number = 0;
    std::string bytes;
    LogPosition position = 0;
  };

  // By hand: up, or down, which begins an epoch.
  void set_numbers(Store& store, SessionKey key) {
    const SessionRecord& before = store.session(key);
    const std::uint64_t next = 1 + random_.below(2 * before.next_outbound + 30);
    ASSERT_TRUE(append(store, [&](Transaction& t) {
      t.set_numbers(key, numbers_change(before, {.next_inbound = {}, .next_outbound = next},
                                        at_second(100), "agreed"));
    }));
  }

  // Whatever the store calls durable has left.
  void send(const Store& store) {
    std::erase_if(waiting_, [&](const Message& message) {
      if (message.position > store.durable()) return false;
      const auto [place, is_new] =
          sent_.emplace(std::tuple{message.session, message.epoch, message.number}, message.bytes);
      EXPECT_TRUE(is_new) << "session " << message.session << " has used number " << message.number
                          << " of epoch " << message.epoch << " twice";
      return true;
    });
  }

  // What is there after the start.
  void check(Store& store) {
    const bool loses_none = options_.durability != Durability::Process;
    for (const auto& [place, bytes] : sent_) {
      const auto& [key, epoch, number] = place;
      EXPECT_LE(epoch, store.session(key).epoch);
      if (epoch != store.session(key).epoch) continue;
      EXPECT_LT(number, store.session(key).next_outbound);
      const auto kept = read_all(store, key, number, number);
      if (loses_none || !kept.empty()) {
        EXPECT_EQ(kept, (std::vector<KeptMessage>{{number, bytes}}));
      }
    }
  }

  SeededRandom random_;
  JournalOptions options_;
  FakeDisk disk_;
  std::uint64_t messages_ = 0;
  std::vector<Message> waiting_;
  std::map<std::tuple<SessionKey, std::uint64_t, std::uint64_t>, std::string> sent_;
};

struct PowerCase {
  std::string name;
  Durability durability = Durability::Process;
  bool maps = false;
};

class JournalPower : public ::testing::TestWithParam<PowerCase> {};

TEST_P(JournalPower, no_number_stands_for_two_messages_whatever_sectors_are_lost) {
#ifdef NDEBUG
  constexpr std::uint64_t kUsual = 400;
#else
  constexpr std::uint64_t kUsual = 30;  // with sanitizers
#endif
  const std::uint64_t seeds = testing::random_runs(kUsual);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Machine machine{GetParam().durability, GetParam().maps, seed};
    for (int life = 0; life < 8; ++life) {
      machine.live();
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, JournalPower,
                         ::testing::Values(PowerCase{"process", Durability::Process, false},
                                           PowerCase{"process_mapped", Durability::Process, true},
                                           PowerCase{"group", Durability::Group, false},
                                           PowerCase{"group_reserved", Durability::Group, true},
                                           PowerCase{"sync", Durability::Sync, false},
                                           PowerCase{"sync_reserved", Durability::Sync, true}),
                         [](const auto& info) { return info.param.name; });

class JournalPowerReport : public ::testing::Test {
 protected:
  // Sessions A and B; A has sent messages, of which nothing is known to be on the disk.
  void write(std::uint64_t messages) {
    const OpenedJournal journal = open_or_fail(disk_, options_);
    const SessionKey key = open_session(*journal.store, "A");
    open_session(*journal.store, "B");
    ASSERT_TRUE(journal.store->flush());
    for (std::uint64_t n = 1; n <= messages; ++n) {
      ASSERT_TRUE(append_message(*journal.store, key, n, "message"));
    }
    ASSERT_TRUE(journal.store->flush());
  }

  FakeDisk disk_;
  JournalOptions options_{.folder = kFolder, .segment_bytes = 4096, .numbers_ahead_max = 100};
};

TEST_F(JournalPowerReport, each_session_goes_on_above_what_it_may_have_used) {
  write(5);
  disk_.power_loss();
  const OpenedJournal journal = open_or_fail(disk_, options_);
  EXPECT_TRUE(journal.report.power_lost);
  ASSERT_EQ(journal.report.skipped.size(), 2U);
  EXPECT_EQ(journal.report.skipped[0].session, "A");
  EXPECT_EQ(journal.report.skipped[0].first, 1U);
  EXPECT_EQ(journal.report.skipped[0].last, 100U);
  EXPECT_EQ(journal.store->session(0).next_outbound, 101U);
  EXPECT_EQ(journal.store->session(1).next_outbound, 101U);
}

TEST_F(JournalPowerReport, what_was_reserved_for_a_burst_is_skipped_at_that_session_alone) {
  options_.segment_bytes = 1U << 20U;  // its end would be one more sync
  {
    const OpenedJournal journal = open_or_fail(disk_, options_);
    Store& store = *journal.store;
    const SessionKey key = open_session(store, "A");
    open_session(store, "B");
    ASSERT_TRUE(store.flush());
    // A reservation is made after number 26, on the disk with a sync after number 101; 60 numbers
    // are used in between, so that the next one is of 400.
    for (std::uint64_t n = 1; n <= 102; ++n) {
      ASSERT_TRUE(append_message(store, key, n, "message"));
    }
    ASSERT_TRUE(store.flush());
    ASSERT_TRUE(append_message(store, key, 103, "asks for more"));
    ASSERT_TRUE(append_message(store, key, 104, "says so in the log"));
    ASSERT_TRUE(append(store, [&](Transaction& t) { t.reset(1); }));
    ASSERT_TRUE(store.flush());
    disk_.power_loss();
  }
  const OpenedJournal journal = open_or_fail(disk_, options_);
  ASSERT_EQ(journal.report.skipped.size(), 2U);
  EXPECT_EQ(journal.report.skipped[0].first, 105U);
  EXPECT_EQ(journal.report.skipped[0].last, 503U);
  EXPECT_EQ(journal.store->session(0).next_outbound, 504U);
  EXPECT_EQ(journal.report.skipped[1].first, 1U);
  EXPECT_EQ(journal.report.skipped[1].last, 100U);
}

TEST_F(JournalPowerReport, what_is_reserved_is_known_from_a_checkpoint) {
  options_.segment_bytes = 1U << 16U;
  {
    const OpenedJournal journal = open_or_fail(disk_, options_);
    Store& store = *journal.store;
    const SessionKey key = open_session(store, "A");
    const SessionKey other = open_session(store, "B");
    ASSERT_TRUE(store.flush());
    const std::string text(200, 'm');
    for (std::uint64_t n = 1; !disk_.exists(kFolder + "/0000000003.journal"); ++n) {
      ASSERT_TRUE(append_message(store, key, n, text));
    }
    // On the disk, and without a word of the first session's numbers.
    ASSERT_TRUE(append(store, [&](Transaction& t) { t.reset(other); }));
    ASSERT_TRUE(store.flush());
    disk_.power_loss();
  }
  const OpenedJournal journal = open_or_fail(disk_, options_);
  ASSERT_EQ(journal.report.skipped.size(), 2U);
  const SkippedNumbers& skipped = journal.report.skipped[0];
  EXPECT_GT(skipped.last - skipped.first + 1, options_.numbers_ahead_max);
}

TEST_F(JournalPowerReport, a_skip_is_made_once) {
  write(5);
  disk_.power_loss();
  open_or_fail(disk_, options_);
  disk_.process_death();
  const OpenedJournal again = open_or_fail(disk_, options_);
  EXPECT_FALSE(again.report.power_lost);
  EXPECT_EQ(again.store->session(0).next_outbound, 101U);
}

TEST_F(JournalPowerReport, nothing_is_skipped_when_only_the_process_was_killed) {
  write(5);
  disk_.process_death();
  const OpenedJournal journal = open_or_fail(disk_, options_);
  EXPECT_FALSE(journal.report.power_lost);
  EXPECT_EQ(journal.store->session(0).next_outbound, 6U);
}

TEST_F(JournalPowerReport, nothing_is_skipped_after_an_end_in_order) {
  write(5);
  {
    const OpenedJournal journal = open_or_fail(disk_, options_);
    const auto closed = journal.store->close();
    ASSERT_TRUE(closed) << closed.error().text;
  }
  disk_.power_loss();
  const OpenedJournal journal = open_or_fail(disk_, options_);
  EXPECT_FALSE(journal.report.power_lost);
  EXPECT_EQ(journal.store->session(0).next_outbound, 6U);
  EXPECT_EQ(read_all(*journal.store, 0).size(), 5U);
}

// Or the log would end in order, and its numbers be used again.
TEST_F(JournalPowerReport, the_first_message_after_an_end_in_order_waits_for_the_disk) {
  for (const bool restarts : {false, true}) {
    SCOPED_TRACE(restarts ? "the machine is started again" : "it goes on");
    options_.folder = restarts ? "/restarted" : "/going_on";
    write(5);
    {
      const OpenedJournal journal = open_or_fail(disk_, options_);
      ASSERT_TRUE(journal.store->close());
    }
    if (restarts) disk_.reboot();
    {
      const OpenedJournal journal = open_or_fail(disk_, options_);
      Store& store = *journal.store;
      ASSERT_TRUE(append_message(store, 0, 6, "first"));
      EXPECT_LT(store.durable(), store.appended());
      ASSERT_TRUE(store.flush());
      EXPECT_EQ(store.durable(), store.appended());
      const unsigned syncs = disk_.calls(testing::DiskCall::Sync);
      ASSERT_TRUE(append_message(store, 0, 7, "second"));
      ASSERT_TRUE(store.flush());
      EXPECT_EQ(store.durable(), store.appended());
      EXPECT_EQ(disk_.calls(testing::DiskCall::Sync), syncs);
      disk_.power_loss();
    }
    const OpenedJournal journal = open_or_fail(disk_, options_);
    EXPECT_TRUE(journal.report.power_lost);
    EXPECT_GT(journal.store->session(0).next_outbound, 7U);
    EXPECT_EQ(read_all(*journal.store, 0, 6, 6), (std::vector<KeptMessage>{{6, "first"}}));
  }
}

TEST_F(JournalPowerReport, sync_skips_nothing_and_none_promises_nothing) {
  for (const Durability durability : {Durability::Sync, Durability::Group, Durability::None}) {
    options_.folder = "/" + std::string{to_string(durability)};
    options_.durability = durability;
    write(5);
    disk_.power_loss();
    const OpenedJournal journal = open_or_fail(disk_, options_);
    EXPECT_TRUE(journal.report.skipped.empty());
    if (durability != Durability::None) {
      EXPECT_EQ(journal.store->session(0).next_outbound, 6U);
    }
  }
}

TEST_F(JournalPowerReport, durable_waits_until_numbers_are_safe) {
  const OpenedJournal journal = open_or_fail(disk_, options_);
  Store& store = *journal.store;
  const SessionKey key = open_session(store, "A");
  ASSERT_TRUE(store.flush());
  disk_.set_mapping(false);
  const unsigned syncs = disk_.calls(testing::DiskCall::Sync);
  for (std::uint64_t n = 1; n <= 100; ++n) ASSERT_TRUE(append_message(store, key, n, "m"));
  ASSERT_TRUE(store.flush());
  EXPECT_EQ(disk_.calls(testing::DiskCall::Sync), syncs);
  const LogPosition before = store.durable();
  EXPECT_EQ(before, store.appended());
  ASSERT_TRUE(append_message(store, key, 101, "one above"));
  EXPECT_EQ(store.durable(), before);
  ASSERT_TRUE(store.flush());
  EXPECT_GT(disk_.calls(testing::DiskCall::Sync), syncs);
  EXPECT_EQ(store.durable(), store.appended());
}

TEST_F(JournalPowerReport, a_reset_is_on_the_disk_before_it_is_durable) {
  write(5);
  {
    const OpenedJournal journal = open_or_fail(disk_, options_);
    ASSERT_TRUE(append(*journal.store, [&](Transaction& t) {
      t.reset(0);
      t.outbound_message(0, 1, "new");
    }));
    EXPECT_LT(journal.store->durable(), journal.store->appended());
    ASSERT_TRUE(journal.store->flush());
    disk_.power_loss();
  }
  const OpenedJournal journal = open_or_fail(disk_, options_);
  EXPECT_EQ(journal.store->session(0).epoch, 2U);
  EXPECT_EQ(read_all(*journal.store, 0), (std::vector<KeptMessage>{{1, "new"}}));
}

TEST_F(JournalPowerReport, numbers_set_by_hand_are_on_the_disk_before_they_are_durable) {
  write(5);
  {
    const OpenedJournal journal = open_or_fail(disk_, options_);
    Store& store = *journal.store;
    ASSERT_TRUE(append(store, [&](Transaction& t) {
      t.set_numbers(0, numbers_change(store.session(0), {.next_inbound = {}, .next_outbound = 900},
                                      at_second(100), "agreed"));
    }));
    EXPECT_LT(store.durable(), store.appended());
    ASSERT_TRUE(store.flush());
    ASSERT_TRUE(append_message(store, 0, 900, "left before the disk had it"));
    ASSERT_TRUE(store.flush());
    EXPECT_EQ(store.durable(), store.appended());
    disk_.power_loss();
  }
  const OpenedJournal journal = open_or_fail(disk_, options_);
  EXPECT_EQ(journal.store->session(0).next_outbound, 1'000U);
}

TEST_F(JournalPowerReport, from_numbers_set_lower_by_hand_as_many_may_be_used_as_are_skipped) {
  write(500);
  {
    const OpenedJournal journal = open_or_fail(disk_, options_);
    Store& store = *journal.store;
    ASSERT_TRUE(append(store, [&](Transaction& t) {
      t.set_numbers(0, numbers_change(store.session(0), {.next_inbound = {}, .next_outbound = 2},
                                      at_second(100), "agreed"));
    }));
    ASSERT_TRUE(store.flush());
    disk_.fail(testing::DiskCall::Sync, 1, EIO);  // No reservation comes to the disk.
    std::uint64_t used = 1;
    while (append_message(store, 0, used + 1, "m") && store.flush()) ++used;
    EXPECT_LE(used, 101U);
    disk_.power_loss();
  }
  const OpenedJournal journal = open_or_fail(disk_, options_);
  EXPECT_EQ(journal.store->session(0).next_outbound, 102U);
}

TEST_F(JournalPowerReport, damage_in_what_was_synced_is_refused_even_after_a_loss_of_power) {
  options_.durability = Durability::Sync;
  write(20);
  std::string bytes = disk_.contents("/journal/0000000001.journal");
  bytes[kSegmentHeaderBytes + 20] ^= 1;
  disk_.set_contents("/journal/0000000001.journal", bytes);
  disk_.reboot();
  const OpenedJournal opened = open_or_fail(disk_, options_);
  EXPECT_EQ(opened.report.cut_bytes, 0U);
  ASSERT_EQ(opened.report.refused.size(), 1U);
  EXPECT_THAT(opened.report.refused[0].text,
              AllOf(HasSubstr("damaged at offset"), HasSubstr("nexusfix journal repair")));
}

TEST_F(JournalPowerReport, a_journal_read_after_a_loss_of_power_is_reported_and_left_alone) {
  write(5);
  disk_.reboot();
  const std::string before = disk_.contents("/journal/0000000001.journal");
  const auto found = inspect_journal(disk_, kFolder);
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_TRUE(found->report.power_lost);
  EXPECT_EQ(found->store->session(0).next_outbound, 6U);
  EXPECT_EQ(disk_.contents("/journal/0000000001.journal"), before);
}

}  // namespace
}  // namespace nexusfix::store
