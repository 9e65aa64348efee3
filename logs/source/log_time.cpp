#include "logs/source/log_time.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "base/api/ascii.hpp"
#include "base/api/printable_text.hpp"
#include "logs/messages/find_bytes.hpp"
#include "logs/source/stamp_parts.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::logs {
namespace {

// The text of a note: the first stamp, or what may be one.
constexpr std::size_t kShownBytesMax = 80;

struct DirectionWord {
  std::string_view word;
  LoggedDirection direction;
};
constexpr std::array kDirectionWords{
    DirectionWord{"in", LoggedDirection::In},       DirectionWord{"out", LoggedDirection::Out},
    DirectionWord{"incoming", LoggedDirection::In}, DirectionWord{"outgoing", LoggedDirection::Out},
    DirectionWord{"received", LoggedDirection::In}, DirectionWord{"sent", LoggedDirection::Out},
    DirectionWord{"recv", LoggedDirection::In},     DirectionWord{"send", LoggedDirection::Out},
    DirectionWord{"inbound", LoggedDirection::In},  DirectionWord{"outbound", LoggedDirection::Out},
    DirectionWord{"rx", LoggedDirection::In},       DirectionWord{"tx", LoggedDirection::Out}};

// An arrow that stands alone: `->`, `-->`, `=>`, `>>` or `>`, and `<-` for a received message. One
// between two names, as of a packet, has no direction.
LoggedDirection arrow_in(std::string_view prefix) {
  constexpr std::string_view kLines = "-=<>";
  constexpr std::string_view kAround = " \t:[](){}|,";
  for (std::size_t at = 0; (at = prefix.find_first_of("<>", at)) != prefix.npos;) {
    const std::size_t before = prefix.find_last_not_of(kLines, at);
    const std::size_t begin = before == prefix.npos ? 0 : before + 1;
    const std::size_t end = std::min(prefix.find_first_not_of(kLines, at), prefix.size());
    const std::string_view arrow = prefix.substr(begin, end - begin);
    const bool is_alone = (begin == 0 || kAround.contains(prefix[begin - 1])) &&
                          (end == prefix.size() || kAround.contains(prefix[end]));
    const bool is_out = arrow.ends_with('>') && !arrow.contains('<');
    const bool is_in = arrow.starts_with('<') && !arrow.contains('>');
    if (is_alone && is_out) return LoggedDirection::Out;
    if (is_alone && is_in) return LoggedDirection::In;
    at = end;
  }
  return LoggedDirection::Unknown;
}

const StampStyle& style_of(const LogMessage& message) {
  static const StampStyle kRecognised;
  return message.times == nullptr ? kRecognised : message.times->style();
}

std::chrono::seconds usual_zone(const LogMessage& message) {
  constexpr std::chrono::seconds kUtc{0};
  return message.times == nullptr ? kUtc : message.times->style().zone.value_or(kUtc);
}

std::optional<Stamp> find_of_message(const LogMessage& message) {
  const auto stamp =
      find_stamp(message.prefix, style_of(message), [&] { return sending_time(message.bytes); });
  if (message.times == nullptr) return stamp;
  if (stamp && !stamp->has_zone) message.times->compare_zone(message, *stamp);
  if (!stamp && seems_stamped(message.prefix)) message.times->add_unread(message);
  return stamp;
}

}  // namespace

void LogTimes::add_unread(const LogMessage& message) {
  if (is_unread_known_.exchange(true)) return;
  const std::string shown = printable(message.prefix.substr(0, kShownBytesMax));
  const std::string_view advice =
      style_.format.empty() ? "give its form with --time-format, such as '%d.%m.%Y %H:%M:%S,%f'"
                            : "it does not have the form of --time-format";
  const std::lock_guard lock{mutex_};
  notes_.push_back(fmt::format(
      "{}: byte {}: the time in this text is not understood, and SendingTime (52) is used: {}: {}",
      message.path, command::with_thousands(message.offset), shown, advice));
}

// Offsets of zones are quarters of an hour. A message is logged seconds after its SendingTime.
void LogTimes::compare_zone(const LogMessage& message, const Stamp& stamp) {
  if (style_.zone || message.file < compared_files_.load()) return;
  compared_files_ = message.file + 1;
  const auto sent = sending_time(message.bytes);
  if (!sent) return;
  using Quarters = std::chrono::duration<std::int64_t, std::ratio<900>>;
  const std::chrono::nanoseconds ahead = stamp.time - *sent;
  const auto offset = std::chrono::round<Quarters>(ahead);
  constexpr Quarters kOffsetMax = std::chrono::hours{14};
  constexpr std::chrono::seconds kTransitMax{30};
  if (offset.count() == 0 || std::chrono::abs(offset) > kOffsetMax ||
      std::chrono::abs(ahead - offset) > kTransitMax) {
    return;
  }
  const std::lock_guard lock{mutex_};
  if (std::exchange(is_zone_known_, true)) return;
  const std::chrono::hh_mm_ss clock{std::chrono::abs(std::chrono::minutes{offset})};
  notes_.push_back(fmt::format(
      "{0}: byte {1}: the time names no zone, and is read as UTC, but it is {2}:{3:02} h {4} the "
      "SendingTime (52) of its message: if it is local time, give --time-zone {5}{2:02}:{3:02}",
      message.path, command::with_thousands(message.offset), clock.hours().count(),
      clock.minutes().count(), offset.count() > 0 ? "after" : "before",
      offset.count() > 0 ? "+" : "-"));
}

