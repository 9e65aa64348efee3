// Finds messages in text: in a log with one or more messages in a line and any text before them, or
// in the raw bytes of a session.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logs/messages/message_begin.hpp"

namespace nexusfix::logs {
class LogTimes;
}

namespace nexusfix::printing {

// The scanner sets the first three. bytes and prefix are valid until its next call.
struct ScannedMessage {
  std::string_view bytes{};  // with SOH after each field, in place of the separator
  // The text before it in its line, without the word ESCAPED; with the line before, if that one
  // announces the message.
  std::string_view prefix{};
  std::uint64_t offset = 0;  // in all bytes that were fed; of an escaped line: of the line
  std::size_t file = 0;      // of several: position in their list
  std::string_view path{};   // of that file
  // From the message to the end of the bytes that were read so far, for one search over many
  // messages; empty: there is none. text_id: while it is the same, so are these bytes.
  std::string_view ahead{};
  std::uint64_t text_id = 0;
  logs::LogTimes* times = nullptr;  // of the request; null: as LogTimes{}
};

// The number of bytes in memory: another one when they change or move. Any thread.
[[nodiscard]] std::uint64_t new_text_id() noexcept;

// Each message shows its separator: the text between BeginString and `9=`. A message ends with the
// CheckSum field that its BodyLength points to; otherwise with the first CheckSum field; otherwise
// it is cut off and ends with its line, before the next message, or at kMessageBytesMax. A line of
// our own log with the mark ESCAPED is converted to its original bytes. Keeps at most one message
// and one chunk in memory.
class MessageScanner {
 public:
  static constexpr std::size_t kMessageBytesMax = 1U << 20U;

  // Places that begin with `8=FIX` and are no message, and messages with a fault.
  struct Skipped {
    struct Broken {
      std::uint64_t offset = 0;
      bool is_message = false;
      std::string text{};  // its first bytes
    };
    static constexpr std::size_t kShownMax = 1000;

    std::uint64_t count = 0;
    std::uint64_t first_offset = 0;  // in all bytes that were fed
    std::uint64_t too_long = 0;      // messages that end at kMessageBytesMax
    std::uint64_t first_too_long = 0;
    std::uint64_t cut = 0;        // messages that do not end where their BodyLength says
    std::vector<Broken> shown{};  // the first places and messages that are cut, in order

    // Adds those of a text that begins at base.
    void add(const Skipped& more, std::uint64_t base);
    // All of them are at one offset.
    void add_at(Skipped more, std::uint64_t offset);
  };

  // delimiter: the only separator of fields; empty: each message shows its own.
  explicit MessageScanner(std::string delimiter = {}) : delimiter_{std::move(delimiter)} {}

  void feed(std::string_view bytes);
  // Feeds up to size_max bytes without a copy. read(span<char>) writes them, and returns their
  // number. Returns that number.
  template <class Read>
  std::size_t feed_from(std::size_t size_max, Read read);
  void finish() { finished_ = true; }
  // Begins another text. Keeps the memory of its buffers.
  void reset();
  // False: the bytes that were fed so far have no complete message, and to is undefined. In place:
  // a copy of views that were just written waits for the writes.
  [[nodiscard]] bool next(ScannedMessage& to);
  [[nodiscard]] std::optional<ScannedMessage> next() {
    std::optional<ScannedMessage> message{std::in_place};
    if (!next(*message)) message.reset();
    return message;
  }
  [[nodiscard]] const Skipped& skipped() const noexcept { return skipped_; }
  // Bytes of a message that is not complete, or that may belong to one. After next() found nothing.
  [[nodiscard]] std::size_t held_bytes() const noexcept { return buffer_.size() - at_; }

 private:
  struct Extent {
    std::size_t size = 0;  // in the buffer
    bool complete = true;  // false: more bytes are needed
  };
  // How far the end of a message was searched: from its beginning, to the first place where a
  // separator, and the next message, may begin.
  struct Search {
    std::uint64_t message = 0;  // its offset in all bytes
    std::size_t separators_from = 0;
    std::size_t begins_from = 0;
  };
  enum class LineState : std::uint8_t { Plain, Escaped, Incomplete };

