// The process that runs on a machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <nexusfix/base/language.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/simulator/hosted.hpp>

#include "simulator/check/checked_engine.hpp"

namespace nexusfix::simulator {

class RunningProcess {
 public:
  [[nodiscard]] bool is_up() const noexcept { return image_ != nullptr; }

  // The checker's view of the process; valid until the next begin().
  CheckedEngine& begin(std::unique_ptr<ProcessImage> image, const config::Settings& settings) {
    image_ = std::move(image);
    engine::Engine& engine = image_->engine();
    sessions_.clear();
    for (std::size_t i = 0; i < engine.session_count(); ++i) {
      sessions_.push_back(&engine.session(i));
    }
    return checked_.emplace(engine, settings);
  }
  void end() {
    image_.reset();
    sessions_.clear();
  }

  // While it is up.
  [[nodiscard]] engine::Engine& engine() noexcept { return image_->engine(); }
  [[nodiscard]] void* application() noexcept { return image_->application(); }
  void callback_undone() { image_->callback_undone(); }
  void begin_turn() { image_->begin_turn(); }
  [[nodiscard]] bool end_turn() { return image_->end_turn(); }
  void ended() { image_->ended(); }

  // The sessions of its engine; empty while it is not up.
  [[nodiscard]] const std::vector<engine::Session*>& sessions() const noexcept { return sessions_; }
  [[nodiscard]] std::optional<std::size_t> find(const engine::Session& session) const {
    const auto place = std::ranges::find(sessions_, &session);
    if (place == sessions_.end()) return std::nullopt;
    return static_cast<std::size_t>(place - sessions_.begin());
  }
  // session is one of them.
  [[nodiscard]] std::size_t index_of(const engine::Session& session) const {
    const std::optional<std::size_t> index = find(session);
    NEXUSFIX_ASSERT(index.has_value());
    return *index;
  }
  [[nodiscard]] bool is_all_logged_on() const {
    return std::ranges::all_of(sessions_,
                               [](const auto* session) { return session->is_logged_on(); });
  }

 private:
  std::unique_ptr<ProcessImage> image_;  // null: no process
  std::optional<CheckedEngine> checked_;
  std::vector<engine::Session*> sessions_;
};

}  // namespace nexusfix::simulator
