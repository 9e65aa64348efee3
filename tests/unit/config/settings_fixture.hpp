// Two small configurations, and what the engine says when something is added to them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "config/api/settings.hpp"

namespace nexusfix::config {

inline constexpr std::string_view kInitiator =
    "[DEFAULT]\n"                    // 1
    "ConnectionType=initiator\n"     // 2
    "HeartBtInt=30\n"                // 3
    "FileStorePath=store\n"          // 4
    "SocketConnectHost=127.0.0.1\n"  // 5
    "SocketConnectPort=5001\n"       // 6
    "[SESSION]\n"                    // 7
    "BeginString=FIX.4.4\n"          // 8
    "SenderCompID=TRADER\n"          // 9
    "TargetCompID=VENUE\n";          // 10; what a test adds is line 11

inline constexpr std::string_view kAcceptor =
    "[DEFAULT]\n"                // 1
    "ConnectionType=acceptor\n"  // 2
    "FileStorePath=store\n"      // 3
    "SocketAcceptPort=5001\n"    // 4
    "[SESSION]\n"                // 5
    "BeginString=FIX.4.2\n"      // 6
    "SenderCompID=VENUE\n"       // 7
    "TargetCompID=TRADER\n";     // 8; what a test adds is line 9

inline std::string joined(std::string_view first, std::string_view second) {
  return std::string{first}.append(second);
}

inline Settings accepted(std::string_view text) {
  auto settings = parse_settings(text, "t.cfg");
  if (settings) return *settings;
  for (const SettingsError& error : settings.error()) ADD_FAILURE() << error.what();
  return {};
}

inline std::vector<std::string> texts(const std::vector<SettingsError>& messages) {
  std::vector<std::string> result;
  for (const SettingsError& message : messages) result.push_back(message.what());
  return result;
}

inline std::vector<std::string> errors(std::string_view text) {
  const auto settings = parse_settings(text, "t.cfg");
  if (!settings) return texts(settings.error());
  ADD_FAILURE() << "no error in: " << text;
  return {};
}

// The errors of an initiator when this line is added.
inline std::vector<std::string> errors_of(std::string_view line) {
  return errors(joined(kInitiator, joined(line, "\n")));
}
inline std::vector<std::string> warnings_of(std::string_view line) {
  return texts(accepted(joined(kInitiator, joined(line, "\n"))).warnings);
}
inline SessionSettings session_with(std::string_view lines) {
  const Settings settings = accepted(joined(kInitiator, lines));
  return settings.sessions.empty() ? SessionSettings{} : settings.sessions.front();
}

}  // namespace nexusfix::config
