// BeginString, CompIDs, SendingTime and malformed fields of a message within a session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

TEST(Header, wrong_begin_string_is_answered_with_logout) {
  // TC 2i: Logout with text; closed when the answer comes.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  acceptor.in("8=FIX.4.1|35=1|34=2|112=id");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=2|58=Incorrect BeginString"));
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::BeginStringWrong));
  EXPECT_EQ(acceptor.next_in(), 2U);
  acceptor.in("35=5|34=3");
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogoutComplete);
}

TEST(Header, wrong_begin_string_closes_after_the_logout_timeout_if_not_answered) {
  // TC 2i, second part.
  Side acceptor{acceptor_config("FIX.4.2")};
  acceptor.establish();
  acceptor.in("8=FIX.4.1|35=1|34=2|112=id");
  acceptor.advance(1s);
  acceptor.in("8=FIX.4.1|35=1|34=3|112=id");  // not answered, and no reason to wait longer
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=2|58=Incorrect BeginString"));
  acceptor.advance(1s);
  EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogoutTimeout);
}

TEST(Header, wrong_comp_id_is_rejected_and_ends_the_session) {
  // TC 2k: SenderCompID, TargetCompID, both.
  for (const char* comp_ids : {"49=WT", "56=DLSI", "49=WT|56=DLSI"}) {
    Side acceptor{acceptor_config("FIX.4.2")};
    acceptor.establish();
    acceptor.in(std::string{"35=D|34=2|"} + comp_ids + "|11=ID");
    EXPECT_THAT(acceptor.sent_in_full(),
                ElementsAre("8=FIX.4.2|35=3|34=2|49=VENUE|52=20240115-10:30:00.000|56=TRADER|"
                            "45=2|58=CompID problem|372=D|373=9",
                            "8=FIX.4.2|35=5|34=3|49=VENUE|52=20240115-10:30:00.000|56=TRADER"))
        << comp_ids;
    EXPECT_TRUE(acceptor.has_notice(NoticeCode::CompIdWrong)) << comp_ids;
    EXPECT_THAT(acceptor.notice_texts.front(), EndsWith(", expected 49=TRADER 56=VENUE"));
    EXPECT_TRUE(acceptor.delivered.empty()) << comp_ids;
    EXPECT_EQ(acceptor.next_in(), 3U) << comp_ids;
    acceptor.in("35=5|34=3");
    EXPECT_THAT(acceptor.sent(), IsEmpty()) << comp_ids;
    EXPECT_EQ(acceptor.disconnect_reason, DisconnectReason::LogoutComplete) << comp_ids;
  }
}

TEST(Header, comp_ids_are_not_compared_if_so_configured) {
  // QuickFIX's CheckCompID=N.
  SessionConfig config = acceptor_config();
  config.header.check_comp_id = false;
  Side acceptor{config};
  acceptor.establish();
  acceptor.in("35=D|34=2|49=WT|11=ID");
  EXPECT_EQ(acceptor.delivered.size(), 1U);
}

TEST(Header, sending_time_out_of_range_is_rejected_and_ends_the_session) {
  // TC 2o: more than 120 s early or late.
  struct Case {
    const char* time;
    const char* note;
  };
  for (const auto& [time, note] :
       {Case{"20240115-10:27:59", "SendingTime is 121 s before our clock"},
        Case{"20240115-10:32:01", "SendingTime is 121 s after our clock"},
        Case{"20240115-10:32:00.001", "SendingTime is 120 s after our clock"},
        Case{"16780101-00:00:00", "SendingTime is 10919874600 s before our clock"},
        Case{"22620101-00:00:00", "SendingTime is 7509331800 s after our clock"}}) {
    Side acceptor{acceptor_config("FIX.4.2")};
    acceptor.establish();
    acceptor.in(std::string{"35=0|34=2|52="} + time);
    EXPECT_THAT(acceptor.sent(),
                ElementsAre("35=3|34=2|45=2|58=SendingTime accuracy problem|372=0|373=10"))
        << time;
    EXPECT_TRUE(acceptor.has_notice(NoticeCode::SendingTimeWrong)) << time;
    EXPECT_EQ(acceptor.notice_texts.front(), note);
    EXPECT_EQ(acceptor.next_in(), 3U) << time;
    acceptor.advance(1s);
    EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=3")) << time;
  }
}

// A venue whose clock has jumped ten minutes ahead, with orders in flight.
struct ClockJumped {
  ClockJumped() : venue{acceptor_config()} {
    venue.establish();
    venue.in("35=D|34=2|11=before");
    sent_at = venue.now();
    Now now = sent_at;
    now.wall += 10min;
    venue.set_now(now);
  }
  void order(int number, std::string_view more = {}) {
    const std::string fields =
        "35=D|34=" + std::to_string(number) + "|11=o" + std::to_string(number) + std::string{more};
    venue.receive(message_to(venue.config(), sent_at, fields));
  }
  static std::string reject(int number, int of) {
    return "35=3|34=" + std::to_string(number) + "|45=" + std::to_string(of) +
           "|58=SendingTime accuracy problem|372=D|373=10";
  }
  Side venue;
  Now sent_at;
};

