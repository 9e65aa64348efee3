// The owner of a session decides what is resent: by configuration, and by an answer to each
// request. The counterparty always gets every number, as a message or in a gap fill.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kDup = "|43=Y|122=20240115-10:30:00.000|";

std::string fill_text(int from, int to) {
  return "35=4|34=" + std::to_string(from) + std::string{kDup} + "36=" + std::to_string(to) +
         "|123=Y";
}
std::string order(int number) {
  return "35=D|34=" + std::to_string(number) + std::string{kDup} + "58=order";
}

// Outbound 1 Logon, 2 to 5 orders; inbound 2 is the next.
void send_four_orders(Side& side) {
  side.establish();
  for (int i = 0; i < 4; ++i) side.send();
  (void)side.consume_wire();
}

SessionConfig asking_config() {
  SessionConfig config = acceptor_config();
  config.resend.asks_before = true;
  return config;
}

TEST(ResendGovernor, at_most_the_last_messages_are_resent_and_older_ones_gap_filled) {
  // TC 8, within a limit: we bound what a counterparty can request.
  SessionConfig config = acceptor_config();
  config.resend.messages_max = 2;
  Side acceptor{config};
  send_four_orders(acceptor);
  acceptor.in("35=2|34=2|7=1|16=0");
  EXPECT_THAT(acceptor.sent(), ElementsAre(fill_text(1, 4), order(4), order(5)));
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::ResendLimited));
}

TEST(ResendGovernor, range_within_the_limit_is_resent_completely) {
  // TC 8.
  SessionConfig config = acceptor_config();
  config.resend.messages_max = 2;
  Side acceptor{config};
  send_four_orders(acceptor);
  acceptor.in("35=2|34=2|7=3|16=4");
  EXPECT_THAT(acceptor.sent(), ElementsAre(order(3), order(4)));
  EXPECT_FALSE(acceptor.has_notice(NoticeCode::ResendLimited));
}

TEST(ResendGovernor, owner_decides_on_the_range_that_was_sent) {
  // TC 8: EndSeqNo 0 means the last sent number.
  Side acceptor{asking_config()};
  send_four_orders(acceptor);
  AskResend asked;
  acceptor.resend_governor = [&](const AskResend& action) {
    asked = action;
    return detail::ResendDecision{};
  };
  acceptor.in("35=2|34=2|7=3|16=0");
  EXPECT_EQ(asked.begin, 3U);
  EXPECT_EQ(asked.end, 5U);
  EXPECT_THAT(acceptor.sent(), ElementsAre(order(3), order(4), order(5)));
}

TEST(ResendGovernor, owner_can_have_everything_or_old_messages_gap_filled) {
  // FIX 4.4 volume 2, "Sequence Reset": a gap fill replaces messages that are not resent.
  for (const bool everything : {true, false}) {
    Side acceptor{asking_config()};
    send_four_orders(acceptor);
    acceptor.resend_governor = [&](const AskResend&) {
      return everything
                 ? detail::ResendDecision{.kind = detail::ResendDecision::Kind::GapFill}
                 : detail::ResendDecision{.kind = detail::ResendDecision::Kind::Resend, .from = 5};
    };
    acceptor.in("35=2|34=2|7=2|16=0");
    if (everything) {
      EXPECT_THAT(acceptor.sent(), ElementsAre(fill_text(2, 6)));
    } else {
      EXPECT_THAT(acceptor.sent(), ElementsAre(fill_text(2, 5), order(5)));
    }
    EXPECT_EQ(acceptor.next_in(), 3U);
  }
}

TEST(ResendGovernor, rejected_request_is_counted_and_named_in_the_reject) {
  // FIX 4.4, Reject, SessionRejectReason 99.
  Side acceptor{asking_config()};
  send_four_orders(acceptor);
  acceptor.resend_governor = [](const AskResend&) {
    return detail::ResendDecision{.kind = detail::ResendDecision::Kind::Reject, .text = "not now"};
  };
  acceptor.in("35=2|34=2|7=2|16=0");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=3|34=6|45=2|58=not now|372=2|373=99"));
  EXPECT_EQ(acceptor.next_in(), 3U);
  EXPECT_EQ(acceptor.state(), State::LoggedOn);
}

TEST(ResendGovernor, early_request_is_rejected_with_its_own_number) {
  // TC 20; FIX 4.4 volume 2, "Message Recovery": it is answered before its turn, and before our own
  // ResendRequest.
  Side acceptor{asking_config()};
  send_four_orders(acceptor);
  acceptor.resend_governor = [](const AskResend&) {
    return detail::ResendDecision{.kind = detail::ResendDecision::Kind::Reject, .text = "not now"};
  };
  acceptor.in("35=2|34=4|7=2|16=0");
  EXPECT_THAT(acceptor.sent(),
              testing::UnorderedElementsAre(testing::HasSubstr("|45=4|58=not now|372=2|373=99"),
                                            testing::HasSubstr("|7=2|16=3")));
}

