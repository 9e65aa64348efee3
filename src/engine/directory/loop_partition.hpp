// Decides which event loop has which sessions.
#pragma once

#include <expected>
#include <span>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/store.hpp>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

// Splits the configuration into one for each loop. A stored session stays in its loop; a new one
// goes to the loop of its EventLoop key or, without the key, of its name's hash. An error: a
// session is stored in another loop than EventLoop says, in two, or in a loop that this
// configuration does not have. stores: one for each loop.
[[nodiscard]] std::expected<std::vector<Settings>, EngineError> partition_by_loop(
    Settings settings, Disk& disk, std::span<const store::Store* const> stores);

// For a configuration that is read again, with the present loops. The directory knows the
// loops of the stored sessions.
[[nodiscard]] std::expected<std::vector<Settings>, EngineError> partition_again(
    Settings settings, LoopDirectory& directory);

}  // namespace nexusfix::engine
