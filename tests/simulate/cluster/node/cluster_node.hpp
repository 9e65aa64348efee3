// A node of the cluster: it waits as a standby and follows the log, takes the log over when the
// lease is free, and serves the sessions with a real engine while it believes in its lease.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/postgres/server/loss.hpp"
#include "config/api/settings.hpp"
#include "engine_host.hpp"
#include "node/held_lease.hpp"
#include "node/log_writer.hpp"
#include "node/owner_log.hpp"
#include "node/process_gate.hpp"
#include "node/replicated_store.hpp"
#include "order_traffic.hpp"
#include "servers/lease_service.hpp"
#include "servers/simulated_database.hpp"

namespace nexusfix::simulator::cluster {

class ClusterNode final : public EngineHost {
 public:
  struct Services {
    LeaseService& leases;
    SimulatedDatabase& database;
    HistoryChecker& checker;
  };
  ClusterNode(Context& context, SimulatedInternet& internet, FaultCounts& counts, std::size_t index,
              config::Settings settings, Services services);
  ~ClusterNode() override { end("the world is over", true); }

  enum class Phase : std::uint8_t { Down, Waiting, Claiming, Serving };
  [[nodiscard]] Phase phase() const noexcept { return phase_; }
  void start();
  // The process ends, and starts again after a while. is_silent: so does its machine.
  void end(std::string_view why, bool is_silent);
  void run_turn() override;

  // Faults and operations.
  void freeze(WorldTime duration);
  void thaw();
  [[nodiscard]] bool is_frozen() const noexcept { return gate_.is_frozen(); }
  // Freezes right after its next request to the lease service.
  void freeze_when_asking(WorldTime duration) noexcept { freeze_when_asking_ = duration; }
  // The operator moves the log to another node.
  void hand_over();
  [[nodiscard]] std::uint64_t take_overs() const noexcept { return take_overs_; }
  // It has noted that COMMITs do not wait for a standby.
  [[nodiscard]] bool knows_one_copy() const noexcept {
    return note_.by == store::postgres::RecordedBy::WaiterOneCopy;
  }

 private:
  using Answer = SimulatedDatabase::Answer;

  void tick();
  void connect();
  void disconnect();
  void lost(SimulatedDatabase::ConnectionId connection);
  void look();
  void looked(const Answer& answer);
  [[nodiscard]] bool follow(const Answer& answer);
  void ask_lease();
  void granted(std::uint64_t token, Now asked);
  void renewed(bool is_renewed, Now asked);
  void claim();
  void claimed(const Answer& answer);
  void serve(const OwnerRow& row);
  [[nodiscard]] std::optional<store::postgres::Loss> loss_in(const OwnerRow& row) const;
  void note(const OwnerRow& row);
  void skip(std::uint64_t numbers);
  void wait_again();

  std::size_t index_;
  config::Settings settings_;
  Services services_;
  ProcessGate gate_;
  HeldLease lease_;
  Phase phase_ = Phase::Down;
  FollowedLog followed_;
  store::postgres::PositionRecord note_;  // on its disk: the process may end
  store::LogPosition noted_from_ = 0;     // of an owner: before it the note stays as it is
  SimulatedDatabase::ConnectionId connection_ = 0;  // 0: none
  bool is_looked_ = false;                          // it has followed on this connection
  std::optional<MonoTime> connects_since_;          // while it has none
  std::optional<MonoTime> asked_at_;                // the database, and there is no answer yet
  std::uint64_t request_ = 0;
  std::uint64_t claims_ = 0;  // with the present lease
  WorldTime freeze_when_asking_{};
  bool hands_over_ = false;
  std::uint64_t take_overs_ = 0;
  ClusterApplication application_;
  std::unique_ptr<OwnerLog> log_;
  std::unique_ptr<LogWriter> writer_;
  std::unique_ptr<ReplicatedStoreFactory> factory_;
};

}  // namespace nexusfix::simulator::cluster
