// Plays a scenario: the real engine as initiator, over a network, a disk and a clock in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "tester/script/script.hpp"

namespace nexusfix::scenarios {

// How bytes arrive at both sides.
enum class Stream : std::uint8_t { Whole, InPieces };

// Reads a scenario; included files are in the folders of `parts`, searched in this order.
[[nodiscard]] std::expected<tester::Script, std::string> read_scenario(const std::string& path,
                                                                       const std::string& parts);

// The first line that failed, as text: place, statement, expected and actual result, and the
// engine's log. Nothing: every line succeeded. version is an index into kVersions.
[[nodiscard]] std::optional<std::string> play(const tester::Script& script, std::size_t version,
                                              Stream stream = Stream::Whole);

}  // namespace nexusfix::scenarios
