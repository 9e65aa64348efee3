#include <algorithm>
#include <cstring>

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/session_tags.hpp>

#include "wire/digits.hpp"
#include "wire/envelope.hpp"

namespace nexusfix::wire {

namespace {

// Every number, decimal and time is shorter.
constexpr std::size_t kConvertedBytesMax = 32;
static_assert(kConvertedBytesMax >=
              std::max({kIntBytesMax, kDecimalBytesMax, kUtcTimestampBytesMax}));
constexpr int kYearMax = 9999;  // YYYY has four digits
constexpr TimeOfDay kTimeOfDayEnd = std::chrono::hours{24} + std::chrono::seconds{1};

// The lowest marked byte of the result is a SOH; the result is 0 if there is none.
[[nodiscard]] std::uint64_t soh_mark(std::uint64_t word) noexcept {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
  const std::uint64_t difference = word ^ (kOnes * static_cast<unsigned char>(kSoh));
  return (difference - kOnes) & ~difference & (kOnes << 7U);
}

[[nodiscard]] std::uint64_t load_word(const char* from) noexcept {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

[[nodiscard]] bool holds_soh(std::string_view value) noexcept {
  constexpr std::size_t kWordBytes = 8;
  if (value.size() < kWordBytes) {
    bool found = false;
    for (const char c : value) found |= c == kSoh;
    return found;
  }
  // The last word overlaps the one before it.
  std::uint64_t marks = soh_mark(load_word(value.data() + value.size() - kWordBytes));
  for (std::size_t at = 0; at + kWordBytes < value.size(); at += kWordBytes) {
    marks |= soh_mark(load_word(value.data() + at));
  }
  return marks != 0;
}

[[nodiscard]] bool is_written_by_encoder(Tag tag) noexcept {
  return tag == tag::BeginString || tag == tag::BodyLength || tag == tag::MsgType ||
         tag == tag::CheckSum;
}

}  // namespace

Encoder::Encoder(std::span<char> buffer, const HeaderFields& session,
                 const MessageHeader& header) noexcept
    : begin_{buffer.data()}, body_{begin_}, at_{begin_}, limit_{begin_} {
  open_body(buffer, session.begin_string);
  write_header(session, header);
}

void Encoder::open_body(std::span<char> buffer, std::string_view begin_string) noexcept {
  if (begin_string.empty()) return fail(EncodeErrorCode::EmptyValue, tag::BeginString);
  if (holds_soh(begin_string)) return fail(EncodeErrorCode::SohInValue, tag::BeginString);
  if (begin_string.size() > kBeginStringBytesMax) {
    return fail(EncodeErrorCode::ValueOutOfRange, tag::BeginString);
  }
  begin_string_bytes_ = begin_string.copy(begin_string_.data(), begin_string_.size());
  const std::size_t front_bytes = envelope_front_bytes(begin_string_bytes_, buffer.size());
  if (buffer.size() < front_bytes + kTrailerBytes) {
    return fail(EncodeErrorCode::BufferFull, tag::BeginString);
  }
  body_ = begin_ + front_bytes;
  at_ = body_;
  limit_ = begin_ + buffer.size() - kTrailerBytes;
}

void Encoder::write_header(const HeaderFields& session, const MessageHeader& header) noexcept {
  write_text(tag::MsgType, header.msg_type);
  unsigned_field(tag::MsgSeqNum, header.msg_seq_num);
  if (header.poss_dup) write_text(tag::PossDupFlag, "Y");
  write_text(tag::SenderCompID, session.sender_comp_id);
  field(tag::SendingTime, header.sending_time, header.precision);
  write_text(tag::TargetCompID, session.target_comp_id);
  if (header.poss_resend) write_text(tag::PossResend, "Y");
  if (!header.orig_sending_time.empty()) {
    write_text(tag::OrigSendingTime, header.orig_sending_time);
  }
}

void Encoder::fail(EncodeErrorCode code, Tag tag) noexcept {
  if (failed_) return;
  failed_ = true;
  error_ = {code, tag};
}

char* Encoder::open_field(Tag tag, std::size_t value_bytes_max) noexcept {
  if (failed_) return nullptr;
  if (tag == 0 || tag > kTagMax) {
    fail(EncodeErrorCode::TagInvalid, tag);
    return nullptr;
  }
  constexpr Tag kTwoDigitTags = 100;
  const std::size_t digits = tag < kTwoDigitTags ? (tag < 10 ? 1 : 2) : digit_count(tag);
  const auto room = static_cast<std::size_t>(limit_ - at_);
  const std::size_t around = digits + 2;  // the tag, `=` and SOH
  if (room < around || room - around < value_bytes_max) {
    fail(EncodeErrorCode::BufferFull, tag);
    return nullptr;
  }
  if (tag >= kTwoDigitTags) {
    write_digits_before(at_ + digits, tag, digits);
  } else if (tag >= 10) {
    write_two_digits(at_, tag);
  } else {
    *at_ = static_cast<char>('0' + tag);
  }
  at_[digits] = '=';
  return at_ + digits + 1;
}

void Encoder::close_field(char* value_end) noexcept {
  *value_end = kSoh;
  at_ = value_end + 1;
}

void Encoder::write_text(Tag tag, std::string_view value) noexcept {
  if (value.empty()) return fail(EncodeErrorCode::EmptyValue, tag);
  if (holds_soh(value)) return fail(EncodeErrorCode::SohInValue, tag);
  char* const out = open_field(tag, value.size());
  if (out == nullptr) return;
  copy_short(out, value.data(), value.size());
  close_field(out + value.size());
}

Encoder& Encoder::field(Tag tag, std::string_view value) noexcept {
  if (is_written_by_encoder(tag)) {
    fail(EncodeErrorCode::TagInvalid, tag);
  } else {
    write_text(tag, value);
  }
  return *this;
}

// Writes a value of at most kConvertedBytesMax bytes by write(char*), which returns their number.
// Where the buffer's end is near, the value is made elsewhere first, so that what fits exactly
// fits.
template <class Write>
Encoder& Encoder::converted_field(Tag tag, Write write) noexcept {
  constexpr std::size_t kTagBytesMax = 10;
  if (is_written_by_encoder(tag)) {
    fail(EncodeErrorCode::TagInvalid, tag);
  } else if (static_cast<std::size_t>(limit_ - at_) < kTagBytesMax + kConvertedBytesMax + 2) {
    char value[kConvertedBytesMax];
    const std::size_t bytes = write(value);
    write_text(tag, {value, bytes});
  } else if (char* const out = open_field(tag, kConvertedBytesMax); out != nullptr) {
    close_field(out + write(out));
  }
  return *this;
}

Encoder& Encoder::signed_field(Tag tag, std::int64_t value) noexcept {
  return converted_field(tag, [value](char* out) noexcept { return from_int(value, out); });
}

Encoder& Encoder::unsigned_field(Tag tag, std::uint64_t value) noexcept {
  return converted_field(tag, [value](char* out) noexcept { return from_uint(value, out); });
}

Encoder& Encoder::field(Tag tag, Decimal value) noexcept {
  return converted_field(tag, [value](char* out) noexcept { return from_decimal(value, out); });
}

Encoder& Encoder::field(Tag tag, WallTime value, TimePrecision precision) noexcept {
  return converted_field(tag, [value, precision](char* out) noexcept {
    return from_utc_timestamp(value, precision, out);
  });
}

Encoder& Encoder::field(Tag tag, Date value) noexcept {
  const auto year = static_cast<int>(value.year());
  if (!value.ok() || year < 0 || year > kYearMax) {
    fail(EncodeErrorCode::ValueOutOfRange, tag);
    return *this;
  }
  return converted_field(tag, [value](char* out) noexcept { return from_date(value, out); });
}

Encoder& Encoder::field(Tag tag, TimeOfDay value, TimePrecision precision) noexcept {
  if (value < TimeOfDay::zero() || value >= kTimeOfDayEnd) {
    fail(EncodeErrorCode::ValueOutOfRange, tag);
    return *this;
  }
  return converted_field(tag, [value, precision](char* out) noexcept {
    return from_time_of_day(value, precision, out);
  });
}

Encoder& Encoder::data(Tag length_tag, Tag data_tag, std::string_view value) noexcept {
  if (is_written_by_encoder(data_tag)) fail(EncodeErrorCode::TagInvalid, data_tag);
  if (value.empty()) fail(EncodeErrorCode::EmptyValue, data_tag);
  unsigned_field(length_tag, value.size());
  char* const out = open_field(data_tag, value.size());
  if (out == nullptr) return *this;
  copy_short(out, value.data(), value.size());
  close_field(out + value.size());
  return *this;
}

std::expected<std::string_view, EncodeError> Encoder::finish() noexcept {
  if (failed_) return std::unexpected{error_};
  return seal(body_, at_, {begin_string_.data(), begin_string_bytes_});
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
      return "no tag that can be written";
    case EncodeErrorCode::ValueOutOfRange:
      return "value has no text on the wire";
    case EncodeErrorCode::MessageMalformed:
      return "not a whole message";
  }
  return "unknown";
}

}  // namespace nexusfix::wire
