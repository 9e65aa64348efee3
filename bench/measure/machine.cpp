#include "bench/measure/machine.hpp"

#include <fmt/format.h>
#include <fstream>
#include <sched.h>
#include <string_view>
#include <sys/utsname.h>

#include <nexusfix/wire/parser.hpp>

#include "bench/commit.hpp"

namespace nexusfix::bench {
namespace {

// The text after the colon in the first line of /proc/cpuinfo with this name.
std::string cpu_info(std::string_view name) {
  std::ifstream file{"/proc/cpuinfo"};
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with(name) || colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(' ', colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::string first_line(const std::string& path) {
  std::ifstream file{path};
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

const CoreSet& allowed_cores() {
  static const CoreSet cores = current_cores();
  return cores;
}

CoreSet current_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CoreSet cores;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  }
  return cores;
}

bool run_on_cores(const CoreSet& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) {
    if (core < 0 || core >= CPU_SETSIZE) return false;
    CPU_SET(static_cast<std::size_t>(core), &set);
  }
  return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

Machine describe_machine(int core) {
  Machine machine;
  machine.cpu = cpu_info("model name");
  if (machine.cpu.empty()) machine.cpu = "unknown";
  machine.cpu_flags = cpu_info("flags");
  if (machine.cpu_flags.empty()) machine.cpu_flags = cpu_info("Features");
  machine.is_virtual = (" " + machine.cpu_flags + " ").find(" hypervisor ") != std::string::npos;
  machine.governor =
      first_line(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", core));
  if (machine.governor.empty()) machine.governor = "unknown";
  utsname name{};
  if (::uname(&name) == 0) machine.system = fmt::format("{} {}", name.sysname, name.release);
  machine.core = core;
#if defined(__clang__)
  machine.compiler = fmt::format("clang {}", __clang_version__);
#else
  machine.compiler = fmt::format("g++ {}", __VERSION__);
#endif
  machine.compiler_flags = kCompilerFlags;
  machine.commit = kCommit;
  const auto isa = wire::selected_isa();
  machine.kernel = isa ? std::string{*isa} : "scalar";
  return machine;
}

}  // namespace nexusfix::bench
