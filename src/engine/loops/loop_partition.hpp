// Decides which event loop has which sessions.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine/engine.hpp>

#include "engine/loop/event_loop.hpp"

namespace nexusfix::engine {

// The store folder of a loop: the folder itself for loop 0, "loop-1" in it for loop 1, and so on.
[[nodiscard]] std::string folder_of_loop(const std::string& store_folder, std::uint32_t loop);

// Splits the configuration into one for each loop. A stored session stays in its loop; a new one
// goes to the loop of its EventLoop key or, without the key, of its name's hash. An error: a
// session is stored in another loop than EventLoop says, in two, or in a loop that this
// configuration does not have.
[[nodiscard]] std::expected<std::vector<Settings>, EngineError> partition_by_loop(
    Settings settings, Disk& disk, const std::vector<std::unique_ptr<EventLoop>>& loops);

// For a configuration that is read again, with the present loops. The directory knows the
// loops of the stored sessions.
[[nodiscard]] std::expected<std::vector<Settings>, EngineError> partition_again(
    Settings settings, LoopDirectory& directory);

}  // namespace nexusfix::engine