TEST(ResendGovernor, refusal_can_end_the_session) {
  Side acceptor{asking_config()};
  send_four_orders(acceptor);
  acceptor.resend_governor = [](const AskResend&) {
    return detail::ResendDecision{.kind = detail::ResendDecision::Kind::LogOut,
                                  .text = "ask by telephone"};
  };
  acceptor.in("35=2|34=2|7=2|16=0");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=6|58=ask by telephone"));
  EXPECT_EQ(acceptor.state(), State::LogoutSent);
}

TEST(ResendGovernor, owner_decides_on_the_resend_of_a_logon_and_cannot_reject_it) {
  // FIX 4.4, NextExpectedMsgSeqNum (789).
  SessionConfig config = asking_config();
  config.logon.send_next_expected_msg_seq_num = true;
  for (const bool rejects : {false, true}) {
    Side acceptor{config, {.next_inbound = 1, .next_outbound = 4}};
    AskResend asked;
    acceptor.resend_governor = [&](const AskResend& action) {
      asked = action;
      return detail::ResendDecision{.kind = rejects ? detail::ResendDecision::Kind::Reject
                                                    : detail::ResendDecision::Kind::Resend,
                                    .text = "no"};
    };
    acceptor.connect();
    acceptor.in("35=A|34=1|98=0|108=30|789=2");
    EXPECT_EQ(asked.begin, 2U);
    EXPECT_EQ(asked.end, 4U);
    const std::vector<std::string> sent = acceptor.sent();
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(sent[1], rejects ? "35=5|34=5|58=no" : fill_text(2, 5));
  }
}

TEST(ResendGovernor, decision_without_a_request_does_nothing) {
  Side acceptor{asking_config()};
  send_four_orders(acceptor);
  acceptor.machine().on_resend_decision({.kind = detail::ResendDecision::Kind::LogOut, .text = "x"},
                                        acceptor.now());
  acceptor.wake();
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.state(), State::LoggedOn);
}

TEST(ResendGovernor, same_range_requested_without_end_ends_the_session) {
  // A rule of this engine, after TC 8: hotfix, the Rust engine, had resends without end.
  SessionConfig config = acceptor_config();
  config.resend.repeats_max = 3;
  Side acceptor{config};
  send_four_orders(acceptor);
  std::uint64_t number = 2;
  const auto ask = [&](int begin) {
    acceptor.in("35=2|34=" + std::to_string(number++) + "|7=" + std::to_string(begin) + "|16=0");
    return acceptor.sent();
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(5), std::vector{order(5)}) << i;
  EXPECT_EQ(ask(2).size(), 4U);  // another range restarts the count
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(5), std::vector{order(5)}) << i;
  EXPECT_THAT(ask(5), ElementsAre("35=5|34=6|58=the same messages are requested too often"));
}

TEST(ResendGovernor, range_that_grows_with_each_request_counts_as_requested_again) {
  // The counterparty asks for everything from the same message on, while new ones are sent.
  SessionConfig config = acceptor_config();
  config.resend.repeats_max = 3;
  Side acceptor{config};
  send_four_orders(acceptor);
  for (int number = 2; number <= 4; ++number) {
    acceptor.in("35=2|34=" + std::to_string(number) + "|7=5|16=0");
    EXPECT_EQ(acceptor.state(), State::LoggedOn) << number;
    acceptor.send();
  }
  acceptor.in("35=2|34=5|7=5|16=0");
  EXPECT_EQ(acceptor.state(), State::LogoutSent);
}

TEST(ResendGovernor, requests_of_an_earlier_connection_or_epoch_do_not_count) {
  // repeats_max is about one connection: a counterparty that reconnects may ask again.
  SessionConfig config = acceptor_config();
  config.resend.repeats_max = 3;
  for (const bool is_reset : {true, false}) {
    Side acceptor{config};
    send_four_orders(acceptor);
    std::uint64_t number = 2;
    const auto ask = [&] {
      acceptor.in("35=2|34=" + std::to_string(number++) + "|7=2|16=0");
      return acceptor.sent().size();
    };
    for (int connection = 0; connection < 3; ++connection) {
      for (int i = 0; i < 3; ++i) EXPECT_GE(ask(), 4U) << i;
      EXPECT_EQ(acceptor.state(), State::LoggedOn) << connection;
      if (is_reset) {
        acceptor.in("35=A|34=1|98=0|108=30|141=Y");
        for (int i = 0; i < 5 + connection; ++i) acceptor.send();
        number = 2;
      } else {
        acceptor.disconnect();
        acceptor.connect();
        acceptor.in("35=A|34=" + std::to_string(number++) + "|98=0|108=30");
        acceptor.send();
      }
      (void)acceptor.sent();
    }
    for (int i = 0; i < 3; ++i) (void)ask();
    EXPECT_EQ(acceptor.state(), State::LoggedOn);
    EXPECT_EQ(ask(), 1U);
    EXPECT_EQ(acceptor.state(), State::LogoutSent);
  }
}

