// The engine's place in a cluster: logs its events, and stops the only loop when its shard goes.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/observe/logs.hpp>

#include "control/api/cluster_member.hpp"
#include "engine/ground/shared/task_inbox.hpp"
#include "engine/service/floors.hpp"
#include "transport/api/service_notifier.hpp"

namespace nexusfix::engine {

class ClusterMembership final : public ClusterObserver {
 public:
  // service: null if no service manager is notified.
  ClusterMembership(observe::EventLog& log, Clock& clock,
                    transport::ServiceNotifier* service) noexcept
      : log_{log}, clock_{clock}, service_{service} {}
  std::expected<void, std::string> join(const cluster::ClusterPart& part,
                                        const config::ClusterSettings& settings) {
    auto joined = part.join(settings, *this);
    if (!joined) return std::unexpected{std::move(joined.error())};
    member_ = std::move(*joined);
    return {};
  }
  // After join().
  [[nodiscard]] ClusterMember& member() const noexcept { return *member_; }
  // The engine is open. Before the first turn of its loop the program may refuse what the log has.
  // The loop outlives the call of stop_serving().
  void serve_soon(TaskInbox& inbox) { inbox.add(std::make_unique<FirstTurn>(*this)); }
  // The engine could not open. A signal that ends the wait is no refusal.
  void on_not_open(const EngineError& error) {
    if (!StopSignals::received()) member_->refuse(error.text);
  }
  void on_event(EventId id, const std::string& text) override {
    log_.write({.time = clock_.now().wall, .id = id, .session = {}, .text = text});
  }
  // The process opens its engine again, and waits for the shard.
  void on_hand_over() override {
    if (service_ != nullptr) service_->goes_on();
    loop_->stop.ask({});
  }

 private:
  class FirstTurn final : public LoopTask {
   public:
    explicit FirstTurn(ClusterMembership& membership) noexcept : membership_{membership} {}
    void run(Floors& floors) override {
      membership_.loop_ = &floors.loop;
      membership_.member_->serve();
    }

   private:
    ClusterMembership& membership_;
  };

  observe::EventLog& log_;
  Clock& clock_;
  transport::ServiceNotifier* service_;
  LoopContext* loop_ = nullptr;
  std::unique_ptr<ClusterMember> member_;  // the last member: it uses all others
};

}  // namespace nexusfix::engine
