// The language of a trader's rules, and what is left to chance.
#include "venue/flow/flow_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "venue/rules/parse_rules.hpp"

namespace nexusfix::flow {
namespace {

using venue::kUnitsPerOne;

std::string faults_of(std::string_view text) {
  const auto rules = parse_flow_rules(text);
  return rules ? "" : venue::to_string(rules.error(), "t");
}

TEST(FlowRules, lines_have_their_values) {
  const auto rules = parse_flow_rules(
      "orders 7\nrate 20 random\nsymbols A 70%, B 30%\nbuy 60%\nmarket 5%\n"
      "size 100 to 1000 step 100\nprice 9.5\ncancel 20% after 50ms to 1s\n"
      "replace 10% after 5ms\nif OrdStatus=1 then cancel after 10ms\n");
  ASSERT_TRUE(rules.has_value());
  EXPECT_EQ(rules->orders, 7U);
  EXPECT_EQ(rules->rate, 20U);
  EXPECT_TRUE(rules->is_rate_random);
  EXPECT_EQ(rules->symbols.back().permille, 300U);
  EXPECT_EQ(rules->buy_permille, 600U);
  EXPECT_EQ(rules->market_permille, 50U);
  EXPECT_EQ(rules->size.step, 100 * kUnitsPerOne);
  EXPECT_EQ(rules->price.max, rules->price.min);
  EXPECT_EQ(rules->cancel.max, Milliseconds{1'000});
  EXPECT_EQ(rules->replace.permille, 100U);
  EXPECT_EQ(rules->rules.front().line, 10U);
}

TEST(FlowRules, file_may_begin_with_a_byte_order_mark) {
  EXPECT_EQ(faults_of("\xEF\xBB\xBForders 7\r\nrate 20"), "");
}

TEST(FlowRules, faults_name_line_and_column) {
  EXPECT_EQ(faults_of("symbols A 70%, B 20%"), "t:1:18: the shares are 100% together");
  EXPECT_EQ(faults_of("rate 0"), "t:1:6: a rate is at least 1 order a second");
  EXPECT_EQ(faults_of("cancel 10%"), "t:1:11: 'after' was expected");
  EXPECT_EQ(faults_of("sice 100"), "t:1:1: 'sice' is unknown here. Did you mean 'size'?");
}

TEST(FlowRules, chance_stays_in_the_range_and_keeps_the_shares) {
  const auto rules = parse_flow_rules("symbols A 70%, B 30%\nsize 100 to 300 step 100\n");
  ASSERT_TRUE(rules.has_value());
  SeededRandom random{1};
  std::map<std::string, unsigned> symbols;
  std::map<Units, unsigned> sizes;
  for (int i = 0; i < 10'000; ++i) {
    ++symbols[rules->pick_symbol(random)];
    ++sizes[rules->size.pick(random) / kUnitsPerOne];
  }
  EXPECT_NEAR(symbols["A"], 7'000, 300);
  EXPECT_EQ(sizes.size(), 3U);
  EXPECT_EQ(sizes.begin()->first, 100);
  EXPECT_EQ(sizes.rbegin()->first, 300);
}

}  // namespace
}  // namespace nexusfix::flow
