// Random operations against a plain model: whatever the sequence, every store answers like a map.
// Journals are also closed, killed in the middle of a write and cut off from power, after which
// they must hold exactly some state that the model had, not older than what was called durable.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "journal/api/journal_tools.hpp"
#include "store/api/journal_format.hpp"
#include "store_fixture.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/disks/power_disk.hpp"

#ifdef NEXUSFIX_POSTGRES_STORE
#include "unit/store/postgres/postgres_fixture.hpp"
#endif

namespace nexusfix::store {
namespace {

using testing::FakeDisk;

constexpr SessionKey kSessions = 3;

struct ModelSession {
  std::uint64_t next_inbound = 1;
  std::uint64_t next_outbound = 1;
  std::uint64_t epoch = 1;
  std::map<std::uint64_t, std::string> kept;
  std::vector<NumberRange> lost{};
};
using Model = std::array<ModelSession, kSessions>;

// The model as it was when the log was this long.
struct Snapshot {
  LogPosition position = 0;
  Model model;
};

enum class Crash { None, Process, Power };

enum class Threads { None, Real };

class ModelRun {
 public:
  ModelRun(std::optional<Durability> journal, std::uint64_t segment_bytes, bool maps,
           [[maybe_unused]] Threads threads = Threads::None)
      : options_{.folder = "/journal",
                 .durability = journal.value_or(Durability::Process),
                 .segment_bytes = segment_bytes},
        is_journal_{journal.has_value()},
        maps_{maps} {
    disk_.set_mapping(maps);
#ifndef NEXUSFIX_POSTGRES_STORE
    if (threads == Threads::Real) {
      threaded_.emplace(*rc::gen::arbitrary<std::uint64_t>());
      if (maps && journal == Durability::Process) {
        threaded_->set_mapping(true);
      } else {
        threaded_->set_reserving(maps);
      }
      options_.on_durable = settler_.wake();
    }
#endif
    open();
    for (SessionKey key = 0; key < kSessions; ++key) {
      RC_ASSERT(store_->open_session("S" + std::to_string(key), at_second(1)).value() == key);
    }
    flush();
    remember();
  }

  void step() {
    const int choice = *rc::gen::weightedElement<int>({{12, 0}, {4, 1}, {1, 2}, {1, 3}});
    if (choice == 0) return append_some();
    if (choice == 1) return flush();
    if (choice == 2) return compare_range();
#ifdef NEXUSFIX_POSTGRES_STORE
    return crash(*rc::gen::element(Crash::None, Crash::Process));
#endif
    if (!is_journal_) return;
    const bool power_is_promised =
        options_.durability == Durability::Sync || options_.durability == Durability::Group;
    crash(*rc::gen::elementOf(power_is_promised
                                  ? std::vector{Crash::None, Crash::Process, Crash::Power}
                                  : std::vector{Crash::None, Crash::Process}));
  }

  // Until the log has segments with checkpoints.
  void fill() {
    while (store_->appended() < 6 * options_.segment_bytes) append_some();
    flush();
  }
  void append_and_crash() {
    for (int count = *rc::gen::inRange(0, 6); count > 0; --count) append_some();
    crash(*rc::gen::element(Crash::None, Crash::Process, Crash::Power));
  }
  [[nodiscard]] bool was_opened_fast() const { return report_.scanned_bytes < report_.bytes; }

  void compare() {
    for (SessionKey key = 0; key < kSessions; ++key) {
      const ModelSession& expected = model_[key];
      const SessionRecord& record = store_->session(key);
      RC_ASSERT(record.next_inbound == expected.next_inbound);
      RC_ASSERT(record.next_outbound == expected.next_outbound);
      RC_ASSERT(record.epoch == expected.epoch);
      RC_ASSERT(std::ranges::equal(store_->lost_numbers(key), expected.lost));
      compare_messages(key, 1, UINT64_MAX);
    }
  }

