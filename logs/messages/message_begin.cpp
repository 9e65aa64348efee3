#include "logs/messages/message_begin.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "base/api/ascii.hpp"

namespace nexusfix::printing {
namespace {

constexpr std::string_view kBodyLength = "9=";
constexpr std::string_view kMsgType = "35=";
constexpr std::size_t kBeginStringBytesMax = 32;
// A complete message has more. Fewer bytes are not enough to decide.
constexpr std::size_t kDecidingBytesMin = 24;
// The separators of a message whose BodyLength is not in its place.
constexpr std::string_view kCommonSeparators[] = {"\x01", "|", "^A"};

bool is_version_character(char c) { return is_alphanumeric(c) || c == '.' || c == '_'; }

// The size of `8=FIX.4.4`, `8=FIXT.1.1` or `8=FIX.5.0SP2` at the beginning of the text; 0: none of
// these.
std::size_t exact_size(std::string_view text) {
  std::size_t at = std::string_view{"8=FIX"}.size();
  const auto is_number = [&](std::size_t place) {
    return place < text.size() && is_digit(text[place]);
  };
  if (text.substr(at).starts_with('T')) ++at;
  for (int i = 0; i < 2; ++i, at += 2) {
    if (!text.substr(std::min(at, text.size())).starts_with('.') || !is_number(at + 1)) return 0;
  }
  return text.substr(at).starts_with("SP") && is_number(at + 2) ? at + 3 : at;
}

// For any BeginString: the longest text that may be one.
std::size_t loose_size(std::string_view text) {
  text = text.substr(0, kBeginStringBytesMax);
  const std::string_view::const_iterator end =
      std::find_if_not(text.begin() + 2, text.end(), is_version_character);
  return static_cast<std::size_t>(end - text.begin());
}

// A separator must differ from a tag or a number. It contains the end of a line only if each field
// has its own line.
bool can_separate(std::string_view text) {
  if (text.empty() || is_digit(text.front()) || text.contains('=')) return false;
  return text.find_first_of("\r\n") == text.npos || text == "\n" || text == "\r\n" || text == "\r";
}

// Whether BodyLength and MsgType follow with these separators. Nothing: more bytes are needed.
std::optional<bool> goes_on(std::string_view rest, std::string_view separator, bool is_all) {
  const auto has = [&](std::string_view expected) -> std::optional<bool> {
    const std::string_view found = rest.substr(0, expected.size());
    if (found != expected) {
      return expected.starts_with(found) && !is_all ? std::nullopt : std::optional{false};
    }
    rest.remove_prefix(expected.size());
    return true;
  };
  for (const std::string_view expected : {separator, kBodyLength}) {
    if (const auto here = has(expected); here != true) return here;
  }
  constexpr std::size_t kDigitsMax = 20;
  std::size_t digits = 0;
  while (digits < rest.size() && digits <= kDigitsMax && is_digit(rest[digits])) ++digits;
  if (digits == rest.size() && !is_all) return std::nullopt;
  if (digits == 0 || digits > kDigitsMax) return false;
  rest.remove_prefix(digits);
  for (const std::string_view expected : {separator, kMsgType}) {
    if (const auto here = has(expected); here != true) return here;
  }
  return true;
}

MessageBegin found(std::string_view text, std::size_t size, std::string_view separator,
                   Evidence wanted, bool is_all) {
  using Kind = MessageBegin::Kind;
  if (wanted == Evidence::Fields) {
    const auto certain = goes_on(text.substr(size), separator, is_all);
    if (!certain) return {.kind = Kind::Undecided};
    if (!*certain) return {};
  }
  return {.kind = Kind::Found, .size = size, .separator = separator};
}

// The separator is the text between BeginString and BodyLength. If it has more than one byte, it
// must occur again.
MessageBegin shown(std::string_view text, std::size_t size, Evidence wanted, bool is_all) {
  const std::string_view rest = text.substr(size);
  const std::size_t end = rest.substr(0, kSeparatorBytesMax + kBodyLength.size()).find(kBodyLength);
  const std::string_view separator = rest.substr(0, end == rest.npos ? 0 : end);
  if (!can_separate(separator)) return {};
  return found(text, size, separator, separator.size() > 1 ? Evidence::Fields : wanted, is_all);
}

// Tries these separators after any BeginString. Any text may follow.
template <class Separators>
MessageBegin one_of(std::string_view text, std::size_t size, const Separators& separators,
                    Evidence wanted, bool is_all) {
  const std::string_view rest = text.substr(0, kBeginStringBytesMax).substr(size);
  for (const std::string_view separator : separators) {
    if (rest.starts_with(separator)) {
      return found(text, size, separator, wanted, is_all);
    }
    const bool may_come = separator.starts_with(rest) && text.size() < kBeginStringBytesMax;
    if (may_come && !is_all) return {.kind = MessageBegin::Kind::Undecided};
  }
  return {};
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char small = static_cast<char>(c | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

}  // namespace

MessageBegin recognise_begin(std::string_view text, std::string_view delimiter, Evidence wanted,
                             bool is_all) {
  text = text.substr(0, kRecognisedBytesMax);
  is_all = is_all || text.size() == kRecognisedBytesMax;
  if (!is_all && text.size() < kDecidingBytesMin) return {.kind = MessageBegin::Kind::Undecided};
  const std::size_t exact = exact_size(text);
  if (!delimiter.empty()) {
    if (exact > 0 && text.substr(exact).starts_with(delimiter)) {
      return found(text, exact, delimiter, wanted, is_all);
    }
    return one_of(text, loose_size(text), std::initializer_list{delimiter}, wanted, is_all);
  }
  if (exact > 0) {
    const MessageBegin begin = shown(text, exact, wanted, is_all);
    if (begin.kind != MessageBegin::Kind::None) return begin;
  }
  return one_of(text, loose_size(text), kCommonSeparators, wanted, is_all);
}

std::expected<std::string, std::string> read_delimiter(std::string_view text) {
  const auto wrong = [&] {
    return std::unexpected{
        std::string{text} +
        ": a separator of 1 to 8 bytes was expected, such as `;`, SOH, \\x01 or \\t. It does not "
        "begin with a digit, and has no `=`"};
  };
  if (text == "SOH") return "\x01";
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      bytes += text[at];
      continue;
    }
    const char escape = text[++at];
    constexpr std::string_view kEscapes = "tnr\\";
    constexpr std::string_view kMeanings = "\t\n\r\\";
    if (const std::size_t known = kEscapes.find(escape); known != kEscapes.npos) {
      bytes += kMeanings[known];
      continue;
    }
    const int high = at + 2 < text.size() ? hex_digit(text[at + 1]) : -1;
    const int low = at + 2 < text.size() ? hex_digit(text[at + 2]) : -1;
    if (escape != 'x' || high < 0 || low < 0) return wrong();
    bytes += static_cast<char>(high * 16 + low);
    at += 2;
  }
  if (bytes.size() > kSeparatorBytesMax || !can_separate(bytes)) return wrong();
  return bytes;
}

}  // namespace nexusfix::printing
