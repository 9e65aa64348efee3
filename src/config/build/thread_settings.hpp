// The keys of the engine's threads. They belong to all sessions, wherever they stand.
#pragma once

#include <array>
#include <optional>

#include <nexusfix/config/settings.hpp>

#include "config/text/settings_section.hpp"

namespace nexusfix::config {

class ThreadBuilder {
 public:
  ThreadBuilder(Settings& settings, SettingsReport& report)
      : settings_{settings}, report_{report} {}

  // Reports values that differ from an earlier session's.
  void take(const MergedSection& session);
  // When EventLoops is known.
  void finish();

 private:
  static constexpr Key kKeys[] = {Key::EventLoopCpu, Key::BusySpin, Key::LockMemory, Key::CoreDumps,
                                  Key::LogonMaxLateness};

  Settings& settings_;
  SettingsReport& report_;
  std::array<std::optional<Given>, std::size(kKeys)> chosen_;
};

}  // namespace nexusfix::config
