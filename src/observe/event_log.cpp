#include <nexusfix/base/utc_text.hpp>
#include <nexusfix/observe/event_log.hpp>

namespace nexusfix::observe {
namespace {

constexpr std::size_t kLineBytesMax = 2'000;
constexpr char kSoh = '\x01';
constexpr unsigned kTimeDigits = 3;

std::string_view name_of(Severity severity) noexcept {
  switch (severity) {
    case Severity::Info:
      return "INFO";
    case Severity::Warning:
      return "WARN";
    case Severity::Error:
      return "ERROR";
  }
  return "?";
}

// Appends the bytes as they are shown while the line has room; returns how many were taken.
std::size_t append_shown(std::string& line, std::string_view bytes) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  constexpr std::size_t kEscapedBytes = 4;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const bool plain = (byte >= ' ' && byte <= '~') || bytes[i] == kSoh;
    if (line.size() + (plain ? 1 : kEscapedBytes) > kLineBytesMax) return i;
    if (plain) {
      line += bytes[i] == kSoh ? '|' : bytes[i];
    } else {
      line += "\\x";
      line += kHexDigits[byte >> 4U];
      line += kHexDigits[byte & 0xFU];
    }
  }
  return bytes.size();
}

}  // namespace

std::string format_event(const Event& event) {
  const std::string_view session = event.session.empty() ? "engine" : event.session;
  std::string line;
  append_utc(line, event.time, UtcForm::Fix, kTimeDigits);
  line += ' ';
  line += name_of(event.severity);
  line += ' ';
  // A name can be as long as a counterparty likes; half of the line is for what happened.
  constexpr std::size_t kSessionBytesMax = 200;
  append_shown(line, session.substr(0, kSessionBytesMax));
  if (session.size() > kSessionBytesMax) line += "...";
  line += ' ';
  const std::size_t taken = append_shown(line, event.text);
  if (taken < event.text.size()) {
    line += " ... [cut: " + std::to_string(event.text.size() - taken) + " more bytes]";
  }
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
