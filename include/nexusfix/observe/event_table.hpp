// The meaning of each event: the single table for the logs, `nexusfix explain` and
// docs/reference/events.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nexusfix/base/event_id.hpp>

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

}  // namespace nexusfix::observe
