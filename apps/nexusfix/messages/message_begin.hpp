// How a message in a text begins, and what stands between its fields: the message itself tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace nexusfix::printing {

inline constexpr std::size_t kSeparatorBytesMax = 8;
// More of a text does not change what recognise_begin() says of it.
inline constexpr std::size_t kRecognisedBytesMax = 64;

struct MessageBegin {
  enum class Kind : std::uint8_t {
    None,       // no message begins here
    Undecided,  // more bytes are needed
    Found,
  };
  Kind kind = Kind::None;
  std::size_t size = 0;          // of `8=FIX.4.4`, without the separator
  std::string_view separator{};  // lies in the text, or is the delimiter, or lives for ever
};

enum class Evidence : std::uint8_t {
  Separator,  // after the version
  Fields,     // and BodyLength and MsgType between such separators: this is no chance
};

// text: from `8=FIX` on. delimiter: the separator; empty: whatever the text shows, which is one
// byte or several before `9=`, or else SOH, `|` or `^A`. is_all: no more bytes will come.
[[nodiscard]] MessageBegin recognise_begin(std::string_view text, std::string_view delimiter,
                                           Evidence wanted, bool is_all);

// What `--delimiter` says: `;`, `SOH`, `\x01`, `\t`. The error says what was expected.
[[nodiscard]] std::expected<std::string, std::string> read_delimiter(std::string_view text);

}  // namespace nexusfix::printing
