// Recognises the beginning of a message in a text, and the separator of its fields, which the
// message itself shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace nexusfix::printing {

inline constexpr std::size_t kSeparatorBytesMax = 8;
// More bytes than these do not change the result of recognise_begin().
inline constexpr std::size_t kRecognisedBytesMax = 64;

struct MessageBegin {
  enum class Kind : std::uint8_t {
    None,       // no message begins here
    Undecided,  // more bytes are needed
    Found,
  };
  Kind kind = Kind::None;
  std::size_t size = 0;          // of `8=FIX.4.4`, without the separator
  std::string_view separator{};  // a view of the text, of the delimiter, or of a constant
};

enum class Evidence : std::uint8_t {
  Separator,  // after the version
  Fields,     // and BodyLength and MsgType between such separators: no coincidence
};

// text: from `8=FIX` on. delimiter: the separator; empty: the text shows it, by one or more bytes
// before `9=`, or else by SOH, `|` or `^A`. is_all: no more bytes will come.
[[nodiscard]] MessageBegin recognise_begin(std::string_view text, std::string_view delimiter,
                                           Evidence wanted, bool is_all);

// Reads the value of `--delimiter`: `;`, `SOH`, `\x01`, `\t`. The error says what was expected.
[[nodiscard]] std::expected<std::string, std::string> read_delimiter(std::string_view text);

}  // namespace nexusfix::printing
