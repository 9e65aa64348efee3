// A row of the report: its entry in the contract, who is measured in it, and what came out.
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
// Less is better, or more is.
[[nodiscard]] constexpr bool is_rate(Unit unit) noexcept {
  return unit == Unit::GigabytesPerSecond || unit == Unit::PerSecond;
}
// What the charts show, which have one amount.
[[nodiscard]] constexpr bool is_nanoseconds(Unit unit) noexcept {
  return unit == Unit::Nanoseconds || unit == Unit::NanosecondsPerField;
}

// How many times as long as a peer of the same run a row may take. 0: it is told, not judged.
struct RatioBudget {
  std::string peer;
  double p50 = 0;
  double p99 = 0;
};

// Row names are a contract: later rows are added, none is renamed.
struct RowSpec {
  std::string name;
  std::string purpose;  // what one operation does
  Unit unit = Unit::Nanoseconds;
  std::optional<double> published;  // in the unit: what the design's first incarnation published
  std::optional<double> budget;     // in the unit: what the design allows a server core
  // In place of a budget: so many times what the bare device takes in the same run.
  std::optional<double> budget_of_device{};
  std::optional<double> budget_p99{};  // in the unit, beside the budget
  std::vector<RatioBudget> ratios{};
};

// Contestants point into what owner holds.
struct Plan {
  std::shared_ptr<const void> owner;
  double bytes = 0;                // of the message, or its part, of one operation; 0: none
  double operations_per_call = 1;  // figures are divided by it
  std::vector<std::pair<std::string, ContestantPtr>> contestants;  // ours first
  std::string note{};  // what else was measured; follows the row's purpose
};

using Subjects = std::span<const std::unique_ptr<Subject>>;

// Inputs are made when the row's turn comes.
struct Row {
  RowSpec spec;
  std::function<Plan(Subjects)> plan;
};

// How much is made for the rows that need much: a journal of 10 million messages, or less.
enum class Amount : std::uint8_t { Full, Quick };

// Every row that this build and this CPU have, in the order of the report. hardened_module: see
// module.hpp; empty: the rows that compare with it have nothing beside them. Throws
// std::runtime_error if it is none, of another commit or not hardened.
[[nodiscard]] std::vector<Row> all_rows(Amount amount, const std::string& hardened_module = {});

// Parts of it; each in a file of its own.
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
void add_hardened_rows(std::vector<Row>& rows, const std::string& module);
void add_sessions_rows(std::vector<Row>& rows, Amount amount);

// One for each subject that does the job. Make returns a ContestantPtr of a Subject.
template <class Make>
void add_contestants(Plan& plan, Subjects subjects, Make make) {
  for (const std::unique_ptr<Subject>& subject : subjects) {
    if (ContestantPtr contestant = make(*subject)) {
      plan.contestants.emplace_back(subject->name(), std::move(contestant));
    }
  }
}

}  // namespace nexusfix::bench
