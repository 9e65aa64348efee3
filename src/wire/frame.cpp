#include <algorithm>

#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/frame.hpp>

#include "wire/digits.hpp"

namespace nexusfix::wire {

namespace {

// What hunting looks for. Every BeginString of every FIX version begins so; the bare `8=` occurs in
// the middle of ordinary fields (58=, 108=) and would swallow a good message that follows rubbish.
constexpr std::string_view kFrameStart = "8=FIX";
constexpr std::string_view kBodyLengthStart = "9=";
constexpr std::string_view kMsgTypeStart = "35=";
constexpr std::string_view kCheckSumStart = "10=";
// Room behind the longest BeginString there is (FIXT.1.1), and a bound on waiting for its SOH.
constexpr std::size_t kBeginStringBytesMax = 16;
// Enough for every 64-bit number with as many zeros in front as anybody would pad.
constexpr std::size_t kBodyLengthDigitsMax = 20;
constexpr std::size_t kCheckSumDigits = 3;
constexpr std::size_t kCheckSumFieldBytes = kCheckSumStart.size() + kCheckSumDigits + 1;

// The first place at or behind from where a frame may begin; a start that is cut off by the end of
// bytes counts, because the rest of it may arrive.
[[nodiscard]] std::size_t hunt(std::string_view bytes, std::size_t from) noexcept {
  for (std::size_t at = from; (at = bytes.find(kFrameStart.front(), at)) != bytes.npos; ++at) {
    if (kFrameStart.starts_with(bytes.substr(at, kFrameStart.size()))) return at;
  }
  return bytes.size();
}

[[nodiscard]] FrameResult garbled(std::string_view bytes, GarbledReason reason) noexcept {
  return {FrameStatus::Garbled, hunt(bytes, 1), reason};
}

[[nodiscard]] FrameResult need_more(std::size_t size) noexcept {
  return {FrameStatus::NeedMore, size, {}};
}

enum class Match : std::uint8_t { Yes, No, Torn };

// Whether text stands at bytes[at]; Torn if bytes ends before that is certain.
[[nodiscard]] Match match(std::string_view bytes, std::size_t at, std::string_view text) noexcept {
  const std::string_view there = bytes.substr(std::min(at, bytes.size()), text.size());
  if (!text.starts_with(there)) return Match::No;
  return there.size() == text.size() ? Match::Yes : Match::Torn;
}

// Reads BeginString, BodyLength and the start of MsgType from left to right and decides at the
// first byte that breaks a rule, so that the answer does not depend on how the stream was cut.
class Head {
 public:
  Head(std::string_view bytes, std::size_t message_bytes_max) noexcept
      : bytes_{bytes}, message_bytes_max_{message_bytes_max} {}

  // True: body_end() is set. False: failure() says what to return.
  [[nodiscard]] bool read() noexcept {
    return read_begin_string() && read_body_length() &&
           read_text(kMsgTypeStart, GarbledReason::FirstFieldsOutOfOrder);
  }
  [[nodiscard]] const FrameResult& failure() const noexcept { return failure_; }
  [[nodiscard]] std::size_t body_end() const noexcept { return body_end_; }

 private:
  [[nodiscard]] bool fail(GarbledReason reason) noexcept {
    failure_ = garbled(bytes_, reason);
    return false;
  }

  [[nodiscard]] bool torn() noexcept {
    failure_ = need_more(bytes_.size() + 1);
    return false;
  }

  [[nodiscard]] bool read_text(std::string_view text, GarbledReason reason) noexcept {
    switch (match(bytes_, at_, text)) {
      case Match::Yes:
        at_ += text.size();
        return true;
      case Match::No:
        return fail(reason);
      case Match::Torn:
        break;
    }
    return torn();
  }

  [[nodiscard]] bool read_begin_string() noexcept {
    if (!read_text(kFrameStart, GarbledReason::NoBeginString)) return false;
    const std::size_t end_max = kFrameStart.size() + kBeginStringBytesMax;
    for (; at_ < bytes_.size(); ++at_) {
      if (bytes_[at_] == kSoh) {
        ++at_;
        return true;
      }
      // A `=` can only be that of another start: this one lost its tail.
      if (bytes_[at_] == '=' || at_ == end_max) return fail(GarbledReason::NoBeginString);
    }
    return torn();
  }

  [[nodiscard]] bool read_body_length() noexcept {
    if (!read_text(kBodyLengthStart, GarbledReason::BodyLengthMalformed)) return false;
    std::size_t length = 0;
    for (const std::size_t begin = at_; at_ < bytes_.size(); ++at_) {
      const char c = bytes_[at_];
      if (c == kSoh && at_ != begin) {
        body_end_ = ++at_ + length;
        return body_end_ + kCheckSumFieldBytes <= message_bytes_max_ ||
               fail(GarbledReason::BodyLengthTooLarge);
      }
      if (!is_digit(c) || at_ - begin == kBodyLengthDigitsMax) {
        return fail(GarbledReason::BodyLengthMalformed);
      }
      length = length * 10 + static_cast<std::size_t>(c - '0');
      // Decided digit by digit, so that no number of digits can wrap.
      if (length > message_bytes_max_) return fail(GarbledReason::BodyLengthTooLarge);
    }
    return torn();
  }

