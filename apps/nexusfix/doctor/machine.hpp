// What a Linux machine says of itself in /proc and /sys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>

namespace nexusfix::command {

// Numbers of CPUs or nodes, ascending.
using CpuList = std::vector<unsigned>;

// "0-2,5": none twice, none above 4,095. Nothing: it is no such list. An empty text is an empty
// list.
[[nodiscard]] std::optional<CpuList> read_cpu_list(std::string_view text);
[[nodiscard]] std::string cpu_list_text(const CpuList& cpus);
// A list without those of another.
[[nodiscard]] CpuList cpus_without(const CpuList& cpus, const CpuList& others);

// Blank-separated words.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

class Machine {
 public:
  // root: what stands in front of "/proc" and "/sys"; a test has a folder of its own there.
  Machine(Disk& disk, std::string root) : disk_{disk}, root_{std::move(root)} {}

  // A file without the end of its last line, 4 MiB at most. Nothing: there is no such file, or it
  // may not be read, so nobody knows.
  [[nodiscard]] std::optional<std::string> text(const std::string& path) const;
  // A file that holds one number.
  [[nodiscard]] std::optional<std::int64_t> number(const std::string& path) const;
  [[nodiscard]] std::optional<CpuList> cpu_list(const std::string& path) const;
  // What follows a key and its colon in a file of such lines: "MemTotal" of /proc/meminfo.
  [[nodiscard]] std::optional<std::string> value_of(const std::string& path,
                                                    std::string_view key) const;

  // CPUs that are online; CPU 0 if that is not known.
  [[nodiscard]] CpuList cpus() const;
  // The CPUs that share a core with this one, it among them.
  [[nodiscard]] CpuList siblings(unsigned cpu) const;
  // Taken from the scheduler by isolcpus= or a cpuset; empty: none, or not known.
  [[nodiscard]] CpuList isolated_cpus() const;

 private:
  Disk& disk_;
  std::string root_;
};

// "/sys/devices/system/cpu/cpu3/" + rest
[[nodiscard]] std::string cpu_path(unsigned cpu, std::string_view rest);

}  // namespace nexusfix::command
