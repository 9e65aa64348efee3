// The background thread of this layer: how it idles, how it is woken, and how it stops without a
// loss.
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <mutex>
#include <thread>

#include <nexusfix/base/function_ref.hpp>
#include <nexusfix/deferred/cache_line.hpp>

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

namespace detail {

// Calls `call` and returns true, or false if it threw. This is the only place of the layer that
// catches exceptions of a user's code, and therefore compiled with exceptions.
[[nodiscard]] bool returns_normally(FunctionRef<void()> call) noexcept;

// Pauses the core for a moment: for loops that wait for another thread.
void relax() noexcept;

}  // namespace detail

}  // namespace nexusfix::deferred
