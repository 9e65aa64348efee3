// The parts of a replica that need no database: how many numbers may be used, and when it lags.
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "cluster/replica/lag_watch.hpp"
#include "cluster/replica/numbers_limit.hpp"

namespace nexusfix::store::replica {
namespace {

using std::chrono::seconds;

// Positions are counted in records: record n is from n - 1 to n.
class Numbers : public ::testing::Test {
 protected:
  bool record(Entry entry, LogPosition replicated) {
    std::vector<char> entries;
    append_entry(entries, entry);
    return append(entries, replicated);
  }
  bool append(const std::vector<char>& entries, LogPosition replicated) {
    ++end_;
    return limit_.on_record(entries, end_ - 1, end_, replicated);
  }
  bool message(std::uint64_t number, LogPosition replicated) {
    return record(
        {.kind = EntryKind::OutboundMessage, .session = 0, .number = number, .bytes = "m"},
        replicated);
  }
  NumbersLimit limit_{10};
  LogPosition end_ = 0;
};

TEST_F(Numbers, that_a_new_owner_would_not_skip_wait) {
  limit_.add(5);  // it would go on with 15
  for (std::uint64_t number = 5; number < 15; ++number) {
    EXPECT_FALSE(message(number, 0));
    EXPECT_EQ(limit_.durable(end_, 0), end_);
  }
  EXPECT_TRUE(message(15, 0));
  EXPECT_EQ(limit_.durable(end_, 0), end_ - 1);
  EXPECT_FALSE(message(16, 0));  // it is reported once
  EXPECT_EQ(limit_.durable(end_, 0), end_ - 2);
  EXPECT_EQ(limit_.durable(end_, end_), end_);
}

TEST_F(Numbers, are_counted_from_what_the_replica_has) {
  limit_.add(1);
  for (std::uint64_t number = 1; number <= 10; ++number) EXPECT_FALSE(message(number, 0));
  EXPECT_FALSE(message(11, 10));
  // It has 1 to 11: a new owner would go on with 22.
  for (std::uint64_t number = 12; number < 22; ++number) EXPECT_FALSE(message(number, 11));
  EXPECT_TRUE(message(22, 11));
  EXPECT_EQ(limit_.durable(end_, 11), end_ - 1);
}

TEST_F(Numbers, of_a_session_that_was_reset_begin_again) {
  limit_.add(100);
  EXPECT_FALSE(record({.kind = EntryKind::Reset, .session = 0, .number = 0, .bytes = {}}, 0));
  for (std::uint64_t number = 1; number <= 10; ++number) EXPECT_FALSE(message(number, 0));
  EXPECT_TRUE(message(11, 0));
}

TEST_F(Numbers, that_an_operator_sets_count) {
  limit_.add(1);
  NumbersChange change;
  change.after.next_outbound = 12;
  std::vector<char> entries;
  append_numbers_change(entries, 0, change);
  EXPECT_TRUE(append(entries, 0));
  EXPECT_EQ(limit_.durable(end_, 0), 0U);
}

TEST_F(Numbers, of_administrative_messages_count) {
  limit_.add_new();
  EXPECT_FALSE(
      record({.kind = EntryKind::OutboundNumber, .session = 0, .number = 10, .bytes = {}}, 0));
  EXPECT_TRUE(
      record({.kind = EntryKind::OutboundNumber, .session = 0, .number = 11, .bytes = {}}, 0));
}

Now at(int second) {
  return {.wall = WallTime{seconds{second}}, .mono = MonoTime{seconds{second}}};
}

TEST(Lag, is_reported_once_when_something_is_missing_for_too_long) {
  LagWatch watch{seconds{5}};
  EXPECT_FALSE(watch.look(100, 100, at(1)));
  EXPECT_FALSE(watch.lacks_since());
  EXPECT_FALSE(watch.look(200, 100, at(2)));
  EXPECT_FALSE(watch.look(300, 150, at(6)));
  EXPECT_EQ(watch.lacks_since(), WallTime{seconds{2}});
  const auto lags = watch.look(400, 199, at(8));
  ASSERT_TRUE(lags);
  EXPECT_TRUE(lags->is_lagging);
  EXPECT_EQ(lags->since, seconds{6});
  EXPECT_FALSE(watch.look(500, 199, at(9)));
  const auto back = watch.look(500, 500, at(20));
  ASSERT_TRUE(back);
  EXPECT_FALSE(back->is_lagging);
  EXPECT_FALSE(watch.lacks_since());
}

TEST(Lag, of_a_replica_that_follows_is_none_although_it_is_never_at_the_end) {
  LagWatch watch{seconds{5}};
  LogPosition end = 0;
  for (int second = 1; second < 100; ++second) {
    const LogPosition before = end;
    end += 1'000;
    EXPECT_FALSE(watch.look(end, before, at(second)));
  }
}

}  // namespace
}  // namespace nexusfix::store::replica
