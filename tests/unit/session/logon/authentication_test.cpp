// Which Logons are accepted, and the fields of our own Logon. FIX 4.3 and later, Logon: Username
// (553), Password (554); FIX 5.0: NewPassword (925); FIXT 1.1: SessionStatus (1409).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

SessionConfig authenticating(std::string_view begin_string = "FIX.4.4") {
  SessionConfig config = acceptor_config(begin_string);
  config.logon.authenticates = true;
  return config;
}

constexpr LogonDecision kAccept{};
constexpr LogonDecision kRefuse{.kind = LogonDecision::Kind::Refuse, .text = "unknown user"};

TEST(Authentication, valid_logon_is_answered_after_the_decision) {
  // FIX 4.4, Logon, Username and Password; FIX Session Layer, "Logon".
  Side acceptor{authenticating()};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30|553=me|554=secret");
  EXPECT_EQ(acceptor.state(), State::LogonReceived);
  EXPECT_EQ(acceptor.asked_about, "35=A|34=1|98=0|108=30|553=me|554=secret");
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.next_in(), 1U);
  acceptor.advance(3s);
  acceptor.decide(kAccept);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=1|98=0|108=30"));
  EXPECT_EQ(acceptor.state(), State::LoggedOn);
  EXPECT_EQ(acceptor.next_in(), 2U);
  EXPECT_EQ(acceptor.logged_on, 1);
}

TEST(Authentication, refusal_is_a_logout_with_its_text_and_uses_up_no_inbound_number) {
  // FIX Session Layer, "Logon": a refusal may come as a Logout with a text.
  Side acceptor{authenticating()};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30");
  acceptor.decide(kRefuse);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=1|58=unknown user"));
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::NotAuthenticated);
  EXPECT_EQ(acceptor.next_in(), 1U);
  EXPECT_EQ(acceptor.logged_on + acceptor.logged_out, 0);
}

TEST(Authentication, session_status_goes_with_the_answer_on_fixt_only) {
  // FIXT 1.1, SessionStatus (1409).
  for (const char* version : {"FIX.4.4", "FIXT.1.1"}) {
    const bool is_fixt = std::string_view{version} == "FIXT.1.1";
    const std::string more = is_fixt ? "|1137=9" : "";
    Side accepting{authenticating(version)};
    accepting.connect();
    accepting.in("35=A|34=1|98=0|108=30" + more);
    accepting.decide({.session_status = 0});
    EXPECT_THAT(accepting.sent(),
                ElementsAre("35=A|34=1|98=0|108=30" + more + (is_fixt ? "|1409=0" : "")));
    accepting.log_out();  // the status is sent once
    EXPECT_THAT(accepting.sent(), ElementsAre("35=5|34=2"));

    Side refusing{authenticating(version)};
    refusing.connect();
    refusing.in("35=A|34=1|98=0|108=30" + more);
    refusing.decide({.kind = LogonDecision::Kind::Refuse, .text = "no", .session_status = 5});
    EXPECT_THAT(refusing.sent(),
                ElementsAre(std::string{"35=5|34=1|58=no"} + (is_fixt ? "|1409=5" : "")));
  }
}

TEST(Authentication, session_status_of_the_counterparty_is_reported) {
  // FIXT 1.1, SessionStatus (1409).
  Side initiator{initiator_config("FIXT.1.1")};
  initiator.connect();
  initiator.in("35=A|34=1|98=0|108=30|1137=9|1409=2");
  EXPECT_THAT(initiator.notice_texts, Contains("session password due to expire"));
  initiator.in("35=5|34=2|1409=6");
  EXPECT_THAT(initiator.notice_texts, Contains("account locked"));
  EXPECT_EQ(session_status_text(100), "other");

  Side refused{initiator_config("FIXT.1.1")};
  refused.connect();
  refused.in("35=5|34=1|1409=5");
  EXPECT_THAT(refused.notice_texts, Contains("invalid username or password"));
}

TEST(Authentication, without_a_decision_the_connection_ends_after_its_own_timeout) {
  // FIX Session Layer, "Logon": bounded waiting.
  SessionConfig config = authenticating();
  config.logon.authentication_timeout = 7s;
  Side acceptor{config};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30");
  acceptor.advance(6999ms);
  EXPECT_TRUE(acceptor.is_connected());
  acceptor.advance(1ms);
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogonNotDecided);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  acceptor.decide(kAccept);  // too late
  EXPECT_EQ(acceptor.state(), State::Disconnected);
}

