#include "servers/lease_service.hpp"

#include <string>
#include <utility>

namespace nexusfix::simulator::cluster {

void LeaseService::acquire(std::size_t node, OnGranted answer) {
  link_.send(node, [this, node, answer = std::move(answer)]() mutable {
    if (is_away_) return;
    std::uint64_t token = 0;
    if (!is_held()) {
      holder_ = node;
      token = token_ = ++revision_;
      expires_at_ = context_.agenda.now() + ttl_;
      context_.note("lease",
                    "node " + std::to_string(node) + " gets token " + std::to_string(token));
    }
    link_.send(node, [token, answer = std::move(answer)] { answer(token); });
  });
}

void LeaseService::renew(std::size_t node, std::uint64_t token, OnRenewed answer) {
  link_.send(node, [this, node, token, answer = std::move(answer)]() mutable {
    if (is_away_) return;
    const bool is_renewed = is_held() && token_ == token;
    if (is_renewed) expires_at_ = context_.agenda.now() + ttl_;
    link_.send(node, [is_renewed, answer = std::move(answer)] { answer(is_renewed); });
  });
}

void LeaseService::release(std::size_t node, std::uint64_t token) {
  link_.send(node, [this, token] {
    if (is_away_ || token_ != token) return;
    expires_at_ = {};
  });
}

void LeaseService::start() {
  if (!is_away_) return;
  is_away_ = false;
  if (is_held()) expires_at_ = context_.agenda.now() + ttl_;
}

}  // namespace nexusfix::simulator::cluster
