// Random operations against a plain model while old segments are retired: what is left is the end
// of what was appended, nothing is gone that the rules keep, and what is gone is reported. Whenever
// the process dies or the power goes, also in the midst of taking a segment away.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <rapidcheck.h>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "journal/api/journal_tools.hpp"
#include "store/api/journal.hpp"
#include "support/disks/fake_disk.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

constexpr SessionKey kSessions = 2;
constexpr std::uint64_t kSegmentBytes = 1'500;

// A message in the order of the log. Its record begins here or later.
struct Logged {
  ScannedMessage message;
  SessionKey key = 0;
  LogPosition begin = 0;
  std::int64_t second = 0;
};
struct Numbers {
  std::uint64_t next_inbound = 1;
  std::uint64_t next_outbound = 1;
  std::uint64_t epoch = 1;
};
using AllNumbers = std::array<Numbers, kSessions>;

// The model as it was when the log was this long.
struct Snapshot {
  LogPosition position = 0;
  AllNumbers numbers;
  std::size_t logged = 0;
};

enum class Crash { None, Process, Power };

class RetentionRun {
 public:
  RetentionRun(Durability durability, bool maps, std::uint64_t seed) : random_{seed} {
    options_.folder = "/journal";
    options_.durability = durability;
    options_.segment_bytes = kSegmentBytes;
    disk_.set_mapping(maps);
    draw_rules();
    open();
    for (SessionKey key = 0; key < kSessions; ++key) {
      RC_ASSERT(store_->open_session(name(key), at_second(now_)).value() == key);
    }
    RC_ASSERT(store_->flush().has_value());
    remember();
  }

  void step() {
    switch (*rc::gen::weightedElement<int>({{8, 0}, {3, 1}, {2, 2}, {2, 3}})) {
      case 0:
        append_some(static_cast<unsigned>(1 + random_.below(25)));
        break;
      case 1:
        now_ += static_cast<std::int64_t>(random_.below(400));
        break;
      case 2:
        reset(random_.below(2) == 0);
        break;
      default:
        // In process mode a loss of power may take the last messages, which is another test's.
        crash(options_.durability == Durability::Process
                  ? *rc::gen::element(Crash::None, Crash::Process)
                  : *rc::gen::element(Crash::None, Crash::Process, Crash::Power));
    }
    check(*store_);
  }
  [[nodiscard]] bool has_retired() const { return gone_ > 0; }

 private:
  static std::string name(SessionKey key) { return "S" + std::to_string(key); }

  void draw_rules() {
    Retention& rules = options_.retention;
    rules = {};
    if (random_.below(3) != 0) rules.keep_bytes = (1 + random_.below(6)) * kSegmentBytes;
    if (random_.below(3) == 0) rules.keep_for = std::chrono::seconds{1 + random_.below(600)};
    rules.even_current = random_.below(2) == 0;
    if (random_.below(3) == 0) rules.retired = RetiredSegments::Keep;
    options_.checks_all = random_.below(4) == 0;
  }

  void open() {
    auto opened = open_journal(disk_, options_, at_second(now_));
    if (!opened) RC_FAIL(opened.error().text);
    store_ = std::move(opened->store);
    RC_ASSERT(opened->report.damages.empty());
    // An end by an error is taken for a loss of power.
    for (const SkippedNumbers& skipped : opened->report.skipped) {
      for (SessionKey key = 0; key < kSessions; ++key) {
        if (name(key) == skipped.session) numbers_[key].next_outbound = skipped.last + 1;
      }
    }
  }

  void remember() { snapshots_.push_back({store_->appended(), numbers_, log_.size()}); }

  // False: the disk has failed.
  bool append_one() {
    const auto key = static_cast<SessionKey>(random_.below(kSessions));
    const LogPosition begin = store_->appended();
    Numbers& numbers = numbers_[key];
    const Numbers before = numbers;
    const std::uint64_t number = numbers.next_outbound++;
    Transaction transaction;
    transaction.inbound_progress(key, ++numbers.next_inbound);
    std::string bytes;
    if (number % 5 == 0) {
      transaction.outbound_number(key, number);
    } else {
      bytes = std::to_string(number) + std::string(random_.below(200), '.');
      transaction.outbound_message(key, number, bytes);
    }
    if (!store_->append(transaction, at_second(now_))) {
      numbers = before;
      return false;
    }
    if (!bytes.empty()) {
      log_.push_back({{name(key), numbers.epoch, number, std::move(bytes)}, key, begin, now_});
    }
    remember();
    return true;
  }
  void append_some(unsigned count) {
    const bool flushes_each = random_.below(2) == 0;
    for (unsigned i = 0; i < count; ++i) {
      RC_ASSERT(append_one());
      if (flushes_each || i + 1 == count) RC_ASSERT(store_->flush().has_value());
    }
  }

