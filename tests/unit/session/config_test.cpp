// The values of a session's configuration, and names of things.
#include <gtest/gtest.h>
#include <limits>
#include <set>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

TEST(SessionConfig, defaults_with_an_identity_are_valid) {
  // Every version that the layer supports.
  for (const char* version : {"FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4", "FIXT.1.1"}) {
    EXPECT_EQ(validate(acceptor_config(version)), "") << version;
  }
}

TEST(SessionConfig, fix_latest_and_later_versions_are_default_appl_ver_ids) {
  // FIX Latest is ApplVerID 10.
  for (const char* id : {"2", "9", "10", "11", "99"}) {
    SessionConfig config = acceptor_config("FIXT.1.1");
    config.fixt.default_appl_ver_id = id;
    EXPECT_EQ(validate(config), "") << id;
  }
}

TEST(SessionConfig, each_wrong_value_is_named) {
  // Settings are written by people: a wrong value must not reach an assertion.
  const auto wrong = [](auto change) {
    SessionConfig config = acceptor_config("FIXT.1.1");
    change(config);
    return std::string{validate(config)};
  };
  const auto starts = [&](std::string_view text, auto change) {
    EXPECT_TRUE(wrong(change).starts_with(text)) << text << ": " << wrong(change);
  };
  starts("BeginString", [](SessionConfig& c) { c.id.begin_string = "FIX.5.0"; });
  starts("SenderCompID", [](SessionConfig& c) { c.id.sender_comp_id.clear(); });
  starts("SenderCompID", [](SessionConfig& c) {
    c.id.sender_comp_id =
        "a\x01"
        "b";
  });
  starts("TargetCompID",
         [](SessionConfig& c) { c.id.target_comp_id = std::string(kCompIdBytesMax + 1, 'x'); });
  for (const char* id : {"", "1", "0", "100", "1x", "FIX.5.0"}) {
    starts("DefaultApplVerID", [id](SessionConfig& c) { c.fixt.default_appl_ver_id = id; });
  }
  starts("a further field of the Logon", [](SessionConfig& c) { c.logon.fields = {{9001, ""}}; });
  starts("Username", [](SessionConfig& c) { c.logon.username = "a\x01"; });
  starts("Password",
         [](SessionConfig& c) { c.logon.password = std::string(kCompIdBytesMax + 1, 'x'); });
  starts("NewPassword", [](SessionConfig& c) { c.logon.new_password = "\x01"; });
  starts("authentication_timeout", [](SessionConfig& c) { c.logon.authentication_timeout = 0s; });
  starts("ResendRequestChunkSize",
         [](SessionConfig& c) { c.gap.resend_request_chunk = kResendRequestChunkMax + 1; });
  starts("HeartBtInt", [](SessionConfig& c) { c.heartbeat.heart_bt_int = -1s; });
  starts("HeartBtInt", [](SessionConfig& c) { c.heartbeat.heart_bt_int = kHeartBtIntMax + 1s; });
  starts("MinHeartBtInt and", [](SessionConfig& c) { c.heartbeat.heart_bt_int_min = -1s; });
  starts("MinHeartBtInt and",
         [](SessionConfig& c) { c.heartbeat.heart_bt_int_max = kHeartBtIntMax + 1s; });
  starts("HeartBtIntOverride is for an acceptor", [](SessionConfig& c) {
    c.role = Role::Initiator;
    c.heartbeat.imposes_heart_bt_int = true;
  });
  starts("MinHeartBtInt is above", [](SessionConfig& c) {
    c.heartbeat.heart_bt_int_min = 2s;
    c.heartbeat.heart_bt_int_max = 1s;
  });
  starts("LogonTimeout", [](SessionConfig& c) { c.logon.timeout = 0s; });
  starts("LogoutTimeout", [](SessionConfig& c) { c.logon.logout_timeout = 0s; });
  starts("resend_timeout", [](SessionConfig& c) { c.gap.resend_timeout = 0s; });
  starts("MaxLatency", [](SessionConfig& c) { c.header.max_latency = 0s; });
  starts("TestRequestDelay", [](SessionConfig& c) { c.heartbeat.test_request_delay = -0.1; });
  starts("HeartBeatTimeout", [](SessionConfig& c) { c.heartbeat.timeout = 0.1; });
  starts("HeartBeatTimeout",
         [](SessionConfig& c) { c.heartbeat.timeout = std::numeric_limits<double>::quiet_NaN(); });
}

TEST(SessionConfig, longest_comp_ids_fit_into_every_message_that_we_send) {
  // A longer ID is refused.
  SessionConfig config = acceptor_config("FIXT.1.1");
  config.id.sender_comp_id = std::string(kCompIdBytesMax, 'S');
  config.id.target_comp_id = std::string(kCompIdBytesMax, 'T');
  Side acceptor{config};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30|1137=9");
  EXPECT_EQ(acceptor.sent().size(), 1U);
  const std::string route(128, 'r');
  acceptor.application = [](Side&, const Deliver&) {
    static const std::string text(2'000, 't');
    return detail::DeliveryDecision{.kind = detail::DeliveryDecision::Kind::RejectSession,
                                    .reason = 5,
                                    .ref_tag = 1,
                                    .text = text};
  };
  acceptor.in("35=D|34=2|115=" + route + "|116=" + route + "|128=" + route + "|129=" + route +
              "|144=" + route + "|145=" + route);
  const std::vector<std::string> sent = acceptor.sent();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_TRUE(sent[0].ends_with("58=" + std::string(1'024, 't') + "|371=1|372=D|373=5"));
}

TEST(SessionId, is_written_with_its_qualifier_if_it_has_one) {
  // The name of a session in logs and stores.
  SessionId id = acceptor_config().id;
  EXPECT_EQ(id.to_string(), "FIX.4.4:VENUE->TRADER");
  id.qualifier = "desk7";
  EXPECT_EQ(id.to_string(), "FIX.4.4:VENUE->TRADER:desk7");
}

TEST(Names, of_notices_and_disconnect_reasons_are_all_different) {
  // They must be distinguishable in a log.
  std::set<std::string_view> names;
  constexpr int kNotices = static_cast<int>(NoticeCode::SessionStatusReceived) + 1;
  for (int i = 0; i < kNotices; ++i) names.insert(to_string(static_cast<NoticeCode>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kNotices));
  names.clear();
  constexpr int kReasons = static_cast<int>(DisconnectReason::Operator) + 1;
  for (int i = 0; i < kReasons; ++i) names.insert(to_string(static_cast<DisconnectReason>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kReasons));
  EXPECT_FALSE(names.contains("unknown"));
}

TEST(RejectTexts, beyond_the_table_say_other) {
  // FIX 4.4, SessionRejectReason 99, and numbers of an application.
  EXPECT_EQ(session_reject_text(0), "Invalid tag number");
  EXPECT_EQ(session_reject_text(16), "Incorrect NumInGroup count for repeating group");
  EXPECT_EQ(session_reject_text(18), "Invalid/Unsupported Application Version");
  EXPECT_EQ(session_reject_text(19), "Other");
  EXPECT_EQ(business_reject_text(3), "Unsupported Message Type");
  EXPECT_EQ(business_reject_text(8), "Other");
}

}  // namespace
}  // namespace nexusfix::session::test
