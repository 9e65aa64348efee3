#include "tester/load/measured.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace nexusfix::tester {

std::chrono::nanoseconds Times::percentile(double part) {
  if (times_.empty()) return {};
  if (!is_sorted_) std::ranges::sort(times_);
  is_sorted_ = true;
  const double rank = std::ceil(part * static_cast<double>(times_.size()));
  const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  return times_[std::min(index, times_.size() - 1)];
}

void Times::append_to(std::vector<Measurement>& measurements) {
  constexpr std::array<std::pair<const char*, double>, 5> kParts{
      {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"max", 1.0}}};
  for (const auto& [name, part] : kParts) {
    const auto time = std::chrono::duration<double, std::micro>{percentile(part)};
    measurements.push_back({name, time.count(), "us"});
  }
}

double seconds_of(std::chrono::nanoseconds time) noexcept {
  return std::chrono::duration<double>{time}.count();
}

std::string duration_text(std::chrono::nanoseconds time) {
  const double count = static_cast<double>(time.count());
  if (count < 1e3) return fmt::format("{} ns", time.count());
  if (count < 1e6) return fmt::format("{:.1f} us", count / 1e3);
  if (count < 1e9) return fmt::format("{:.2f} ms", count / 1e6);
  return fmt::format("{:.2f} s", count / 1e9);
}

}  // namespace nexusfix::tester