  void reset(bool all) {
    Transaction transaction;
    for (SessionKey key = 0; key < (all ? kSessions : 1); ++key) {
      transaction.reset(key);
      numbers_[key] = {.epoch = numbers_[key].epoch + 1};
    }
    RC_ASSERT(store_->append(transaction, at_second(now_)).has_value());
    remember();
  }

  void crash(Crash kind) {
    if (kind != Crash::None) append_until_a_call_fails();
    const LogPosition durable = store_->durable();
    const bool is_closed = kind == Crash::None && random_.below(2) == 0;
    if (is_closed) RC_ASSERT(store_->close().has_value());
    store_.reset();
    if (kind == Crash::Process) disk_.process_death();
    if (kind == Crash::Power) {
      lost_power_ = true;
      disk_.power_loss_by_sectors(random_);
    }
    {
      const auto looked = inspect_journal(disk_, options_.folder);
      if (!looked) RC_FAIL(looked.error().text);
      return_to(looked->store->appended(), durable);
      check(*looked->store);
    }
    if (random_.below(2) == 0) draw_rules();
    open();
    remember();
    check(*store_);
    verify();
  }

  // The n-th call, whatever it is for: a write, a sync, or what takes a segment away.
  void append_until_a_call_fails() {
    const unsigned before = disk_.faults_hit();
    disk_.fail_any(static_cast<unsigned>(1 + random_.below(80)), EIO);
    while (disk_.faults_hit() == before) {
      const bool goes_on = append_one() && store_->flush();
      if (disk_.faults_hit() == before) RC_ASSERT(goes_on);
    }
  }

  void return_to(LogPosition found, LogPosition durable) {
    RC_ASSERT(found >= durable);
    while (snapshots_.back().position > found) snapshots_.pop_back();
    numbers_ = snapshots_.back().numbers;
    log_.resize(snapshots_.back().logged);
  }

  void check(Store& store) {
    for (SessionKey key = 0; key < kSessions; ++key) {
      const SessionRecord& record = store.session(key);
      RC_ASSERT(record.next_inbound == numbers_[key].next_inbound);
      RC_ASSERT(record.next_outbound == numbers_[key].next_outbound);
      RC_ASSERT(record.epoch == numbers_[key].epoch);
    }
    const std::vector<ScannedMessage> left = scan_all(store);
    RC_ASSERT(left.size() <= log_.size());
    const std::size_t missing = log_.size() - left.size();
    for (std::size_t i = 0; i < left.size(); ++i) RC_ASSERT(left[i] == log_[missing + i].message);
    for (std::size_t i = 0; i < missing; ++i) check_gone(store, log_[i], i < gone_);
    gone_ = std::max(gone_, missing);
    for (SessionKey key = 0; key < kSessions; ++key) {
      std::vector<KeptMessage> current;
      for (const ScannedMessage& one : left) {
        if (one.session != name(key) || one.epoch != numbers_[key].epoch) continue;
        current.push_back({one.number, one.bytes});
      }
      RC_ASSERT(read_all(store, key) == current);
    }
  }

  // was_gone: by the rules of a life before, perhaps.
  void check_gone(const Store& store, const Logged& one, bool was_gone) {
    const Retention& rules = options_.retention;
    const bool is_current = one.message.epoch == numbers_[one.key].epoch;
    // The caller must report it to the operator.
    if (is_current) RC_ASSERT(one.message.number <= store.retired_until(one.key));
    if (was_gone) return;
    const bool is_beyond_size =
        rules.keep_bytes > 0 && one.begin + rules.keep_bytes <= store.appended();
    const bool is_beyond_age =
        rules.keep_for.count() > 0 && one.second + rules.keep_for.count() < now_;
    const bool is_beyond = is_beyond_size || is_beyond_age;
    RC_ASSERT(is_beyond && (!is_current || rules.even_current));
  }

  void verify() {
    const auto checked = verify_journal(disk_, options_.folder);
    if (!checked) RC_FAIL(checked.error().text);
    RC_ASSERT(checked->damages.empty());
    // A loss of power may tear a checkpoint and leave whole records after it, which are kept.
    if (!lost_power_ && !checked->checkpoint_faults.empty()) {
      RC_FAIL(checked->checkpoint_faults.front());
    }
  }

