// `nexusfix bench --from`, which the log tools have.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nexusfix::command {

struct BenchOfLog {
  std::vector<std::string> files{};  // of --from, as those of `nexusfix decode`
  std::string dictionary{};          // the path of one; empty: the built-in one of BeginString
  bool quick = false;
  std::optional<int> cpu{};
  std::string json{};  // a file; empty: none
};

// Measures parse, validate and the engine with the messages of a log, and prints the figures.
// Returns the exit status.
[[nodiscard]] int run_bench_of_log(const BenchOfLog& request);

}  // namespace nexusfix::command
