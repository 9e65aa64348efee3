#include "tester/run/given_names.hpp"

#include <set>
#include <string_view>

namespace nexusfix::tester {

std::expected<Names, std::string> names_of(const std::vector<std::string>& sets) {
  Names given;
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return std::unexpected{"--set: \"" + set + "\" is not of the form NAME=TEXT"};
    }
    given[set.substr(0, equals)] = set.substr(equals + 1);
  }
  return given;
}

std::expected<void, std::string> check_names(const Names& given, const std::vector<Case>& cases) {
  std::set<std::string_view> known;
  for (const Case& one : cases) known.insert(one.script.names.begin(), one.script.names.end());
  for (const auto& [name, text] : given) {
    if (known.contains(name)) continue;
    return std::unexpected{"--set: no script has <" + name + ">" +
                           did_you_mean(name, {known.begin(), known.end()})};
  }
  return {};
}

}  // namespace nexusfix::tester
