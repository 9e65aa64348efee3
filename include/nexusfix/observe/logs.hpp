// The logs of an engine: the rare events, such as a refused Logon, and every message; where those
// of a session are logged, and what the logs have counted.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/event_id.hpp>
#include <nexusfix/base/language.hpp>

// The meaning of each event: the single table for the logs, `nexusfix explain` and
// docs/reference/events.md.

namespace nexusfix::observe {

// How urgent an event is.
enum class Severity : std::uint8_t {
  Info,     // the engine works as it should
  Warning,  // an operator looks at it when there is time
  Error,    // an operator acts now
};

// The severity in the table. id must be an enumerator.
[[nodiscard]] Severity severity_of(EventId id) noexcept;
// "NXF-1042".
[[nodiscard]] std::string identifier_of(EventId id);
// INFO, WARN or ERROR. Static lifetime.
[[nodiscard]] std::string_view to_string(Severity severity) noexcept;
// Events, one line each, for operators and tests. Only rare events: messages have their own logs,
// by FileLogPath.

// One event, as an EventLog gets it. The views are valid until EventLog::write() returns.
struct Event {
  WallTime time;             // when it happened, UTC
  EventId id{};              // what happened: docs/reference/events.md has every event
  std::string_view session;  // the name of the session; empty: the event is about the engine
  std::string_view text;     // may contain bytes of a counterparty: sinks escape control bytes
  // Info, Warning or Error, by the identifier.
  [[nodiscard]] Severity severity() const noexcept { return severity_of(id); }
};

// Receives the events of an engine: EngineOptions::log. Derive from it to send events elsewhere.
class EventLog {
 public:
  virtual ~EventLog() = default;
  // Called for each event on the thread of its event loop, by one event loop at a time. It must not
  // block, or the sessions of that loop wait. The views of the event are valid until it returns.
  virtual void write(const Event& event) = 0;
};

// "20240115-10:30:00.123 WARN NXF-2003 FIX.4.4:VENUE->TRADER text", without a line feed. UTC;
// "engine" if the event has no session. SOH is shown as `|`, every other byte that is not printable
// ASCII as `\xNN`, so that no counterparty can forge lines or control a terminal. fraction_digits:
// of the second, 0 to 9. A text is truncated after 2,000 bytes, and says so.
[[nodiscard]] std::string format_event(const Event& event, unsigned fraction_digits = 3);

// A message log of one's own: every received and sent message, for a database, a queue, or a
// logging library. EngineOptions::message_log names it.

// What a logged message is.
enum class MessageKind : std::uint8_t {
  Received,  // a message of the counterparty, before the session layer has checked it
  Sent,      // our message, when the store has its record
  Garbled,   // received bytes that are no message: the first 4,096 of them
};

// "in", "out" or "garbled": as JSON and tables show it.
[[nodiscard]] constexpr std::string_view direction_of(MessageKind kind) noexcept {
  switch (kind) {
    case MessageKind::Received:
      return "in";
    case MessageKind::Sent:
      return "out";
    case MessageKind::Garbled:
      break;
  }
  return "garbled";
}

// One message, as a MessageLog gets it. The views are valid until MessageLog::write() returns.
struct LoggedMessage {
  WallTime time;             // when it was received or sent, UTC
  std::string_view session;  // Session::name(); empty: the peer belongs to no session, or not yet
  std::string_view bytes;    // with SOH; values that the log files mask are *** here, too
  std::uint32_t loop = 0;    // the event loop, from 0 on: calls of one loop come one at a time
  MessageKind kind{};        // what it is
};

// Receives the messages of an engine: EngineOptions::message_log. Derive from it.
class MessageLog {
 public:
  virtual ~MessageLog() = default;
  // Called for each message, Heartbeats and resent messages included, on the thread of its event
  // loop. Each loop calls it for its own sessions, and several loops call it at the same time.
  //
  // It must not block, or the sessions of that loop wait: copy the bytes into a queue of that loop
  // (deferred::RecordQueue), and write them on another thread. If it throws, the session goes on,
  // and event NXF-8010 reports it, at most once a second.
  virtual void write(const LoggedMessage& message) = 0;
};

// What the logs of an engine have counted.

// Counts since the start.
struct SessionLogsStats {
  std::uint64_t taken = 0;           // messages and events that found room in the queue
  std::uint64_t lost_in_queue = 0;   // messages and events that found no room
  std::uint64_t lost_on_disk = 0;    // lines that could not be written
  std::uint64_t lost_on_screen = 0;  // lines that the terminal did not take in time
  std::uint64_t reopenings = 0;      // finished reopen() calls
  std::uint64_t not_reopened = 0;    // files that the last one could not open
};

// Packs the backups of log files with zstd (LogCompress=Y). Link the part of that name.
//
//   engine::EngineOptions options;
//   options.parts.log_compression = observe::log_compression_part();

struct LogCompressionPart;
// The part for LogCompress: EngineOptions::parts. Never null; static lifetime.
[[nodiscard]] const LogCompressionPart* log_compression_part() noexcept;

}  // namespace nexusfix::observe
