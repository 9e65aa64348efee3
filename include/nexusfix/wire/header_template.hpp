// The header of our messages: text that is the same in each of them, and where the rest goes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/digits.hpp>
#include <nexusfix/wire/field.hpp>

// The bytes before a value: the SOH that ends the field before it, the tag and `=`.

namespace nexusfix::wire {

// The envelope's fields. An encoder writes them itself.
[[nodiscard]] constexpr bool is_written_by_encoder(Tag tag) noexcept {
  return tag == tag::BeginString || tag == tag::BodyLength || tag == tag::MsgType ||
         tag == tag::CheckSum;
}

// Whether a caller may write the field.
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

// Makes decimal digits in a register, the first digit in the lowest byte, so that one store writes
// them and one addition sums them.

namespace nexusfix::wire::detail {

static_assert(std::endian::native == std::endian::little, "the first byte of a word is its lowest");

inline constexpr std::size_t kOrdinaryDigits = 6;
inline constexpr std::uint64_t kOrdinaryDigitsEnd = 1'000'000;
inline constexpr std::uint64_t kSixZeros = 0x3030'3030'3030;

// What a scale does to the six digits of a decimal. Each word is an aligned block, so that it can
// be an instruction's operand.
struct alignas(64) ScaleWords {
  using Word = std::array<std::uint64_t, 2>;

  Word whole{};     // the digits before the point
  Word fraction{};  // the digits after it, moved by one byte
  Word zeros{};     // zeros as characters, and the point
  // 0 where a zero may be a leading one. From the digit directly before the point on, a value that
  // no digit has.
  Word not_leading{};
  std::uint64_t bytes = 0;  // of all digits and the point
};

// In one object, so that one register addresses all of them.
struct DigitTables {
  static constexpr std::size_t kScaleEnd = 256;
  static constexpr std::size_t kLeadingZerosEnd = std::size_t{1} << (kOrdinaryDigits - 1);

  std::array<ScaleWords, kOrdinaryDigits> scales{};
  // Indexed by a bit for each zero that may be a leading one: the number of leading zeros. Once in
  // bits, to shift a text by, and once in bytes, to shorten it by.
  std::array<std::uint64_t, kLeadingZerosEnd> leading_zero_bits{};
  std::array<std::uint64_t, kLeadingZerosEnd> leading_zero_bytes{};
  // The three digits of each number below 1,000, as numbers. Two lookups and one division make six
  // digits; the table has 4 kB.
  std::array<std::uint32_t, 1'000> triples{};
  // Mantissas below it are ordinary. There is an entry for every scale that fits into a byte, 0
  // where no mantissa is ordinary, so that one comparison checks both.
  std::array<std::uint64_t, kScaleEnd> mantissa_ends{};
};

inline constexpr DigitTables kDigits = [] {
  DigitTables tables;
  for (std::size_t i = 0; i < kOrdinaryDigits; ++i) {
    const std::size_t point = 8 * (kOrdinaryDigits - i);
    const std::uint64_t whole = (std::uint64_t{1} << point) - 1;
    ScaleWords& scale = tables.scales[i];
    scale.whole[0] = whole;
    scale.zeros[0] = kSixZeros;
    scale.not_leading = {~std::uint64_t{0} << (point - 8), ~std::uint64_t{0}};
    scale.bytes = kOrdinaryDigits;
    if (i != 0) {
      constexpr std::uint64_t kSixBytes = 0xffff'ffff'ffff;
      scale.fraction[0] = (kSixBytes & ~whole) << 8U;
      scale.zeros[0] =
          (kSixZeros & whole) | (kSixZeros & ~whole) << 8U | std::uint64_t{'.'} << point;
      ++scale.bytes;  // the point
    }
    tables.mantissa_ends[i] = kOrdinaryDigitsEnd;
  }
  for (std::size_t i = 0; i < DigitTables::kLeadingZerosEnd; ++i) {
    tables.leading_zero_bytes[i] = static_cast<std::uint64_t>(std::countr_one(i));
    tables.leading_zero_bits[i] = 8 * tables.leading_zero_bytes[i];
  }
  for (std::uint32_t i = 0; i < tables.triples.size(); ++i) {
    tables.triples[i] = i / 100 | i / 10 % 10 << 8U | i % 10 << 16U;
  }
  return tables;
}();

// The upper and the lower half of six digits.
struct Triples {
  std::uint32_t high;
  std::uint32_t low;
};

// value below kOrdinaryDigitsEnd.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Triples triples_of(std::uint64_t value) noexcept {
  // The quotient by 1,000, in the width of the tables' indexes.
  const std::uint64_t thousands = value * 274'877'907U >> 38U;
  const std::uint32_t rest =
      static_cast<std::uint32_t>(value) - static_cast<std::uint32_t>(thousands) * 1'000;
  return {kDigits.triples[thousands], kDigits.triples[rest]};
}

// The text of a number: `bytes` bytes in the block's low half, then zeros.
struct DecimalText {
  Block text;
  std::size_t bytes;
};

#if NEXUSFIX_BYTE_BLOCK_SSE2
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE __m128i aligned_block(const ScaleWords::Word& from) noexcept {
  const void* const address = from.data();
  return _mm_load_si128(static_cast<const __m128i*>(address));
}

[[nodiscard]] NEXUSFIX_ALWAYS_INLINE __m128i block_of_triple(std::uint32_t triple) noexcept {
  return _mm_cvtsi32_si128(static_cast<int>(triple));
}
#endif

#if NEXUSFIX_BYTE_BLOCK_SSE2
// Six digits as numbers, the first one in the lowest byte.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE __m128i block_of_triples(Triples triples) noexcept {
  return _mm_or_si128(block_of_triple(triples.high),
                      _mm_slli_epi64(block_of_triple(triples.low), 24));
}

