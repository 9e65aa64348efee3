// Checks what else runs on the engine's CPUs: other programs, the kernel, interrupts, the other
// hyper-thread. Checks the CPU quota, which stops the engine, too.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "nexusfix/doctor/doctor_checks.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kIsolationArea = "isolation";

// The CPUs for the engine: those of the configuration, or else those of the last core, if there is
// more than one core.
CpuList wanted_cpus(const Machine& machine, const Plan& plan) {
  if (!plan.cpus.empty()) return plan.cpus;
  const CpuList cpus = machine.cpus();
  CpuList last = machine.siblings(cpus.back());
  return last.size() < cpus.size() ? std::move(last) : CpuList{};
}

// Writes a file of its own, which Debian's grub reads.
std::string kernel_option(std::string_view option) {
  return fmt::format(
      "echo 'GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX {}\"' | sudo tee -a "
      "/etc/default/grub.d/low-latency.cfg && sudo update-grub && sudo reboot",
      option);
}

Finding isolated(const Machine& machine, const Plan& plan) {
  Finding finding{.area = kIsolationArea, .name = "isolated CPUs"};
  const CpuList isolated = machine.isolated_cpus();
  const CpuList wanted = wanted_cpus(machine, plan);
  const CpuList missing = cpus_without(wanted, isolated);
  finding.seen = isolated.empty() ? fmt::format("none of {}", cpu_list_text(machine.cpus()))
                                  : cpu_list_text(isolated);
  const CpuList absent = cpus_without(plan.cpus, machine.cpus());
  if (!absent.empty()) {
    finding.level = Level::Warning;
    finding.seen += fmt::format("; EventLoopCpu={} is not online", cpu_list_text(absent));
    finding.why = "The engine refuses to start: it cannot be pinned there.";
    return finding;
  }
  if (wanted.empty()) {
    finding.level = Level::Advice;
    finding.why = "This machine has one core: the engine shares it with everything else.";
    return finding;
  }
  if (plan.cpus.empty() ? !isolated.empty() : missing.empty()) {
    finding.level = Level::Ok;
    return finding;
  }
  finding.level = plan.spins ? Level::Warning : Level::Advice;
  if (!plan.cpus.empty())
    finding.seen += fmt::format("; of EventLoopCpu, not {}", cpu_list_text(missing));
  finding.why =
      "The scheduler runs other threads on the engine's CPU, and the engine waits for "
      "milliseconds. An isolated CPU runs only threads that are pinned to it (EventLoopCpu).";
  finding.change = kernel_option("isolcpus=managed_irq,domain," + cpu_list_text(wanted));
  return finding;
}

Finding tickless(const Machine& machine, const Plan& plan) {
  Finding finding{.area = kIsolationArea, .name = "timer tick"};
  const auto text = machine.text("/sys/devices/system/cpu/nohz_full");
  const CpuList wanted = wanted_cpus(machine, plan);
  const auto tickless = text ? read_cpu_list(*text == "(null)" ? "" : *text) : std::nullopt;
  if (!tickless) {
    finding.seen = "no nohz_full: the kernel was built without it";
    return finding;
  }
  finding.seen = tickless->empty() ? "on every CPU" : "off on " + cpu_list_text(*tickless);
  if (wanted.empty() || cpus_without(wanted, *tickless).empty() ||
      (plan.cpus.empty() && !tickless->empty())) {
    finding.level = Level::Ok;
    return finding;
  }
  finding.level = Level::Advice;
  finding.why =
      "The timer interrupts a spinning engine 100 to 1,000 times a second, some microseconds each "
      "time.";
  finding.change = kernel_option("nohz_full=" + cpu_list_text(wanted));
  return finding;
}

