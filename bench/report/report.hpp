// The results of a measurement, and their forms: a table, JSON, a page with charts.
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

// The result of one subject in one row, in the row's unit. For a rate, 99 % of the calls are faster
// than p99, and max is the best rate.
struct Result {
  std::string subject;
  Figures figures;
  bool is_external = false;  // see Subject
};

struct RowReport {
  RowSpec spec;
  double bytes = 0;
  Result ours;
  std::vector<Result> peers;
  std::optional<GrowthPoint> growth{};

  // Operations per second, by the batch figure; messages, if an operation is one message.
  [[nodiscard]] double operations_per_second() const;
  [[nodiscard]] std::optional<double> megabytes_per_second() const;
};

struct Report {
  std::string date;  // of the measurement, YYYY-MM-DD in UTC
  Machine machine;
  TimerFacts timer;
  MeasureSettings settings;
  bool quick = false;
  int rounds = 1;  // the number of measurements of each row; each subject keeps its best
  double seconds = 0;
  std::vector<RowReport> rows;
  std::vector<std::string> failures;  // missing rows and subjects, with the reason
};

// How many times faster ours is than the peer, by the batch figures.
[[nodiscard]] double times_faster(const RowReport& row, const Result& peer);
// In the row's unit. Nothing: the row has none, or its device was not measured.
[[nodiscard]] std::optional<double> budget_of(const RowReport& row);
[[nodiscard]] bool within_budget(const RowReport& row);

// Takes the figures of a subject from other if its batch figure is better. Both have the same spec.
void keep_better(RowReport& row, const RowReport& other);

// Converts nanoseconds per call to the row's unit per operation.
[[nodiscard]] Figures in_unit(const Figures& ns_per_call, const RowSpec& spec,
                              double operations_per_call, double bytes);

[[nodiscard]] std::string machine_text(const Report& report);
[[nodiscard]] std::string table_head();
[[nodiscard]] std::string table_line(const RowReport& row);
[[nodiscard]] std::string table_foot(const Report& report);
[[nodiscard]] std::string to_json(const Report& report);
[[nodiscard]] std::string to_html(const Report& report);

}  // namespace nexusfix::bench
