// The statistics of logs as a page for a browser.
#pragma once

#include <string>
#include <string_view>

#include "logs/stats/log_statistics.hpp"
#include "nexusfix/dictionary/field_names.hpp"

namespace nexusfix::logs {

// One HTML page without scripts and without links to other files, in light and dark colours as the
// browser wishes. title: what the log is. Every text of the log is escaped. At most 100 rows of
// each table.
[[nodiscard]] std::string statistics_html(const LogStatistics& statistics,
                                          const command::FieldNames& names, std::string_view title);

}  // namespace nexusfix::logs
