#include "nexusfix/help/completion_words.hpp"

#include <algorithm>
#include <set>

#include <nexusfix/dictionary.hpp>

#include "config/api/explain_settings.hpp"
#include "control/api/running_engine.hpp"
#include "nexusfix/command.hpp"
#include "observe/api/logs.hpp"

namespace nexusfix::command {
namespace {

using Words = std::vector<std::string>;

// "CLIENT" of "FIX.4.4:VENUE->CLIENT": a shell splits the whole name at `:` and `>`.
std::string last_part(const std::string& name) {
  const std::size_t arrow = name.rfind("->");
  return arrow == std::string::npos ? name : name.substr(arrow + 2);
}

Words sessions() {
  Words names;
  for (const std::string& folder : engine::find_running_engines()) {
    const auto status = engine::status_of_running_engine(folder);
    if (!status) continue;
    for (const engine::SessionStatistics& one : status->sessions) names.push_back(one.name);
  }
  Words words;
  for (const std::string& name : names) {
    const std::string part = last_part(name);
    const auto has_part = [&](const std::string& other) { return last_part(other) == part; };
    words.push_back(std::ranges::count_if(names, has_part) == 1 ? part : name);
  }
  return words;
}

Words events() {
  Words words;
  for (const observe::EventRow& row : observe::event_table()) {
    words.push_back(observe::identifier_of(row.id));
    words.emplace_back(row.name);
  }
  return words;
}

Words keys() {
  Words words;
  for (const config::KeyDescription& key : config::described_keys()) words.emplace_back(key.name);
  return words;
}

Words fields() {
  std::set<std::string> names;
  for (const dictionary::Version version : dictionary::kVersions) {
    for (const dictionary::FieldDefinition& field :
         dictionary::builtin_dictionary(version).fields) {
      names.insert(field.name);
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace

std::optional<Words> completion_words(std::string_view kind) {
  if (kind == "sessions") return sessions();
  if (kind == "engines") return engine::find_running_engines();
  if (kind == "events") return events();
  if (kind == "keys") return keys();
  if (kind == "fields") return fields();
  if (kind == "kits") return kit_words();
  return std::nullopt;
}

}  // namespace nexusfix::command
