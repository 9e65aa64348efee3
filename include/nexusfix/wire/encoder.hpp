// From fields to bytes: writes BeginString, BodyLength, MsgType, the standard header and CheckSum
// itself, into a buffer of the caller. Never allocates.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <type_traits>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/decimal.hpp>
#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/digits.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/header_template.hpp>

namespace nexusfix::wire {

namespace detail {

// UTCTimestamp and UTCTimeOnly. Their values have a precision.
template <class T>
concept FieldTime = std::convertible_to<T, WallTime> || std::convertible_to<T, TimeOfDay> ||
                    std::same_as<T, PicoTime>;

// The types that field() takes:
//   text          std::string_view and types that convert to it; SOH in it is SohInValue
//   char, bool    one byte; Y or N
//   integers      every value of every type
//   Decimal       Price, Qty, Amt, Percentage, float: with all its digits
//   FixedPrice    the same, without trailing zeros
//   WallTime      UTCTimestamp; PicoTime, too
//   TimeOfDay     UTCTimeOnly; from 0 to the end of the leap second 23:59:60
//   Date          UTCDateOnly, LocalMktDate; years 0 to 9999
template <class T>
concept FieldValue = !kIsOptionalField<T> &&
                     (std::convertible_to<T, std::string_view> || std::same_as<T, char> ||
                      std::same_as<T, bool> || WholeNumber<T> || std::same_as<T, Decimal> ||
                      std::same_as<T, FixedPrice> || std::convertible_to<T, Date> || FieldTime<T>);

// The last bytes of a text, at least one and at most a block, with zeros among the others. A block
// before the end is readable.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block last_bytes(const char* end, std::size_t bytes) noexcept {
#if NEXUSFIX_BYTE_BLOCK_SSE2
  return {_mm_and_si128(load_block(end - kBlockBytes).bytes, keep_last(bytes))};
#else
  return load_block(end - bytes, bytes);
#endif
}

}  // namespace detail

class DraftFields;
class GroupWriter;

// Keeps the first error: later fields are ignored and finish() returns the error, so a chain of
// field() calls needs one check at its end. Never returns an incomplete message. One thread at a
// time. No allocation and no copy of the body: the encoder reserves room for BeginString and
// BodyLength before the body, and the message begins where the digits of BodyLength let it begin.
// CheckSum is added up from the registers that the values are written from.
//
//   wire::Encoder encoder{buffer, session, {.msg_type = "D", .msg_seq_num = 7,
//                                           .sending_time = now}};
//   auto message = encoder.field<tag::ClOrdID>("A1").field<tag::OrderQty>(100_d).finish();
class Encoder {
 public:
  // buffer must outlive the encoder and the view that finish() returns. session and header need to
  // live only during the constructor.
  NEXUSFIX_ALWAYS_INLINE Encoder(std::span<char> buffer, HeaderTemplate& session,
                                 const MessageHeader& header) noexcept
      : minute_{minute_of(session)} {
    if (open_like_last(buffer, session, header)) [[likely]]
      return;
    clear();
    if (!open(buffer, session, header)) [[unlikely]] {
      start_body(open_exactly(buffer, session, header));
    }
  }
  // Without a template, for occasional messages.
  Encoder(std::span<char> buffer, const HeaderFields& session,
          const MessageHeader& header) noexcept;

  // Writes one field: field<55>("AAPL"). A tag that cannot be written does not compile. A time has
  // milliseconds.
  template <Tag kTag, detail::FieldValue Value>
  NEXUSFIX_ALWAYS_INLINE Encoder& field(const Value& value) noexcept {
    static_assert(can_be_written(kTag));
    return put(detail::known_tag_prefix(kTag), kTag, value, TimePrecision::Millis);
  }
  // Writes a time with this precision.
  template <Tag kTag, detail::FieldTime Value>
  NEXUSFIX_ALWAYS_INLINE Encoder& field(const Value& value, TimePrecision precision) noexcept {
    static_assert(can_be_written(kTag));
    return put(detail::known_tag_prefix(kTag), kTag, value, precision);
  }
  // For a tag that is known at run time. A tag that is a constant costs nothing in this
  // form, too. A tag that cannot be written is the error TagInvalid.
  template <detail::FieldValue Value>
  NEXUSFIX_ALWAYS_INLINE Encoder& field(Tag tag, const Value& value) noexcept {
    return put(prefix_of(tag), tag, value, TimePrecision::Millis);
  }
  // Writes a time with this precision.
  template <detail::FieldTime Value>
  NEXUSFIX_ALWAYS_INLINE Encoder& field(Tag tag, const Value& value,
                                        TimePrecision precision) noexcept {
    return put(prefix_of(tag), tag, value, precision);
  }

