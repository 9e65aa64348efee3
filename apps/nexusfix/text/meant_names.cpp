#include "nexusfix/text/meant_names.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/api/ascii.hpp"

namespace nexusfix::command {
namespace {

// is_whole: a BeginString, a CompID, a SubID or a qualifier; otherwise any part of the name.
bool has_part(std::string_view name, std::string_view part, bool is_whole) {
  for (std::size_t at = 0; at + part.size() <= name.size() && !part.empty(); ++at) {
    if (!equals_ignoring_case(name.substr(at, part.size()), part)) continue;
    const std::size_t end = at + part.size();
    const bool begins = at == 0 || !is_alphanumeric(name[at - 1]);
    const bool ends = end == name.size() || !is_alphanumeric(name[end]);
    if (!is_whole || (begins && ends)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::size_t> meant_names(const std::vector<std::string_view>& names,
                                     std::string_view text) {
  const auto exact = std::ranges::find(names, text);
  if (exact != names.end()) return {static_cast<std::size_t>(exact - names.begin())};
  std::vector<std::size_t> found;
  for (const bool is_whole : {true, false}) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (has_part(names[i], text, is_whole)) found.push_back(i);
    }
    if (!found.empty()) break;
  }
  return found;
}

std::string not_one_session(std::vector<std::string_view> names, std::string_view text) {
  constexpr std::size_t kListed = 20;
  const std::size_t meant = meant_names(names, text).size();
  const bool has_more = names.size() > kListed;
  if (has_more) names.resize(kListed);
  return fmt::format("{}; there is: {}{}",
                     meant > 1 ? fmt::format("'{}' may be any of {} sessions", text, meant)
                               : fmt::format("there is no session '{}' in it", text),
                     names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")),
                     has_more ? ", ..." : "");
}

}  // namespace nexusfix::command
