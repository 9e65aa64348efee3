// The language of venue.cfg, rules, and messages by a text.
#include "venues/kit/kit.hpp"

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/wire/parser.hpp>

#include "venues/kit/kit_files.hpp"
#include "venues/logon/rule.hpp"
#include "venues/simulate/message_template.hpp"

namespace nexusfix::venues {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kHead =
    "[DEFAULT]\nApplicationKeys=Venue*\nConnectionType=acceptor\nStore=memory\n"
    "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=V\nTargetCompID=C\nSocketAcceptPort=9000\n";
constexpr std::string_view kClient =
    "[DEFAULT]\nConnectionType=initiator\nStore=memory\n[SESSION]\nBeginString=FIX.4.4\n"
    "SenderCompID=C\nTargetCompID=V\nSocketConnectHost=127.0.0.1\nSocketConnectPort=9000\n"
    "HeartBtInt=30\n";

std::expected<Kit, std::string> parsed(const std::string& keys) {
  return parse_kit("x", std::string{kHead} + keys, [](std::string_view) { return kClient; });
}

TEST(Rule, condition_way_and_text_are_read) {
  const auto rule = Rule::parse("25035 in 1,2 -> logout MessageHandling is wrong");
  ASSERT_TRUE(rule) << rule.error();
  EXPECT_EQ(rule->refusal().way, Way::Logout);
  EXPECT_EQ(rule->refusal().text, "MessageHandling is wrong");
  EXPECT_EQ(rule->refusal().tag, 25035U);
  EXPECT_TRUE(rule->is_kept(tester::fields_of("25035=2\x01")));
  EXPECT_FALSE(rule->is_kept(tester::fields_of("25035=3\x01")));
  EXPECT_FALSE(rule->is_kept(tester::fields_of("35=A\x01")));
}

TEST(Rule, message_is_sent_as_the_answer) {
  const auto rule = Rule::parse("48 in 4001,4002 -> send 35=Y|262={262}|58=UNKNOWN");
  ASSERT_TRUE(rule) << rule.error();
  EXPECT_EQ(rule->refusal().way, Way::Send);
  EXPECT_EQ(rule->refusal().message, "35=Y|262={262}|58=UNKNOWN");
  EXPECT_EQ(rule->refusal().text, "UNKNOWN");
}

TEST(Rule, field_of_a_group_is_checked_in_each_entry) {
  const auto rule = Rule::parse("55 in A,B -> reject Unknown product");
  ASSERT_TRUE(rule) << rule.error();
  EXPECT_EQ(rule->refusal().way, Way::Reject);
  EXPECT_TRUE(
      rule->is_kept(tester::fields_of("146=2\x01"
                                      "55=A\x01"
                                      "55=B\x01")));
  EXPECT_FALSE(
      rule->is_kept(tester::fields_of("146=2\x01"
                                      "55=A\x01"
                                      "55=C\x01")));
  const auto second = Rule::parse("55#2=B -> reject no");
  ASSERT_TRUE(second) << second.error();
  EXPECT_TRUE(
      second->is_kept(tester::fields_of("55=A\x01"
                                        "55=B\x01")));
}

TEST(Rule, secret_is_not_shown) {
  const auto shown = [](std::string_view text) {
    const auto rule = Rule::parse(std::string{text} + " -> logout no");
    return rule ? rule->shown() : rule.error();
  };
  EXPECT_EQ(shown("554=test-password"), "554=...");
  EXPECT_EQ(shown("925!=test-password"), "925!=...");
  EXPECT_EQ(shown("96~^[a-z]$"), "96~...");
  EXPECT_EQ(shown("554 present"), "554 present");
  EXPECT_EQ(shown("553=test-api-key"), "553=test-api-key");
}

TEST(Rule, wrong_ones_say_what_was_expected) {
  EXPECT_THAT(Rule::parse("35=A").error(), HasSubstr("CONDITION -> WAY TEXT"));
  EXPECT_THAT(Rule::parse("35=A -> shout no").error(), HasSubstr("logout, disconnect, reject"));
  EXPECT_THAT(Rule::parse("A=35 -> logout no").error(), HasSubstr("begins with a tag"));
}

TEST(Kit, unknown_keys_and_wrong_values_are_errors_with_their_session) {
  EXPECT_THAT(parsed("VenueSymbol=X\nVenueEndpoint=oe\n").error(),
              HasSubstr("x/venue.cfg:5: venuesymbol: there is no such key"));
  EXPECT_THAT(parsed("VenueTick=1\n").error(), HasSubstr("VenueEndpoint is missing"));
  EXPECT_THAT(parsed("VenueEndpoint=oe\nVenueClock=soon\n").error(), HasSubstr("a whole number"));
  EXPECT_THAT(parsed("VenueEndpoint=oe\nVenueBook1=A up 1 2\n").error(), HasSubstr("buy|sell"));
  EXPECT_THAT(parsed("VenueEndpoint=oe\nVenueRule1=D\n").error(), HasSubstr("MSGTYPE: ..."));
  EXPECT_THAT(parsed("VenueEndpoint=oe\nVenueSignature=logout no\n").error(),
              HasSubstr("has no LogonSignature"));
}

TEST(Kit, envelope_is_a_msg_type_and_an_element) {
  const auto kit = parsed("VenueEndpoint=dc\nVenueEnvelope=n RTRF\n");
  ASSERT_TRUE(kit) << kit.error();
  ASSERT_TRUE(kit->endpoints.front().envelope);
  EXPECT_EQ(kit->endpoints.front().envelope->msg_type, "n");
  EXPECT_EQ(kit->endpoints.front().envelope->element, "RTRF");
  EXPECT_THAT(parsed("VenueEndpoint=dc\nVenueEnvelope=n\n").error(),
              HasSubstr("MSGTYPE ELEMENT was expected"));
}

TEST(Kit, numbered_values_are_continued) {
  const auto kit = parsed("VenueEndpoint=oe\nVenueReply1=x: 35=y\nVenueReply1.1=|320={320}\n");
  ASSERT_TRUE(kit) << kit.error();
  ASSERT_EQ(kit->endpoints.front().canned.size(), 1U);
  EXPECT_EQ(kit->endpoints.front().canned.front().text, "35=y|320={320}");
  EXPECT_EQ(kit->endpoints.front().canned.front().msg_type, "x");
}

TEST(Kit, moved_field_takes_a_value_of_its_own) {
  const auto kit = parsed("VenueEndpoint=oe\nVenueReportMoves=41<11,30050=1<31,30052=@32<31\n");
  ASSERT_TRUE(kit) << kit.error();
  const auto& moves = kit->endpoints.front().report_moves;
  ASSERT_EQ(moves.size(), 3U);
  EXPECT_EQ(moves[0].value, "");
  EXPECT_EQ(moves[1].to, 30'050U);
  EXPECT_EQ(moves[1].from, 31U);
  EXPECT_EQ(moves[1].value, "1");
  EXPECT_EQ(moves[2].value, "@32");
}

TEST(Kit, instruments_have_the_field_of_the_venue_and_a_symbol_without_one) {
  const auto kit = parsed("VenueEndpoint=md\nVenueSymbolField=48\nVenueFullRefresh=Y\n");
  ASSERT_TRUE(kit) << kit.error();
  EXPECT_EQ(kit->symbol_tag, 48U);
  EXPECT_TRUE(kit->endpoints.front().feed.full_refresh);
  const auto other = parsed("VenueEndpoint=md\n");
  ASSERT_TRUE(other) << other.error();
  EXPECT_EQ(other->symbol_tag, 55U);
  EXPECT_FALSE(other->endpoints.front().feed.full_refresh);
  EXPECT_THAT(parsed("VenueEndpoint=md\nVenueSymbolField=SecurityID\n").error(),
              HasSubstr("a whole number was expected"));
}

TEST(Kit, field_is_left_out_of_reports_always_or_with_a_value) {
  const auto kit = parsed("VenueEndpoint=oe\nVenueReportWithout=6,32=0\n");
  ASSERT_TRUE(kit) << kit.error();
  const auto& without = kit->endpoints.front().report_without;
  ASSERT_EQ(without.size(), 2U);
  EXPECT_EQ(without[0].tag, 6U);
  EXPECT_EQ(without[0].value, "");
  EXPECT_EQ(without[1].tag, 32U);
  EXPECT_EQ(without[1].value, "0");
}

TEST(Kit, unknown_name_is_answered_with_the_nearest) {
  const auto kit = read_kit("binnance");
  ASSERT_FALSE(kit);
  EXPECT_THAT(kit.error(), HasSubstr("did you mean binance?"));
}

TEST(Kit, every_kit_has_its_files) {
  for (const std::string_view name : kit_names()) {
    SCOPED_TRACE(name);
    for (const char* file : {"README.md", "client.cfg", "example.cpp", "example.py", "venue.cfg"}) {
      EXPECT_FALSE(kit_file(name, file).empty()) << file;
    }
    EXPECT_THAT(std::string{kit_file(name, "README.md")}, HasSubstr("**Not tried against"));
  }
}

TEST(MessageTemplate, names_become_values_and_fields_without_one_are_left_out) {
  std::string bytes = "8=FIX.4.4|9=12|35=V|262=R1|";
  std::ranges::replace(bytes, '|', tester::kSoh);
  unsigned sum = 0;
  for (const char c : bytes) sum += static_cast<unsigned char>(c);
  bytes += "10=" + std::to_string(sum % 256 + 1'000).substr(1) + tester::kSoh;
  wire::Parser parser;
  const auto message = parser.parse(bytes);
  ASSERT_TRUE(message);
  const TemplateValues values{.message = &*message, .count = 7, .random = "r"};
  const auto fields = expand_template("35=W|262={262}|58={58}|37=N{count}|1={random}{262}", values);
  ASSERT_EQ(fields.size(), 4U);
  EXPECT_EQ(fields[1].value, "R1");
  EXPECT_EQ(fields[2].tag, 37U);
  EXPECT_EQ(fields[2].value, "N7");
  EXPECT_EQ(fields[3].value, "rR1");
}

TEST(MessageTemplate, time_is_one_value_or_a_date_and_a_time_of_day) {
  using namespace std::chrono;
  const TemplateValues values{
      .now = WallTime{sys_days{2026y / November / 29} + 23h + 59min + 58s + 7ms}};
  const auto fields = expand_template("60={now}|272={date}|273={time}", values);
  ASSERT_EQ(fields.size(), 3U);
  EXPECT_EQ(fields[0].value, "20261129-23:59:58.007");
  EXPECT_EQ(fields[1].value, "20261129");
  EXPECT_EQ(fields[2].value, "23:59:58.007");
}

}  // namespace
}  // namespace nexusfix::venues