TEST(Header, after_a_clock_jump_each_order_in_flight_is_answered_before_the_logout) {
  ClockJumped jumped;
  Side& venue = jumped.venue;
  for (int number = 3; number <= 5; ++number) jumped.order(number);
  EXPECT_THAT(venue.sent(), ElementsAre(ClockJumped::reject(2, 3), ClockJumped::reject(3, 4),
                                        ClockJumped::reject(4, 5)));
  venue.advance(999ms);
  jumped.order(6);
  EXPECT_THAT(venue.sent(), ElementsAre(ClockJumped::reject(5, 6)));
  venue.advance(1ms);
  EXPECT_THAT(venue.sent(), ElementsAre("35=5|34=6"));
  jumped.order(7);  // it was sent before our Logout arrived
  EXPECT_THAT(venue.sent(), ElementsAre(ClockJumped::reject(7, 7)));
  EXPECT_EQ(venue.delivered.size(), 1U);
  EXPECT_EQ(venue.next_in(), 8U);
  venue.in("35=5|34=8");
  EXPECT_EQ(venue.disconnect_reason, DisconnectReason::LogoutComplete);
}

TEST(Header, an_order_with_the_right_time_is_processed_before_the_logout_that_follows_a_wrong_one) {
  ClockJumped jumped;
  Side& venue = jumped.venue;
  jumped.order(3);
  venue.in("35=D|34=4|11=right");
  EXPECT_EQ(venue.delivered.size(), 2U);
  EXPECT_EQ(venue.state(), State::LoggedOn);  // its report leaves at once
  jumped.order(5);
  EXPECT_THAT(venue.sent(), ElementsAre(ClockJumped::reject(2, 3), ClockJumped::reject(3, 5)));
  venue.advance(1s);
  EXPECT_THAT(venue.sent(), ElementsAre("35=5|34=4"));
}

TEST(Header, an_order_that_was_processed_or_comes_again_is_not_rejected_for_its_sending_time) {
  ClockJumped jumped;
  Side& venue = jumped.venue;
  jumped.order(2, "|43=Y|122=20240115-10:29:00");  // it was executed
  jumped.order(4);                                 // 3 is missing
  EXPECT_THAT(venue.sent(), IsEmpty());
  jumped.order(3);
  EXPECT_THAT(venue.sent(), ElementsAre(ClockJumped::reject(2, 3)));
  venue.advance(1s);
  EXPECT_THAT(venue.sent(), ElementsAre("35=5|34=3"));
  EXPECT_EQ(venue.next_in(), 4U);  // 4 is requested after the next Logon
  EXPECT_EQ(venue.delivered.size(), 1U);
}

TEST(Header, a_logout_with_a_wrong_sending_time_ends_the_session) {
  ClockJumped jumped;
  Side& venue = jumped.venue;
  jumped.order(3);
  venue.receive(message_to(venue.config(), jumped.sent_at, "35=5|34=4"));
  EXPECT_THAT(
      venue.sent(),
      ElementsAre(ClockJumped::reject(2, 3),
                  "35=3|34=3|45=4|58=SendingTime accuracy problem|372=5|373=10", "35=5|34=4"));
  venue.disconnect();
  EXPECT_TRUE(venue.logout_is_complete);

  ClockJumped alone;  // as the answer to our Logout
  alone.order(3);
  alone.venue.advance(1s);
  alone.venue.receive(message_to(alone.venue.config(), alone.sent_at, "35=5|34=4"));
  EXPECT_EQ(alone.venue.disconnect_reason, DisconnectReason::LogoutComplete);
}

TEST(Header, an_operators_logout_ends_the_wait_for_orders_in_flight) {
  ClockJumped jumped;
  jumped.order(3);
  jumped.venue.log_out("by hand");
  EXPECT_THAT(jumped.venue.sent(), ElementsAre(ClockJumped::reject(2, 3), "35=5|34=3|58=by hand"));
  jumped.venue.advance(1s);
  EXPECT_THAT(jumped.venue.sent(), IsEmpty());
}

TEST(Header, sending_time_at_the_edge_of_the_range_is_accepted) {
  // TC 2o, the boundary.
  for (const char* time :
       {"20240115-10:28:00", "20240115-10:32:00", "20240115-10:28:00.000000001"}) {
    Side acceptor{acceptor_config()};
    acceptor.establish();
    acceptor.in(std::string{"35=0|34=2|52="} + time);
    EXPECT_THAT(acceptor.sent(), IsEmpty()) << time;
    EXPECT_EQ(acceptor.next_in(), 3U) << time;
  }
}

