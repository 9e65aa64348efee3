// The engine's errors as text, the same sentence as what(); also for format.hpp.
#pragma once

#include <string>

#include <nexusfix/config/settings.hpp>
#include <nexusfix/engine/engine.hpp>
#include <nexusfix/engine/mailbox.hpp>
#include <nexusfix/engine/remote.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/session/decisions.hpp>
#include <nexusfix/wire/text.hpp>

namespace nexusfix {
namespace config {

// "trader.cfg:12: HeartBtInt=abc: a whole number of seconds from 0 to 3600 was expected".
[[nodiscard]] inline std::string to_string(const SettingsError& error) { return error.what(); }

}  // namespace config
namespace engine {

// One sentence, such as "field 58: the value is empty".
[[nodiscard]] inline std::string to_string(const SendError& error) { return error.what(); }
// One sentence, such as "OrdType (40): the required field is missing".
[[nodiscard]] inline std::string to_string(const RemoteError& error) { return error.what(); }
// Every error, one a line.
[[nodiscard]] inline std::string to_string(const EngineError& error) { return error.what(); }

}  // namespace engine

template <>
inline constexpr bool kHasText<config::SettingsError> = true;
template <>
inline constexpr bool kHasText<engine::SendError> = true;
template <>
inline constexpr bool kHasText<engine::EngineError> = true;

template <>
inline constexpr bool kHasText<engine::RemoteError> = true;
template <>
inline constexpr bool kHasText<engine::LogonWait> = true;
template <>
inline constexpr bool kHasText<engine::PostError> = true;
template <>
inline constexpr bool kHasText<engine::PostOutcome> = true;
template <>
inline constexpr bool kHasText<session::DisconnectReason> = true;

}  // namespace nexusfix
