// The options of `nexusfix test` for performance and soak.
#pragma once

#include <expected>
#include <string>

#include "tester/load/load.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace nexusfix::tester {

// As they were written.
struct LoadTexts {
  LoadOptions options{};
  std::string max_p50;
  std::string max_p99;
  std::string max_recovery;
};

void add_load_options(CLI::App& app, LoadTexts& texts);
// The error names the option and the valid form.
[[nodiscard]] std::expected<LoadOptions, std::string> load_options_of(const LoadTexts& texts);

}  // namespace nexusfix::tester
