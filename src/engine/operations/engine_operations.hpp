// The engine, as the part that serves operators sees it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/engine/operations.hpp>

namespace nexusfix::engine {

class EventLoop;

// Any thread but those of the loops, which must outlive it.
class EngineOperations final : public Operations {
 public:
  // store_folder: of the control socket; empty: there is none.
  EngineOperations(std::vector<EventLoop*> loops, std::string store_folder)
      : loops_{std::move(loops)}, store_folder_{std::move(store_folder)} {}

  [[nodiscard]] std::expected<void, std::string> command(OperatorCommand command,
                                                         std::string_view identity) override;
  [[nodiscard]] std::expected<void, std::string> set_numbers(LiveNumbers numbers,
                                                             std::string_view identity) override;
  void report(EventId id, std::string text) override;

 private:
  std::vector<EventLoop*> loops_;
  std::string store_folder_;
};

}  // namespace nexusfix::engine
