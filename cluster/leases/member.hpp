// One engine of a cluster: a thread that renews its lease, looks at its shard in etcd, and takes
// the shard when it is free and the store asks for it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "cluster/leases/cluster_state.hpp"
#include "cluster/leases/etcd_client.hpp"
#include "control/api/cluster_member.hpp"
#include "control/api/operator_acts.hpp"

namespace nexusfix::cluster {

class Member final : public engine::ClusterMember {
 public:
  [[nodiscard]] static std::expected<std::unique_ptr<engine::ClusterMember>, std::string> join(
      const config::ClusterSettings& settings, engine::ClusterObserver& observer);
  // Gives the lease back, and with it the shard.
  ~Member() override;
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  [[nodiscard]] store::ClusterMark mark() const override;
  [[nodiscard]] std::uint64_t token() const noexcept override { return token_.load(); }
  [[nodiscard]] std::expected<std::uint64_t, std::string> ask(std::uint64_t claimed) override;
  void on_claimed() noexcept override;
  void serve() override;
  void stop_serving() noexcept override;
  void refuse(std::string why) override;
  [[nodiscard]] engine::ClusterStatistics statistics() const override;
  [[nodiscard]] std::expected<void, std::string> order(engine::OperatorAct act,
                                                       const std::string& node,
                                                       const std::string& text) override;

 private:
  // The link to etcd, of the thread alone once it runs.
  struct Lease {
    LeaseId id = 0;              // 0: none
    bool is_registered = false;  // the member's key is there
    MonoTime until{};            // it is certain to last
    MonoTime renew_at{};
  };
  // What the other threads see and say.
  struct Shared {
    std::string owner{};                                       // the node with the shard's lease
    std::vector<engine::ClusterStatistics::Engine> engines{};  // of the shard
    std::string refusal{};  // why the shard will never be taken; empty: it may be
    std::string refused{};  // why the engine ends without serving the shard; empty: it does not
    store::ClusterMark mark{};
    std::optional<WallTime> renewed_at{};
    std::optional<MonoTime> asked_at{};
    std::uint64_t claimed = 0;  // the token of the log's last claim, as the store has seen it
    MonoTime until{};           // as Lease::until
    bool is_claimed = false;    // the log
    bool is_handing_over = false;
    bool is_stopping = false;
    bool is_serving = false;  // it may be asked to hand over
    bool has_served = false;
  };

  Member(const config::ClusterSettings& settings, engine::ClusterObserver& observer);
  [[nodiscard]] std::expected<void, std::string> begin();
  [[nodiscard]] std::expected<void, std::string> register_first();
  void run();
  void turn();
  [[nodiscard]] EtcdResult<void> renew();
  [[nodiscard]] EtcdResult<void> register_member();
  [[nodiscard]] EtcdResult<bool> is_registered_already();
  [[nodiscard]] EtcdResult<void> look();
  [[nodiscard]] EtcdResult<void> check_cluster(const ClusterState& state, const ShardState& shard,
                                               std::uint64_t claimed);
  [[nodiscard]] EtcdResult<void> own(const ClusterState& state, const ShardState& shard);
  [[nodiscard]] EtcdResult<void> try_to_take(const ClusterState& state, const ShardState& shard);
  [[nodiscard]] EtcdResult<void> end_refusal(const ShardState& shard);
  [[nodiscard]] EtcdResult<void> write_ready(const ShardState& shard, bool is_ready);
  void lose_lease(const std::string& why);
  void write_refusal();
  void give_lease_back();
  void set_link(const EtcdResult<void>& result);
  void look_at_clock();
  void hand_over_if_asked(const ClusterState& state, const ShardState& shard);
  [[nodiscard]] bool was_asked_within(std::chrono::milliseconds time);
  [[nodiscard]] std::chrono::milliseconds claim_time_max() const;
  [[nodiscard]] bool is_asked() { return was_asked_within(claim_time_max() / 2); }
  [[nodiscard]] Holder myself(bool is_ready) const;
  [[nodiscard]] std::string text() const { return settings_.node + ", shard " + settings_.shard; }

  config::ClusterSettings settings_;
  engine::ClusterObserver& observer_;
  KeyNames names_;
  EtcdClient etcd_;
  SystemClock clock_;
  WallTime since_;
  Lease lease_;
  bool is_linked_ = true;  // etcd answers, and the lease lasts
  bool is_clock_right_ = true;
  std::string reported_;  // what was reported last of a drain or another owner
  std::atomic<std::uint64_t> token_{0};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Shared shared_;
  std::thread thread_;  // the last member: it uses all others
};

}  // namespace nexusfix::cluster
