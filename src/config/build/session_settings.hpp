// Builds the settings of one [SESSION].
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <nexusfix/config/settings.hpp>

#include "config/build/schedule_settings.hpp"
#include "config/text/settings_section.hpp"

namespace nexusfix::config {

// The role of a session without a ConnectionType, which QuickFIX/Go does not have. Unset: the
// session has keys of both roles, or of neither.
struct ImpliedRole {
  session::Role role = session::Role::Initiator;
  std::string_view key;  // that implies it
  std::size_t line = 0;
};
[[nodiscard]] std::optional<ImpliedRole> implied_role(const MergedSection& keys);

[[nodiscard]] SessionSettings build_session(const MergedSection& keys, SettingsReport& report,
                                            Calendars& calendars);

}  // namespace nexusfix::config
