// Work that can be done later, done in order by a background thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>
#include <utility>

#include <nexusfix/deferred/buffer_ring.hpp>
#include <nexusfix/deferred/cache_line.hpp>
#include <nexusfix/deferred/consumer_thread.hpp>
#include <nexusfix/deferred/spill_list.hpp>

namespace nexusfix::deferred {

// What submit does when the ring is full.
enum class WhenFull : std::uint8_t {
  Refuse,  // returns an error; the caller still has the record
  // Blocks until there is room: no record is lost, but the caller is as slow as the callback.
  Wait,
  Spill,  // appends the record to a list on the heap, in order, up to a limit; then refuses
};

// Why submit did not take a record. The caller still has it.
enum class SubmitError : std::uint8_t {
  Full,        // the ring is full, and the list of WhenFull::Spill has no room either
  TooLong,     // the record does not fit into a Buffer; nothing is ever truncated
  NotRunning,  // not started, or stopped
};

// The options of a DeferredProcessor.
struct DeferredOptions {
  WhenFull when_full = WhenFull::Refuse;  // what submit does when the ring is full
  Idle idle = Idle::Sleep;                // what the background thread does without work
  // WhenFull::Spill: the maximum of records in the list, including those that are being handled.
  std::size_t spilled_max = std::size_t{1} << 20U;
};

// Counted since construction. accepted == processed + failed + the records that wait.
struct DeferredStats {
  std::uint64_t accepted = 0;             // submit returned without error
  std::uint64_t processed = 0;            // the callback returned
  std::uint64_t failed = 0;               // the callback threw
  std::uint64_t spilled = 0;              // of accepted: went through the list
  std::uint64_t waited = 0;               // of accepted: submit had to wait for room
  std::uint64_t refused_full = 0;         // submit returned SubmitError::Full
  std::uint64_t refused_too_long = 0;     // submit returned SubmitError::TooLong
  std::uint64_t refused_not_running = 0;  // submit returned SubmitError::NotRunning
};

// A ring of Capacity Buffers, and a thread that passes each to a callback, in order. Every accepted
// record is handled: stop() and the destructor return after the last one.
//
// Buffer: default-constructible without throwing, with bool assign(Arguments...) noexcept, which
// submit() calls; false means TooLong. MessageBuffer is one. If it has std::size_t used_bytes()
// const noexcept, from 1 to its sizeof, the ring stores only these first bytes of it: neither the
// buffer nor a copy may read the bytes after them, and its destructor must be trivial.
//
// Threads: one producer submits. Any thread may call start, stop and stats at any time. The
// callback runs on the background thread; it must not submit to its own processor or start it, and
// may call stop (which then does not wait). The constructor and start allocate; submit only when it
// spills. Only the constructor throws (std::bad_alloc); a callback that throws is counted, and the
// next record is handled.
//
//   DeferredProcessor<MessageBuffer<512>, 65'536> audit{{.when_full = WhenFull::Refuse}};
//   auto started = audit.start([&](const auto& message) { write(message.span()); });
//   if (!audit.submit(bytes, now)) ++refused;  // counted in stats(), too
//   audit.stop();                              // drains
template <class Buffer, std::size_t Capacity>
class DeferredProcessor {
 public:
  // Allocates the ring. Records are accepted after start().
  explicit DeferredProcessor(const DeferredOptions& options = {})
      : thread_{options.idle}, when_full_{options.when_full}, spilled_max_{options.spilled_max} {}
  DeferredProcessor(const DeferredProcessor&) = delete;
  DeferredProcessor& operator=(const DeferredProcessor&) = delete;
  // As stop().
  ~DeferredProcessor() { stop(); }

