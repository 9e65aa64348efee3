#include <nexusfix/engine/events.hpp>

namespace nexusfix::engine {
namespace {

// SessionRejectReason (373), FIX 4.2 to 5.0 SP2.
constexpr unsigned kRequiredTagMissing = 1;
constexpr unsigned kTagWithoutValue = 4;
constexpr unsigned kValueOutOfRange = 5;
constexpr unsigned kIncorrectDataFormat = 6;
// BusinessRejectReason (380).
constexpr unsigned kUnsupportedMessageType = 3;

}  // namespace

MessageReply business_reject(unsigned reason, wire::Tag ref_tag, std::string_view text,
                             std::string_view ref_id) noexcept {
  return {MessageReply::Kind::RejectBusiness, reason, ref_tag, text, ref_id};
}

MessageReply session_reject(unsigned reason, wire::Tag ref_tag, std::string_view text) noexcept {
  return {MessageReply::Kind::RejectSession, reason, ref_tag, text};
}

MessageReply unsupported_message_type() noexcept {
  return business_reject(kUnsupportedMessageType, 0, "Unsupported Message Type");
}

MessageReply reject_for(const wire::FieldError& error) noexcept {
  switch (error.code) {
    case wire::FieldErrorCode::Missing:
      return session_reject(kRequiredTagMissing, error.tag, "Required tag missing");
    case wire::FieldErrorCode::Empty:
      return session_reject(kTagWithoutValue, error.tag, "Tag specified without a value");
    case wire::FieldErrorCode::Malformed:
      return session_reject(kIncorrectDataFormat, error.tag, "Incorrect data format for value");
    case wire::FieldErrorCode::OutOfRange:
      break;
  }
  return session_reject(kValueOutOfRange, error.tag,
                        "Value is incorrect (out of range) for this tag");
}

}  // namespace nexusfix::engine
