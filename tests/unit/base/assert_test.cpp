#include <gtest/gtest.h>

#include <nexusfix/base/language.hpp>

namespace {

TEST(AssertDeathTest, a_false_condition_prints_itself_and_its_place_and_aborts) {
  const int fills = 1;
  EXPECT_DEATH(NEXUSFIX_ASSERT(fills == 2), "assert_test.cpp:[0-9]+: assertion failed: fills == 2");
}

TEST(Assert, a_true_condition_is_evaluated_once_and_does_nothing) {
  int evaluations = 0;
  NEXUSFIX_ASSERT(++evaluations == 1);
  EXPECT_EQ(evaluations, 1);
}

}  // namespace
