// The inputs of the rows: messages of one structure with values of different length and content.
// They are the same in every run.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bench/subject.hpp"

namespace nexusfix::bench {

// Too many for a branch predictor to learn.
inline constexpr std::size_t kRotation = 64;

// Adds BeginString, BodyLength and CheckSum to a body with `|` for SOH.
[[nodiscard]] std::string message_of(std::string_view body);

[[nodiscard]] Messages execution_reports();           // 22 fields
[[nodiscard]] Messages published_execution_report();  // one of 22 fields, with BodyLength corrected
[[nodiscard]] Messages unusual_execution_reports();   // and three five-digit tags, `=` in Text
[[nodiscard]] Messages heartbeats();                  // 8 fields
[[nodiscard]] Messages new_order_singles();           // 17 fields
[[nodiscard]] Messages market_data_snapshots(std::size_t entries);  // 11 + 3 * entries fields
// Messages with exactly this number of fields, including the eight of header and trailer. They have
// short values; or every second field is RawData with `=` and SOH in its value; or values have 60
// to 120 bytes. The rotation has fewer of the longer messages.
[[nodiscard]] Messages many_fields(std::size_t fields);
[[nodiscard]] Messages many_data_fields(std::size_t fields);
[[nodiscard]] Messages many_long_values(std::size_t fields);
// Answers: bytes of OrderID (37), ExecID (17) and Symbol (55) + characters of ExecType (150),
// OrdStatus (39) and Side (54) + LeavesQty (151), CumQty (14), LastQty (32) + AvgPx (6) and
// LastPx (31) in units of 10^-5 + the millisecond of TransactTime (60).
[[nodiscard]] ReadJob typed_read_job();
// Messages of nine types, mixed. Answers: the number of fields, multiplied by the MsgType except
// for type 0.
[[nodiscard]] ReadJob dispatch_job();
[[nodiscard]] ReadJob group_job(std::size_t entries);  // the same messages as snapshots
[[nodiscard]] LookupJob lookup_job(std::size_t messages);

[[nodiscard]] IntegerJob integers();
[[nodiscard]] PriceJob prices();
[[nodiscard]] TimestampJob timestamps();
[[nodiscard]] ChecksumJob checksum_texts(std::size_t bytes);

// All of these leave verify empty: it needs a parser, or conversions.
[[nodiscard]] EncodeJob<std::int64_t> integer_values();
[[nodiscard]] EncodeJob<PriceValue> price_values();
[[nodiscard]] EncodeJob<std::int64_t> timestamp_values();
[[nodiscard]] EncodeJob<Order> orders();
[[nodiscard]] EncodeJob<Order> amended_orders();  // all have the first one's Symbol and Side
[[nodiscard]] EncodeJob<Execution> executions();

// At least this number of bytes of ExecutionReports, NewOrderSingles and Heartbeats, mixed.
[[nodiscard]] Stream mixed_stream(std::size_t bytes);
[[nodiscard]] Stream stream_of(const Messages& messages);

// YYYYMMDD-HH:MM:SS.sss
[[nodiscard]] std::string timestamp_text(std::int64_t milliseconds);
// 15025 is 150.25.
[[nodiscard]] std::string cents_text(std::int64_t cents);
// With scale decimals, and without a point if that is 0.
[[nodiscard]] std::string price_text(const PriceValue& price);

}  // namespace nexusfix::bench