// Six digits as text, with the point.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE __m128i placed_text(__m128i digits, const ScaleWords& words,
                                                         bool is_whole) noexcept {
  if (!is_whole) {
    digits = _mm_or_si128(_mm_and_si128(digits, aligned_block(words.whole)),
                          _mm_and_si128(_mm_slli_epi64(digits, 8), aligned_block(words.fraction)));
  }
  return _mm_add_epi8(digits, aligned_block(words.zeros));
}
#else
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t word_of_triples(Triples triples) noexcept {
  return triples.high | std::uint64_t{triples.low} << 24U;
}
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t placed_text(std::uint64_t digits,
                                                               const ScaleWords& words) noexcept {
  return ((digits & words.whole[0]) | (digits << 8U & words.fraction[0])) + words.zeros[0];
}
#endif

// magnitude is below kDigits.mantissa_ends[scale]. Works in vector registers where possible,
// because a message with many numbers keeps the others busy. Shorter if scale is a compile-time
// constant.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE DecimalText decimal_text(std::uint64_t magnitude,
                                                              std::size_t scale) noexcept {
  const ScaleWords* words = &kDigits.scales[scale];
  const Triples triples = triples_of(magnitude);
#if NEXUSFIX_BYTE_BLOCK_SSE2
  // Puts the address into one register. Compilers otherwise calculate the address of each word
  // again.
  if (!__builtin_constant_p(scale)) asm("" : "+r"(words));
  const __m128i digits = block_of_triples(triples);
  const auto zeros = static_cast<std::size_t>(
      _mm_movemask_epi8(_mm_cmpeq_epi8(digits, aligned_block(words->not_leading))));
  const __m128i shift = load_entry(kDigits.leading_zero_bits[zeros]);
  const bool is_whole = __builtin_constant_p(scale) && scale == 0;
  return {{_mm_srl_epi64(placed_text(digits, *words, is_whole), shift)},
          words->bytes - kDigits.leading_zero_bytes[zeros]};
#else
  const std::uint64_t digits = word_of_triples(triples);
  const auto zero_bits =
      static_cast<std::uint32_t>(__builtin_ctzll(digits | words->not_leading[0])) & 0x38U;
  return {block_of(placed_text(digits, *words) >> zero_bits), words->bytes - zero_bits / 8};
#endif
}

// decimal_text() without its shift: all six digits, and the point.
[[nodiscard]] inline DecimalText six_digits_text(std::uint64_t magnitude,
                                                 std::size_t scale) noexcept {
  const ScaleWords& words = kDigits.scales[scale];
  const Triples triples = triples_of(magnitude);
#if NEXUSFIX_BYTE_BLOCK_SSE2
  return {{placed_text(block_of_triples(triples), words, false)}, words.bytes};
#else
  return {block_of(placed_text(word_of_triples(triples), words)), words.bytes};
#endif
}

