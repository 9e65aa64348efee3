
#include "base/api/printable_text.hpp"
#include "base/api/utc_text.hpp"
#include "observe/api/logs.hpp"
#include "observe/shown_text.hpp"

namespace nexusfix::observe {
namespace {

constexpr std::size_t kLineBytesMax = 2'000;
constexpr std::size_t kSessionBytesMax = 200;

// As much of the text as fits, without half a character at the end.
std::string_view cut(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  constexpr std::size_t kContinuationsMax = 3;
  std::size_t end = bytes_max;
  while (end > bytes_max - kContinuationsMax && continues(end)) --end;
  return text.substr(0, end);
}

}  // namespace

std::string format_event(const Event& event, unsigned fraction_digits) {
  const std::string_view session = event.session.empty() ? "engine" : event.session;
  std::string line;
  append_utc(line, event.time, UtcForm::Fix, fraction_digits);
  line += ' ';
  line += to_string(event.severity());
  line += ' ';
  append_identifier(line, event.id);
  line += ' ';
  // A counterparty may choose a long name; half of the line is for the text.
  append_shown(line, session.substr(0, kSessionBytesMax), kLineBytesMax);
  if (session.size() > kSessionBytesMax) line += "...";
  line += ' ';
  append_shown_or_cut(line, event.text, kLineBytesMax);
  return line;
}

std::string format_event_as_json(const Event& event, unsigned fraction_digits) {
  std::string line = "{\"time\":\"";
  append_utc(line, event.time, UtcForm::Iso, fraction_digits);
  line += "Z\",\"id\":\"";
  append_identifier(line, event.id);
  line += "\",\"severity\":\"";
  line += to_string(event.severity());
  line += "\",\"category\":\"";
  line += to_string(category_of(event.id));
  line += "\",\"session\":";
  append_json_text(line, cut(event.session, kSessionBytesMax));
  line += ",\"text\":";
  std::string text{cut(event.text, kLineBytesMax)};
  if (text.size() < event.text.size()) {
    text += " ... [cut: " + std::to_string(event.text.size() - text.size()) + " more bytes]";
  }
  append_json_text(line, text);
  line += '}';
  return line;
}

void StreamEventLog::write(const Event& event) {
  std::string line = format_event(event);
  line += '\n';
  // One call, so that lines of several programs on one terminal do not mix.
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stream_));
  static_cast<void>(std::fflush(stream_));
}

}  // namespace nexusfix::observe
