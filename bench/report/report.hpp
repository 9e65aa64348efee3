// What was measured, and how it is shown: a table, JSON, a page with charts, a picture.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/measure/machine.hpp"
#include "bench/measure/measure.hpp"
#include "bench/measure/timer.hpp"
#include "bench/row.hpp"

namespace nexusfix::bench {

// Of one subject at one row, in the row's unit. Of a rate, p99 is the rate that 99 % of the calls
// surpass, and max is the best one.
struct Result {
  std::string subject;
  Figures figures;
};

struct RowReport {
  RowSpec spec;
  double bytes = 0;
  Result ours;
  std::vector<Result> peers;

  // Operations in a second, by the batch figure; messages, where the operation is one.
  [[nodiscard]] double operations_per_second() const;
  [[nodiscard]] std::optional<double> megabytes_per_second() const;
};

struct Report {
  Machine machine;
  TimerFacts timer;
  MeasureSettings settings;
  bool quick = false;
  int rounds = 1;  // how often each row was measured; each subject keeps its best
  double seconds = 0;
  std::vector<RowReport> rows;
  std::vector<std::string> failures;  // rows that are not there, and why
};

// How many times faster ours is than the peer, by the batch figures.
[[nodiscard]] double times_faster(const RowReport& row, const Result& peer);
// In the row's unit. Nothing: it has none, or the device that it is a share of was not measured.
[[nodiscard]] std::optional<double> budget_of(const RowReport& row);
[[nodiscard]] bool within_budget(const RowReport& row);

// Takes over each subject's figures where other's batch figure is better. Both have the same spec.
void keep_better(RowReport& row, const RowReport& other);

// Turns nanoseconds a call into the row's unit an operation.
[[nodiscard]] Figures in_unit(const Figures& ns_per_call, const RowSpec& spec,
                              double operations_per_call, double bytes);

[[nodiscard]] std::string machine_text(const Report& report);
[[nodiscard]] std::string table_head();
[[nodiscard]] std::string table_line(const RowReport& row);
[[nodiscard]] std::string table_foot(const Report& report);
[[nodiscard]] std::string to_json(const Report& report);
[[nodiscard]] std::string to_html(const Report& report);
// The picture of the front page: ours and QuickFIX, row by row.
[[nodiscard]] std::string to_svg(const Report& report);

}  // namespace nexusfix::bench