// All six digits of a value below kOrdinaryDigitsEnd, with leading zeros.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t six_digits_word(std::uint64_t value) noexcept {
  const Triples triples = triples_of(value);
  return (triples.high | std::uint64_t{triples.low} << 24U) + kSixZeros;
}

// -HH:MM: for a minute of the day, and a zero byte.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t minute_word(std::uint32_t minute) noexcept {
  const std::uint32_t hour = minute / 60;
  constexpr std::uint64_t kAround = 0x003a'3030'3a30'302d;
  // The first of an hour's three digits is 0.
  return (kDigits.triples[hour] | std::uint64_t{kDigits.triples[minute - hour * 60]} << 24U) +
         kAround;
}

// The two digits of a second of the minute.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t second_word(std::uint64_t second) noexcept {
  return (kDigits.triples[second] >> 8U) + 0x3030U;
}

// SS.sss for a millisecond of the minute, in the low half.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block millis_text(std::uint32_t millis) noexcept {
  const std::uint32_t second = millis / 1'000;
  const std::uint32_t first = kDigits.triples[second];
  const std::uint32_t last = kDigits.triples[millis - second * 1'000];
  alignas(16) static constexpr ScaleWords::Word kZerosAndPoint{0x3030'302e'3030, 0};
  // The first of a second's three digits is 0 and is dropped.
#if NEXUSFIX_BYTE_BLOCK_SSE2
  const __m128i digits = _mm_or_si128(_mm_srli_epi64(block_of_triple(first), 8),
                                      _mm_slli_epi64(block_of_triple(last), 24));
  return {_mm_add_epi8(digits, aligned_block(kZerosAndPoint))};
#else
  return block_of((first >> 8U | std::uint64_t{last} << 24U) + kZerosAndPoint[0]);
#endif
}

// The three digits of a value below 1,000.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t thousandth_word(std::uint32_t value) noexcept {
  return kDigits.triples[value] + 0x30'3030U;
}

}  // namespace nexusfix::wire::detail

// The part of a message's header that does not change within a session, rendered once.

namespace nexusfix::wire {

// The parts of the standard header that every session has.
struct HeaderFields {
  std::string_view begin_string;    // BeginString (8), at most kBeginStringBytesMax bytes
  std::string_view sender_comp_id;  // SenderCompID (49)
  std::string_view target_comp_id;  // TargetCompID (56)
};

// The longest BeginString, in bytes.
inline constexpr std::size_t kBeginStringBytesMax = 16;

// The parts that change with each message.
struct MessageHeader {
  std::string_view msg_type{};                      // MsgType (35)
  std::uint64_t msg_seq_num = 0;                    // MsgSeqNum (34)
  WallTime sending_time{};                          // SendingTime (52)
  TimePrecision precision = TimePrecision::Millis;  // of SendingTime
  bool poss_dup = false;                            // writes PossDupFlag (43): Y
  bool poss_resend = false;                         // writes PossResend (97): Y
  std::string_view orig_sending_time{};             // OrigSendingTime (122); empty: none
};

namespace detail {

// A header field with the same value in every message of a session: SenderSubID (50),
// TargetLocationID (143), ...
struct HeaderField {
  Tag tag = 0;             // of the field
  std::string_view value;  // not empty, without SOH
};

// The text of a date. It is kept, because it changes once a day.
struct DateText {
  std::uint64_t begin_ns = 0;   // of the day, since 1970
  std::uint64_t length_ns = 0;  // 0: no date
  std::uint64_t word = 0;       // YYYYMMDD

  static constexpr std::uint64_t kDayNs = 86'400'000'000'000;

  // The date of the day that contains time. No date if WallTime does not contain the whole day.
  [[nodiscard]] static DateText of(WallTime time) noexcept;

  // Nanoseconds since the day began; length_ns or more if time is not within the day.
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t time_of_day(WallTime time) const noexcept {
    return static_cast<std::uint64_t>(time.time_since_epoch().count()) - begin_ns;
  }
};

// The text of a minute, up to the colon before the seconds. It is kept, because nearly all messages
// are sent in the minute of the message before.
struct MinuteText {
  std::uint64_t begin_ns = 0;   // since 1970
  std::uint64_t length_ns = 0;  // 0: no minute
  Block text = no_bytes();      // YYYYMMDD-HH:MM: and a zero byte

