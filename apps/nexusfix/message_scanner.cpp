#include "nexusfix/message_scanner.hpp"

#include <algorithm>
#include <charconv>

namespace nexusfix::printing {
namespace {

constexpr std::string_view kBegin = "8=FIX";
constexpr std::string_view kCheckSum = "10=";
constexpr std::size_t kPrefixBytesMax = 4096;
constexpr std::size_t kBeginStringBytesMax = 32;
constexpr std::string_view kSeparators[] = {"\x01", "|", "^A"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_version_character(char c) {
  return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '_';
}

// Behind the digits of the CheckSum field that begins at position at, and its separator. text.npos:
// the text ends before that can be known.
std::size_t end_of_check_sum(std::string_view text, std::size_t at, std::string_view separator) {
  at += kCheckSum.size();
  while (at < text.size() && is_digit(text[at])) ++at;
  const std::string_view rest = text.substr(at, separator.size());
  if (rest == separator) return at + separator.size();
  return separator.starts_with(rest) ? text.npos : at;
}

}  // namespace

// A `8=` behind a digit is the end of another tag, such as 108=.
std::size_t MessageScanner::find_begin(std::size_t from) const {
  for (;; ++from) {
    from = buffer_.find(kBegin, from);
    if (from == buffer_.npos || from == 0 || !is_digit(buffer_[from - 1])) return from;
  }
}

// Empty text: what follows BeginString is no separator. Nothing: it has not arrived.
std::optional<std::string_view> MessageScanner::separator_at(std::size_t begin) const {
  const std::string_view text = std::string_view{buffer_}.substr(begin, kBeginStringBytesMax);
  const auto* const end = std::find_if_not(text.begin() + 2, text.end(), is_version_character);
  const std::string_view rest{end, text.end()};
  for (const std::string_view separator : kSeparators) {
    if (rest.starts_with(separator)) return separator;
    const bool may_come = separator.starts_with(rest) && text.size() < kBeginStringBytesMax;
    if (may_come && !finished_) return std::nullopt;
  }
  return std::string_view{};
}

// The line's end behind begin. What was searched once is not searched again for the next message of
// the same line: a line may be as long as the file.
std::size_t MessageScanner::line_end(std::size_t begin) {
  if (begin < searched_from_ || begin > searched_to_) searched_to_ = begin;
  searched_from_ = begin;
  if (searched_to_ < buffer_.size() && buffer_[searched_to_] == '\n') return searched_to_;
  const std::size_t found = buffer_.find('\n', searched_to_);
  searched_to_ = std::min(found, buffer_.size());
  return found;
}

// Nothing: BodyLength does not lead to a CheckSum field. With `^A` it cannot, because it counts one
// byte a separator.
std::optional<MessageScanner::Extent> MessageScanner::by_body_length(
    std::string_view text, std::size_t line_size, std::string_view separator) const {
  if (separator.size() != 1) return std::nullopt;
  const std::size_t field = text.find(separator) + 1;
  if (!text.substr(field).starts_with("9=")) return std::nullopt;
  std::size_t length = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data() + field + 2, end, length);
  if (fault != std::errc{} || length > kMessageBytesMax) return std::nullopt;
  if (stop == end || *stop != separator.front()) return std::nullopt;
  const std::size_t trailer = static_cast<std::size_t>(stop - text.data()) + 1 + length;
  // A converted message lies within its line, whatever has arrived of what is behind that.
  const bool is_converted = separator != kSeparators[0];
  if (is_converted && trailer + kCheckSum.size() > line_size) return std::nullopt;
  if (trailer + kCheckSum.size() > text.size()) {
    if (finished_) return std::nullopt;
    return Extent{0, false};
  }
  if (text[trailer - 1] != separator.front() || !text.substr(trailer).starts_with(kCheckSum)) {
    return std::nullopt;
  }
  const std::size_t size = end_of_check_sum(text, trailer, separator);
  if (size != text.npos) return Extent{size, true};
  return Extent{text.size(), finished_};
}

MessageScanner::Extent MessageScanner::by_search(std::string_view text, std::size_t line_size,
                                                 std::string_view separator) const {
  std::size_t limit = std::min(line_size, kMessageBytesMax);
  const bool limited = limit <= text.size();
  limit = std::min(limit, text.size());
  for (std::size_t at = 0; (at = text.find(separator, at)) < limit;) {
    at += separator.size();
    const std::string_view rest = text.substr(at);
    if (rest.starts_with(kBegin)) return {at, true};
    if (!rest.starts_with(kCheckSum)) continue;
    const std::size_t size = end_of_check_sum(text, at, separator);
    if (size != text.npos) return {size, true};
    return {text.size(), finished_};
  }
  return {limit, limited || finished_};
}

MessageScanner::Extent MessageScanner::extent(std::size_t begin, std::string_view separator) {
  const std::size_t end = line_end(begin);
  const std::size_t line_size = end == buffer_.npos ? end : end - begin;
  const std::string_view text = std::string_view{buffer_}.substr(begin);
  if (const auto extent = by_body_length(text, line_size, separator)) return *extent;
  return by_search(text, line_size, separator);
}

void MessageScanner::forget_before(std::size_t position) {
  buffer_.erase(0, position);
  at_ -= std::min(at_, position);
  searched_from_ = 0;
  searched_to_ = 0;
}

ScannedMessage MessageScanner::take(std::size_t begin, std::size_t size,
                                    std::string_view separator) {
  ScannedMessage message;
  const std::size_t prefix = std::max(at_, begin - std::min(begin, kPrefixBytesMax));
  const std::string_view front = std::string_view{buffer_}.substr(prefix, begin - prefix);
  message.prefix = front.substr(front.rfind('\n') + 1);
  std::string_view text = std::string_view{buffer_}.substr(begin, size);
  if (text.ends_with('\r')) text.remove_suffix(1);  // of a line that was cut off
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    message.bytes.append(text.substr(at, end - at)).push_back('\x01');
    at = end + separator.size();
  }
  at_ = begin + size;
  return message;
}

std::optional<ScannedMessage> MessageScanner::next() {
  for (std::size_t from = at_;;) {
    const std::size_t begin = find_begin(from);
    if (begin == buffer_.npos) {
      // Only the last line's front may still become a prefix.
      const std::size_t keep = std::max(buffer_.rfind('\n') + 1, at_);
      forget_before(std::max(keep, buffer_.size() - std::min(buffer_.size(), kPrefixBytesMax)));
      return std::nullopt;
    }
    const std::optional<std::string_view> separator = separator_at(begin);
    if (!separator) return std::nullopt;
    if (separator->empty()) {
      from = begin + 1;
      continue;
    }
    const Extent found = extent(begin, *separator);
    if (!found.complete) return std::nullopt;
    ScannedMessage message = take(begin, found.size, *separator);
    // Erasing costs a move of the rest: not for every message of a chunk.
    if (at_ > buffer_.size() / 2) forget_before(at_);
    return message;
  }
}

}  // namespace nexusfix::printing
