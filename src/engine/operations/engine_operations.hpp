// The engine, as the part that serves operators sees it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine/operations.hpp>

#include "engine/connection/buffer_budget.hpp"

namespace nexusfix::engine {

class EventLoop;

// Any thread but those of the loops, which must outlive it.
class EngineOperations final : public Operations {
 public:
  struct Facts {
    Clock* clock = nullptr;  // of the engine
    WallTime started{};
    std::shared_ptr<const BufferBudget> budget{};
    std::string store_folder{};  // of the control socket; empty: there is none
  };

  EngineOperations(std::vector<EventLoop*> loops, Facts facts)
      : loops_{std::move(loops)}, facts_{std::move(facts)} {}

  [[nodiscard]] EngineStatistics statistics() const override;
  [[nodiscard]] observe::SessionLogsStats log_stats() const noexcept;
  [[nodiscard]] std::expected<void, std::string> command(OperatorCommand command,
                                                         std::string_view identity) override;
  [[nodiscard]] std::expected<void, std::string> set_numbers(LiveNumbers numbers,
                                                             std::string_view identity) override;
  void report(EventId id, std::string text) override;

 private:
  std::vector<EventLoop*> loops_;
  Facts facts_;
};

}  // namespace nexusfix::engine
