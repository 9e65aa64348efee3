// An engine as a member of a cluster: what the part nexusfix::cluster gives to the engine, and what
// operators see and ask of it.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include <nexusfix/base/event_id.hpp>
#include <nexusfix/statistics.hpp>

#include "config/api/settings.hpp"
#include "control/api/operator_acts.hpp"
#include "store/api/postgres_part.hpp"

namespace nexusfix::engine {

// What a member asks of its engine. Any thread.
class ClusterObserver {
 public:
  // Outlives the member.
  virtual ~ClusterObserver() = default;
  // Something that the operator must know.
  virtual void on_event(EventId id, const std::string& text) = 0;
  // The shard is to go to another node: the engine stops. Must not block, nor call the member.
  virtual void on_hand_over() = 0;
};

// It has a thread of its own, which renews the lease. The engine destroys it after its stores: then
// it gives the shard back.
class ClusterMember : public store::LogLease {
 public:
  // The engine serves the shard: on_hand_over() may be called once from now on. Any thread.
  virtual void serve() = 0;
  // on_hand_over() is called no more when this returns.
  virtual void stop_serving() noexcept = 0;
  // The engine has the shard, and ends without serving it: the node is shown as refused from the
  // end of this object on, until its engine serves the shard. Without effect before on_claimed().
  virtual void refuse(std::string why) = 0;
  // Any thread.
  [[nodiscard]] virtual ClusterStatistics statistics() const = 0;
  // MoveShard (to this node), DrainNode or JoinNode. Returns when etcd has noted it, and then
  // reports this text. The error says why nothing was changed, or that it is not known. Any thread;
  // blocks for the answers of etcd.
  [[nodiscard]] virtual std::expected<void, std::string> order(OperatorAct act,
                                                               const std::string& node,
                                                               const std::string& text) = 0;
};

}  // namespace nexusfix::engine

namespace nexusfix::cluster {

// The cluster as the engine joins it.
struct ClusterPart {
  // Becomes a member, and begins to renew its lease. May block for twice the lease. The error says
  // why the shard was not touched.
  std::expected<std::unique_ptr<engine::ClusterMember>, std::string> (*join)(
      const config::ClusterSettings& settings, engine::ClusterObserver& observer) = nullptr;
};

}  // namespace nexusfix::cluster
