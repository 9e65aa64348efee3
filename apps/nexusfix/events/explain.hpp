// Explains the events of the logs, with the texts of observe's event table.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace nexusfix::command {

enum class ExplainForm : std::uint8_t { Text, Json };

// events: "NXF-1042", "1042" or the event's name; none: a list of all. The error names the first
// unknown event, and the event with the most similar name or number.
[[nodiscard]] std::expected<std::string, std::string> explain_events(
    const std::vector<std::string>& events, ExplainForm form);

// docs/reference/events.md
[[nodiscard]] std::string events_page();

}  // namespace nexusfix::command
