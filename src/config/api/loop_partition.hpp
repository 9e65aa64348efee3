// Decides which event loop has which sessions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/store.hpp>

#include "config/api/settings.hpp"

namespace nexusfix::config {

// The store folder of a loop: the folder itself for loop 0, "loop-1" in it for loop 1, and so on.
[[nodiscard]] inline std::string folder_of_loop(const std::string& store_folder,
                                                std::uint32_t loop) {
  if (loop == 0) return store_folder;
  return store_folder + "/loop-" + std::to_string(loop);
}

// Splits the configuration into one for each loop. A stored session stays in its loop; a new one
// goes to the loop of its EventLoop key or, without the key, of its name's hash. An error: a
// session is stored in another loop than EventLoop says, in two, or in a loop that this
// configuration does not have. stores: one for each loop.
[[nodiscard]] std::expected<std::vector<Settings>, std::string> partition_by_loop(
    Settings settings, Disk& disk, std::span<const store::Store* const> stores);

// The loop in which a session is stored, by its name.
using HomeOf = FunctionRef<std::optional<std::uint32_t>(const std::string& name)>;
// For a configuration that is read again, with the present loops.
[[nodiscard]] std::expected<std::vector<Settings>, std::string> partition_again(Settings settings,
                                                                                std::size_t loops,
                                                                                HomeOf home_of);

}  // namespace nexusfix::config
