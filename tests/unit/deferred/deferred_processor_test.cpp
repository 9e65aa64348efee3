#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nexusfix/deferred.hpp>

#include "unit/deferred/thread_state.hpp"

namespace nexusfix::deferred {
namespace {

using test::wait_until;
constexpr std::size_t kCapacity = 8;
using Processor = DeferredProcessor<MessageBuffer<32>, kCapacity>;

[[nodiscard]] WallTime at(std::int64_t ns) { return WallTime{std::chrono::nanoseconds{ns}}; }

// A callback that keeps texts and can be held.
struct Kept {
  void operator()(const MessageBuffer<32>& message) const {
    state->entered = true;
    wait_until([this] { return state->open.load(); });
    state->texts.emplace_back(message.bytes());
  }
  struct State {
    std::atomic<bool> open{true};
    std::atomic<bool> entered{false};
    std::vector<std::string> texts;  // to read after the processor has stopped
  };
  State* state;
};

[[nodiscard]] std::vector<std::string> numbers(int count) {
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) texts.push_back(std::to_string(i));
  return texts;
}

TEST(DeferredProcessor, passes_bytes_and_time_in_order) {
  Processor processor{{.when_full = WhenFull::Wait, .idle = Idle::Spin}};
  std::vector<std::pair<std::string, WallTime>> seen;
  ASSERT_TRUE(processor.start([&](const auto& message) {
    seen.emplace_back(std::string{message.span().begin(), message.span().end()}, message.time());
  }));
  for (int i = 0; i < 1000; ++i) {
    const std::string text(static_cast<std::size_t>(i % 33), static_cast<char>('a' + i % 26));
    ASSERT_TRUE(processor.submit(text, at(i)));
  }
  processor.stop();
  ASSERT_EQ(seen.size(), 1000U);
  for (int i = 0; i < 1000; ++i) {
    const auto& [text, time] = seen[static_cast<std::size_t>(i)];
    ASSERT_EQ(text, std::string(static_cast<std::size_t>(i % 33), static_cast<char>('a' + i % 26)));
    ASSERT_EQ(time, at(i));
  }
}

TEST(DeferredProcessor, refuses_when_not_running_and_counts_it) {
  Kept::State state;
  Processor processor;
  EXPECT_EQ(processor.submit("0", at(0)).error(), SubmitError::NotRunning);
  processor.stop();
  ASSERT_TRUE(processor.start(Kept{&state}));
  EXPECT_TRUE(processor.submit("1", at(0)));
  processor.stop();
  processor.stop();
  EXPECT_EQ(processor.submit("2", at(0)).error(), SubmitError::NotRunning);
  EXPECT_EQ(state.texts, std::vector<std::string>{"1"});
  EXPECT_EQ(processor.stats().refused_not_running, 2U);
  EXPECT_EQ(processor.stats().accepted, 1U);
}

TEST(DeferredProcessor, a_second_start_is_refused_and_the_first_callback_stays) {
  Kept::State first;
  Kept::State second;
  Processor processor;
  ASSERT_TRUE(processor.start(Kept{&first}));
  EXPECT_EQ(processor.start(Kept{&second}).error(), StartError::AlreadyRunning);
  ASSERT_TRUE(processor.submit("1", at(0)));
  processor.stop();
  EXPECT_EQ(first.texts.size(), 1U);
  ASSERT_TRUE(processor.start(Kept{&second}));
  ASSERT_TRUE(processor.submit("2", at(0)));
  processor.stop();
  EXPECT_EQ(first.texts.size(), 1U);
  EXPECT_EQ(second.texts, std::vector<std::string>{"2"});
}

TEST(DeferredProcessor, a_full_ring_refuses_and_counts_and_loses_nothing_that_it_accepted) {
  Kept::State state;
  state.open = false;
  Processor processor{{.when_full = WhenFull::Refuse, .idle = Idle::Sleep}};
  ASSERT_TRUE(processor.start(Kept{&state}));
  for (const std::string& text : numbers(kCapacity)) ASSERT_TRUE(processor.submit(text, at(0)));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(processor.submit("refused", at(0)).error(), SubmitError::Full);
  }
  EXPECT_EQ(processor.stats().refused_full, 3U);
  EXPECT_EQ(processor.stats().accepted, kCapacity);
  EXPECT_EQ(processor.stats().processed, 0U);
  state.open = true;
  processor.stop();
  EXPECT_EQ(state.texts, numbers(kCapacity));
  EXPECT_EQ(processor.stats().processed, kCapacity);
}

