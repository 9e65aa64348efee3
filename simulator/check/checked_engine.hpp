// A process with an engine, as the checker sees it.
#pragma once

#include <vector>

#include <nexusfix/engine.hpp>

#include "config/api/settings.hpp"
#include "simulator/check/checked_process.hpp"

namespace nexusfix::simulator {

class CheckedEngine final : public CheckedProcess {
 public:
  CheckedEngine(engine::Engine& engine, const config::Settings& settings);

  [[nodiscard]] const store::SessionRecord& record(std::size_t session) const override {
    return engine_.store().session(keys_[session]);
  }
  [[nodiscard]] std::uint64_t retired_until(std::size_t session) const override {
    return engine_.store().retired_until(keys_[session]);
  }
  [[nodiscard]] store::LogPosition appended() const override { return engine_.store().appended(); }
  [[nodiscard]] bool is_logged_on(std::size_t session) const override {
    return engine_.session(session).is_logged_on();
  }
  [[nodiscard]] session::Numbers numbers(std::size_t session) const override {
    return engine_.session(session).numbers();
  }

 private:
  engine::Engine& engine_;
  std::vector<store::SessionKey> keys_;
};

}  // namespace nexusfix::simulator
