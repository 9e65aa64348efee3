// The language of rules: what each line means, and where a fault is.
#include "venue/rules/parse_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/wire/parser.hpp>

#include "support/fix_text.hpp"

namespace nexusfix::venue {
namespace {

using ::testing::HasSubstr;

Rules rules_of(std::string_view text) {
  auto rules = parse_rules(text);
  EXPECT_TRUE(rules.has_value()) << to_string(rules.error(), "venue.rules");
  return rules ? *rules : Rules{};
}

std::string faults_of(std::string_view text) {
  const auto rules = parse_rules(text);
  return rules ? "" : to_string(rules.error(), "venue.rules");
}

// Whether the condition of a rule holds for these fields of an order.
bool holds(std::string_view condition, std::string_view fields, std::uint64_t seed = 1) {
  const Rules rules = rules_of("if " + std::string{condition} + " then accept");
  const std::string bytes = testing::fix("FIX.4.4", "35=D|" + std::string{fields});
  wire::Parser parser;
  SeededRandom random{seed};
  return rules.first(*parser.parse(bytes), random) != nullptr;
}

TEST(ParseRules, comments_and_empty_lines_have_no_effect) {
  EXPECT_TRUE(rules_of("# all\n\n   # of them\n").rules.empty());
}

TEST(ParseRules, condition_compares_text_and_numbers) {
  EXPECT_TRUE(holds("Symbol=TEST1", "55=TEST1|"));
  EXPECT_FALSE(holds("Symbol=TEST1", "55=TEST2|"));
  EXPECT_FALSE(holds("Symbol=TEST1", "54=1|"));
  EXPECT_TRUE(holds("Symbol!=TEST1", "54=1|"));
  EXPECT_TRUE(holds("OrderQty>1000", "38=1000.5|"));
  EXPECT_FALSE(holds("OrderQty>1000", "38=1000|"));
  EXPECT_TRUE(holds("38>=1000", "38=1000|"));
  EXPECT_TRUE(holds("OrderQty<9", "38=8|"));
  EXPECT_TRUE(holds("OrderQty<=9", "38=9|"));
  EXPECT_FALSE(holds("OrderQty<9", "38=many|"));
  EXPECT_TRUE(holds("OrderQty=100", "38=100.0|"));
}

TEST(ParseRules, condition_has_names_of_values_patterns_lists_and_presence) {
  EXPECT_TRUE(holds("Side=BUY", "54=1|"));
  EXPECT_TRUE(holds("MsgType=NewOrderSingle", "54=1|"));
  EXPECT_TRUE(holds("Symbol like 'TEST*9'", "55=TEST19|"));
  EXPECT_FALSE(holds("Symbol like 'TEST*9'", "55=TEST91|"));
  EXPECT_TRUE(holds("Symbol in A, B", "55=B|"));
  EXPECT_FALSE(holds("Symbol in A, B", "55=C|"));
  EXPECT_TRUE(holds("has Account", "1=X|"));
  EXPECT_FALSE(holds("no Account", "1=X|"));
  EXPECT_TRUE(holds("no Account and Side=1", "54=1|"));
  EXPECT_FALSE(holds("no Account and Side=2", "54=1|"));
}

TEST(ParseRules, chance_follows_the_seed) {
  EXPECT_TRUE(holds("chance 100%", "54=1|"));
  EXPECT_FALSE(holds("chance 0%", "54=1|"));
  unsigned hits = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    hits += holds("chance 10%", "54=1|", seed) ? 1U : 0U;
    EXPECT_EQ(holds("chance 10%", "54=1|", seed), holds("chance 10%", "54=1|", seed));
  }
  EXPECT_GT(hits, 50U);
  EXPECT_LT(hits, 200U);
}

TEST(ParseRules, rule_without_msg_type_is_for_new_orders_alone) {
  wire::Parser parser;
  SeededRandom random{1};
  const std::string cancel = testing::fix("FIX.4.4", "35=F|55=A|");
  EXPECT_EQ(rules_of("if Symbol=A then accept").first(*parser.parse(cancel), random), nullptr);
  EXPECT_NE(rules_of("if MsgType=F then accept").first(*parser.parse(cancel), random), nullptr);
}

TEST(ParseRules, first_rule_that_holds_counts) {
  const Rules rules =
      rules_of("if Symbol=B then accept\nif Side=1 then hold\nif Side=1 then accept");
  wire::Parser parser;
  SeededRandom random{1};
  const std::string order = testing::fix("FIX.4.4", "35=D|55=A|54=1|");
  EXPECT_EQ(rules.first(*parser.parse(order), random)->line, 2U);
}

TEST(ParseRules, actions_have_their_values) {
  const Rules rules = rules_of(
      "if Side=1 then reject reason 3 'bad luck'\n"
      "if Side=2 then delay 50ms to 2s, fill 50% in 3 parts at 10.5 after 1m, cancel after 5s\n"
      "if Side=5 then stay silent\nif Side=6 then log out 'bye'\nif Side=7 then disconnect\n");
  const Action* const reject = rules.rules[0].action(ActionKind::Reject);
  ASSERT_NE(reject, nullptr);
  EXPECT_EQ(reject->reason, 3U);
  EXPECT_EQ(reject->text, "bad luck");
  const Action* const delay = rules.rules[1].action(ActionKind::Delay);
  ASSERT_NE(delay, nullptr);
  EXPECT_EQ(delay->time, Milliseconds{50});
  EXPECT_EQ(delay->time_max, Milliseconds{2'000});
  const Action* const fill = rules.rules[1].action(ActionKind::Fill);
  ASSERT_NE(fill, nullptr);
  EXPECT_EQ(fill->permille, 500U);
  EXPECT_EQ(fill->parts, 3U);
  EXPECT_EQ(fill->price, 10 * kUnitsPerOne + kUnitsPerOne / 2);
  EXPECT_EQ(fill->time, Milliseconds{60'000});
  EXPECT_NE(rules.rules[2].action(ActionKind::StaySilent), nullptr);
  EXPECT_EQ(rules.rules[3].action(ActionKind::LogOut)->text, "bye");
  EXPECT_NE(rules.rules[4].action(ActionKind::Disconnect), nullptr);
}

TEST(ParseRules, lines_of_the_market_have_their_values) {
  const Rules rules = rules_of(
      "instrument TEST1 tick 0.01 lot 100 price 10 currency EUR type CS\ninstruments only\n"
      "halt A, B\nauction C open for 30s\nauction D open\nauction E uncross\n"
      "self-trade cancel newest\nself-trade cancel both symbol C session X\n"
      "self-trade allow session Y\ncancel on disconnect of X, Y\ndrop copy to RISK of X\n"
      "market data every 100ms\nquote spread 0.02 size 100\n");
  ASSERT_NE(rules.instrument("TEST1"), nullptr);
  EXPECT_EQ(rules.instrument("TEST1")->tick, kUnitsPerOne / 100);
  EXPECT_TRUE(rules.only_instruments);
  EXPECT_TRUE(rules.is_halted("B"));
  EXPECT_FALSE(rules.is_halted("C"));
  EXPECT_EQ(rules.auction("C")->time, Milliseconds{30'000});
  EXPECT_FALSE(rules.auction("D")->time.has_value());
  EXPECT_EQ(rules.auction("E"), nullptr);
  EXPECT_EQ(rules.self_trade_policy("A", "Z"), SelfTrade::CancelNewest);
  EXPECT_EQ(rules.self_trade_policy("C", "X"), SelfTrade::CancelBoth);
  EXPECT_EQ(rules.self_trade_policy("C", "Y"), SelfTrade::Allow);
  EXPECT_TRUE(rules.cancels_on_disconnect_for("Y"));
  EXPECT_FALSE(rules.cancels_on_disconnect_for("Z"));
  EXPECT_EQ(rules.drop_copies.front().of.front(), "X");
  EXPECT_EQ(rules.market_data_interval, Milliseconds{100});
  EXPECT_EQ(rules.quotes->size, 100 * kUnitsPerOne);
}

TEST(ParseRules, fault_names_line_column_and_nearest_word) {
  EXPECT_EQ(faults_of("if Symbol=A then accept\nif Symbol=A then rejct 'no'"),
            "venue.rules:2:18: 'rejct' is unknown here. Did you mean 'reject'?");
  EXPECT_EQ(faults_of("if Simbol=A then accept"),
            "venue.rules:1:4: there is no field 'Simbol'. Did you mean 'Symbol'?");
  EXPECT_THAT(faults_of("if MsgType=NewOrderSingel then accept"),
              HasSubstr("1:12: the field has no value 'NewOrderSingel'. Did you mean "
                        "'NewOrderSingle'?"));
  EXPECT_THAT(faults_of("halt"), HasSubstr("1:5: a symbol was expected"));
  EXPECT_THAT(faults_of("if Symbol=A accept"), HasSubstr("1:13: 'then' was expected"));
  EXPECT_THAT(faults_of("if Symbol='A then accept"), HasSubstr("1:11: the text has no end"));
  EXPECT_THAT(faults_of("if Symbol=A then delay 50"), HasSubstr("1:24: a time up to a day"));
  EXPECT_THAT(faults_of("if Symbol=A then accept now"), HasSubstr("1:25: 'now' was not expected"));
  EXPECT_THAT(faults_of("if OrderQty>many then accept"), HasSubstr("1:13: a number"));
  EXPECT_THAT(faults_of("instrument A tick 0"), HasSubstr("1:19: a tick, a number above 0"));
  EXPECT_THAT(faults_of("if Side=1 then reject 'a', fill"), HasSubstr("no other actions"));
  EXPECT_THAT(faults_of("if Side=1 then hold, hold"), HasSubstr("each action once"));
}

TEST(ParseRules, share_of_a_fill_keeps_its_decimal_and_is_above_0) {
  const Rules rules = rules_of("if Side=1 then fill 12.5%");
  EXPECT_EQ(rules.rules.front().action(ActionKind::Fill)->permille, 125U);
  EXPECT_EQ(faults_of("if Side=1 then fill 0%"),
            "venue.rules:1:21: a fill has a share above 0%; 'hold' fills nothing");
}

TEST(ParseRules, file_with_a_byte_order_mark_or_cr_lf_is_read) {
  const Rules rules = rules_of("\xef\xbb\xbfhalt A\r\nhalt B\r\n");
  EXPECT_TRUE(rules.is_halted("A"));
  EXPECT_TRUE(rules.is_halted("B"));
}

TEST(ParseRules, allocation_reports_are_a_rule) {
  EXPECT_TRUE(rules_of("allocation reports").reports_allocations);
  EXPECT_FALSE(rules_of("halt A").reports_allocations);
}

TEST(ParseRules, number_that_is_too_long_is_said_to_be_so) {
  EXPECT_EQ(faults_of("if OrderQty>99999999999999999999 then accept"),
            "venue.rules:1:13: a number with up to 18 digits was expected");
}

TEST(ParseRules, fault_repeats_the_beginning_of_a_long_word_alone) {
  const std::string faults = faults_of(std::string(100'000, 'x'));
  EXPECT_LT(faults.size(), 300U);
  EXPECT_THAT(faults, HasSubstr("venue.rules:1:1: 'xxxx"));
}

TEST(ParseRules, faults_after_the_first_hundred_are_counted) {
  std::string text;
  for (int line = 0; line < 150; ++line) text += "haltt A\n";
  const std::string faults = faults_of(text);
  EXPECT_THAT(faults, HasSubstr("venue.rules:100:1: "));
  EXPECT_THAT(faults, ::testing::Not(HasSubstr("venue.rules:101:1: ")));
  EXPECT_THAT(faults, ::testing::EndsWith("\nvenue.rules: 50 more faults"));
}

TEST(ParseRules, every_line_with_a_fault_is_named) {
  EXPECT_EQ(faults_of("hallt A\nhalt B\nautcion C open"),
            "venue.rules:1:1: 'hallt' is unknown here. Did you mean 'halt'?\n"
            "venue.rules:3:1: 'autcion' is unknown here. Did you mean 'auction'?");
}

}  // namespace
}  // namespace nexusfix::venue
