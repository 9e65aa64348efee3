// A queue that gets more than it can hold: every accepted record arrives, once and in order, and
// every other one is counted. Other engines fail here: a full queue returns false, no caller checks
// it, 47 % to 90 % of the records are lost, and the counter of losses stays 0.
#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include <nexusfix/deferred.hpp>

#include "unit/deferred/thread_state.hpp"

namespace nexusfix::deferred {
namespace {

using test::wait_until;

constexpr std::uint64_t kOffered = 200'000;

struct Number {
  bool assign(std::uint64_t value) noexcept {
    number = value;
    return true;
  }
  std::uint64_t number = 0;
};

// A callback that is far too slow for its producer: it handles records in batches, whenever the
// producer has been refused.
struct Slow {
  void operator()(const Number& number) const {
    wait_until([this] { return *may_handle > handled->size(); });
    handled->push_back(number.number);
  }
  std::atomic<std::size_t>* may_handle;
  std::vector<std::uint64_t>* handled;
};

void offer_more_than_it_can_take(const DeferredOptions& options) {
  std::atomic<std::size_t> may_handle{0};
  std::vector<std::uint64_t> handled;
  DeferredProcessor<Number, 64> processor{options};
  ASSERT_TRUE(processor.start(Slow{&may_handle, &handled}));
  std::vector<std::uint64_t> accepted;
  std::uint64_t refused = 0;
  for (std::uint64_t i = 0; i < kOffered; ++i) {
    const auto result = processor.submit(i);
    if (result) {
      accepted.push_back(i);
    } else {
      ASSERT_EQ(result.error(), SubmitError::Full);
      ++refused;
      if (refused % 7 == 0) may_handle += 3;
    }
  }
  may_handle = kOffered;
  processor.stop();
  EXPECT_EQ(handled, accepted);
  EXPECT_GT(refused, 1000U);
  const DeferredStats stats = processor.stats();
  EXPECT_EQ(stats.refused_full, refused);
  EXPECT_EQ(stats.accepted, accepted.size());
  EXPECT_EQ(stats.processed, accepted.size());
  EXPECT_EQ(stats.accepted + stats.refused_full, kOffered);
}

TEST(Overload, a_processor_that_refuses_loses_nothing_that_it_accepted_and_counts_the_rest) {
  offer_more_than_it_can_take({.when_full = WhenFull::Refuse});
}

TEST(Overload, a_processor_whose_spill_is_full_loses_nothing_that_it_accepted_and_counts_the_rest) {
  offer_more_than_it_can_take({.when_full = WhenFull::Spill, .spilled_max = 100});
}

TEST(Overload, refused_records_are_counted_by_reason) {
  DeferredProcessor<MessageBuffer<8>, 4> processor;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(processor.submit("x", WallTime{}).error(), SubmitError::NotRunning);
  }
  ASSERT_TRUE(processor.start([](const MessageBuffer<8>&) {}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(processor.submit("too long for it", WallTime{}).error(), SubmitError::TooLong);
  }
  processor.stop();
  EXPECT_EQ(processor.stats().refused_not_running, 5U);
  EXPECT_EQ(processor.stats().refused_too_long, 3U);
  EXPECT_EQ(processor.stats().refused_full, 0U);
  EXPECT_EQ(processor.stats().accepted, 0U);
}

TEST(Overload, a_full_ring_keeps_its_records_and_takes_none) {
  SpscQueue<std::uint64_t, 8> queue;
  std::uint64_t next_popped = 0;
  std::uint64_t accepted = 0;
  for (std::uint64_t offered = 0; offered < 10'000; ++offered) {
    if (queue.push(accepted)) ++accepted;
    if (offered % 3 != 0) continue;
    std::uint64_t value = ~std::uint64_t{0};
    ASSERT_TRUE(queue.pop(value));
    ASSERT_EQ(value, next_popped++);
  }
  EXPECT_LT(accepted, 4000U);
  for (std::uint64_t value = 0; queue.pop(value); ++next_popped) ASSERT_EQ(value, next_popped);
  EXPECT_EQ(next_popped, accepted);
}

}  // namespace
}  // namespace nexusfix::deferred
