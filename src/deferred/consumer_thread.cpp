#include <cstdint>
#include <limits>
#include <system_error>

#include <nexusfix/deferred.hpp>

#include "base/api/signals_blocked.hpp"
#include "deferred/asymmetric_barrier.hpp"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nexusfix::deferred {

namespace {

// Between two looks at an empty queue: some microseconds on most CPUs. A consumer that looks at
// once follows the producer closely, takes each cache line away from it while it is being written,
// and makes every submit several times as slow. A consumer that waits finds many records, which
// have left the producer's cache meanwhile.
constexpr std::uint32_t kPauses = 512;
// Rounds without work before the consumer yields, and before it sleeps. About a tenth of a
// millisecond, so that not every one of several quick bursts has to wake it.
constexpr std::uint32_t kSpinRounds = 8;
constexpr std::uint32_t kYieldRounds = 8;
// Idle::Doze: each pause is twice as long as the one before, up to 2^4 milliseconds.
constexpr std::uint32_t kDozeDoublings = 4;
constexpr long kDozeNanos = 1'000'000;

#if defined(__linux__)

// Returns when *word differs from expected, when it is woken, or spuriously.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  static_assert(sizeof(word) == sizeof(std::uint32_t));
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}
// Waits as futex_wait(), at most for the timeout.
void futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected, long nanos) noexcept {
  const timespec time{.tv_sec = 0, .tv_nsec = nanos};
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, &time, nullptr, 0);
}
void futex_wake(std::atomic<std::uint32_t>& word) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, std::numeric_limits<int>::max(), nullptr, nullptr,
            0);
}

#else

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  word.wait(expected);
}
void futex_wait_for(std::atomic<std::uint32_t>&, std::uint32_t, long) noexcept {
  std::this_thread::yield();
}
void futex_wake(std::atomic<std::uint32_t>& word) noexcept { word.notify_all(); }

#endif

}  // namespace

