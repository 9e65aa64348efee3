// Reject and BusinessMessageReject, sent and received.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

void answer_with(Side& side, detail::DeliveryDecision decision) {
  side.application = [decision](Side&, const Deliver&) { return decision; };
}

TEST(Reject, received_gets_no_answer_and_uses_up_a_number) {
  // TC 7.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  acceptor.in("35=3|34=2|45=1|58=bad price");
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.next_in(), 3U);
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::RejectReceived));
  EXPECT_EQ(acceptor.notice_texts.back(), "bad price (45=1)");
}

TEST(Reject, received_is_reported_with_its_fields_and_reason) {
  const auto noted = [](const std::string& fields) {
    Side acceptor{acceptor_config()};
    acceptor.establish();
    acceptor.in("35=3|34=2|" + fields);
    EXPECT_TRUE(acceptor.has_notice(NoticeCode::RejectReceived)) << fields;
    return acceptor.notice_texts.back();
  };
  EXPECT_EQ(
      noted("45=12|371=44|372=D|373=5|58=bad price"),
      "bad price [Value is incorrect (out of range) for this tag] (45=12 371=44 372=D 373=5)");
  EXPECT_EQ(noted("45=12|372=D|373=1"), "Required tag missing (45=12 372=D 373=1)");
  EXPECT_EQ(noted("45=12|373=99"), "Other (45=12 373=99)");
  EXPECT_EQ(noted("45=12"), "45=12");
  EXPECT_EQ(noted("45=12|371=44"), "45=12 371=44");
  // A long text is truncated, so that the rest has room.
  EXPECT_EQ(
      noted("45=12|373=5|58=" + std::string(500, 'x')),
      std::string(157, 'x') + "... [Value is incorrect (out of range) for this tag] (45=12 373=5)");
  EXPECT_EQ(noted("45=12|371=" + std::string(500, '4')), "45=12 371=" + std::string(20, '4'));
}

TEST(Reject, business_reject_that_the_application_does_not_process_is_one_of_our_message) {
  Side acceptor{acceptor_config()};
  acceptor.establish();
  answer_with(acceptor, {.kind = detail::DeliveryDecision::Kind::RejectBusiness,
                         .reason = 3,
                         .ref_tag = 0,
                         .text = {}});
  acceptor.in("35=j|34=2|45=7|372=D|380=2|58=no AAPL here");
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_FALSE(acceptor.has_notice(NoticeCode::MessageRejected));
  ASSERT_TRUE(acceptor.has_notice(NoticeCode::RejectReceived));
  EXPECT_EQ(acceptor.notice_texts.back(), "no AAPL here [Unknown Security] (45=7 372=D 380=2)");
}

TEST(Reject, malformed_reject_is_never_rejected) {
  // TC 7: accepted, counted, not answered. Two engines that reject each other's Rejects would never
  // end.
  for (const char* fields : {"35=3|34=2|45=", "35=3|34=2|-1=x", "35=3|34=2|43=M"}) {
    Side acceptor{acceptor_config()};
    acceptor.establish();
    acceptor.in(fields);
    EXPECT_THAT(acceptor.sent(), IsEmpty()) << fields;
    EXPECT_EQ(acceptor.next_in(), 3U) << fields;
  }
}

TEST(Reject, of_a_reject_with_wrong_comp_ids_is_only_a_logout) {
  // TC 2k, without a Reject of the Reject.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=3|34=2|49=WT|45=1");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=2"));
}

TEST(Reject, business_reject_of_the_application_goes_out) {
  // TC 2r. The whole message, in the order of the acceptance scripts.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  answer_with(acceptor, {.kind = detail::DeliveryDecision::Kind::RejectBusiness,
                         .reason = 3,
                         .ref_tag = 0,
                         .text = {}});
  acceptor.in("35=8|34=2|37=id");
  EXPECT_THAT(acceptor.sent_in_full(),
              ElementsAre("8=FIX.4.2|35=j|34=2|49=VENUE|52=20240115-10:30:00.000|56=TRADER|45=2|"
                          "58=Unsupported Message Type|372=8|380=3"));
  EXPECT_EQ(acceptor.next_in(), 3U);
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::MessageRejected));
}

