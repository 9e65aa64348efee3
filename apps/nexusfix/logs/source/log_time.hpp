// When a message was logged or sent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/base/time.hpp>

namespace nexusfix::logs {

// The first time with a date in a text, in UTC: 20240115-10:30:00.123, 2024-01-15 10:30:00,123,
// 2024-01-15T10:30:00Z or 2024/01/15 10:30:00, with 0 to 9 digits after the second.
[[nodiscard]] std::optional<WallTime> time_in(std::string_view text);

// The time before a message in its line, or else its SendingTime (52). bytes: with SOH.
[[nodiscard]] std::optional<WallTime> time_of_message(std::string_view prefix,
                                                      std::string_view bytes);

// Reads the value of --from or --to: one of the forms above, also without seconds, or a date alone.
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
  [[nodiscard]] std::optional<WallTime> of_message(std::string_view prefix, std::string_view bytes);
  // As direction_in(), of the prefix of the last of_message().
  [[nodiscard]] LoggedDirection direction(std::string_view prefix);

 private:
  // The words after a time, and what they mean. IN and OUT take turns in many logs.
  struct Words {
    std::string text{};
    LoggedDirection direction = LoggedDirection::Unknown;
  };

  std::string text_;  // the date and the time of day, to the second; empty: not at the beginning
  WallTime second_{};
  std::size_t time_bytes_ = 0;  // of the last prefix, if its time was known: with its fraction
  std::array<Words, 2> words_{};
  std::size_t oldest_words_ = 0;
};

}  // namespace nexusfix::logs
