// Copies of a message with other fields: edits of an application, and resends.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/decimal.hpp>
#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/header_template.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed.hpp>

// The text of a value that a caller gives as a C++ type.

namespace nexusfix::wire::detail {

// Longer than the text of any number or time.
inline constexpr std::size_t kValueTextBytesMax = 64;

// Whether the value has a wire format: a Date exists and has a year of four digits, a TimeOfDay is
// within the day and its leap second.
template <FieldValue Value>
[[nodiscard]] bool has_wire_format(const Value& value) noexcept {
  if constexpr (std::same_as<Value, PicoTime>) {
    return value.picos < 1'000;
  } else if constexpr (std::convertible_to<Value, Date>) {
    constexpr int kYearMax = 9999;
    const Date date{value};
    const auto year = static_cast<int>(date.year());
    return date.ok() && year >= 0 && year <= kYearMax;
  } else if constexpr (std::convertible_to<Value, WallTime>) {
    return true;
  } else if constexpr (std::convertible_to<Value, TimeOfDay>) {
    constexpr TimeOfDay kEnd = std::chrono::hours{24} + std::chrono::seconds{1};
    const TimeOfDay time{value};
    return time >= TimeOfDay::zero() && time < kEnd;
  } else {
    return true;
  }
}

// Writes the text of a value that is not a text itself, at most kValueTextBytesMax bytes. A time
// has milliseconds. Returns the bytes written.
template <FieldValue Value>
std::size_t value_text(const Value& value, char* out) noexcept {
  if constexpr (std::same_as<Value, char>) {
    return *out = value, 1;
  } else if constexpr (std::same_as<Value, bool>) {
    return *out = value ? 'Y' : 'N', 1;
  } else if constexpr (std::signed_integral<Value>) {
    return from_int(value, out);
  } else if constexpr (std::unsigned_integral<Value>) {
    return from_uint(value, out);
  } else if constexpr (std::same_as<Value, Decimal>) {
    return from_decimal(value, out);
  } else if constexpr (std::same_as<Value, FixedPrice>) {
    return from_fixed_price(value, out);
  } else if constexpr (std::convertible_to<Value, Date>) {
    return from_date(value, out);
  } else if constexpr (std::convertible_to<Value, WallTime>) {
    return from_utc_timestamp(WallTime{value}, TimePrecision::Millis, out);
  } else if constexpr (std::same_as<Value, PicoTime>) {
    return from_utc_timestamp(value, TimePrecision::Millis, out);
  } else {
    return from_time_of_day(TimeOfDay{value}, TimePrecision::Millis, out);
  }
}

}  // namespace nexusfix::wire::detail

// A copy of an encoded message with some of its fields changed, for an application that must adapt
// a message before it is sent.

namespace nexusfix::wire {

// The changes to make in a message. Values are copied. Keeps its storage when it is cleared. One
// thread at a time.
class FieldEdits {
 public:
  // Gives the value to the first field with this tag. If there is none, adds a field at the end of
  // the header or of the body, as the tag requires. In a repeating group, the first entry's field
  // changes. A second edit of a tag replaces the first. edited_copy() reports a value that cannot
  // be sent.
  template <detail::FieldValue Value>
  void set(Tag tag, const Value& value) {
    if constexpr (std::convertible_to<Value, std::string_view>) {
      set_text(tag, value);
    } else {
      std::array<char, detail::kValueTextBytesMax> text;
      set_text(tag, {text.data(), detail::value_text(value, text.data())});
    }
  }
  // A typed field: set(OrderQty{100_d}), set(Side::Buy).
  template <detail::TypedField Field>
    requires(!detail::DataTypedField<Field>)
  void set(const Field& field) {
    if constexpr (detail::DictionaryEnum<Field>) {
      set_text(EnumTraits<Field>::kTag, EnumTraits<Field>::text(field));
    } else {
      set(Field::kTag, field.value);
    }
  }
  // Omits the first field with this tag, if there is one.
  void remove(Tag tag);

  // Removes all edits and keeps their storage.
  void clear() noexcept;
  // Whether a password (554, 925, 1402, 1404) is set.
  [[nodiscard]] bool has_password() const noexcept;
  // Whether there is no edit.
  [[nodiscard]] bool empty() const noexcept { return edits_.empty(); }
  // The maximum number of bytes by which a copy is longer than its message.
  [[nodiscard]] std::size_t growth_bytes() const noexcept;

 private:
  friend class EditedCopy;
  struct Edit {
    Tag tag = 0;
    bool removes = false;
    std::size_t begin = 0;  // of the value within text_
    std::size_t size = 0;
  };
  void set_text(Tag tag, std::string_view value);
  Edit& edit_of(Tag tag);

  std::vector<Edit> edits_;
  std::string text_;
};

// Writes a copy of message into out. Every field keeps its value and its position, except the
// edited ones; BodyLength and CheckSum are new. The result lies within out; message.bytes().size()
// + edits.growth_bytes() bytes suffice. Errors: TagInvalid (belongs_to_session(); not a tag; a
// standard data field or its length), EmptyValue, SohInValue; BufferFull; MessageMalformed if the
// message has a fault. Any thread; allocates in its first call only.
[[nodiscard]] std::expected<std::string_view, EncodeError> edited_copy(const MessageView& message,
                                                                       const FieldEdits& edits,
                                                                       std::span<char> out);

// Copies a stored message for an answer to a ResendRequest.

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
