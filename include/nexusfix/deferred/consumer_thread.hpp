// The background thread of this layer: how it idles, how it is woken, and how it stops without
// losing anything.
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <mutex>
#include <thread>

#include <nexusfix/base/function_ref.hpp>
#include <nexusfix/deferred/cache_line.hpp>

namespace nexusfix::deferred {

// What a consumer does while there is nothing to do.
enum class Idle : std::uint8_t {
  Spin,   // looks again after some microseconds: for a core of its own
  Yield,  // looks again after every other thread that wants its core has had a turn
  Sleep,  // after some time without work sleeps until it is woken: costs nothing while idle, and
          // the submit that finds it asleep a system call
  Doze,   // looks again after a millisecond, and after up to 16 while there is nothing: no submit
          // ever makes a system call, and what is submitted may wait so long
};

enum class StartError : std::uint8_t {
  AlreadyRunning,
  NoThread,  // the operating system refused to make one
};

// What is built on it holds a queue, and frames each use of it as its producer by begin_submit()
// and end_submit().
//
// Threads: one producer calls begin_submit and end_submit. start and stop may be called by any
// thread at any time; stop from the round itself asks the thread to stop and does not wait.
// Nothing allocates but start. Nothing throws.
class ConsumerThread {
 public:
  struct Work {
    // Handles what is queued, or a part of it, and returns whether there was anything.
    bool (*round)(void* object) noexcept = nullptr;
    // Called once, when the thread has been stopped and nothing is queued any more; may be null.
    void (*finish)(void* object) noexcept = nullptr;
    void* object = nullptr;
  };

  explicit ConsumerThread(Idle idle) noexcept : idle_{idle} {}
  ConsumerThread(const ConsumerThread&) = delete;
  ConsumerThread& operator=(const ConsumerThread&) = delete;
  // Stops. The work's object must still be there, so that its owner calls stop() first.
  ~ConsumerThread() { stop(); }

  // The work is done on a thread of its own from now on, which has all signals blocked and its
  // creator's CPU affinity. May be called again after stop().
  [[nodiscard]] std::expected<void, StartError> start(const Work& work) noexcept;

  // From now on begin_submit() fails. Returns when all that was submitted has been handled and the
  // thread is gone. Without effect if it does not run.
  void stop() noexcept;

  // Producer. False: not started or stopped. True: whatever is queued before end_submit() will be
  // handled; between the two, stop() waits.
  [[nodiscard]] bool begin_submit() noexcept {
    // Relaxed: what orders this store before the load is the barrier that stop() makes this thread
    // pass between its own store to signal_ and its load of submitting_. So either the load sees
    // kClosed, or the consumer sees submitting_ and does not end before end_submit(). The compiler
    // is kept from reordering by the signal fence.
    submitting_.store(1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    // Acquire pairs with start()'s release: what start() set up is there.
    const std::uint32_t signal = signal_.load(std::memory_order_acquire);
    if ((signal & (kClosed | kBarriersInSubmit)) == 0) [[likely]]
      return true;
    return begin_submit_slowly();
  }
  void end_submit() noexcept {
    // Release pairs with the consumer's acquire in run(): who sees 0 sees what was queued.
    submitting_.store(0, std::memory_order_release);
    // Relaxed, and ordered behind the queue's index by the barrier that the consumer makes this
    // thread pass between setting kAsleep and looking at the queue for the last time: either the
    // load sees kAsleep, or the consumer sees the record.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const std::uint32_t signal = signal_.load(std::memory_order_relaxed);
    if ((signal & (kAsleep | kBarriersInSubmit)) != 0) [[unlikely]]
      end_submit_slowly();
  }

 private:
  // Bits of signal_, the word that the consumer sleeps on.
  static constexpr std::uint32_t kClosed = 1;
  static constexpr std::uint32_t kAsleep = 2;
  // The operating system has no asymmetric barrier: submit pays for one of its own.
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
  // Neither.
  alignas(kApartBytes) std::atomic<bool> draining_{false};
  std::atomic<std::thread::id> consumer_id_{};
  Work work_;
  std::mutex control_;  // start and stop, one at a time
  std::thread thread_;
};

namespace detail {

// Calls call and tells whether it returned normally, true, or threw, false. This layer's one place
// that catches what a user's code throws, and therefore compiled with exceptions.
[[nodiscard]] bool returns_normally(FunctionRef<void()> call) noexcept;

// Lets the core do something else for a moment: for loops that wait for another thread.
void relax() noexcept;

}  // namespace detail

}  // namespace nexusfix::deferred
