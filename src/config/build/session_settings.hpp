// What one [SESSION] asks for.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <nexusfix/config/settings.hpp>

#include "config/build/schedule_settings.hpp"
#include "config/text/settings_section.hpp"

namespace nexusfix::config {

// Who connects, of a session without a ConnectionType: QuickFIX/Go has no such key, and the program
// decides. Nothing: its keys are of both roles, or of none.
struct ImpliedRole {
  session::Role role = session::Role::Initiator;
  std::string_view key;  // that says so
  std::size_t line = 0;
};
[[nodiscard]] std::optional<ImpliedRole> implied_role(const MergedSection& keys);

[[nodiscard]] SessionSettings build_session(const MergedSection& keys, SettingsReport& report,
                                            Calendars& calendars);

}  // namespace nexusfix::config