  static constexpr std::uint64_t kMinuteNs = 60'000'000'000;
  static constexpr std::size_t kTextBytes = 15;

  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE static MinuteText of(const DateText& date,
                                                            WallTime time) noexcept {
    const std::uint64_t time_of_day = date.time_of_day(time);
    if (time_of_day >= date.length_ns) [[unlikely]]
      return {};
    const auto minute = static_cast<std::uint32_t>(time_of_day / kMinuteNs);
    return {date.begin_ns + minute * kMinuteNs, kMinuteNs,
            block_of(date.word, minute_word(minute))};
  }

  // Nanoseconds since the minute began; length_ns or more if time is not within the minute.
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t time_of_minute(WallTime time) const noexcept {
    return static_cast<std::uint64_t>(time.time_since_epoch().count()) - begin_ns;
  }
};

// `8=FIX.4.4|9=000|35=`. It is written first, because most bodies have 100 to 999 bytes. For a
// shorter or longer body it is moved at the end.
struct FrontText {
  static constexpr std::size_t kLengthDigits = 3;

  std::array<char, 2 * kBlockBytes> text{};
  std::size_t bytes = 0;          // of the text
  std::size_t before_body = 0;    // the part of it before `35=`
  std::size_t before_length = 0;  // the part of it before BodyLength's digits
  std::uint32_t sum = 0;          // of the text

  // begin_string: 1 to kBeginStringBytesMax bytes.
  [[nodiscard]] static FrontText of(std::string_view begin_string) noexcept;

  // The room to reserve before a body that ends, with CheckSum, within buffer_bytes. It holds the
  // longest BodyLength that is then possible and no byte more, so that a message that fits exactly
  // is encoded.
  [[nodiscard]] std::size_t room_before_body(std::size_t buffer_bytes) const noexcept;
};

// A text of the header, padded to whole blocks of bytes, which are copied.
struct ConstantText {
  std::string text;       // padded to at least two blocks, which are copied without a loop
  std::size_t bytes = 0;  // of the text without the padding

  void add(std::string_view more) {
    text.resize(bytes);
    text += more;
    bytes = text.size();
  }
  void pad() {
    const std::size_t whole = whole_blocks(bytes);
    text.resize(whole < 2 * kBlockBytes ? 2 * kBlockBytes : whole);
  }
  [[nodiscard]] std::string_view view() const noexcept { return {text.data(), bytes}; }
};

// The front and the header of the last message, as they were written. The next message of the same
// type nearly always differs by the next MsgSeqNum and by the seconds of its SendingTime, so the
// text is copied and these are written over it.
struct LastHeader {
  static constexpr std::size_t kBlocks = 8;
  static constexpr std::uint32_t kNoType = ~std::uint32_t{0};
  static constexpr std::size_t kSecondsBytes = 6;  // SS.sss

  // A MsgType of one or two bytes as a number; 0 for others, whose headers are not kept.
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE static std::uint32_t type_of(
      std::string_view msg_type) noexcept {
    if (msg_type.size() - 1 >= 2) return 0;
    const std::uint32_t second =
        msg_type.size() == 2 ? static_cast<unsigned char>(msg_type[1]) : std::uint32_t{0};
    return static_cast<unsigned char>(msg_type[0]) | (second << 8U);
  }
  // Writes the text with number, which is msg_seq_num or the next one, to out, and keeps it. False:
  // the number has more digits; what was written is useless, and the text, too.
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE bool write(char* out, std::uint64_t number) noexcept {
    // Copied first: a load of a block would wait for the digit that was stored in it.
#pragma GCC unroll 8
    for (std::size_t block = 0; block < kBlocks; ++block) {
      store_block(out + block * kBlockBytes, load_block(text.data() + block * kBlockBytes));
    }
    if (number == msg_seq_num) return true;
    msg_seq_num = number;
    std::size_t at = last_digit;
    for (; text[at] == '9'; --at) {
      text[at] = out[at] = '0';
      sum -= 9;
    }
    if (text[at] == '=') [[unlikely]] {
      type = kNoType;
      return false;
    }
    ++sum;
    out[at] = ++text[at];
    return true;
  }

