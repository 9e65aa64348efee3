#include "nexusfix/logs/source/log_time.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include <nexusfix/base/ascii.hpp>

#include "nexusfix/messages/find_bytes.hpp"

namespace nexusfix::logs {
namespace {

constexpr std::size_t kClockBytes = 8;  // 10:30:00

// The number that these digits are; nothing: one is no digit.
std::optional<unsigned> digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at > text.size() || text.size() - at < count) return std::nullopt;
  unsigned number = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (!is_digit(text[i])) return std::nullopt;
    number = number * 10 + static_cast<unsigned>(text[i] - '0');
  }
  return number;
}

// The date that ends at this place: 20240115, 2024-01-15 or 2024/01/15.
std::optional<std::chrono::sys_days> date_before(std::string_view text, std::size_t end) {
  constexpr std::size_t kPlain = 8;
  constexpr std::size_t kDivided = 10;
  std::optional<unsigned> year;
  std::optional<unsigned> month;
  std::optional<unsigned> day;
  if (end >= kDivided && (text[end - 3] == '-' || text[end - 3] == '/') &&
      text[end - 6] == text[end - 3]) {
    year = digits(text, end - kDivided, 4);
    month = digits(text, end - 5, 2);
    day = digits(text, end - 2, 2);
  } else if (end >= kPlain) {
    year = digits(text, end - kPlain, 4);
    month = digits(text, end - 4, 2);
    day = digits(text, end - 2, 2);
  }
  constexpr unsigned kYearMax = 2261;  // of a WallTime
  if (!year || !month || !day || *year > kYearMax || *year < 1970) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(*year)},
                                         std::chrono::month{*month}, std::chrono::day{*day}};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days{date};
}

// The fraction of a second that begins here, and its bytes.
struct Fraction {
  std::chrono::nanoseconds value{};
  std::size_t size = 0;
};

Fraction read_fraction(std::string_view text, std::size_t at) {
  if (at >= text.size() || (text[at] != '.' && text[at] != ',')) return {};
  constexpr std::array<std::int64_t, 10> kUnits{
      1'000'000'000, 100'000'000, 10'000'000, 1'000'000, 100'000, 10'000, 1000, 100, 10, 1};
  const std::string_view rest = text.substr(at + 1);
  std::int64_t value = 0;
  std::size_t digits = 0;
  for (; digits < rest.size() && digits + 1 < kUnits.size() && is_digit(rest[digits]); ++digits) {
    value = value * 10 + (rest[digits] - '0');
  }
  if (digits == 0) return {};
  return {std::chrono::nanoseconds{value * kUnits[digits]}, digits + 1};
}

std::chrono::nanoseconds fraction_at(std::string_view text, std::size_t at) {
  return read_fraction(text, at).value;
}

// The time of day that begins here, and the date before it.
std::optional<WallTime> time_at(std::string_view text, std::size_t at) {
  const auto hour = digits(text, at, 2);
  const auto minute = digits(text, at + 3, 2);
  const auto second = digits(text, at + 6, 2);
  constexpr unsigned kSecondMax = 60;  // a leap second
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > kSecondMax ||
      at == 0) {
    return std::nullopt;
  }
  const char between = text[at - 1];
  if (between != '-' && between != ' ' && between != 'T') return std::nullopt;
  const auto date = date_before(text, at - 1);
  if (!date) return std::nullopt;
  return WallTime{*date + std::chrono::hours{*hour} + std::chrono::minutes{*minute} +
                  std::chrono::seconds{*second} + fraction_at(text, at + kClockBytes)};
}

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

}  // namespace

std::optional<WallTime> time_in(std::string_view text) {
  constexpr std::size_t kHourBytes = 2;
  for (std::size_t colon = text.find(':'); colon != text.npos; colon = text.find(':', colon + 1)) {
    if (colon < kHourBytes || colon + 3 >= text.size() || text[colon + 3] != ':') continue;
    if (const auto time = time_at(text, colon - kHourBytes)) return time;
  }
  return std::nullopt;
}

std::optional<WallTime> time_of_message(std::string_view prefix, std::string_view bytes) {
  if (const auto time = time_in(prefix)) return time;
  constexpr std::string_view kSendingTime =
      "\x01"
      "52=";
  const std::size_t at = printing::find_bytes(bytes, kSendingTime);
  if (at == bytes.npos) return std::nullopt;
  const std::string_view value = bytes.substr(at + kSendingTime.size());
  return time_in(value.substr(0, value.find('\x01')));
}

std::optional<WallTime> TimeReader::of_message(std::string_view prefix, std::string_view bytes) {
  if (!text_.empty() && prefix.starts_with(text_)) {
    const Fraction fraction = read_fraction(prefix, text_.size());
    time_bytes_ = text_.size() + fraction.size;
    return second_ + fraction.value;
  }
  time_bytes_ = 0;
  text_.clear();
  const auto time = time_of_message(prefix, bytes);
  constexpr std::size_t kHourBytes = 2;
  const std::size_t colon = prefix.find(':');
  if (!time || colon == prefix.npos || colon < kHourBytes) return time;
  // The date begins the text: no earlier time can be in another text that begins like it.
  const std::size_t date = colon - kHourBytes - 1;
  if (date != 8 && date != 10) return time;
  const std::string_view text = prefix.substr(0, colon - kHourBytes + kClockBytes);
  if (const auto second = time_in(text)) {
    text_ = text;
    second_ = *second;
  }
  return time;
}

std::optional<WallTime> read_time(std::string_view text) {
  const std::string all{text};
  for (const std::string_view rest : {"", ":00", " 00:00:00"}) {
    const std::string whole = all + std::string{rest};
    const std::size_t colon = whole.find(':');
    if (colon == whole.npos || colon < 2) continue;
    const auto time = time_at(whole, colon - 2);
    if (!time) continue;
    std::size_t end = colon - 2 + kClockBytes;
    if (end < whole.size() && (whole[end] == '.' || whole[end] == ',')) {
      ++end;
      while (end < whole.size() && is_digit(whole[end])) ++end;
    }
    if (end < whole.size() && whole[end] == 'Z') ++end;
    const std::size_t date_bytes = colon - 3;
    if (end == whole.size() && (date_bytes == 8 || date_bytes == 10)) return time;
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
      if (word.size() == known.word.size() &&
          std::ranges::equal(word, known.word, [](char a, char b) { return to_lower(a) == b; })) {
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
