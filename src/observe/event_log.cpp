#include <nexusfix/base/utc_text.hpp>
#include <nexusfix/observe/event_log.hpp>

#include "observe/shown_text.hpp"

namespace nexusfix::observe {
namespace {

constexpr std::size_t kLineBytesMax = 2'000;

}  // namespace

std::string_view to_string(Severity severity) noexcept {
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

std::string format_event(const Event& event, unsigned fraction_digits) {
  const std::string_view session = event.session.empty() ? "engine" : event.session;
  std::string line;
  append_utc(line, event.time, UtcForm::Fix, fraction_digits);
  line += ' ';
  line += to_string(event.severity);
  line += ' ';
  // A name can be as long as a counterparty likes; half of the line is for what happened.
  constexpr std::size_t kSessionBytesMax = 200;
  append_shown(line, session.substr(0, kSessionBytesMax), kLineBytesMax);
  if (session.size() > kSessionBytesMax) line += "...";
  line += ' ';
  append_shown_or_cut(line, event.text, kLineBytesMax);
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
