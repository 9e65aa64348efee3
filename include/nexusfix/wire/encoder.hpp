// From fields to bytes: writes BeginString, BodyLength, MsgType, the standard header and CheckSum
// itself, into a buffer that the caller owns. Never allocates.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <type_traits>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/wire/conversions.hpp>
#include <nexusfix/wire/field.hpp>

namespace nexusfix::wire {

enum class EncodeErrorCode : std::uint8_t {
  BufferFull,  // the message does not fit into the buffer
  SohInValue,  // a value that is not a data field holds SOH
  EmptyValue,
  TagInvalid,        // 0 or above kTagMax, or a field that the encoder writes itself (8, 9, 10, 35)
  ValueOutOfRange,   // a date that is none, or a time of day beyond the day
  MessageMalformed,  // resend_copy: what is to be copied is no message of an Encoder
};

struct EncodeError {
  EncodeErrorCode code = EncodeErrorCode::BufferFull;
  Tag tag = 0;  // of the field that failed first
};

// The parts of the standard header that do not change within a session; rendered once.
struct HeaderFields {
  std::string_view begin_string;    // 8, at most kBeginStringBytesMax bytes
  std::string_view sender_comp_id;  // 49
  std::string_view target_comp_id;  // 56
};

inline constexpr std::size_t kBeginStringBytesMax = 16;

// What changes with each message. Header fields go out by ascending tag behind MsgType:
// 34, 43, 49, 52, 56, 97, 122. Others (50, 57, 115, ...) are the first calls of field().
struct MessageHeader {
  std::string_view msg_type;      // 35
  std::uint64_t msg_seq_num = 0;  // 34
  WallTime sending_time;          // 52
  TimePrecision precision = TimePrecision::Millis;
  bool poss_dup = false;               // 43=Y
  bool poss_resend = false;            // 97=Y
  std::string_view orig_sending_time;  // 122, as text; empty: not written
};

// A signed or unsigned integer type, but neither bool nor a character type.
template <class T>
concept FieldInteger = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                       !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                       !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

// The first error sticks: fields after it are ignored, and finish() returns it, so a chain of
// field() calls needs one check at its end. Nothing half-written is ever returned. One thread at a
// time; no allocation, no copy of the body: room for BeginString and BodyLength is left in front of
// it, and the message begins wherever BodyLength's digits let it begin.
//
//   wire::Encoder encoder{buffer, {"FIX.4.4", "ME", "YOU"}, {.msg_type = "0", .msg_seq_num = 7,
//                                                           .sending_time = now}};
//   auto message = encoder.field(tag::TestReqID, "hello").finish();
class Encoder {
 public:
  // buffer must outlive the encoder and the view that finish() returns; session and header only
  // the constructor.
  Encoder(std::span<char> buffer, const HeaderFields& session,
          const MessageHeader& header) noexcept;

  // Text: std::string_view and what converts to it. SOH in it is SohInValue.
  Encoder& field(Tag tag, std::string_view value) noexcept;
  Encoder& field(Tag tag, const char* value) noexcept {
    return field(tag, std::string_view{value});
  }
  Encoder& field(Tag tag, char value) noexcept { return field(tag, std::string_view{&value, 1}); }
  template <std::same_as<bool> Bool>  // exactly bool: a pointer would convert to it
  Encoder& field(Tag tag, Bool value) noexcept {
    return field(tag, value ? 'Y' : 'N');
  }
  template <FieldInteger Integer>
  Encoder& field(Tag tag, Integer value) noexcept {
    if constexpr (std::is_signed_v<Integer>) {
      return signed_field(tag, value);
    } else {
      return unsigned_field(tag, value);
    }
  }
  Encoder& field(Tag tag, Decimal value) noexcept;
  // UTCTimestamp.
  Encoder& field(Tag tag, WallTime value, TimePrecision precision = TimePrecision::Millis) noexcept;
  // UTCDateOnly, LocalMktDate; years 0 to 9999.
  Encoder& field(Tag tag, Date value) noexcept;
  // UTCTimeOnly; from 0 to the end of the leap second 23:59:60.
  Encoder& field(Tag tag, TimeOfDay value,
                 TimePrecision precision = TimePrecision::Millis) noexcept;
  // A Length field and its data field; the value may hold any byte.
  Encoder& data(Tag length_tag, Tag data_tag, std::string_view value) noexcept;

  // The whole message, BodyLength and CheckSum in place; lies somewhere within the buffer. Call it
  // once, last.
  [[nodiscard]] std::expected<std::string_view, EncodeError> finish() noexcept;

 private:
  Encoder& signed_field(Tag tag, std::int64_t value) noexcept;
  Encoder& unsigned_field(Tag tag, std::uint64_t value) noexcept;
  void fail(EncodeErrorCode code, Tag tag) noexcept;
  void open_body(std::span<char> buffer, std::string_view begin_string) noexcept;
  void write_header(const HeaderFields& session, const MessageHeader& header) noexcept;
  void write_text(Tag tag, std::string_view value) noexcept;
  // Writes `tag=` and returns where the value goes, if it and its SOH fit; nullptr if they do not,
  // or the tag is invalid, or there was an error before.
  [[nodiscard]] char* open_field(Tag tag, std::size_t value_bytes_max) noexcept;
  void close_field(char* value_end) noexcept;
  template <class Write>
  Encoder& converted_field(Tag tag, Write write) noexcept;

  char* begin_;  // of the buffer
  char* body_;   // behind BodyLength's SOH
  char* at_;     // where the next field goes
  char* limit_;  // in front of the room that the trailer needs
  std::size_t begin_string_bytes_ = 0;
  std::array<char, kBeginStringBytesMax> begin_string_;
  bool failed_ = false;
  EncodeError error_;
};

[[nodiscard]] std::string_view to_string(EncodeErrorCode code) noexcept;

}  // namespace nexusfix::wire
