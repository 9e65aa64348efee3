// The deferred layer: work that can be done later is handed to another thread, for a few
// nanoseconds.
//
// What it is: queues between two threads (SpscQueue of slots, RecordQueue of bytes), and a
// processor that passes submitted records to a callback in the background. nexusfix::logger has a
// logger that makes its text there. For persistence that may lag, audit, drop copies, metrics.
// What it is not: it knows no FIX and reads no clock. Never defer order acknowledgements, changes
// of a session's state or rejects: they must be complete before the counterparty is notified of
// them.
//
// Threads: one thread submits, one thread of this layer consumes; each type says which calls any
// thread may make. Two threads that submit need two queues.
// Allocation: at construction and start. Afterwards only WhenFull::Spill and the logger's
// background thread allocate. Errors are values; constructors throw std::bad_alloc.
//
//   deferred::DeferredProcessor<deferred::MessageBuffer<512>, 65'536> audit{
//       {.when_full = deferred::WhenFull::Refuse, .idle = deferred::Idle::Sleep}};
//   auto started = audit.start([&](const auto& m) {
//     file.write(m.span().data(), m.span().size());
//   });
//   if (!audit.submit(bytes, now)) ++refused;  // counted in stats(), too
//   audit.stop();                              // drains
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/deferred/spsc_queue.hpp>

// One message, with the time at which it was submitted.

namespace nexusfix::deferred {

// Room for at most BytesMax bytes, of any content. One thread at a time; nothing allocates.
template <std::size_t BytesMax>
class alignas(kCacheLineBytes) MessageBuffer {
  static_assert(BytesMax > 0 && BytesMax <= std::numeric_limits<std::uint32_t>::max());

 public:
  static constexpr std::size_t kBytesMax = BytesMax;  // the longest message, in bytes

  // Leaves the bytes uninitialised: with "= default", value-initialisation would zero them.
  MessageBuffer() noexcept {}

  // Copies only the bytes in use.
  MessageBuffer(const MessageBuffer& other) noexcept { *this = other; }
  // Copies only the bytes in use.
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): memmove() copies bytes onto themselves
  MessageBuffer& operator=(const MessageBuffer& other) noexcept {
    time_ = other.time_;
    size_ = other.size_;
    std::memmove(bytes_, other.bytes_, size_);
    return *this;
  }

  // Copies a message. False, without a change, if it has more than BytesMax bytes: nothing is ever
  // truncated.
  [[nodiscard]] bool assign(std::string_view bytes, WallTime time) noexcept {
    if (bytes.size() > BytesMax) [[unlikely]]
      return false;
    time_ = time;
    size_ = static_cast<std::uint32_t>(bytes.size());
    // An empty view may have a null pointer, which memcpy must not see.
    if (!bytes.empty()) std::memcpy(bytes_, bytes.data(), bytes.size());
    return true;
  }

  // The message. Valid until the buffer is assigned to or destroyed.
  [[nodiscard]] std::span<const char> span() const noexcept { return {bytes_, size_}; }
  // The bytes as text.
  [[nodiscard]] std::string_view bytes() const noexcept { return {bytes_, size_}; }
  // The time that assign() got; 0 before it is called.
  [[nodiscard]] WallTime time() const noexcept { return time_; }
  // The number of bytes from the object's first byte to the last byte of the message. The bytes
  // after it are never read: in a DeferredProcessor the next message begins there.
  [[nodiscard]] std::size_t used_bytes() const noexcept { return kHeaderBytes + size_; }

 private:
  static constexpr std::size_t kCopyAlignmentBytes = 32;
  static constexpr std::size_t kHeaderBytes = kCopyAlignmentBytes;
  static_assert(kHeaderBytes >= sizeof(WallTime) + sizeof(std::uint32_t));

  WallTime time_{};
  std::uint32_t size_ = 0;
  // Aligned, so that no move of this width crosses a cache line.
  alignas(kCopyAlignmentBytes) char bytes_[BytesMax];
};

}  // namespace nexusfix::deferred

// The records of a DeferredProcessor that found no room in its ring, in order.

