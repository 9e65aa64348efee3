// What was appended and is not confirmed yet: between the store's caller and the thread that sends
// it to the server.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cluster/postgres/batch.hpp"
#include "cluster/postgres/position_marker.hpp"
#include "store/api/event_queue.hpp"
#include "store/api/postgres_part.hpp"
#include "store/api/session_table.hpp"

namespace nexusfix::store::postgres {

// A descriptor that another thread makes readable.
class Signal {
 public:
  Signal();
  ~Signal();
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  void raise() noexcept;
  void clear() noexcept;
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_ = -1;
};

class LogQueue {
 public:
  // sessions: as they are in the database, whose log ends at this position. lagging: what their
  // rows lack of it.
  LogQueue(const PostgresOptions& options, SessionTable sessions, LogPosition position,
           LaggingRows lagging = {});

  // For the caller's thread.
  [[nodiscard]] const SessionTable& sessions() const noexcept { return sessions_; }
  // Waits for room. TooLarge, Refused: nothing changed.
  [[nodiscard]] StoreResult<LogPosition> append(std::span<const char> entries, WallTime now);
  [[nodiscard]] LogPosition appended() const noexcept { return appended_; }
  [[nodiscard]] LogPosition durable() const noexcept {
    // Pairs with the release in confirm(): a thread that sees the position finds its rows on the
    // server.
    return durable_.load(std::memory_order_acquire);
  }
  // Leaves room for what cannot be refused. For more bytes than fit at all: whether plenty of room
  // is left.
  [[nodiscard]] bool has_room_for(std::uint64_t bytes) const noexcept {
    const std::uint64_t most = options_.pending_bytes_max;
    return appended_ - durable() + std::min(bytes, most / 4) <= most - most / 4;
  }
  // Whether append() of this number of bytes need not wait.
  [[nodiscard]] bool takes_at_once(std::uint64_t bytes) const noexcept {
    const LogPosition waiting = appended_ - durable();
    return waiting == 0 || waiting + bytes <= options_.pending_bytes_max;
  }
  // Asks for what was appended so far to be sent. Returns durable().
  [[nodiscard]] StoreResult<LogPosition> flush();
  [[nodiscard]] StoreResult<void> wait_until_durable();
  // Waits as long as the server confirms something within each such time.
  [[nodiscard]] StoreResult<void> wait_while_confirmed(std::chrono::milliseconds limit);
  void close();
  // The error that fail() was called with; any thread.
  [[nodiscard]] std::optional<StoreError> cause() const;
  [[nodiscard]] std::optional<StoreEvent> next_event() { return events_.take(); }
  // What the server may not have yet, in the order of the log: the batches, and durable() as it was
  // before all of them. Valid until the next append() or flush().
  struct Pending {
    LogPosition durable = 0;
    std::vector<const Batch*> batches;
  };
  [[nodiscard]] Pending pending();

  // For the sending thread. The next batch to send, which does not change until it is confirmed;
  // null: there is none.
  [[nodiscard]] Batch* take();
  // Everything that was taken and not confirmed will be taken again.
  void rewind();
  // Whether the server's log may end there: at durable(), or where a batch ends.
  [[nodiscard]] bool may_end_at(LogPosition position);
  // The server's log reaches this position, at which it may end.
  void confirm(LogPosition position);
  // The end of the batch that was taken and begins there.
  [[nodiscard]] LogPosition end_from(LogPosition begin);
  [[nodiscard]] bool has_unconfirmed();
  // From here on nothing is durable before it is recorded there. Null: nothing is recorded.
  void set_marker(PositionMarker* marker);
  void set_timeline(std::uint32_t timeline);
  void fail(StoreError error);
  // Gives the caller an event, by next_event().
  void report(EventId id, std::string text);
  // Readable when there may be a batch to take; the sending thread clears it first.
  [[nodiscard]] Signal& work() noexcept { return work_; }

 private:
  [[nodiscard]] std::optional<StoreError> failure() const;
  void record_confirmed(LogPosition position);
  void seal_open();
  void wake();

  const PostgresOptions& options_;
  SessionTable sessions_;     // changed under the mutex, by the caller's thread
  LogPosition appended_ = 0;  // likewise
  LogEnd log_;                // with everything in open_; changed under the mutex
  std::atomic<LogPosition> durable_{0};
  std::atomic<bool> has_failed_{false};
  std::atomic<bool> is_wake_wanted_{false};
  Signal work_;
  EventQueue events_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;  // durable(), or the failure
  std::optional<StoreError> failure_;
  bool is_flush_wanted_ = false;
  bool is_closed_ = false;
  PositionMarker* marker_ = nullptr;
  std::unique_ptr<Batch> open_;                    // the batch that append() adds to
  std::vector<std::unique_ptr<Batch>> sealed_;     // in the order of the log
  std::size_t taken_ = 0;                          // of sealed_, from the first on
  std::vector<std::unique_ptr<Batch>> confirmed_;  // pending() may still refer to them
  std::vector<std::unique_ptr<Batch>> free_;
};

}  // namespace nexusfix::store::postgres
