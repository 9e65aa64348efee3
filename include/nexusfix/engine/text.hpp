// The engine's errors as text, the same sentence as what(); also for format.hpp.
#pragma once

#include <string>

#include <nexusfix/config/settings.hpp>
#include <nexusfix/engine/engine.hpp>
#include <nexusfix/engine/remote.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/session/decisions.hpp>
#include <nexusfix/wire/text.hpp>

namespace nexusfix {
namespace config {

// "trader.cfg:12: HeartBtInt=abc: a whole number of seconds from 0 to 3600 was expected".
[[nodiscard]] inline std::string to_string(const SettingsError& error) { return error.what(); }

}  // namespace config
template <>
inline constexpr bool kHasText<config::SettingsError> = true;

template <>
inline constexpr bool kHasText<session::DisconnectReason> = true;

}  // namespace nexusfix
