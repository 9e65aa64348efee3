// kill -9 of the process that writes a journal on the real disk, at thousands of seeded points in
// each mode: catalogue D1, D10, D11. All that was confirmed as durable is there, nothing
// else is there, and no sequence number decreases.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "journal/api/journal_tools.hpp"
#include "store/api/journal.hpp"
#include "support/disks/killing_disk.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/random_runs.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

constexpr SessionKey kSessions = 3;

// Parts of a hundred kills each. Each run of a mode that syncs waits for the disk.
std::uint64_t parts_of(Durability durability) {
  return durability == Durability::Sync ? 3 : durability == Durability::Group ? 8 : 12;
}

// What was confirmed to the child as durable, of one session. It is in memory that the child shares
// with the parent, because a pipe would slow down the appends. A kill cannot tear an aligned
// number.
struct Acknowledged {
  std::uint64_t epoch = 1;
  std::uint64_t outbound = 0;  // highest number
  std::uint64_t inbound = 1;
};
struct Shared {
  std::array<Acknowledged, kSessions> acknowledged;
  std::uint64_t steps = 0;  // the clock of the kills
};

std::string text_of(SessionKey key, std::uint64_t epoch, std::uint64_t number) {
  return "session " + std::to_string(key) + " epoch " + std::to_string(epoch) + " number " +
         std::to_string(number) + std::string(number * 31 % 700, '.');
}

// A number without a message, as an administrative one has it.
bool keeps_message(std::uint64_t number) { return number % 7 != 0; }

class Child {
 public:
  Child(Store& store, Settler& settler, Shared& shared, std::uint64_t seed, unsigned resets_one_in)
      : store_{store},
        settler_{settler},
        shared_{shared},
        random_{seed},
        resets_one_in_{resets_one_in} {}

  // For ever, or so often.
  void append(std::uint64_t rounds) {
    for (; rounds > 0; --rounds) {
      const unsigned records = 1 + static_cast<unsigned>(random_.below(8));
      for (unsigned i = 0; i < records; ++i) append_one();
      const std::uint64_t wakes = settler_.wakes();
      if (!store_.flush()) std::_Exit(21);
      record_durable();
      // A bound on what is under way, so that a kill finds every stage of it.
      if (waiting_.size() > 64 && store_.durable() < waiting_[32].position) {
        if (!store_.flush()) std::_Exit(22);
        if (store_.durable() < waiting_[32].position) settler_.wait(wakes);
        record_durable();
      }
    }
  }

 private:
  struct Waiting {
    LogPosition position = 0;
    SessionKey key = 0;
    Acknowledged acknowledged;
  };

  void append_one() {
    const auto key = static_cast<SessionKey>(random_.below(kSessions));
    const SessionRecord& record = store_.session(key);
    Transaction transaction;
    if (random_.below(resets_one_in_) == 0) {
      transaction.reset(key);
    } else {
      const std::uint64_t number = record.next_outbound;
      transaction.inbound_progress(key, record.next_inbound + 1);
      if (keeps_message(number)) {
        transaction.outbound_message(key, number, text_of(key, record.epoch, number));
      } else {
        transaction.outbound_number(key, number);
      }
    }
    const auto position = store_.append(transaction, at_second(100));
    if (!position) std::_Exit(20);
    waiting_.push_back({*position,
                        key,
                        {.epoch = record.epoch,
                         .outbound = record.next_outbound - 1,
                         .inbound = record.next_inbound}});
    __atomic_fetch_add(&shared_.steps, 1, __ATOMIC_RELEASE);  // pairs with the parent's acquire
  }

  // Between two of these stores a kill leaves an older inbound or outbound number with a newer
  // epoch, never a number that was not told: the epoch is last.
  void record_durable() {
    std::size_t done = 0;
    while (done < waiting_.size() && waiting_[done].position <= store_.durable()) {
      const Waiting& one = waiting_[done++];
      Acknowledged& acknowledged = shared_.acknowledged[one.key];
      if (one.acknowledged.epoch != acknowledged.epoch) {
        acknowledged.outbound = 0;
        acknowledged.inbound = 1;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);  // in this order, as the kill sees it
        acknowledged.epoch = one.acknowledged.epoch;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
      }
      acknowledged.outbound = one.acknowledged.outbound;
      acknowledged.inbound = one.acknowledged.inbound;
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(done));
  }

  Store& store_;
  Settler& settler_;
  Shared& shared_;
  SeededRandom random_;
  unsigned resets_one_in_;
  std::vector<Waiting> waiting_;
};

