// The files of the kits, which are in the program.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace nexusfix::venues {

// A file of a kit's folder.
struct KitFile {
  std::string_view kit;   // "binance"
  std::string_view name;  // "client.cfg", "suite/logon.scenario"
  std::string_view text;
};
// By kit and name. Static lifetime.
[[nodiscard]] std::span<const KitFile> kit_files() noexcept;

// "binance", "bybit", ...
[[nodiscard]] std::vector<std::string_view> kit_names();
// Empty: the kit has no such file.
[[nodiscard]] std::string_view kit_file(std::string_view kit, std::string_view name) noexcept;

}  // namespace nexusfix::venues
