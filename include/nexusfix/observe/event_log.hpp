// What happened, one line each: for operators, and for tests. Rare things only; messages have logs
// of their own: session_logs.hpp.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <nexusfix/base/time.hpp>

namespace nexusfix::observe {

enum class Severity : std::uint8_t { Info, Warning, Error };

struct Event {
  WallTime time;
  Severity severity = Severity::Info;
  std::string_view session;  // its name; empty: the engine's own
  std::string_view text;     // may hold bytes of a counterparty: sinks escape control bytes
};

class EventLog {
 public:
  virtual ~EventLog() = default;
  // The views live until write() returns. Called on the engine's thread.
  virtual void write(const Event& event) = 0;
};

// One line an event to a stream: "20240115-10:30:00.123 WARN FIX.4.4:VENUE->TRADER text", UTC, and
// "engine" where there is no session. SOH is shown as |, every other byte that is not printable
// ASCII as \xNN, so that no counterparty can write lines, or to a terminal, of its own. A line is
// cut after 2,000 bytes and says so. Flushed after each line; a stream that fails loses lines in
// silence, as there is nowhere left to say so.
class StreamEventLog final : public EventLog {
 public:
  explicit StreamEventLog(std::FILE* stream) : stream_{stream} {}  // not owned
  void write(const Event& event) override;

 private:
  std::FILE* stream_;
};

class NullEventLog final : public EventLog {
 public:
  void write(const Event&) override {}
};

// The line as StreamEventLog writes it, without the line feed.
[[nodiscard]] std::string format_event(const Event& event, unsigned fraction_digits = 3);

// INFO, WARN, ERROR.
[[nodiscard]] std::string_view to_string(Severity severity) noexcept;

}  // namespace nexusfix::observe
