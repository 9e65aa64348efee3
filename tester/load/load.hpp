// The suites that no script has: performance and soak.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nexusfix/base/clock.hpp>

#include "tester/play/player.hpp"
#include "tester/play/result.hpp"
#include "tester/play/wire.hpp"
#include "tester/script/message_text.hpp"

namespace nexusfix::tester {

using Duration = std::chrono::nanoseconds;

// A limit that is absent is not checked.
struct LoadOptions {
  std::uint64_t messages = 1000;  // of each measurement but rates
  double rate = 0;                // messages a second; 0: as many as the engine takes
  double seconds = 0;             // of each rate, and of a soak; 0: their default
  std::optional<Duration> max_p50;
  std::optional<Duration> max_p99;
  std::optional<Duration> max_recovery;
  double min_rate = 0;
  std::uint64_t process_id = 0;      // of the engine, whose memory is read; 0: none
  double max_growth_mebibytes = 16;  // of that memory
  std::function<void(std::string_view)> on_progress = [](std::string_view) {};
};

// What a case works with. All must outlive the call.
struct LoadContext {
  const PlayOptions& play;
  const LoadOptions& load;
  const Names& definitions;  // of the part `definitions`, and those of --set
  Wire& wire;
  Clock& clock;
  EngineUnderTest& engine;
  std::string_view name{};  // of the case
  bool can_restart = false;
};

struct LoadCase {
  std::string_view suite;
  std::string_view name;
  std::string_view title;
  bool for_acceptors_alone = false;
  VersionSet versions;
  Result (*play)(const LoadContext& context);
};

[[nodiscard]] std::span<const LoadCase> performance_cases();
[[nodiscard]] std::span<const LoadCase> soak_cases();

}  // namespace nexusfix::tester
