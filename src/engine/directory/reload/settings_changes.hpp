// Finds the changed keys of existing sessions after a reload, and applies them when they take
// effect.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "engine/directory/reload/reload_plan.hpp"
#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

struct Io;
struct Sessions;

class SettingsChanges {
 public:
  SettingsChanges(LoopContext& loop, Io& io, Sessions& sessions) noexcept
      : loop_{loop}, io_{io}, sessions_{sessions} {}

  // Sets the engine's file and its text. Once, at the start.
  void begin(std::string file, std::string text);
  // Empty: the engine was opened without a file.
  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  // When it was last applied; null: the engine was opened without a file.
  [[nodiscard]] const std::shared_ptr<const std::string>& text() const noexcept { return text_; }
  void set_text(std::shared_ptr<const std::string> text) noexcept { text_ = std::move(text); }

  void plan_changes(ReloadPlan& plan);
  [[nodiscard]] static bool names_other_dictionaries(const ReloadPlan& plan) noexcept;
  [[nodiscard]] static bool has_moved(const Change& change) noexcept;
  [[nodiscard]] std::expected<void, EngineError> listen_for_changes(ReloadPlan& plan);
  void refresh_listeners(const ReloadPlan& plan);
  void apply_change(Change& change);
  void apply_next_settings();
  void apply_next_settings(SessionEntry& entry);
  void forget_pending(SessionEntry& entry) noexcept;
  [[nodiscard]] std::vector<PendingChange> pending_changes() const;
  void report_pending();
  void report_changes(const ReloadPlan& plan);

  // Sessions have other settings from their next Logon on.
  [[nodiscard]] bool has_waiting() const noexcept { return !with_next_settings_.empty(); }
  void forget(SessionEntry& entry) noexcept { std::erase(with_next_settings_, &entry); }

 private:
  class TextsRead;
  [[nodiscard]] bool lacks_for(const SessionSettings& settings) const noexcept;
  [[nodiscard]] std::optional<Change> change_of(SessionEntry& entry, const ReloadPlan& plan,
                                                TextsRead& texts);
  void apply_settings(SessionEntry& entry, SessionSettings settings);
  void publish_pending() noexcept;

  LoopContext& loop_;
  Io& io_;
  Sessions& sessions_;

  std::string file_;
  std::shared_ptr<const std::string> text_;
  std::vector<SessionEntry*> with_next_settings_;  // sessions with settings for their next Logon
};

}  // namespace nexusfix::engine
