// The engine, as the part that serves operators sees it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine/operations.hpp>

#include "engine/ground/loop_context.hpp"
#include "engine/ground/shared/task_inbox.hpp"

namespace nexusfix::engine {

class OperatorDesk;

// Any thread but those of the loops, which must outlive it.
class EngineOperations final : public Operations {
 public:
  struct Facts {
    Clock* clock = nullptr;  // of the engine
    WallTime started{};
    std::shared_ptr<const BufferBudget> budget{};
    std::shared_ptr<const StandbyBoard> standby{};
    const ClusterMember* cluster = nullptr;      // null: in no cluster
    OperatorDesk* desk = nullptr;                // never null
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
  [[nodiscard]] std::expected<std::unique_ptr<MessageFeed>, std::string> follow(
      const std::string& session) override;
  void report(EventId id, std::string text) override;

 private:
  [[nodiscard]] observe::SessionLogsStats log_stats() const noexcept;

  std::vector<LoopContext*> loops_;
  Facts facts_;
};

}  // namespace nexusfix::engine