  // Do not compile: a floating-point number is not exact, and an enumeration is a typed field.
  template <class Value>
    requires(!detail::FieldValue<Value>)
  Encoder& field(Tag, const Value&) noexcept {
    static_assert(detail::kCompiles<Value>,
                  "field(tag, value) takes a text, an integer, a char, a bool, a time or Decimal: "
                  "150.25_d; typed fields such as Side::Buy are for Session::send<M>()");
    return *this;
  }
  // As above.
  template <Tag kTag, class Value>
    requires(!detail::FieldValue<Value>)
  Encoder& field(const Value&) noexcept {
    static_assert(detail::kCompiles<Value>,
                  "field<tag>(value) takes a text, an integer, a char, a bool, a time or Decimal: "
                  "150.25_d; typed fields such as Side::Buy are for Session::send<M>()");
    return *this;
  }

  // Writes a Length field and its data field. The value may contain any byte. An empty value is the
  // error EmptyValue.
  Encoder& data(Tag length_tag, Tag data_tag, std::string_view value) noexcept {
    record_if_password(data_tag);
    return take(append_data(place(), length_tag, data_tag, value));
  }
  // For constant tags. Tags that cannot be written do not compile.
  template <Tag kLengthTag, Tag kDataTag>
  Encoder& data(std::string_view value) noexcept {
    static_assert(can_be_written(kLengthTag) && can_be_written(kDataTag));
    return data(kLengthTag, kDataTag, value);
  }

  // A field without a value. No version of FIX allows it; it is for counterparties that send such
  // fields and expect them back.
  Encoder& field_without_value(Tag tag) noexcept { return take(append_empty(place(), tag)); }

  // A repeating group of count entries. Writes the NumInGroup field; see GroupWriter.
  [[nodiscard]] GroupWriter group(Tag count_tag, std::size_t count) noexcept;
  // A repeating group with one entry for each element of entries. write_entry(*this, entry) writes
  // it.
  template <std::ranges::sized_range Entries, class WriteEntry>
  Encoder& group(Tag count_tag, const Entries& entries, WriteEntry&& write_entry) noexcept;

  // The fields so far: from `35=` to the value of the last one, without its SOH. Valid until the
  // next field. Empty after an error.
  [[nodiscard]] std::string_view written() const noexcept {
    if (has_failed()) return {};
    return {body_, static_cast<std::size_t>(at_ - body_)};
  }

  // From now on, sets noted to true when a password is written (554, 925, 1402, 1404), so that
  // nothing has to search the message before it is stored. noted must outlive the last field.
  void record_passwords_in(bool& noted) noexcept { password_noted_ = &noted; }

  // The fields of a draft.
  Encoder& fields(const DraftFields& draft) noexcept;

  // The complete message, with BodyLength and CheckSum. It lies somewhere within the buffer. Call
  // this once, as the last function.
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::expected<std::string_view, EncodeError>
  finish() noexcept {
    if (has_failed() || entries_owed_ != 0) [[unlikely]]
      return std::unexpected{error()};
    return seal();
  }

  // From now on every field is ignored, and finish() fails: the bytes of a finished message stay as
  // they are.
  NEXUSFIX_ALWAYS_INLINE void close() noexcept { fail(EncodeErrorCode::BufferFull, 0); }

 private:
  friend class GroupWriter;

  // Where the next bytes go, and the end of the room for fields.
  struct Place {
    char* at;
    char* limit;
  };
  // The result of the slow path. Long values, numbers of many digits, the last bytes of the buffer
  // and errors go through functions that are not inline and that take and return values, so that
  // the encoder itself can stay in registers.
  struct Appended {
    char* end;               // nullptr: nothing was appended, because of an error
    std::uint32_t sum;       // of the appended bytes; after an error, the tag of the field
    EncodeErrorCode code{};  // if end is nullptr
  };
  struct Opened {
    char* begin;
    char* body;
    char* end;  // of the buffer
    std::uintptr_t ordinary_end;
    detail::MinuteText minute;
    Appended header;
  };