TEST(Authentication, decision_on_an_earlier_logon_does_not_apply_to_a_later_one) {
  Side acceptor{authenticating()};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30");
  const std::uint64_t first = acceptor.last_logon_id;
  acceptor.disconnect();
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30");
  acceptor.decide(kAccept, first);
  EXPECT_EQ(acceptor.state(), State::LogonReceived);
  acceptor.decide(kAccept);
  EXPECT_EQ(acceptor.state(), State::LoggedOn);
}

TEST(Authentication, unauthenticated_peer_resets_nothing) {
  // FIX 4.4, Logon, ResetSeqNumFlag, after the decision.
  SessionConfig config = authenticating();
  for (const bool by_configuration : {false, true}) {
    config.reset.on_logon = by_configuration;
    Side acceptor{config, {.next_inbound = 5, .next_outbound = 7}};
    acceptor.connect();
    acceptor.in(by_configuration ? "35=A|34=1|98=0|108=30" : "35=A|34=1|98=0|108=30|141=Y");
    EXPECT_EQ(acceptor.resets, 0);
    acceptor.decide(kRefuse);
    EXPECT_EQ(acceptor.resets, 0);
    EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=7|58=unknown user"));
    EXPECT_EQ(acceptor.next_in(), 5U);
  }
}

TEST(Authentication, invalid_logon_is_refused_without_a_decision) {  // TC 1S d
  Side acceptor{authenticating()};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=1|108=30");
  EXPECT_EQ(acceptor.last_logon_id, 0U);
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogonRefused);
}

TEST(Authentication, messages_before_the_decision_are_buffered_and_processed_after_it) {
  // FIX Session Layer, "Logon": nothing before the answer.
  Side acceptor{authenticating()};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30");
  acceptor.in("35=D|34=2|58=early");
  EXPECT_THAT(acceptor.delivered, IsEmpty());
  acceptor.decide(kAccept);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=1|98=0|108=30"));
  ASSERT_EQ(acceptor.delivered.size(), 1U);
  EXPECT_EQ(acceptor.next_in(), 3U);
}

TEST(Authentication, counterparty_that_does_not_wait_for_the_decision_is_disconnected) {
  // FIX Session Layer, "Logon": nothing before the answer.
  for (const char* fields : {"35=5|34=2", "35=A|34=1|98=0|108=30"}) {
    Side acceptor{authenticating()};
    acceptor.connect();
    acceptor.in("35=A|34=1|98=0|108=30");
    acceptor.in(fields);
    EXPECT_FALSE(acceptor.is_connected()) << fields;
    EXPECT_THAT(acceptor.sent(), IsEmpty()) << fields;
    EXPECT_EQ(acceptor.next_in(), 1U);
  }
}

TEST(Authentication, logon_that_is_too_low_or_too_high_is_answered_after_the_decision) {
  // TC 1S a; FIX Session Layer, "Logon": MsgSeqNum lower than expected.
  Side low{authenticating(), {.next_inbound = 5, .next_outbound = 1}};
  low.connect();
  low.in("35=A|34=4|98=0|108=30");
  EXPECT_THAT(low.sent(), IsEmpty());
  low.decide(kAccept);
  EXPECT_THAT(low.sent(),
              ElementsAre("35=5|34=1|58=MsgSeqNum too low, expecting 5 but received 4"));
  Side high{authenticating()};
  high.connect();
  high.in("35=A|34=5|98=0|108=30");
  high.decide(kAccept);
  EXPECT_THAT(high.sent(), ElementsAre("35=A|34=1|98=0|108=30", "35=2|34=2|7=1|16=4"));
}

TEST(Credentials, are_in_the_logon_in_the_order_of_their_tags) {
  // FIX 5.0, Logon: 553, 554, 925.
  SessionConfig config = initiator_config("FIXT.1.1");
  config.logon.username = "me";
  config.logon.password = "old";
  config.logon.new_password = "new";
  config.reset.on_logon = true;
  Side initiator{config};
  initiator.connect();
  EXPECT_THAT(initiator.sent(),
              ElementsAre("35=A|34=1|98=0|108=30|141=Y|553=me|554=old|925=new|1137=9"));
}

dictionary::Validator dictionary_of(std::string_view version) {
  using dictionary::Version;
  if (version != "FIXT.1.1") {
    const Version its = dictionary::version_of_begin_string(version).value();
    return dictionary::Validator::make(dictionary::builtin_dictionary(its), {}).value();
  }
  const auto& transport = dictionary::builtin_dictionary(Version::Fixt11);
  const auto& application = dictionary::builtin_dictionary(Version::Fix50Sp2);
  return dictionary::Validator::make(dictionary::FixtDictionaries{transport, application}, {})
      .value();
}

