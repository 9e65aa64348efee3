// The owner can see the counterparty's administrative messages: each once, in order, and only if it
// is processed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SessionConfig showing(SessionConfig config) {
  config.shows_administrative = true;
  return config;
}

TEST(Administrative, every_kind_is_shown_in_order) {
  // QuickFIX's Application::fromAdmin.
  Side acceptor{showing(acceptor_config())};
  acceptor.establish();
  EXPECT_THAT(acceptor.administrative, ElementsAre("35=A|34=1|98=0|108=30"));
  acceptor.administrative.clear();
  acceptor.in("35=0|34=2");
  acceptor.in("35=1|34=3|112=X");
  acceptor.in("35=3|34=4|45=1|58=why");
  acceptor.in("35=2|34=5|7=1|16=0");
  acceptor.in("35=4|34=6|36=9|123=Y");
  acceptor.in("35=4|34=9|36=12");
  acceptor.in("35=5|34=12|58=bye");
  EXPECT_THAT(
      acceptor.administrative,
      ElementsAre("35=0|34=2", "35=1|34=3|112=X", "35=3|34=4|45=1|58=why", "35=2|34=5|7=1|16=0",
                  "35=4|34=6|36=9|123=Y", "35=4|34=9|36=12", "35=5|34=12|58=bye"));
}

TEST(Administrative, early_message_is_shown_once_in_order) {
  // FIX 4.4 volume 2, "Ordered Message Processing".
  Side acceptor{showing(acceptor_config())};
  acceptor.establish();
  acceptor.administrative.clear();
  acceptor.in("35=3|34=3|45=1|58=early");
  EXPECT_THAT(acceptor.administrative, IsEmpty());
  acceptor.in("35=D|34=2|43=Y|122=20240115-10:30:00.000|11=A");
  EXPECT_THAT(acceptor.administrative, ElementsAre("35=3|34=3|45=1|58=early"));
}

TEST(Administrative, rejected_or_repeated_message_is_not_shown) {
  // TC 2e, 11c; FIX Session Layer, "Reject", reason 5.
  Side acceptor{showing(acceptor_config())};
  acceptor.establish();
  acceptor.administrative.clear();
  acceptor.in("35=2|34=2|7=9|16=0");                        // BeginSeqNo above the last sent
  acceptor.in("35=0|34=1|43=Y|122=20240115-10:30:00.000");  // a duplicate
  acceptor.in("35=4|34=3|36=1");                            // it would lower the number
  EXPECT_THAT(acceptor.administrative, IsEmpty());
}

TEST(Administrative, refusal_of_the_logon_is_shown) {
  // FIXT 1.1, SessionStatus (1409): the application must learn the reason.
  Side initiator{showing(initiator_config())};
  initiator.connect();
  initiator.in("35=5|34=1|58=password expired");
  EXPECT_THAT(initiator.administrative, ElementsAre("35=5|34=1|58=password expired"));
}

TEST(Administrative, nothing_is_shown_unless_configured) {
  // QuickFIX's Application::fromAdmin is optional here.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in("35=0|34=2");
  EXPECT_THAT(acceptor.administrative, IsEmpty());
}

}  // namespace
}  // namespace nexusfix::session::test