  // A field with an ordinary value never needs more room than this, with the whole blocks that are
  // stored and the trailer. Below it, one comparison checks for room.
  static constexpr std::size_t kFieldBytesMax = 64;
  // A text of more blocks is not ordinary.
  static constexpr std::size_t kBlocksMax = 3;
  static_assert(kFieldBytesMax >= sizeof(std::uint64_t) + kBlocksMax * detail::kBlockBytes + 8);
  // A MsgSeqNum below it may have twice the digits of an ordinary number, because busy days have
  // millions.
  static constexpr std::uint64_t kOrdinarySeqNumEnd =
      detail::kOrdinaryDigitsEnd * detail::kOrdinaryDigitsEnd;
  static constexpr std::size_t kTrailerBytes = 8;  // SOH, 10=ddd and SOH

  [[gnu::cold]] static Opened open_exactly(std::span<char> buffer, HeaderTemplate& session,
                                           MessageHeader header) noexcept;
  template <class WriteConstant>
  static Opened open_with(std::span<char> buffer, const detail::FrontText& front,
                          const MessageHeader& header, WriteConstant write_constant) noexcept;
  template <class Write>
  static Appended append(Place place, Write write) noexcept;
  // A tag and its prefix, in two registers: a caller knows the prefix at compile time.
  struct PrefixedTag {
    std::uint64_t word;
    std::uint32_t bytes;
    Tag tag;

    NEXUSFIX_ALWAYS_INLINE PrefixedTag(const detail::TagPrefix& prefix, Tag of) noexcept
        : word{prefix.word}, bytes{prefix.bytes}, tag{of} {}
  };
  static char* open_roomy(Place place, PrefixedTag tag, std::size_t value_bytes) noexcept;
  template <class Convert>
  static Appended append_converted(Place place, PrefixedTag tag, Convert convert) noexcept;
  [[gnu::cold]] static Appended append_text(Place place, PrefixedTag tag,
                                            std::string_view value) noexcept;
  [[gnu::noinline]] static Appended append_long_text(Place place, PrefixedTag tag,
                                                     std::string_view value) noexcept;
  [[gnu::cold]] static Appended append_any_text(Place place, PrefixedTag tag,
                                                std::string_view value) noexcept;
  [[gnu::cold]] static Appended append_char(Place place, PrefixedTag tag, char value) noexcept;
  [[gnu::cold]] static Appended append_int(Place place, PrefixedTag tag, std::uint64_t magnitude,
                                           bool negative) noexcept;
  [[gnu::noinline]] static Appended append_decimal(Place place, PrefixedTag tag,
                                                   Decimal value) noexcept;
  [[gnu::cold]] static Appended append_any_decimal(Place place, PrefixedTag tag,
                                                   Decimal value) noexcept;
  static Appended append_fixed_price(Place place, Tag tag, FixedPrice value) noexcept;
  [[gnu::cold]] static Appended append_time(Place place, Tag tag, WallTime value,
                                            TimePrecision precision) noexcept;
  static Appended append_time(Place place, Tag tag, PicoTime value,
                              TimePrecision precision) noexcept;
  static Appended append_time(Place place, Tag tag, TimeOfDay value,
                              TimePrecision precision) noexcept;
  static Appended append_date(Place place, Tag tag, Date value) noexcept;
  static Appended append_data(Place place, Tag length_tag, Tag data_tag,
                              std::string_view value) noexcept;
  static Appended append_empty(Place place, Tag tag) noexcept;
  static Appended append_rendered(Place place, std::string_view fields) noexcept;

  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE static detail::TagPrefix prefix_of(Tag tag) noexcept {
    if (__builtin_constant_p(tag)) return detail::known_tag_prefix(tag);
    return detail::tag_prefix(tag);
  }

  // A failed encoder has no room for any field.
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE Place place() const noexcept {
    return {at_, has_failed() ? nullptr : limit_};
  }

  NEXUSFIX_ALWAYS_INLINE void fail(EncodeErrorCode code, Tag tag) noexcept {
    if (has_failed()) return;
    fault_ = kFailed | fault(code, tag);
    ordinary_end_ = 0;  // from now on, no field is ordinary
  }

  NEXUSFIX_ALWAYS_INLINE void record_if_password(Tag tag) noexcept {
    if (is_password(tag)) record_password();
  }
  NEXUSFIX_ALWAYS_INLINE void record_password() noexcept {
    if (password_noted_ != nullptr) *password_noted_ = true;
  }

