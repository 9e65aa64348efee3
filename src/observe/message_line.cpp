#include "observe/message_line.hpp"

#include <algorithm>

#include "base/api/printable_text.hpp"
#include "base/api/utc_text.hpp"
#include "observe/shown_text.hpp"

namespace nexusfix::observe {
namespace {

constexpr char kSoh = '\x01';
constexpr char kDelete = '\x7F';

bool is_control(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < ' ' && c != kSoh) || c == kDelete;
}

void append_escaped(std::string& to, std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\\') {
      to += "\\\\";
    } else if (is_control(c)) {
      append_escaped_byte(to, static_cast<unsigned char>(c), HexDigits::Upper);
    } else {
      to += c;
    }
  }
}

void append_direction(std::string& to, const MessageToLog& message) {
  to += message.direction == Direction::In ? "IN" : "OUT";
  if (message.is_garbled) to += " GARBLED";
}

void append_cut(std::string& to, std::size_t bytes) {
  if (bytes > 0) to += " ... [cut: " + std::to_string(bytes) + " more bytes]";
}

}  // namespace

bool is_heartbeat(std::string_view message) noexcept {
  // MsgType is the third field of every message.
  const std::size_t first = message.find(kSoh);
  if (first == std::string_view::npos) return false;
  const std::size_t second = message.find(kSoh, first + 1);
  return second != std::string_view::npos && message.substr(second + 1).starts_with("35=0\x01");
}

void MessageLine::take(const MessageToLog& message) {
  message_ = message;
  is_masked_ = message.is_garbled ? masking_.finds_in_garbled(message.bytes, message.cut_bytes > 0)
                                  : masking_.finds(message.bytes);
  if (!is_masked_) return;
  masked_.clear();
  masking_.append_masked(masked_);
}

void MessageLine::append_to_file(std::string& to, const unsigned* digits) const {
  const std::string_view bytes = is_masked_ ? std::string_view{masked_} : message_.bytes;
  const bool is_escaped = std::ranges::any_of(bytes, is_control);
  if (digits != nullptr) {
    append_utc(to, message_.time, UtcForm::Fix, *digits);
    to += ' ';
  }
  append_direction(to, message_);
  if (is_masked_) to += " MASKED";
  if (is_escaped) to += " ESCAPED";
  to += " : ";
  if (is_escaped) {
    append_escaped(to, bytes);
  } else {
    to += bytes;
  }
  append_cut(to, message_.cut_bytes);
  to += '\n';
}

void MessageLine::append_to_screen(std::string& to, std::string_view session,
                                   unsigned digits) const {
  append_utc(to, message_.time, UtcForm::Fix, digits);
  to += ' ';
  append_direction(to, message_);
  to += ' ';
  append_shown(to, session, std::string::npos);
  to += ' ';
  append_shown(to, is_masked_ ? std::string_view{masked_} : message_.bytes, std::string::npos);
  append_cut(to, message_.cut_bytes);
  to += '\n';
}

}  // namespace nexusfix::observe
