// Events, one line each, for operators and tests. Only rare events: messages have their own logs,
// in session_logs.hpp.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <nexusfix/base/event_id.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/observe/event_table.hpp>

namespace nexusfix::observe {

struct Event {
  WallTime time;
  EventId id{};
  std::string_view session;  // the name of the session; empty: the event is about the engine
  std::string_view text;     // may contain bytes of a counterparty: sinks escape control bytes
  [[nodiscard]] Severity severity() const noexcept { return severity_of(id); }
};

// The form of an event in a log.
enum class EventFormat : std::uint8_t { Text, Json };

class EventLog {
 public:
  virtual ~EventLog() = default;
  // The views are valid until write() returns. Called on the engine's thread.
  virtual void write(const Event& event) = 0;
};

// Writes each event as a line to a stream, and flushes it. If the stream fails, lines are lost
// without a report: there is no other place to report it.
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

// "20240115-10:30:00.123 WARN NXF-2003 FIX.4.4:VENUE->TRADER text", without a line feed. UTC;
// "engine" if the event has no session. SOH is shown as |, every other byte that is not printable
// ASCII as \xNN, so that no counterparty can forge lines or control a terminal. A line is truncated
// after 2,000 bytes, and says so.
[[nodiscard]] std::string format_event(const Event& event, unsigned fraction_digits = 3);

// {"time":"2024-01-15T10:30:00.123Z","id":"NXF-2003","severity":"WARN","category":"sequence",
// "session":"FIX.4.4:VENUE->TRADER","text":"..."} in one line, without a line feed. The session is
// empty if the event has none. A text is truncated after 2,000 bytes, and says so.
[[nodiscard]] std::string format_event_as_json(const Event& event, unsigned fraction_digits = 3);

}  // namespace nexusfix::observe
