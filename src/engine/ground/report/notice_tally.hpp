// Counts notices of one kind: the first is reported at once, later ones of the same second
// together.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <nexusfix/base/time.hpp>

#include "engine/ground/report/second_limit.hpp"

namespace nexusfix::engine {

class NoticeTally {
 public:
  // last: the peer of the last one, for people.
  void add(std::uint64_t count, std::string last = {}) noexcept {
    count_ += count;
    last_ = std::move(last);
  }
  [[nodiscard]] bool has_any() const noexcept { return count_ != 0; }
  // The number to report now; 0: none, or it is too soon.
  [[nodiscard]] std::uint64_t take(MonoTime now) noexcept {
    if (count_ == 0 || !reported_.begin(now)) [[likely]]
      return 0;
    return std::exchange(count_, 0);
  }
  [[nodiscard]] const std::string& last() const noexcept { return last_; }
  // When the next report is due; kNever: nothing was counted.
  [[nodiscard]] MonoTime due() const noexcept { return count_ == 0 ? kNever : reported_.ends_at(); }

 private:
  std::uint64_t count_ = 0;
  SecondLimit reported_;
  std::string last_;
};

}  // namespace nexusfix::engine
