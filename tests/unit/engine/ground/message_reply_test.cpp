// The reject that answers a field which an application could not read.
#include <gtest/gtest.h>

#include <nexusfix/engine/events.hpp>

namespace nexusfix::engine {
namespace {

TEST(MessageReply, field_that_could_not_be_read_has_the_reason_of_the_specification) {
  // FIX 4.4, Reject (3), SessionRejectReason (373).
  using enum wire::FieldErrorCode;
  const struct {
    wire::FieldErrorCode code;
    unsigned reason;
  } rows[] = {{Missing, 1}, {Empty, 4}, {OutOfRange, 5}, {Malformed, 6}};
  for (const auto& row : rows) {
    const MessageReply reply = reject_for({.code = row.code, .tag = 38});
    EXPECT_EQ(reply.kind(), MessageReply::Kind::RejectSession);
    EXPECT_EQ(reply.reason(), row.reason);
    EXPECT_EQ(reply.ref_tag(), 38U);
    EXPECT_FALSE(reply.text().empty());
  }
}

TEST(MessageReply, unsupported_message_type_is_a_business_reject) {
  const MessageReply reply = unsupported_message_type();
  EXPECT_EQ(reply.kind(), MessageReply::Kind::RejectBusiness);
  EXPECT_EQ(reply.reason(), 3U);
}

}  // namespace
}  // namespace nexusfix::engine
