// What etcd has of a cluster: the names of the keys, and their values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "cluster/leases/etcd_client.hpp"

namespace nexusfix::cluster {

// The names of the keys. Each shard's begin with shard().
class KeyNames {
 public:
  explicit KeyNames(std::string_view cluster);
  [[nodiscard]] const std::string& all() const noexcept { return all_; }  // the prefix of all
  // The identity of the cluster, which the databases of its shards have, too.
  [[nodiscard]] std::string id() const { return all_ + "id"; }
  [[nodiscard]] std::string drained() const { return all_ + "drained/"; }
  [[nodiscard]] std::string drained(std::string_view node) const;
  [[nodiscard]] std::string shard(std::string_view shard) const;
  // A number that is added to etcd's revisions to get fencing tokens. A shard without it is none.
  [[nodiscard]] std::string base(std::string_view shard) const { return at(shard, "base"); }
  [[nodiscard]] std::string owner(std::string_view shard) const { return at(shard, "owner"); }
  [[nodiscard]] std::string wanted(std::string_view shard) const { return at(shard, "wanted"); }
  [[nodiscard]] std::string member(std::string_view shard, std::string_view node) const;
  // Without a lease: it outlives its engine.
  [[nodiscard]] std::string refused(std::string_view shard, std::string_view node) const;

 private:
  [[nodiscard]] std::string at(std::string_view shard, std::string_view what) const;
  std::string all_;
};

// An engine, as it describes itself.
struct Holder {
  std::string node{};
  std::string host{};
  std::int64_t process = 0;
  WallTime since{};       // when it was started; of a key of a refusal: when it refused
  bool is_ready = false;  // a waiting engine: it could take the shard now
  std::string refusal{};  // why its node did not serve the shard when it had it; empty: it did
  WallTime refused_at{};  // with a refusal, in ShardState::engines()
  // The lease and the revision of its key.
  LeaseId lease = 0;
  std::uint64_t created = 0;

  [[nodiscard]] std::string to_value() const;
  // "process 4711 on host venue-1"
  [[nodiscard]] std::string text() const;
};

struct ShardState {
  std::optional<std::uint64_t> base{};  // unset: there is no such shard
  std::optional<Holder> owner{};
  std::string wanted{};                     // the node that is to have it; empty: any
  std::map<std::string, Holder> members{};  // by node; the owner is one of them
  std::map<std::string, Holder> refused{};  // by node; its engine may have ended

  // The fencing token of the owner. 0: there is none.
  [[nodiscard]] std::uint64_t token() const {
    return owner ? base.value_or(0) + owner->created : 0;
  }
  // The members with their refusals, and the nodes that refused and have no engine: these have no
  // process.
  [[nodiscard]] std::map<std::string, Holder> engines() const;
};

struct ClusterState {
  std::string id{};  // empty: etcd does not know the cluster
  std::uint64_t revision = 0;
  std::set<std::string> drained{};  // nodes
  std::map<std::string, ShardState> shards{};

  [[nodiscard]] ShardState shard(const std::string& name) const;
};

// Keys with other names or values are passed over.
[[nodiscard]] ClusterState read_state(const EtcdRange& range, const KeyNames& names);

// Whether this node may become the owner of a shard that has none.
[[nodiscard]] bool may_take(const ClusterState& state, const ShardState& shard,
                            const std::string& node);
// The node to which the owner hands the shard over; "another node": of several. Empty: it keeps it.
[[nodiscard]] std::string hands_over_to(const ClusterState& state, const ShardState& shard,
                                        const std::string& node);

}  // namespace nexusfix::cluster
