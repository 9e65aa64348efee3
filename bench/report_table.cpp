// The report on a terminal.
#include <fmt/format.h>

#include "bench/report.hpp"
#include "bench/report_chart.hpp"

namespace nexusfix::bench {
namespace {

std::string peer_column(const RowReport& row, std::string_view name, std::string_view instead) {
  for (const Result& peer : row.peers) {
    if (peer.subject != name && peer.subject != instead) continue;
    const double times = times_faster(row, peer);
    return fmt::format("{:>9} {:>7}", short_number(peer.figures.batch),
                       fmt::format("{}x", short_number(times)));
  }
  return fmt::format("{:>17}", "");
}

std::string optional_number(const std::optional<double>& value) {
  return value ? short_number(*value) : "";
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
                     "batch", "p50", "p99", "p99.9", "min", "max", "QuickFIX", "reference/device",
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
                     peer_column(row, "QuickFIX", "QuickFIX"),
                     peer_column(row, "reference", "device"), optional_number(row.spec.published),
                     optional_number(budget_of(row)),
                     !budget_of(row)      ? ""
                     : within_budget(row) ? " met"
                                          : " missed");
}

std::string table_foot(const Report& report) {
  std::string text = fmt::format("{} rows in {:.0f} s\n", report.rows.size(), report.seconds);
  for (const std::string& failure : report.failures) text += fmt::format("FAILED {}\n", failure);
  return text;
}

}  // namespace nexusfix::bench