std::vector<std::string> LogTimes::consume_notes() {
  const std::lock_guard lock{mutex_};
  return std::exchange(notes_, {});
}

std::optional<WallTime> time_in(std::string_view text) {
  const auto stamp = find_stamp(text, {}, []() -> std::optional<WallTime> { return {}; });
  return stamp ? std::optional{stamp->time} : std::nullopt;
}

std::optional<WallTime> sending_time(std::string_view bytes) {
  constexpr std::string_view kSendingTime =
      "\x01"
      "52=";
  const std::size_t at = printing::find_bytes(bytes, kSendingTime);
  if (at == bytes.npos) return std::nullopt;
  const std::string_view value = bytes.substr(at + kSendingTime.size());
  return time_in(value.substr(0, value.find('\x01')));
}

std::optional<WallTime> stamp_of_message(const LogMessage& message) {
  const auto stamp = find_of_message(message);
  return stamp ? std::optional{stamp->time} : std::nullopt;
}

std::optional<WallTime> time_of_message(const LogMessage& message) {
  const auto stamp = find_of_message(message);
  return stamp ? stamp->time : sending_time(message.bytes);
}

const ClockTail& TimeReader::rest_of(std::string_view text) {
  constexpr std::size_t kDecisiveBytes = 16;
  text = text.substr(0, kDecisiveBytes);
  for (const Rest& rest : rests_) {
    if (rest.text == text) return rest.tail;
  }
  Rest& rest = rests_[oldest_rest_];
  oldest_rest_ = 1 - oldest_rest_;
  rest = {std::string{text}, read_after_fraction(text, 0)};
  return rest.tail;
}

std::optional<WallTime> TimeReader::of_message(const LogMessage& message) {
  const std::string_view prefix = message.prefix;
  const bool is_known = !text_.empty() && prefix.size() > text_.size() &&
                        prefix.starts_with(text_) && !is_digit(prefix[text_.size()]);
  if (is_known) {
    const FractionText fraction = read_fraction(prefix, text_.size());
    const ClockTail& tail = rest_of(prefix.substr(fraction.end));
    if (!tail.has_half) {
      time_bytes_ = fraction.end + tail.end;
      return second_ + fraction.value - (tail.zone ? *tail.zone : usual_zone(message));
    }
  }
  time_bytes_ = 0;
  text_.clear();
  const auto stamp = find_of_message(message);
  if (!stamp) return sending_time(message.bytes);
  if (stamp->begin > 0 || stamp->clock_end == 0) return stamp->time;
  const ClockTail tail = read_clock_tail(prefix, stamp->clock_end);
  text_ = prefix.substr(0, stamp->clock_end);
  second_ = stamp->time - tail.fraction + tail.zone.value_or(usual_zone(message));
  return stamp->time;
}

std::optional<WallTime> read_time(std::string_view text) {
  for (const std::string_view clock : {"", " 00:00:00"}) {
    const std::string whole = std::string{text} + std::string{clock};
    const auto stamp = find_stamp(whole, {}, []() -> std::optional<WallTime> { return {}; });
    if (stamp && stamp->begin == 0 && stamp->end == whole.size()) return stamp->time;
  }
  return std::nullopt;
}

LoggedDirection direction_in(std::string_view prefix) {
  for (std::size_t at = 0; at < prefix.size();) {
    if (!is_letter(prefix[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < prefix.size() && is_letter(prefix[end])) ++end;
    const std::string_view word = prefix.substr(at, end - at);
    for (const DirectionWord& known : kDirectionWords) {
      if (equals_ignoring_case(word, known.word)) {
        return known.direction;
      }
    }
    at = end;
  }
  return arrow_in(prefix);
}

LoggedDirection TimeReader::direction(std::string_view prefix) {
  if (time_bytes_ == 0) return direction_in(prefix);
  const std::string_view text = prefix.substr(std::min(time_bytes_, prefix.size()));
  for (const Words& words : words_) {
    if (words.text == text) return words.direction;
  }
  constexpr std::size_t kWordsBytesMax = 256;
  const LoggedDirection direction = direction_in(prefix);
  if (text.size() <= kWordsBytesMax) {
    words_[oldest_words_] = {std::string{text}, direction};
    oldest_words_ = 1 - oldest_words_;
  }
  return direction;
}

}  // namespace nexusfix::logs