  // callback(const Buffer&) is called for each record from now on. It is moved to the heap and
  // stays there until the next start() or the destructor. AlreadyRunning keeps the first callback.
  template <class Callback>
  std::expected<void, StartError> start(Callback&& callback) {
    using Kept = std::decay_t<Callback>;
    static_assert(std::is_invocable_v<Kept&, const Buffer&>);
    const std::lock_guard lock{starting_};
    auto run = std::make_unique<RunOf<Kept>>(*this, std::forward<Callback>(callback));
    Run* const started = run.get();
    const std::expected<void, StartError> result =
        thread_.start({.round = &handle_round, .object = started});
    // Only now: start() has joined a thread that ran with the earlier callback.
    if (result) run_ = std::move(run);
    return result;
  }

  // Handles all accepted records, then ends the thread. Does nothing if it does not run.
  void stop() noexcept { thread_.stop(); }

  // Submits a record: buffer.assign(arguments...). After an error the record was not taken. Blocks
  // only with WhenFull::Wait; makes a system call only to wake a consumer that sleeps.
  //
  // Always inlined: to pass the arguments in memory costs more than the work itself.
  template <class... Arguments>
  [[nodiscard, gnu::always_inline]] std::expected<void, SubmitError> submit(
      Arguments&&... arguments) noexcept {
    static_assert(noexcept(std::declval<Buffer&>().assign(arguments...)));
    if (!thread_.begin_submit()) [[unlikely]] {
      return refused(refused_not_running_, SubmitError::NotRunning);
    }
    Buffer* slot = spilling_ ? nullptr : ring_.claim();
    if (slot == nullptr) [[unlikely]] {
      slot = wait_or_go_back();
      if (slot == nullptr) return spill_or_refuse(arguments...);
    }
    if (!slot->assign(std::forward<Arguments>(arguments)...)) [[unlikely]] {
      thread_.end_submit();
      return refused(refused_too_long_, SubmitError::TooLong);
    }
    ring_.commit();
    thread_.end_submit();
    return {};
  }

  // The counts. Any thread. Each value was right a moment ago; all are exact while neither side
  // works.
  [[nodiscard]] DeferredStats stats() const noexcept {
    DeferredStats stats;
    // Acquire, and the handled records before the accepted ones: the first is never larger.
    stats.processed = processed_.load(std::memory_order_acquire);
    stats.failed = failed_.load(std::memory_order_acquire);
    stats.spilled = spilled_.load(std::memory_order_relaxed);
    stats.accepted = ring_.pushed() + stats.spilled;
    stats.waited = waited_.load(std::memory_order_relaxed);
    stats.refused_full = refused_full_.load(std::memory_order_relaxed);
    stats.refused_too_long = refused_too_long_.load(std::memory_order_relaxed);
    stats.refused_not_running = refused_not_running_.load(std::memory_order_relaxed);
    return stats;
  }

 private:
  using Spill = detail::SpillList<Buffer>;
  // Each counter has one writer, so it needs no read-modify-write. Any thread reads them. Relaxed:
  // they publish nothing else.
  using Counter = std::atomic<std::uint64_t>;

  // The number of slots that are released to the producer at a time.
  static constexpr std::size_t kBatch = std::min<std::size_t>(64, Capacity);

  // The callback. One indirect call for a batch.
  struct Run {
    explicit Run(DeferredProcessor& its_owner) noexcept : owner{its_owner} {}
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    virtual ~Run() = default;
    // Calls the callback for each buffer, and drops each after the call has returned.
    virtual void handle(detail::Buffers<Buffer>& buffers) = 0;
    DeferredProcessor& owner;
  };
  template <class Callback>
  struct RunOf final : Run {
    template <class Given>
    RunOf(DeferredProcessor& its_owner, Given&& given)
        : Run{its_owner}, callback{std::forward<Given>(given)} {}
    void handle(detail::Buffers<Buffer>& buffers) override {
      for (; buffers.count() != 0; buffers.drop_front()) callback(std::as_const(*buffers.front()));
    }
    Callback callback;
  };

  static void count_one(Counter& counter) noexcept { add(counter, 1); }
  static void add(Counter& counter, std::uint64_t count) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
  [[nodiscard]] static std::unexpected<SubmitError> refused(Counter& counter,
                                                            SubmitError error) noexcept {
    count_one(counter);
    return std::unexpected{error};
  }

