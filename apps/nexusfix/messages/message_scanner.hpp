// Finds messages in text: in a log with a message or more a line and anything before it, or in the
// raw bytes of a session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "nexusfix/messages/message_begin.hpp"

namespace nexusfix::printing {

// Both live until the scanner is asked or fed again.
struct ScannedMessage {
  std::string_view bytes{};   // with SOH after each field, whatever stood between them
  std::string_view prefix{};  // what stands before it in its line
};

// Each message tells what separates its fields: the text between BeginString and `9=`. A message
// ends with the CheckSum field that its BodyLength points to; else with the first CheckSum field;
// else, cut off, with its line, before the next message, or at kMessageBytesMax. A line of our own
// log that is marked ESCAPED is read as the bytes that it stands for. Keeps no more than one
// message and one chunk in memory.
class MessageScanner {
 public:
  static constexpr std::size_t kMessageBytesMax = 1U << 20U;

  // Places that begin with `8=FIX` and are no message.
  struct Skipped {
    std::uint64_t count = 0;
    std::uint64_t first_offset = 0;  // in all that was fed
  };

  // delimiter: what separates fields, and nothing else does; empty: what each message shows.
  explicit MessageScanner(std::string delimiter = {}) : delimiter_{std::move(delimiter)} {}

  void feed(std::string_view bytes);
  void finish() { finished_ = true; }
  // Nothing: there is no whole message in what was fed so far.
  [[nodiscard]] std::optional<ScannedMessage> next();
  [[nodiscard]] const Skipped& skipped() const noexcept { return skipped_; }

 private:
  struct Extent {
    std::size_t size = 0;  // in the buffer
    bool complete = true;  // false: more bytes are needed
  };
  enum class LineState : std::uint8_t { Plain, Escaped, Incomplete };

  [[nodiscard]] std::optional<ScannedMessage> next_of_line();
  [[nodiscard]] LineState open_escaped_line(std::size_t begin);
  [[nodiscard]] bool is_in_plain_line(std::size_t begin);
  [[nodiscard]] std::string_view line_before(std::size_t begin) const;
  [[nodiscard]] MessageBegin recognise(std::size_t at) const;
  void skip(std::size_t at);
  [[nodiscard]] std::size_t line_end(std::size_t begin);
  [[nodiscard]] Extent extent(std::size_t at, const MessageBegin& begin);
  // text: from the message's beginning to the end of the buffer.
  [[nodiscard]] std::optional<Extent> by_body_length(std::string_view text,
                                                     const MessageBegin& begin) const;
  [[nodiscard]] Extent by_search(std::string_view text, std::size_t line_size,
                                 const MessageBegin& begin) const;
  [[nodiscard]] Extent before_next(std::string_view text, const MessageBegin& begin, Extent found,
                                   bool is_all) const;
  [[nodiscard]] std::string_view converted(std::string_view text, const MessageBegin& begin);
  void forget_before(std::size_t position);

  std::string delimiter_;
  std::string buffer_;
  std::uint64_t base_ = 0;   // where the buffer begins in all that was fed
  bool starts_line_ = true;  // the buffer does
  std::size_t at_ = 0;       // after the last message
  std::size_t tried_ = 0;    // no message begins before this place
  bool finished_ = false;
  // No line ends between these two places.
  std::size_t searched_from_ = 0;
  std::size_t searched_to_ = 0;
  std::string converted_;
  std::string other_;
  Skipped skipped_;

  bool reads_marks_ = true;
  std::optional<std::size_t> plain_;      // its line is not marked
  std::unique_ptr<MessageScanner> line_;  // reads an escaped one
  std::string mark_;                      // of it, until its first message
  std::uint64_t line_offset_ = 0;
};

}  // namespace nexusfix::printing
