#include <CLI/CLI.hpp>
#include <utility>

#include "bench/measure/run.hpp"
#include "nexusfix/command.hpp"

namespace nexusfix::command {

int run_bench(Arguments arguments) {
  CLI::App app{
      "Measures parsing, encoding, conversions and queues, next to a plain parser. It takes a "
      "minute and a half on one core; run nothing else meanwhile. docs/reference/benchmarks.md "
      "explains the rows and the figures.",
      "nexusfix bench"};
  bench::Options options;
  bench::add_options(app, options);
  app.footer(
      "Examples:\n"
      "  $ nexusfix bench --quick\n"
      "  $ nexusfix bench --rows 'parse/*' --json parse.json\n\n"
      "Exit status:\n"
      "  0  success\n"
      "  1  an answer was wrong, or a file cannot be written\n"
      "  2  there is no such row, or the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  return bench::run(options, {});
}

}  // namespace nexusfix::command
