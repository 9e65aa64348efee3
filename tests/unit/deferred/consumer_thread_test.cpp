#include <atomic>
#include <csignal>
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>

#include <nexusfix/deferred.hpp>
#include <nexusfix/deferred/spsc_queue.hpp>

#include "unit/deferred/thread_state.hpp"

namespace nexusfix::deferred {
namespace {

using test::wait_until;

// A queue of numbers and a consumer that checks their order.
struct Counted {
  explicit Counted(Idle idle) : thread{idle} {}
  ~Counted() { thread.stop(); }

  [[nodiscard]] bool submit() {
    if (!thread.begin_submit()) return false;
    while (!queue.push(submitted)) std::this_thread::yield();
    ++submitted;
    thread.end_submit();
    return true;
  }
  [[nodiscard]] bool start() {
    const auto round = [](void* object) noexcept { return static_cast<Counted*>(object)->round(); };
    const auto finish = [](void* object) noexcept { ++static_cast<Counted*>(object)->finished; };
    return thread.start({.round = round, .finish = finish, .object = this}).has_value();
  }
  bool round() noexcept {
    consumer.store(test::this_thread_id(), std::memory_order_relaxed);
    std::uint64_t value = 0;
    if (!queue.pop(value)) return false;
    if (value != handled.load(std::memory_order_relaxed)) in_order = false;
    handled.store(value + 1, std::memory_order_release);
    return true;
  }

  SpscQueue<std::uint64_t, 64> queue;
  std::uint64_t submitted = 0;
  std::atomic<std::uint64_t> handled{0};
  std::atomic<long> consumer{0};
  std::atomic<int> finished{0};
  bool in_order = true;
  detail::ConsumerThread thread;
};

TEST(ConsumerThread, nothing_is_accepted_before_start_and_after_stop) {
  Counted counted{Idle::Yield};
  EXPECT_FALSE(counted.submit());
  counted.thread.stop();
  ASSERT_TRUE(counted.start());
  EXPECT_TRUE(counted.submit());
  counted.thread.stop();
  EXPECT_EQ(counted.handled, 1U);
  EXPECT_FALSE(counted.submit());
  counted.thread.stop();
  EXPECT_EQ(counted.finished, 1);
}

TEST(ConsumerThread, can_be_started_again_after_stop_but_not_twice) {
  Counted counted{Idle::Sleep};
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(counted.start());
    EXPECT_FALSE(counted.start());
    EXPECT_TRUE(counted.submit());
    counted.thread.stop();
  }
  EXPECT_EQ(counted.handled, 3U);
  EXPECT_EQ(counted.finished, 3);
}

TEST(ConsumerThread, a_consumer_that_sleeps_is_woken_by_each_submit) {
  Counted counted{Idle::Sleep};
  ASSERT_TRUE(counted.start());
  wait_until([&] { return counted.consumer != 0; });
  for (std::uint64_t i = 1; i <= 50; ++i) {
    wait_until([&] { return test::is_asleep(counted.consumer); });
    ASSERT_TRUE(counted.submit());
    wait_until([&] { return counted.handled == i; });
  }
}

TEST(ConsumerThread, no_wake_up_is_lost_when_the_consumer_is_just_about_to_sleep) {
  Counted counted{Idle::Sleep};
  ASSERT_TRUE(counted.start());
  // Submits come at all distances from the moment when the consumer found nothing.
  for (std::uint64_t i = 1; i <= 3000; ++i) {
    ASSERT_TRUE(counted.submit());
    wait_until([&] { return counted.handled == i; });
    for (std::uint64_t pause = 0; pause < (i * 7919) % 9000; ++pause) detail::relax();
  }
}

// A queue of one record, submitted just after the moment when the n-th look found nothing.
struct SubmittedAfterTheLook {
  bool look() noexcept {
    consumer.store(test::this_thread_id());
    if (queued.exchange(0) != 0) {
      looks = 0;
      ++handled;
      return true;
    }
    if (++looks == held_look) {
      held_look = 0;
      held = true;
      wait_until([this] { return !held.load(); });
    }
    return false;
  }

