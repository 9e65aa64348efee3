// A row of the report: its specification, its contestants, and its results.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/measure/measure.hpp"
#include "bench/messages/contestant.hpp"
#include "bench/subject.hpp"

namespace nexusfix::bench {

enum class Unit : std::uint8_t {
  Nanoseconds,
  NanosecondsPerField,
  Milliseconds,
  GigabytesPerSecond,
  PerSecond,
};

[[nodiscard]] constexpr std::string_view to_string(Unit unit) noexcept {
  switch (unit) {
    case Unit::Nanoseconds:
      return "ns";
    case Unit::NanosecondsPerField:
      return "ns/field";
    case Unit::Milliseconds:
      return "ms";
    case Unit::GigabytesPerSecond:
      return "GB/s";
    case Unit::PerSecond:
      break;
  }
  return "1/s";
}
// Whether more is better: a rate, not a time.
[[nodiscard]] constexpr bool is_rate(Unit unit) noexcept {
  return unit == Unit::GigabytesPerSecond || unit == Unit::PerSecond;
}
// Whether the charts, which have nanoseconds only, show it.
[[nodiscard]] constexpr bool is_nanoseconds(Unit unit) noexcept {
  return unit == Unit::Nanoseconds || unit == Unit::NanosecondsPerField;
}

// The ratio of a row's figure to a peer's in the same run: at most this of a time, at least this of
// a rate. 0: it is shown without a verdict.
struct RatioBudget {
  std::string peer;
  double p50 = 0;
  double p99 = 0;
};

// The row of the message that was published with the comparison with Fix8.
inline constexpr std::string_view kPublishedRow = "parse/published";

// Row names are a contract: rows are added, and none is renamed. If the inputs of a row change, the
// change log says so.
struct RowSpec {
  std::string name;
  std::string purpose;  // of one operation
  Unit unit = Unit::Nanoseconds;
  std::optional<double>
      published;                 // in the unit: the published figure of the design's first version
  std::optional<double> budget;  // in the unit: the design's limit on a server core
  // In place of a budget: the allowed ratio to the bare device in the same run.
  std::optional<double> budget_of_device{};
  std::optional<double> budget_p99{};  // in the unit, in addition to the budget
  std::vector<RatioBudget> ratios{};
};

// What an engine with this number of sessions took: a point of the curves of the report. CPU time
// is that of all threads of the engine's process, in the kernel's network code, too.
struct GrowthPoint {
  std::string curve{};    // which sessions are logged on
  double sessions = 0;    // configured
  double live = 0;        // logged on
  double open_us = 0;     // a configured session, from the configuration's text to listening
  double memory_kib = 0;  // a configured session; without the journal's pages
  double logon_us = 0;    // of CPU time, a logon
  double order_us = 0;    // of CPU time, an order and its report
  double idle_us = 0;     // of CPU time a second, a live session without messages
};

// The contestants point into owner's object.
struct Plan {
  std::shared_ptr<const void> owner;
  double bytes = 0;                // of the message, or its part, of one operation; 0: none
  double operations_per_call = 1;  // figures are divided by it
  std::vector<std::pair<std::string, ContestantPtr>> contestants;  // ours first
  std::string note{};  // further results; printed after the row's purpose
  std::optional<GrowthPoint> growth{};
};

using Subjects = std::span<const std::unique_ptr<Subject>>;

// The inputs are made when the row is measured.
struct Row {
  RowSpec spec;
  std::function<Plan(Subjects)> plan;
};

// The amount of input for large rows: a journal of 10 million messages, or less.
enum class Amount : std::uint8_t { Full, Quick };

// Every row of this build on this CPU, in the order of the report. hardened_module: see module.hpp;
// empty: the rows hardened/* have no peer. Throws std::runtime_error if the file is no module, of
// another commit or not hardened.
[[nodiscard]] std::vector<Row> all_rows(Amount amount, const std::string& hardened_module = {});

// The groups of rows, each in a file of its own.
void add_parse_rows(std::vector<Row>& rows);
void add_field_rows(std::vector<Row>& rows);
void add_encode_rows(std::vector<Row>& rows);
void add_group_rows(std::vector<Row>& rows);
void add_typed_rows(std::vector<Row>& rows);
void add_stream_rows(std::vector<Row>& rows);
void add_deferred_rows(std::vector<Row>& rows);
void add_ladder_rows(std::vector<Row>& rows);
void add_kernel_rows(std::vector<Row>& rows);
void add_dictionary_rows(std::vector<Row>& rows);
void add_validate_rows(std::vector<Row>& rows);
void add_session_rows(std::vector<Row>& rows);
void add_store_rows(std::vector<Row>& rows);
void add_journal_rows(std::vector<Row>& rows, Amount amount);
void add_store_stream_rows(std::vector<Row>& rows);
void add_engine_rows(std::vector<Row>& rows);
void add_round_trip_rows(std::vector<Row>& rows);
void add_tls_rows(std::vector<Row>& rows);
void add_ring_rows(std::vector<Row>& rows);
void add_gateway_rows(std::vector<Row>& rows);
void add_hardened_rows(std::vector<Row>& rows, const std::string& module);
void add_sessions_rows(std::vector<Row>& rows, Amount amount);

// A contestant for each subject that supports the job. Make returns a ContestantPtr of a Subject.
template <class Make>
void add_contestants(Plan& plan, Subjects subjects, Make make) {
  for (const std::unique_ptr<Subject>& subject : subjects) {
    if (ContestantPtr contestant = make(*subject)) {
      plan.contestants.emplace_back(subject->name(), std::move(contestant));
    }
  }
}

}  // namespace nexusfix::bench
