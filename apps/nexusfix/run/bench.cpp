#include <CLI/CLI.hpp>
#include <utility>

#include "bench/measure/run.hpp"
#include "nexusfix/command.hpp"
#include "nexusfix/run/bench_of_log.hpp"

namespace nexusfix::command {

int run_bench(Arguments arguments) {
  CLI::App app{
      "Measures parsing, encoding, conversions and queues, next to a plain parser. It takes a "
      "minute and a half on one core; run nothing else meanwhile. docs/reference/benchmarks.md "
      "explains the rows and the figures. With --from it measures parse, validate and the engine "
      "with the messages of your log: docs/guide/bench-own-log.md.",
      "nexusfix bench"};
  bench::Options options;
  bench::add_options(app, options);
  BenchOfLog of_log;
  CLI::Option* const from =
      app.add_option("--from", of_log.files,
                     "measure with the messages of these logs, captures or journals, as those of "
                     "`nexusfix decode`; -: standard input")
          ->option_text("LOG ...");
  for (const char* const other : {"--rows", "--list", "--html", "--contestant", "--hardened"}) {
    from->excludes(app.get_option(other));
  }
  add_dictionary_option(app, of_log.dictionary)->needs(from);
  app.footer(
      "Examples:\n"
      "  $ nexusfix bench --quick\n"
      "  $ nexusfix bench --rows 'parse/*' --json parse.json\n"
      "  $ nexusfix bench --from messages.log\n\n"
      "Exit status:\n"
      "  0  success\n"
      "  1  an answer was wrong, the log has no message or could not be read to its\n"
      "     end, or a file cannot be written\n"
      "  2  there is no such row, core or log, or the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (of_log.files.empty()) return bench::run(options, {});
  of_log.quick = options.quick;
  of_log.cpu = options.cpu;
  of_log.json = options.json;
  return run_bench_of_log(of_log);
}

}  // namespace nexusfix::command