  std::atomic<long> consumer{0};
  std::atomic<int> queued{0};
  std::atomic<int> handled{0};
  std::atomic<int> looks{0};
  std::atomic<int> held_look{1};
  std::atomic<bool> held{false};
};

TEST(ConsumerThread, a_record_that_comes_right_after_any_look_is_handled) {
  SubmittedAfterTheLook state;
  detail::ConsumerThread thread{Idle::Sleep};
  const auto round = [](void* object) noexcept {
    return static_cast<SubmittedAfterTheLook*>(object)->look();
  };
  ASSERT_TRUE(thread.start({.round = round, .object = &state}));
  int look = 1;
  for (;; ++look) {
    // Looks end when the consumer sleeps: the last one came after its decision to sleep.
    wait_until([&] { return state.held || test::is_asleep(state.consumer); });
    if (!state.held) break;
    ASSERT_TRUE(thread.begin_submit());
    state.queued = 1;
    thread.end_submit();
    state.held_look = look + 1;
    state.held = false;
    wait_until([&] { return state.handled == look; });
  }
  EXPECT_GT(look, 3);
  state.held_look = 0;
  thread.stop();
}

TEST(ConsumerThread, a_sleeping_consumer_is_stopped) {
  Counted counted{Idle::Sleep};
  ASSERT_TRUE(counted.start());
  wait_until([&] { return counted.consumer != 0; });
  wait_until([&] { return test::is_asleep(counted.consumer); });
  counted.thread.stop();
  EXPECT_EQ(counted.finished, 1);
}

// No thread wakes it: its own clock finds new records.
TEST(ConsumerThread, a_dozing_consumer_finds_records_at_any_distance) {
  Counted counted{Idle::Doze};
  ASSERT_TRUE(counted.start());
  for (std::uint64_t i = 1; i <= 200; ++i) {
    ASSERT_TRUE(counted.submit());
    wait_until([&] { return counted.handled == i; });
    for (std::uint64_t pause = 0; pause < (i * 7919) % 9000; ++pause) detail::relax();
  }
  EXPECT_TRUE(counted.in_order);
}

TEST(ConsumerThread, a_dozing_consumer_is_stopped_and_drains) {
  for (int i = 0; i < 50; ++i) {
    Counted counted{Idle::Doze};
    ASSERT_TRUE(counted.start());
    for (int n = 0; n < 10; ++n) ASSERT_TRUE(counted.submit());
    counted.thread.stop();
    EXPECT_EQ(counted.handled, 10U);
    EXPECT_EQ(counted.finished, 1);
    EXPECT_FALSE(counted.submit());
  }
}

TEST(ConsumerThread, records_accepted_while_another_thread_stops_are_handled) {
  for (int i = 0; i < 300; ++i) {
    Counted counted{i % 2 == 0 ? Idle::Sleep : Idle::Spin};
    ASSERT_TRUE(counted.start());
    std::thread stopper{[&] {
      wait_until([&] { return counted.handled > static_cast<std::uint64_t>(i % 17); });
      counted.thread.stop();
    }};
    while (counted.submit()) {
    }
    stopper.join();
    ASSERT_EQ(counted.handled, counted.submitted);
    ASSERT_TRUE(counted.in_order);
    ASSERT_EQ(counted.queue.size(), 0U);
  }
}

TEST(ConsumerThread, signals_are_left_to_other_threads) {
  struct Mask {
    std::atomic<int> blocked{-1};
  } mask;
  detail::ConsumerThread thread{Idle::Yield};
  const auto round = [](void* object) noexcept {
    sigset_t signals;
    pthread_sigmask(SIG_SETMASK, nullptr, &signals);
    static_cast<Mask*>(object)->blocked = sigismember(&signals, SIGTERM);
    return false;
  };
  ASSERT_TRUE(thread.start({.round = round, .object = &mask}));
  wait_until([&] { return mask.blocked != -1; });
  thread.stop();
  EXPECT_EQ(mask.blocked, 1);
  sigset_t signals;
  pthread_sigmask(SIG_SETMASK, nullptr, &signals);
  EXPECT_EQ(sigismember(&signals, SIGTERM), 0);
}

TEST(ReturnsNormally, returns_whether_the_call_threw) {
  EXPECT_TRUE(detail::returns_normally([] {}));
  EXPECT_FALSE(detail::returns_normally([] { throw 1; }));
}

}  // namespace
}  // namespace nexusfix::deferred
