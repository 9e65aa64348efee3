// The keys of the engine's threads. They belong to all sessions, wherever they stand.
#pragma once

#include <array>
#include <optional>

#include <nexusfix/engine/settings.hpp>

#include "engine/settings_section.hpp"

namespace nexusfix::engine {

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

}  // namespace nexusfix::engine
