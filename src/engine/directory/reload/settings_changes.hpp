// Finds the changed keys of existing sessions after a reload, and applies them when they take
// effect.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine.hpp>

#include "engine/directory/session_installer.hpp"
#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

// The keys of the first list, then those of the second.
[[nodiscard]] inline std::vector<std::string> both(std::vector<std::string> first,
                                                   const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// A session that stays, or comes back, with changed keys.
struct Change {
  SessionEntry* entry = nullptr;  // null: the session was destroyed in the meantime
  // For a connected session; no value: no key takes effect at once.
  std::optional<SessionSettings> at_once;
  // For a session without a connection; null: only its texts differ.
  std::unique_ptr<SessionSettings> whole;
  std::optional<std::size_t> listener;  // the new listener, if it has changed
  FileTexts texts;                      // in effect with whole
  ChangedKeys keys;
  PendingKeys pending;  // in effect with whole
};

struct TemplateChange {
  std::size_t index = 0;  // of SessionTemplates::all()
  SessionSettings settings;
  std::vector<std::string> keys;
};

struct ReloadPlan {
  Settings fresh;
  Settings added;
  config::InDictionaries dictionaries;
  std::set<std::string, std::less<>> names;  // of all sessions in the file
  std::vector<SessionEntry*> back;           // null: the session was destroyed in the meantime
  std::vector<SessionEntry*> out;            // the same
  // The prepared changes, and how many of them are applied.
  std::shared_ptr<const std::string> text;
  NewSessions made{};
  std::size_t made_done = 0;
  std::size_t templates_done = 0;
  std::size_t back_done = 0;
  std::size_t out_done = 0;
  Reloaded reloaded{};
  std::vector<Change> changes{};
  std::vector<TemplateChange> template_changes{};
  std::size_t changes_done = 0;
  std::size_t template_changes_done = 0;
  bool is_decided = false;  // the plan will be applied in any case
};

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
