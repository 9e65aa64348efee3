#include "base/api/timer_queue.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <vector>

#include <nexusfix/base/clock.hpp>

namespace nexusfix {
namespace {

struct Owner : TimerOwner {
  int name = 0;
};

MonoTime at(std::int64_t seconds) { return MonoTime{} + std::chrono::seconds{seconds}; }

std::vector<int> taken(TimerQueue<Owner>& queue, MonoTime now) {
  std::vector<Owner*> due;
  queue.remove_due(now, due);
  std::vector<int> names;
  for (const Owner* owner : due) names.push_back(owner->name);
  return names;
}

TEST(TimerQueue, remove_due_respects_its_limit_and_the_others_stay_due) {
  std::vector<Owner> owners(5);
  TimerQueue<Owner> queue;
  for (int i = 0; i < 5; ++i) {
    owners[static_cast<std::size_t>(i)].name = i;
    queue.arm(owners[static_cast<std::size_t>(i)], at(10 - i));
  }
  std::vector<Owner*> due;
  queue.remove_due(at(20), due, 2);
  ASSERT_EQ(due.size(), 2U);
  EXPECT_EQ(due[0]->name, 4);
  EXPECT_EQ(due[1]->name, 3);
  EXPECT_EQ(queue.first(), at(8));
  EXPECT_EQ(taken(queue, at(20)), (std::vector{2, 1, 0}));
}

TEST(TimerQueue, remove_due_returns_the_earliest_first) {
  std::vector<Owner> owners(3);
  TimerQueue<Owner> queue;
  for (int i = 0; i < 3; ++i) owners[static_cast<std::size_t>(i)].name = i;
  queue.arm(owners[0], at(30));
  queue.arm(owners[1], at(10));
  queue.arm(owners[2], at(20));
  EXPECT_EQ(queue.first(), at(10));
  EXPECT_TRUE(taken(queue, at(9)).empty());
  EXPECT_EQ(taken(queue, at(20)), (std::vector{1, 2}));
  EXPECT_EQ(queue.first(), at(30));
}

TEST(TimerQueue, owner_has_one_entry_that_only_becomes_earlier) {
  Owner owner;
  TimerQueue<Owner> queue;
  queue.arm(owner, at(10));
  queue.arm(owner, at(40));  // The owner is taken at 10, and arms its timer again.
  EXPECT_EQ(queue.first(), at(10));
  queue.arm(owner, at(5));
  EXPECT_EQ(queue.first(), at(5));
  EXPECT_EQ(queue.size(), 1U);
  queue.arm(owner, kNever);
  EXPECT_EQ(queue.first(), at(5));
}

TEST(TimerQueue, taken_owner_is_no_longer_armed) {
  Owner owner;
  TimerQueue<Owner> queue;
  queue.arm(owner, at(10));
  EXPECT_EQ(taken(queue, at(10)).size(), 1U);
  EXPECT_EQ(queue.first(), kNever);
  queue.arm(owner, at(60));
  EXPECT_EQ(queue.first(), at(60));
}

TEST(TimerQueue, disarm_removes_only_its_owner) {
  constexpr std::size_t kOwners = 40;
  for (std::size_t out = 0; out < kOwners; ++out) {
    std::vector<Owner> owners(kOwners);
    TimerQueue<Owner> queue;
    SeededRandom random{out + 1};
    for (Owner& owner : owners) queue.arm(owner, at(static_cast<std::int64_t>(random.below(20))));
    queue.disarm(owners[out]);
    queue.disarm(owners[out]);
    std::vector<Owner*> due;
    queue.remove_due(at(20), due);
    EXPECT_EQ(due.size(), kOwners - 1);
    EXPECT_EQ(std::ranges::count(due, &owners[out]), 0);
  }
}

TEST(TimerQueue, queue_agrees_with_a_linear_search) {
  constexpr std::size_t kOwners = 50;
  std::vector<Owner> owners(kOwners);
  std::vector<MonoTime> model(kOwners, kNever);
  TimerQueue<Owner> queue;
  SeededRandom random{7};
  for (int step = 0; step < 20'000; ++step) {
    const auto who = static_cast<std::size_t>(random.below(kOwners));
    const MonoTime when = at(step + static_cast<std::int64_t>(random.below(500)));
    switch (random.below(4)) {
      case 0:
        queue.disarm(owners[who]);
        model[who] = kNever;
        break;
      case 1: {
        std::vector<Owner*> due;
        queue.remove_due(at(step), due);
        const auto is_due = [&](MonoTime one) { return one <= at(step); };
        EXPECT_EQ(static_cast<std::ptrdiff_t>(due.size()), std::ranges::count_if(model, is_due));
        std::ranges::replace_if(model, is_due, kNever);
        break;
      }
      default:
        queue.arm(owners[who], when);
        model[who] = std::min(model[who], when);
    }
    ASSERT_EQ(queue.first(), *std::ranges::min_element(model));
  }
}

TEST(TimerQueue, arm_says_whether_the_owner_is_due_earlier_than_before) {
  Owner owner;
  TimerQueue<Owner> queue;
  EXPECT_TRUE(queue.arm(owner, at(10)));
  EXPECT_FALSE(queue.arm(owner, at(10)));
  EXPECT_FALSE(queue.arm(owner, at(11)));
  EXPECT_TRUE(queue.arm(owner, at(9)));
}

}  // namespace
}  // namespace nexusfix