  // counted: the part of its bytes that sum_ already contains.
  NEXUSFIX_ALWAYS_INLINE Encoder& take(const Appended& appended,
                                       std::uint32_t counted = 0) noexcept {
    if (appended.end == nullptr) {
      fail(appended.code, appended.sum);
      return *this;
    }
    at_ = appended.end;
    slow_path_sum_ += appended.sum - counted;
    return *this;
  }

  NEXUSFIX_ALWAYS_INLINE void start_body(const Opened& opened) noexcept {
    minute_ = opened.minute;
    begin_ = opened.begin;
    body_ = at_ = opened.body;
    if (opened.header.end != nullptr) {
      limit_ = opened.end - kTrailerBytes;
      ordinary_end_ = opened.ordinary_end;
    }
    take(opened.header);
  }

  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE bool is_ordinary(
      const detail::TagPrefix& prefix) const noexcept {
    // Compared as numbers, because a failed encoder has no pointer into its buffer to compare with.
    return prefix.bytes != 0 && reinterpret_cast<std::uintptr_t>(at_) < ordinary_end_;
  }

  template <detail::FieldValue Value>
  NEXUSFIX_ALWAYS_INLINE Encoder& put(const detail::TagPrefix& prefix, Tag tag, const Value& value,
                                      TimePrecision precision) noexcept {
    if (prefix.bytes == 0) [[unlikely]]
      record_if_password(tag);
    if constexpr (std::same_as<Value, char>) {
      return put_char(prefix, tag, value);
    } else if constexpr (std::same_as<Value, bool>) {
      return put_char(prefix, tag, value ? 'Y' : 'N');
    } else if constexpr (WholeNumber<Value>) {
      const bool negative = value < 0;
      const auto bits = static_cast<std::uint64_t>(value);
      // 0 - v in unsigned arithmetic is correct for the smallest value, too.
      return put_int(prefix, tag, negative ? 0 - bits : bits, negative);
    } else if constexpr (std::convertible_to<Value, std::string_view>) {
      return put_text(prefix, tag, value);
    } else if constexpr (std::same_as<Value, Decimal>) {
      return put_decimal(prefix, tag, value);
    } else if constexpr (std::same_as<Value, FixedPrice>) {
      return take(append_fixed_price(place(), tag, value));
    } else if constexpr (std::same_as<Value, PicoTime>) {
      return take(append_time(place(), tag, value, precision));
    } else if constexpr (std::convertible_to<Value, Date>) {
      return take(append_date(place(), tag, value));
    } else if constexpr (std::convertible_to<Value, WallTime>) {
      return put_time(prefix, tag, WallTime{value}, precision);
    } else {
      return take(append_time(place(), tag, TimeOfDay{value}, precision));
    }
  }

  NEXUSFIX_ALWAYS_INLINE Encoder& put_text(const detail::TagPrefix& prefix, Tag tag,
                                           std::string_view value) noexcept {
    sum_ += prefix.sum;
    if (value.size() - 1 >= detail::kBlockBytes || !is_ordinary(prefix)) [[unlikely]]
      return put_blocks(prefix, tag, value);
    const detail::Block text = detail::load_block(value.data(), value.size());
    if (detail::holds_soh(text)) [[unlikely]]
      return take(append_text(place(), {prefix, tag}, value), prefix.sum);
    detail::store_block(open(prefix), text);
    sums_ = detail::add_bytes(sums_, text);
    at_ += prefix.bytes + value.size();
    return *this;
  }

  // A text of more than a block, or one that is not ordinary. Identifiers often have 36 bytes. The
  // last block overlaps the one before it, and its bytes there count once.
  NEXUSFIX_ALWAYS_INLINE Encoder& put_blocks(const detail::TagPrefix& prefix, Tag tag,
                                             std::string_view value) noexcept {
    using detail::kBlockBytes;
    const std::size_t last_at = value.size() - kBlockBytes;
    if (last_at - 1 >= (kBlocksMax - 1) * kBlockBytes || !is_ordinary(prefix)) [[unlikely]]
      return take(append_text(place(), {prefix, tag}, value), prefix.sum);
    const char* const from = value.data();
    char* const out = open(prefix);
    const detail::Block first = detail::load_block(from);
    const detail::Block last = detail::load_block(from + last_at);
    detail::store_block(out, first);
    detail::store_block(out + last_at, last);
    std::uint64_t soh = detail::soh_bits(first) | detail::soh_bits(last);
    detail::Block sums = detail::add_bytes(
        first, detail::last_bytes(from + value.size(), (last_at - 1) % kBlockBytes + 1));
    if (last_at > kBlockBytes) {
      const detail::Block middle = detail::load_block(from + kBlockBytes);
      detail::store_block(out + kBlockBytes, middle);
      soh |= detail::soh_bits(middle);
      sums = detail::add_bytes(sums, middle);
    }
    if (soh != 0) [[unlikely]]
      return take(append_text(place(), {prefix, tag}, value), prefix.sum);
    sums_ = detail::add_bytes(sums_, sums);
    at_ = out + value.size();
    return *this;
  }

