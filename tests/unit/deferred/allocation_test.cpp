// Submitting and logging do not allocate. This program counts every allocation of its thread.
#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <latch>
#include <string>

#include <nexusfix/deferred.hpp>
#include <nexusfix/deferred/logger.hpp>

#include "support/counted_new.hpp"

namespace nexusfix::deferred {
namespace {

using nexusfix::test::allocations;

TEST(Allocation, submitting_and_refusing_allocate_nothing) {
  DeferredProcessor<MessageBuffer<64>, 16> processor{{.when_full = WhenFull::Refuse}};
  ASSERT_TRUE(processor.start([](const auto&) {}));
  const std::string text(64, 'x');
  const std::size_t before = allocations;
  std::size_t refused = 0;
  for (int i = 0; i < 100'000; ++i) refused += processor.submit(text, WallTime{}) ? 0U : 1U;
  EXPECT_EQ(allocations, before);
  processor.stop();
  EXPECT_EQ(processor.stats().processed + refused, 100'000U);
}

TEST(Allocation, logging_allocates_nothing_on_the_callers_thread) {
  Logger logger{{.capacity_bytes = 4096}};
  ASSERT_TRUE(logger.start([](std::string_view) {}));
  const std::string text(40, 'x');
  const std::size_t before = allocations;
  for (int i = 0; i < 10'000; ++i) logger.write<"{} {} {}">(WallTime{}, i, text, 1.5);
  EXPECT_EQ(allocations, before);
}

TEST(Allocation, spilling_does_allocate) {
  std::latch submitted{1};
  DeferredProcessor<MessageBuffer<64>, 1> processor{{.when_full = WhenFull::Spill}};
  ASSERT_TRUE(processor.start([&](const auto&) { submitted.wait(); }));
  const std::size_t before = allocations;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(processor.submit("x", WallTime{}));
  EXPECT_GT(allocations, before);
  submitted.count_down();
}

}  // namespace
}  // namespace nexusfix::deferred