TEST(Reject, text_of_the_application_replaces_the_standard_one) {
  // FIX 4.4, BusinessMessageReject, Text.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  answer_with(acceptor, {.kind = detail::DeliveryDecision::Kind::RejectBusiness,
                         .reason = 5,
                         .ref_tag = 38,
                         .text = "OrderQty needed"});
  acceptor.in("35=D|34=2|11=x");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=j|34=2|45=2|58=OrderQty needed|372=D|380=5"));
}

TEST(Reject, text_that_cannot_be_sent_is_replaced_by_the_standard_one) {
  // FIX 4.4 volume 1, "FIX Datatypes", String: any character but the delimiter. An application's
  // text with SOH must not add fields.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  answer_with(acceptor, {.kind = detail::DeliveryDecision::Kind::RejectSession,
                         .reason = 5,
                         .ref_tag = 38,
                         .text = "a\x01"
                                 "373=99"});
  acceptor.in("35=D|34=2|11=x");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=3|34=2|45=2|58=Value is incorrect (out of range) for this tag|"
                          "372=D|373=5"));
}

TEST(Reject, session_reject_of_the_application_names_tag_and_reason) {
  // FIX 4.4, Reject.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  answer_with(acceptor, {.kind = detail::DeliveryDecision::Kind::RejectSession,
                         .reason = 6,
                         .ref_tag = 38,
                         .text = {}});
  acceptor.in("35=D|34=2|38=+200");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=3|34=2|45=2|58=Incorrect data format for value|371=38|372=D|373=6"));
}

TEST(Reject, business_reject_before_fix42_is_a_reject) {
  // FIX 4.1 has no BusinessMessageReject, and its Reject has no 371, 372, 373.
  Side acceptor{acceptor_config("FIX.4.1")};
  acceptor.establish();
  answer_with(acceptor, {.kind = detail::DeliveryDecision::Kind::RejectBusiness,
                         .reason = 3,
                         .ref_tag = 0,
                         .text = {}});
  acceptor.in("35=8|34=2|37=id");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=3|34=2|45=2|58=Unsupported message type"));
}

TEST(Reject, before_fix42_the_tag_is_in_the_text) {
  // FIX 4.0, Reject: RefSeqNum and Text only.
  Side acceptor{acceptor_config("FIX.4.0")};
  acceptor.establish();
  acceptor.in("35=0|34=2|-1=HI");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=3|34=2|45=2|58=Invalid tag number (-1)"));
}

TEST(Reject, reason_that_the_version_does_not_define_is_omitted) {
  // FIX 4.2, SessionRejectReason ends with 11; 4.3 with 17; 99 was introduced in 4.4.
  struct Case {
    const char* version;
    unsigned reason;
    const char* answer;
  };
  for (const Case& c : {Case{"FIX.4.2", 11, "58=Invalid MsgType|371=40|372=D|373=11"},
                        Case{"FIX.4.2", 13, "58=Tag appears more than once|371=40|372=D"},
                        Case{"FIX.4.3", 13, "58=Tag appears more than once|371=40|372=D|373=13"},
                        Case{"FIX.4.3", 99, "58=Other|371=40|372=D"},
                        Case{"FIX.4.4", 99, "58=Other|371=40|372=D|373=99"},
                        Case{"FIX.4.4", 98, "58=Other|371=40|372=D"}}) {
    Side acceptor{acceptor_config(c.version)};
    acceptor.establish();
    answer_with(acceptor, {.kind = detail::DeliveryDecision::Kind::RejectSession,
                           .reason = c.reason,
                           .ref_tag = 40,
                           .text = {}});
    acceptor.in("35=D|34=2|40=1");
    EXPECT_THAT(acceptor.sent(), ElementsAre(std::string{"35=3|34=2|45=2|"} + c.answer))
        << c.version << ' ' << c.reason;
  }
}

