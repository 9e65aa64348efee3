// What `nexusfix config` prints.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <nexusfix/config/explain_settings.hpp>

namespace nexusfix::command {

// Warnings, the store, and of each session its addresses, its schedule, and its values with where
// they came from; those that the file does not give only if all is true.
[[nodiscard]] std::string config_text(const config::ExplainedSettings& explained,
                                      std::chrono::sys_seconds now, bool all);
[[nodiscard]] std::string config_json(const config::ExplainedSettings& explained);

// What it asks for and this program was built without.
[[nodiscard]] config::SettingsErrors missing_parts(const config::ExplainedSettings& explained,
                                                   bool has_postgres);

struct ScheduleQuestion {
  std::chrono::sys_seconds from;
  std::size_t count = 5;  // sessions of each
  std::string session;    // its name; empty: of every one
};

// The session that is open, and the next ones, in UTC and in local time, and why.
[[nodiscard]] std::string schedule_text(const config::ExplainedSettings& explained,
                                        const ScheduleQuestion& question);

// A configuration to begin with: every key, with its meaning; those that need no value as comments.
[[nodiscard]] std::string new_config_text(bool is_acceptor);

}  // namespace nexusfix::command
