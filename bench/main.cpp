// The program of `make bench`: the rows of `nexusfix bench`, and QuickFIX next to them.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "bench/compare/quickfix.hpp"
#include "bench/compare/uring.hpp"
#include "bench/measure/run.hpp"

int main(int argc, char** argv) {
  try {
    CLI::App app{
        "Measures NexusFIX, QuickFIX and a plain parser on this machine. Run nothing else\n"
        "meanwhile. docs/reference/benchmarks.md explains the rows and the figures.\n",
        "nexusfix_bench"};
    nexusfix::bench::Options options;
    nexusfix::bench::add_options(app, options);
    app.footer(
        "Example:\n"
        "  nexusfix_bench --rows 'parse/*' --html parse.html\n\n"
        "Exit status: 0 success; 1 a wrong answer, or a file that cannot be written;\n"
        "2 wrong arguments");
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      constexpr int kUsage = 2;
      return app.exit(error) == 0 ? 0 : kUsage;
    }
    std::vector<std::unique_ptr<nexusfix::bench::Subject>> peers;
    peers.push_back(nexusfix::bench::make_quickfix_subject());
#ifdef NEXUSFIX_BENCH_URING
    if (auto uring = nexusfix::bench::make_uring_subject()) peers.push_back(std::move(uring));
#endif
    return nexusfix::bench::run(options, std::move(peers));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench: %s\n", error.what());
    return 1;
  }
}
