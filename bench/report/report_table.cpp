// The report for a terminal.
#include <fmt/format.h>

#include "bench/report/report.hpp"
#include "bench/report/report_chart.hpp"
#include "bench/report/report_growth.hpp"
#include "bench/report/report_published.hpp"

namespace nexusfix::bench {
namespace {

// Whether a subject has the reference's column, in a row without a reference.
bool is_in_its_place(std::string_view subject) {
  return subject == "bare TCP" || subject == "bare TLS" || subject == "NexusFIX hardened";
}

std::string peer_column(const RowReport& row, std::string_view name, std::string_view instead) {
  for (const Result& peer : row.peers) {
    const bool is_limit =
        !instead.empty() && (peer.subject == instead || is_in_its_place(peer.subject));
    if (peer.subject != name && !is_limit) continue;
    const double times = times_faster(row, peer);
    return fmt::format("{:>9} {:>7}", short_number(peer.figures.batch),
                       fmt::format("{}x", short_number(times)));
  }
  return fmt::format("{:>17}", "");
}

std::string optional_number(const std::optional<double>& value) {
  return value ? short_number(*value) : "";
}

// wanted: 0: nothing. Of a rate it is the least, of a time the most.
std::string ratio_text(std::string_view name, double ours, double peers, double wanted,
                       bool is_a_rate) {
  if (wanted == 0) return fmt::format(", {} {:.2f}x", name, ours / peers);
  const bool is_met = is_a_rate ? ours >= wanted * peers : ours <= wanted * peers;
  return fmt::format(", {} {:.2f}x, {:.4g}x {}: {}", name, ours / peers, wanted,
                     is_a_rate ? "wanted" : "allowed", is_met ? "met" : "missed");
}

// A contestant has no column: its name is not known before.
std::string external_lines(const RowReport& row) {
  std::string text;
  for (const Result& peer : row.peers) {
    if (!peer.is_external) continue;
    const Figures& f = peer.figures;
    text += fmt::format("  {:<34}{:>8}{:>8}{:>8}{:>8}{:>8}{:>9} {:>8}x\n", peer.subject,
                        short_number(f.batch), short_number(f.p50), short_number(f.p99),
                        short_number(f.p999), short_number(f.min), short_number(f.max),
                        short_number(times_faster(row, peer)));
  }
  return text;
}

std::string ratio_lines(const RowReport& row) {
  std::string text;
  for (const RatioBudget& budget : row.spec.ratios) {
    for (const Result& peer : row.peers) {
      if (peer.subject != budget.peer) continue;
      const Figures& ours = row.ours.figures;
      const bool is_a_rate = is_rate(row.spec.unit);
      text += fmt::format("  beside {}{}{}\n", peer.subject,
                          ratio_text("p50", ours.p50, peer.figures.p50, budget.p50, is_a_rate),
                          ratio_text("p99", ours.p99, peer.figures.p99, budget.p99, is_a_rate));
    }
  }
  return text;
}

}  // namespace

std::string machine_text(const Report& report) {
  const Machine& m = report.machine;
  std::string text = fmt::format(
      "{}, core {} of {}{}, governor {}, {}\n{} {}{}{}, parser's kernel {}\n"
      "reading the timer costs {:.1f} ns, it advances in steps of {:.1f} ns\n",
      m.cpu, m.core, m.cores, m.is_virtual ? ", virtual" : "", m.governor, m.system, m.compiler,
      m.compiler_flags, m.commit.empty() ? "" : ", commit ", m.commit, m.kernel,
      report.timer.cost_ns, report.timer.step_ns);
  constexpr double kStepCoarse = 2;
  if (report.timer.step_ns > kStepCoarse) {
    text += "with such steps, single calls below 100 ns say little: there, read `batch`\n";
  }
  return text;
}

std::string table_head() {
  return fmt::format("{:<36}{:>8}{:>8}{:>8}{:>8}{:>8}{:>9}{:>18}{:>18}{:>10}{:>8}\n", "ns, or unit",
                     "batch", "p50", "p99", "p99.9", "min", "max", "QuickFIX", "reference/limit",
                     "published", "budget");
}

std::string table_line(const RowReport& row) {
  const Figures& f = row.ours.figures;
  const std::string name = row.spec.unit == Unit::Nanoseconds
                               ? row.spec.name
                               : fmt::format("{} {}", row.spec.name, to_string(row.spec.unit));
  return fmt::format("{:<36}{:>8}{:>8}{:>8}{:>8}{:>8}{:>9} {} {}{:>10}{:>8}{}\n", name,
                     short_number(f.batch), short_number(f.p50), short_number(f.p99),
                     short_number(f.p999), short_number(f.min), short_number(f.max),
                     peer_column(row, "QuickFIX", ""), peer_column(row, "reference", "device"),
                     optional_number(row.spec.published), optional_number(budget_of(row)),
                     !budget_of(row)      ? ""
                     : within_budget(row) ? " met"
                                          : " missed") +
         ratio_lines(row) + external_lines(row);
}

std::string table_foot(const Report& report) {
  std::string text = growth_table(report) + published_table(report) +
                     fmt::format("{} rows in {:.0f} s\n", report.rows.size(), report.seconds);
  for (const std::string& failure : report.failures) text += fmt::format("FAILED {}\n", failure);
  return text;
}

}  // namespace nexusfix::bench
