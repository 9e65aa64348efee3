// The logs of each session.
#pragma once

#include <map>

#include "config/api/settings.hpp"
#include "config/text/settings_section.hpp"

namespace nexusfix::config {

class LogBuilder {
 public:
  explicit LogBuilder(SettingsReport& report) : report_{report} {}

  // For a session whose members are set.
  void take(const MergedSection& keys, LogSettings& log);
  void finish();

 private:
  void read_masked(const MergedSection& keys, LogSettings& log);
  void read_screen(const MergedSection& keys, LogSettings& log);

  SettingsReport& report_;
  bool has_files_ = false;
  std::map<Key, Given> of_files_;  // keys that need FileLogPath, as the first session has them
};

}  // namespace nexusfix::config
