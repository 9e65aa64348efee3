#include "tester/load/process_memory.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace nexusfix::tester {

std::optional<double> resident_mebibytes(std::uint64_t process_id, Disk& disk) {
  constexpr double kKibibytes = 1024;
  constexpr std::uint64_t kBytesMax = 1U << 20U;
  constexpr std::string_view kLine = "VmRSS:";
  const auto text = read_file(disk, fmt::format("/proc/{}/status", process_id), kBytesMax);
  if (!text) return std::nullopt;
  const std::size_t line = text->find(kLine);
  if (line == std::string::npos) return std::nullopt;
  const std::size_t digits = text->find_first_of("0123456789", line);
  if (digits == std::string::npos) return std::nullopt;
  double kibibytes = 0;
  std::from_chars(text->data() + digits, text->data() + text->size(), kibibytes);
  return kibibytes / kKibibytes;
}

void ProcessMemory::sample(double part) {
  constexpr double kFirstPart = 0.25;
  constexpr double kLastPart = 0.75;
  if (process_id_ == 0) return;
  const auto now = resident_mebibytes(process_id_, disk_);
  is_unreadable_ = is_unreadable_ || !now;
  if (part <= kFirstPart) first_ = std::max(first_, now.value_or(0));
  if (part >= kLastPart) last_ = std::max(last_, now.value_or(0));
}

std::optional<std::string> ProcessMemory::growth(double max_mebibytes,
                                                 std::vector<Measurement>& measurements) const {
  if (process_id_ == 0) return std::nullopt;
  if (is_unreadable_) return fmt::format("the memory of process {} cannot be read", process_id_);
  measurements.push_back({"memory in the first quarter", first_, "MiB"});
  measurements.push_back({"memory in the last quarter", last_, "MiB"});
  if (last_ - first_ <= max_mebibytes) return std::nullopt;
  return fmt::format("the memory grows from {:.1f} to {:.1f} MiB, and --max-growth is {:g} MiB",
                     first_, last_, max_mebibytes);
}

}  // namespace nexusfix::tester