[[noreturn]] void be_killed(Disk& disk, const JournalOptions& given, Shared& shared,
                            std::uint64_t seed, std::uint64_t rounds) {
  Settler settler;
  JournalOptions options = given;
  options.on_durable = settler.wake();
  auto opened = open_journal(disk, options, at_second(60));
  if (!opened) std::_Exit(10);
  for (SessionKey key = 0; key < kSessions; ++key) {
    if (opened->store->open_session("S" + std::to_string(key), at_second(60)) != key) {
      std::_Exit(11);
    }
  }
  if (!settler.settle(*opened->store)) std::_Exit(12);
  // Often where a reset is what lets segments go.
  const bool resets_often = options.retention.is_wanted() && !options.retention.even_current;
  const unsigned resets_one_in = resets_often ? 40 : 200;
  Child{*opened->store, settler, shared, seed, resets_one_in}.append(rounds);
  std::_Exit(opened->store->close() ? 0 : 13);
}

class KillTest : public ::testing::Test {
 protected:
  explicit KillTest(Durability durability) : durability_{durability} {}
  void SetUp() override {
    void* const memory =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    shared_ =
        new (memory) Shared{};  // the mapping is page-aligned, larger, and of this process alone
    options_ = {
        .folder = folder_.file("journal"), .durability = durability_, .segment_bytes = 256U << 10U};
  }
  void TearDown() override { ::munmap(shared_, sizeof(Shared)); }

