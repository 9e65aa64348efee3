// What happened, one line each: for operators, and for tests. Rare things only; messages have logs
// of their own: session_logs.hpp.
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
  std::string_view session;  // its name; empty: the engine's own
  std::string_view text;     // may hold bytes of a counterparty: sinks escape control bytes
  [[nodiscard]] Severity severity() const noexcept { return severity_of(id); }
};

// How an event looks in a log.
enum class EventFormat : std::uint8_t { Text, Json };

class EventLog {
 public:
  virtual ~EventLog() = default;
  // The views live until write() returns. Called on the engine's thread.
  virtual void write(const Event& event) = 0;
};

// One line an event to a stream, flushed after each line. A stream that fails loses lines in
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

// "20240115-10:30:00.123 WARN NXF-2003 FIX.4.4:VENUE->TRADER text", UTC, and "engine" where there
// is no session. SOH is shown as |, every other byte that is not printable ASCII as \xNN, so that
// no counterparty can write lines, or to a terminal, of its own. A line is cut after 2,000 bytes
// and says so. Without a line feed.
[[nodiscard]] std::string format_event(const Event& event, unsigned fraction_digits = 3);

// {"time":"2024-01-15T10:30:00.123Z","id":"NXF-2003","severity":"WARN","category":"sequence",
// "session":"FIX.4.4:VENUE->TRADER","text":"..."} in one line, without a line feed. The session is
// empty where there is none. A text is cut after 2,000 bytes and says so.
[[nodiscard]] std::string format_event_as_json(const Event& event, unsigned fraction_digits = 3);

}  // namespace nexusfix::observe