TEST(Reject, business_reject_has_default_appl_ver_id_only_if_configured) {
  // FIX 5.0 SP2, BusinessMessageReject, has no such field; QuickFIX sends it (TC 2r of its
  // scripts).
  for (const bool asked : {false, true}) {
    SessionConfig config = acceptor_config("FIXT.1.1");
    config.fixt.business_reject_has_default_appl_ver_id = asked;
    Side acceptor{config};
    acceptor.application = [](Side&, const Deliver&) {
      return detail::DeliveryDecision{.kind = detail::DeliveryDecision::Kind::RejectBusiness,
                                      .reason = 3};
    };
    acceptor.establish();
    acceptor.in("35=8|34=2");
    EXPECT_THAT(acceptor.sent(),
                ElementsAre(std::string{"35=j|34=2|45=2|58=Unsupported Message Type|372=8|380=3"} +
                            (asked ? "|1137=9" : "")));
  }
}

TEST(Reject, business_reject_of_a_business_reject_is_not_sent) {
  // A rule of this engine, like TC 7. Two engines that do not know each other's
  // BusinessMessageReject would never end.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  answer_with(acceptor, {.kind = detail::DeliveryDecision::Kind::RejectBusiness,
                         .reason = 3,
                         .ref_tag = 0,
                         .text = {}});
  acceptor.in("35=j|34=2|45=7|372=D|380=3");
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.next_in(), 3U);
}

TEST(Reject, routing_fields_come_back_reversed) {
  // Acceptance script ReverseRoute.
  struct Case {
    const char* received;
    const char* sent;
  };
  for (const Case& c :
       {Case{"115=JCD", "128=JCD"}, Case{"128=JCD", "115=JCD"},
        Case{"115=JCD|116=CS", "128=JCD|129=CS"}, Case{"128=JCD|129=CS", "115=JCD|116=CS"},
        Case{"115=JCD|116=CS|144=CHI", "128=JCD|129=CS|145=CHI"},
        Case{"128=JCD|129=CS|145=CHI", "115=JCD|116=CS|144=CHI"}}) {
    Side acceptor{acceptor_config("FIX.4.2")};
    acceptor.establish();
    answer_with(acceptor, {.kind = detail::DeliveryDecision::Kind::RejectSession,
                           .reason = 5,
                           .ref_tag = 40,
                           .text = {}});
    acceptor.in(std::string{"35=D|34=2|"} + c.received + "|40=w");
    EXPECT_THAT(acceptor.sent(),
                ElementsAre(std::string{"35=3|34=2|"} + c.sent +
                            "|45=2|58=Value is incorrect (out of range) for this tag|371=40|"
                            "372=D|373=5"))
        << c.received;
  }
}

TEST(Reject, empty_routing_field_is_rejected_and_not_reversed) {
  // Acceptance script ReverseRouteWithEmptyRoutingTags.
  struct Case {
    const char* received;
    const char* sent;
  };
  for (const Case& c :
       {Case{"115=", "45=2|58=Tag specified without a value|371=115"},
        Case{"115=JCD|116=", "128=JCD|45=2|58=Tag specified without a value|371=116"},
        Case{"128=JCD|129=CS|145=",
             "115=JCD|116=CS|45=2|58=Tag specified without a value|371=145"}}) {
    Side acceptor{acceptor_config("FIX.4.2")};
    acceptor.establish();
    acceptor.in(std::string{"35=D|34=2|"} + c.received + "|11=ID");
    EXPECT_THAT(acceptor.sent(), ElementsAre(std::string{"35=3|34=2|"} + c.sent + "|372=D|373=4"))
        << c.received;
  }
}

