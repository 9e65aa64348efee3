// The names of the configuration layer that the engine uses: finished settings and their errors.
#pragma once

#include <expected>
#include <utility>

#include <nexusfix/engine.hpp>

#include "config/api/changed_keys.hpp"
#include "config/api/loop_partition.hpp"
#include "config/api/tls_contexts.hpp"

namespace nexusfix::engine {

using config::changed_keys;
using config::ChangedKeys;
using config::copy_parts_from_files;
using config::DictionarySettings;
using config::FileKeys;
using config::folder_of_loop;
using config::InboundDelivery;
using config::joined_keys;
using config::KeySources;
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
using config::TlsContexts;

// The errors of a configuration as one EngineError. All errors, one a line.
[[nodiscard]] EngineError to_error(const SettingsErrors& errors);

// What the program says of the configuration.
[[nodiscard]] inline std::expected<void, EngineError> check(const detail::SettingsCheck& program,
                                                            const Settings& settings) {
  if (program.call == nullptr) return {};
  auto right = program.call(program.context, settings);
  if (!right) return std::unexpected{EngineError{std::move(right.error())}};
  return {};
}

}  // namespace nexusfix::engine
