#include "nexusfix/events/explain.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "base/api/ascii.hpp"
#include "dictionary/api/nearest_name.hpp"
#include "nexusfix/text/json.hpp"
#include "nexusfix/text/text.hpp"
#include "observe/api/logs.hpp"

namespace nexusfix::command {
namespace {

using observe::EventRow;

constexpr std::size_t kEventColumns = 100;

const EventRow* find_row(std::string_view text) {
  if (const auto number = observe::read_identifier(text)) return observe::find_event(*number);
  const auto rows = observe::event_table();
  const auto found = std::ranges::find_if(
      rows, [&](const EventRow& row) { return equals_ignoring_case(row.name, text); });
  return found == rows.end() ? nullptr : &*found;
}

// The event of the same category with the nearest number.
std::optional<std::string> nearest_number(std::uint16_t number) {
  const auto id = static_cast<EventId>(number);
  const EventRow* nearest = nullptr;
  const auto distance = [&](const EventRow& row) {
    return std::abs(static_cast<int>(row.id) - static_cast<int>(number));
  };
  for (const EventRow& row : observe::event_table()) {
    if (observe::category_of(row.id) != observe::category_of(id)) continue;
    if (nearest == nullptr || distance(row) < distance(*nearest)) nearest = &row;
  }
  return nearest == nullptr ? std::nullopt : std::optional{observe::identifier_of(nearest->id)};
}

std::optional<std::string> nearest_name(std::string_view text) {
  std::vector<std::string_view> names;
  names.reserve(observe::event_table().size());
  for (const EventRow& row : observe::event_table()) names.push_back(row.name);
  const auto nearest = dictionary::nearest_name(text, names);
  return nearest ? std::optional{std::string{*nearest}} : std::nullopt;
}

std::string no_event(std::string_view text) {
  const std::optional<std::uint16_t> number = observe::read_identifier(text);
  const auto nearest = number ? nearest_number(*number) : nearest_name(text);
  const std::string what = "there is no event " + Json{text}.line();
  if (!nearest) return what + "; `nexusfix explain` lists all";
  return fmt::format("{}. Did you mean {}?", what, *nearest);
}

std::string one_line(const EventRow& row) {
  return fmt::format("{}  {:<5}  {:<13}  {}\n", observe::identifier_of(row.id),
                     observe::to_string(row.severity),
                     observe::to_string(observe::category_of(row.id)), row.name);
}

std::string in_full(const EventRow& row) {
  std::string text = fmt::format("{} {}, {}, {}\n", observe::identifier_of(row.id), row.name,
                                 observe::to_string(row.severity),
                                 observe::to_string(observe::category_of(row.id)));
  append_wrapped(text, "  meaning     ", row.meaning, kEventColumns);
  append_wrapped(text, "  cause       ", row.cause, kEventColumns);
  append_wrapped(text, "  what to do  ", row.action, kEventColumns);
  return text;
}

std::string in_json(const EventRow& row) {
  return Json::object({{"id", observe::identifier_of(row.id)},
                       {"severity", observe::to_string(row.severity)},
                       {"category", observe::to_string(observe::category_of(row.id))},
                       {"name", row.name},
                       {"meaning", row.meaning},
                       {"cause", row.cause},
                       {"action", row.action}})
             .line() +
         '\n';
}

constexpr std::string_view kEventsPageBegin =
    R"(# Events

Every event has an identifier, such as `NXF-1042`, in every log: after the severity of a line, and
as `id` where `EventLogFormat=json`. Match identifiers, not texts: a text may change, an identifier
never does, and it is not used for another event.

```sh
nexusfix explain NXF-1042       # what it means, its cause, and what to do
nexusfix explain --json         # all events, one object a line
grep -E 'NXF-(2008|2009|5010)' log/*.event.current.log
```

INFO: the engine works as it should. WARN: look at it when there is time. ERROR: act now.
`nexusfix explain --markdown` prints this page. How the logs look: [logs](../operations/logs.md).
)";

}  // namespace

std::expected<std::string, std::string> explain_events(const std::vector<std::string>& events,
                                                       ExplainForm form) {
  std::string text;
  const auto append = [&](const EventRow& row, bool is_list) {
    if (form == ExplainForm::Json) {
      text += in_json(row);
    } else {
      text += is_list ? one_line(row) : in_full(row);
    }
  };
  if (events.empty()) {
    for (const EventRow& row : observe::event_table()) append(row, /*is_list=*/true);
    return text;
  }
  for (const std::string& event : events) {
    const EventRow* const row = find_row(event);
    if (row == nullptr) return std::unexpected{no_event(event)};
    if (!text.empty() && form == ExplainForm::Text) text += '\n';
    append(*row, /*is_list=*/false);
  }
  return text;
}

std::string events_page() {
  std::string page{kEventsPageBegin};
  std::optional<observe::EventCategory> category;
  for (const EventRow& row : observe::event_table()) {
    if (const auto own = observe::category_of(row.id); own != category) {
      category = own;
      const unsigned begin = 1'000 * static_cast<unsigned>(own);
      page += fmt::format(
          "\n## {}: {} to {}\n\n"
          "| event | | meaning | cause | what to do |\n|---|---|---|---|---|\n",
          capitalised(observe::to_string(own)), begin, begin + 999);
    }
    page += fmt::format("| <a id=\"nxf-{0}\"></a>NXF-{0} `{1}` | {2} | {3} | {4} | {5} |\n",
                        static_cast<unsigned>(row.id), row.name, observe::to_string(row.severity),
                        row.meaning, row.cause, row.action);
  }
  return page;
}

}  // namespace nexusfix::command
