// What a Linux machine reports in /proc and /sys.
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

// Reads "0-2,5": no number twice, none above 4,095. An empty text is an empty list. Returns nothing
// if the text is no such list.
[[nodiscard]] std::optional<CpuList> read_cpu_list(std::string_view text);
[[nodiscard]] std::string cpu_list_text(const CpuList& cpus);
// The CPUs that are not among the others.
[[nodiscard]] CpuList cpus_without(const CpuList& cpus, const CpuList& others);

// Blank-separated words.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

class Machine {
 public:
  // root: the path before "/proc" and "/sys"; a test passes a folder of its own.
  Machine(Disk& disk, std::string root) : disk_{disk}, root_{std::move(root)} {}

  // The text of a file, 4 MiB at most, without the end of its last line. Returns nothing if the
  // file does not exist or cannot be read.
  [[nodiscard]] std::optional<std::string> text(const std::string& path) const;
  // A file that holds one number.
  [[nodiscard]] std::optional<std::int64_t> number(const std::string& path) const;
  [[nodiscard]] std::optional<CpuList> cpu_list(const std::string& path) const;
  // The value after a key and a colon in a file of such lines: "MemTotal" in /proc/meminfo.
  [[nodiscard]] std::optional<std::string> value_of(const std::string& path,
                                                    std::string_view key) const;

  // The CPUs that are online; CPU 0 if the machine does not report them.
  [[nodiscard]] CpuList cpus() const;
  // The CPUs that share a core with this one, including this one.
  [[nodiscard]] CpuList siblings(unsigned cpu) const;
  // The CPUs that isolcpus= or a cpuset takes from the scheduler; empty: none, or not reported.
  [[nodiscard]] CpuList isolated_cpus() const;

 private:
  Disk& disk_;
  std::string root_;
};

// "/sys/devices/system/cpu/cpu3/" + rest
[[nodiscard]] std::string cpu_path(unsigned cpu, std::string_view rest);

}  // namespace nexusfix::command
