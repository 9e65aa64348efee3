// The statistics of logs, for people and for programs.
#pragma once

#include <string>

#include "nexusfix/logs/fields/field_names.hpp"
#include "nexusfix/logs/stats/log_statistics.hpp"

namespace nexusfix::logs {

// A table for people, at most rows_max rows of each kind; 0: all.
[[nodiscard]] std::string statistics_text(const LogStatistics& statistics, const FieldNames& names,
                                          std::size_t rows_max);
// One JSON object with everything. Times are in nanoseconds.
[[nodiscard]] std::string statistics_json(const LogStatistics& statistics, const FieldNames& names);

}  // namespace nexusfix::logs
