// Counts notices of one kind: the first is reported at once, later ones of the same second
// together.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include <nexusfix/base/time.hpp>

namespace nexusfix::engine {

class NoticeTally {
 public:
  static constexpr std::chrono::seconds kWindow{1};

  // last: the peer of the last one, for people.
  void add(std::uint64_t count, std::string last = {}) noexcept {
    count_ += count;
    last_ = std::move(last);
  }
  [[nodiscard]] bool has_any() const noexcept { return count_ != 0; }
  // The number to report now; 0: none, or it is too soon.
  [[nodiscard]] std::uint64_t take(MonoTime now) noexcept {
    if (count_ == 0 || now < next_at_) [[likely]]
      return 0;
    next_at_ = now + kWindow;
    return std::exchange(count_, 0);
  }
  [[nodiscard]] const std::string& last() const noexcept { return last_; }
  // When the next report is due; kNever: nothing was counted.
  [[nodiscard]] MonoTime due() const noexcept { return count_ == 0 ? kNever : next_at_; }

 private:
  std::uint64_t count_ = 0;
  MonoTime next_at_ = MonoTime::min();
  std::string last_;
};

}  // namespace nexusfix::engine