TEST(Header, sending_time_is_not_compared_if_so_configured) {
  // QuickFIX's CheckLatency=N; MaxLatency.
  SessionConfig config = acceptor_config();
  config.header.check_latency = false;
  Side acceptor{config};
  acceptor.establish();
  acceptor.in("35=0|34=2|52=20010101-00:00:00");
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.next_in(), 3U);
}

TEST(Header, missing_field_is_rejected_with_the_lowest_tag_and_before_the_comp_ids) {
  // TC 14b.
  struct Case {
    const char* leave_out;
    const char* fields;
  };
  for (const Case& c : {Case{"49", "35=0|34=2"}, Case{"52", "35=0|34=2"}, Case{"56", "35=0|34=2"},
                        Case{"52", "35=0|34=2|49=WT"}}) {
    Side acceptor{acceptor_config("FIX.4.2")};
    acceptor.establish();
    acceptor.receive(message_to(acceptor.config(), acceptor.now(), c.fields, c.leave_out));
    EXPECT_THAT(acceptor.sent(), ElementsAre(std::string{"35=3|34=2|45=2|58=Required tag missing|"
                                                         "371="} +
                                             c.leave_out + "|372=0|373=1"));
    EXPECT_EQ(acceptor.state(), State::LoggedOn);
    EXPECT_EQ(acceptor.next_in(), 3U);
  }
}

TEST(Header, malformed_fields_are_rejected_and_371_is_an_integer) {
  // TC 14a, 14d and FIX Session Layer, "Reject", reasons 0, 4, 5 and 6.
  struct Case {
    const char* fields;
    const char* answer;
  };
  for (const Case& c : {
           Case{"0=HI", "58=Invalid tag number|371=0|372=0|373=0"},
           Case{"-1=HI", "58=Invalid tag number|371=-1|372=0|373=0"},
           Case{"-0=HI", "58=Invalid tag number (-0)|372=0|373=0"},
           Case{"4garbled9=TW", "58=Invalid tag number (4garbled9)|372=0|373=0"},
           Case{"0112=HI", "58=Invalid tag number (0112)|372=0|373=0"},
           Case{"2147483648=HI", "58=Invalid tag number (2147483648)|372=0|373=0"},
           Case{"99999999999=HI", "58=Invalid tag number (99999999999)|372=0|373=0"},
           Case{"+5=HI", "58=Invalid tag number (+5)|372=0|373=0"},
           Case{"a\x1b-\xff=HI", "58=Invalid tag number (a?-?)|372=0|373=0"},
           Case{"noequals", "58=Tag specified without a value (noequals)|372=0|373=4"},
           Case{"112", "58=Tag specified without a value|371=112|372=0|373=4"},
           Case{"=HI", "58=Invalid tag number|372=0|373=0"},
           Case{"112=", "58=Tag specified without a value|371=112|372=0|373=4"},
           Case{"56=", "58=Tag specified without a value|371=56|372=0|373=4"},
           Case{"43=M", "58=Value is incorrect (out of range) for this tag|371=43|372=0|373=5"},
           Case{"97=1", "58=Value is incorrect (out of range) for this tag|371=97|372=0|373=5"},
           Case{"52=now", "58=Incorrect data format for value|371=52|372=0|373=6"},
       }) {
    Side acceptor{acceptor_config("FIX.4.2")};
    acceptor.establish();
    acceptor.in(std::string{"35=0|34=2|"} + c.fields);
    EXPECT_THAT(acceptor.sent(), ElementsAre(std::string{"35=3|34=2|45=2|"} + c.answer))
        << c.fields;
    EXPECT_EQ(acceptor.next_in(), 3U) << c.fields;
    EXPECT_EQ(acceptor.state(), State::LoggedOn) << c.fields;
  }
}

TEST(Header, very_long_malformed_tag_is_cut_in_the_reject) {
  // TC 14a. A Reject with all of it could not be encoded.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=0|34=2|" + std::string(5'000, '7') + "=HI");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=3|34=2|45=2|58=Invalid tag number (" +
                                           std::string(20, '7') + "...)|372=0|373=0"));
}

TEST(Header, fields_in_another_order_are_accepted) {
  // TC 15: the order of header fields after MsgType is free.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=0|52=20240115-10:30:00|56=VENUE|49=TRADER|34=2");
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.next_in(), 3U);
}

TEST(Header, number_comes_from_the_field_at_any_place) {
  // Acceptance contract: RefSeqNum is the MsgSeqNum of the rejected message, at any place in it.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=0|112=|34=2");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=3|34=2|45=2|58=Tag specified without a value|371=112|372=0|373=4"));
}

}  // namespace
}  // namespace nexusfix::session::test
