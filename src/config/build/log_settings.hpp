// The logs of each session, and what they share.
#pragma once

#include <array>
#include <optional>

#include <nexusfix/config/settings.hpp>

#include "config/text/settings_section.hpp"

namespace nexusfix::config {

class LogBuilder {
 public:
  LogBuilder(Settings& settings, SettingsReport& report) : settings_{settings}, report_{report} {}

  void take(const MergedSection& keys, SessionSettings& session);
  void finish();

 private:
  void take_files(const MergedSection& keys, LogSettings& log);
  void take_screen(const MergedSection& keys, LogSettings& log);
  void take_shared(const MergedSection& keys);

  Settings& settings_;
  SettingsReport& report_;
  bool has_files_ = false;
  std::array<std::optional<Given>, kKeyCount> shared_;
  std::array<std::optional<Given>, kKeyCount> of_files_;  // keys that need FileLogPath
};

}  // namespace nexusfix::config
