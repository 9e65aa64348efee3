// Carries out what operators ask of a running engine: for the control socket, and for threads of
// this process, such as a console. Each command is recorded in the event log and in the store.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "control/api/cluster_member.hpp"
#include "control/api/operations.hpp"
#include "control/api/running_engine.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/ground/shared/task_inbox.hpp"
#include "engine/service/operator/control_tasks.hpp"
#include "observe/api/message_tap.hpp"

namespace nexusfix::engine {

// Who asks, as this process knows it: the reason that the operator writes stands beside it.
struct OperatorCaller {
  std::string identity;  // printable: "user 1000, process 4711", "console, user anna"
  int stop = -1;         // a descriptor that ends a wait when it becomes readable; -1: none
};

// Any thread that serves no loop. Each call posts a task to a loop, and waits for its answer.
class OperatorCommands {
 public:
  // How long a loop may take to look at a request before it is withdrawn.
  static constexpr std::chrono::milliseconds kLoopTimeout{10'000};
  static constexpr std::size_t kReadersMax = MessageTail::kReadersMax;

  // inboxes and engine: of all loops. disabled: shared with them. standby: while the engine is one,
  // only its status is answered, and orders for its cluster are taken.
  OperatorCommands(std::vector<std::shared_ptr<TaskInbox>> inboxes, WholeEngine engine,
                   std::shared_ptr<DisabledSessions> disabled,
                   std::shared_ptr<const StandbyStatus> standby,
                   std::chrono::milliseconds loop_timeout = kLoopTimeout);

  // Before the first request. It must outlive this.
  void show_cluster(ClusterMember& cluster) noexcept { cluster_ = &cluster; }

  // The number of a TestRequest is for round_trip(). The error says why nothing was done, or that
  // it is not known.
  [[nodiscard]] std::expected<CarriedOut, std::string> carry_out(OperatorCommand command,
                                                                 const OperatorCaller& caller);
  // loop: only sessions of this loop; unset: of all loops.
  [[nodiscard]] std::expected<void, std::string> set_numbers(LiveNumbers request,
                                                             const OperatorCaller& caller,
                                                             std::optional<std::size_t> loop = {});
  [[nodiscard]] ControlAnswer round_trip(const RoundTripRequest& request,
                                         const OperatorCaller& caller);
  [[nodiscard]] ControlAnswer status_page(const StatusRequest& request,
                                          const OperatorCaller& caller);
  // The error: no loop has the session. Does not wait for a loop.
  [[nodiscard]] std::expected<std::vector<LatencyRow>, std::string> latencies(
      const std::string& session) const;
  [[nodiscard]] bool serves(const std::string& session, const OperatorCaller& caller);
  // Copies of the messages of one session, or of all (empty). The error: there are kReadersMax
  // readers already.
  [[nodiscard]] std::expected<observe::TapReader, std::string> tap(const std::string& session);

 private:
  [[nodiscard]] EngineStatus status_without_sessions() const;
  // Why a standby does not do it; empty: the engine is none.
  [[nodiscard]] std::string refusal() const;
  [[nodiscard]] ControlAnswer ask(std::size_t loop, ControlRequest request,
                                  const OperatorCaller& caller);
  // Asks each loop until one has the session.
  [[nodiscard]] ControlAnswer ask_session_loop(const ControlRequest& request,
                                               const OperatorCaller& caller);
  [[nodiscard]] ControlAnswer wait_for(ControlOrder& order, int stop) const;
  // Opens the log files again, and waits until they are open.
  [[nodiscard]] ControlAnswer rotate_logs(OperatorCommand command, const OperatorCaller& caller);
  [[nodiscard]] ControlAnswer carry_out_on_engine(OperatorCommand command,
                                                  const OperatorCaller& caller);
  [[nodiscard]] std::expected<CarriedOut, std::string> order_cluster(const OperatorCommand& command,
                                                                     const OperatorCaller& caller);
  [[nodiscard]] ControlAnswer change_enabled(const OperatorCommand& command,
                                             const OperatorCaller& caller);

  std::vector<std::shared_ptr<TaskInbox>> inboxes_;
  WholeEngine engine_;
  std::shared_ptr<DisabledSessions> disabled_;
  std::shared_ptr<const StandbyStatus> standby_;
  ClusterMember* cluster_ = nullptr;  // null: in no cluster
  std::chrono::milliseconds loop_timeout_;
  WallTime opened_at_;
  std::mutex readers_mutex_;
  std::vector<std::weak_ptr<observe::TapChannel>> readers_;  // their channels of the first loop
};

// The engine, as the part that serves operators sees it. Any thread but those of the loops, which
// must outlive it.
class EngineOperations final : public Operations {
 public:
  struct Facts {
    Clock* clock = nullptr;  // of the engine
    WallTime started{};
    std::shared_ptr<const BufferBudget> budget{};
    std::shared_ptr<const StandbyStatus> standby{};
    const ClusterMember* cluster = nullptr;      // null: in no cluster
    OperatorCommands* commands = nullptr;        // never null
    std::shared_ptr<TaskInbox> inbox{};          // of the first loop
    std::vector<std::string> journal_folders{};  // by loop; empty: there is no journal on the disk
  };

  EngineOperations(std::vector<LoopContext*> loops, Facts facts)
      : loops_{std::move(loops)}, facts_{std::move(facts)} {}

  [[nodiscard]] EngineStatistics statistics() const override;
  [[nodiscard]] std::vector<std::string> journal_folders() const override {
    return facts_.journal_folders;
  }
  [[nodiscard]] std::expected<void, std::string> command(OperatorCommand command,
                                                         const std::string& identity) override;
  [[nodiscard]] std::expected<void, std::string> set_numbers(LiveNumbers numbers,
                                                             const std::string& identity) override;
  [[nodiscard]] std::expected<std::unique_ptr<MessageSubscription>, std::string> follow(
      const std::string& session) override;
  void report(EventId id, std::string text) override;

 private:
  [[nodiscard]] observe::SessionLogsStats log_stats() const noexcept;

  std::vector<LoopContext*> loops_;
  Facts facts_;
};

}  // namespace nexusfix::engine
