// Messages that the short way takes, and those that look like them. Each comes behind one that was
// taken, so that what is remembered of that is there to mislead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Logged on, with one message taken; the next number is 3.
void establish_with_a_message(Side& acceptor) {
  acceptor.establish();
  acceptor.in("35=D|34=2|11=ID");
  ASSERT_EQ(acceptor.delivered.size(), 1U);
  ASSERT_THAT(acceptor.sent(), IsEmpty());
}

TEST(Ordinary, messages_in_order_are_delivered_without_an_answer) {
  // TC 2a.
  Side acceptor{acceptor_config()};
  establish_with_a_message(acceptor);
  acceptor.advance(1s);
  acceptor.in("35=D|34=3|11=ID");
  acceptor.in("35=AE|34=4|571=1");
  EXPECT_EQ(acceptor.delivered.size(), 3U);
  EXPECT_EQ(acceptor.next_in(), 5U);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
}

TEST(Ordinary, header_in_another_order_than_before_is_taken) {
  // TC 15.
  Side acceptor{acceptor_config()};
  establish_with_a_message(acceptor);
  acceptor.in("35=D|56=VENUE|49=TRADER|34=3|52=20240115-10:30:00.000|11=ID");
  acceptor.in("35=D|34=4|11=ID|49=TRADER|56=VENUE|52=20240115-10:30:00.000");
  acceptor.in("35=D|34=5|11=ID");
  EXPECT_EQ(acceptor.delivered.size(), 4U);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
}

TEST(Ordinary, sending_time_of_the_same_minute_still_has_to_be_a_time) {
  // FIX 4.4 volume 1, "FIX Datatypes", UTCTimestamp.
  for (const char* time :
       {"20240115-10:30:61.000", "20240115-10:30:5x.000", "20240115-10:30:05,000",
        "20240115-10:30:05.00x", "20240115-10:30.05.000"}) {
    Side acceptor{acceptor_config()};
    establish_with_a_message(acceptor);
    acceptor.in(std::string{"35=D|34=3|11=ID|52="} + time);
    EXPECT_THAT(acceptor.sent(),
                ElementsAre("35=3|34=2|45=3|58=Incorrect data format for value|371=52|372=D|373=6"))
        << time;
    EXPECT_EQ(acceptor.delivered.size(), 1U) << time;
  }
}

TEST(Ordinary, sending_time_of_the_same_minute_is_too_old_when_time_has_passed) {
  // TC 2o: 120 seconds either way, to the second.
  SessionConfig config = acceptor_config();
  Side acceptor{config};
  establish_with_a_message(acceptor);
  Now now = acceptor.now();
  now.wall += 125s;
  acceptor.set_now(now);
  acceptor.in("35=D|34=3|11=ID|52=20240115-10:30:05.000");
  EXPECT_EQ(acceptor.delivered.size(), 2U);
  acceptor.in("35=D|34=4|11=ID|52=20240115-10:30:04.999");
  EXPECT_EQ(acceptor.delivered.size(), 2U);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=3|34=2|45=4|58=SendingTime accuracy problem|372=D|"
                                           "373=10",
                                           "35=5|34=3"));
}

TEST(Ordinary, comp_ids_that_differ_in_one_byte_are_found_whatever_their_length) {
  // TC 2k.
  for (const std::string id : {"T", "TRA", "TRADER", "TRADERTRADER", "A TRADER WITH A LONG NAME"}) {
    for (std::size_t at = 0; at < id.size(); ++at) {
      SessionConfig config = acceptor_config();
      config.id.target_comp_id = id;
      Side acceptor{config};
      establish_with_a_message(acceptor);
      std::string wrong = id;
      wrong[at] = 'x';
      acceptor.in("35=D|34=3|11=ID|49=" + wrong);
      EXPECT_EQ(acceptor.delivered.size(), 1U) << wrong;
      EXPECT_TRUE(acceptor.has_notice(NoticeCode::CompIdWrong)) << wrong;
    }
  }
}

TEST(Ordinary, poss_dup_and_poss_resend_are_told_to_the_application) {
  // TC 2e, 19b.
  Side acceptor{acceptor_config()};
  establish_with_a_message(acceptor);
  acceptor.in("35=D|34=3|43=Y|122=20240115-10:30:00.000|11=ID");
  acceptor.in("35=D|34=4|97=Y|11=ID");
  acceptor.in("35=D|34=5|11=ID");
  ASSERT_EQ(acceptor.delivered.size(), 4U);
  EXPECT_TRUE(acceptor.delivered[1].poss_dup);
  EXPECT_FALSE(acceptor.delivered[1].poss_resend);
  EXPECT_TRUE(acceptor.delivered[2].poss_resend);
  EXPECT_FALSE(acceptor.delivered[2].poss_dup);
  EXPECT_FALSE(acceptor.delivered[3].poss_dup || acceptor.delivered[3].poss_resend);
}

}  // namespace
}  // namespace nexusfix::session::test
