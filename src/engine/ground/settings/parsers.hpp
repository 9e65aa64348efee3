// What the sessions' dictionaries make: their validators, and the parsers of one event loop.
#pragma once

#include <expected>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/parser.hpp>

#include "engine/ground/settings/settings_names.hpp"

namespace nexusfix::engine {

class LoopContext;

// The other content of a configuration's dictionary files.
struct InDictionaries {
  std::vector<SettingsError> warnings;  // and notes
  // The pairs of the standard and of all files: one parser serves all sessions.
  wire::DataFieldTable data_fields = wire::DataFieldTable::standard();
};

// Sessions with the same dictionary and rules share one validator. An error: a file that cannot be
// read or is no dictionary; or a file of another version than its session's without the needed
// messages (a Logon, or application messages). With them it is used, with a note.
[[nodiscard]] std::expected<InDictionaries, SettingsErrors> make_validators(Settings& settings,
                                                                            Disk& disk);

// With the data fields of all dictionaries.
struct Parsers {
  wire::DataFieldTable data_fields = wire::DataFieldTable::standard();
  wire::Parser inbound;
  wire::Parser outbound;         // for our messages, before they are sent
  bool accepts_unsound = false;  // a session has ValidateLengthAndChecksum=N or ValidateChecksum=N

  // Not inlined: most messages that are sent are not parsed.
  [[nodiscard, gnu::noinline]] std::expected<wire::MessageView, wire::ParseError> parse_outbound(
      std::string_view bytes) {
    return outbound.parse(bytes);
  }
};

// Reads the dictionaries that the settings name, and logs the warnings of both.
[[nodiscard]] std::expected<void, EngineError> load_dictionaries(LoopContext& loop,
                                                                 Settings& settings);
void use_dictionaries(LoopContext& loop, const InDictionaries& found);
// Notes the validation rules of a session or a template that is added or changed.
void apply_check_sum_rule(LoopContext& loop, const SessionSettings& settings) noexcept;
void report_warnings(LoopContext& loop, const std::vector<SettingsError>& warnings);

}  // namespace nexusfix::engine
