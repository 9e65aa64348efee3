#include <CLI/CLI.hpp>
#include <utility>

#include "logs/log_options.hpp"
#include "logs/stats/stats.hpp"
#include "nexusfix/files/interrupt.hpp"

namespace nexusfix::command {

int run_stats(Arguments arguments) {
  CLI::App app{
      "Counts messages by type and session, rates, sequence gaps, duplicates and resends, orders "
      "and fills, rejects with their reasons, and measures the time from each request to its first "
      "report. Read the log of one side: the logs of both sides have each message twice.",
      "nexusfix stats"};
  StatsOptions options;
  add_log_options(app, options.input);
  add_where_option(app, options.expression);
  app.add_flag("--all", options.shows_all, "print all rows (default: the first 20 of each table)");
  app.add_option("--slowest", options.slowest_max, "name the N requests with the longest answers")
      ->check(CLI::Range(1, 10'000))
      ->option_text("N");
  app.add_flag("--timeline", options.has_timeline,
               "print what happened to each session: connected, logged on, gaps, resends, silent, "
               "off (--html always has it)");
  CLI::Option* const json = app.add_flag("--json", options.is_json,
                                         "print one JSON object with everything, for programs");
  app.add_flag("--html", options.is_html, "print a page with charts for a browser")->excludes(json);
  add_dictionary_option(app, options.dictionary);
  app.footer(
      "Examples:\n"
      "  $ nexusfix stats messages.log\n"
      "  $ nexusfix stats --html messages.log > page.html\n"
      "  $ nexusfix stats --rotated --from 2024-01-15 --where TargetCompID=V a.log\n\n"
      "Exit status:\n"
      "  0  there are messages\n"
      "  1  there is none, or a file could not be read to its end\n"
      "  2  a file cannot be opened, or EXPR or the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  catch_interrupts();
  PosixDisk disk;
  return stats_files(options, disk, {});
}

}  // namespace nexusfix::command
