// Runs the benchmark: the common part of `make bench` and `nexusfix bench`.
#pragma once

#include <memory>
#include <vector>

#include "bench/options.hpp"
#include "bench/subject.hpp"

namespace nexusfix::bench {

// Measures, prints the table and writes the requested files. peers: the caller's own peers, besides
// NexusFIX and the reference. Returns the exit status: 0; 1: a subject gave a wrong answer, or a
// file cannot be written; 2: no such row or core.
[[nodiscard]] int run(const Options& options, std::vector<std::unique_ptr<Subject>> peers);

}  // namespace nexusfix::bench