  NEXUSFIX_ALWAYS_INLINE Encoder& put_char(const detail::TagPrefix& prefix, Tag tag,
                                           char value) noexcept {
    const std::uint32_t sum = prefix.sum + static_cast<unsigned char>(value);
    sum_ += sum;
    if (value == kSoh || !is_ordinary(prefix)) [[unlikely]] {
      return take(append_char(place(), {prefix, tag}, value), sum);
    }
    char* const at = at_;
    detail::store(at, prefix.word);
    at[prefix.bytes] = value;
    at_ = at + prefix.bytes + 1;
    return *this;
  }

  NEXUSFIX_ALWAYS_INLINE Encoder& put_int(const detail::TagPrefix& prefix, Tag tag,
                                          std::uint64_t magnitude, bool negative) noexcept {
    sum_ += prefix.sum;
    if (magnitude >= detail::kOrdinaryDigitsEnd || negative || !is_ordinary(prefix)) [[unlikely]]
      return take(append_int(place(), {prefix, tag}, magnitude, negative), prefix.sum);
    const detail::DecimalText digits = detail::decimal_text(magnitude, 0);
    at_ = write_half(open(prefix), digits.text, digits.bytes);
    return *this;
  }

  NEXUSFIX_ALWAYS_INLINE Encoder& put_decimal(const detail::TagPrefix& prefix, Tag tag,
                                              Decimal value) noexcept {
    // Negative ones are the largest.
    const auto magnitude = static_cast<std::uint64_t>(value.mantissa());
    const std::size_t scale = value.scale();
    sum_ += prefix.sum;
    if (magnitude >= detail::kDigits.mantissa_ends[scale] || !is_ordinary(prefix)) [[unlikely]]
      return take(append_decimal(place(), {prefix, tag}, value), prefix.sum);
    const detail::DecimalText text = detail::decimal_text(magnitude, scale);
    at_ = write_half(open(prefix), text.text, text.bytes);
    return *this;
  }

  NEXUSFIX_ALWAYS_INLINE Encoder& put_time(const detail::TagPrefix& prefix, Tag tag, WallTime value,
                                           TimePrecision precision) noexcept {
    const std::uint64_t time = minute_.time_of_minute(value);
    sum_ += prefix.sum;
    if (time >= minute_.length_ns || !is_ordinary(prefix)) [[unlikely]]
      return take(append_time(place(), tag, value, precision), prefix.sum);
    at_ = write_time(open(prefix), time, precision);
    return *this;
  }

  // Writes the prefix and returns where the value goes.
  NEXUSFIX_ALWAYS_INLINE char* open(const detail::TagPrefix& prefix) noexcept {
    char* const at = at_;
    detail::store(at, prefix.word);
    return at + prefix.bytes;
  }

  // Stores a word whose first bytes are text and the rest zero.
  NEXUSFIX_ALWAYS_INLINE char* write_word(char* at, std::uint64_t word,
                                          std::size_t bytes) noexcept {
    return write_half(at, detail::block_of(word), bytes);
  }
  // Writes the low half of a block whose other half is zero.
  NEXUSFIX_ALWAYS_INLINE char* write_half(char* at, detail::Block text,
                                          std::size_t bytes) noexcept {
    detail::store_low_half(at, text);
    sums_ = detail::add_bytes(sums_, text);
    return at + bytes;
  }

  // number below kOrdinarySeqNumEnd.
  NEXUSFIX_ALWAYS_INLINE char* write_seq_num(char* at, std::uint64_t number) noexcept {
    std::uint64_t front = number;
    if (number >= detail::kOrdinaryDigitsEnd) front = number / detail::kOrdinaryDigitsEnd;
    const detail::DecimalText digits = detail::decimal_text(front, 0);
    at = write_half(at, digits.text, digits.bytes);
    if (front == number) return at;
    const std::uint64_t back = number - front * detail::kOrdinaryDigitsEnd;
    return write_word(at, detail::six_digits_word(back), detail::kOrdinaryDigits);
  }

