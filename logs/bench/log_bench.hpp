// `nexusfix bench --from`: the figures of parse, validate and the engine for a log's messages.
#pragma once

#include <cstdio>

#include <nexusfix/base/disk.hpp>

#include "logs/bench/log_rows.hpp"
#include "logs/bench/log_sample.hpp"
#include "nexusfix/run/bench_of_log.hpp"

namespace nexusfix::logs {

struct BenchStreams {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
};

// Returns kSuccess if there are figures; kFailure if there is no message, an opened file could not
// be read to its end, or the JSON cannot be written; kUsage if a file or the dictionary cannot be
// opened, or there is no such core.
[[nodiscard]] int bench_log(const command::BenchOfLog& request, Disk& disk, SampleLimits limits,
                            BenchStreams streams);

}  // namespace nexusfix::logs