// nohz_full includes it.
Finding callbacks(const Machine& machine, const Plan& plan) {
  constexpr std::string_view kOption = "rcu_nocbs=";
  Finding finding{.area = kIsolationArea, .name = "kernel callbacks"};
  const auto command_line = machine.text("/proc/cmdline");
  if (!command_line) {
    finding.seen = "no /proc/cmdline";
    return finding;
  }
  CpuList away;
  for (const std::string_view word : words_of(*command_line)) {
    for (const std::string_view option : {kOption, std::string_view{"nohz_full="}}) {
      if (!word.starts_with(option)) continue;
      const auto cpus = word.substr(option.size()) == "all"
                            ? machine.cpus()
                            : read_cpu_list(word.substr(option.size())).value_or(CpuList{});
      away.insert(away.end(), cpus.begin(), cpus.end());
    }
  }
  std::ranges::sort(away);
  away.erase(std::unique(away.begin(), away.end()), away.end());
  finding.seen = away.empty() ? "on every CPU" : "moved away from " + cpu_list_text(away);
  const CpuList wanted = wanted_cpus(machine, plan);
  if (wanted.empty() || cpus_without(wanted, away).empty() ||
      (plan.cpus.empty() && !away.empty())) {
    finding.level = Level::Ok;
    return finding;
  }
  finding.level = Level::Advice;
  finding.why =
      "The kernel frees its memory (RCU) on the engine's CPU: tens of microseconds each time.";
  finding.change = kernel_option(std::string{kOption} + cpu_list_text(wanted));
  return finding;
}

Finding hyper_threads(const Machine& machine, const Plan& plan) {
  Finding finding{.area = kIsolationArea, .name = "hyper-threads"};
  const auto active = machine.number("/sys/devices/system/cpu/smt/active");
  if (!active) {
    finding.seen = "no smt/active";
    return finding;
  }
  if (*active == 0) {
    finding.level = Level::Ok;
    finding.seen = "off";
    return finding;
  }
  const CpuList wanted = wanted_cpus(machine, plan);
  const CpuList isolated = machine.isolated_cpus();
  CpuList shared;
  for (const unsigned cpu : wanted) {
    for (const unsigned sibling : machine.siblings(cpu)) {
      const bool is_quiet = std::ranges::binary_search(isolated, sibling);
      if (sibling != cpu && (!is_quiet || std::ranges::binary_search(plan.cpus, sibling)))
        shared.push_back(sibling);
    }
  }
  std::ranges::sort(shared);
  finding.seen = "on";
  finding.level = Level::Ok;
  if (shared.empty()) {
    finding.seen += ", and the other thread of the engine's core is isolated";
    return finding;
  }
  finding.level = plan.cpus.empty() ? Level::Advice : Level::Warning;
  finding.seen +=
      fmt::format("; {} shares a core with {}", cpu_list_text(wanted), cpu_list_text(shared));
  finding.why =
      "Two hyper-threads share the caches and execution units of a core: a program on the other "
      "one costs the engine a third of its speed or more. Keep it idle, or switch them off.";
  finding.change = "echo off | sudo tee /sys/devices/system/cpu/smt/control";
  return finding;
}

Finding interrupt_balancing(const Machine& machine) {
  Finding finding{.area = kIsolationArea, .name = "irqbalance"};
  constexpr std::array<std::string_view, 2> kGroups{"/sys/fs/cgroup", "/sys/fs/cgroup/systemd"};
  bool is_known = false;
  bool runs = false;
  for (const std::string_view group : kGroups) {
    const std::string folder{group};
    is_known = is_known || machine.text(folder + "/system.slice/cgroup.procs").has_value();
    runs = runs || !machine.text(folder + "/system.slice/irqbalance.service/cgroup.procs")
                        .value_or("")
                        .empty();
  }
  if (!is_known && !runs) {
    finding.seen = "services are not visible from here";
    return finding;
  }
  finding.seen = runs ? "runs" : "does not run";
  finding.level = runs ? Level::Advice : Level::Ok;
  if (runs) {
    finding.why =
        "It moves interrupts between CPUs, also to the engine's CPU, and away from the CPU that "
        "reads the network card's queue.";
    finding.change = "sudo systemctl disable --now irqbalance";
  }
  return finding;
}