TEST(DeferredProcessor, waits_for_room_if_configured) {
  Kept::State state;
  state.open = false;
  Processor processor{{.when_full = WhenFull::Wait, .idle = Idle::Sleep}};
  ASSERT_TRUE(processor.start(Kept{&state}));
  std::thread opener{[&] {
    wait_until([&] { return processor.stats().waited != 0; });
    state.open = true;
  }};
  for (const std::string& text : numbers(50)) ASSERT_TRUE(processor.submit(text, at(0)));
  opener.join();
  processor.stop();
  EXPECT_EQ(state.texts, numbers(50));
  EXPECT_EQ(processor.stats().refused_full, 0U);
}

TEST(DeferredProcessor, a_submit_that_waits_is_served_although_another_thread_stops) {
  Kept::State state;
  state.open = false;
  Processor processor{{.when_full = WhenFull::Wait, .idle = Idle::Yield}};
  ASSERT_TRUE(processor.start(Kept{&state}));
  std::thread stopper{[&] {
    wait_until([&] { return processor.stats().waited != 0; });
    std::thread opener{[&] { state.open = true; }};
    processor.stop();
    opener.join();
  }};
  std::uint64_t accepted = 0;
  while (processor.submit("x", at(0))) ++accepted;
  stopper.join();
  EXPECT_GT(accepted, kCapacity);
  EXPECT_EQ(state.texts.size(), accepted);
}

TEST(DeferredProcessor, spills_in_order_and_goes_back_to_the_ring) {
  Kept::State state;
  state.open = false;
  Processor processor{{.when_full = WhenFull::Spill, .idle = Idle::Yield}};
  ASSERT_TRUE(processor.start(Kept{&state}));
  const std::vector<std::string> texts = numbers(100);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(processor.submit(texts[static_cast<std::size_t>(i)], at(0)));
  }
  EXPECT_EQ(processor.stats().spilled, 50U - kCapacity);
  EXPECT_EQ(processor.stats().accepted, 50U);
  state.open = true;
  wait_until([&] { return processor.stats().processed == 50; });
  for (int i = 50; i < 58; ++i) {
    ASSERT_TRUE(processor.submit(texts[static_cast<std::size_t>(i)], at(0)));
  }
  EXPECT_EQ(processor.stats().spilled, 50U - kCapacity);
  for (int i = 58; i < 100; ++i) {
    ASSERT_TRUE(processor.submit(texts[static_cast<std::size_t>(i)], at(0)));
  }
  processor.stop();
  EXPECT_EQ(state.texts, texts);
}

// One slot has the most changes from ring to list and back, and at each the list could be taken
// while an older record is in the ring.
TEST(DeferredProcessor, order_is_kept_while_ring_and_spill_alternate) {
  DeferredProcessor<MessageBuffer<32>, 1> processor{
      {.when_full = WhenFull::Spill, .idle = Idle::Spin}};
  std::int64_t next = 0;
  std::uint64_t wrong = 0;
  ASSERT_TRUE(processor.start([&](const auto& message) {
    wrong += message.time() != at(next) ? 1U : 0U;
    ++next;
  }));
  constexpr std::int64_t kCount = 300'000;
  for (std::int64_t i = 0; i < kCount; ++i) {
    ASSERT_TRUE(processor.submit("x", at(i)));
    // Lets the consumer catch up now and then.
    if (i % 8 == 0) {
      for (std::int64_t pause = 0; pause < i % 64; ++pause) detail::relax();
    }
  }
  processor.stop();
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(next, kCount);
}

TEST(DeferredProcessor, the_spill_is_bounded) {
  Kept::State state;
  state.open = false;
  Processor processor{{.when_full = WhenFull::Spill, .idle = Idle::Yield, .spilled_max = 3}};
  ASSERT_TRUE(processor.start(Kept{&state}));
  for (std::size_t i = 0; i < kCapacity + 3; ++i) ASSERT_TRUE(processor.submit("x", at(0)));
  EXPECT_EQ(processor.submit("x", at(0)).error(), SubmitError::Full);
  EXPECT_EQ(processor.stats().refused_full, 1U);
  state.open = true;
  processor.stop();
  EXPECT_EQ(state.texts.size(), kCapacity + 3);
}