 private:
  void open() {
#ifdef NEXUSFIX_POSTGRES_STORE
    PostgresOptions options = postgres_options(schema_);
    options.rows_lag_bytes_max = *rc::gen::element<std::uint64_t>(0, 200, 2'000, 4U << 20U);
    options.on_durable = settler_.wake();
    auto made = open_postgres(options);
    if (!made) RC_FAIL(made.error().text);
    store_ = std::move(*made);
    return;
#endif
    if (!is_journal_) {
      store_ = make_memory_store();
      return;
    }
    auto opened = open_journal(disk(), options_, at_second(1));
    if (!opened) RC_FAIL(opened.error().text);
    store_ = std::move(opened->store);
    report_ = std::move(opened->report);
  }

  void append_some() {
    Transaction transaction;
    Model next = model_;
    for (int entries = *rc::gen::inRange(1, 5); entries > 0; --entries) {
      const auto key = *rc::gen::inRange<SessionKey>(0, kSessions);
      append_one(transaction, key, next[key]);
    }
    if (*rc::gen::weightedElement<int>({{9, 0}, {1, 1}}) == 1) {
      // Something that must be refused, at the end: nothing of the rest may stay either.
      transaction.outbound_number(*rc::gen::inRange<SessionKey>(0, kSessions), 0);
      RC_ASSERT_FALSE(store_->append(transaction, at_second(2)).has_value());
      return;
    }
    RC_ASSERT(store_->append(transaction, at_second(2)).has_value());
    check_after_append();
    model_ = next;
    remember();
  }

  // What append() has found is what the store answers when it is asked.
  void check_after_append() {
    const Store::AfterAppend& after = store_->after_append();
    if (after.is_durable) RC_ASSERT(store_->durable() == store_->appended());
    if (after.room_until > store_->appended())
      RC_ASSERT(store_->has_room_for(after.room_until - store_->appended()));
  }

  static void append_one(Transaction& transaction, SessionKey key, ModelSession& session) {
    switch (*rc::gen::weightedElement<int>({{8, 0}, {4, 1}, {2, 2}, {1, 3}, {1, 4}, {1, 5}})) {
      case 0: {
        const std::uint64_t number = session.next_outbound + *rc::gen::inRange(0U, 3U);
        const auto bytes = *rc::gen::container<std::string>(rc::gen::character<char>());
        transaction.outbound_message(key, number, bytes);
        session.kept[number] = bytes;
        session.next_outbound = number + 1;
        break;
      }
      case 1:
        session.next_inbound += *rc::gen::inRange(0U, 3U);
        transaction.inbound_progress(key, session.next_inbound);
        break;
      case 2:
        transaction.outbound_number(key, session.next_outbound);
        ++session.next_outbound;
        break;
      case 3:
        return set_numbers(transaction, key, session);
      case 4: {
        constexpr std::size_t kRangesMax = 8;  // below what a session remembers one by one
        if (session.next_outbound == 1 || session.lost.size() == kRangesMax) break;
        const auto first = *rc::gen::inRange<std::uint64_t>(1, session.next_outbound);
        const auto last = *rc::gen::inRange<std::uint64_t>(first, session.next_outbound);
        transaction.messages_lost(key, first, last);
        session.lost.push_back({first, last});
        break;
      }
      default:
        transaction.reset(key);
        session = ModelSession{.epoch = session.epoch + 1, .kept = {}};
    }
  }

  // Up, and also down: the outbound number in a new epoch.
  static void set_numbers(Transaction& transaction, SessionKey key, ModelSession& session) {
    const auto any = [](std::uint64_t now) {
      return *rc::gen::inRange<std::uint64_t>(now > 4 ? now - 4 : 1, now + 4);
    };
    const SessionRecord before{.next_inbound = session.next_inbound,
                               .next_outbound = session.next_outbound,
                               .epoch = session.epoch,
                               .created = at_second(1)};
    const NumbersChange::Wanted wanted{.next_inbound = any(session.next_inbound),
                                       .next_outbound = any(session.next_outbound)};
    transaction.set_numbers(key, numbers_change(before, wanted, at_second(2), "anna: agreed"));
    if (*wanted.next_outbound < session.next_outbound) {
      session = ModelSession{.epoch = session.epoch + 1, .kept = {}};
    }
    session.next_inbound = *wanted.next_inbound;
    session.next_outbound = *wanted.next_outbound;
  }

  void flush() {
    const auto flushed = settler_.settle(*store_);
    RC_ASSERT(flushed.has_value());
    RC_ASSERT(*flushed == store_->appended());
  }

#ifdef NEXUSFIX_POSTGRES_STORE
  // The server may have some of the transactions that were flushed and not confirmed, and not
  // others.
  void crash(Crash kind) {
    const LogPosition durable = store_->durable();
    if (kind == Crash::Process) RC_ASSERT(store_->flush().has_value());
    store_.reset();
    open();
    const LogPosition found = store_->appended();
    RC_ASSERT(found >= durable);
    while (snapshots_.back().position > found) snapshots_.pop_back();
    RC_ASSERT(snapshots_.back().position == found);
    model_ = snapshots_.back().model;
    compare();
  }
#else

  void crash(Crash kind) {
    const LogPosition durable = store_->durable();
    if (threaded_) {
      die_with_threads(kind);
    } else {
      die(kind);
    }
    // Reads everything, whatever the checkpoints say.
    const auto scanned = inspect_journal(disk(), options_.folder);
    if (!scanned) RC_FAIL(scanned.error().text);
    const LogPosition found = scanned->store->appended();
    RC_ASSERT(found >= durable);
    open();
    return_to(found, segments_on_disk());
    compare_opened(*scanned);
    // An end by an error is taken for a loss of power.
    for (const SkippedNumbers& skipped : report_.skipped) {
      for (SessionKey key = 0; key < kSessions; ++key) {
        if (store_->session_name(key) == skipped.session) {
          model_[key].next_outbound = skipped.last + 1;
          model_[key].lost.push_back({skipped.first, skipped.last});
        }
      }
    }
    remember();
    compare();
  }

  void die(Crash kind) {
    if (kind == Crash::Process) {
      // Only a write that no flush() has answered yet can be torn: this one.
      append_last();
      const unsigned syncs = disk_.calls(testing::DiskCall::Sync);
      disk_.fail(*rc::gen::element(testing::DiskCall::Sync, testing::DiskCall::Write), 1, EIO);
      const bool is_flushed = store_->flush().has_value();
      // What was written in full stays, whether it was synced or not.
      const bool is_torn = !is_flushed && !maps_ && disk_.calls(testing::DiskCall::Sync) == syncs;
      disk_.process_death(is_torn ? *rc::gen::inRange<std::size_t>(0, 60) : 0);
    } else if (kind == Crash::Power) {
      lost_power_ = true;
      disk_.fail(testing::DiskCall::Sync, 1, EIO);
      (void)store_->flush();
      if (*rc::gen::element(false, true) && !maps_) {
        disk_.power_loss(*rc::gen::inRange<std::size_t>(0, disk_.unsynced_bytes() + 1));
      } else {
        SeededRandom random{*rc::gen::arbitrary<std::uint64_t>()};
        disk_.power_loss_by_sectors(random);
      }
    }
    store_.reset();
  }

  // In the midst of what the threads do: how far they come differs from run to run.
  void die_with_threads(Crash kind) {
    if (kind != Crash::None) {
      append_last();
      (void)store_->flush();
    }
    if (kind == Crash::Power) {
      lost_power_ = true;
      threaded_->cut_power();
    }
    store_.reset();
    if (kind == Crash::Power) {
      threaded_->start(0);
    } else {
      threaded_->process_death();
    }
  }

  void append_last() {
    Transaction transaction;
    transaction.outbound_message(0, model_[0].next_outbound, "torn");
    RC_ASSERT(store_->append(transaction, at_second(3)).has_value());
    model_[0].kept[model_[0].next_outbound++] = "torn";
    remember();
  }

  // What opening found must not depend on where it began to read.
  void compare_opened(const OpenedJournal& scanned) {
    RC_ASSERT(report_.records == scanned.report.records);
    RC_ASSERT(report_.messages == scanned.report.messages);
    RC_ASSERT(report_.bytes == scanned.report.bytes);
    RC_ASSERT(report_.power_lost == scanned.report.power_lost);
    RC_ASSERT(report_.cut_bytes == scanned.report.cut_bytes);
    RC_ASSERT(report_.torn_bytes == scanned.report.torn_bytes);
    RC_ASSERT(report_.damages.empty());
    for (SessionKey key = 0; key < kSessions; ++key) {
      if (report_.skipped.empty()) {
        RC_ASSERT(store_->session(key) == scanned.store->session(key));
      }
      RC_ASSERT(read_all(*store_, key) == read_all(*scanned.store, key));
    }
    const auto checked = verify_journal(disk(), options_.folder);
    if (!checked) RC_FAIL(checked.error().text);
    // A loss of power may tear a checkpoint and leave whole records after it, which are kept.
    for (const std::string& fault : checked->checkpoint_faults) {
      const auto holds = [&](const CheckedSegment& segment) {
        return segment.records > 0 && fault.starts_with(segment.file);
      };
      if (!lost_power_ || std::ranges::none_of(checked->segments, holds)) RC_FAIL(fault);
    }
  }

  std::vector<SegmentHeader> segments_on_disk() {
    std::vector<SegmentHeader> segments;
    for (std::uint64_t number = 1;; ++number) {
      const std::string path = options_.folder + '/' + segment_file_name(number);
      const auto bytes = read_file(disk(), path, 1U << 30U);
      if (!bytes) return segments;
      const auto header = decode_segment_header(*bytes);
      if (header) segments.push_back(*header);
    }
  }

  // The log may end in starts of segments, which hold no record.
  void return_to(LogPosition position, const std::vector<SegmentHeader>& segments) {
    while (snapshots_.back().position > position) snapshots_.pop_back();
    LogPosition expected = snapshots_.back().position;
    for (const SegmentHeader& segment : segments) {
      if (segment.position == expected && expected < position) expected += segment.records_at();
    }
    RC_ASSERT(expected == position);
    model_ = snapshots_.back().model;
  }

#endif

  void remember() { snapshots_.push_back({store_->appended(), model_}); }

  void compare_range() {
    const auto first = *rc::gen::inRange<std::uint64_t>(0, 40);
    const auto last = *rc::gen::inRange<std::uint64_t>(0, 40);
    compare_messages(*rc::gen::inRange<SessionKey>(0, kSessions), first, last);
  }

  void compare_messages(SessionKey key, std::uint64_t first, std::uint64_t last) {
    std::vector<KeptMessage> expected;
    for (const auto& [number, bytes] : model_[key].kept) {
      if (first <= number && number <= last) expected.push_back({number, bytes});
    }
    RC_ASSERT(read_all(*store_, key, first, last) == expected);
  }

  JournalOptions options_;
  bool is_journal_;
  [[maybe_unused]] bool maps_;
  [[nodiscard]] Disk& disk() {
#ifndef NEXUSFIX_POSTGRES_STORE
    if (threaded_) return *threaded_;
#endif
    return disk_;
  }

  FakeDisk disk_;
#ifndef NEXUSFIX_POSTGRES_STORE
  std::optional<testing::PowerDisk> threaded_;  // instead, for a journal with threads
#endif
  Settler settler_;
#ifdef NEXUSFIX_POSTGRES_STORE
  std::string schema_ = fresh_schema();
#endif
  std::unique_ptr<Store> store_;
  JournalReport report_;
  [[maybe_unused]] bool lost_power_ = false;
  Model model_;
  std::vector<Snapshot> snapshots_;
};

void run(std::optional<Durability> journal, bool maps = false, Threads threads = Threads::None) {
  const std::uint64_t large = maps ? 16U << 10U : 64U << 20U;
  const auto segment_bytes = *rc::gen::element<std::uint64_t>(200, 1000, 2000, large);
  ModelRun run{journal, segment_bytes, maps, threads};
  for (int steps = *rc::gen::inRange(0, 60); steps > 0; --steps) run.step();
  run.compare();
}

#ifdef NEXUSFIX_POSTGRES_STORE

TEST(StoreModel, a_database_answers_like_a_map_and_keeps_what_it_confirmed) {
  if (testing::PostgresServer::shared() == nullptr) {
    GTEST_SKIP() << testing::PostgresServer::why();
  }
  rc::check([] { run(std::nullopt); });
}

#else

RC_GTEST_PROP(StoreModel, memory_answers_like_a_map, ()) { run(std::nullopt); }

RC_GTEST_PROP(StoreModel, a_process_journal_answers_like_a_map_and_survives_being_killed, ()) {
  run(Durability::Process);
}

RC_GTEST_PROP(StoreModel, a_mapped_journal_answers_like_a_map_and_survives_being_killed, ()) {
  run(Durability::Process, true);
}

RC_GTEST_PROP(StoreModel, a_group_journal_answers_like_a_map_and_survives_a_loss_of_power, ()) {
  run(Durability::Group);
}

RC_GTEST_PROP(StoreModel, a_reserved_sync_journal_answers_like_a_map_and_survives_a_loss_of_power,
              ()) {
  run(Durability::Sync, true);
}

RC_GTEST_PROP(StoreModel, a_journal_that_is_opened_from_a_checkpoint_answers_like_a_map, ()) {
  ModelRun run{*rc::gen::element(Durability::Group, Durability::Sync), 1500,
               *rc::gen::arbitrary<bool>()};
  run.fill();
  int fast = 0;
  for (int crashes = *rc::gen::inRange(1, 8); crashes > 0; --crashes) {
    run.append_and_crash();
    if (run.was_opened_fast()) ++fast;
  }
  run.compare();
  RC_CLASSIFY(fast > 0, "from a checkpoint");
}

RC_GTEST_PROP(StoreModel, a_sync_journal_answers_like_a_map_and_survives_a_loss_of_power, ()) {
  run(Durability::Sync);
}

RC_GTEST_PROP(StoreModelThreads, a_group_journal_answers_like_a_map_and_survives_a_loss_of_power,
              ()) {
  run(Durability::Group, *rc::gen::arbitrary<bool>(), Threads::Real);
}

RC_GTEST_PROP(StoreModelThreads, a_sync_journal_answers_like_a_map_and_survives_a_loss_of_power,
              ()) {
  run(Durability::Sync, *rc::gen::arbitrary<bool>(), Threads::Real);
}

RC_GTEST_PROP(StoreModelThreads, a_mapped_journal_answers_like_a_map_and_survives_being_killed,
              ()) {
  run(Durability::Process, true, Threads::Real);
}

#endif

}  // namespace
}  // namespace nexusfix::store
