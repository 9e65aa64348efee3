// The texts of SessionRejectReason (373) and BusinessRejectReason (380).
#include <gtest/gtest.h>

#include <nexusfix/session/identity.hpp>

namespace nexusfix::session {
namespace {

TEST(RejectReason, texts_are_those_of_the_specification) {
  // FIX 4.4, Reject (3) and BusinessMessageReject (j).
  EXPECT_EQ(session_reject_text(0), "Invalid tag number");
  EXPECT_EQ(session_reject_text(1), "Required tag missing");
  EXPECT_EQ(session_reject_text(10), "SendingTime accuracy problem");
  EXPECT_EQ(session_reject_text(18), "Invalid/Unsupported Application Version");
  EXPECT_EQ(business_reject_text(3), "Unsupported Message Type");
  EXPECT_EQ(business_reject_text(7), "DeliverTo firm not available at this time");
}

TEST(RejectReason, number_that_the_specification_does_not_have_is_other) {
  EXPECT_EQ(session_reject_text(19), "Other");
  EXPECT_EQ(session_reject_text(99), "Other");
  EXPECT_EQ(business_reject_text(8), "Other");
}

}  // namespace
}  // namespace nexusfix::session
