// When a message was logged or sent.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "logs/source/log_message.hpp"
#include "logs/source/log_stamp.hpp"

namespace nexusfix::logs {

// How a request reads the stamps before its messages, and what it cannot read of them. Any thread.
class LogTimes {
 public:
  LogTimes() = default;
  explicit LogTimes(StampStyle style) : style_{std::move(style)} {}

  [[nodiscard]] const StampStyle& style() const noexcept { return style_; }
  // The text before this message seems to have a stamp, and none was found.
  void add_unread(const LogMessage& message);
  // The first stamp of a file that names no zone. It may be hours away from its SendingTime.
  void compare_zone(const LogMessage& message, const Stamp& stamp);
  // What was not said before, one line each.
  [[nodiscard]] std::vector<std::string> consume_notes();

 private:
  StampStyle style_;
  std::atomic<bool> is_unread_known_ = false;
  std::atomic<std::size_t> compared_files_ = 0;
  std::mutex mutex_;  // guards the others
  bool is_zone_known_ = false;
  std::vector<std::string> notes_;
};

// The stamp in a text, without help from a SendingTime.
[[nodiscard]] std::optional<WallTime> time_in(std::string_view text);

// SendingTime (52). bytes: with SOH.
[[nodiscard]] std::optional<WallTime> sending_time(std::string_view bytes);

// The stamp in the text before a message, or else its SendingTime.
[[nodiscard]] std::optional<WallTime> time_of_message(const LogMessage& message);
// Only the stamp.
[[nodiscard]] std::optional<WallTime> stamp_of_message(const LogMessage& message);

// Reads the value of --from or --to: a stamp with a date, also without a clock. In UTC if it names
// no zone.
[[nodiscard]] std::optional<WallTime> read_time(std::string_view text);

enum class LoggedDirection : std::uint8_t { Unknown, In, Out };
// By a word before the message in its line: IN, OUT, incoming, outgoing, received, sent. Without
// one, by an arrow that stands alone: `->` is sent, `<-` is received.
[[nodiscard]] LoggedDirection direction_in(std::string_view prefix);

// Reads the times of many messages: a line of a log most often begins with the same second as the
// line before it.
class TimeReader {
 public:
  // As time_of_message().
  [[nodiscard]] std::optional<WallTime> of_message(const LogMessage& message);
  // As direction_in(), of the prefix of the last of_message().
  [[nodiscard]] LoggedDirection direction(std::string_view prefix);

 private:
  // The words after a time, and what they mean. IN and OUT take turns in many logs.
  struct Words {
    std::string text{};
    LoggedDirection direction = LoggedDirection::Unknown;
  };

  // The text after the fraction of a second, and its AM, PM or zone.
  struct Rest {
    std::string text{};
    ClockTail tail{};
  };
  [[nodiscard]] const ClockTail& rest_of(std::string_view text);

  std::string text_;   // the date and the time of day, to the second; empty: not at the beginning
  WallTime second_{};  // as if in UTC
  std::size_t time_bytes_ = 0;  // of the last prefix, if its time was known: the whole stamp
  std::array<Rest, 2> rests_{};
  std::size_t oldest_rest_ = 0;
  std::array<Words, 2> words_{};
  std::size_t oldest_words_ = 0;
};

}  // namespace nexusfix::logs
