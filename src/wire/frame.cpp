#include <algorithm>

#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/frame.hpp>

#include "wire/digits.hpp"
#include "wire/hunt.hpp"

namespace nexusfix::wire {

namespace {

constexpr std::string_view kBodyLengthStart = "9=";
constexpr std::string_view kMsgTypeStart = "35=";
// Longer than every BeginString (FIXT.1.1), and the limit of the wait for its SOH.
constexpr std::size_t kBeginStringBytesMax = 16;
// Enough for every 64-bit number with generous zero padding.
constexpr std::size_t kBodyLengthDigitsMax = 20;
// `10=`, three digits and SOH. A CheckSum without digits is garbled, but it ends the message.
constexpr std::size_t kCheckSumFieldBytes = 7;
constexpr std::size_t kCheckSumFieldBytesMin = 4;

[[nodiscard]] FrameResult need_more(std::size_t size) noexcept {
  return {FrameResult::Status::NeedMore, size, {}};
}

}  // namespace

FrameResult FrameScanner::resume(std::string_view bytes) noexcept {
  if (step_ == Step::Hunt) {
    if (const std::size_t start = hunt(bytes); start != 0) {
      return begin_again({FrameResult::Status::Skipped, start, {}});
    }
    if (step_ == Step::Hunt) return need_more(bytes.size() + 1);
  }
  if (step_ < Step::Search) {
    const Progress head = read_head(bytes);
    if (head == Progress::Malformed) return garbled(bytes);
    if (head == Progress::Torn) return need_more(bytes.size() + 1);
  }
  const std::size_t window_bytes =
      std::min(message_bytes_max_, body_end_ + FrameLimits::kBytesAfterBodyMax);
  const std::string_view window = bytes.substr(0, window_bytes);
  if (step_ == Step::CheckSum || search(window)) {
    if (const std::size_t end = check_sum_end(window); end != 0) {
      return begin_again({FrameResult::Status::Complete, end, {}});
    }
  }
  if (window.size() < window_bytes) {
    return need_more(std::max(bytes.size() + 1, body_end_ + kCheckSumFieldBytesMin));
  }
  // The window is not searched again: a hunt inside it would find one false start after the other
  // and search the same bytes each time. Only a start that the end of the window cuts off is kept.
  at_ = window.size() - (kFrameStart.size() - 1);
  matched_ = 0;
  reason_ = GarbledReason::TooLong;
  return garbled(bytes);
}

// Reads BeginString, BodyLength and the start of MsgType from left to right, and decides at the
// first byte that breaks a rule. So the result does not depend on where the stream was split.
FrameScanner::Progress FrameScanner::read_head(std::string_view bytes) noexcept {
  for (; at_ < bytes.size(); ++at_) {
    const char c = bytes[at_];
    Progress progress = Progress::Malformed;
    switch (step_) {
      case Step::Start:
        progress = read_text(c, kFrameStart, Step::Version, GarbledReason::NoBeginString);
        break;
      case Step::Version:
        progress = read_version(c);
        break;
      case Step::LengthTag:
        progress = read_text(c, kBodyLengthStart, Step::Length, GarbledReason::BodyLengthMalformed);
        body_end_ = 0;
        break;
      case Step::Length:
        progress = read_length(c);
        break;
      default:
        progress = read_text(c, kMsgTypeStart, Step::Search, GarbledReason::FirstFieldsOutOfOrder);
        break;
    }
    if (progress == Progress::Malformed) {
      // Only an `8` directly before this byte can belong to the next start.
      if (c == '=' && matched_ == 1 && (step_ == Step::Version || step_ == Step::Length)) {
        matched_ = 2;
        ++at_;
      } else {
        matched_ = 0;
      }
      return progress;
    }
    if (step_ == Step::Search) {
      // The last three bytes contain no SOH, so a BodyLength that points at them ends after them.
      at_ = std::max(body_end_ - 1, at_ + 1);
      return Progress::Done;
    }
  }
  return Progress::Torn;
}

FrameScanner::Progress FrameScanner::read_text(char c, std::string_view text, Step following,
                                               GarbledReason reason) noexcept {
  if (c != text[matched_]) {
    reason_ = reason;
    return Progress::Malformed;
  }
  if (++matched_ == text.size()) {
    step_ = following;
    value_at_ = at_ + 1;
    matched_ = 0;
  }
  return Progress::Torn;
}

FrameScanner::Progress FrameScanner::read_version(char c) noexcept {
  if (c == kSoh) {
    step_ = Step::LengthTag;
    matched_ = 0;
    return Progress::Torn;
  }
  // A `=` belongs to another start: this message has lost its tail.
  if (c == '=' || at_ - value_at_ == kBeginStringBytesMax) {
    reason_ = GarbledReason::NoBeginString;
    return Progress::Malformed;
  }
  matched_ = c == kFrameStart.front() ? 1 : 0;
  return Progress::Torn;
}

FrameScanner::Progress FrameScanner::read_length(char c) noexcept {
  if (c == kSoh && at_ != value_at_) {
    body_end_ += at_ + 1;
    step_ = Step::TypeTag;
    matched_ = 0;
    if (body_end_ + kCheckSumFieldBytes <= message_bytes_max_) return Progress::Torn;
    reason_ = GarbledReason::BodyLengthTooLarge;
    return Progress::Malformed;
  }
  reason_ = GarbledReason::BodyLengthMalformed;
  if (!is_digit(c) || at_ - value_at_ == kBodyLengthDigitsMax) return Progress::Malformed;
  body_end_ = body_end_ * 10 + static_cast<std::size_t>(c - '0');
  matched_ = c == kFrameStart.front() ? 1 : 0;
  if (body_end_ <= message_bytes_max_) return Progress::Torn;
  // Decides digit by digit, so that no number of digits can overflow.
  reason_ = GarbledReason::BodyLengthTooLarge;
  return Progress::Malformed;
}

// Whether SOH and `10=` have been found. The value of CheckSum then begins at at_.
bool FrameScanner::search(std::string_view window) noexcept {
  if (at_ >= window.size()) return false;
  if (!go_on_matching(window, kCheckSumStart)) {
    const std::size_t start = find_check_sum(window, at_);
    matched_ = std::min(window.size() - start, kCheckSumStart.size());
    at_ = start + matched_;
  }
  if (matched_ < kCheckSumStart.size()) return false;
  step_ = Step::CheckSum;
  matched_ = 0;
  return true;
}

// The end of the CheckSum field: after its SOH, or before the next message if that follows without
// one. 0: not received yet.
std::size_t FrameScanner::check_sum_end(std::string_view window) noexcept {
  const std::size_t soh = window.find(kSoh, at_);
  const std::size_t start = hunt(window.substr(0, soh));
  if (step_ == Step::Version) return start;
  if (soh == window.npos) return 0;
  step_ = Step::Start;
  at_ = soh + 1;
  matched_ = 0;
  return soh + 1;
}

// Continues the search for the start of a frame. Returns its position, or the position of a start
// that the end of bytes cuts off; step_ distinguishes the two.
std::size_t FrameScanner::hunt(std::string_view bytes) noexcept {
  if (!go_on_matching(bytes, kFrameStart)) {
    const std::size_t found = find_frame_start(bytes, at_);
    matched_ = std::min(bytes.size() - found, kFrameStart.size());
    at_ = found + matched_;
  }
  const std::size_t start = at_ - matched_;
  if (matched_ == kFrameStart.size()) {
    step_ = Step::Version;
    value_at_ = at_;
    matched_ = 0;
  }
  return start;
}

// Whether the bytes received so far continue the text, of which matched_ bytes lie directly before
// at_. No text contains its own first byte twice, so after a mismatch no earlier byte needs another
// look.
bool FrameScanner::go_on_matching(std::string_view bytes, std::string_view text) noexcept {
  if (matched_ == 0) return false;
  for (; matched_ < text.size() && at_ < bytes.size(); ++at_, ++matched_) {
    if (bytes[at_] == text[matched_]) continue;
    matched_ = 0;
    return false;
  }
  return true;
}

FrameResult FrameScanner::garbled(std::string_view bytes) noexcept {
  step_ = Step::Hunt;
  const std::size_t start = hunt(bytes);
  return begin_again({FrameResult::Status::Garbled, start, reason_});
}

// What is known about the bytes after those that result consumes.
FrameResult FrameScanner::begin_again(const FrameResult& result) noexcept {
  at_ -= result.size;
  value_at_ = at_;
  return result;
}

FrameResult next_slow_path_frame(std::string_view bytes, const FrameLimits& limits) noexcept {
  return FrameScanner{limits}.next(bytes);
}

Framer::SlowPathFrame Framer::next_slow_path(std::string_view bytes, FrameLimits limits) noexcept {
  SlowPathFrame frame;
  while (frame.garbled_bytes < bytes.size()) {
    const FrameResult result = next_frame(bytes.substr(frame.garbled_bytes), limits);
    if (result.status == FrameResult::Status::NeedMore) break;
    if (result.status == FrameResult::Status::Complete) {
      frame.size = result.size;
      break;
    }
    frame.garbled_bytes += result.size;
  }
  return frame;
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
      return "no CheckSum within MaxMessageSize, or within 64 KiB after the end by BodyLength";
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
