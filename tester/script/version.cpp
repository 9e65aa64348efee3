#include "tester/script/version.hpp"

#include <optional>

namespace nexusfix::tester {
namespace {

std::optional<std::size_t> find(std::string_view name) {
  for (std::size_t i = 0; i < kVersions.size(); ++i) {
    if (kVersions[i].name == name) return i;
  }
  return std::nullopt;
}

std::string unknown(std::string_view name) {
  std::string text = "unknown version \"" + std::string{name} + "\"; there are";
  for (const Version& version : kVersions) (text += ' ') += version.name;
  return text;
}

}  // namespace

std::expected<VersionSet, std::string> parse_versions(std::string_view text) {
  VersionSet versions;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.empty() ? 1 : word.size());
    if (word.empty()) continue;
    const std::size_t dash = word.find('-');
    const bool is_open = word.ends_with('+');
    const std::string_view first = is_open ? word.substr(0, word.size() - 1) : word.substr(0, dash);
    const std::string_view last = dash == std::string_view::npos ? first : word.substr(dash + 1);
    const auto begin = find(first);
    const auto end = is_open ? std::optional{kVersions.size() - 1} : find(last);
    if (!begin) return std::unexpected{unknown(first)};
    if (!end) return std::unexpected{unknown(last)};
    if (*begin > *end) return std::unexpected{"no version is in " + std::string{word}};
    for (std::size_t i = *begin; i <= *end; ++i) versions.set(i);
  }
  if (versions.none()) return std::unexpected{std::string{"no version is named"}};
  return versions;
}

std::expected<std::size_t, std::string> version_of(std::string_view begin_string) {
  if (begin_string == kVersions.back().begin_string) return kVersions.size() - 1;
  std::string text{begin_string};
  if (text.starts_with("FIX.")) text.erase(0, 4);
  for (std::size_t i = 0; i < kVersions.size(); ++i) {
    if (text == kVersions[i].name || text == kVersions[i].test_name) return i;
  }
  return std::unexpected{unknown(begin_string)};
}

}  // namespace nexusfix::tester