namespace detail {

bool returns_normally(FunctionRef<void()> call) noexcept {
  try {
    call();
    return true;
  } catch (...) {
    return false;
  }
}

void relax() noexcept {
#if defined(__SSE2__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace detail

std::expected<void, StartError> detail::ConsumerThread::start(const Work& work) noexcept {
  if (consumer_id_.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
    return std::unexpected{StartError::AlreadyRunning};
  }
  const std::lock_guard lock{control_};
  if (thread_.joinable()) {
    // Relaxed: only a stop() of this thread or of the round matters here.
    if ((signal_.load(std::memory_order_relaxed) & kClosed) == 0) {
      return std::unexpected{StartError::AlreadyRunning};
    }
    thread_.join();  // It was stopped by its own round.
  }
  work_ = work;
  // Relaxed: the creation of the thread publishes both to it.
  draining_.store(false, std::memory_order_relaxed);
  signal_.store(kClosed | (asymmetric_barrier_available() ? 0 : kBarriersInSubmit),
                std::memory_order_relaxed);
  if (!create_thread()) return std::unexpected{StartError::NoThread};
  // Release pairs with the acquire in begin_submit(). Last, so that a record is accepted only if
  // there is a thread to handle it. It changes one bit only, because that thread may be asleep
  // already.
  signal_.fetch_and(~kClosed, std::memory_order_release);
  return {};
}

bool detail::ConsumerThread::create_thread() noexcept {
  const SignalsBlocked blocked;
  return detail::returns_normally([this] { thread_ = std::thread{[this] { run(); }}; });
}

void detail::ConsumerThread::stop() noexcept {
  // On the consumer itself, which cannot wait for its own end.
  if (consumer_id_.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
    request_stop();
    return;
  }
  const std::lock_guard lock{control_};
  if (!thread_.joinable()) return;
  request_stop();
  thread_.join();
}

void detail::ConsumerThread::request_stop() noexcept {
  // Sequentially consistent: it pairs with begin_submit_slowly() if there is no asymmetric barrier.
  signal_.fetch_or(kClosed, std::memory_order_seq_cst);
  if (asymmetric_barrier_available()) asymmetric_barrier();
  // Release pairs with the acquire in run(): the consumer reads submitting_ after the barrier.
  draining_.store(true, std::memory_order_release);
  wake();
  // A dozing thread is not marked as asleep. One that begins to doze after this call wakes by
  // itself.
  if (idle_ == Idle::Doze) futex_wake(signal_);
}

bool detail::ConsumerThread::begin_submit_slowly() noexcept {
  // This store and load pair with request_stop()'s store to signal_ and the consumer's load of
  // submitting_: in the single order of all sequentially consistent operations, one of the two
  // threads sees the other one's store.
  submitting_.exchange(1, std::memory_order_seq_cst);
  if ((signal_.load(std::memory_order_seq_cst) & kClosed) == 0) return true;
  submitting_.store(0, std::memory_order_release);
  return false;
}

void detail::ConsumerThread::end_submit_slowly() noexcept {
  // A read-modify-write of the word that sleep() modifies, too. Either this one comes second and
  // sees kAsleep, or sleep()'s reads the result of this one, whose release then shows it the queue.
  if ((signal_.fetch_add(0, std::memory_order_acq_rel) & kAsleep) != 0) wake();
}

void detail::ConsumerThread::wake() noexcept {
  // Release: as in end_submit_slowly(). Only the thread that clears the bit makes the system call.
  if ((signal_.fetch_and(~kAsleep, std::memory_order_acq_rel) & kAsleep) != 0) futex_wake(signal_);
}

void detail::ConsumerThread::run() noexcept {
  consumer_id_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  std::uint32_t rounds_without_work = 0;
  for (;;) {
    // Acquire pairs with request_stop(). Both flags are read before the queue: after draining_ is
    // set, a producer that is not submitting never queues anything again.
    const bool draining = draining_.load(std::memory_order_acquire);
    // Acquire pairs with end_submit(); sequentially consistent for begin_submit_slowly().
    const bool submitting = submitting_.load(std::memory_order_seq_cst) != 0;
    if (work_.round(work_.object)) {
      rounds_without_work = 0;
      continue;
    }
    if (!draining) {
      idle_once(rounds_without_work);
      continue;
    }
    if (!submitting) break;
    std::this_thread::yield();  // A submit is in progress, and its thread may be preempted.
  }
  if (work_.finish != nullptr) work_.finish(work_.object);
  consumer_id_.store(std::thread::id{}, std::memory_order_relaxed);
}

void detail::ConsumerThread::idle_once(std::uint32_t& rounds_without_work) noexcept {
  if (idle_ == Idle::Doze) return doze(rounds_without_work);
  if (idle_ == Idle::Spin || rounds_without_work < kSpinRounds) {
    for (std::uint32_t i = 0; i < kPauses; ++i) detail::relax();
  } else if (idle_ == Idle::Yield || rounds_without_work < kSpinRounds + kYieldRounds) {
    std::this_thread::yield();
  } else {
    sleep();
    rounds_without_work = 0;
    return;
  }
  if (rounds_without_work < kSpinRounds + kYieldRounds) ++rounds_without_work;
}

void detail::ConsumerThread::doze(std::uint32_t& rounds_without_work) noexcept {
  // Relaxed: draining_, which run() reads, decides; the word only ends the wait early.
  const std::uint32_t signal = signal_.load(std::memory_order_relaxed);
  if (!draining_.load(std::memory_order_acquire)) {
    futex_wait_for(signal_, signal, kDozeNanos << rounds_without_work);
  }
  if (rounds_without_work < kDozeDoublings) ++rounds_without_work;
}

void detail::ConsumerThread::sleep() noexcept {
  // Acquire pairs with end_submit_slowly() if there is no asymmetric barrier.
  signal_.fetch_or(kAsleep, std::memory_order_acq_rel);
  // From here on every submit sees kAsleep; the round below sees what was submitted before.
  if (asymmetric_barrier_available()) asymmetric_barrier();
  if (work_.round(work_.object) || draining_.load(std::memory_order_acquire)) {
    signal_.fetch_and(~kAsleep, std::memory_order_relaxed);
    return;
  }
  // Acquire: the loop in run() then reads what the waking thread wrote.
  std::uint32_t signal = signal_.load(std::memory_order_acquire);
  while ((signal & kAsleep) != 0) {
    futex_wait(signal_, signal);
    signal = signal_.load(std::memory_order_acquire);
  }
}

}  // namespace nexusfix::deferred
