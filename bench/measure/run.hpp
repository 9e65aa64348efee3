// Runs the benchmark: what the program of `make bench` and `nexusfix bench` have in common.
#pragma once

#include <memory>
#include <vector>

#include "bench/options.hpp"
#include "bench/subject.hpp"

namespace nexusfix::bench {

// Measures, prints the table and writes the files that are asked for. peers are those that only the
// caller has; ours and the reference are always there. The process's exit status: 0; 1: a subject
// gave a wrong answer, or a file cannot be written; 2: no such row or core.
[[nodiscard]] int run(const Options& options, std::vector<std::unique_ptr<Subject>> peers);

}  // namespace nexusfix::bench
