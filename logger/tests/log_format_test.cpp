#include <gtest/gtest.h>

#include <nexusfix/deferred/logger.hpp>

namespace nexusfix::deferred::detail {
namespace {

// A test cannot compile what must not compile; it compiles the parts.
static_assert(check_log_format("{} {{}} {:>8.2f} {:x}", kLogArguments<int, double, unsigned>));
static_assert(check_log_format("", kLogArguments<>));
static_assert(log_argument_of<const char (&)[4]>() == LogArgument::Text);
static_assert(log_argument_of<const int*>() == LogArgument::Pointer);
enum class Side : char { Buy = '1' };
static_assert(log_argument_of<Side>() == LogArgument::Char);

TEST(LogFormat, specifications_of_integers) {
  for (const char* const good : {"", "d", "x", "#X", "+d", "05", "<8", "*^12b", " d"}) {
    EXPECT_TRUE(log_specification_suits(good, LogArgument::Int)) << good;
  }
  for (const char* const bad : {"s", "f", ".2", "dd", "8.2d", "1000", "?", "p", "8 "}) {
    EXPECT_FALSE(log_specification_suits(bad, LogArgument::Int)) << bad;
  }
  EXPECT_FALSE(log_specification_suits("+", LogArgument::Uint));
}

TEST(LogFormat, specifications_of_floating_point_numbers) {
  for (const char* const good : {"", "f", ".3", "+.2e", "010.4g", "_>12.1F"}) {
    EXPECT_TRUE(log_specification_suits(good, LogArgument::Double)) << good;
  }
  for (const char* const bad : {"d", "x", ".", ".f", ".1000f", "s"}) {
    EXPECT_FALSE(log_specification_suits(bad, LogArgument::Double)) << bad;
  }
}

TEST(LogFormat, specifications_of_texts_pointers_and_the_rest) {
  for (const char* const good : {"", "s", "<10", ".5", ">10.5s"}) {
    EXPECT_TRUE(log_specification_suits(good, LogArgument::Text)) << good;
  }
  for (const char* const bad : {"d", "+", "010", "#", "x"}) {
    EXPECT_FALSE(log_specification_suits(bad, LogArgument::Text)) << bad;
    EXPECT_FALSE(log_specification_suits(bad, LogArgument::Decimal)) << bad;
    EXPECT_FALSE(log_specification_suits(bad, LogArgument::Bool)) << bad;
    EXPECT_FALSE(log_specification_suits(bad, LogArgument::Pointer)) << bad;
  }
  EXPECT_FALSE(log_specification_suits(".5", LogArgument::Decimal));
  EXPECT_TRUE(log_specification_suits(">18p", LogArgument::Pointer));
  EXPECT_FALSE(log_specification_suits("s", LogArgument::Pointer));
}

}  // namespace
}  // namespace nexusfix::deferred::detail
