// The options of the benchmark, for `make bench` and `nexusfix bench`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace nexusfix::bench {

struct Options {
  std::vector<std::string> patterns;  // of row names; none: every row
  bool quick = false;
  bool list = false;
  std::optional<int> cpu;
  std::string json;  // files; empty: none
  std::string html;
  std::string hardened;                  // a module: bench/module.hpp
  std::vector<std::string> contestants;  // shared libraries: bench/contestants
};

void add_options(CLI::App& app, Options& options);

// A pattern is a name, the part of one before a `/`, or either with `*` for any text.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view name);

}  // namespace nexusfix::bench