  // time: nanoseconds within the minute.
  NEXUSFIX_ALWAYS_INLINE char* write_time(char* at, std::uint64_t time,
                                          TimePrecision precision) noexcept {
    detail::store_block(at, minute_.text);
    sums_ = detail::add_bytes(sums_, minute_.text);
    at += detail::MinuteText::kTextBytes;
    switch (precision) {
      case TimePrecision::Seconds:
        return write_word(at, detail::second_word(time / 1'000'000'000), 2);
      case TimePrecision::Millis:
        return write_half(at, detail::millis_text(static_cast<std::uint32_t>(time / 1'000'000)), 6);
      case TimePrecision::Micros: {
        const auto micros = static_cast<std::uint32_t>(time / 1'000);
        const std::uint32_t millis = micros / 1'000;
        at = write_half(at, detail::millis_text(millis), 6);
        return write_word(at, detail::thousandth_word(micros - millis * 1'000), 3);
      }
      case TimePrecision::Nanos:
      case TimePrecision::Picos:
        break;
    }
    const auto micros = static_cast<std::uint32_t>(time / 1'000);
    const std::uint32_t millis = micros / 1'000;
    at = write_half(at, detail::millis_text(millis), 6);
    at = write_word(at, detail::thousandth_word(micros - millis * 1'000), 3);
    const auto nanos = static_cast<std::uint32_t>(time - std::uint64_t{micros} * 1'000);
    at = write_word(at, detail::thousandth_word(nanos), 3);
    return precision == TimePrecision::Nanos ? at : write_word(at, detail::thousandth_word(0), 3);
  }

  // Sets what open_like_last() sets, and other functions need not.
  NEXUSFIX_ALWAYS_INLINE void clear() noexcept {
    begin_ = body_ = at_ = limit_ = nullptr;
    ordinary_end_ = 0;
    sums_ = detail::no_bytes();
    sum_ = 0;
    slow_path_sum_ = 0;
  }
  // False: it has set nothing.
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE bool open_like_last(std::span<char> buffer,
                                                           HeaderTemplate& session,
                                                           const MessageHeader& header) noexcept;
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE bool open(std::span<char> buffer, HeaderTemplate& session,
                                                 const MessageHeader& header) noexcept;
  // The minute of the last message. Only if it has one.
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE static detail::MinuteText minute_of(
      const HeaderTemplate& session) noexcept {
    return {session.minute_.begin_ns, detail::MinuteText::kMinuteNs, session.minute_.text};
  }
  // Before it is called, begin_ is set.
  NEXUSFIX_ALWAYS_INLINE void set_room(std::span<char> buffer,
                                       const HeaderTemplate& session) noexcept {
    body_ = begin_ + session.front_.before_body;
    limit_ = buffer.data() + buffer.size() - kTrailerBytes;
    ordinary_end_ =
        reinterpret_cast<std::uintptr_t>(buffer.data() + buffer.size()) - kFieldBytesMax;
  }
  NEXUSFIX_ALWAYS_INLINE static void copy_two_blocks(char* to, const char* from) noexcept {
    detail::store_block(to, detail::load_block(from));
    detail::store_block(to + detail::kBlockBytes, detail::load_block(from + detail::kBlockBytes));
  }
  NEXUSFIX_ALWAYS_INLINE static char* copy_constant(char* to,
                                                    const detail::ConstantText& constant) noexcept {
    const char* const from = constant.text.data();
    copy_two_blocks(to, from);
    for (std::size_t block = 2 * detail::kBlockBytes; block < constant.bytes;
         block += detail::kBlockBytes) {
      detail::store_block(to + block, detail::load_block(from + block));
    }
    return to + constant.bytes;
  }
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::string_view seal() noexcept;
  [[gnu::cold]] static std::string_view seal_exactly(char* begin, char* body, char* end,
                                                     std::uint32_t sum) noexcept;
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE EncodeError error() const noexcept {
    return {static_cast<EncodeErrorCode>(fault_ >> 32U), static_cast<Tag>(fault_)};
  }
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE bool has_failed() const noexcept {
    return static_cast<std::int64_t>(fault_) < 0;
  }
  [[nodiscard]] static constexpr std::uint64_t fault(EncodeErrorCode code, Tag tag) noexcept {
    return std::uint64_t{static_cast<std::uint8_t>(code)} << 32U | tag;
  }
  // A group is open. Until an error, it is what can be invalid.
  NEXUSFIX_ALWAYS_INLINE void open_group(Tag tag, std::size_t count) noexcept {
    entries_owed_ += count;
    if (!has_failed()) fault_ = fault(EncodeErrorCode::GroupCountWrong, tag);
  }

  // Set by open_like_last() or clear().
  char* begin_;  // of BeginString, for a BodyLength of three digits
  char* body_;   // `35=`
  char* at_;     // where the next field goes: after the last value
  char* limit_;  // before the room for the trailer
  // Before this address, a field with an ordinary value is known to fit. 0: nowhere.
  std::uintptr_t ordinary_end_;
  detail::Block sums_;  // bytes of values, added up lane by lane
  // The other bytes before the trailer, with BodyLength's digits as 0. Constants go into the first
  // sum, so that the compiler adds them up.
  std::uint32_t sum_;
  std::uint32_t slow_path_sum_;
  detail::MinuteText minute_;
  // With kFailed the first error. Without it, that of the group opened last, whose entries may be
  // owed. In one word: the compiler keeps each member of a message's encoder apart.
  static constexpr std::uint64_t kFailed = std::uint64_t{1} << 63U;
  std::uint64_t fault_ = 0;
  // The number of entries that open groups have announced and that have not begun.
  std::size_t entries_owed_ = 0;
  bool* password_noted_ = nullptr;  // null: not requested
};

NEXUSFIX_ALWAYS_INLINE bool Encoder::open_like_last(std::span<char> buffer, HeaderTemplate& session,
                                                    const MessageHeader& header) noexcept {
  detail::LastHeader& last = session.last_;
  const std::uint64_t time = session.minute_.time_of_minute(header.sending_time);
  if (last.type != detail::LastHeader::type_of(header.msg_type) ||
      header.msg_seq_num - last.msg_seq_num > 1 || time >= detail::MinuteText::kMinuteNs ||
      buffer.size() != session.buffer_bytes_ || header.precision != TimePrecision::Millis ||
      header.poss_dup || header.poss_resend || !header.orig_sending_time.empty()) {
    return false;
  }
  char* const begin = buffer.data() + session.begin_;
  if (!last.write(begin, header.msg_seq_num)) [[unlikely]]
    return false;
  begin_ = begin;
  set_room(buffer, session);
  const detail::Block seconds = detail::millis_text(static_cast<std::uint32_t>(time / 1'000'000));
  detail::store_low_half(begin + last.seconds_at, detail::add_bytes(seconds, last.after_seconds));
  sums_ = seconds;
  sum_ = 0;
  slow_path_sum_ = last.sum;
  at_ = begin + last.bytes;
  return true;
}

NEXUSFIX_ALWAYS_INLINE bool Encoder::open(std::span<char> buffer, HeaderTemplate& session,
                                          const MessageHeader& header) noexcept {
  if (header.msg_type.size() - 1 >= detail::kBlockBytes ||
      header.msg_seq_num >= kOrdinarySeqNumEnd || header.poss_dup || header.poss_resend ||
      !header.orig_sending_time.empty()) {
    return false;
  }
  const detail::Block type = detail::load_block(header.msg_type.data(), header.msg_type.size());
  if (detail::holds_soh(type)) return false;
  if (buffer.size() != session.buffer_bytes_) [[unlikely]] {
    session.fit_to(buffer.size());
    if (buffer.size() != session.buffer_bytes_) return false;
  }
  if (session.minute_.time_of_minute(header.sending_time) >= session.minute_.length_ns)
      [[unlikely]] {
    session.begin_minute(header.sending_time);
    if (session.minute_.length_ns == 0) return false;
  }
  begin_ = buffer.data() + session.begin_;
  minute_ = minute_of(session);
  set_room(buffer, session);
  copy_two_blocks(begin_, session.front_.text.data());
  sum_ = 0;
  slow_path_sum_ = session.sum_;
  sums_ = type;

  char* at = begin_ + session.front_.bytes;
  detail::store_block(at, type);
  at += header.msg_type.size();
  constexpr detail::TagPrefix kMsgSeqNumPrefix = detail::known_tag_prefix(tag::MsgSeqNum);
  detail::store(at, kMsgSeqNumPrefix.word);
  at = write_seq_num(at + kMsgSeqNumPrefix.bytes, header.msg_seq_num);
  at = copy_constant(at, session.before_time_);
  at = write_time(at, minute_.time_of_minute(header.sending_time), header.precision);
  at_ = copy_constant(at, session.after_time_);
  if (header.precision == TimePrecision::Millis) session.keep_full_header(begin_, at_, header);
  return true;
}

NEXUSFIX_ALWAYS_INLINE std::string_view Encoder::seal() noexcept {
  const auto body_length = static_cast<std::uint64_t>(at_ + 1 - body_);
  std::uint32_t sum = sum_ + slow_path_sum_ + detail::sum_of(sums_);
  if (body_length - 100 >= 900) [[unlikely]]
    return seal_exactly(begin_, body_, at_, sum);
  constexpr std::uint32_t kZerosAndSoh = 0x0130'3030;
  const std::uint32_t length = detail::kDigits.triples[body_length];
  detail::store(body_ - 4, length + kZerosAndSoh);
  sum += length * 0x01'0101U >> 16U;
  constexpr std::uint32_t kCheckSumStart = kSoh | '1' << 8U | '0' << 16U | '=' << 24U;
  detail::store(at_, kCheckSumStart);
  detail::store(at_ + 4, detail::kDigits.triples[sum & 0xffU] + kZerosAndSoh);
  return {begin_, static_cast<std::size_t>(at_ + kTrailerBytes - begin_)};
}

}  // namespace nexusfix::wire

// Members of Encoder that need the complete class.

// Repeating groups of an Encoder.

namespace nexusfix::wire {

// A repeating group that is being written. Each entry begins with entry(). The destructor checks
// that the number of entries is the announced one and that none is empty; otherwise the message
// fails with GroupCountWrong. Nested groups of an entry must be closed before the next entry
// begins.
//
//   auto parties = encoder.group(tag::NoPartyIDs, 2);
//   parties.entry().field<tag::PartyID>("A").field<tag::PartyRole>(1);
//   parties.entry().field<tag::PartyID>("B").field<tag::PartyRole>(3);
class GroupWriter {
 public:
  GroupWriter(const GroupWriter&) = delete;
  GroupWriter& operator=(const GroupWriter&) = delete;
  // Ends the group with close().
  ~GroupWriter() { close(); }

  // Begins the next entry. The fields that follow belong to it.
  Encoder& entry() noexcept {
    check_entry();
    if (left_ == 0) {
      encoder_->fail(EncodeErrorCode::GroupCountWrong, tag_);
      return *encoder_;
    }
    --left_;
    --encoder_->entries_owed_;
    return *encoder_;
  }

  // Ends the group before its destructor does. A second call does nothing.
  void close() noexcept {
    check_entry();
    if (left_ != 0) {
      encoder_->entries_owed_ -= left_;
      left_ = 0;
      encoder_->fail(EncodeErrorCode::GroupCountWrong, tag_);
    }
    is_open_ = false;
  }

 private:
  friend class Encoder;

  GroupWriter(Encoder& encoder, Tag tag, std::size_t count) noexcept
      : encoder_{&encoder}, tag_{tag}, left_{count}, entry_{encoder.at_} {
    encoder.open_group(tag, count);
  }

  // Something must have been written since the count, or since the last entry began.
  void check_entry() noexcept {
    if (is_open_ && begun_ && encoder_->at_ == entry_) {
      encoder_->fail(EncodeErrorCode::GroupCountWrong, tag_);
    }
    begun_ = true;
    entry_ = encoder_->at_;
  }

  Encoder* encoder_;
  Tag tag_;
  std::size_t left_;  // the number of entries to come
  char* entry_;       // where the last entry began
  bool begun_ = false;
  bool is_open_ = true;
};

inline GroupWriter Encoder::group(Tag count_tag, std::size_t count) noexcept {
  field(count_tag, count);
  return GroupWriter{*this, count_tag, count};
}

template <std::ranges::sized_range Entries, class WriteEntry>
Encoder& Encoder::group(Tag count_tag, const Entries& entries, WriteEntry&& write_entry) noexcept {
  GroupWriter writer = group(count_tag, std::ranges::size(entries));
  for (const auto& entry : entries) write_entry(writer.entry(), entry);
  return *this;
}

}  // namespace nexusfix::wire
