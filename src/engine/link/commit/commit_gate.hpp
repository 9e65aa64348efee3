// The only component that knows the store: it appends records, and says which bytes may leave.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine.hpp>

#include "engine/ground/loop_context.hpp"
#include "store/api/journal.hpp"

namespace nexusfix::engine {

// Watches a disk that no message waits for (catalogue D16): reports when it has taken nothing of
// the log for longer than the configured bound.
class DiskWatch {
 public:
  // One look proves nothing: the machine may have been suspended before it.
  static constexpr int kLooks = 4;

  struct Change {
    bool is_stalled = false;  // false: the disk takes the log again
    std::chrono::nanoseconds since{0};
  };

  DiskWatch() = default;  // never reports
  explicit DiskWatch(std::chrono::nanoseconds bound) noexcept : bound_{bound} {}

  // When to look(); kNever: everything was on the disk.
  [[nodiscard]] MonoTime next() const noexcept { return next_; }

  // It watches the disk, and nothing was appended since everything was on the disk.
  [[nodiscard]] bool is_idle() const noexcept { return next_ == kNever && bound_.count() != 0; }
  // Something was appended, and it is idle.
  void begin(store::LogPosition synced, MonoTime now) noexcept { start(synced, now); }

  std::optional<Change> look(store::LogPosition synced, store::LogPosition appended,
                             MonoTime now) noexcept {
    if (now < next_) [[likely]]
      return std::nullopt;
    const bool is_on_disk = synced == appended;
    if (is_on_disk || synced != synced_) {
      const Change goes_on{.is_stalled = false, .since = now - since_};
      const bool was_reported = is_reported_;
      start(synced, now);
      if (is_on_disk) next_ = kNever;
      return was_reported ? std::optional{goes_on} : std::nullopt;
    }
    next_ = now + bound_ / kLooks;
    if (++looks_ < kLooks || is_reported_) return std::nullopt;
    is_reported_ = true;
    return Change{.is_stalled = true, .since = now - since_};
  }

 private:
  void start(store::LogPosition synced, MonoTime now) noexcept {
    synced_ = synced;
    since_ = now;
    next_ = now + bound_ / kLooks;
    looks_ = 0;
    is_reported_ = false;
  }

  std::chrono::nanoseconds bound_{0};  // 0: it is not watched
  store::LogPosition synced_ = 0;      // the disk has everything before it
  MonoTime since_ = MonoTime::min();   // since then it has taken nothing more
  MonoTime next_ = kNever;
  int looks_ = 0;
  bool is_reported_ = false;
};

class Recovery;

// The bytes that one callback may send in all; far below the largest record of a store.
inline constexpr std::size_t kTransactionBytesMax = 512U << 20U;

class CommitGate {
 public:
  enum class Health : std::uint8_t {
    Ok,
    Full,      // application messages are refused until there is room again
    Draining,  // application messages are refused until the end
    Failed,    // for ever: nothing is certain to be on the disk any more
    Ended,     // for ever, too: the loop has ended without memory; the store is sound
  };
  // Runs when the store has failed, once: all sessions end.
  struct FailureHandler {
    void (*call)(void* context, const store::StoreError& error);
    void* context;
  };

  CommitGate(LoopContext& loop, FailureHandler on_failure) noexcept
      : loop_{loop}, on_failure_{on_failure} {}
  ~CommitGate();
  CommitGate(const CommitGate&) = delete;
  CommitGate& operator=(const CommitGate&) = delete;

  // Must be called once, before all other functions. recovery: a standby's messages go there.
  [[nodiscard]] std::expected<void, EngineError> open(const Settings& settings, Recovery& recovery);

  // For everything but records: names, reads, resends. The caller may append through it, so the
  // next flush() asks the store.
  [[nodiscard]] store::Store& store() noexcept {
    loop_.work.set(Work::Unsettled);
    knows_end_ = false;
    return *store_;
  }
  [[nodiscard]] const store::Store& store() const noexcept { return *store_; }
  // Nothing is recorded any more.
  [[nodiscard]] bool has_failed() const noexcept { return health_ >= Health::Failed; }
  [[nodiscard]] std::chrono::nanoseconds stall_timeout() const noexcept { return stall_timeout_; }

  // Where the log ends.
  [[nodiscard]] store::LogPosition appended() const noexcept {
    return knows_end_ ? appended_ : store_->appended();
  }
  // The record is empty afterwards. An error: the caller must call fail().
  [[nodiscard, gnu::always_inline]] inline store::StoreResult<store::LogPosition> append(
      store::Transaction& record) {
    loop_.work.set(Work::Unsettled);
    auto appended = store_->append(record, loop_.now().wall);
    record.clear();
    knows_end_ = appended.has_value();
    if (knows_end_) appended_ = *appended;
    if (store_->after_append().is_durable) durable_ = appended_;
    return appended;
  }
  // Blocks the loop until the position is durable, the store has failed, or JournalStallTimeout (at
  // least 1 s) has passed.
  enum class Waited : std::uint8_t { Durable, TimedOut, Failed };
  [[nodiscard]] Waited wait_for(store::LogPosition position);
  // Whether an application message fits. After one refusal all are refused, until check() finds
  // room.
  [[nodiscard]] bool has_room_for(std::size_t bytes) {
    return health_ < Health::Full && (appended() + bytes <= store_->after_append().room_until ||
                                      store_->has_room_for(bytes) || becomes_full());
  }

