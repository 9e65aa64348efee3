// Copies a stored message for an answer to a ResendRequest.
#pragma once

#include <expected>
#include <span>
#include <string_view>

#include <nexusfix/base/time.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/values/conversions.hpp>

namespace nexusfix::wire {

// Writes a copy of stored into out with the same fields in the same order, except: PossDupFlag (43)
// is Y. SendingTime (52) is sending_time, but not before the stored one: a clock may go back, and a
// counterparty refuses a message that was sent before it was first sent. OrigSendingTime (122) is
// the stored SendingTime; an existing one stays, because it is the time of the first sending.
// BodyLength and CheckSum are new. 43 and 122 are inserted where an encoder writes them: 43 after
// MsgSeqNum, 122 after SendingTime and before the first header field with a larger tag. Only header
// fields are examined: everything after the header is copied byte for byte, with data fields and
// groups.
//
// stored is one complete message of an Encoder. The result lies within out; stored.size() +
// kResendGrowthBytesMax bytes always suffice. Errors: BufferFull; MessageMalformed if stored has no
// complete header with a SendingTime, or if its CheckSum is not the sum of its bytes, because they
// have changed since it was encoded. Any thread, no allocation, O(stored.size()).
[[nodiscard]] std::expected<std::string_view, EncodeError> resend_copy(
    std::string_view stored, WallTime sending_time, TimePrecision precision,
    std::span<char> out) noexcept;

// 43=Y, 122= with the longest UTCTimestamp, ten more bytes of fraction in 52, and the digits of
// BodyLength.
inline constexpr std::size_t kResendGrowthBytesMax = 64;

}  // namespace nexusfix::wire
