// Finds messages in text: in a log with a message or more a line and anything in front of it, or in
// the raw bytes of a session.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nexusfix::printing {

struct ScannedMessage {
  std::string bytes;   // with SOH behind each field, whatever stood between them
  std::string prefix;  // what stood in front of it in its line
};

// Fields may be separated by SOH, by `|`, or by `^A` (two characters); each message tells by what
// follows its BeginString. A message ends with the CheckSum field that its BodyLength points to;
// else with the first CheckSum field; else, cut off, with its line, in front of the next message,
// or at kMessageBytesMax. Keeps no more than one message and one chunk in memory.
class MessageScanner {
 public:
  static constexpr std::size_t kMessageBytesMax = 1U << 20U;

  void feed(std::string_view bytes) { buffer_.append(bytes); }
  void finish() { finished_ = true; }
  // Nothing: there is no whole message in what was fed so far.
  [[nodiscard]] std::optional<ScannedMessage> next();

 private:
  struct Extent {
    std::size_t size = 0;  // in the buffer
    bool complete = true;  // false: more bytes are needed
  };

  [[nodiscard]] std::size_t find_begin(std::size_t from) const;
  [[nodiscard]] std::optional<std::string_view> separator_at(std::size_t begin) const;
  [[nodiscard]] std::size_t line_end(std::size_t begin);
  [[nodiscard]] Extent extent(std::size_t begin, std::string_view separator);
  // text: from the message's begin to the end of the buffer; line_size: of it, to the line's end.
  [[nodiscard]] std::optional<Extent> by_body_length(std::string_view text, std::size_t line_size,
                                                     std::string_view separator) const;
  [[nodiscard]] Extent by_search(std::string_view text, std::size_t line_size,
                                 std::string_view separator) const;
  [[nodiscard]] ScannedMessage take(std::size_t begin, std::size_t size,
                                    std::string_view separator);
  void forget_before(std::size_t position);

  std::string buffer_;
  std::size_t at_ = 0;  // where the search goes on
  bool finished_ = false;
  // No line ends between these two places.
  std::size_t searched_from_ = 0;
  std::size_t searched_to_ = 0;
};

}  // namespace nexusfix::printing
