#include <cstring>
#include <optional>

#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/header_template.hpp>

#include "base/api/full_path.hpp"
#include "wire/envelope.hpp"

namespace nexusfix::wire {

namespace {

constexpr std::string_view kBodyLengthEnd =
    "000"
    "\x01";
static_assert(kBodyLengthEnd.size() == detail::FrontText::kLengthDigits + 1);
constexpr std::string_view kMsgTypeStart = "35=";
constexpr std::string_view kMsgSeqNumStart =
    "\x01"
    "34=";
constexpr std::string_view kSendingTimeStart =
    "\x01"
    "52=";

[[nodiscard]] std::optional<EncodeError> find_error(Tag tag, std::string_view value) noexcept {
  if (value.empty()) return EncodeError{EncodeErrorCode::EmptyValue, tag};
  if (value.contains(kSoh)) return EncodeError{EncodeErrorCode::SohInValue, tag};
  return std::nullopt;
}

// Whether the field may be one of those that are equal in every message.
[[nodiscard]] bool can_be_fixed(Tag tag) noexcept {
  switch (tag) {
    case tag::MsgSeqNum:
    case tag::PossDupFlag:
    case tag::SenderCompID:
    case tag::SendingTime:
    case tag::TargetCompID:
    case tag::PossResend:
    case tag::OrigSendingTime:
    case tag::SecureDataLen:
    case tag::SecureData:
    case tag::XmlDataLen:
    case tag::XmlData:
      return false;
    default:
      return is_header_tag(tag);
  }
}

}  // namespace

namespace detail {

DateText DateText::of(WallTime time) noexcept {
  constexpr auto kDay = static_cast<std::int64_t>(kDayNs);
  const std::int64_t nanos = time.time_since_epoch().count();
  std::int64_t time_of_day = nanos % kDay;
  if (time_of_day < 0) time_of_day += kDay;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  if (__builtin_sub_overflow(nanos, time_of_day, &begin) ||
      __builtin_add_overflow(begin, kDay, &end)) {
    return {};
  }
  char text[kUtcTimestampBytesMax];
  from_utc_timestamp(time, TimePrecision::Seconds, text);
  DateText date;
  date.begin_ns = static_cast<std::uint64_t>(begin);
  date.length_ns = kDayNs;
  std::memcpy(&date.word, text, sizeof date.word);
  return date;
}

FrontText FrontText::of(std::string_view begin_string) noexcept {
  FrontText front;
  const auto add = [&front](std::string_view part) {
    std::memcpy(front.text.data() + front.bytes, part.data(), part.size());
    front.bytes += part.size();
  };
  add(kBeginStringStart);
  add(begin_string);
  add(kBodyLengthStart);
  front.before_length = front.bytes;
  add(kBodyLengthEnd);
  front.before_body = front.bytes;
  add(kMsgTypeStart);
  front.sum = byte_sum({front.text.data(), front.bytes});
  return front;
}

std::size_t FrontText::room_before_body(std::size_t buffer_bytes) const noexcept {
  const std::size_t around = before_length + 1 + kTrailerBytes;  // 1: SOH after BodyLength
  std::size_t digits = 1;
  if (buffer_bytes > around) {
    // If BodyLength has this number of digits, the body has at most room - digits bytes.
    const std::size_t room = buffer_bytes - around;
    digits = digit_count(room);
    if (digits > 1 && digit_count(room - (digits - 1)) < digits) --digits;
  }
  return before_length + digits + 1;
}

}  // namespace detail

std::expected<HeaderTemplate, EncodeError> HeaderTemplate::make(
    const HeaderFields& fields, std::span<const detail::HeaderField> fixed) {
  HeaderTemplate made;
  std::optional<EncodeError> error = find_error(tag::BeginString, fields.begin_string);
  if (!error && fields.begin_string.size() > kBeginStringBytesMax) {
    error = EncodeError{EncodeErrorCode::ValueOutOfRange, tag::BeginString};
  }
  const auto add = [&](Tag tag, std::string_view value) {
    if (!error) error = find_error(tag, value);
    detail::ConstantText& to = tag < tag::SendingTime ? made.before_time_ : made.after_time_;
    to.add(std::string{kSoh}.append(std::to_string(tag)).append("=").append(value));
  };
  add(tag::SenderCompID, fields.sender_comp_id);
  add(tag::TargetCompID, fields.target_comp_id);
  std::optional<std::size_t> poss_resend_at;
  std::optional<std::size_t> orig_time_at;
  for (const detail::HeaderField& field : fixed) {
    if (!error && !can_be_fixed(field.tag)) {
      error = EncodeError{EncodeErrorCode::TagInvalid, field.tag};
    }
    const std::size_t at = made.after_time_.bytes;
    if (field.tag > tag::PossResend && !poss_resend_at) poss_resend_at = at;
    if (field.tag > tag::OrigSendingTime && !orig_time_at) orig_time_at = at;
    add(field.tag, field.value);
  }
  if (error) return std::unexpected{*error};

  made.poss_resend_at_ = poss_resend_at.value_or(made.after_time_.bytes);
  made.orig_time_at_ = orig_time_at.value_or(made.after_time_.bytes);
  made.before_time_.add(kSendingTimeStart);
  made.front_ = detail::FrontText::of(fields.begin_string);
  made.sum_ = made.front_.sum + byte_sum(kMsgSeqNumStart) + byte_sum(made.before_time_.view()) +
              byte_sum(made.after_time_.view()) + static_cast<unsigned char>(kSoh);
  made.before_time_.pad();
  made.after_time_.pad();
  return made;
}

void HeaderTemplate::fit_to(std::size_t buffer_bytes) noexcept {
  if (FullPathOnly::is_on()) return;
  // The variable part of a header: the longest MsgType, times and digits.
  constexpr std::size_t kVariableBytesMax = 192;
  const std::size_t constant = before_time_.text.size() + after_time_.text.size();
  if (buffer_bytes < front_.text.size() + constant + kVariableBytesMax) return;
  begin_ = front_.room_before_body(buffer_bytes) - front_.before_body;
  buffer_bytes_ = buffer_bytes;
}

void HeaderTemplate::begin_minute(WallTime time) noexcept {
  if (date_.time_of_day(time) >= date_.length_ns) date_ = detail::DateText::of(time);
  minute_ = detail::MinuteText::of(date_, time);
  last_.type = detail::LastHeader::kNoType;
}

void HeaderTemplate::keep_header(const char* begin, const char* end,
                                 std::size_t type_bytes) noexcept {
  constexpr std::size_t kPrefixBytes = 4;        // SOH, 34=
  constexpr std::size_t kAfterSecondsBytes = 2;  // the rest of the word that is stored
  const auto bytes = static_cast<std::size_t>(end - begin);
  if (bytes > last_.text.size()) return;
  const std::size_t digits_at = front_.bytes + type_bytes + kPrefixBytes;
  const std::size_t digits = digit_count(last_.msg_seq_num);
  const std::size_t seconds_at =
      digits_at + digits + before_time_.bytes + detail::MinuteText::kTextBytes;
  std::memcpy(last_.text.data(), begin, bytes);
  last_.bytes = static_cast<std::uint32_t>(bytes);
  last_.last_digit = static_cast<std::uint32_t>(digits_at + digits - 1);
  last_.seconds_at = static_cast<std::uint32_t>(seconds_at);
  last_.sum = byte_sum({begin, bytes}) + static_cast<unsigned char>(kSoh) -
              byte_sum({begin + seconds_at, detail::LastHeader::kSecondsBytes});
  std::array<char, detail::LastHeader::kSecondsBytes + kAfterSecondsBytes> after{};
  std::memcpy(after.data() + detail::LastHeader::kSecondsBytes,
              begin + seconds_at + detail::LastHeader::kSecondsBytes, kAfterSecondsBytes);
  last_.after_seconds = detail::block_of(detail::load<std::uint64_t>(after.data()));
  last_.type = last_.seen_type;
}

}  // namespace nexusfix::wire
