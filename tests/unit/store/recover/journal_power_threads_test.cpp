// A loss of power at any call of a journal with threads: one writes and syncs, one prepares
// segments and takes old ones away. What the journal called durable is there, nothing is that was
// not appended, and no number is used twice.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "support/disks/power_disk.hpp"
#include "support/random_runs.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

using ::testing::IsEmpty;
using testing::PowerDisk;

constexpr SessionKey kSessions = 3;

// One machine that sends, loses its power, and starts again; remembers what was appended.
class ThreadedMachine {
 public:
  ThreadedMachine(Durability durability, bool reserves, std::uint64_t seed)
      : random_{seed}, disk_{seed + 1'000'000} {
    disk_.set_reserving(reserves);
    EXPECT_TRUE(disk_.make_directories("/journal"));
    options_.folder = "/journal";
    options_.durability = durability;
    options_.segment_bytes = 600 + random_.below(4'000);
    options_.on_durable = settler_.wake();
    if (random_.below(4) == 0) options_.group_wait = std::chrono::microseconds{20};
    if (random_.below(2) == 0) {
      const std::uint64_t segments = 1 + random_.below(4);
      options_.retention = {.keep_bytes = segments * options_.segment_bytes, .even_current = true};
    }
  }

  void live() {
    disk_.start(0);
    if (const auto looked = inspect_journal(disk_, options_.folder)) {
      check(*looked->store, looked->report);
    } else {
      ASSERT_EQ(looked.error().code, StoreErrorCode::Missing) << looked.error().text;
      ASSERT_EQ(durable_, 0U);
      log_.clear();
    }
    disk_.start(1 + random_.below(random_.below(2) == 0 ? 40 : 400));
    auto opened = open_journal(disk_, options_, at_second(50));
    if (!opened) {
      ASSERT_FALSE(disk_.has_power()) << opened.error().text;
      return;
    }
    Store& store = *opened->store;
    EXPECT_THAT(opened->report.damages, IsEmpty());
    check_numbers(store);
    const bool goes_on = run(store);
    // Without power it fails, and says so.
    ASSERT_TRUE(goes_on || !disk_.has_power());
    if (::testing::Test::HasFailure()) return;
    end(store);
    record_durable(store);
    opened->store.reset();
    disk_.process_death();
  }
  [[nodiscard]] std::uint64_t retired() const noexcept { return gone_; }
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_.size(); }

 private:
  struct Message {
    SessionKey key = 0;
    ScannedMessage message;
    std::uint64_t next_inbound = 1;  // after it
    LogPosition begin = 0;           // or later
    LogPosition end = 0;
  };

  static std::string name(SessionKey key) { return "S" + std::to_string(key); }

  // False: the journal has stopped.
  bool run(Store& store) {
    for (SessionKey key = 0; key < kSessions; ++key) {
      if (!store.open_session(name(key), at_second(60))) return false;
    }
    for (std::uint64_t step = random_.below(300); step > 0; --step) {
      if (!append_one(store)) return false;
      const std::uint64_t what = random_.below(6);
      if (what < 2 && !store.flush()) return false;
      if (what == 2 && !settler_.settle(store)) return false;
      record_durable(store);
    }
    return true;
  }

  bool append_one(Store& store) {
    const auto key = static_cast<SessionKey>(random_.below(kSessions));
    const bool resets = random_.below(40) == 0;
    const SessionRecord before = store.session(key);
    Message one{.key = key,
                .message = {.session = name(key),
                            .epoch = before.epoch + (resets ? 1 : 0),
                            .number = resets ? 1 : before.next_outbound,
                            .bytes = "message " + std::to_string(++messages_) +
                                     std::string(random_.below(300), 'm')},
                .next_inbound = (resets ? 1 : before.next_inbound) + 1,
                .begin = store.appended()};
    const auto appended = append(store, [&](Transaction& t) {
      if (resets) t.reset(key);
      t.inbound_progress(key, one.next_inbound);
      t.outbound_message(key, one.message.number, one.message.bytes);
    });
    if (!appended) return false;
    one.end = *appended;
    log_.push_back(std::move(one));
    return true;
  }

  void end(Store& store) {
    switch (random_.below(3)) {
      case 0:
        disk_.cut_power();
        break;
      case 1:
        EXPECT_TRUE(store.close() || !disk_.has_power());
        break;
      default:
        break;  // killed
    }
  }

  // Whatever the journal calls durable has left.
  void record_durable(const Store& store) {
    durable_ = std::max(durable_, store.durable());
    for (; sent_until_ < log_.size() && log_[sent_until_].end <= durable_; ++sent_until_) {
      const ScannedMessage& one = log_[sent_until_].message;
      const bool is_new = sent_.emplace(one.session, one.epoch, one.number).second;
      EXPECT_TRUE(is_new) << one.session << " has used number " << one.number << " of epoch "
                          << one.epoch << " twice";
    }
  }

