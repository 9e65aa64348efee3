// A counterparty of the cluster: a real engine that never ends, and keeps its own history.
#pragma once

#include <memory>
#include <string>

#include "config/api/settings.hpp"
#include "engine_host.hpp"
#include "order_traffic.hpp"

namespace nexusfix::simulator::cluster {

class ClusterPeer final : public EngineHost {
 public:
  ClusterPeer(Context& context, SimulatedInternet& internet, FaultCounts& counts, std::size_t index,
              config::Settings settings, HistoryChecker& checker)
      : EngineHost{context, internet, counts, index, "peer " + std::to_string(index)},
        settings_{std::move(settings)},
        application_{checker} {}
  ~ClusterPeer() override { end_engine(true); }

  void start() {
    life().begin();
    if (auto opened = open(settings_, nullptr, application_); !opened) {
      context_.violation.found("cannot-start", name() + ": " + opened.error().text);
    }
  }
  void run_turn() override {
    if (!turns().begin_turn(context_.agenda.now())) return;
    if (!poll()) context_.violation.found("peer-ended", name());
  }

 private:
  config::Settings settings_;
  PeerApplication application_;
};

}  // namespace nexusfix::simulator::cluster
