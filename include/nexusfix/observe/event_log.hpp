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

// One event, as an EventLog gets it. The views are valid until EventLog::write() returns.
struct Event {
  WallTime time;             // when it happened, UTC
  EventId id{};              // what happened: docs/reference/events.md has every event
  std::string_view session;  // the name of the session; empty: the event is about the engine
  std::string_view text;     // may contain bytes of a counterparty: sinks escape control bytes
  // Info, Warning or Error, by the identifier.
  [[nodiscard]] Severity severity() const noexcept { return severity_of(id); }
};

// The form of an event in a log.
enum class EventFormat : std::uint8_t {
  Text,  // a line of format_event()
  Json,  // a line of format_event_as_json()
};

// Receives the events of an engine: EngineOptions::log. Derive from it to send events elsewhere.
class EventLog {
 public:
  virtual ~EventLog() = default;
  // Called for each event on the thread of its event loop, by one event loop at a time. It must not
  // block, or the sessions of that loop wait. The views of the event are valid until it returns.
  virtual void write(const Event& event) = 0;
};

// Writes each event as a line of format_event() to a stream, and flushes it. If the stream fails,
// lines are lost without a report: there is no other place to report it.
class StreamEventLog final : public EventLog {
 public:
  // The stream is not owned, and must outlive this object.
  explicit StreamEventLog(std::FILE* stream) : stream_{stream} {}
  void write(const Event& event) override;

 private:
  std::FILE* stream_;
};

// Discards every event.
class NullEventLog final : public EventLog {
 public:
  void write(const Event&) override {}
};

// "20240115-10:30:00.123 WARN NXF-2003 FIX.4.4:VENUE->TRADER text", without a line feed. UTC;
// "engine" if the event has no session. SOH is shown as `|`, every other byte that is not printable
// ASCII as `\xNN`, so that no counterparty can forge lines or control a terminal. fraction_digits:
// of the second, 0 to 9. A text is truncated after 2,000 bytes, and says so.
[[nodiscard]] std::string format_event(const Event& event, unsigned fraction_digits = 3);

// The event as a JSON object in one line, without a line feed:
//
//   {"time":"2024-01-15T10:30:00.123Z","id":"NXF-2003","severity":"WARN","category":"sequence",
//    "session":"FIX.4.4:VENUE->TRADER","text":"..."}
//
// The session is empty if the event has none. fraction_digits: of the second, 0 to 9. A text is
// truncated after 2,000 bytes, and says so.
[[nodiscard]] std::string format_event_as_json(const Event& event, unsigned fraction_digits = 3);

}  // namespace nexusfix::observe
