#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nexusfix/command.hpp"
#include "nexusfix/events/explain.hpp"

namespace nexusfix::command {
namespace {

// How the name of each metric begins, and that of no event.
constexpr std::string_view kMetricPrefix = "nexusfix_";

}  // namespace

int run_explain(Arguments arguments) {
  CLI::App app{
      "Prints the meaning of each event, its cause, and what to do; or the meaning of a metric.",
      "nexusfix explain"};
  std::vector<std::string> events;
  app.add_option(
      "EVENT", events,
      "NXF-1042, 1042, the event's name, or the name of a metric; without one: a list of "
      "all events");
  bool is_json = false;
  bool is_markdown = false;
  bool is_of_metrics = false;
  CLI::Option* const json =
      app.add_flag("--json", is_json, "print JSON, one object a line, for programs");
  app.add_flag("--markdown", is_markdown,
               "print all events as the page docs/reference/events.md; with --metrics, all metrics "
               "as docs/reference/metrics.md")
      ->excludes(json);
  app.add_flag("--metrics", is_of_metrics, "metrics, in place of events");
  app.footer(
      "Examples:\n"
      "  $ nexusfix explain NXF-1042\n"
      "  $ nexusfix explain 1042 2003\n"
      "  $ nexusfix explain nexusfix_session_gaps_total\n\n"
      "Exit status:\n"
      "  0  success\n"
      "  2  there is no such event or metric, or the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  const ExplainForm form = is_json ? ExplainForm::Json : ExplainForm::Text;
  is_of_metrics |= !events.empty() && std::ranges::all_of(events, [](std::string_view name) {
    return name.starts_with(kMetricPrefix);
  });
  const auto text = is_markdown     ? (is_of_metrics ? metrics_page() : events_page())
                    : is_of_metrics ? explain_metrics(events, form)
                                    : explain_events(events, form);
  if (!text) {
    static_cast<void>(fail("explain", text.error()));
    return kUsage;
  }
  fmt::print("{}", *text);
  return kSuccess;
}

}  // namespace nexusfix::command
