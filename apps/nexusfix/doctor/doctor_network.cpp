// Checks how the kernel passes bytes between the network card and the engine.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "nexusfix/doctor/doctor_checks.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kNetworkArea = "network";

Finding busy_poll(const Machine& machine, const Plan& plan) {
  Finding finding{.area = kNetworkArea, .name = "busy poll"};
  const auto micros = machine.number("/proc/sys/net/core/busy_poll");
  if (!micros) {
    finding.seen = "no net.core.busy_poll";
    return finding;
  }
  finding.seen = fmt::format("net.core.busy_poll = {} µs", *micros);
  // A spinning engine polls all the time. Only a sleeping one waits for interrupts.
  finding.level = *micros > 0 || plan.spins ? Level::Ok : Level::Advice;
  if (finding.level == Level::Advice) {
    finding.why =
        "Before the engine sleeps, the kernel can poll the card's queue for this time, and needs "
        "no interrupt for what arrives meanwhile. It helps with a real card, not on loopback, and "
        "costs CPU time.";
    finding.change = "sudo sysctl -w net.core.busy_poll=50";
  }
  return finding;
}

Finding buffer(const Machine& machine, std::string_view key, std::string_view name,
               std::uint64_t wanted) {
  Finding finding{.area = kNetworkArea, .name = name};
  const auto most = machine.number(fmt::format("/proc/sys/net/core/{}", key));
  if (!most) {
    finding.seen = fmt::format("no net.core.{}", key);
    return finding;
  }
  finding.seen = fmt::format("net.core.{} = {}", key, *most);
  if (std::cmp_greater_equal(*most, wanted)) {
    finding.level = Level::Ok;
    return finding;
  }
  finding.level = Level::Warning;
  finding.seen += fmt::format(", the configuration asks for {}", wanted);
  finding.why = "The kernel silently limits a socket's buffer to this size.";
  finding.change = fmt::format("sudo sysctl -w net.core.{}={}", key, wanted);
  return finding;
}

Finding slow_start(const Machine& machine) {
  Finding finding{.area = kNetworkArea, .name = "TCP after a pause"};
  const auto on = machine.number("/proc/sys/net/ipv4/tcp_slow_start_after_idle");
  if (!on) {
    finding.seen = "no net.ipv4.tcp_slow_start_after_idle";
    return finding;
  }
  finding.seen = fmt::format("net.ipv4.tcp_slow_start_after_idle = {}", *on);
  finding.level = *on == 0 ? Level::Ok : Level::Advice;
  if (*on != 0) {
    finding.why =
        "After a short pause a connection starts with ten packets again, and the rest of a burst "
        "waits for a round trip to the counterparty.";
    finding.change = "sudo sysctl -w net.ipv4.tcp_slow_start_after_idle=0";
  }
  return finding;
}

// The cards, each with its speed and its NUMA node. /proc/net/dev names them in its first column.
Finding cards(const Machine& machine, const Plan& plan) {
  Finding finding{.area = kNetworkArea, .name = "network cards"};
  const auto table = machine.text("/proc/net/dev");
  if (!table) {
    finding.seen = "no /proc/net/dev";
    return finding;
  }
  CpuList near;
  for (const std::string_view word : words_of(*table)) {
    if (!word.ends_with(':') || word == "lo:") continue;
    const std::string name{word.substr(0, word.size() - 1)};
    const std::string folder = "/sys/class/net/" + name + "/";
    finding.seen += (finding.seen.empty() ? "" : "; ") + name;
    const auto speed = machine.number(folder + "speed");
    if (speed.value_or(-1) > 0) finding.seen += fmt::format(" {} Mbit/s", *speed);
    const auto node = machine.number(folder + "device/numa_node");
    if (node.value_or(-1) < 0) continue;
    finding.seen += fmt::format(" on node {}", *node);
    const auto cpus =
        machine.cpu_list(fmt::format("/sys/devices/system/node/node{}/cpulist", *node));
    if (cpus) near.insert(near.end(), cpus->begin(), cpus->end());
  }
  std::ranges::sort(near);
  const CpuList far = near.empty() ? CpuList{} : cpus_without(plan.cpus, near);
  if (finding.seen.empty()) finding.seen = "loopback only";
  finding.level = far.empty() ? Level::Ok : Level::Advice;
  if (!far.empty()) {
    finding.seen += fmt::format("; EventLoopCpu={} is of another node", cpu_list_text(far));
    finding.why =
        "Each packet crosses between NUMA nodes: about 100 ns for each cache line. Choose CPUs of "
        "the card's node.";
  }
  return finding;
}

}  // namespace

void examine_network(const Machine& machine, const Plan& plan, Findings& findings) {
  findings.push_back(busy_poll(machine, plan));
  findings.push_back(buffer(machine, "rmem_max", "receive buffers", plan.receive_buffer_bytes));
  findings.push_back(buffer(machine, "wmem_max", "send buffers", plan.send_buffer_bytes));
  findings.push_back(slow_start(machine));
  findings.push_back(cards(machine, plan));
}

}  // namespace nexusfix::command
