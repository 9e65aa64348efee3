// Checks what makes a page of memory slow to reach, and the limits of a process.
#include <algorithm>
#include <fmt/format.h>

#include "nexusfix/doctor/doctor_checks.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kMemoryArea = "memory";
constexpr std::string_view kLimits = "limits";

Finding transparent_huge_pages(const Machine& machine) {
  constexpr std::string_view kPath = "/sys/kernel/mm/transparent_hugepage/enabled";
  Finding finding{.area = kMemoryArea, .name = "transparent huge pages"};
  const auto text = machine.text(std::string{kPath});
  if (!text) {
    finding.seen = "the kernel was built without them";
    return finding;
  }
  const std::size_t open = text->find('[');
  const std::size_t close = text->find(']');
  if (open == std::string::npos || close == std::string::npos) {
    finding.seen = *text;
    return finding;
  }
  finding.seen = text->substr(open + 1, close - open - 1);
  finding.level = finding.seen == "always" ? Level::Warning : Level::Ok;
  if (finding.level == Level::Warning) {
    finding.why =
        "The kernel merges the pages of a running program into large ones, and stops a thread that "
        "touches them meanwhile: hundreds of microseconds, at any time.";
    finding.change = fmt::format("echo madvise | sudo tee {}", kPath);
  }
  return finding;
}

Finding huge_pages(const Machine& machine) {
  Finding finding{.area = kMemoryArea, .name = "reserved huge pages"};
  const auto total = machine.value_of("/proc/meminfo", "HugePages_Total");
  const auto free = machine.value_of("/proc/meminfo", "HugePages_Free");
  if (!total || !free) {
    finding.seen = "nothing in /proc/meminfo";
    return finding;
  }
  finding.seen = fmt::format("{}, {} of them free", *total, *free);
  finding.level = *total != "0" && *total == *free ? Level::Advice : Level::Ok;
  if (finding.level == Level::Advice) {
    finding.why =
        "The engine needs none, and no program uses them: other uses lack this memory, such as the "
        "page cache that the journal is written to.";
    finding.change = "sudo sysctl -w vm.nr_hugepages=0";
  }
  return finding;
}

Finding nodes(const Machine& machine) {
  Finding finding{.area = kMemoryArea, .name = "NUMA nodes"};
  const auto online = machine.cpu_list("/sys/devices/system/node/online");
  if (!online) {
    finding.seen = "no /sys/devices/system/node";
    return finding;
  }
  finding.level = Level::Ok;
  if (online->size() < 2) {
    finding.seen = "one";
    return finding;
  }
  for (const unsigned node : *online) {
    const auto cpus = machine.text(fmt::format("/sys/devices/system/node/node{}/cpulist", node));
    finding.seen += fmt::format("{}{}: CPUs {}", finding.seen.empty() ? "" : "; ", node,
                                cpus.value_or("not known"));
  }
  const bool moves = machine.number("/proc/sys/kernel/numa_balancing").value_or(0) != 0;
  finding.why =
      "Memory and devices of another node are twice as far away: pin the engine (EventLoopCpu) to "
      "a CPU of the network card's node.";
  if (moves) {
    finding.level = Level::Warning;
    finding.seen += "; pages are moved between them";
    finding.why +=
        " The kernel unmaps pages to see which thread uses them, and a thread stops at each one.";
    finding.change = "sudo sysctl -w kernel.numa_balancing=0";
  }
  return finding;
}

Finding swap(const Machine& machine, const Plan& plan) {
  Finding finding{.area = kMemoryArea, .name = "swap"};
  const auto swaps = machine.text("/proc/swaps");
  if (!swaps) {
    finding.seen = "no /proc/swaps";
    return finding;
  }
  const auto lines = std::ranges::count(*swaps, '\n');  // the first one is the heading
  const auto swappiness = machine.number("/proc/sys/vm/swappiness");
  if (lines == 0) {
    finding.level = Level::Ok;
    finding.seen = "none";
    return finding;
  }
  finding.seen = fmt::format("{} area{}", lines, lines == 1 ? "" : "s");
  if (swappiness) finding.seen += fmt::format(", vm.swappiness = {}", *swappiness);
  if (plan.locks_memory) {
    finding.level = Level::Ok;
    finding.seen += "; LockMemory=Y";
    return finding;
  }
  finding.level = Level::Advice;
  finding.why =
      "The pages of an engine that was idle for hours are on the disk when the market opens. Each "
      "one takes milliseconds to load. Use LockMemory=Y, or switch swap off.";
  finding.change = "sudo swapoff -a";
  return finding;
}

