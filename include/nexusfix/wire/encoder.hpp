// From fields to bytes: writes BeginString, BodyLength, MsgType, the standard header and CheckSum
// itself, into a buffer that the caller owns. Never allocates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/wire/conversions.hpp>
#include <nexusfix/wire/field.hpp>

namespace nexusfix::wire {

enum class EncodeErrorCode : std::uint8_t {
  BufferFull,       // the message does not fit into the buffer
  SohInValue,       // a value that is not a data field holds SOH
  EmptyValue,
  TagInvalid,       // 0 or above kTagMax, or a field that the encoder writes itself (8, 9, 10, 35)
};

struct EncodeError {
  EncodeErrorCode code = EncodeErrorCode::BufferFull;
  Tag tag = 0;  // of the field that failed first
};

// The parts of the standard header that do not change within a session; rendered once.
struct HeaderFields {
  std::string_view begin_string;    // 8
  std::string_view sender_comp_id;  // 49
  std::string_view target_comp_id;  // 56
};

// What changes with each message. Header fields go out by ascending tag behind MsgType:
// 34, 43, 49, 52, 56, 97, 122, 369.
struct MessageHeader {
  std::string_view msg_type;                // 35
  std::uint64_t msg_seq_num = 0;            // 34
  WallTime sending_time;                    // 52
  TimePrecision precision = TimePrecision::Millis;
  bool poss_dup = false;                    // 43=Y
  bool poss_resend = false;                 // 97=Y
  std::string_view orig_sending_time;       // 122, as text; empty: not written
};

// The first error sticks: fields after it are ignored, and finish() returns it, so a chain of
// field() calls needs one check at its end. Nothing half-written is ever returned.
class Encoder {
 public:
  // buffer must outlive the encoder and the view that finish() returns.
  Encoder(std::span<char> buffer, const HeaderFields& session, const MessageHeader& header) noexcept;

  Encoder& field(Tag tag, std::string_view value) noexcept;
  Encoder& field(Tag tag, char value) noexcept;
  Encoder& field(Tag tag, bool value) noexcept;  // Y or N
  Encoder& field(Tag tag, std::int64_t value) noexcept;
  Encoder& field(Tag tag, std::uint64_t value) noexcept;
  Encoder& field(Tag tag, std::int32_t value) noexcept;
  Encoder& field(Tag tag, std::uint32_t value) noexcept;
  Encoder& field(Tag tag, Decimal value) noexcept;
  Encoder& field(Tag tag, WallTime value, TimePrecision precision = TimePrecision::Millis) noexcept;
  Encoder& field(Tag tag, Date value) noexcept;
  // A Length field and its data field; the value may hold any byte.
  Encoder& data(Tag length_tag, Tag data_tag, std::string_view value) noexcept;

  // The whole message, BodyLength and CheckSum in place; lies somewhere within the buffer.
  [[nodiscard]] std::expected<std::string_view, EncodeError> finish() noexcept;
};

}  // namespace nexusfix::wire
