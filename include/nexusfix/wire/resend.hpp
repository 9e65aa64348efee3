// A stored message as it goes out again in answer to a ResendRequest.
#pragma once

#include <expected>
#include <span>
#include <string_view>

#include <nexusfix/base/time.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/values/conversions.hpp>

namespace nexusfix::wire {

// Writes a copy of stored into out: the same fields in the same order, but PossDupFlag (43) is Y,
// SendingTime (52) is sending_time, but never before the stored one (a clock may go back, and a
// message sent before it was first sent is refused), OrigSendingTime (122) is the stored
// SendingTime (one that is there already stays, because it is that of the first sending), and
// BodyLength and CheckSum are new. 43 and 122 are inserted where an encoder puts them: behind
// MsgSeqNum, and behind SendingTime in front of the first header field with a larger tag. Only
// header fields are looked at: everything behind the header is copied byte for byte, data fields
// and groups included.
//
// stored is one whole message that an Encoder made. The result lies within out, whose size must be
// at least stored.size() + kResendGrowthBytesMax to be sure to suffice.
// Errors: BufferFull; MessageMalformed if stored has no whole header with a SendingTime, or if its
// CheckSum, made when it was encoded, is not that of its bytes: they were changed since then. Any
// thread, no allocation, O(stored.size()).
[[nodiscard]] std::expected<std::string_view, EncodeError> resend_copy(
    std::string_view stored, WallTime sending_time, TimePrecision precision,
    std::span<char> out) noexcept;

// 43=Y, 122= with the longest UTCTimestamp, ten more bytes of fraction in 52, and BodyLength's
// digits.
inline constexpr std::size_t kResendGrowthBytesMax = 64;

}  // namespace nexusfix::wire
