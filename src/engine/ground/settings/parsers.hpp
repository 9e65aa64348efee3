// The parsers of one event loop, which know the dictionaries of its sessions.
#pragma once

#include <expected>
#include <string_view>
#include <vector>

#include <nexusfix/engine.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/parser.hpp>

#include "config/api/validators.hpp"
#include "engine/ground/settings/settings_names.hpp"

namespace nexusfix::engine {

class LoopContext;

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
void use_dictionaries(LoopContext& loop, const config::InDictionaries& found);
// Notes the validation rules of a session or a template that is added or changed.
void apply_check_sum_rule(LoopContext& loop, const SessionSettings& settings) noexcept;
void report_warnings(LoopContext& loop, const std::vector<SettingsError>& warnings);

}  // namespace nexusfix::engine
