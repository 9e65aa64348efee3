// What `nexusfix config` prints.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "config/api/explain_settings.hpp"

namespace nexusfix::command {

// Warnings, the store, and for each session its addresses, its schedule and its values, each with
// its origin. Keys that the file does not set are shown only if all is true.
[[nodiscard]] std::string config_text(const config::ExplainedSettings& explained,
                                      std::chrono::sys_seconds now, bool all);
[[nodiscard]] std::string config_json(const config::ExplainedSettings& explained);

// Errors for the parts that the configuration needs and that this program was built without.
[[nodiscard]] config::SettingsErrors missing_parts(const config::ExplainedSettings& explained,
                                                   bool has_postgres);

struct ScheduleQuestion {
  std::chrono::sys_seconds from;
  std::size_t count = 5;  // the number of coming sessions to show
  std::string session;    // the name of one FIX session; empty: all of them
};

// The open session and the next ones, in UTC and in local time, with the keys that decide it.
[[nodiscard]] std::string schedule_text(const config::ExplainedSettings& explained,
                                        const ScheduleQuestion& question);

// A configuration to start from: every key with its meaning. Keys that need no value are comments.
[[nodiscard]] std::string new_config_text(bool is_acceptor);

}  // namespace nexusfix::command
