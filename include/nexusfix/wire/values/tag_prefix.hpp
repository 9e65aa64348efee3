// The bytes before a value: the SOH that ends the field before it, the tag and `=`.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nexusfix/wire/session_tags.hpp>
#include <nexusfix/wire/typed/field.hpp>
#include <nexusfix/wire/values/byte_block.hpp>

namespace nexusfix::wire {

// The envelope's fields. An encoder writes them itself.
[[nodiscard]] constexpr bool is_written_by_encoder(Tag tag) noexcept {
  return tag == tag::BeginString || tag == tag::BodyLength || tag == tag::MsgType ||
         tag == tag::CheckSum;
}

[[nodiscard]] constexpr bool can_be_written(Tag tag) noexcept {
  return tag != 0 && tag <= kTagMax && !is_written_by_encoder(tag);
}

// Passwords in any message. No log and no store may contain them. RawData (96) is a password only
// in a Logon and a UserRequest.
[[nodiscard]] constexpr bool is_password(Tag tag) noexcept {
  return tag == tag::Password || tag == tag::NewPassword || tag == tag::EncryptedPassword ||
         tag == tag::EncryptedNewPassword;
}

// The standard header without BeginString, BodyLength and MsgType.
[[nodiscard]] constexpr bool is_header_tag(Tag tag) noexcept {
  switch (tag) {
    case tag::MsgSeqNum:
    case tag::PossDupFlag:
    case tag::SenderCompID:
    case tag::SenderSubID:
    case tag::SendingTime:
    case tag::TargetCompID:
    case tag::TargetSubID:
    case tag::SecureDataLen:
    case tag::SecureData:
    case tag::PossResend:
    case tag::OnBehalfOfCompID:
    case tag::OnBehalfOfSubID:
    case tag::OrigSendingTime:
    case tag::DeliverToCompID:
    case tag::DeliverToSubID:
    case tag::SenderLocationID:
    case tag::TargetLocationID:
    case tag::OnBehalfOfLocationID:
    case tag::DeliverToLocationID:
    case tag::XmlDataLen:
    case tag::XmlData:
    case tag::MessageEncoding:
    case tag::LastMsgSeqNumProcessed:
    case tag::OnBehalfOfSendingTime:
    case tag::NoHops:
    case tag::HopCompID:
    case tag::HopSendingTime:
    case tag::HopRefID:
    case tag::ApplVerID:
    case tag::CstmApplVerID:
    case tag::ApplExtID:
      return true;
    default:
      return false;
  }
}

// Whether only the session may write this field, because the field frames the message or identifies
// the message and its session: 8, 9, 10, 34, 35, 43, 49, 52, 56, 122, 369.
[[nodiscard]] constexpr bool belongs_to_session(Tag tag) noexcept {
  switch (tag) {
    case tag::BeginString:
    case tag::BodyLength:
    case tag::CheckSum:
    case tag::MsgSeqNum:
    case tag::MsgType:
    case tag::PossDupFlag:
    case tag::SenderCompID:
    case tag::SendingTime:
    case tag::TargetCompID:
    case tag::OrigSendingTime:
    case tag::LastMsgSeqNumProcessed:
      return true;
    default:
      return false;
  }
}

namespace detail {

// Up to eight bytes, written by one store.
struct TagPrefix {
  std::uint64_t word = 0;
  std::uint32_t bytes = 0;  // 0: must not be written this way
  std::uint32_t sum = 0;

  static constexpr Tag kTagEnd = 1'000'000;  // SOH, six digits and `=` are eight bytes

  NEXUSFIX_ALWAYS_INLINE constexpr void prepend(std::uint32_t c) noexcept {
    word = word << 8U | c;
    ++bytes;
    sum += c;
  }
};

template <std::uint32_t kDigits>
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE constexpr TagPrefix with_digits_before(TagPrefix prefix,
                                                                            Tag tag) noexcept {
  prefix.prepend('0' + tag % 10);
  if constexpr (kDigits == 1) {
    prefix.prepend(static_cast<unsigned char>(kSoh));
    return prefix;
  } else {
    return with_digits_before<kDigits - 1>(prefix, tag / 10);
  }
}

// Contains no loop, so that it is one constant for a tag that is a template argument or a constant
// argument. A password has no prefix here: it takes the path on which an encoder notes it, at no
// cost for all other fields.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE constexpr TagPrefix known_tag_prefix(Tag tag) noexcept {
  if (!can_be_written(tag) || is_password(tag)) return {};
  constexpr TagPrefix kEnd{'=', 1, '='};
  if (tag < 10) return with_digits_before<1>(kEnd, tag);
  if (tag < 100) return with_digits_before<2>(kEnd, tag);
  if (tag < 1'000) return with_digits_before<3>(kEnd, tag);
  if (tag < 10'000) return with_digits_before<4>(kEnd, tag);
  if (tag < 100'000) return with_digits_before<5>(kEnd, tag);
  if (tag < TagPrefix::kTagEnd) return with_digits_before<6>(kEnd, tag);
  return {};
}

// The prefix of a tag that is known only at run time.
[[nodiscard]] TagPrefix tag_prefix(Tag tag) noexcept;

}  // namespace detail

}  // namespace nexusfix::wire