  alignas(kBlockBytes) std::array<char, kBlocks * kBlockBytes> text;
  std::uint32_t type = kNoType;
  std::uint32_t bytes = 0;            // of the text
  std::uint64_t msg_seq_num = 0;      // of the text, or, without a type, of the message
  std::uint32_t seen_type = kNoType;  // of the message before, which was written in full
  std::uint32_t last_digit = 0;       // of MsgSeqNum in the text
  std::uint32_t seconds_at = 0;       // in the text
  std::uint32_t sum = 0;  // of the text without the seconds, and of the SOH before CheckSum
  Block after_seconds = no_bytes();  // the two bytes after the seconds, at their place
};

}  // namespace detail

// The header of a message: BeginString, BodyLength, MsgType and MsgSeqNum, then by ascending tag
// PossDupFlag (43), SenderCompID (49), SendingTime (52), TargetCompID (56), PossResend (97) and
// OrigSendingTime (122). FIX requires no order, but the scripts and logs of other engines have this
// one. Constant fields are sorted in by their tags; after TargetCompID they keep the given order.
// Header fields that differ by message (50, 57, 115, 116, 128, 129, 142 to 145, ...) are the first
// calls of Encoder::field().
//
// Create one for each session. It remembers the minute of the last message, so it is not const when
// it is used: one thread at a time. make() allocates; using it does not.
//
//   auto session = wire::HeaderTemplate::make({"FIX.4.4", "ME", "YOU"}, {{tag::SenderSubID, "7"}});
//   wire::Encoder encoder{buffer, *session, {.msg_type = "0", .msg_seq_num = 7, ...}};
class HeaderTemplate {
 public:
  // Renders the header. fixed: the constant fields. The texts are copied.
  //
  // Errors: EmptyValue and SohInValue with the field's tag; ValueOutOfRange if BeginString is too
  // long; TagInvalid for a constant field that is not in the standard header, that has a position
  // of its own (34, 43, 49, 52, 56, 97, 122), or that is a data field (90, 91, 212, 213).
  [[nodiscard]] static std::expected<HeaderTemplate, EncodeError> make(
      const HeaderFields& fields, std::span<const detail::HeaderField> fixed = {});
  // For a list of constant fields: {{tag::SenderSubID, "7"}}.
  [[nodiscard]] static std::expected<HeaderTemplate, EncodeError> make(
      const HeaderFields& fields, std::initializer_list<detail::HeaderField> fixed) {
    return make(fields, std::span{fixed.begin(), fixed.size()});
  }

 private:
  friend class Encoder;

  HeaderTemplate() = default;
  void fit_to(std::size_t buffer_bytes) noexcept;
  // Sets minute_ to the minute of time.
  void begin_minute(WallTime time) noexcept;
  // The header of this message was written in full, from begin to end. Keeps it if the message
  // before was of the same type, and had the MsgSeqNum before. precision: milliseconds.
  NEXUSFIX_ALWAYS_INLINE void keep_full_header(const char* begin, const char* end,
                                               const MessageHeader& header) noexcept {
    const std::uint32_t type = detail::LastHeader::type_of(header.msg_type);
    const bool goes_on =
        type != 0 && type == last_.seen_type && header.msg_seq_num == last_.msg_seq_num + 1;
    last_.type = detail::LastHeader::kNoType;
    last_.seen_type = type;
    last_.msg_seq_num = header.msg_seq_num;
    // Not the header itself: a compiler would write it to memory for each message.
    if (goes_on) keep_header(begin, end, header.msg_type.size());
  }
  [[gnu::cold]] void keep_header(const char* begin, const char* end,
                                 std::size_t type_bytes) noexcept;

  // The buffer size of the last message, if this header always fits into it, and where the front
  // begins in it.
  std::size_t buffer_bytes_ = kNoBuffer;
  std::size_t begin_ = 0;
  detail::FrontText front_;
  detail::ConstantText before_time_;  // SOH, SenderCompID and so on up to `52=`
  detail::ConstantText after_time_;   // SOH, TargetCompID and so on
  std::size_t poss_resend_at_ = 0;    // the positions in after_time_ of 97 and 122
  std::size_t orig_time_at_ = 0;
  // The sum of the front, of `34=`, of the constant texts and of the SOH before CheckSum.
  std::uint32_t sum_ = 0;
  // Parts of the last message. The next one is nearly always sent in the same minute.
  detail::DateText date_;
  detail::MinuteText minute_;
  detail::LastHeader last_;  // of minute_

  static constexpr std::size_t kNoBuffer = ~std::size_t{0};
};

}  // namespace nexusfix::wire
