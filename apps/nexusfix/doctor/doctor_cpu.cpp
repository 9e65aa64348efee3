// Checks the frequency of the CPUs, their idle states, and the clock source.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "nexusfix/doctor/doctor_checks.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kCpuArea = "cpu";
// A core that takes longer than this to wake up costs more than the engine's own work.
constexpr std::int64_t kWakeMicrosMax = 10;
constexpr unsigned kIdleStatesMax = 32;

Finding governor(const Machine& machine) {
  Finding finding{.area = kCpuArea, .name = "governor"};
  std::map<std::string, CpuList> governors;
  for (const unsigned cpu : machine.cpus()) {
    if (const auto text = machine.text(cpu_path(cpu, "cpufreq/scaling_governor")))
      governors[*text].push_back(cpu);
  }
  if (governors.empty()) {
    finding.seen = "no cpufreq: the firmware or the host decides";
    return finding;
  }
  for (const auto& [name, cpus] : governors) {
    if (!finding.seen.empty()) finding.seen += "; ";
    finding.seen += fmt::format("{} on {}", name, cpu_list_text(cpus));
  }
  if (governors.size() == 1 && governors.contains("performance")) {
    finding.level = Level::Ok;
    return finding;
  }
  finding.level = Level::Warning;
  finding.why =
      "A CPU that waits for orders looks idle, so that the kernel lowers its clock. It handles the "
      "next order at a fraction of its speed, and needs milliseconds to reach full speed again.";
  finding.change = "sudo cpupower frequency-set --governor performance";
  return finding;
}

Finding turbo(const Machine& machine) {
  Finding finding{.area = kCpuArea, .name = "turbo"};
  const auto no_turbo = machine.number("/sys/devices/system/cpu/intel_pstate/no_turbo");
  const auto boost = machine.number("/sys/devices/system/cpu/cpufreq/boost");
  if (!no_turbo && !boost) {
    finding.seen = "the machine does not report turbo";
    return finding;
  }
  const bool is_on = no_turbo ? *no_turbo == 0 : *boost != 0;
  finding.seen = is_on ? "on" : "off";
  finding.level = is_on ? Level::Ok : Level::Advice;
  finding.why = is_on ? "The fastest clock depends on how busy the other cores are: without turbo "
                        "times are longer and more even."
                      : "Times are even, and longer: a core could be clocked up to half as fast "
                        "again.";
  if (!is_on) {
    finding.change = no_turbo ? "echo 0 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
                              : "echo 1 | sudo tee /sys/devices/system/cpu/cpufreq/boost";
  }
  return finding;
}

Finding idle_states(const Machine& machine, const Plan& plan) {
  Finding finding{.area = kCpuArea, .name = "idle states"};
  const unsigned cpu = plan.cpus.empty() ? machine.cpus().front() : plan.cpus.front();
  std::int64_t slowest = -1;
  std::string slowest_name;
  for (unsigned state = 0; state < kIdleStatesMax; ++state) {
    const std::string path = cpu_path(cpu, fmt::format("cpuidle/state{}/", state));
    const auto latency = machine.number(path + "latency");
    if (!latency) break;
    if (machine.number(path + "disable").value_or(0) != 0 || *latency <= slowest) continue;
    slowest = *latency;
    slowest_name = machine.text(path + "name").value_or("?");
  }
  const std::string driver =
      machine.text("/sys/devices/system/cpu/cpuidle/current_driver").value_or("none");
  if (slowest < 0) {
    finding.seen = fmt::format("driver {}: CPU {} reports no idle states", driver, cpu);
    return finding;
  }
  finding.seen = fmt::format("driver {}, deepest on CPU {}: {}, wakes up in {} µs", driver, cpu,
                             slowest_name, slowest);
  if (slowest <= kWakeMicrosMax) {
    finding.level = Level::Ok;
    return finding;
  }
  // A spinning CPU does not sleep, so that it has no wake-up time. Other CPUs, which handle
  // interrupts for it, still sleep.
  finding.level = plan.spins ? Level::Advice : Level::Warning;
  finding.why = fmt::format(
      "An engine that sleeps until an order comes is up to {} µs late each time. BusySpin=Y never "
      "sleeps. Or keep the core out of deep idle states.",
      slowest);
  finding.change = fmt::format("sudo cpupower idle-set --disable-by-latency {}", kWakeMicrosMax);
  return finding;
}