  [[nodiscard]] bool find_next(ScannedMessage& to);
  [[nodiscard]] std::size_t last_line_begin() const;
  void add_line_before(std::size_t after_last, ScannedMessage& to);
  [[nodiscard]] bool next_of_line(ScannedMessage& to);
  [[nodiscard]] bool next_usual(std::size_t at, ScannedMessage& to);
  [[nodiscard]] bool read_usual(std::size_t at, std::string_view front, ScannedMessage& to);
  [[nodiscard]] bool next_after_usual_text(ScannedMessage& to);
  [[nodiscard]] bool begins_usually(std::string_view text) const noexcept;
  [[nodiscard]] std::size_t usual_size(std::string_view text) const noexcept;
  void take(std::size_t at, std::size_t size, const MessageBegin& begin, std::string_view prefix,
            ScannedMessage& to);
  void remember(std::size_t at, const MessageBegin& begin);
  void forget_messages();
  [[nodiscard]] LineState open_escaped_line(std::size_t begin);
  [[nodiscard]] bool is_in_plain_line(std::size_t begin);
  [[nodiscard]] std::string_view line_before(std::size_t begin) const;
  [[nodiscard]] bool is_after_digit(std::size_t at) const noexcept;
  [[nodiscard]] MessageBegin recognise(std::size_t at) const;
  void skip(std::size_t at);
  void show(std::size_t at, bool is_message);
  [[nodiscard]] std::size_t line_end(std::size_t begin);
  // at: the message's beginning in the buffer. text: from there to the end of the buffer.
  [[nodiscard]] Extent extent(std::size_t at, const MessageBegin& begin);
  [[nodiscard]] std::optional<Extent> by_body_length(std::size_t at, const MessageBegin& begin);
  [[nodiscard]] Extent by_search(std::size_t at, std::size_t line_size, const MessageBegin& begin);
  [[nodiscard]] std::optional<Extent> by_check_sum(std::string_view text, const MessageBegin& begin,
                                                   std::size_t& from, std::size_t limit) const;
  [[nodiscard]] Extent before_next(std::string_view text, const MessageBegin& begin,
                                   std::size_t from, Extent found, bool is_all) const;
  [[nodiscard]] std::string_view converted(std::string_view text, const MessageBegin& begin);
  void forget_before(std::size_t position);

  std::string delimiter_;
  std::string buffer_;
  std::string usual_;  // how the last message began, up to BodyLength; empty: unusually
  // The bytes between messages: the two sizes seen last. IN and OUT take turns in many logs.
  std::array<std::size_t, 2> usual_fronts_{};
  std::uint64_t text_id_ = 0;
  std::uint64_t base_ = 0;   // the offset of the buffer in all bytes that were fed
  bool starts_line_ = true;  // the buffer begins with a line
  std::size_t at_ = 0;       // after the last message
  std::size_t tried_ = 0;    // no message begins before this place
  bool finished_ = false;
  // No line ends between these two places.
  std::size_t searched_from_ = 0;
  std::size_t searched_to_ = 0;
  std::optional<Search> search_;
  std::string converted_;
  std::string other_;
  std::string joined_;  // a prefix of two lines
  Skipped skipped_;

  bool is_escaped_line_ = false;          // a line feed is a byte of a value
  std::optional<std::size_t> plain_;      // the line of this place does not have the mark
  std::unique_ptr<MessageScanner> line_;  // reads an escaped one
  std::string mark_;                      // its prefix, until its first message
  std::uint64_t line_offset_ = 0;
};

template <class Read>
std::size_t MessageScanner::feed_from(std::size_t size_max, Read read) {
  forget_messages();
  std::size_t got = 0;
  const std::size_t before = buffer_.size();
  buffer_.resize_and_overwrite(before + size_max, [&](char* data, std::size_t) {
    got = read(std::span<char>{data + before, size_max});
    return before + got;
  });
  return got;
}

}  // namespace nexusfix::printing
