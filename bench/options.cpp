#include "bench/options.hpp"

#include <CLI/CLI.hpp>

namespace nexusfix::bench {

void add_options(CLI::App& app, Options& options) {
  app.add_option("--rows", options.patterns, "only these rows or groups; `*` is any text")
      ->option_text("PATTERN ...");
  app.add_flag("--quick", options.quick, "fewer calls: half a minute, less exact");
  app.add_flag("--list", options.list, "print the names of all rows, measure nothing");
  app.add_option("--cpu", options.cpu, "the core to measure on (default: the last one)")
      ->option_text("N");
  app.add_option("--json", options.json, "write the report for programs")->option_text("FILE");
  app.add_option("--html", options.html, "write the report as a page with charts")
      ->option_text("FILE");
  app.add_option("--contestant", options.contestants, "other libraries' columns: bench/contestants")
      ->option_text("FILE ...");
  app.add_option("--hardened", options.hardened, "the module of a hardened build: rows hardened/*")
      ->option_text("FILE");
}

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty() || name.front() == '/';
  if (pattern.front() == '*') {
    for (std::size_t at = 0; at <= name.size(); ++at) {
      if (matches(pattern.substr(1), name.substr(at))) return true;
    }
    return false;
  }
  return !name.empty() && name.front() == pattern.front() &&
         matches(pattern.substr(1), name.substr(1));
}

}  // namespace nexusfix::bench