Finding clock_source(const Machine& machine) {
  constexpr std::string_view kFolder = "/sys/devices/system/clocksource/clocksource0/";
  Finding finding{.area = kCpuArea, .name = "clock source"};
  const auto current = machine.text(std::string{kFolder} + "current_clocksource");
  if (!current) {
    finding.seen = "no clocksource0";
    return finding;
  }
  finding.seen = *current;
  // These are read without a system call.
  constexpr std::string_view kFast[] = {"tsc", "kvm-clock", "arch_sys_counter",
                                        "hyperv_clocksource_tsc_page"};
  if (std::ranges::find(kFast, *current) != std::end(kFast)) {
    finding.level = Level::Ok;
    return finding;
  }
  finding.level = Level::Warning;
  finding.why =
      "Each read of the clock is a system call and a read of a slow device: about 1 µs instead of "
      "20 ns. The engine reads it once or twice for each batch that it receives.";
  const auto available = machine.text(std::string{kFolder} + "available_clocksource");
  const auto words = words_of(available ? std::string_view{*available} : std::string_view{});
  const auto better = std::ranges::find_first_of(kFast, words);
  if (better != std::end(kFast))
    finding.change = fmt::format("echo {} | sudo tee {}current_clocksource", *better, kFolder);
  return finding;
}

Finding time_stamp_counter(const Machine& machine) {
  Finding finding{.area = kCpuArea, .name = "time stamp counter"};
  const auto flags = machine.value_of("/proc/cpuinfo", "flags");
  if (!flags) {
    finding.seen = "no flags in /proc/cpuinfo: not an x86 CPU";
    return finding;
  }
  const auto words = words_of(*flags);
  std::string missing;
  for (const std::string_view flag : {"constant_tsc", "nonstop_tsc"}) {
    if (std::ranges::find(words, flag) != words.end()) continue;
    missing += missing.empty() ? "" : ", ";
    missing += flag;
  }
  finding.level = missing.empty() ? Level::Ok : Level::Advice;
  finding.seen = missing.empty() ? "constant_tsc and nonstop_tsc" : "not reported: " + missing;
  if (!missing.empty()) {
    finding.why =
        "The kernel cannot use a counter that changes its speed or stops as a clock: it may change "
        "to a slow clock source while the engine runs.";
  }
  return finding;
}

// The eighth number after "cpu": the time that the host gave to other machines.
std::optional<double> stolen_share(const Machine& machine) {
  const auto stat = machine.text("/proc/stat");
  if (!stat) return std::nullopt;
  const auto words = words_of(std::string_view{*stat}.substr(0, stat->find('\n')));
  constexpr std::size_t kSteal = 8;
  if (words.size() <= kSteal || words[0] != "cpu") return std::nullopt;
  double all = 0;
  double stolen = 0;
  for (std::size_t i = 1; i <= kSteal; ++i) {
    stolen = std::strtod(std::string{words[i]}.c_str(), nullptr);
    all += stolen;
  }
  return all > 0 ? stolen / all : 0;
}

Finding virtual_machine(const Machine& machine) {
  constexpr double kStolenMax = 0.001;
  Finding finding{.area = kCpuArea, .name = "virtual machine"};
  const auto flags = machine.value_of("/proc/cpuinfo", "flags");
  const auto type = machine.text("/sys/hypervisor/type");
  if (!flags && !type) {
    finding.seen = "the machine does not report whether it is one";
    return finding;
  }
  const auto words = words_of(flags ? std::string_view{*flags} : std::string_view{});
  if (!type && std::ranges::find(words, "hypervisor") == words.end()) {
    finding.level = Level::Ok;
    finding.seen = "no";
    return finding;
  }
  finding.seen = "yes";
  if (const auto product = machine.text("/sys/class/dmi/id/product_name"))
    finding.seen += ", " + *product;
  const auto stolen = stolen_share(machine);
  if (stolen)
    finding.seen += fmt::format("; {:.2f} % of the time went to other machines", *stolen * 100);
  finding.level = stolen.value_or(0) > kStolenMax ? Level::Warning : Level::Advice;
  finding.why =
      "The host takes the CPU away for milliseconds at any time, and each interrupt costs a change "
      "into the host. Nothing in here changes that: ask for CPUs of your own, or for a machine.";
  return finding;
}

Finding real_time_limit(const Machine& machine) {
  Finding finding{.area = kCpuArea, .name = "real-time share"};
  const auto runtime = machine.number("/proc/sys/kernel/sched_rt_runtime_us");
  if (!runtime) {
    finding.seen = "no kernel.sched_rt_runtime_us";
    return finding;
  }
  finding.level = Level::Ok;
  finding.seen = fmt::format("kernel.sched_rt_runtime_us = {}", *runtime);
  finding.why = *runtime < 0
                    ? "A thread of SCHED_FIFO that spins or polls never lets the kernel's own "
                      "threads run on its CPU. The engine does not ask for such priorities."
                    : "A thread of SCHED_FIFO that spins or polls is stopped for the rest of each "
                      "second. The engine does not ask for such priorities: pin it to an "
                      "isolated CPU instead.";
  return finding;
}

}  // namespace

void examine_cpus(const Machine& machine, const Plan& plan, Findings& findings) {
  findings.push_back(governor(machine));
  findings.push_back(turbo(machine));
  findings.push_back(idle_states(machine, plan));
  findings.push_back(clock_source(machine));
  findings.push_back(time_stamp_counter(machine));
  findings.push_back(virtual_machine(machine));
  findings.push_back(real_time_limit(machine));
}

}  // namespace nexusfix::command
