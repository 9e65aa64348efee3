// What look-ups find, with blocks of places so small that each resend crosses several and most have
// gone before the next: against a plain map, with a journal's threads and without, reopened, and
// with segments retired.
#include <array>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "store/format/reading_sizes.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/random_runs.hpp"
#include "support/sanitized.hpp"
#include "unit/store/store_fixture.hpp"

namespace nexusfix::store {
namespace {

constexpr ReadingSizes kSmallSizes{.scanned_bytes = 3U << 10U,
                                   .block_bytes_min = 4U << 10U,
                                   .block_bytes_max = 20U << 10U,
                                   .block_bytes_of_session = 300,
                                   .places_bytes_max = 3U << 10U};

class SmallBlocksModel {
 public:
  explicit SmallBlocksModel(std::uint64_t seed) : random_{seed} {
    has_threads_ = is_one_of(3);
    if (!has_threads_) fake_disk_.set_mapping(is_one_of(2));
    senders_ = static_cast<SessionKey>(1 + random_.below(9));
    message_bytes_max_ = is_one_of(3) ? 4000 : 300;
    one_reset_of_ = is_one_of(2) ? 60 : 20'000;
    options_.folder = has_threads_ ? folder_.file("journal") : "/journal";
    options_.durability =
        std::array{Durability::None, Durability::Process, Durability::Group}[random_.below(3)];
    options_.segment_bytes =
        std::array{8U << 10U, 50U << 10U, 200U << 10U, 1U << 20U}[random_.below(4)];
    options_.sync_interval = std::chrono::milliseconds{5};
    options_.on_durable = settler_.wake();
    if (is_one_of(3) && options_.durability != Durability::None) {
      options_.retention = {.keep_bytes = 2 * options_.segment_bytes, .even_current = true};
    }
    open();
    const SessionKey sessions = is_one_of(2) ? senders_ : 300;
    for (SessionKey key = 0; key < sessions; ++key) open_session(store(), std::to_string(key));
  }

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) {
      append_some();
      compare_some();
      if (!is_one_of(10)) continue;
      ASSERT_TRUE(settler_.settle(store()));
      if (is_one_of(2)) {
        ASSERT_TRUE(store().close());
      }
      journal_ = {};
      open();
      ASSERT_NE(journal_.store, nullptr);
      compare_some();
    }
  }
  [[nodiscard]] std::uint64_t found() const { return found_; }
  [[nodiscard]] std::uint64_t found_beside_retired() const { return found_beside_retired_; }

 private:
  using Kept = std::map<std::uint64_t, std::string>;

  bool is_one_of(std::uint64_t count) { return random_.below(count) == 0; }
  Store& store() { return *journal_.store; }
  SessionKey any_sender() { return static_cast<SessionKey>(random_.below(senders_)); }

  void open() {
    options_.checks_all = is_one_of(3);
    Disk& disk = has_threads_ ? static_cast<Disk&>(real_disk_) : fake_disk_;
    auto opened = open_journal(disk, options_, at_second(50), kSmallSizes);
    ASSERT_TRUE(opened) << opened.error().text;
    journal_ = std::move(*opened);
  }

  void append_some() {
    for (std::uint64_t count = random_.below(100); count > 0; --count) {
      Transaction transaction;
      std::map<SessionKey, std::uint64_t> next;
      for (std::uint64_t messages = 1 + random_.below(4); messages > 0; --messages) {
        const SessionKey key = any_sender();
        append_one(transaction, key,
                   next.try_emplace(key, store().session(key).next_outbound).first->second);
      }
      const auto appended = store().append(transaction, at_second(60));
      ASSERT_TRUE(appended) << appended.error().text;
      if (is_one_of(8)) {
        ASSERT_TRUE(store().flush());
      }
    }
    if (is_one_of(8)) {
      ASSERT_TRUE(settler_.settle(store()));
    }
  }

  void append_one(Transaction& transaction, SessionKey key, std::uint64_t& number) {
    if (is_one_of(one_reset_of_)) {
      transaction.reset(key);
      kept_[key].clear();
      number = 1;
    }
    if (is_one_of(20)) {  // sent and not kept
      transaction.outbound_number(key, number++);
      return;
    }
    number += is_one_of(10) ? 1 : 0;
    std::string bytes(random_.below(message_bytes_max_),
                      static_cast<char>('a' + random_.below(26)));
    transaction.outbound_message(key, number, bytes);
    kept_[key][number++] = std::move(bytes);
  }

  void compare_some() {
    for (int i = 0; i < 6; ++i) {
      const SessionKey key = any_sender();
      const std::uint64_t end = store().session(key).next_outbound;
      const std::uint64_t first = random_.below(end + 1);
      const std::uint64_t last = first + random_.below(is_one_of(3) ? 3 : end);
      const std::vector<KeptMessage> got = read_all(store(), key, first, last);
      std::vector<KeptMessage> expected;
      for (auto at = kept_[key].lower_bound(first); at != kept_[key].end() && at->first <= last;
           ++at) {
        expected.push_back({at->first, at->second});
      }
      found_ += got.size();
      // Some retired messages may still be there: the last ones.
      if (const std::uint64_t retired = store().retired_until(key); retired > 0) {
        found_beside_retired_ += got.size();
        while (expected.size() > got.size() && expected.front().number <= retired) {
          expected.erase(expected.begin());
        }
      }
      ASSERT_EQ(got, expected) << "session " << key << ", " << first << " to " << last << ", "
                               << to_string(options_.durability);
    }
  }

  SeededRandom random_;
  testing::TemporaryFolder folder_;
  PosixDisk real_disk_;
  testing::FakeDisk fake_disk_;
  bool has_threads_ = false;
  Settler settler_;
  JournalOptions options_;
  OpenedJournal journal_;
  SessionKey senders_ = 1;
  std::uint64_t message_bytes_max_ = 0;
  std::uint64_t one_reset_of_ = 1;
  std::map<SessionKey, Kept> kept_;
  std::uint64_t found_ = 0;
  std::uint64_t found_beside_retired_ = 0;
};

TEST(JournalLookUpModel, finds_what_was_appended_through_blocks_that_begin_and_end_anywhere) {
  std::uint64_t found = 0;
  std::uint64_t found_beside_retired = 0;
  const std::uint64_t runs = testing::random_runs(30 / case_step(3));
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SmallBlocksModel model{seed};
    model.run(20);
    if (HasFailure()) return;
    found += model.found();
    found_beside_retired += model.found_beside_retired();
  }
  EXPECT_GT(found, 0U);
  EXPECT_GT(found_beside_retired, 0U);
}

}  // namespace
}  // namespace nexusfix::store