// The soft limit in a line of /proc/self/limits: name, soft, hard, unit.
struct Limit {
  bool is_unlimited = false;
  std::uint64_t value = 0;
};
std::optional<Limit> limit_of(const Machine& machine, std::string_view name) {
  const auto text = machine.text("/proc/self/limits");
  if (!text) return std::nullopt;
  const std::size_t line = text->find(name);
  if (line == std::string::npos) return std::nullopt;
  const auto words = words_of(std::string_view{*text}.substr(line + name.size()));
  if (words.empty()) return std::nullopt;
  if (words[0] == "unlimited") return Limit{true, 0};
  return Limit{false, std::strtoull(std::string{words[0]}.c_str(), nullptr, 10)};
}

std::string limits_line(std::string_view what, std::string_view value) {
  return fmt::format(
      "echo \"$USER - {} {}\" | sudo tee -a /etc/security/limits.d/nexusfix.conf  # of a service: "
      "{}={} in its unit",
      what, value, what == "memlock" ? "LimitMEMLOCK" : "LimitNOFILE",
      value == "unlimited" ? "infinity" : value);
}

Finding locked_memory(const Machine& machine, const Plan& plan) {
  Finding finding{.area = kLimits, .name = "locked memory"};
  const auto limit = limit_of(machine, "Max locked memory");
  if (!limit) {
    finding.seen = "not said in /proc/self/limits";
    return finding;
  }
  finding.seen = limit->is_unlimited ? "unlimited" : fmt::format("{} KiB", limit->value / 1024);
  if (limit->is_unlimited) {
    finding.level = Level::Ok;
    return finding;
  }
  finding.level = plan.locks_memory ? Level::Warning : Level::Advice;
  finding.why =
      "With LockMemory=Y the engine starts only as root or without a limit on locked memory: with "
      "a limit, later mappings would fail.";
  finding.change = limits_line("memlock", "unlimited");
  return finding;
}

Finding open_files(const Machine& machine, const Plan& plan) {
  constexpr std::uint64_t kFew = 4'096;
  constexpr std::uint64_t kOfEngine = 64;  // the journal, listeners, epoll
  Finding finding{.area = kLimits, .name = "open files"};
  const auto limit = limit_of(machine, "Max open files");
  if (!limit) {
    finding.seen = "not said in /proc/self/limits";
    return finding;
  }
  finding.seen = limit->is_unlimited ? "unlimited" : std::to_string(limit->value);
  if (plan.sessions > 0) finding.seen += fmt::format(", for {}", counted(plan.sessions, "session"));
  const std::uint64_t wanted = plan.sessions > 0 ? plan.sessions + kOfEngine : kFew;
  if (limit->is_unlimited || limit->value >= wanted) {
    finding.level = Level::Ok;
    return finding;
  }
  finding.level = plan.sessions > 0 ? Level::Warning : Level::Advice;
  finding.why =
      "Each connection needs one. When none is left, the connection of a counterparty is closed at "
      "once.";
  finding.change = limits_line("nofile", std::to_string(std::max<std::uint64_t>(65'536, wanted)));
  return finding;
}

Finding real_time_priority(const Machine& machine) {
  Finding finding{.area = kLimits, .name = "real-time priority"};
  const auto limit = limit_of(machine, "Max realtime priority");
  if (!limit) {
    finding.seen = "not said in /proc/self/limits";
    return finding;
  }
  finding.level = Level::Ok;
  finding.seen = limit->is_unlimited ? "unlimited" : std::to_string(limit->value);
  finding.why = "Not needed: the engine does not ask for one.";
  return finding;
}

}  // namespace

void examine_memory(const Machine& machine, const Plan& plan, Findings& findings) {
  findings.push_back(transparent_huge_pages(machine));
  findings.push_back(huge_pages(machine));
  findings.push_back(nodes(machine));
  findings.push_back(swap(machine, plan));
}

void examine_limits(const Machine& machine, const Plan& plan, Findings& findings) {
  findings.push_back(locked_memory(machine, plan));
  findings.push_back(open_files(machine, plan));
  findings.push_back(real_time_priority(machine));
}

}  // namespace nexusfix::command
