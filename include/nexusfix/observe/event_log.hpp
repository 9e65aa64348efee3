// The rare events of an engine, such as a refused Logon: their table, and the logs that get them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/event_id.hpp>

// The meaning of each event: the single table for the logs, `nexusfix explain` and
// docs/reference/events.md.

namespace nexusfix::observe {

// How urgent an event is.
enum class Severity : std::uint8_t {
  Info,     // the engine works as it should
  Warning,  // an operator looks at it when there is time
  Error,    // an operator acts now
};

// What an event is about: the thousands of its number.
enum class EventCategory : std::uint8_t {
  Session = 1,    // 1000 to 1999: the state of a session, its schedule, sessions added and removed
  Sequence,       // 2000 to 2999: sequence numbers, gaps and resends
  Connection,     // 3000 to 3999: connections, ports and slow consumers
  Logon,          // 4000 to 4999: Logons, users, passwords and certificates of counterparties
  Store,          // 5000 to 5999: the store, its disk or its database
  Configuration,  // 6000 to 6999: the configuration, dictionaries, our certificates, reloads
  Engine,         // 7000 to 7999: the engine, its threads and memory
  Logs,           // 8000 to 8999: log files
};

// One event of the table. All views have static lifetime.
struct EventRow {
  EventId id{};                        // its number
  Severity severity = Severity::Info;  // the same for each event of this identifier
  std::string_view name;               // the enumerator's name in EventId
  std::string_view meaning;            // what has happened
  std::string_view cause;              // why it usually happens
  std::string_view action;             // what the operator does
};

// All events, in the order of their numbers. Static lifetime.
[[nodiscard]] std::span<const EventRow> event_table() noexcept;
// The event of this number, such as 1042. Null: there is none. Static lifetime.
[[nodiscard]] const EventRow* find_event(std::uint16_t number) noexcept;

// The severity in the table. id must be an enumerator.
[[nodiscard]] Severity severity_of(EventId id) noexcept;
// The category of its number. id must be an enumerator.
[[nodiscard]] EventCategory category_of(EventId id) noexcept;

// "NXF-1042".
[[nodiscard]] std::string identifier_of(EventId id);
// Appends "NXF-1042" to a text.
void append_identifier(std::string& to, EventId id);
// The number of "NXF-1042", "nxf-1042" or "1042". No value: the text is no identifier. The number
// may be that of no event.
[[nodiscard]] std::optional<std::uint16_t> read_identifier(std::string_view text) noexcept;

// INFO, WARN or ERROR. Static lifetime.
[[nodiscard]] std::string_view to_string(Severity severity) noexcept;
// "session", "sequence" and so on. Static lifetime.
[[nodiscard]] std::string_view to_string(EventCategory category) noexcept;

// Events, one line each, for operators and tests. Only rare events: messages have their own logs,
// in session_logs.hpp.

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
