// The engine's errors as text, the same sentence as what(); also for format.hpp.
#pragma once

#include <string>

#include <nexusfix/config/settings.hpp>
#include <nexusfix/engine/engine.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/wire/text.hpp>

namespace nexusfix {
namespace config {

// "trader.cfg:12: HeartBtInt=abc: a whole number of seconds from 0 to 3600 was expected".
[[nodiscard]] inline std::string to_string(const SettingsError& error) { return error.what(); }

}  // namespace config
namespace engine {

// One sentence, such as "field 58: the value is empty".
[[nodiscard]] inline std::string to_string(const SendError& error) { return error.what(); }
// Every error, one a line.
[[nodiscard]] inline std::string to_string(const EngineError& error) { return error.what(); }

}  // namespace engine

template <>
inline constexpr bool kHasText<config::SettingsError> = true;
template <>
inline constexpr bool kHasText<engine::SendError> = true;
template <>
inline constexpr bool kHasText<engine::EngineError> = true;

}  // namespace nexusfix
