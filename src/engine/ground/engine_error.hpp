// The errors of a configuration as one EngineError.
#pragma once

#include <expected>
#include <utility>

#include <nexusfix/engine/engine.hpp>

#include "engine/ground/settings/settings_names.hpp"

namespace nexusfix::engine {

// All errors, one a line.
[[nodiscard]] EngineError to_error(const SettingsErrors& errors);

// What the program says of the configuration.
[[nodiscard]] inline std::expected<void, EngineError> check(const SettingsCheck& program,
                                                            const Settings& settings) {
  if (program.call == nullptr) return {};
  auto right = program.call(program.context, settings);
  if (!right) return std::unexpected{EngineError{std::move(right.error())}};
  return {};
}

}  // namespace nexusfix::engine
