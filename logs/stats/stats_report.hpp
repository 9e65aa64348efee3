// The statistics of logs, for people and for programs.
#pragma once

#include <string>

#include "logs/stats/log_statistics.hpp"
#include "nexusfix/dictionary/field_names.hpp"

namespace nexusfix::logs {

// A table for people, at most rows_max rows of each kind; 0: all.
[[nodiscard]] std::string statistics_text(const LogStatistics& statistics,
                                          const command::FieldNames& names, std::size_t rows_max);
// One JSON object with everything. Times are in nanoseconds.
[[nodiscard]] std::string statistics_json(const LogStatistics& statistics,
                                          const command::FieldNames& names);

// "2 (EXCHANGE_CLOSED)", or only the value if no dictionary names it. Not escaped.
[[nodiscard]] std::string reason_text(const RejectStatistics& reject,
                                      const command::FieldNames& names);
// "1,200  filled of the quantity 4,000 of new orders, 30.0 %". ordered_quantity > 0.
[[nodiscard]] std::string fill_text(const OrderStatistics& orders);
// In UTC, with milliseconds.
[[nodiscard]] std::string time_text(WallTime time);
// "3 to 4".
[[nodiscard]] std::string gap_range_text(const GapStatistics& gap);
// When and where the gap was, and whether its numbers came. Printable.
[[nodiscard]] std::string gap_text(const LogStatistics& statistics, const GapStatistics& gap);
[[nodiscard]] std::string two_sequences_text(const LogStatistics& statistics, MessagePlace place);
// "order", "cancel" or "replace".
[[nodiscard]] std::string_view request_name(std::string_view type);
// A time of 0 is no time: the two messages have the same stamp.
[[nodiscard]] std::string latency_value_text(std::chrono::nanoseconds time);
// What the percentiles do not show; empty: nothing.
[[nodiscard]] std::string latency_remark(const LatencyHistogram& latency);
[[nodiscard]] std::string end_text(const SessionTimeline& session);
// "byte 1,234", with the file if there are several. Printable.
[[nodiscard]] std::string place_text(const LogStatistics& statistics, MessagePlace place);

}  // namespace nexusfix::logs
