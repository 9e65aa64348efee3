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

// "2 (EXCHANGE_CLOSED)", or only the value if no dictionary names it. Not escaped.
[[nodiscard]] std::string reason_text(const RejectStatistics& reject, const FieldNames& names);
// "1,200  filled of the quantity 4,000 of new orders, 30.0 %". ordered_quantity > 0.
[[nodiscard]] std::string fill_text(const OrderStatistics& orders);
// "byte 1,234", with the file if there are several. Printable.
[[nodiscard]] std::string place_text(const LogStatistics& statistics, MessagePlace place);

}  // namespace nexusfix::logs
