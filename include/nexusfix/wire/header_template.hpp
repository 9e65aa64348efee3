// The part of a message's header that does not change within a session, rendered once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <nexusfix/base/time.hpp>
#include <nexusfix/wire/typed/field.hpp>
#include <nexusfix/wire/values/byte_block.hpp>
#include <nexusfix/wire/values/conversions.hpp>
#include <nexusfix/wire/values/digit_block.hpp>

namespace nexusfix::wire {

// Why a message cannot be encoded.
enum class EncodeErrorCode : std::uint8_t {
  BufferFull,        // the message does not fit into the buffer
  SohInValue,        // a value that is not a data field contains SOH
  EmptyValue,        // the value is empty, which FIX does not allow
  TagInvalid,        // 0 or above kTagMax, or a field that the encoder writes itself (8, 9, 10, 35)
  ValueOutOfRange,   // not a date, or a time of day beyond the day
  MessageMalformed,  // resend_copy: the message to copy was not made by an Encoder
  GroupCountWrong,   // the entries of a repeating group do not match its count, or one is empty
};

// The first error of a message that cannot be encoded.
struct EncodeError {
  EncodeErrorCode code = EncodeErrorCode::BufferFull;  // what is not possible
  Tag tag = 0;                                         // of the field that failed first
};

// The error as a text for a log. It lives as long as the program.
[[nodiscard]] std::string_view to_string(EncodeErrorCode code) noexcept;

// The parts of the standard header that every session has.
struct HeaderFields {
  std::string_view begin_string;    // BeginString (8), at most kBeginStringBytesMax bytes
  std::string_view sender_comp_id;  // SenderCompID (49)
  std::string_view target_comp_id;  // TargetCompID (56)
};

// The longest BeginString, in bytes.
inline constexpr std::size_t kBeginStringBytesMax = 16;

// A header field with the same value in every message of a session: SenderSubID (50),
// TargetLocationID (143), ...
struct HeaderField {
  Tag tag = 0;             // of the field
  std::string_view value;  // not empty, without SOH
};

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
      const HeaderFields& fields, std::span<const HeaderField> fixed = {});
  // For a list of constant fields: {{tag::SenderSubID, "7"}}.
  [[nodiscard]] static std::expected<HeaderTemplate, EncodeError> make(
      const HeaderFields& fields, std::initializer_list<HeaderField> fixed) {
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
  NEXUSFIX_ALWAYS_INLINE void note_header(const char* begin, const char* end,
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