namespace nexusfix::deferred::detail {

// A list of records under a lock. One producer appends; one consumer takes all records.
template <class T>
class SpillList {
 public:
  struct Node {
    T record;
    Node* next = nullptr;
  };

  // The taken records, oldest first; each is freed after it is handled.
  class Taken {
   public:
    Taken(SpillList& list, Node* first) noexcept : list_{list}, first_{first} {}
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    ~Taken() {
      while (first_ != nullptr) drop_front();
    }

    [[nodiscard]] T* front() noexcept { return first_ == nullptr ? nullptr : &first_->record; }
    void drop_front() noexcept {
      delete std::exchange(first_, first_->next);
      // Relaxed: a bound on memory, which carries no data.
      list_.count_.fetch_sub(1, std::memory_order_relaxed);
    }

   private:
    SpillList& list_;
    Node* first_;
  };

  SpillList() = default;
  SpillList(const SpillList&) = delete;
  SpillList& operator=(const SpillList&) = delete;
  ~SpillList() { Taken{*this, first_}; }

  // Any thread: the number of records, including those that are being handled.
  [[nodiscard]] std::size_t count() const noexcept {
    // Relaxed: a thread that acts on it takes the lock, or knows of the record by other means.
    return count_.load(std::memory_order_relaxed);
  }

  // Producer. Whether the consumer has taken everything. Once true, it stays true until append().
  [[nodiscard]] bool empty() noexcept {
    const std::lock_guard lock{mutex_};
    return first_ == nullptr;
  }
  // Producer.
  void append(std::unique_ptr<Node> node) noexcept {
    const std::lock_guard lock{mutex_};
    // Relaxed: published by the lock, and by the submit that this is a part of.
    count_.fetch_add(1, std::memory_order_relaxed);
    (first_ == nullptr ? first_ : last_->next) = node.get();
    last_ = node.release();
  }

  // Consumer. Takes everything, unless ring_is_empty() returns false: the ring has older records
  // then. It is called under the lock, where everything is visible that went into the ring before
  // the first append().
  template <class RingIsEmpty>
  [[nodiscard]] Taken consume_if(RingIsEmpty&& ring_is_empty) noexcept {
    const std::lock_guard lock{mutex_};
    return {*this, ring_is_empty() ? std::exchange(first_, nullptr) : nullptr};
  }

 private:
  std::mutex mutex_;
  Node* first_ = nullptr;
  Node* last_ = nullptr;
  std::atomic<std::size_t> count_{0};
};

}  // namespace nexusfix::deferred::detail

// The background thread of this layer: how it idles, how it is woken, and how it stops without a
// loss.

namespace nexusfix::deferred {

// What the consumer does while the queue is empty.
enum class Idle : std::uint8_t {
  Spin,   // looks again after some microseconds: needs its own core
  Yield,  // looks again after the other threads of its core have run
  // After some time without work it sleeps until it is woken. This costs nothing while idle, and a
  // system call for the submit that finds it asleep.
  Sleep,
  // Looks again after 1 ms, and after up to 16 ms while the queue is empty. Submit never makes a
  // system call, and a record may wait that long.
  Doze,
};

// Why a background thread did not start.
enum class StartError : std::uint8_t {
  AlreadyRunning,  // it runs already, and goes on
  NoThread,        // the operating system refused to create a thread
};

namespace detail {

// The owner has a queue, and puts begin_submit() and end_submit() around each use of it as its
// producer.
//
// Threads: one producer calls begin_submit and end_submit. Any thread may call start and stop at
// any time; stop called by the round itself requests the stop and does not wait. Only start
// allocates. Nothing throws.
class ConsumerThread {
 public:
  // What the thread does.
  struct Work {
    // Handles all or a part of the queue. Returns whether there was anything. Never null.
    bool (*round)(void* object) noexcept = nullptr;
    // Called once, after the thread was stopped and the queue is empty; may be null.
    void (*finish)(void* object) noexcept = nullptr;
    void* object = nullptr;  // the argument of both; must live until stop() returns
  };

