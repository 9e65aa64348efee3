#include "venues/kit/kit_files.hpp"

namespace nexusfix::venues {

std::vector<std::string_view> kit_names() {
  std::vector<std::string_view> names;
  for (const KitFile& file : kit_files()) {
    if (names.empty() || names.back() != file.kit) names.push_back(file.kit);
  }
  return names;
}

std::string_view kit_file(std::string_view kit, std::string_view name) noexcept {
  for (const KitFile& file : kit_files()) {
    if (file.kit == kit && file.name == name) return file.text;
  }
  return {};
}

}  // namespace nexusfix::venues
