// Gives the application back the messages that it had sent: all of them when the store is open, or,
// in a standby, while another engine writes them.
#pragma once

#include <cstdint>
#include <expected>

#include <nexusfix/store.hpp>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

class Recovery {
 public:
  explicit Recovery(LoopContext& loop) noexcept : loop_{loop} {}

  [[nodiscard]] bool is_wanted() const noexcept { return loop_.callbacks.on_recovered != nullptr; }
  // One message, in the order of the log. The application's exception passes.
  void take(const store::Store::LogMessage& stored);
  // Takes what the store has after the messages that were taken already.
  [[nodiscard]] std::expected<void, EngineError> finish(store::Store& store);
  // The error of the exception that is being handled.
  [[nodiscard]] static EngineError refused_by_application();

 private:
  LoopContext& loop_;
  std::uint64_t unreadable_ = 0;
};

}  // namespace nexusfix::engine
