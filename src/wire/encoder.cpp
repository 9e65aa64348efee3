// The slow path of an Encoder. The fast path is inline.
#include <algorithm>
#include <cstring>

#include <nexusfix/wire/draft_fields.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/field.hpp>

#include "base/api/full_path.hpp"
#include "wire/digits.hpp"
#include "wire/envelope.hpp"
#include "wire/exact_writer.hpp"

namespace nexusfix::wire {

namespace {

// Every number, decimal and time is shorter.
constexpr std::size_t kConvertedBytesMax = 2 * detail::kBlockBytes;
static_assert(kConvertedBytesMax >=
              std::max({kIntBytesMax, kDecimalBytesMax, kUtcTimestampBytesMax}));
constexpr int kYearMax = 9999;  // YYYY has four digits
constexpr TimeOfDay kTimeOfDayEnd = std::chrono::hours{24} + std::chrono::seconds{1};

// Parts of a header that never change, named by the part that precedes them.
enum class HeaderPart : std::uint8_t { Begin, SendingTime, PossResend, OrigSendingTime };

// The common part of an Encoder's constructors: everything except the constant fields.
template <class WriteConstant>
void write_header(ExactWriter& writer, const MessageHeader& header, WriteConstant write_constant) {
  char value[kConvertedBytesMax];
  writer.msg_type(header.msg_type);
  writer.field(tag::MsgSeqNum, {value, from_uint(header.msg_seq_num, value)});
  if (header.poss_dup) writer.field(tag::PossDupFlag, "Y");
  write_constant(writer, HeaderPart::Begin);
  writer.field(tag::SendingTime,
               {value, from_utc_timestamp(header.sending_time, header.precision, value)});
  write_constant(writer, HeaderPart::SendingTime);
  if (header.poss_resend) writer.field(tag::PossResend, "Y");
  write_constant(writer, HeaderPart::PossResend);
  if (!header.orig_sending_time.empty()) {
    writer.field(tag::OrigSendingTime, header.orig_sending_time);
  }
  write_constant(writer, HeaderPart::OrigSendingTime);
}

}  // namespace

namespace detail {

TagPrefix tag_prefix(Tag tag) noexcept { return known_tag_prefix(tag); }

}  // namespace detail

template <class Write>
Encoder::Appended Encoder::append(Place place, Write write) noexcept {
  ExactWriter writer{place.at, place.limit};
  write(writer);
  if (writer.failed()) return {nullptr, writer.error().tag, writer.error().code};
  return {writer.at(), writer.sum()};
}

template <class WriteConstant>
Encoder::Opened Encoder::open_with(std::span<char> buffer, const detail::FrontText& front,
                                   const MessageHeader& header,
                                   WriteConstant write_constant) noexcept {
  Opened opened{};
  opened.minute =
      detail::MinuteText::of(detail::DateText::of(header.sending_time), header.sending_time);
  const std::size_t before_body = front.room_before_body(buffer.size());
  if (buffer.size() < before_body + kTrailerBytes) {
    opened.header = {nullptr, tag::BeginString, EncodeErrorCode::BufferFull};
    return opened;
  }
  opened.body = buffer.data() + before_body;
  opened.end = buffer.data() + buffer.size();
  if (!FullPathOnly::is_on()) {
    opened.ordinary_end = reinterpret_cast<std::uintptr_t>(opened.end);
    opened.ordinary_end -= std::min<std::uintptr_t>(opened.ordinary_end, kFieldBytesMax);
  }
  // If three digits of BodyLength do not fit, this message is too short to need them.
  opened.begin = opened.body - std::min(before_body, front.before_body);
  std::memcpy(opened.begin, front.text.data(), front.before_length);
  opened.header = append({opened.body, opened.end - kTrailerBytes}, [&](ExactWriter& writer) {
    write_header(writer, header, write_constant);
  });
  if (opened.header.end != nullptr) {
    const std::string_view front_text{front.text.data(), front.before_body};
    opened.header.sum += byte_sum(front_text) + static_cast<unsigned char>(kSoh);
  }
  return opened;
}

Encoder::Opened Encoder::open_exactly(std::span<char> buffer, HeaderTemplate& session,
                                      MessageHeader header) noexcept {
  constexpr std::size_t kSendingTimeStartBytes = 4;  // SOH, 52=
  std::string_view before = session.before_time_.view();
  before.remove_suffix(kSendingTimeStartBytes);
  const std::string_view after = session.after_time_.view();
  const std::size_t poss_resend = session.poss_resend_at_;
  const std::size_t orig_time = std::max(session.orig_time_at_, poss_resend);
  return open_with(buffer, session.front_, header, [&](ExactWriter& writer, HeaderPart part) {
    switch (part) {
      case HeaderPart::Begin:
        return writer.rendered(before, tag::SenderCompID);
      case HeaderPart::SendingTime:
        return writer.rendered(after.substr(0, poss_resend), tag::TargetCompID);
      case HeaderPart::PossResend:
        return writer.rendered(after.substr(poss_resend, orig_time - poss_resend), 0);
      case HeaderPart::OrigSendingTime:
        return writer.rendered(after.substr(orig_time), 0);
    }
  });
}

Encoder::Encoder(std::span<char> buffer, const HeaderFields& session,
                 const MessageHeader& header) noexcept {
  clear();
  const std::string_view begin_string = session.begin_string;
  if (begin_string.empty()) {
    fail(EncodeErrorCode::EmptyValue, tag::BeginString);
  } else if (begin_string.contains(kSoh)) {
    fail(EncodeErrorCode::SohInValue, tag::BeginString);
  } else if (begin_string.size() > kBeginStringBytesMax) {
    fail(EncodeErrorCode::ValueOutOfRange, tag::BeginString);
  } else {
    start_body(open_with(buffer, detail::FrontText::of(begin_string), header,
                         [&session](ExactWriter& writer, HeaderPart part) {
                           if (part == HeaderPart::Begin) {
                             writer.field(tag::SenderCompID, session.sender_comp_id);
                           } else if (part == HeaderPart::SendingTime) {
                             writer.field(tag::TargetCompID, session.target_comp_id);
                           }
                         }));
  }
}

// Where the value goes after its prefix, if there is room for whole blocks of it: then no byte is
// copied twice. nullptr: only the slow path can write it.
[[gnu::always_inline]] inline char* Encoder::open_roomy(Place place, PrefixedTag tag,
                                                        std::size_t value_bytes) noexcept {
  // As numbers: a failed encoder has no limit, and then the room is negative.
  const auto room =
      reinterpret_cast<std::intptr_t>(place.limit) - reinterpret_cast<std::intptr_t>(place.at);
  if (tag.bytes == 0 || room < static_cast<std::intptr_t>(kFieldBytesMax + value_bytes))
    return nullptr;
  detail::store(place.at, tag.word);
  return place.at + tag.bytes;
}

// The sum of the bytes of a text of at most two blocks, with a block of the message before it.
static std::uint32_t sum_of_short(const char* text, std::size_t bytes) noexcept {
  detail::Block sums = detail::last_bytes(text + bytes, (bytes - 1) % detail::kBlockBytes + 1);
  if (bytes > detail::kBlockBytes) [[unlikely]]
    sums = detail::add_bytes(sums, detail::load_block(text));
  return detail::sum_of(sums);
}

// convert(out) writes the value's text, at most kConvertedBytesMax bytes, and returns its size.
template <class Convert>
Encoder::Appended Encoder::append_converted(Place place, PrefixedTag tag,
                                            Convert convert) noexcept {
  if (char* const out = open_roomy(place, tag, kConvertedBytesMax); out != nullptr) {
    const std::size_t bytes = convert(out);
    return {out + bytes, detail::sum_of(detail::block_of(tag.word)) + sum_of_short(out, bytes)};
  }
  char text[kConvertedBytesMax];
  const std::size_t bytes = convert(text);
  return append(place, [&](ExactWriter& writer) { writer.field(tag.tag, {text, bytes}); });
}

// A text of any length, also one that is an error.
Encoder::Appended Encoder::append_any_text(Place place, PrefixedTag tag,
                                           std::string_view value) noexcept {
  return append(place, [&](ExactWriter& writer) { writer.field(tag.tag, value); });
}

// Not cold: the reason in a Text (58) often has more blocks than put_blocks() writes. The text has
// more than one.
Encoder::Appended Encoder::append_long_text(Place place, PrefixedTag tag,
                                            std::string_view value) noexcept {
  using detail::kBlockBytes;
  const std::size_t size = value.size();
  char* const out = open_roomy(place, tag, size);
  if (out == nullptr) [[unlikely]]
    return append_any_text(place, tag, value);
  const char* const from = value.data();
  const std::size_t last_at = size - kBlockBytes;
  const detail::Block last = detail::load_block(from + last_at);
  std::uint64_t soh = detail::soh_bits(last);
  detail::store_block(out + last_at, last);
  detail::Block sums = detail::add_bytes(
      detail::block_of(tag.word), detail::last_bytes(from + size, (last_at - 1) % kBlockBytes + 1));
  for (std::size_t at = 0; at < last_at; at += kBlockBytes) {
    const detail::Block block = detail::load_block(from + at);
    soh |= detail::soh_bits(block);
    detail::store_block(out + at, block);
    sums = detail::add_bytes(sums, block);
  }
  if (soh != 0) [[unlikely]]
    return append_any_text(place, tag, value);
  return {out + size, detail::sum_of(sums)};
}

Encoder::Appended Encoder::append_text(Place place, PrefixedTag tag,
                                       std::string_view value) noexcept {
  return value.size() > detail::kBlockBytes ? append_long_text(place, tag, value)
                                            : append_any_text(place, tag, value);
}

Encoder::Appended Encoder::append_char(Place place, PrefixedTag tag, char value) noexcept {
  return append_text(place, tag, {&value, 1});
}

Encoder::Appended Encoder::append_int(Place place, PrefixedTag tag, std::uint64_t magnitude,
                                      bool negative) noexcept {
  return append_converted(place, tag, [magnitude, negative](char* out) noexcept {
    *out = '-';
    return from_uint(magnitude, out + (negative ? 1 : 0)) + (negative ? 1 : 0);
  });
}

// Up to twelve digits, of which the last six hold the point, are two texts in registers. Not cold:
// its time is that of many prices.
Encoder::Appended Encoder::append_decimal(Place place, PrefixedTag tag, Decimal value) noexcept {
  using detail::kOrdinaryDigitsEnd;
  const auto magnitude = static_cast<std::uint64_t>(value.mantissa());
  char* const out = open_roomy(place, tag, kConvertedBytesMax);
  if (out == nullptr || magnitude < kOrdinaryDigitsEnd ||
      magnitude >= detail::kDigits.mantissa_ends[value.scale()] * kOrdinaryDigitsEnd) [[unlikely]] {
    return append_any_decimal(place, tag, value);
  }
  const std::uint64_t front = magnitude / kOrdinaryDigitsEnd;
  const detail::DecimalText first = detail::decimal_text(front, 0);
  const detail::DecimalText last =
      detail::six_digits_text(magnitude - front * kOrdinaryDigitsEnd, value.scale());
  detail::store_low_half(out, first.text);
  detail::store_low_half(out + first.bytes, last.text);
  const detail::Block sums = detail::add_bytes(detail::block_of(tag.word), first.text);
  return {out + first.bytes + last.bytes, detail::sum_of(detail::add_bytes(sums, last.text))};
}

Encoder::Appended Encoder::append_any_decimal(Place place, PrefixedTag tag,
                                              Decimal value) noexcept {
  return append_converted(place, tag,
                          [&value](char* out) noexcept { return from_decimal(value, out); });
}

Encoder::Appended Encoder::append_fixed_price(Place place, Tag tag, FixedPrice value) noexcept {
  return append_converted(place, {detail::known_tag_prefix(tag), tag},
                          [value](char* out) noexcept { return from_fixed_price(value, out); });
}

Encoder::Appended Encoder::append_time(Place place, Tag tag, WallTime value,
                                       TimePrecision precision) noexcept {
  return append_time(place, tag, PicoTime{value, 0}, precision);
}

Encoder::Appended Encoder::append_time(Place place, Tag tag, PicoTime value,
                                       TimePrecision precision) noexcept {
  constexpr std::uint16_t kPicosEnd = 1'000;
  if (value.picos >= kPicosEnd) return {nullptr, tag, EncodeErrorCode::ValueOutOfRange};
  return append_converted(
      place, {detail::known_tag_prefix(tag), tag},
      [value, precision](char* out) noexcept { return from_utc_timestamp(value, precision, out); });
}

Encoder::Appended Encoder::append_time(Place place, Tag tag, TimeOfDay value,
                                       TimePrecision precision) noexcept {
  if (value < TimeOfDay::zero() || value >= kTimeOfDayEnd) {
    return {nullptr, tag, EncodeErrorCode::ValueOutOfRange};
  }
  return append_converted(
      place, {detail::known_tag_prefix(tag), tag},
      [value, precision](char* out) noexcept { return from_time_of_day(value, precision, out); });
}

Encoder::Appended Encoder::append_date(Place place, Tag tag, Date value) noexcept {
  const auto year = static_cast<int>(value.year());
  if (!value.ok() || year < 0 || year > kYearMax) {
    return {nullptr, tag, EncodeErrorCode::ValueOutOfRange};
  }
  return append_converted(place, {detail::known_tag_prefix(tag), tag},
                          [value](char* out) noexcept { return from_date(value, out); });
}

Encoder::Appended Encoder::append_data(Place place, Tag length_tag, Tag data_tag,
                                       std::string_view value) noexcept {
  return append(place, [&](ExactWriter& writer) {
    char length[kConvertedBytesMax];
    writer.field(length_tag, {length, from_uint(value.size(), length)});
    writer.data_field(data_tag, value);
  });
}

Encoder::Appended Encoder::append_empty(Place place, Tag tag) noexcept {
  return append(place, [tag](ExactWriter& writer) { writer.empty_field(tag); });
}

Encoder::Appended Encoder::append_rendered(Place place, std::string_view fields) noexcept {
  return append(place, [&](ExactWriter& writer) { writer.rendered(fields, 0); });
}

Encoder& Encoder::fields(const DraftFields& draft) noexcept {
  if (draft.has_password()) record_password();
  return take(append_rendered(place(), draft.body()));
}

std::string_view Encoder::seal_exactly(char* begin, char* body, char* end,
                                       std::uint32_t sum) noexcept {
  // BeginString moves to the position that the digits of BodyLength leave it.
  const std::string_view front{begin, static_cast<std::size_t>(body - begin)};
  const std::size_t before_length = front.find(kBodyLengthStart) + kBodyLengthStart.size();
  const auto body_length = static_cast<std::uint64_t>(end + 1 - body);
  const std::size_t digits = digit_count(body_length);
  char* const message = body - 1 - digits - before_length;
  std::memmove(message, begin, before_length);
  write_digits_before(body - 1, body_length, digits);
  body[-1] = kSoh;
  sum += byte_sum({body - 1 - digits, digits});
  sum -= std::uint32_t{detail::FrontText::kLengthDigits} * unsigned{'0'};
  *end = kSoh;
  write_check_sum(end + 1, sum);
  return {message, static_cast<std::size_t>(end + kTrailerBytes - message)};
}

std::string_view to_string(EncodeErrorCode code) noexcept {
  switch (code) {
    case EncodeErrorCode::BufferFull:
      return "the message does not fit into the buffer";
    case EncodeErrorCode::SohInValue:
      return "SOH in a value that is not a data field";
    case EncodeErrorCode::EmptyValue:
      return "empty value";
    case EncodeErrorCode::TagInvalid:
      return "the tag cannot be written";
    case EncodeErrorCode::ValueOutOfRange:
      return "the value has no wire format";
    case EncodeErrorCode::MessageMalformed:
      return "not a complete message";
    case EncodeErrorCode::GroupCountWrong:
      return "the entries of a repeating group do not match its count, or one of them is empty";
  }
  return "unknown";
}

}  // namespace nexusfix::wire
