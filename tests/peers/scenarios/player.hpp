// Plays a scenario: the real engine as initiator, over a network, a disk and a clock in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "peers/scenarios/script.hpp"

namespace nexusfix::scenarios {

// How bytes arrive at both sides.
enum class Stream : std::uint8_t { Whole, InPieces };

// The first line that failed, as text: place, statement, expected and actual result, and the
// engine's log. Nothing: every line succeeded. version is an index into kVersions.
[[nodiscard]] std::optional<std::string> play(const Script& script, std::size_t version,
                                              Stream stream = Stream::Whole);

}  // namespace nexusfix::scenarios
