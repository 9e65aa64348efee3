// The names of ring files. A name says which process made it, because a client can write to the
// file, but cannot rename it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nexusfix::gateway {

// A process: its id, and when it started, because ids are used again.
struct ProcessMark {
  std::uint32_t process = 0;
  std::uint64_t start = 0;  // in ticks since the machine started: field 22 of /proc/PID/stat
  [[nodiscard]] bool operator==(const ProcessMark&) const = default;
};

// Absent: there is no such process.
[[nodiscard]] std::optional<ProcessMark> mark_of_process(std::uint32_t process);
[[nodiscard]] ProcessMark mark_of_this_process();
// The start of a process in the text of its /proc/PID/stat. Absent: it is no such text.
[[nodiscard]] std::optional<std::uint64_t> start_in_stat(std::string_view text);

// "nexusfix-ring.PID.START.KEY", of decimal numbers and a hexadecimal one.
[[nodiscard]] std::string ring_name(const ProcessMark& gateway, std::uint64_t key);
// Absent: it is the name of another file.
[[nodiscard]] std::optional<ProcessMark> gateway_of_ring_name(std::string_view name);

}  // namespace nexusfix::gateway
