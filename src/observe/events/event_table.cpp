#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include <nexusfix/base/language.hpp>

#include "base/api/ascii.hpp"
#include "observe/api/logs.hpp"
#include "observe/events/connection_events.hpp"
#include "observe/events/engine_events.hpp"
#include "observe/events/logon_events.hpp"
#include "observe/events/sequence_events.hpp"
#include "observe/events/session_events.hpp"
#include "observe/events/store_events.hpp"

namespace nexusfix::observe {
namespace {

constexpr std::string_view kPrefix = "NXF-";
constexpr std::uint16_t kNumbersPerCategory = 1'000;

constexpr auto kTable = [] {
  std::array<EventRow, std::size(kSessionEvents) + std::size(kSequenceEvents) +
                           std::size(kConnectionEvents) + std::size(kLogonEvents) +
                           std::size(kStoreEvents) + std::size(kEngineEvents)>
      table{};
  auto end = table.begin();
  end = std::ranges::copy(kSessionEvents, end).out;
  end = std::ranges::copy(kSequenceEvents, end).out;
  end = std::ranges::copy(kConnectionEvents, end).out;
  end = std::ranges::copy(kLogonEvents, end).out;
  end = std::ranges::copy(kStoreEvents, end).out;
  std::ranges::copy(kEngineEvents, end);
  return table;
}();
// Each number stands in the table once, which find_event() relies on.
static_assert(std::ranges::adjacent_find(kTable, std::ranges::greater_equal{}, &EventRow::id) ==
              kTable.end());

}  // namespace

std::span<const EventRow> event_table() noexcept { return kTable; }

const EventRow* find_event(std::uint16_t number) noexcept {
  const auto id = static_cast<EventId>(number);
  const auto* const found = std::ranges::lower_bound(kTable, id, {}, &EventRow::id);
  return found != kTable.end() && found->id == id ? found : nullptr;
}

Severity severity_of(EventId id) noexcept {
  const EventRow* const row = find_event(static_cast<std::uint16_t>(id));
  NEXUSFIX_ASSERT(row != nullptr);
  return row->severity;
}

EventCategory category_of(EventId id) noexcept {
  return static_cast<EventCategory>(static_cast<std::uint16_t>(id) / kNumbersPerCategory);
}

void append_identifier(std::string& to, EventId id) {
  to += kPrefix;
  to += std::to_string(static_cast<std::uint16_t>(id));
}

std::string identifier_of(EventId id) {
  std::string text;
  append_identifier(text, id);
  return text;
}

std::optional<std::uint16_t> read_identifier(std::string_view text) noexcept {
  if (text.size() > kPrefix.size() &&
      equals_ignoring_case(text.substr(0, kPrefix.size()), kPrefix)) {
    text.remove_prefix(kPrefix.size());
  }
  std::uint16_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

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

std::string_view to_string(EventCategory category) noexcept {
  switch (category) {
    case EventCategory::Session:
      return "session";
    case EventCategory::Sequence:
      return "sequence";
    case EventCategory::Connection:
      return "connection";
    case EventCategory::Logon:
      return "logon";
    case EventCategory::Store:
      return "store";
    case EventCategory::Configuration:
      return "configuration";
    case EventCategory::Engine:
      return "engine";
    case EventCategory::Logs:
      return "logs";
  }
  return "?";
}

}  // namespace nexusfix::observe
