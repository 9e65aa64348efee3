// The places of sessions that are created from templates.
#include <gtest/gtest.h>
#include <string>

#include "engine/session/registry/dynamic_sessions.hpp"

namespace nexusfix::engine {
namespace {

using Answer = DynamicNames::Answer;

constexpr transport::Source kOne = 1;
constexpr transport::Source kTwo = 2;

// Connects and disconnects a name that does not log on: it stays on trial.
void try_in_vain(DynamicNames& names, const std::string& name, transport::Source source) {
  ASSERT_EQ(names.connect(name, source), Answer::Yes) << name;
  names.disconnect(name, session::Numbers{2, 3});
}
void log_on(DynamicNames& names, const std::string& name, transport::Source source) {
  ASSERT_EQ(names.connect(name, source), Answer::Yes) << name;
  names.keep(name);
  names.disconnect(name, {});
}

TEST(DynamicNames, name_that_logged_on_keeps_its_place) {
  DynamicNames names{{.all_max = 2, .per_source_max = 2}};
  log_on(names, "A", kOne);
  log_on(names, "B", kTwo);
  EXPECT_EQ(names.connect("C", kOne), Answer::TooMany);
  EXPECT_EQ(names.connect("A", kTwo), Answer::Yes);
}

TEST(DynamicNames, oldest_name_on_trial_of_the_largest_source_is_displaced) {
  DynamicNames names{{.all_max = 4, .per_source_max = 4}};
  try_in_vain(names, "OTHER", kTwo);
  for (const char* name : {"A", "B", "C"}) try_in_vain(names, name, kOne);
  ASSERT_EQ(names.connect("D", kTwo), Answer::Yes);
  EXPECT_EQ(names.size(), 4U);
  EXPECT_EQ(names.numbers("OTHER").next_outbound, 3U);
  EXPECT_EQ(names.numbers("B").next_outbound, 3U);
  ASSERT_EQ(names.connect("A", kOne), Answer::Yes);
  EXPECT_EQ(names.numbers("A").next_outbound, 1U) << "it was the oldest";
}

TEST(DynamicNames, connected_name_is_not_displaced) {
  DynamicNames names{{.all_max = 2, .per_source_max = 2}};
  ASSERT_EQ(names.connect("A", kOne), Answer::Yes);
  ASSERT_EQ(names.connect("B", kTwo), Answer::Yes);
  EXPECT_EQ(names.connect("C", kOne), Answer::TooMany);
  names.disconnect("A", {});
  EXPECT_EQ(names.connect("C", kOne), Answer::Yes);
}

TEST(DynamicNames, source_gets_at_most_its_share) {
  DynamicNames names{{.all_max = 10, .per_source_max = 3}};
  log_on(names, "A", kOne);
  ASSERT_EQ(names.connect("B", kOne), Answer::Yes);
  for (const char* name : {"X", "Y", "Z"}) try_in_vain(names, name, kOne);
  ASSERT_EQ(names.connect("C", kOne), Answer::Yes);
  EXPECT_EQ(names.connect("D", kOne), Answer::TooManyOfSource);
  EXPECT_EQ(names.connect("X", kOne), Answer::TooManyOfSource);
  EXPECT_EQ(names.connect("X", kTwo), Answer::Yes);
  names.disconnect("B", {});
  EXPECT_EQ(names.connect("D", kOne), Answer::Yes);
}

TEST(DynamicNames, total_limit_is_reported_before_the_share_of_a_source) {
  DynamicNames names{{.all_max = 1, .per_source_max = 1}};
  log_on(names, "A", kOne);
  EXPECT_EQ(names.connect("B", kOne), Answer::TooMany);
}

TEST(DynamicNames, numbers_are_those_of_the_last_connection) {
  DynamicNames names{{.all_max = 2, .per_source_max = 2}};
  ASSERT_EQ(names.connect("A", kOne), Answer::Yes);
  EXPECT_EQ(names.numbers("A").next_outbound, 1U);
  names.disconnect("A", session::Numbers{5, 6});
  names.disconnect("A", session::Numbers{7, 8});  // it has ended already
  ASSERT_EQ(names.connect("A", kTwo), Answer::Yes);
  EXPECT_EQ(names.numbers("A").next_outbound, 6U);
  names.disconnect("A", {});
  EXPECT_EQ(names.numbers("A").next_inbound, 5U);
}

TEST(DynamicNames, limit_of_zero_allows_no_name) {
  DynamicNames names{{.all_max = 0, .per_source_max = 0}};
  EXPECT_NE(names.connect("A", kOne), Answer::Yes);
  names.disconnect("A", {});
  names.keep("A");
  EXPECT_EQ(names.size(), 0U);
}

}  // namespace
}  // namespace nexusfix::engine
