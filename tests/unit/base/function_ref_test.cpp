#include <gtest/gtest.h>
#include <string>
#include <type_traits>

#include <nexusfix/base/language.hpp>

namespace {

using nexusfix::FunctionRef;

int call(FunctionRef<int(int)> function) { return function(21); }

TEST(FunctionRef, calls_a_lambda_and_changes_what_it_captured) {
  int calls = 0;
  EXPECT_EQ(call([&](int value) { return value + ++calls; }), 22);
  EXPECT_EQ(calls, 1);
}

TEST(FunctionRef, takes_only_callables_that_are_not_plain_functions) {
  EXPECT_TRUE((std::is_constructible_v<FunctionRef<int(int)>, decltype([](int x) { return x; })>));
  EXPECT_FALSE((std::is_constructible_v<FunctionRef<int(int)>, decltype([] { return 1; })>));
  EXPECT_FALSE((std::is_constructible_v<FunctionRef<int(int)>, int (&)(int)>));
}

TEST(FunctionRef, refers_to_the_callable_and_does_not_copy_it) {
  auto counter = [count = 0](int) mutable { return ++count; };
  const FunctionRef<int(int)> first{counter};
  const FunctionRef<int(int)> second = first;
  EXPECT_EQ(first(0), 1);
  EXPECT_EQ(second(0), 2);
  EXPECT_EQ(counter(0), 3);
}

TEST(FunctionRef, passes_arguments_by_reference) {
  std::string text = "a";
  const auto append = [](std::string& out) { out += 'b'; };
  FunctionRef<void(std::string&)>{append}(text);
  EXPECT_EQ(text, "ab");
}

}  // namespace
