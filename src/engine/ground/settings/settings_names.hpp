// The names of the configuration layer that the engine uses: finished settings and their errors.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

#include <nexusfix/engine.hpp>
#include <nexusfix/settings.hpp>

#include "config/api/changed_keys.hpp"

namespace nexusfix::engine {

// The store folder of a loop: the folder itself for loop 0, "loop-1" in it for loop 1, and so on.
[[nodiscard]] inline std::string folder_of_loop(const std::string& store_folder,
                                                std::uint32_t loop) {
  if (loop == 0) return store_folder;
  return store_folder + "/loop-" + std::to_string(loop);
}

using config::changed_keys;
using config::ChangedKeys;
using config::copy_parts_from_files;
using config::DictionarySettings;
using config::FileKeys;
using config::InboundDelivery;
using config::joined_keys;
using config::KeySources;
using config::load_settings;
using config::LogSettings;
using config::OutboundLimitRule;
using config::OutboundLimitSettings;
using config::session_of;
using config::SessionSettings;
using config::SessionTls;
using config::Settings;
using config::SettingsError;
using config::SettingsErrors;
using config::StoreKind;
using config::ThreadSettings;
using config::ThrottleAction;
using config::ThrottleSettings;

// The errors of a configuration as one EngineError. All errors, one a line.
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
