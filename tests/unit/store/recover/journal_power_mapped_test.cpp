// A loss of power in process mode, with the mapping and the threads: what was stored and not synced
// stays by pages and sectors, some of them torn, and messages that were sent may be gone. But no
// number is ever sent for two messages, and what is gone is reported.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
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

// One machine that sends, loses its power or its process, and starts again.
class MappedMachine {
 public:
  explicit MappedMachine(std::uint64_t seed) : random_{seed}, disk_{seed + 2'000'000} {
    disk_.set_mapping(true);
    EXPECT_TRUE(disk_.make_directories("/journal"));
    options_.folder = "/journal";
    options_.segment_bytes = 600 + random_.below(16'000);
    options_.numbers_ahead_max = 1 + static_cast<std::uint32_t>(random_.below(40));
    options_.sync_interval = std::chrono::milliseconds{1 + random_.below(20)};
    options_.on_durable = settler_.wake();
    if (random_.below(3) == 0) {
      const std::uint64_t segments = 1 + random_.below(4);
      options_.retention = {.keep_bytes = segments * options_.segment_bytes, .even_current = true};
    }
  }

  void live() {
    const bool lost_power = !disk_.has_power();
    disk_.start(0);
    if (const auto looked = inspect_journal(disk_, options_.folder)) {
      EXPECT_THAT(looked->report.damages, IsEmpty());
    } else {
      ASSERT_EQ(looked.error().code, StoreErrorCode::Missing) << looked.error().text;
      ASSERT_TRUE(sent_.empty());
    }
    disk_.start(random_.below(3) == 0 ? 1 + random_.below(200) : 0);
    auto opened = open_journal(disk_, options_, at_second(50));
    if (!opened) {
      ASSERT_FALSE(disk_.has_power()) << opened.error().text;
      return;
    }
    Store& store = *opened->store;
    EXPECT_THAT(opened->report.damages, IsEmpty());
    EXPECT_THAT(opened->report.refused, IsEmpty());
    if (!disk_.keep_power()) return;
    check(store, lost_power);
    if (random_.below(2) == 0) disk_.start(1 + random_.below(100));
    skipped_ += opened->report.skipped.size();
    const bool goes_on = run(store);
    ASSERT_TRUE(goes_on || !disk_.has_power());
    if (random_.below(4) == 0) {
      EXPECT_TRUE(store.close() || !disk_.has_power());
    }
    opened->store.reset();
    waiting_.clear();
    disk_.process_death();
  }
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_.size(); }
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_.size(); }
  [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }

 private:
  static constexpr SessionKey kSessions = 3;
  using Place = std::tuple<SessionKey, std::uint64_t, std::uint64_t>;  // epoch, MsgSeqNum
  struct Waiting {
    Place place;
    LogPosition end = 0;
    std::string bytes;
  };

  static std::string name(SessionKey key) { return "S" + std::to_string(key); }

  // False: the journal has stopped.
  bool run(Store& store) {
    for (SessionKey key = 0; key < kSessions; ++key) {
      if (!store.open_session(name(key), at_second(60))) return false;
    }
    const bool bursts = random_.below(3) == 0;
    const std::uint64_t cut_at = random_.below(2) == 0 ? random_.below(300) : UINT64_MAX;
    const std::uint64_t steps = random_.below(300);
    for (std::uint64_t step = 0; step < steps; ++step) {
      if (step == cut_at) disk_.cut_power();
      const auto key =
          static_cast<SessionKey>(bursts && random_.below(30) != 0 ? 0 : random_.below(kSessions));
      if (!append_one(store, key)) return false;
      const std::uint64_t what = random_.below(6);
      if (what < 2 && !store.flush()) return false;
      if (what == 2 && !settler_.settle(store)) return false;
      send(store);
      if (!disk_.has_power()) return true;
    }
    return true;
  }

  bool append_one(Store& store, SessionKey key) {
    const bool resets = random_.below(60) == 0;
    const SessionRecord before = store.session(key);
    const Place place{key, before.epoch + (resets ? 1 : 0), resets ? 1 : before.next_outbound};
    std::string bytes =
        "message " + std::to_string(++messages_) + std::string(random_.below(300), 'm');
    appended_[place].insert(bytes);
    const auto appended = append(store, [&](Transaction& t) {
      if (resets) t.reset(key);
      t.outbound_message(key, std::get<2>(place), bytes);
    });
    if (!appended) return false;
    waiting_.push_back({place, *appended, std::move(bytes)});
    return true;
  }

  // What the journal calls durable leaves, as long as there is power.
  void send(const Store& store) {
    const LogPosition durable = store.durable();
    if (!disk_.has_power()) return;
    const auto waits = [&](const Waiting& one) { return one.end > durable; };
    const auto end = std::ranges::find_if(waiting_, waits);
    for (auto one = waiting_.begin(); one != end; ++one) {
      const auto& [key, epoch, number] = one->place;
      EXPECT_TRUE(sent_.emplace(one->place, one->bytes).second)
          << name(key) << " has used number " << number << " of epoch " << epoch << " twice";
    }
    waiting_.erase(waiting_.begin(), end);
  }

  // What is there after the start. The journal's threads are at work.
  void check(Store& store, bool lost_power) {
    std::set<Place> kept;
    for (const ScannedMessage& one : scan_all(store)) {
      const auto key = static_cast<SessionKey>(one.session.back() - '0');
      const Place place{key, one.epoch, one.number};
      kept.insert(place);
      ASSERT_TRUE(appended_[place].contains(one.bytes)) << one.session << ' ' << one.number;
      const auto sent = sent_.find(place);
      ASSERT_TRUE(sent == sent_.end() || sent->second == one.bytes)
          << "kept is another message than was sent";
    }
    for (const auto& [place, bytes] : sent_) {
      const auto& [key, epoch, number] = place;
      ASSERT_LT(key, store.session_count());
      const SessionRecord& found = store.session(key);
      ASSERT_LE(epoch, found.epoch);
      if (epoch != found.epoch) continue;
      ASSERT_LT(number, found.next_outbound) << "would be used again";
      if (kept.contains(place) || options_.retention.is_wanted()) continue;
      const bool is_new = lost_.insert(place).second;
      ASSERT_TRUE(lost_power || !is_new) << "lost, and nothing but the process was killed";
      const auto holds = [&](const NumberRange& range) {
        return range.first <= number && number <= range.last;
      };
      ASSERT_TRUE(std::ranges::any_of(store.lost_numbers(key), holds))
          << "lost, and not reported:" << name(key) << ' ' << number;
    }
  }

  SeededRandom random_;
  Settler settler_;
  PowerDisk disk_;
  JournalOptions options_;
  std::uint64_t messages_ = 0;
  std::map<Place, std::set<std::string>> appended_;
  std::vector<Waiting> waiting_;  // appended, and not sent
  std::map<Place, std::string> sent_;
  std::set<Place> lost_;
  std::uint64_t skipped_ = 0;
};

TEST(JournalPowerMapped, no_number_is_sent_for_two_messages_and_what_is_lost_is_reported) {
#ifdef NDEBUG
  constexpr std::uint64_t kUsual = 120;
#else
  constexpr std::uint64_t kUsual = 12;  // with sanitizers
#endif
  const std::uint64_t seeds = testing::random_runs(kUsual);
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
  std::uint64_t skipped = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MappedMachine machine{seed};
    for (int life = 0; life < 10; ++life) {
      machine.live();
      if (HasFailure()) return;
    }
    sent += machine.sent();
    lost += machine.lost();
    skipped += machine.skipped();
  }
  // It is about something. How much a life sends depends on the machine, too.
  EXPECT_GT(sent, seeds * 20);
  EXPECT_GT(lost, seeds);
  EXPECT_GT(skipped, seeds);
}

}  // namespace
}  // namespace nexusfix::store
