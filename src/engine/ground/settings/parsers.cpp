#include "engine/ground/settings/parsers.hpp"

#include <string>

#include "engine/ground/loop_context.hpp"
#include "engine/ground/settings/settings_names.hpp"

namespace nexusfix::engine {

void report_warnings(LoopContext& loop, const std::vector<SettingsError>& warnings) {
  for (const SettingsError& one : warnings) {
    loop.report.engine(EventId::ConfigurationWarning, one.what());
  }
}

std::expected<void, EngineError> load_dictionaries(LoopContext& loop, Settings& settings) {
  report_warnings(loop, settings.warnings);
  const auto found = config::make_validators(settings, *loop.disk);
  if (!found) return std::unexpected{to_error(found.error())};
  use_dictionaries(loop, *found);
  return {};
}

void use_dictionaries(LoopContext& loop, const config::InDictionaries& found) {
  for (const SettingsError& one : found.warnings) {
    const std::string text = one.what();
    // Several loops read the same dictionaries.
    if (loop.shared.directory && !loop.shared.directory->is_said_first(text)) continue;
    loop.report.engine(one.is_note ? EventId::DictionaryNote : EventId::DictionaryWarning, text);
  }
  Parsers& parsers = loop.parsers;
  for (const auto pair : found.data_fields.pairs()) parsers.data_fields.add(pair);
  parsers.inbound = wire::Parser{parsers.data_fields};
  parsers.outbound = wire::Parser{parsers.data_fields};
}

void apply_check_sum_rule(LoopContext& loop, const SessionSettings& settings) noexcept {
  if (settings.validates_check_sum) return;
  loop.parsers.accepts_unsound = true;
  if (loop.shared.directory) loop.shared.directory->accept_unsound();
}

}  // namespace nexusfix::engine
