// The lease of one log, as three etcd members keep it: linearizable, with a revision that only
// rises, and away for a while at times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "servers/remote_link.hpp"

namespace nexusfix::simulator::cluster {

inline constexpr std::size_t kNoNode = static_cast<std::size_t>(-1);

class LeaseService {
 public:
  LeaseService(Context& context, std::size_t nodes, WorldTime ttl)
      : context_{context}, link_{context, nodes}, ttl_{ttl} {}

  // Answers need not come. token: 0: another node has the lease.
  using OnGranted = std::function<void(std::uint64_t token)>;
  void acquire(std::size_t node, OnGranted answer);
  // false: this lease is over.
  using OnRenewed = std::function<void(bool is_renewed)>;
  void renew(std::size_t node, std::uint64_t token, OnRenewed answer);
  void release(std::size_t node, std::uint64_t token);

  [[nodiscard]] RemoteLink& link() noexcept { return link_; }
  [[nodiscard]] WorldTime ttl() const noexcept { return ttl_; }
  // Without a leader no request is answered. A new leader extends the lease, as etcd does.
  void stop() noexcept { is_away_ = true; }
  void start();

 private:
  [[nodiscard]] bool is_held() const noexcept {
    return token_ != 0 && context_.agenda.now() < expires_at_;
  }

  Context& context_;
  RemoteLink link_;
  WorldTime ttl_;
  bool is_away_ = false;
  std::size_t holder_ = kNoNode;
  std::uint64_t token_ = 0;  // of the present lease, or of the last one
  std::uint64_t revision_ = 0;
  WorldTime expires_at_{};
};

}  // namespace nexusfix::simulator::cluster