  // Producer, while the ring is or was full: a slot that is free now, or null for
  // spill_or_refuse().
  [[nodiscard]] Buffer* wait_or_go_back() noexcept {
    if (when_full_ == WhenFull::Refuse) return nullptr;
    if (when_full_ == WhenFull::Spill) {
      // Back to the ring only after the consumer has taken the list: it handles that before it
      // looks at the ring again.
      if (!spilling_ || !spill_.empty()) return nullptr;
      Buffer* const slot = ring_.claim();
      spilling_ = slot == nullptr;
      return slot;
    }
    count_one(waited_);
    for (unsigned round = 0;; ++round) {
      if (Buffer* const slot = ring_.claim()) return slot;
      // stop() does not end this wait: it waits for this submit, and its consumer makes room.
      constexpr unsigned kSpinRounds = 256;
      if (round < kSpinRounds) {
        detail::relax();
      } else {
        std::this_thread::yield();
      }
    }
  }

  template <class... Arguments>
  [[nodiscard]] std::expected<void, SubmitError> spill_or_refuse(Arguments&... arguments) noexcept {
    std::unique_ptr<typename Spill::Node> node;
    if (when_full_ == WhenFull::Spill && spill_.count() < spilled_max_) {
      node.reset(new (std::nothrow) typename Spill::Node{});
    }
    if (node == nullptr) {
      thread_.end_submit();
      return refused(refused_full_, SubmitError::Full);
    }
    if (!node->record.assign(arguments...)) {
      thread_.end_submit();
      return refused(refused_too_long_, SubmitError::TooLong);
    }
    count_one(spilled_);
    spill_.append(std::move(node));
    spilling_ = true;
    thread_.end_submit();
    return {};
  }

  // Consumer.
  static bool handle_round(void* object) noexcept {
    Run& run = *static_cast<Run*>(object);
    DeferredProcessor& owner = run.owner;
    detail::Buffers<Buffer> buffers = owner.ring_.readable(kBatch);
    const std::size_t count = buffers.count();
    if (count != 0) {
      owner.handle(run, buffers);
      owner.ring_.release(count, buffers);
      return true;
    }
    return owner.spill_.count() != 0 && owner.handle_spilled(run);
  }
  [[nodiscard]] bool handle_spilled(Run& run) noexcept {
    typename Spill::Taken taken = spill_.take_if([this] { return ring_.empty(); });
    const bool any = taken.front() != nullptr;
    while (Buffer* const record = taken.front()) {
      detail::Buffers<Buffer> only{*record};
      handle(run, only);
      taken.drop_front();
    }
    // If nothing was taken, the ring is not empty, or there is nothing to do.
    return any || !ring_.empty();
  }
  void handle(Run& run, detail::Buffers<Buffer>& buffers) noexcept {
    const std::size_t count = buffers.count();
    std::size_t thrown = 0;
    while (!detail::returns_normally([&] { run.handle(buffers); })) {
      buffers.drop_front();
      ++thrown;
    }
    if (thrown != 0) add(failed_, thrown);
    // Release pairs with stats(): a thread that sees these processed sees them accepted, too.
    processed_.store(processed_.load(std::memory_order_relaxed) + count - thrown,
                     std::memory_order_release);
  }

  detail::BufferRing<Buffer, Capacity> ring_;
  ConsumerThread thread_;
  // Read by the producer for each record; rarely written by it.
  WhenFull when_full_;
  bool spilling_ = false;
  std::size_t spilled_max_;
  Counter spilled_{0};
  Counter waited_{0};
  Counter refused_full_{0};
  Counter refused_too_long_{0};
  Counter refused_not_running_{0};
  // Written by the consumer.
  alignas(kApartBytes) Counter processed_{0};
  Counter failed_{0};
  Spill spill_;
  std::mutex starting_;  // guards run_
  std::unique_ptr<Run> run_;
};

}  // namespace nexusfix::deferred