  // What is there after the start: the log from some message on up to another one.
  void check(Store& store, const JournalReport& report) {
    EXPECT_THAT(report.damages, IsEmpty());
    EXPECT_THAT(report.skipped, IsEmpty());
    EXPECT_GE(store.appended(), durable_);
    const std::vector<ScannedMessage> left = scan_all(store);
    const auto first = std::ranges::find_if(
        log_, [&](const Message& one) { return left.empty() || one.message == left.front(); });
    const auto begin = static_cast<std::size_t>(first - log_.begin());
    ASSERT_LE(begin + left.size(), log_.size()) << "more than was ever appended";
    for (std::size_t i = 0; i < left.size(); ++i) ASSERT_EQ(left[i], log_[begin + i].message);
    for (std::size_t i = gone_; i < begin; ++i) {
      ASSERT_GT(options_.retention.keep_bytes, 0U) << "the log has lost its beginning";
      ASSERT_LE(log_[i].begin + options_.retention.keep_bytes, store.appended());
    }
    gone_ = std::max(gone_, begin);
    lost_ += log_.size() - begin - left.size();
    while (log_.size() > begin + left.size()) {
      ASSERT_GT(log_.back().end, durable_) << "durable, and lost: " << log_.back().message.bytes;
      log_.pop_back();
    }
    check_numbers(store);
  }

  void check_numbers(const Store& store) const {
    std::array<const Message*, kSessions> last{};
    for (const Message& one : log_) last[one.key] = &one;
    for (SessionKey key = 0; key < store.session_count(); ++key) {
      const SessionRecord& found = store.session(key);
      const Message* const one = last[key];
      EXPECT_EQ(found.epoch, one == nullptr ? 1 : one->message.epoch);
      EXPECT_EQ(found.next_outbound, one == nullptr ? 1 : one->message.number + 1);
      EXPECT_EQ(found.next_inbound, one == nullptr ? 1 : one->next_inbound);
    }
  }

  SeededRandom random_;
  Settler settler_;
  PowerDisk disk_;
  JournalOptions options_;
  std::uint64_t messages_ = 0;
  std::vector<Message> log_;    // in the order of the log, with what is retired
  std::size_t gone_ = 0;        // the number of them that are retired
  std::uint64_t lost_ = 0;      // that were not durable
  LogPosition durable_ = 0;     // the highest that was ever reported
  std::size_t sent_until_ = 0;  // of log_
  std::set<std::tuple<std::string, std::uint64_t, std::uint64_t>> sent_;
};

// Each mode in parts, so that none takes long on a machine that is busy with something else.
constexpr std::uint64_t kParts = 5;

struct ThreadedPowerCase {
  std::string name;
  Durability durability = Durability::Group;
  bool reserves = false;
  std::uint64_t part = 1;
};

std::vector<ThreadedPowerCase> threaded_power_cases() {
  std::vector<ThreadedPowerCase> cases;
  for (const Durability durability : {Durability::Group, Durability::Sync}) {
    for (const bool reserves : {false, true}) {
      for (std::uint64_t part = 1; part <= kParts; ++part) {
        cases.push_back({std::string{to_string(durability)} + (reserves ? "_reserved_" : "_") +
                             std::to_string(part),
                         durability, reserves, part});
      }
    }
  }
  return cases;
}

// Fewer seeds may have none that retires a segment, or that loses much.
constexpr std::uint64_t kSeedsThatRetire = 10;

class JournalPowerThreads : public ::testing::TestWithParam<ThreadedPowerCase> {};

TEST_P(JournalPowerThreads, what_is_durable_is_there_whatever_call_the_power_fails_at) {
#ifdef NDEBUG
  constexpr std::uint64_t kUsual = 100;
#else
  constexpr std::uint64_t kUsual = 10;  // with sanitizers
#endif
  const std::uint64_t seeds = (testing::random_runs(kUsual) + kParts - 1) / kParts;
  const std::uint64_t first = 1 + (GetParam().part - 1) * seeds;
  std::uint64_t retired = 0;
  std::uint64_t lost = 0;
  std::uint64_t sent = 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ThreadedMachine machine{GetParam().durability, GetParam().reserves, seed};
    for (int life = 0; life < 10; ++life) {
      machine.live();
      if (HasFailure()) return;
    }
    retired += machine.retired();
    lost += machine.lost();
    sent += machine.sent();
  }
  // It is about something. How much a life sends depends on the machine, too.
  EXPECT_GT(sent, seeds * 20);
  if (seeds >= kSeedsThatRetire) {
    EXPECT_GT(lost, seeds);
    EXPECT_GT(retired, seeds);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, JournalPowerThreads, ::testing::ValuesIn(threaded_power_cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace nexusfix::store
