#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "nexusfix/command.hpp"
#include "nexusfix/events/explain.hpp"

namespace nexusfix::command {

int run_explain(Arguments arguments) {
  CLI::App app{"Prints the meaning of each event, its cause, and what to do.", "nexusfix explain"};
  std::vector<std::string> events;
  app.add_option("EVENT", events, "NXF-1042, 1042 or the event's name; without one: a list of all");
  bool is_json = false;
  bool is_markdown = false;
  CLI::Option* const json =
      app.add_flag("--json", is_json, "print JSON, one object a line, for programs");
  app.add_flag("--markdown", is_markdown, "print all events as the page docs/reference/events.md")
      ->excludes(json);
  app.footer(
      "Examples:\n"
      "  $ nexusfix explain NXF-1042\n"
      "  $ nexusfix explain 1042 2003\n\n"
      "Exit status:\n"
      "  0  success\n"
      "  2  there is no such event, or the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (is_markdown) {
    fmt::print("{}", events_page());
    return kSuccess;
  }
  const auto text = explain_events(events, is_json ? ExplainForm::Json : ExplainForm::Text);
  if (!text) {
    static_cast<void>(fail("explain", text.error()));
    return kUsage;
  }
  fmt::print("{}", *text);
  return kSuccess;
}

}  // namespace nexusfix::command
