// The report for programs. Names are a contract: members are added, none is renamed.
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

#include "bench/report/report.hpp"
#include "nexusfix/text/json.hpp"

namespace nexusfix::bench {
namespace {

using command::Json;

// Six significant digits. JSON has neither infinity nor "not a number": they are null.
Json number(double value) {
  if (!std::isfinite(value)) return {};
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

Json number(const std::optional<double>& value) { return value ? number(*value) : Json{}; }

void set_figures(Json& json, const Figures& f) {
  json.set("p50", number(f.p50));
  json.set("p99", number(f.p99));
  json.set("p999", number(f.p999));
  json.set("min", number(f.min));
  json.set("max", number(f.max));
  json.set("batch", number(f.batch));
  json.set("batch_median", number(f.batch_median));
  json.set("batch_best", number(f.batch_best));
  json.set("single_calls", f.single_calls);
  json.set("batches", f.batches);
  json.set("batch_calls", f.batch_calls);
  Json percentiles = Json::object();
  constexpr double kPercent = 100;
  for (std::size_t i = 0; i < kPercentileShares.size(); ++i) {
    percentiles.set(fmt::format("{:g}", kPercentileShares[i] * kPercent), number(f.percentiles[i]));
  }
  json.set("percentiles", std::move(percentiles));
}

Json json_of(const GrowthPoint& point) {
  return Json::object({{"curve", point.curve},
                       {"sessions", number(point.sessions)},
                       {"live", number(point.live)},
                       {"open_us", number(point.open_us)},
                       {"memory_kib", number(point.memory_kib)},
                       {"logon_us", number(point.logon_us)},
                       {"order_us", number(point.order_us)},
                       {"idle_us", number(point.idle_us)}});
}

Json json_of(const RowReport& row) {
  Json peers = Json::object();
  for (const Result& peer : row.peers) {
    Json json = Json::object();
    set_figures(json, peer.figures);
    json.set("times_faster", number(times_faster(row, peer)));
    peers.set(peer.subject, std::move(json));
  }
  Json json = Json::object(
      {{"name", row.spec.name}, {"unit", to_string(row.spec.unit)}, {"purpose", row.spec.purpose}});
  set_figures(json, row.ours.figures);
  json.set("messages_per_s", number(row.operations_per_second()));
  json.set("mb_per_s", number(row.megabytes_per_second()));
  json.set("message_bytes", row.bytes == 0 ? Json{} : number(row.bytes));
  json.set("published", number(row.spec.published));
  json.set("budget", number(budget_of(row)));
  json.set("within_budget", budget_of(row) ? Json{within_budget(row)} : Json{});
  json.set("peers", std::move(peers));
  if (row.growth) json.set("growth", json_of(*row.growth));
  return json;
}

Json json_of(const Machine& m) {
  return Json::object({{"cpu", m.cpu},
                       {"virtual", m.is_virtual},
                       {"core", m.core},
                       {"cores", m.cores},
                       {"governor", m.governor},
                       {"system", m.system},
                       {"cpu_flags", m.cpu_flags}});
}

}  // namespace

std::string to_json(const Report& report) {
  const Machine& m = report.machine;
  return Json::object(
             {{"date", report.date.empty() ? Json{} : Json{report.date}},
              {"machine", json_of(m)},
              {"compiler", m.compiler},
              {"compiler_flags", m.compiler_flags},
              {"commit", m.commit.empty() ? Json{} : Json{m.commit}},
              {"kernel", m.kernel},
              {"timer", Json::object({{"cost_ns", number(report.timer.cost_ns)},
                                      {"cost_min_ns", number(report.timer.cost_min_ns)},
                                      {"step_ns", number(report.timer.step_ns)},
                                      {"ticks_per_ns", number(1 / report.timer.ns_per_tick)}})},
              {"quick", report.quick},
              {"rounds", report.rounds},
              {"seconds", number(report.seconds)},
              {"settings",
               Json::object({{"warm_up_calls", report.settings.warm_up_calls},
                             {"single_calls", report.settings.single_calls},
                             {"batches", report.settings.batches},
                             {"batch_ns", number(report.settings.batch_ns)},
                             {"phase_seconds_max", number(report.settings.phase_seconds_max)}})},
              {"rows", Json::array(report.rows, [](const RowReport& row) { return json_of(row); })},
              {"failures", Json::array(report.failures)}})
      .document();
}

}  // namespace nexusfix::bench