TEST(DeferredProcessor, a_record_that_does_not_fit_is_refused_and_never_truncated) {
  for (const WhenFull when_full : {WhenFull::Refuse, WhenFull::Spill}) {
    Kept::State state;
    state.open = false;
    Processor processor{{.when_full = when_full}};
    ASSERT_TRUE(processor.start(Kept{&state}));
    EXPECT_TRUE(processor.submit(std::string(32, 'x'), at(0)));
    EXPECT_EQ(processor.submit(std::string(33, 'x'), at(0)).error(), SubmitError::TooLong);
    for (std::size_t i = 1; i < kCapacity; ++i) ASSERT_TRUE(processor.submit("", at(0)));
    if (when_full == WhenFull::Spill) {
      EXPECT_EQ(processor.submit(std::string(33, 'x'), at(0)).error(), SubmitError::TooLong);
    }
    state.open = true;
    processor.stop();
    EXPECT_EQ(processor.stats().refused_too_long, when_full == WhenFull::Spill ? 2U : 1U);
    ASSERT_EQ(state.texts.size(), kCapacity);
    EXPECT_EQ(state.texts[0], std::string(32, 'x'));
  }
}

TEST(DeferredProcessor, a_callback_that_throws_is_counted_and_the_next_record_is_handled) {
  Processor processor{{.when_full = WhenFull::Wait}};
  int calls = 0;
  ASSERT_TRUE(processor.start([&](const auto& message) {
    ++calls;
    if (message.bytes() == "bad") throw std::runtime_error{"no disk"};
  }));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(processor.submit(i % 3 == 0 ? "bad" : "good", at(0)));
  processor.stop();
  EXPECT_EQ(calls, 100);
  EXPECT_EQ(processor.stats().failed, 34U);
  EXPECT_EQ(processor.stats().processed, 66U);
}

TEST(DeferredProcessor, the_callback_may_stop_and_what_was_accepted_is_still_handled) {
  Processor processor{{.when_full = WhenFull::Refuse, .idle = Idle::Sleep}};
  std::atomic<bool> stopped{false};
  int calls = 0;
  ASSERT_TRUE(processor.start([&](const auto&) {
    if (++calls == 1) processor.stop();
    stopped = true;
  }));
  std::uint64_t accepted = 0;
  while (processor.submit("x", at(0)) || !stopped) accepted = processor.stats().accepted;
  accepted = processor.stats().accepted;
  processor.stop();
  EXPECT_EQ(static_cast<std::uint64_t>(calls), accepted);
  EXPECT_TRUE(processor.start([&](const auto&) { ++calls; }));
}

TEST(DeferredProcessor, destruction_drains) {
  Kept::State state;
  {
    Processor processor{{.when_full = WhenFull::Wait}};
    ASSERT_TRUE(processor.start(Kept{&state}));
    for (const std::string& text : numbers(20)) ASSERT_TRUE(processor.submit(text, at(0)));
  }
  EXPECT_EQ(state.texts, numbers(20));
}

TEST(DeferredProcessor, stats_can_be_read_while_both_sides_work) {
  Processor processor{{.when_full = WhenFull::Wait}};
  ASSERT_TRUE(processor.start([](const auto&) {}));
  std::atomic<bool> done{false};
  bool consistent = true;
  std::thread reader{[&] {
    while (!done) {
      const DeferredStats stats = processor.stats();
      consistent = consistent && stats.processed + stats.failed <= stats.accepted;
    }
  }};
  for (int i = 0; i < 20'000; ++i) ASSERT_TRUE(processor.submit("x", at(0)));
  done = true;
  reader.join();
  EXPECT_TRUE(consistent);
}

TEST(DeferredProcessor, any_type_that_can_be_assigned_to_is_a_buffer) {
  struct Fill {
    bool assign(std::int64_t its_quantity, double its_price) noexcept {
      quantity = its_quantity;
      price = its_price;
      return quantity > 0;
    }
    std::int64_t quantity = 0;
    double price = 0;
  };
  DeferredProcessor<Fill, 16> processor;
  std::vector<Fill> fills;
  ASSERT_TRUE(processor.start([&](const Fill& fill) { fills.push_back(fill); }));
  EXPECT_TRUE(processor.submit(5, 1.5));
  EXPECT_EQ(processor.submit(0, 1.5).error(), SubmitError::TooLong);
  processor.stop();
  ASSERT_EQ(fills.size(), 1U);
  EXPECT_EQ(fills[0].quantity, 5);
}

TEST(DeferredProcessor, the_callback_need_not_be_copyable) {
  Processor processor;
  auto owned = std::make_unique<std::vector<std::string>>();
  std::vector<std::string>* const texts = owned.get();
  ASSERT_TRUE(processor.start(
      [mine = std::move(owned)](const auto& message) { mine->emplace_back(message.bytes()); }));
  ASSERT_TRUE(processor.submit("x", at(0)));
  processor.stop();
  EXPECT_EQ(*texts, std::vector<std::string>{"x"});
}

}  // namespace
}  // namespace nexusfix::deferred