  // Kills a child after this number of its appends, or a little later.
  void run_and_kill(std::uint64_t seed, std::uint64_t steps) {
    __atomic_store_n(&shared_->steps, 0, __ATOMIC_RELEASE);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      PosixDisk disk;
      be_killed(disk, options_, *shared_, seed, UINT64_MAX);
    }
    int status = 0;
    while (__atomic_load_n(&shared_->steps, __ATOMIC_ACQUIRE) < steps) {
      ASSERT_EQ(::waitpid(child, &status, WNOHANG), 0) << "it ended with " << status;
      ::usleep(20);  // gives way; how late the kill comes makes no difference to what is checked
    }
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }

  // Kills a child at the n-th call of its disk. False: it ended before.
  bool run_to_call(unsigned nth, testing::Killed where) {
    const pid_t child = ::fork();
    if (child == 0) {
      testing::KillingDisk disk{nth, where};
      be_killed(disk, options_, *shared_, nth, durability_ == Durability::Sync ? 15 : 40);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(!WIFEXITED(status) || WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
    return !WIFEXITED(status);
  }

  void check() {
    PosixDisk disk;
    const auto found = inspect_journal(disk, options_.folder);
    if (!found && has_reported_nothing()) return;  // Killed before there was a journal.
    ASSERT_TRUE(found) << found.error().text;
    ASSERT_TRUE(found->report.damages.empty()) << found->report.damages.front();
    // The file system is the one that the process wrote to, and has all of it.
    ASSERT_EQ(found->report.loss, LossCause::None) << describe(found->report.loss);
    const std::size_t sessions = found->store->session_count();
    ASSERT_TRUE(sessions == kSessions || has_reported_nothing());
    for (SessionKey key = 0; key < sessions; ++key) check_session(*found->store, key);
  }

  [[nodiscard]] bool has_reported_nothing() const {
    return std::ranges::all_of(shared_->acknowledged, [](const Acknowledged& one) {
      return one.epoch == 1 && one.outbound == 0 && one.inbound == 1;
    });
  }

  void check_session(Store& store, SessionKey key) {
    const Acknowledged& acknowledged = shared_->acknowledged[key];
    const SessionRecord& record = store.session(key);
    ASSERT_GE(record.epoch, acknowledged.epoch);
    if (record.epoch == acknowledged.epoch) {
      ASSERT_GT(record.next_outbound, acknowledged.outbound);
      ASSERT_GE(record.next_inbound, acknowledged.inbound);
    }
    std::uint64_t expected = first_kept(store, key);
    const auto read =
        store.read(key, 1, UINT64_MAX, [&](std::uint64_t number, std::string_view bytes) {
          while (!keeps_message(expected)) ++expected;
          EXPECT_EQ(number, expected);
          EXPECT_EQ(bytes, text_of(key, record.epoch, number));
          ++expected;
          return number + 1 == expected;
        });
    ASSERT_TRUE(read) << read.error().text;
    while (!keeps_message(expected)) ++expected;
    ASSERT_GE(expected, record.next_outbound);
    // It must not go back to a state before the end of the last run.
    const auto now = std::pair{record.epoch, record.next_outbound};
    ASSERT_GE(now, last_seen_[key]);
    last_seen_[key] = now;
  }

  // Where segments were retired, the first number that is still there; else 1, and all must be.
  std::uint64_t first_kept(Store& store, SessionKey key) {
    const std::uint64_t until = store.retired_until(key);
    if (until == 0) return 1;
    EXPECT_TRUE(options_.retention.even_current);
    EXPECT_LT(until, store.session(key).next_outbound);
    std::uint64_t first = until + 1;
    const auto read = store.read(key, 1, UINT64_MAX, [&](std::uint64_t number, std::string_view) {
      first = std::min(first, number);
      return false;
    });
    EXPECT_TRUE(read) << read.error().text;
    return first;
  }

  // What is left of the journal is sound, and as long as the rules want it. How many segments went.
  std::uint64_t check_retired() {
    PosixDisk disk;
    const auto found = inspect_journal(disk, options_.folder);
    if (!found) return 0;  // as check() found it
    const JournalReport& report = found->report;
    if (report.retired_segments > 0) {
      EXPECT_GE(report.bytes - report.retired_bytes, options_.retention.keep_bytes);
    }
    const auto checked = verify_journal(disk, options_.folder);
    EXPECT_TRUE(checked) << checked.error().text;
    if (!checked) return 0;
    EXPECT_TRUE(checked->damages.empty());
    EXPECT_TRUE(checked->checkpoint_faults.empty()) << checked->checkpoint_faults.front();
    EXPECT_EQ(checked->retired_segments, report.retired_segments);
    check_nothing_is_hidden(*found->store);
    return report.retired_segments;
  }

  // Every message of a current epoch that the segments hold is answered.
  static void check_nothing_is_hidden(Store& store) {
    std::map<std::string, std::vector<std::uint64_t>, std::less<>> held;
    const auto scanned = store.scan([&](const Store::LogMessage& message) {
      held[std::string{message.session} + '/' + std::to_string(message.epoch)].push_back(
          message.msg_seq_num);
    });
    ASSERT_TRUE(scanned) << scanned.error().text;
    for (SessionKey key = 0; key < store.session_count(); ++key) {
      std::vector<std::uint64_t> numbers;
      for (const KeptMessage& one : read_all(store, key)) numbers.push_back(one.number);
      EXPECT_EQ(numbers, held[std::string{store.session_name(key)} + '/' +
                              std::to_string(store.session(key).epoch)]);
    }
  }

  const Durability durability_;
  testing::TemporaryFolder folder_;
  JournalOptions options_;
  Shared* shared_ = nullptr;
  std::map<SessionKey, std::pair<std::uint64_t, std::uint64_t>> last_seen_;
};

// In parts, so that none takes long on a machine that is busy with something else; each part has a
// journal of its own, since a long one takes long to look through.
struct KillPart {
  Durability durability = Durability::Process;
  std::uint64_t part = 1;
};
constexpr std::uint64_t kKillsOfPart = 100;

std::vector<KillPart> kill_parts() {
  std::vector<KillPart> parts;
  for (const Durability durability :
       {Durability::None, Durability::Process, Durability::Group, Durability::Sync}) {
    for (std::uint64_t part = 1; part <= parts_of(durability); ++part) {
      parts.push_back({durability, part});
    }
  }
  return parts;
}

class JournalKillAtAnyMoment : public KillTest, public ::testing::WithParamInterface<KillPart> {
 protected:
  JournalKillAtAnyMoment() : KillTest{GetParam().durability} {}
};

TEST_P(JournalKillAtAnyMoment, leaves_what_was_durable_invents_nothing_and_takes_no_number_back) {
  const std::uint64_t seed = 2025 + GetParam().part;
  SeededRandom random{seed};
  const std::uint64_t steps_max = durability_ == Durability::Sync ? 30 : 150;
  const std::uint64_t parts = parts_of(durability_);
  const std::uint64_t kills = (testing::random_runs(parts * kKillsOfPart) + parts - 1) / parts;
  for (std::uint64_t kill = 0; kill < kills; ++kill) {
    if (kill % kKillsOfPart == 0) {
      std::filesystem::remove_all(options_.folder);
      options_.folder = folder_.file("journal" + std::to_string(kill));
      *shared_ = {};
      last_seen_.clear();
    }
    // Most in the midst of appending, some while it is opened.
    run_and_kill(random.next(), random.below(8) == 0 ? 0 : random.below(steps_max));
    if (HasFatalFailure()) return;
    check();
    if (HasFailure()) {
      FAIL() << "seed " << seed << ", kill " << kill;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, JournalKillAtAnyMoment, ::testing::ValuesIn(kill_parts()),
                         [](const auto& one) {
                           return std::string{to_string(one.param.durability)} + '_' +
                                  std::to_string(one.param.part);
                         });

class JournalKill : public KillTest, public ::testing::WithParamInterface<Durability> {
 protected:
  JournalKill() : KillTest{GetParam()} {}
};

TEST_P(JournalKill, at_each_call_of_the_disk_loses_and_invents_nothing) {
  options_.segment_bytes = 8U << 10U;  // rolls several times
  for (const testing::Killed where : {testing::Killed::Before, testing::Killed::After}) {
    unsigned nth = 1;
    for (bool goes_on = true; goes_on && !HasFailure(); ++nth) {
      // Each journal is opened twice, so that the kill comes in the second opening, too.
      if (nth % 2 == 1) {
        options_.folder = folder_.file("calls" + std::to_string(nth) +
                                       (where == testing::Killed::Before ? "before" : "after"));
        *shared_ = {};
        last_seen_.clear();
      }
      goes_on = run_to_call(nth, where);
      check();
      if (HasFailure()) FAIL() << "call " << nth;
      // And then it goes on.
      if (nth % 5 != 0) continue;
      EXPECT_FALSE(run_to_call(UINT32_MAX, where));
      check();
      if (HasFailure()) FAIL() << "after call " << nth;
    }
    EXPECT_GT(nth, 20U);
  }
}

// Catalogue D17: segments go while the process is killed.
TEST_P(JournalKill, while_segments_are_retired_loses_nothing_that_the_rules_keep) {
  constexpr std::uint64_t kSmall = 8U << 10U;
  const Retention rules[] = {
      {.keep_bytes = 8 * kSmall, .even_current = true},
      {.keep_bytes = 3 * kSmall},
      {.keep_bytes = 1},
      {.keep_bytes = 2 * kSmall, .even_current = true, .retired = RetiredSegments::Keep}};
  const bool retires = GetParam() != Durability::None;
  const unsigned kills = retires ? 6 : 3;  // and on until a segment has gone
  constexpr unsigned kKillsMax = 100;
  // In process mode the disk knows of a segment when many more have been appended.
  const std::uint64_t steps_max = GetParam() == Durability::Process ? 1'000 : 250;
  const std::uint64_t seed = 2027;
  SeededRandom random{seed};
  options_.segment_bytes = kSmall;
  options_.sync_interval = std::chrono::milliseconds{1};  // only what is on the disk is retired
  for (const Retention& rule : rules) {
    options_.retention = rule;
    options_.folder = folder_.file("rule" + std::to_string(&rule - rules));
    *shared_ = {};
    last_seen_.clear();
    std::uint64_t retired = 0;
    for (unsigned kill = 0; kill < (retires && retired == 0 ? kKillsMax : kills); ++kill) {
      run_and_kill(random.next(), random.below(8) == 0 ? 0 : random.below(steps_max));
      if (HasFatalFailure()) return;
      check();
      const std::uint64_t gone = check_retired();
      EXPECT_GE(gone, retired) << "what was retired is back";
      retired = gone;
      if (HasFailure()) {
        FAIL() << "seed " << seed << ", rule " << &rule - rules << ", kill " << kill;
      }
    }
    EXPECT_EQ(retired > 0, retires) << "rule " << &rule - rules;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, JournalKill,
                         ::testing::Values(Durability::None, Durability::Process, Durability::Group,
                                           Durability::Sync),
                         [](const auto& one) { return std::string{to_string(one.param)}; });

}  // namespace
}  // namespace nexusfix::store