// Devices whose interrupts may come to the engine's CPUs.
Finding interrupts(const Machine& machine, const Plan& plan) {
  Finding finding{.area = kIsolationArea, .name = "interrupts"};
  const CpuList engine = plan.cpus.empty() ? machine.isolated_cpus() : plan.cpus;
  const auto table = machine.text("/proc/interrupts");
  if (!table) {
    finding.seen = "no /proc/interrupts";
    return finding;
  }
  if (engine.empty()) {
    finding.level = Level::Ok;
    finding.seen = "no CPU is reserved for the engine";
    return finding;
  }
  std::string first;
  std::size_t count = 0;
  for (const std::string_view word : words_of(*table)) {
    if (!word.ends_with(':') || word.find_first_not_of("0123456789:") != word.npos) continue;
    const std::string number{word.substr(0, word.size() - 1)};
    const auto cpus = machine.cpu_list("/proc/irq/" + number + "/effective_affinity_list");
    if (!cpus || cpus_without(*cpus, engine).size() == cpus->size()) continue;
    if (count++ == 0) first = number;
  }
  finding.level = count == 0 ? Level::Ok : Level::Advice;
  finding.seen = fmt::format("{} {} {}", counted(count, "device"),
                             count == 1 ? "interrupts" : "interrupt", cpu_list_text(engine));
  if (count == 0) return finding;
  const CpuList others = cpus_without(machine.cpus(), engine);
  finding.why =
      "Each interrupt takes the CPU for microseconds. Only the interrupt of the engine's own "
      "network card belongs there, and only if the engine does not spin.";
  finding.change = fmt::format(
      "for i in /proc/irq/*/smp_affinity_list; do echo {} | sudo tee \"$i\" >/dev/null; done",
      cpu_list_text(others));
  return finding;
}

// "200000 100000", or "max 100000": microseconds within each period.
struct Quota {
  double cpus = 0;  // 0: none
  std::string place{};
};

Quota quota_of_unified(const Machine& machine, std::string group) {
  Quota least;
  while (true) {
    const std::string path = "/sys/fs/cgroup" + (group == "/" ? "" : group) + "/cpu.max";
    const auto text = machine.text(path);
    const auto words = words_of(text ? std::string_view{*text} : std::string_view{});
    if (words.size() == 2 && words[0] != "max") {
      const double cpus = std::strtod(std::string{words[0]}.c_str(), nullptr) /
                          std::max(1.0, std::strtod(std::string{words[1]}.c_str(), nullptr));
      if (least.cpus == 0 || cpus < least.cpus) least = {cpus, path};
    }
    const std::size_t slash = group.rfind('/');
    if (slash == std::string::npos || group == "/") return least;
    group = slash == 0 ? "/" : group.substr(0, slash);
  }
}

Finding cpu_quota(const Machine& machine) {
  Finding finding{.area = kIsolationArea, .name = "CPU quota"};
  const auto groups = machine.text("/proc/self/cgroup");
  if (!groups) {
    finding.seen = "no /proc/self/cgroup";
    return finding;
  }
  Quota quota;
  for (const std::string_view line : words_of(*groups)) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string group{line.substr(second + 1)};
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty()) quota = quota_of_unified(machine, group);
    if (controllers != "cpu" && controllers != "cpu,cpuacct") continue;
    const std::string folder = fmt::format("/sys/fs/cgroup/{}{}/cpu.cfs_", controllers, group);
    const auto micros = machine.number(folder + "quota_us");
    const auto period = machine.number(folder + "period_us");
    if (micros.value_or(-1) > 0 && period.value_or(0) > 0)
      quota = {static_cast<double>(*micros) / static_cast<double>(*period), folder + "quota_us"};
  }
  if (quota.cpus == 0) {
    finding.level = Level::Ok;
    finding.seen = "none";
    return finding;
  }
  finding.level = Level::Warning;
  finding.seen = fmt::format("{:g} CPUs, by {}", quota.cpus, quota.place);
  finding.why =
      "When the quota of a period (mostly 100 ms) is used up, the kernel stops every thread of the "
      "group until the next period: tens of milliseconds, at the busiest moment. If the "
      "quota must stay, set BusySpin=N, because polling uses up the quota.";
  finding.change = quota.place.ends_with("cpu.max")
                       ? fmt::format("echo max | sudo tee {}", quota.place)
                       : fmt::format("echo -1 | sudo tee {}", quota.place);
  return finding;
}

}  // namespace

void examine_isolation(const Machine& machine, const Plan& plan, Findings& findings) {
  findings.push_back(isolated(machine, plan));
  findings.push_back(tickless(machine, plan));
  findings.push_back(callbacks(machine, plan));
  findings.push_back(hyper_threads(machine, plan));
  findings.push_back(interrupt_balancing(machine));
  findings.push_back(interrupts(machine, plan));
  findings.push_back(cpu_quota(machine));
}

}  // namespace nexusfix::command
