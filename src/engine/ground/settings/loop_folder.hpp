// Where each event loop has its journal.
#pragma once

#include <cstdint>
#include <string>

namespace nexusfix::engine {

// The store folder of a loop: the folder itself for loop 0, "loop-1" in it for loop 1, and so on.
[[nodiscard]] inline std::string folder_of_loop(const std::string& store_folder,
                                                std::uint32_t loop) {
  if (loop == 0) return store_folder;
  return store_folder + "/loop-" + std::to_string(loop);
}

}  // namespace nexusfix::engine
