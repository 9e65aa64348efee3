// The report for programs. Names are a contract: members are added, none is renamed.
#include <cmath>
#include <fmt/format.h>

#include "bench/report/report.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::bench {
namespace {

using command::json_text;

// JSON knows neither infinity nor "not a number".
std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "null";
}

std::string number(const std::optional<double>& value) { return value ? number(*value) : "null"; }

std::string figures_text(const Figures& f) {
  return fmt::format(R"("p50": {}, "p99": {}, "p999": {}, "min": {}, "max": {}, "batch": {}, )"
                     R"("batch_median": {}, "batch_best": {}, "single_calls": {}, "batches": {}, )"
                     R"("batch_calls": {})",
                     number(f.p50), number(f.p99), number(f.p999), number(f.min), number(f.max),
                     number(f.batch), number(f.batch_median), number(f.batch_best), f.single_calls,
                     f.batches, f.batch_calls);
}

std::string row_text(const RowReport& row) {
  std::string peers;
  for (const Result& peer : row.peers) {
    peers += fmt::format("{}\n       {}: {{{}, \"times_faster\": {}}}", peers.empty() ? "" : ",",
                         json_text(peer.subject), figures_text(peer.figures),
                         number(times_faster(row, peer)));
  }
  return fmt::format(
      "    {{\"name\": {}, \"unit\": {}, \"purpose\": {},\n     {},\n"
      "     \"messages_per_s\": {}, \"mb_per_s\": {}, \"message_bytes\": {}, \"published\": {}, "
      "\"budget\": {}, \"within_budget\": {},\n     \"peers\": {{{}}}}}",
      json_text(row.spec.name), json_text(to_string(row.spec.unit)), json_text(row.spec.purpose),
      figures_text(row.ours.figures), number(row.operations_per_second()),
      number(row.megabytes_per_second()), row.bytes == 0 ? "null" : number(row.bytes),
      number(row.spec.published), number(budget_of(row)),
      !budget_of(row)      ? "null"
      : within_budget(row) ? "true"
                           : "false",
      peers);
}

template <class Items, class ToText>
std::string joined(const Items& items, ToText to_text) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "\n" : ",\n") + to_text(item);
  return text;
}

}  // namespace

std::string to_json(const Report& report) {
  const Machine& m = report.machine;
  std::string text = fmt::format(
      "{{\n  \"machine\": {{\"cpu\": {}, \"virtual\": {}, \"core\": {}, \"cores\": {}, "
      "\"governor\": {}, \"system\": {},\n              \"cpu_flags\": {}}},\n",
      json_text(m.cpu), m.is_virtual, m.core, m.cores, json_text(m.governor), json_text(m.system),
      json_text(m.cpu_flags));
  text +=
      fmt::format("  \"compiler\": {}, \"compiler_flags\": {}, \"commit\": {}, \"kernel\": {},\n",
                  json_text(m.compiler), json_text(m.compiler_flags),
                  m.commit.empty() ? "null" : json_text(m.commit), json_text(m.kernel));
  text += fmt::format(
      "  \"timer\": {{\"cost_ns\": {}, \"cost_min_ns\": {}, \"step_ns\": {}, "
      "\"ticks_per_ns\": {}}},\n",
      number(report.timer.cost_ns), number(report.timer.cost_min_ns), number(report.timer.step_ns),
      number(1 / report.timer.ns_per_tick));
  text += fmt::format(
      "  \"quick\": {}, \"rounds\": {}, \"seconds\": {}, \"settings\": {{\"warm_up_calls\": {}, "
      "\"single_calls\": {}, \"batches\": {}, \"batch_ns\": {}, \"phase_seconds_max\": {}}},\n",
      report.quick, report.rounds, number(report.seconds), report.settings.warm_up_calls,
      report.settings.single_calls, report.settings.batches, number(report.settings.batch_ns),
      number(report.settings.phase_seconds_max));
  text += fmt::format("  \"rows\": [{}\n  ],\n", joined(report.rows, row_text));
  text += fmt::format("  \"failures\": [{}]\n}}\n", joined(report.failures, json_text));
  return text;
}

}  // namespace nexusfix::bench
