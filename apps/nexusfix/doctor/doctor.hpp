// Checks what costs latency on a machine: each finding says what was seen, why it matters, and
// which command changes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nexusfix/doctor/machine.hpp"

namespace nexusfix::command {

enum class Level : std::uint8_t {
  Ok,
  Advice,   // an improvement that has a price, or that helps some uses only
  Warning,  // costs latency, or breaks what the configuration asks for
  Unknown,  // this machine does not report it
};

struct Finding {
  std::string_view area;  // "cpu", "memory", ...
  std::string_view name;
  Level level = Level::Unknown;
  std::string seen{};
  std::string why{};     // empty: the level is Ok, and there is nothing to explain
  std::string change{};  // a command for a shell; empty: there is nothing to change, or no command
};

// What an engine on this machine will need, by its configuration. Empty without a configuration.
struct Plan {
  std::string journal_folder{};  // absolute; empty: not known
  CpuList cpus{};                // EventLoopCpu
  bool spins = false;
  bool locks_memory = false;
  std::uint64_t sessions = 0;
  std::uint64_t receive_buffer_bytes = 0;  // the largest that a session asks for
  std::uint64_t send_buffer_bytes = 0;
};

using Findings = std::vector<Finding>;

// In the order in which they are shown, areas together.
[[nodiscard]] Findings examine(const Machine& machine, const Plan& plan);

[[nodiscard]] std::string_view to_string(Level level) noexcept;
// all: also explains findings of the levels Ok and Unknown.
[[nodiscard]] std::string doctor_text(const Machine& machine, const Findings& findings, bool all);
[[nodiscard]] std::string doctor_json(const Findings& findings);
[[nodiscard]] bool has_warning(const Findings& findings) noexcept;

}  // namespace nexusfix::command
