// Which event loop has which sessions.
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

// The part of the store that is a loop's: the folder itself is the first one's, "loop-1" in it the
// next one's.
[[nodiscard]] std::string folder_of_loop(const std::string& store_folder, std::uint32_t loop);

// The configuration of each loop. A session is where it is stored already, else where EventLoop or
// its name says. An error: it is stored in another loop than EventLoop says, in two, or in one that
// this configuration does not have.
[[nodiscard]] std::expected<std::vector<Settings>, EngineError> share_out(
    Settings settings, Disk& disk, const std::vector<std::unique_ptr<EventLoop>>& loops);

// The same of a configuration that is read again, for the loops that there are. Sessions are stored
// where the directory says.
[[nodiscard]] std::expected<std::vector<Settings>, EngineError> share_anew(
    Settings settings, LoopDirectory& directory);

}  // namespace nexusfix::engine