  SeededRandom random_;
  JournalOptions options_;
  testing::FakeDisk disk_;
  std::unique_ptr<Store> store_;
  std::int64_t now_ = 1'000;
  AllNumbers numbers_;
  std::vector<Logged> log_;
  std::size_t gone_ = 0;  // the number of these that are, or once were
  bool lost_power_ = false;
  std::vector<Snapshot> snapshots_;
};

void run(Durability durability) {
  unsigned runs = 0;
  unsigned retired = 0;
  const bool is_valid = rc::check([&] {
    RetentionRun run{durability, *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<std::uint64_t>()};
    for (int steps = *rc::gen::inRange(0, 120); steps > 0; --steps) run.step();
    ++runs;
    if (run.has_retired()) ++retired;
  });
  EXPECT_TRUE(is_valid);
  // Not of one case that is repeated alone.
  if (is_valid && runs >= 100) {
    EXPECT_GT(retired, runs / 4);
  }
}

TEST(RetentionModel, of_a_process_journal_only_what_the_rules_let_go_is_gone) {
  run(Durability::Process);
}
TEST(RetentionModel, of_a_group_journal_only_what_the_rules_let_go_is_gone) {
  run(Durability::Group);
}
TEST(RetentionModel, of_a_sync_journal_only_what_the_rules_let_go_is_gone) {
  run(Durability::Sync);
}

// Many lives of few segments each, as of an engine that is started each morning: what the rules
// let go does go, before many more segments are begun.
class ShortLives {
 public:
  ShortLives(Durability durability, bool maps, std::uint64_t seed) : random_{seed} {
    options_.folder = "/journal";
    options_.durability = durability;
    options_.segment_bytes = kSegmentBytes;
    disk_.set_mapping(maps);
    Retention& rules = options_.retention;
    switch (random_.below(3)) {
      case 0:
        rules = {.keep_bytes = (1 + random_.below(4)) * kSegmentBytes, .even_current = true};
        break;
      case 1:
        rules = {.keep_for = std::chrono::seconds{1}, .even_current = true};
        break;
      default:
        rules.keep_bytes = 1;  // what no session's current epoch needs
    }
  }

  void live() {
    now_ += 100;
    if (random_.below(4) == 0) disk_.reboot();
    auto opened = open_journal(disk_, options_, at_second(now_));
    if (!opened) RC_FAIL(opened.error().text);
    Store& store = *opened->store;
    check(opened->report, store.appended());
    const SessionKey key = store.open_session("A", at_second(now_)).value();
    released_ = store.appended();
    if (!options_.retention.even_current) append_to(store, [&](Transaction& t) { t.reset(key); });
    for (std::uint64_t messages = random_.below(messages_max_ + 1); messages > 0; --messages) {
      const std::uint64_t number = store.session(key).next_outbound;
      append_to(store, [&](Transaction& t) {
        t.outbound_message(key, number, std::string(1 + random_.below(200), '.'));
      });
    }
    const std::uint64_t end = random_.below(3);
    if (end == 0) RC_ASSERT(store.close().has_value());
    opened->store.reset();
    if (end == 1) disk_.process_death();
  }

 private:
  // Each life that loses its power before the checkpoint is synced makes it later: only chance
  // bounds it. The worst of a million lives was below 9; what never goes grows to some forty.
  static constexpr std::uint64_t kSegmentsLate = 12;

  template <class Build>
  void append_to(Store& store, Build build) {
    RC_ASSERT(append(store, build, at_second(now_)).has_value());
    RC_ASSERT(store.flush().has_value());
  }

  // At most this much may be left of what earlier runs wrote.
  void check(const JournalReport& report, LogPosition appended) const {
    LogPosition free_until = appended;
    if (options_.retention.keep_bytes > 0) {
      free_until -= std::min(free_until, options_.retention.keep_bytes);
    }
    if (!options_.retention.even_current) free_until = released_;
    RC_ASSERT(free_until <= report.retired_bytes + kSegmentsLate * kSegmentBytes);
  }

  SeededRandom random_;
  JournalOptions options_;
  testing::FakeDisk disk_;
  std::uint64_t messages_max_ = 2 + random_.below(14);  // of one life
  LogPosition released_ = 0;                            // what lies before it, by the last reset
  std::int64_t now_ = 1'000;
};

TEST(RetentionModel, of_short_lives_too_what_the_rules_let_go_goes) {
  EXPECT_TRUE(rc::check([] {
    ShortLives lives{*rc::gen::element(Durability::Process, Durability::Group, Durability::Sync),
                     *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<std::uint64_t>()};
    for (int count = *rc::gen::inRange(0, 150); count > 0; --count) lives.live();
  }));
}

}  // namespace
}  // namespace nexusfix::store
