// Times that were measured, and what they say.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tester/play/result.hpp"

namespace nexusfix::tester {

class Times {
 public:
  void add(std::chrono::nanoseconds time) { times_.push_back(time); }
  [[nodiscard]] std::size_t count() const noexcept { return times_.size(); }
  // The smallest time that this part of all is not above, by nearest rank. part: 0 to 1. Zero:
  // there is none. Sorts.
  [[nodiscard]] std::chrono::nanoseconds percentile(double part);
  // p50, p90, p99, p99.9 and max, in microseconds.
  void append_to(std::vector<Measurement>& measurements);

 private:
  std::vector<std::chrono::nanoseconds> times_;
  bool is_sorted_ = false;
};

[[nodiscard]] double seconds_of(std::chrono::nanoseconds time) noexcept;

// "820 ns", "41.2 us", "3.51 ms" or "2.13 s".
[[nodiscard]] std::string duration_text(std::chrono::nanoseconds time);

}  // namespace nexusfix::tester
