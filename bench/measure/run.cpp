#include "bench/measure/run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <optional>

#include "bench/compare/contestant_subject.hpp"
#include "bench/compare/reference.hpp"
#include "bench/nexusfix_subject.hpp"
#include "bench/report/report.hpp"
#include "bench/row.hpp"

namespace nexusfix::bench {
namespace {

constexpr int kSuccess = 0;
constexpr int kFailure = 1;
constexpr int kUsage = 2;
constexpr int kRounds = 2;

int usage_error(const std::string& text) {
  fmt::print(stderr, "bench: {}\n", text);
  return kUsage;
}

// Removes the rows that no pattern names. Returns a pattern that names no row, if there is one.
std::string select_rows(std::vector<Row>& rows, const std::vector<std::string>& patterns) {
  const auto wants = [&](const std::string& pattern) {
    return [&](const Row& row) { return matches(pattern, row.spec.name); };
  };
  for (const std::string& pattern : patterns) {
    if (std::ranges::none_of(rows, wants(pattern))) return pattern;
  }
  std::erase_if(rows, [&](const Row& row) {
    return !patterns.empty() && std::ranges::none_of(patterns, [&](const std::string& pattern) {
      return matches(pattern, row.spec.name);
    });
  });
  return {};
}

std::string list_text(const std::vector<int>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

// Checks every contestant, drops those that fail, and measures the others. Returns nothing if ours
// failed.
std::optional<RowReport> measure_row(const Row& row, Subjects subjects, Report& report) {
  Plan plan = row.plan(subjects);
  std::vector<Contestant*> contestants;
  std::vector<std::string> names;
  bool ours_is_valid = !plan.contestants.empty();
  for (auto& [name, contestant] : plan.contestants) {
    const std::string wrong = contestant->check();
    if (wrong.empty()) {
      contestants.push_back(contestant.get());
      names.push_back(name);
      continue;
    }
    const std::string failure = fmt::format("{}, {}: {}", row.spec.name, name, wrong);
    if (std::ranges::find(report.failures, failure) == report.failures.end()) {
      report.failures.push_back(failure);
    }
    if (name == subjects.front()->name()) ours_is_valid = false;
  }
  if (!ours_is_valid || names.front() != subjects.front()->name()) return std::nullopt;
  const auto is_external = [&](const std::string& name) {
    return std::ranges::any_of(subjects, [&](const std::unique_ptr<Subject>& subject) {
      return subject->is_external() && subject->name() == name;
    });
  };
  const std::vector<Figures> measured =
      measure(contestants, report.settings, report.timer.ns_per_tick);
  RowReport result{.spec = row.spec, .bytes = plan.bytes, .ours = {}, .peers = {}};
  result.growth = plan.growth;
  if (!plan.note.empty()) result.spec.purpose += "; " + plan.note;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Result one{names[i], in_unit(measured[i], row.spec, plan.operations_per_call, plan.bytes),
               is_external(names[i])};
    if (i == 0) {
      result.ours = std::move(one);
    } else {
      result.peers.push_back(std::move(one));
    }
  }
  return result;
}

// Measures every row again in each round, so that a temporary load of the machine does not decide
// the figure of a row. Each subject keeps the figures of its best round.
void measure_rounds(const std::vector<Row>& rows, Subjects subjects, int rounds, Report& report) {
  std::vector<std::optional<RowReport>> best(rows.size());
  for (int round = 1; round <= rounds; ++round) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::optional<RowReport> measured = measure_row(rows[i], subjects, report);
      if (measured && best[i]) {
        keep_better(*best[i], *measured);
      } else {
        best[i] = std::move(measured);
      }
      if (round < rounds || !best[i]) continue;
      fmt::print("{}", table_line(*best[i]));
      if (best[i]->spec.purpose != rows[i].spec.purpose) {
        fmt::print("  {}\n", best[i]->spec.purpose);
      }
      std::fflush(stdout);
      report.rows.push_back(*best[i]);
    }
    if (round == rounds) return;
    fmt::print("round {} of {} done\n", round, rounds);
    std::fflush(stdout);
  }
}

bool write_file(const std::string& path, const std::string& text) {
  if (path.empty()) return true;
  std::error_code ignored;  // the stream below fails, too
  const std::filesystem::path folder = std::filesystem::path{path}.parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  std::ofstream file{path, std::ios::binary};
  file << text;
  file.close();
  if (file) {
    fmt::print("wrote {}\n", path);
    return true;
  }
  fmt::print(stderr, "bench: {} cannot be written\n", path);
  return false;
}

}  // namespace

int run(const Options& options, std::vector<std::unique_ptr<Subject>> peers) {
  std::vector<Row> rows = all_rows(options.quick ? Amount::Quick : Amount::Full, options.hardened);
  if (const std::string none = select_rows(rows, options.patterns); !none.empty()) {
    return usage_error(fmt::format("there is no row {}; --list shows all rows", none));
  }
  if (options.list) {
    for (const Row& row : rows) fmt::print("{:<36} {}\n", row.spec.name, row.spec.purpose);
    return kSuccess;
  }
  const CoreSet cores = allowed_cores();
  const int core = options.cpu.value_or(cores.empty() ? 0 : cores.back());
  if (!run_on_cores({core})) {
    return usage_error(
        fmt::format("core {} is not among the allowed cores: {}", core, list_text(cores)));
  }

  std::vector<std::unique_ptr<Subject>> subjects;
  subjects.push_back(make_nexusfix_subject());
  std::ranges::move(peers, std::back_inserter(subjects));
  for (const std::string& path : options.contestants) subjects.push_back(open_contestant(path));
  subjects.push_back(make_reference_subject());

  const auto start = std::chrono::steady_clock::now();
  Report report;
  report.date = fmt::format("{:%F}", fmt::gmtime(std::time(nullptr)));
  report.machine = describe_machine(core);
  report.machine.cores = static_cast<int>(cores.size());
  report.timer = calibrate_timer();
  report.settings = options.quick ? MeasureSettings::quick() : MeasureSettings{};
  report.quick = options.quick;
  fmt::print("{}\n{}", machine_text(report), table_head());
  std::fflush(stdout);
  report.rounds = options.quick ? 1 : kRounds;
  measure_rounds(rows, subjects, report.rounds, report);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  report.seconds = elapsed.count();
  fmt::print("{}", table_foot(report));

  const bool written =
      write_file(options.json, to_json(report)) && write_file(options.html, to_html(report));
  return written && report.failures.empty() ? kSuccess : kFailure;
}

}  // namespace nexusfix::bench
