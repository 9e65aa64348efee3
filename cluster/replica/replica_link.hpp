// The thread that keeps the replica: it pumps a pipeline, makes a new one when that has ended, and
// says how far the replica is.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/store/journal_replica.hpp>

#include "cluster/replica/lag_watch.hpp"
#include "cluster/replica/pipeline.hpp"
#include "store/api/journal_cursor.hpp"
#include "store/write/event_queue.hpp"

namespace nexusfix::store::replica {

class ReplicaLink {
 public:
  ReplicaLink(Disk& disk, JournalReplicaOptions options);
  ~ReplicaLink();  // what is not replicated stays in the journal
  ReplicaLink(const ReplicaLink&) = delete;
  ReplicaLink& operator=(const ReplicaLink&) = delete;

  // Connects, and begins to catch up. The journal is open. Errors: as open_replicated_journal().
  [[nodiscard]] StoreResult<void> open(const Store& journal);
  // After open(): by session key, as Pipeline::next_at_open().
  [[nodiscard]] const std::vector<std::uint64_t>& next_at_open() const noexcept {
    return next_at_open_;
  }

  // For the thread that appends. What the journal has as durable, which is to be replicated.
  void publish(LogPosition readable) noexcept {
    if (readable_.load(std::memory_order_relaxed) == readable) return;
    readable_.store(readable);
    if (is_asleep_.load() && is_asleep_.exchange(false)) signal_.raise();
  }
  // The replica has all of the journal before this position. One atomic load.
  [[nodiscard]] LogPosition replicated() const noexcept {
    return replicated_.load(std::memory_order_acquire);  // Pairs with the release in move_to().
  }
  // The next move of replicated() calls JournalOptions::on_durable. Call it before replicated().
  void want_wake() noexcept { is_wake_wanted_.store(true); }
  // It is final. At most one atomic load if there is none.
  [[nodiscard]] std::optional<StoreError> failure() const;
  [[nodiscard]] std::optional<StoreEvent> take_event();
  void report(EventId id, std::string text);
  // Waits until the replica has the journal up to this end, as long as it moves, and ends the
  // thread. is_all: nothing comes after it; the replica is recorded as complete then.
  [[nodiscard]] StoreResult<void> close(LogPosition end, bool is_all);

  // Any thread.
  [[nodiscard]] ReplicaFigures figures() const noexcept;

 private:
  void run();
  void turn();
  [[nodiscard]] StoreResult<void> pump();
  void make_again();
  void on_error(const StoreError& error);
  void fail(StoreError error);
  void move_to(LogPosition replicated) noexcept;
  void pass_events();
  void save_cursor();
  void watch_lag();
  void sleep();
  [[nodiscard]] bool wait_for_signal(std::chrono::milliseconds limit);
  void wake() noexcept;
  void stop();
  [[nodiscard]] bool is_strict() const noexcept { return options_.policy == ReplicaPolicy::Strict; }
  [[nodiscard]] Wake progress_wake() noexcept;

  Disk& disk_;
  const JournalReplicaOptions options_;
  std::atomic<LogPosition> readable_{0};
  std::atomic<LogPosition> replicated_{0};
  std::atomic<bool> is_asleep_{false};
  std::atomic<bool> is_wake_wanted_{false};
  std::atomic<bool> is_closing_{false};
  std::atomic<bool> is_stopping_{false};
  std::atomic<bool> has_failed_{false};
  EventQueue events_;
  mutable std::mutex mutex_;
  StoreError failure_;  // guarded by the mutex
  LagWatch lag_;
  postgres::Signal signal_;           // there is something to do
  postgres::Signal moved_;            // replicated_, while it is closing
  postgres::Signal stop_;             // ends each wait
  std::optional<CursorFile> cursor_;  // keeps the segments that the replica needs
  std::optional<JournalCursor> unsaved_;
  std::vector<std::uint64_t> next_at_open_;
  Former former_;
  // Only the thread uses it, between open() and close().
  struct Attempts {
    LogPosition seen = 0;  // replicated() at the last look
    MonoTime moved_at{};   // when it has moved last, or was not late
    std::chrono::milliseconds pause{0};
    std::string last_error;  // that was reported; empty: none since it works
    int idle_looks = 0;      // at a journal that says that it has more
  };
  Attempts attempts_;
  // The pipeline's threads call progress_wake() for as long as it lives.
  std::atomic<Pipeline*> shown_{nullptr};
  std::unique_ptr<Pipeline> pipeline_;
  std::thread thread_;  // the last member: it uses others
};

}  // namespace nexusfix::store::replica