  std::string_view bytes_;
  std::size_t message_bytes_max_;
  std::size_t at_ = 0;
  std::size_t body_end_ = 0;
  FrameResult failure_;
};

// The end of the body of a head that is as nearly all are: `8=FIX.x.y` or `8=FIXT.1.1`, a
// BodyLength of up to six digits, and MsgType. 0 if it is not that, whatever the reason.
[[nodiscard]] std::size_t ordinary_body_end(std::string_view bytes) noexcept {
  constexpr std::size_t kHeadBytesMax = 32;
  constexpr std::size_t kDigitsMax = 6;
  constexpr std::string_view kFix4{"8=FIX.4."};
  constexpr std::string_view kFixt{"8=FIXT.1."};
  if (bytes.size() < kHeadBytesMax) return 0;
  std::size_t version = kFix4.size();
  if (!bytes.starts_with(kFix4)) {
    if (!bytes.starts_with(kFixt)) return 0;
    version = kFixt.size();
  }
  const char* at = bytes.data() + version + 1;
  if (!is_digit(at[-1]) || at[0] != kSoh || at[1] != '9' || at[2] != '=') return 0;
  at += 3;
  std::size_t length = 0;
  const char* const begin = at;
  for (; is_digit(*at) && at != begin + kDigitsMax; ++at) {
    length = length * 10 + static_cast<std::size_t>(*at - '0');
  }
  if (at == begin || at[0] != kSoh || at[1] != '3' || at[2] != '5' || at[3] != '=') return 0;
  return static_cast<std::size_t>(at + 1 - bytes.data()) + length;
}

// The end of the CheckSum field whose value begins at value_begin: behind its SOH, or in front of
// the next message if that follows without one. 0 if it has not arrived.
[[nodiscard]] std::size_t check_sum_end(std::string_view bytes, std::size_t value_begin) noexcept {
  const std::size_t soh = bytes.find(kSoh, value_begin);
  const std::size_t start = bytes.substr(0, soh).find(kFrameStart, value_begin);
  if (start != bytes.npos) return start;
  return soh == bytes.npos ? 0 : soh + 1;
}

// The ordinary case: BodyLength is right and the trailer is three digits.
[[nodiscard]] bool is_trailer(std::string_view bytes, std::size_t at) noexcept {
  if (bytes.size() < at + kCheckSumFieldBytes || bytes[at - 1] != kSoh) return false;
  const char* const field = bytes.data() + at;
  return field[0] == '1' && field[1] == '0' && field[2] == '=' && is_digit(field[3]) &&
         is_digit(field[4]) && is_digit(field[5]) && field[6] == kSoh;
}

// BodyLength leads elsewhere, or the trailer is not of three digits, or has not arrived.
[[nodiscard]] FrameResult search_check_sum(std::string_view bytes, std::size_t body_end,
                                           std::size_t message_bytes_max) noexcept {
  const std::string_view window = bytes.substr(0, message_bytes_max);
  std::size_t at = body_end - 1;
  while ((at = window.find(kSoh, at)) != window.npos) {
    ++at;
    if (match(window, at, kCheckSumStart) != Match::Yes) continue;
    const std::size_t end = check_sum_end(window, at + kCheckSumStart.size());
    if (end != 0) return {FrameStatus::Complete, end, {}};
    break;
  }
  if (window.size() < message_bytes_max) {
    constexpr std::size_t kTrailerBytesMin = kCheckSumStart.size() + 1;
    return need_more(std::max(bytes.size() + 1, body_end + kTrailerBytesMin));
  }
  // Nothing of the window is looked at twice: a hunt inside it would find one false start after
  // the other and search the same bytes for each.
  const std::size_t unread = window.size() - (kFrameStart.size() - 1);
  return {FrameStatus::Garbled, std::max<std::size_t>(hunt(bytes, unread), 1),
          GarbledReason::TooLong};
}

}  // namespace

FrameResult next_frame(std::string_view bytes, const FrameLimits& limits) noexcept {
  // Offsets within a message have 32 bits, and the sums below must not wrap.
  const std::size_t message_bytes_max = std::min(limits.message_bytes_max, kMessageBytesMax);
  if (const std::size_t body_end = ordinary_body_end(bytes);
      body_end != 0 && body_end + kCheckSumFieldBytes <= message_bytes_max &&
      is_trailer(bytes, body_end)) {
    return {FrameStatus::Complete, body_end + kCheckSumFieldBytes, {}};
  }
  Head head{bytes, message_bytes_max};
  if (!head.read()) return head.failure();
  const std::size_t body_end = head.body_end();
  if (is_trailer(bytes, body_end)) {
    return {FrameStatus::Complete, body_end + kCheckSumFieldBytes, {}};
  }
  return search_check_sum(bytes, body_end, message_bytes_max);
}

std::optional<std::string_view> Framer::next() noexcept {
  while (!rest_.empty()) {
    const FrameResult result = next_frame(rest_, limits_);
    if (result.status == FrameStatus::NeedMore) break;
    const std::string_view front = rest_.substr(0, result.size);
    rest_.remove_prefix(front.size());
    if (result.status == FrameStatus::Complete) return front;
    garbled_bytes_ += front.size();
  }
  return std::nullopt;
}

std::string_view to_string(GarbledReason reason) noexcept {
  switch (reason) {
    case GarbledReason::NoBeginString:
      return "no BeginString";
    case GarbledReason::BodyLengthMalformed:
      return "BodyLength is not a number";
    case GarbledReason::BodyLengthTooLarge:
      return "BodyLength is above the limit";
    case GarbledReason::TooLong:
      return "no CheckSum within the longest message";
    case GarbledReason::BodyLengthWrong:
      return "BodyLength is wrong";
    case GarbledReason::CheckSumMalformed:
      return "CheckSum is not three digits at the end";
    case GarbledReason::CheckSumWrong:
      return "CheckSum is wrong";
    case GarbledReason::FirstFieldsOutOfOrder:
      return "8, 9 and 35 are not the first three fields";
  }
  return "unknown";
}

}  // namespace nexusfix::wire
