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

enum class Severity : std::uint8_t { Info, Warning, Error };

enum class EventCategory : std::uint8_t {
  Session = 1,
  Sequence,
  Connection,
  Logon,
  Store,
  Configuration,
  Engine,
  Logs,
};

struct EventRow {
  EventId id{};
  Severity severity = Severity::Info;
  std::string_view name;  // the enumerator's name in EventId
  std::string_view meaning;
  std::string_view cause;
  std::string_view action;  // what the operator does
};

// All events, by number. Static lifetime.
[[nodiscard]] std::span<const EventRow> event_table() noexcept;
[[nodiscard]] const EventRow* find_event(std::uint16_t number) noexcept;

[[nodiscard]] Severity severity_of(EventId id) noexcept;
[[nodiscard]] EventCategory category_of(EventId id) noexcept;

// "NXF-1042"
[[nodiscard]] std::string identifier_of(EventId id);
void append_identifier(std::string& to, EventId id);
// The number of "NXF-1042", "nxf-1042" or "1042"; nothing: the text is no identifier.
[[nodiscard]] std::optional<std::uint16_t> read_identifier(std::string_view text) noexcept;

// INFO, WARN, ERROR.
[[nodiscard]] std::string_view to_string(Severity severity) noexcept;
// "session", "sequence", ...
[[nodiscard]] std::string_view to_string(EventCategory category) noexcept;

}  // namespace nexusfix::observe
