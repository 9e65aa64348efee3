// What a reload is going to change in one event loop, and how far it was applied.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nexusfix/engine/engine.hpp>

#include "engine/registry/session_installer.hpp"
#include "engine/sessions/session_entry.hpp"
#include "engine/sessions/validators.hpp"
#include "engine/settings_names.hpp"

namespace nexusfix::engine {

// A session that stays, or comes back, with other keys.
struct Change {
  SessionEntry* entry = nullptr;           // null: it was destroyed in the meantime
  std::optional<SessionSettings> at_once;  // while it is connected; nothing: no such values
  std::unique_ptr<SessionSettings> whole;  // while it is not; null: only its texts differ
  std::optional<std::size_t> listener;     // another one than before
  FileTexts texts;                         // when whole is in effect
  ChangedKeys keys;
  PendingKeys pending;  // when whole is in effect
};

struct TemplateChange {
  std::size_t index = 0;  // of DynamicSessions::templates()
  SessionSettings settings;
  std::vector<std::string> keys;
};

struct ReloadPlan {
  Settings fresh;
  Settings added;
  InDictionaries dictionaries;
  std::set<std::string, std::less<>> names;  // of all sessions in the file
  std::vector<SessionEntry*> back;           // null: it was destroyed in the meantime
  std::vector<SessionEntry*> out;            // likewise
  // From here on: what is prepared, and how far it was applied.
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
  bool is_decided = false;  // it is applied, whatever happens
};

}  // namespace nexusfix::engine