TEST(Reject, fix40_has_no_location_fields_to_reverse) {
  // FIX 4.0, standard header: 144 and 145 were introduced in FIX 4.1.
  Side acceptor{acceptor_config("FIX.4.0")};
  acceptor.establish();
  answer_with(acceptor, {.kind = detail::DeliveryDecision::Kind::RejectSession,
                         .reason = 5,
                         .ref_tag = 40,
                         .text = {}});
  acceptor.in("35=D|34=2|115=JCD|144=CHI|40=w");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=3|34=2|128=JCD|45=2|"
                          "58=Value is incorrect (out of range) for this tag (40)"));
}

TEST(Reject, messages_sent_by_the_callback_come_before_its_reject) {
  // FIX Session Layer, "Sequence numbers". Numbers are in the order of transmission.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.application = [](Side& side, const Deliver&) {
    side.send("8", "report");
    return detail::DeliveryDecision{.kind = detail::DeliveryDecision::Kind::RejectBusiness,
                                    .reason = 6,
                                    .ref_tag = 0,
                                    .text = {}};
  };
  acceptor.in("35=D|34=2|11=x");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=8|34=2|58=report", "35=j|34=3|45=2|58=Not authorized|372=D|380=6"));
}

TEST(Reject, two_machines_that_reject_everything_come_to_rest) {
  // TC 7 on both sides. With a loop of Rejects this exchange would not end.
  Pair pair;
  for (Side* side : {&pair.initiator, &pair.acceptor}) {
    answer_with(*side, {.kind = detail::DeliveryDecision::Kind::RejectBusiness,
                        .reason = 3,
                        .ref_tag = 0,
                        .text = {}});
  }
  pair.connect();
  pair.initiator.send();
  pair.acceptor.send();
  pair.exchange();
  EXPECT_EQ(pair.initiator.next_out(), 4U);
  EXPECT_EQ(pair.acceptor.next_out(), 4U);
}

TEST(RejectReceived, of_our_resend_request_is_reported_at_once) {
  // FIX Session Layer, "Message recovery": its MsgSeqNum is above the gap that stays open.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=D|34=3|11=b");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=2"));
  acceptor.in("35=3|34=4|45=2|371=7|372=2|373=5|58=no such messages");
  EXPECT_EQ(acceptor.notice_texts.back(),
            "no such messages [Value is incorrect (out of range) for this tag] "
            "(45=2 371=7 372=2 373=5)");
  const std::size_t reported = acceptor.notices.size();
  acceptor.in("35=4|34=2|43=Y|122=20240115-10:29:00|123=Y|36=3");
  EXPECT_EQ(acceptor.next_in(), 5U);
  const auto repeated = std::count_if(
      acceptor.notices.begin() + static_cast<std::ptrdiff_t>(reported), acceptor.notices.end(),
      [](const Notice& notice) { return notice.code == NoticeCode::RejectReceived; });
  EXPECT_EQ(repeated, 0);
}

TEST(RejectReceived, of_each_session_message_is_reported_within_a_gap) {
  for (const char* message :
       {"35=3|34=4|45=1|372=A", "35=3|34=4|45=1|372=1", "35=3|34=4|45=1", "35=3|34=4|45=1|372=4",
        "35=j|34=4|45=2|372=2|380=0", "35=j|34=4|45=2|372=A|380=0"}) {
    Side acceptor{acceptor_config()};
    acceptor.establish();
    acceptor.in("35=D|34=3|11=b");
    acceptor.in(message);
    EXPECT_TRUE(acceptor.has_notice(NoticeCode::RejectReceived)) << message;
  }
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=D|34=3|11=b");
  acceptor.in("35=j|34=4|45=2|372=8|380=0");  // for the application, in its turn
  EXPECT_FALSE(acceptor.has_notice(NoticeCode::RejectReceived));
}

}  // namespace
}  // namespace nexusfix::session::test