// QuickFIX/J's LogonTag.
TEST(LogonFields, follow_those_of_the_session_in_their_order) {
  SessionConfig config = initiator_config();
  config.logon.username = "me";
  config.logon.fields = {{9001, "b"}, {554, "pa55word"}};
  Side initiator{config};
  initiator.connect();
  EXPECT_THAT(initiator.sent(), ElementsAre("35=A|34=1|98=0|108=30|553=me|9001=b|554=pa55word"));
}

TEST(LogonFields, of_header_and_trailer_are_in_header_and_trailer) {
  for (const std::string_view version : {"FIX.4.2", "FIX.4.3", "FIX.4.4", "FIXT.1.1"}) {
    SessionConfig config = initiator_config(version);
    config.logon.fields = {{95, "3"},  {96, "abc"},  {347, "UTF-8"}, {93, "2"},
                           {89, "xy"}, {115, "OBO"}, {90, "4"},      {91, "data"}};
    Side initiator{config};
    initiator.connect();
    const auto sent = initiator.consume_wire();
    ASSERT_EQ(sent.size(), 1U) << version;
    wire::Parser parser;
    const auto message = parser.parse(sent.front());
    ASSERT_TRUE(message) << readable(sent.front());
    EXPECT_EQ(dictionary_of(version).validate(*message), std::nullopt) << readable(sent.front());
    EXPECT_TRUE(readable(sent.front()).ends_with("|95=3|96=abc|93=2|89=xy"))
        << readable(sent.front());
  }
}

TEST(LogonFields, token_of_4_kib_is_sent_beside_all_other_fields) {
  SessionConfig config = initiator_config();
  config.logon.username = config.logon.password = std::string(kCompIdBytesMax, 'u');
  config.logon.fields = {{95, "4096"},
                         {96, std::string(kLogonFieldBytesMax, 'x')},
                         {9001, std::string(kLogonFieldsBytesMax - kLogonFieldBytesMax - 4, 'y')}};
  ASSERT_EQ(validate(config), "");
  Side initiator{config};
  initiator.connect();
  EXPECT_EQ(initiator.sent().size(), 1U);
  config.logon.fields[2].value += 'y';
  EXPECT_EQ(validate(config), "the further fields of the Logon are too long together");
  config.logon.fields = {{96, "abc"}, {95, "3"}};
  EXPECT_THAT(validate(config), ::testing::HasSubstr("a Length field of the Logon"));
  config.logon.fields = {{95, "4"}, {96, "abc"}};
  EXPECT_THAT(validate(config), ::testing::HasSubstr("a Length field of the Logon"));
}

// A venue may want a signature of the MsgSeqNum and the SendingTime of this Logon.
void write_signature(void* context, wire::Encoder& encoder,
                     const wire::MessageHeader& header) noexcept {
  const auto& value = *static_cast<const std::string*>(context);
  char time[wire::kUtcTimestampBytesMax];
  const std::size_t size = wire::from_utc_timestamp(header.sending_time, header.precision, time);
  encoder.field(58, value + std::to_string(header.msg_seq_num) + "@" + std::string{time, size});
}

TEST(LogonWriter, sees_the_final_number_and_time_of_each_logon) {
  std::string key = "signed ";
  SessionConfig config = initiator_config();
  config.logon.writer = {&key, &write_signature};
  Side initiator{config, {.next_inbound = 1, .next_outbound = 8}};
  initiator.connect();
  EXPECT_THAT(initiator.sent(),
              ElementsAre("35=A|34=8|98=0|108=30|58=signed 8@20240115-10:30:00.000"));
  initiator.disconnect();
  initiator.advance(5s);
  initiator.connect();
  EXPECT_THAT(initiator.sent(),
              ElementsAre("35=A|34=9|98=0|108=30|58=signed 9@20240115-10:30:05.000"));
}

TEST(LogonWriter, field_that_cannot_be_encoded_prevents_the_logon) {
  std::string broken = "a\x01";
  SessionConfig config = initiator_config();
  config.logon.writer = {&broken, &write_signature};
  Side initiator{config};
  initiator.connect();
  EXPECT_THAT(initiator.sent(), IsEmpty());
  EXPECT_EQ(initiator.disconnect_reason, DisconnectReason::LogonNotSent);
  EXPECT_EQ(initiator.next_out(), 1U);
  EXPECT_EQ(initiator.logged_out, 0);
}

}  // namespace
}  // namespace nexusfix::session::test