TEST(ResendGovernor, alternating_ranges_end_the_session_too) {
  // A rule of this engine, after TC 8.
  SessionConfig config = acceptor_config();
  config.resend.repeats_max = 3;
  Side acceptor{config};
  send_four_orders(acceptor);
  std::uint64_t number = 2;
  const auto ask = [&](int begin) {
    acceptor.in("35=2|34=" + std::to_string(number++) + "|7=" + std::to_string(begin) + "|16=0");
    return acceptor.sent();
  };
  EXPECT_EQ(ask(2).size(), 4U);
  EXPECT_EQ(ask(3).size(), 3U);
  EXPECT_EQ(ask(2).size(), 4U);  // 11 of 3 times 4
  EXPECT_THAT(ask(3), ElementsAre("35=5|34=6|58=the same messages are requested too often"));
}

TEST(ResendGovernor, requests_without_end_during_a_resend_end_the_session) {
  // A rule of this engine, after TC 8.
  SessionConfig config = acceptor_config();
  config.resend.repeats_max = 3;
  Side acceptor{config};
  send_four_orders(acceptor);
  acceptor.serves_replays_in_slices = true;
  std::uint64_t number = 2;
  std::size_t requests = 0;
  while (acceptor.state() == State::LoggedOn && requests < 100) {
    acceptor.in("35=2|34=" + std::to_string(number++) + "|7=2|16=0");
    acceptor.serve_slice();
    ++requests;
  }
  EXPECT_EQ(acceptor.state(), State::LogoutSent);
  const std::vector<std::string> sent = acceptor.sent();
  EXPECT_EQ(sent.size(), 3 * 4 + 1U);
  EXPECT_EQ(sent.back(), "35=5|34=6|58=the same messages are requested too often");
}

TEST(ResendGovernor, logon_that_requests_a_whole_gap_is_served_within_the_tightest_limit) {
  // FIX 4.4, NextExpectedMsgSeqNum (789): our own Logon is a part of the requested range.
  SessionConfig config = acceptor_config();
  config.resend.repeats_max = 1;
  config.logon.send_next_expected_msg_seq_num = true;
  Side acceptor{config, {.next_inbound = 1, .next_outbound = 4}};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30|789=1");
  const std::vector<std::string> sent = acceptor.sent();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[1], fill_text(1, 5));
  EXPECT_EQ(acceptor.state(), State::LoggedOn);
}

TEST(ResendGovernor, gap_that_is_requested_in_parts_is_served_within_the_tightest_limit) {
  // FIX Session Layer, "ResendRequest": a gap may be requested in parts.
  SessionConfig config = acceptor_config();
  config.resend.repeats_max = 1;
  Side acceptor{config};
  acceptor.establish();
  constexpr int kOrders = 20;
  for (int i = 0; i < kOrders; ++i) acceptor.send();
  (void)acceptor.consume_wire();
  std::size_t count = 0;
  std::uint64_t number = 2;
  for (int begin = 2; begin <= kOrders + 1; begin += 4) {
    acceptor.in("35=2|34=" + std::to_string(number++) + "|7=" + std::to_string(begin) +
                "|16=" + std::to_string(begin + 3));
    count += acceptor.sent().size();
  }
  EXPECT_EQ(count, static_cast<std::size_t>(kOrders));
  EXPECT_EQ(acceptor.state(), State::LoggedOn);
}

TEST(ResendGovernor, without_a_limit_any_range_is_served_any_number_of_times) {
  // TC 8.
  SessionConfig config = acceptor_config();
  config.resend.repeats_max = 0;
  Side acceptor{config};
  send_four_orders(acceptor);
  for (int i = 0; i < 500; ++i) {
    acceptor.in("35=2|34=" + std::to_string(2 + i) + "|7=" + std::to_string(2 + i % 2) + "|16=0");
    EXPECT_EQ(acceptor.sent().size(), 4 - static_cast<std::size_t>(i % 2)) << i;
  }
}

TEST(ResendGovernor, reject_names_the_business_id_that_the_owner_gives) {
  // FIX 4.2, BusinessRejectRefID (379).
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.application = [](Side&, const Deliver&) {
    return detail::DeliveryDecision{.kind = detail::DeliveryDecision::Kind::RejectBusiness,
                                    .reason = 1,
                                    .ref_tag = 0,
                                    .text = "no such order",
                                    .ref_id = "ORD-7"};
  };
  acceptor.in("35=F|34=2|37=id");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=j|34=2|45=2|58=no such order|372=F|379=ORD-7|380=1"));
}

}  // namespace
}  // namespace nexusfix::session::test
