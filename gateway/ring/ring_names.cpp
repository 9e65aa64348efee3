#include "gateway/ring/ring_names.hpp"

#include <charconv>
#include <fmt/format.h>
#include <unistd.h>

#include <nexusfix/base/disk.hpp>

namespace nexusfix::gateway {
namespace {

constexpr std::string_view kPrefix = "nexusfix-ring.";
constexpr std::uint64_t kStatBytesMax = 4096;
// proc(5): the start is field 22. The name of the program, field 2, is in parentheses and may have
// blanks; field 3 follows the last of them.
constexpr int kFieldsBeforeStart = 19;

// Removes a number from the front of the text, with the character after it. Absent: there is none.
template <class Number>
std::optional<Number> take_number(std::string_view& text, char end, int base = 10) {
  Number number = 0;
  const char* const last = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), last, number, base);
  const bool ends = end == '\0' ? after == last : after != last && *after == end;
  if (error != std::errc{} || !ends) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(after - text.data()) + (end == '\0' ? 0 : 1));
  return number;
}

}  // namespace

std::optional<std::uint64_t> start_in_stat(std::string_view text) {
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string_view::npos) return std::nullopt;
  text.remove_prefix(name_end + 2);
  for (int i = 0; i < kFieldsBeforeStart; ++i) {
    const std::size_t blank = text.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    text.remove_prefix(blank + 1);
  }
  return take_number<std::uint64_t>(text, ' ');
}

std::optional<ProcessMark> mark_of_process(std::uint32_t process) {
  PosixDisk disk;
  const auto text = read_file(disk, fmt::format("/proc/{}/stat", process), kStatBytesMax);
  if (!text) return std::nullopt;
  const auto start = start_in_stat(*text);
  if (!start) return std::nullopt;
  return ProcessMark{.process = process, .start = *start};
}

ProcessMark mark_of_this_process() {
  const auto process = static_cast<std::uint32_t>(::getpid());
  // Without /proc the start is unknown: other gateways then recognise this one by its lock.
  return mark_of_process(process).value_or(ProcessMark{.process = process});
}

std::string ring_name(const ProcessMark& gateway, std::uint64_t key) {
  return fmt::format("{}{}.{}.{:016x}", kPrefix, gateway.process, gateway.start, key);
}

std::optional<ProcessMark> gateway_of_ring_name(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  const auto process = take_number<std::uint32_t>(name, '.');
  const auto start = process ? take_number<std::uint64_t>(name, '.') : std::nullopt;
  if (!start || !take_number<std::uint64_t>(name, '\0', 16)) return std::nullopt;
  return ProcessMark{.process = *process, .start = *start};
}

}  // namespace nexusfix::gateway