  // From here on no application message fits.
  void begin_drain() noexcept {
    loop_.work.begin_drain();
    become(std::max(health_, Health::Draining));
  }
  [[nodiscard]] bool is_draining() const noexcept { return health_ == Health::Draining; }

  // Nothing was appended since the last flush(), and all that was appended before is durable.
  [[nodiscard]] bool is_settled() const noexcept { return !loop_.work.has(Work::Unsettled); }
  // Each appended record was durable at once, as mostly, and all bytes may leave: the end of the
  // log. 0: it is not known, and flush() is called.
  [[nodiscard, gnu::always_inline]] inline store::LogPosition flush_at_once() {
    if (has_failed() || !knows_end_ || durable_ != appended_ || stalled_until_ != kNever ||
        disk_watch_.is_idle()) [[unlikely]] {
      return 0;
    }
    flushed_to_ = appended_;
    publish_flushed(appended_);
    return appended_;
  }
  // Makes appended records durable, as far as the store can do it now. Bytes of records up to
  // `durable` may leave. False: the store has failed.
  [[nodiscard]] bool flush(store::LogPosition& durable);
  // Whether the store has made nothing durable for JournalStallTimeout: connections must not wait
  // for records after `durable` any longer.
  [[nodiscard]] bool has_stalled(store::LogPosition durable) {
    if (stalled_until_ == kNever && durable == flushed_to_) return false;
    return look_for_stall(durable);
  }
  // Whether flush() has something to do.
  [[nodiscard]] bool is_unflushed() const noexcept {
    return !is_settled() && !has_failed() && store_->appended() != flushed_to_;
  }
  [[nodiscard]] bool waits_for_disk() const noexcept {
    return !is_settled() && store_->appended() != store_->durable();
  }
  // True: the store lags. It wakes the loop when it continues.
  [[nodiscard]] bool is_waiting() const noexcept { return stalled_until_ != kNever; }

  // Reports the events of the store, also while nothing is appended.
  void check();
  void fail(const store::StoreError& error);
  void end() noexcept { become(Health::Ended); }

 private:
  [[nodiscard]] std::expected<void, EngineError> open_journal(const Settings& settings);
  [[nodiscard]] std::expected<void, EngineError> open_postgres(const Settings& settings,
                                                               Recovery& recovery);
  [[nodiscard]] std::expected<void, EngineError> open_of_program(const Settings& settings);
  void report_opened(const store::JournalReport& found, const std::string& folder);
  void report_power_loss(const store::JournalReport& found, const std::string& folder);
  bool becomes_full();
  void publish_flushed(store::LogPosition durable) noexcept {
    LoopContext& loop = loop_;  // read once: a figure could be it, as far as a compiler knows
    if (durable == flushed_to_) [[likely]]
      loop.work.clear(Work::Unsettled);
    loop.stats.store.appended.set(flushed_to_);
    loop.stats.store.durable.set(durable);
  }
  [[nodiscard]] bool look_for_stall(store::LogPosition durable);
  void check_slow_disk();
  void become(Health health) noexcept;
  void publish_health() noexcept;
  void publish_synced() noexcept;

  LoopContext& loop_;
  FailureHandler on_failure_;
  std::unique_ptr<store::Store> store_;
  Health health_ = Health::Ok;
  std::chrono::nanoseconds stall_timeout_{0};  // 0: the store never lags
  store::LogPosition stalled_at_ = 0;          // durable() has been this since the time-out began
  MonoTime stalled_until_ = kNever;            // kNever: the store does not lag
  bool is_stalled_ = false;                    // it has lagged for the whole time-out
  DiskWatch disk_watch_;
  store::LogPosition unsynced_from_ = 0;  // appended() at LoopCounters' unsynced_since
  store::LogPosition appended_ = 0;       // the end of the log, if knows_end_
  bool knows_end_ = false;                // nothing was appended by store() since
  store::LogPosition durable_ = 0;        // a record that was durable at once ends here
  store::LogPosition flushed_to_ = 0;     // what was appended before the last flush()
};

// Gives the application back the messages that it had sent: all of them when the store is open, or,
// in a standby, while another engine writes them.
class Recovery {
 public:
  explicit Recovery(LoopContext& loop) noexcept : loop_{loop} {}

  [[nodiscard]] bool is_wanted() const noexcept { return loop_.callbacks.on_recovered != nullptr; }
  // One message, in the order of the log. The application's exception passes.
  void take(const store::Store::LogMessage& stored);
  // Takes what the store has after the messages that were taken already.
  [[nodiscard]] std::expected<void, EngineError> finish(store::Store& store);
  // The error of the exception that is being handled.
  [[nodiscard]] static EngineError refused_by_application();

 private:
  LoopContext& loop_;
  std::uint64_t unreadable_ = 0;
};

}  // namespace nexusfix::engine
