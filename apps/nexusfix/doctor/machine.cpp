#include "nexusfix/doctor/machine.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>

namespace nexusfix::command {
namespace {

constexpr std::uint64_t kFileBytesMax = 4U << 20U;
constexpr unsigned kCpuMax = 4'095;

template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

}  // namespace

std::optional<CpuList> read_cpu_list(std::string_view text) {
  CpuList cpus;
  text = trimmed(text);
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    const std::size_t dash = std::min(part.find('-'), part.size());
    const auto first = read_number<unsigned>(part.substr(0, dash));
    const auto last = dash == part.size() ? first : read_number<unsigned>(part.substr(dash + 1));
    if (!first || !last || *first > *last || *last > kCpuMax) return std::nullopt;
    for (unsigned cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  std::ranges::sort(cpus);
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string cpu_list_text(const CpuList& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (end - i > 1) text += fmt::format("{}{}", end - i > 2 ? '-' : ',', cpus[end - 1]);
    i = end;
  }
  return text;
}

CpuList cpus_without(const CpuList& cpus, const CpuList& others) {
  CpuList rest;
  std::ranges::set_difference(cpus, others, std::back_inserter(rest));
  return rest;
}

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n";
  std::vector<std::string_view> words;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return words;
    const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::string cpu_path(unsigned cpu, std::string_view rest) {
  return fmt::format("/sys/devices/system/cpu/cpu{}/{}", cpu, rest);
}

std::optional<std::string> Machine::text(const std::string& path) const {
  const auto content = read_file(disk_, root_ + path, kFileBytesMax);
  if (!content) return std::nullopt;
  return std::string{trimmed(*content)};
}

std::optional<std::int64_t> Machine::number(const std::string& path) const {
  const auto content = text(path);
  return content ? read_number<std::int64_t>(*content) : std::nullopt;
}

std::optional<CpuList> Machine::cpu_list(const std::string& path) const {
  const auto content = text(path);
  return content ? read_cpu_list(*content) : std::nullopt;
}

std::optional<std::string> Machine::value_of(const std::string& path, std::string_view key) const {
  const auto content = text(path);
  if (!content) return std::nullopt;
  std::string_view rest = *content;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == key) {
      return std::string{trimmed(line.substr(colon + 1))};
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}

CpuList Machine::cpus() const {
  auto cpus = cpu_list("/sys/devices/system/cpu/online");
  return cpus && !cpus->empty() ? *std::move(cpus) : CpuList{0};
}

CpuList Machine::siblings(unsigned cpu) const {
  auto siblings = cpu_list(cpu_path(cpu, "topology/thread_siblings_list"));
  return siblings && !siblings->empty() ? *std::move(siblings) : CpuList{cpu};
}

CpuList Machine::isolated_cpus() const {
  return cpu_list("/sys/devices/system/cpu/isolated").value_or(CpuList{});
}

}  // namespace nexusfix::command