  // idle: what the thread does while the queue is empty. Creates no thread yet.
  explicit ConsumerThread(Idle idle) noexcept : idle_{idle} {}
  ConsumerThread(const ConsumerThread&) = delete;
  ConsumerThread& operator=(const ConsumerThread&) = delete;
  // Stops. The work's object must still exist, so its owner calls stop() first.
  ~ConsumerThread() { stop(); }

  // Runs the work on a new thread from now on. The thread has all signals blocked and its creator's
  // CPU affinity. May be called again after stop().
  [[nodiscard]] std::expected<void, StartError> start(const Work& work) noexcept;

  // From now on begin_submit() fails. Returns when everything that was submitted has been handled
  // and the thread has ended. Does nothing if the thread does not run.
  void stop() noexcept;

  // Producer, before it queues a record. False: the thread does not run, and nothing may be queued.
  // True: what is queued before end_submit() will be handled; stop() waits between the two.
  [[nodiscard]] bool begin_submit() noexcept {
    // Relaxed: a barrier orders this store before the load. stop() makes this thread pass it,
    // between its own store to signal_ and its load of submitting_. So either the load sees
    // kClosed, or the consumer sees submitting_ and does not end before end_submit(). The signal
    // fence keeps the compiler from reordering.
    submitting_.store(1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    // Acquire pairs with the release in start(): its setup is visible.
    const std::uint32_t signal = signal_.load(std::memory_order_acquire);
    if ((signal & (kClosed | kBarriersInSubmit)) == 0) [[likely]]
      return true;
    return begin_submit_slowly();
  }
  // Producer, after it has queued the record. Makes a system call only to wake a thread that sleeps
  // (Idle::Sleep).
  void end_submit() noexcept {
    // Release pairs with the acquire in run(): a consumer that sees 0 sees what was queued.
    submitting_.store(0, std::memory_order_release);
    // Relaxed: a barrier orders the load after the store of the queue's index. The consumer makes
    // this thread pass it, between setting kAsleep and its last look at the queue: either the load
    // sees kAsleep, or the consumer sees the record.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const std::uint32_t signal = signal_.load(std::memory_order_relaxed);
    if ((signal & (kAsleep | kBarriersInSubmit)) != 0) [[unlikely]]
      end_submit_slowly();
  }

 private:
  // Bits of signal_, the word that the consumer sleeps on.
  static constexpr std::uint32_t kClosed = 1;
  static constexpr std::uint32_t kAsleep = 2;
  // The operating system has no asymmetric barrier: each submit executes a full barrier.
  static constexpr std::uint32_t kBarriersInSubmit = 4;

  [[nodiscard]] bool begin_submit_slowly() noexcept;
  void end_submit_slowly() noexcept;
  void run() noexcept;
  void idle_once(std::uint32_t& rounds_without_work) noexcept;
  void sleep() noexcept;
  void doze(std::uint32_t& rounds_without_work) noexcept;
  void wake() noexcept;
  void request_stop() noexcept;
  [[nodiscard]] bool create_thread() noexcept;

  // Written rarely, read by the producer for every record.
  alignas(kApartBytes) std::atomic<std::uint32_t> signal_{kClosed};
  Idle idle_;
  // Written by the producer for every record.
  alignas(kApartBytes) std::atomic<std::uint32_t> submitting_{0};
  // Read and written rarely.
  alignas(kApartBytes) std::atomic<bool> draining_{false};
  std::atomic<std::thread::id> consumer_id_{};
  Work work_;
  std::mutex control_;  // serializes start and stop
  std::thread thread_;
};

// Calls `call` and returns true, or false if it threw. This is the only place of the layer that
// catches exceptions of a user's code, and therefore compiled with exceptions.
[[nodiscard]] bool returns_normally(FunctionRef<void()> call) noexcept;

// Pauses the core for a moment: for loops that wait for another thread.
void relax() noexcept;

}  // namespace detail

// Work that can be done later, done in order by a background thread.

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
    typename Spill::Taken taken = spill_.consume_if([this] { return ring_.empty(); });
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
  detail::ConsumerThread thread_;
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
