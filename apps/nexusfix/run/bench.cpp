#include <CLI/CLI.hpp>
#include <utility>

#include "bench/measure/run.hpp"
#include "nexusfix/command.hpp"

namespace nexusfix::command {

int run_bench(Arguments arguments) {
  CLI::App app{
      "Measures the parts of NexusFIX on this machine, next to a plain parser: parsing, encoding,\n"
      "conversions, queues. It takes a minute and a half on one core. Run nothing else meanwhile.\n"
      "docs/reference/benchmarks.md explains rows and figures.\n"
      "Ends with 0, or with 1 if an answer was wrong or a file cannot be written.",
      "nexusfix bench"};
  bench::Options options;
  bench::add_options(app, options);
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  return bench::run(options, {});
}

}  // namespace nexusfix::command
