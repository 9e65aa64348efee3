// The changes of a reload in one event loop, and how many of them are applied.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

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
  InDictionaries dictionaries;
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

}  // namespace nexusfix::engine
