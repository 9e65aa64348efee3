// The schedule of a session, from QuickFIX's keys.
#pragma once

#include <chrono>
#include <expected>
#include <map>
#include <set>
#include <string>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/session/schedule.hpp>

#include "config/text/settings_section.hpp"
#include "config/zones/time_zones.hpp"

namespace nexusfix::config {

// The time zones and the files of holidays of all sessions. Each is read once.
class Calendars {
 public:
  using Holidays = std::expected<std::set<std::chrono::local_days>, std::string>;

  // disk: null for a configuration without a file, which cannot name another file.
  explicit Calendars(Disk* disk) : disk_{disk} {}

  [[nodiscard]] TimeZones& zones() noexcept { return zones_; }
  // One date a line, 2026-12-25, with or without a name after it; # begins a comment.
  [[nodiscard]] const Holidays& holidays(const std::string& path);

 private:
  [[nodiscard]] Holidays read(const std::string& path) const;

  Disk* disk_;
  TimeZones zones_;
  std::map<std::string, Holidays> files_;
};

// Non-stop if the keys are wrong, which is reported, or if none is given.
[[nodiscard]] session::Schedule build_schedule(const MergedSection& keys, SettingsReport& report,
                                               Calendars& calendars);

}  // namespace nexusfix::config
