#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "nexusfix/doctor/doctor.hpp"
#include "nexusfix/doctor/doctor_checks.hpp"
#include "nexusfix/text/json.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

constexpr std::size_t kColumns = 96;

}  // namespace

Findings examine(const Machine& machine, const Plan& plan) {
  Findings findings;
  examine_cpus(machine, plan, findings);
  examine_isolation(machine, plan, findings);
  examine_memory(machine, plan, findings);
  examine_limits(machine, plan, findings);
  examine_network(machine, plan, findings);
  examine_journal(machine, plan, findings);
  return findings;
}

std::string_view to_string(Level level) noexcept {
  constexpr std::array<std::string_view, 4> kNames{"ok", "advice", "warning", "unknown"};
  return kNames[static_cast<std::size_t>(level)];
}

bool has_warning(const Findings& findings) noexcept {
  return std::ranges::find(findings, Level::Warning, &Finding::level) != findings.end();
}

std::string doctor_text(const Machine& machine, const Findings& findings, bool all) {
  std::string out = counted(machine.cpus().size(), "CPU");
  if (const auto model = machine.value_of("/proc/cpuinfo", "model name")) out += ", " + *model;
  if (const auto kernel = machine.text("/proc/sys/kernel/osrelease")) out += ", Linux " + *kernel;
  out += '\n';
  std::string_view area;
  std::array<std::size_t, 4> counts{};
  for (const Finding& finding : findings) {
    ++counts[static_cast<std::size_t>(finding.level)];
    if (finding.area != area) out += fmt::format("\n{}\n", finding.area);
    area = finding.area;
    append_wrapped(out, fmt::format("  {:<9}{:<24}", to_string(finding.level), finding.name),
                   finding.seen, kColumns);
    const bool is_explained =
        all || finding.level == Level::Advice || finding.level == Level::Warning;
    if (is_explained && !finding.why.empty())
      append_wrapped(out, std::string(11, ' '), finding.why, kColumns);
    if (!finding.change.empty()) out += fmt::format("           $ {}\n", finding.change);
  }
  return out + fmt::format("\n{} warning{}, {} advice, {} ok, {} unknown\n", counts[2],
                           counts[2] == 1 ? "" : "s", counts[1], counts[0], counts[3]);
}

std::string doctor_json(const Findings& findings) {
  const auto json_of = [](const Finding& finding) {
    return Json::object({{"area", finding.area},
                         {"name", finding.name},
                         {"level", to_string(finding.level)},
                         {"seen", finding.seen},
                         {"why", finding.why},
                         {"change", finding.change}});
  };
  return Json::object({{"findings", Json::array(findings, json_of)}}).document();
}

}  // namespace nexusfix::command
