#include "venues/certify/suite.hpp"

#include <fmt/format.h>

#include "venues/kit/kit_files.hpp"

namespace nexusfix::venues {

std::expected<std::vector<tester::Case>, std::string> suite_of(
    const Kit& kit, const Endpoint& endpoint, const std::set<std::string, std::less<>>& names) {
  const auto parts = [&](const std::string& name) -> std::expected<std::string, std::string> {
    const std::string_view own = kit_file(kit.name, "suite/parts/" + name + ".part");
    if (!own.empty()) return std::string{own};
    for (const tester::ShippedFile& file : tester::shipped_files()) {
      if (file.suite == "parts" && file.name == name + ".part") return std::string{file.text};
    }
    return std::unexpected{name + ".part: there is no such part"};
  };
  const std::string folder = fmt::format("suite/{}/", endpoint.name);
  std::vector<tester::Case> cases;
  for (const KitFile& file : kit_files()) {
    if (file.kit != kit.name || !file.name.starts_with(folder)) continue;
    const std::string name{file.name.substr(folder.size())};
    auto script = tester::parse_script(name, file.text, {.parts = parts, .names = names});
    if (!script) return std::unexpected{fmt::format("{}/{}{}", kit.name, folder, script.error())};
    cases.push_back({fmt::format("{}/{}", kit.name, endpoint.name), std::move(*script)});
  }
  return cases;
}

}  // namespace nexusfix::venues
