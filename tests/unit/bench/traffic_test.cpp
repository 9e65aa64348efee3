#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire.hpp>

#include "bench/messages/messages.hpp"
#include "bench/traffic/inputs.hpp"

namespace nexusfix::bench {
namespace {

constexpr std::size_t kMany = 20'000;

std::vector<FlowMessage> many(FlowTimes times = FlowTimes::All) {
  OrderFlow flow{7, times};
  std::vector<FlowMessage> messages;
  while (messages.size() < kMany) messages.push_back(flow.next());
  return messages;
}

// The values of a tag in the first messages of a kind, by parsing.
std::vector<std::string> values_of(wire::Tag tag, FlowKind kind) {
  std::vector<std::string> values;
  wire::Parser parser;
  for (const FlowMessage& one : many()) {
    if (one.kind != kind) continue;
    const std::string text = one.text();
    const auto value = parser.parse(text).value()[tag];
    values.emplace_back(value.value_or(""));
  }
  return values;
}

// The share of each class of values.
template <class Classify>
std::map<std::size_t, double> shares(const std::vector<std::string>& values, Classify classify) {
  std::map<std::size_t, double> shares;
  for (const std::string& value : values) {
    shares[classify(value)] += 1.0 / static_cast<double>(values.size());
  }
  return shares;
}

void expect_evenly(const std::map<std::size_t, double>& shares, std::size_t least,
                   std::size_t most) {
  ASSERT_EQ(shares.size(), most - least + 1);
  EXPECT_EQ(shares.begin()->first, least);
  EXPECT_EQ(shares.rbegin()->first, most);
  const double each = 1.0 / static_cast<double>(shares.size());
  for (const auto& [of, share] : shares) EXPECT_NEAR(share, each, each / 5) << of;
}

TEST(OrderFlow, is_replayed_by_its_seed_and_differs_by_seed) {
  OrderFlow one{3};
  OrderFlow same{3};
  OrderFlow other{4};
  std::size_t equal = 0;
  for (int i = 0; i < 1'000; ++i) {
    const std::string text = one.next().text();
    EXPECT_EQ(text, same.next().text());
    equal += text == other.next().text() ? 1 : 0;
  }
  EXPECT_EQ(equal, 0U);
  EXPECT_EQ(flow_messages().texts, flow_messages().texts);
}

// On every machine and with every compiler: another flow changes every figure.
TEST(OrderFlow, begins_with_the_same_messages_everywhere) {
  OrderFlow flow{1};
  std::string texts;
  for (int i = 0; i < 2; ++i) texts += flow.next().text();
  std::ranges::replace(texts, '\x01', '|');
  EXPECT_EQ(texts,
            "8=FIX.4.4|9=152|35=D|49=DESK7|56=VENUE|34=1|52=20240115-10:00:00.521|11=20240115"
            "-000061|1=ACC826|21=1|55=BSQO|54=1|60=20240115-10:00:00.519780|38=7|40=2|44=1.91"
            "14|59=0|10=134|"
            "8=FIX.4.4|9=235|35=8|49=VENUE|56=DESK7|34=1|52=20240115-10:00:00.539|37=20240115"
            "-003854|11=20240115-000061|17=20240115-003855|150=0|39=0|1=ACC826|55=BSQO|54=1|3"
            "8=7|40=2|44=1.9114|59=0|151=7|14=0|6=0|60=20240115-10:00:00.519955921|58=MHUCRGO"
            "LZFE ISHAT|10=109|");
}

TEST(OrderFlow, every_message_is_valid_with_right_length_and_check_sum) {
  const auto dictionary = dictionary::builtin_dictionary(dictionary::Version::Fix44);
  const auto validator = dictionary::Validator::make(dictionary, {}).value();
  wire::Parser parser;
  for (const FlowMessage& one : many()) {
    const std::string text = one.text();
    const auto message = parser.parse(text);
    ASSERT_TRUE(message) << text;
    ASSERT_FALSE(message->fault()) << text;
    ASSERT_FALSE(validator.validate(*message)) << text;
    // Counted here, not by the parser.
    const std::size_t body = text.find('\x01', text.find("\x01"
                                                         "9=") +
                                                   1) +
                             1;
    const std::size_t trailer = text.rfind("10=");
    ASSERT_EQ((*message)[9], std::to_string(trailer - body)) << text;
    unsigned sum = 0;
    for (const char c : text.substr(0, trailer)) sum += static_cast<unsigned char>(c);
    char digits[8];
    std::snprintf(digits, sizeof digits, "%03u", sum % 256);
    ASSERT_EQ((*message)[10], digits) << text;
    ASSERT_EQ((*message)[35], std::string(1, one.msg_type));
  }
}

TEST(OrderFlow, numbers_each_side_and_every_request_has_one_first_answer) {
  std::map<std::string, std::uint64_t> last;
  std::set<std::string> sent;
  std::set<std::string> answered;
  wire::Parser parser;
  for (const FlowMessage& one : many()) {
    const std::string text = one.text();
    const auto message = parser.parse(text).value();
    EXPECT_EQ(message.get<std::uint64_t>(34), ++last[std::string{message[49].value()}]);
    const std::string id{message[11].value()};
    const bool is_fill = one.kind == FlowKind::Fill;
    if (message[49] == "DESK7") {
      EXPECT_TRUE(sent.insert(id).second) << "a ClOrdID twice: " << id;
    } else {
      EXPECT_TRUE(sent.contains(id)) << text;
      EXPECT_TRUE(is_fill ? answered.contains(id) : answered.insert(id).second) << text;
    }
    if (message.has(41)) {
      EXPECT_TRUE(sent.contains(std::string{message[41].value()})) << text;
    }
  }
  EXPECT_LE(sent.size() - answered.size(), 1U);
}

TEST(OrderFlow, quantities_of_a_report_add_up) {
  wire::Parser parser;
  for (const FlowMessage& one : many()) {
    if (one.msg_type != '8') continue;
    const std::string text = one.text();
    const auto message = parser.parse(text).value();
    const auto number = [&](wire::Tag tag) { return message.get<std::int64_t>(tag).value(); };
    const bool is_open = message[39] == "0" || message[39] == "1";
    EXPECT_EQ(number(151), is_open ? number(38) - number(14) : 0) << text;
    EXPECT_LE(number(14), number(38)) << text;
    if (one.kind == FlowKind::Fill) {
      EXPECT_EQ(number(32), one.fill.last_qty) << text;
      EXPECT_EQ(message[31], price_text(one.fill.last_px)) << text;
    }
  }
}

TEST(OrderFlow, kinds_have_their_shares) {
  std::map<FlowKind, double> shares;
  for (const FlowMessage& one : many()) shares[one.kind] += 1.0 / kMany;
  const double requests =
      shares[FlowKind::Order] + shares[FlowKind::Replace] + shares[FlowKind::Cancel];
  EXPECT_NEAR(shares[FlowKind::Order] / requests, 0.6, 0.02);
  EXPECT_NEAR(shares[FlowKind::Replace] / requests, 0.2, 0.02);
  EXPECT_NEAR(shares[FlowKind::Cancel] / requests, 0.2, 0.02);
  EXPECT_NEAR(shares[FlowKind::Reject] / requests, 0.6 * 0.05 + 0.4 * 0.1, 0.01);
  EXPECT_NEAR((shares[FlowKind::Report] + shares[FlowKind::Reject]) / requests, 1, 0.01);
}

TEST(OrderFlow, values_have_the_stated_lengths) {
  const auto size = [](const std::string& value) { return value.size(); };
  expect_evenly(shares(values_of(55, FlowKind::Order), size), 1, 12);
  expect_evenly(shares(values_of(38, FlowKind::Order), size), 1, 7);
  for (const auto& [tag, kind] : {std::pair{44, FlowKind::Order}, std::pair{31, FlowKind::Fill}}) {
    const auto prices = values_of(static_cast<wire::Tag>(tag), kind);
    expect_evenly(shares(prices,
                         [](const std::string& price) {
                           const std::size_t point = price.find('.');
                           return point == std::string::npos ? 0 : price.size() - point - 1;
                         }),
                  0, 5);
    expect_evenly(shares(prices,
                         [](std::string price) {
                           std::erase(price, '.');
                           const std::size_t zeros = price.find_first_not_of('0');
                           return price.size() - zeros;
                         }),
                  1, 9);
  }
}

TEST(OrderFlow, identifiers_have_three_forms) {
  const auto form = [](const std::string& id) -> std::size_t {
    if (id.size() == 36 && id[8] == '-' && id[13] == '-') return 2;
    if (id.starts_with("20240115-")) return 1;
    return id.find_first_not_of("0123456789") == std::string::npos ? 0 : 3;
  };
  for (const wire::Tag tag : {11U, 37U, 17U}) {
    expect_evenly(shares(values_of(tag, tag == 11 ? FlowKind::Order : FlowKind::Fill), form), 0, 2);
  }
}

TEST(OrderFlow, optional_fields_are_in_their_share_of_messages) {
  const auto has = [](const std::string& value) { return value.empty() ? 0UZ : 1UZ; };
  EXPECT_NEAR(shares(values_of(1, FlowKind::Order), has)[1], 0.75, 0.02);
  EXPECT_NEAR(shares(values_of(453, FlowKind::Order), has)[1], 0.25, 0.02);
  for (const FlowKind kind : {FlowKind::Order, FlowKind::Replace, FlowKind::Report}) {
    EXPECT_NEAR(shares(values_of(58, kind), has)[1], 0.125, 0.02);
  }
}

TEST(OrderFlow, times_have_milliseconds_microseconds_and_nanoseconds) {
  const auto digits = [](const std::string& time) { return time.size() - time.find('.') - 1; };
  for (const FlowKind kind : {FlowKind::Order, FlowKind::Fill}) {
    auto of = shares(values_of(60, kind), digits);
    EXPECT_NEAR(of[3], 0.5, 0.03);
    EXPECT_NEAR(of[6], 0.25, 0.03);
    EXPECT_NEAR(of[9], 0.25, 0.03);
  }
  for (const FlowMessage& one : many(FlowTimes::Milliseconds)) {
    EXPECT_NE(one.body.find("60=" + timestamp_text(one.transact_time_ms) + "|"), std::string::npos);
  }
}

TEST(FlowInputs, rows_get_a_thousand_different_messages_of_many_shapes) {
  for (const Messages& messages :
       {flow_messages(), flow_orders(), flow_execution_reports(), flow_read_job().messages}) {
    ASSERT_EQ(messages.texts.size(), kFlowInputs);
    EXPECT_EQ(std::set(messages.texts.begin(), messages.texts.end()).size(), kFlowInputs);
    std::set<std::size_t> sizes;
    for (const std::string& text : messages.texts) sizes.insert(text.size());
    EXPECT_GT(sizes.size(), 60U);
  }
  EXPECT_EQ(desk_orders().size(), kFlowInputs);
}

TEST(FlowInputs, orders_of_one_shape_have_values_of_equal_length) {
  for (const DeskOrder& order : one_shape_desk_orders()) {
    EXPECT_EQ(order.cl_ord_id.size(), 8U);
    EXPECT_EQ(order.symbol, "AAPL");
    EXPECT_EQ(price_text(order.price), "150.25");
    EXPECT_TRUE(order.account.empty() && order.parties.empty() && order.text.empty());
  }
}

}  // namespace
}  // namespace nexusfix::bench
