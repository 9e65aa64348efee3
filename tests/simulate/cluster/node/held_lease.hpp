// A lease as its holder believes in it: by its own clock, from the moment at which it asked.
#pragma once

#include <chrono>
#include <cstdint>

#include <nexusfix/base/clock.hpp>

#include "bug.hpp"

namespace nexusfix::simulator::cluster {

class HeldLease {
 public:
  // A clock may lose this part of the time, and the lease must still end first for its holder.
  static constexpr int kMarginPart = 8;

  HeldLease(Bug bug, std::chrono::nanoseconds ttl) noexcept : bug_{bug}, ttl_{ttl} {}

  // asked, answered: when the request was sent, and when its answer came.
  void hold(std::uint64_t token, Now asked, Now answered) noexcept {
    token_ = token;
    const Now since = bug_ == Bug::LeaseCountsFromAnswer ? answered : asked;
    until_ = {since.wall + ttl_ - ttl_ / kMarginPart, since.mono + ttl_ - ttl_ / kMarginPart};
  }
  void end() noexcept { token_ = 0; }

  // 0: there is none.
  [[nodiscard]] std::uint64_t token() const noexcept { return token_; }
  [[nodiscard]] bool is_believed(Now now) const noexcept {
    if (token_ == 0) return false;
    if (bug_ == Bug::LeaseNotChecked) return true;
    if (bug_ == Bug::LeaseOnWallClock) return now.wall < until_.wall;
    return now.mono < until_.mono;
  }

 private:
  Bug bug_;
  std::chrono::nanoseconds ttl_;
  std::uint64_t token_ = 0;
  Now until_{};
};

}  // namespace nexusfix::simulator::cluster
