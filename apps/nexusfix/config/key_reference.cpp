#include "nexusfix/config/key_reference.hpp"

#include <algorithm>
#include <fmt/format.h>

#include <nexusfix/base/ascii.hpp>
#include <nexusfix/config/explain_settings.hpp>
#include <nexusfix/dictionary/nearest_name.hpp>

#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

using config::described_keys;
using config::KeyDescription;

constexpr std::string_view kPageBegin =
    R"(# Configuration keys

Every key that the engine honours, from its own table: `nexusfix config keys --markdown` prints this
page, and `nexusfix config keys NAME` one key. [Configuration](configuration.md) explains how a file
is read and what belongs together. Keys of other engines that are accepted, with a warning that says
what is done instead, are not listed: `nexusfix config check FILE` names them.

*Takes effect*: when a reload (SIGHUP) applies a changed value: at once; at the next Logon of the
session; at the next start of the engine; or the session counts as another one.
*Elsewhere*: the default of another engine, where it differs.
)";

std::string values_of(const KeyDescription& key) {
  std::string_view expected = key.expected;
  if (expected.ends_with(',')) expected.remove_suffix(1);  // in an error, words follow it
  std::string text{expected};
  if (key.most != 0) text += fmt::format(" from {} to {}", key.least, key.most);
  if (key.is_numbered) text += fmt::format("; also {0}1, {0}2, ...", key.name);
  return text;
}

std::string_view default_of(const KeyDescription& key) {
  return key.fallback.empty() ? std::string_view{"none"} : key.fallback;
}

std::string in_full(const KeyDescription& key) {
  std::string text = fmt::format(
      "{}  ({})\n  meaning       {}\n  values        {}\n  default       {}\n  takes effect  {}\n",
      key.name, key.group, key.meaning, values_of(key), default_of(key), key.takes_effect);
  if (!key.elsewhere.empty()) text += fmt::format("  elsewhere     {}\n", key.elsewhere);
  return text;
}

const KeyDescription* find(std::string_view name) {
  const auto found = std::ranges::find_if(described_keys(), [&](const KeyDescription& key) {
    return equals_ignoring_case(key.name, name);
  });
  return found == described_keys().end() ? nullptr : &*found;
}

std::string unknown(std::string_view name) {
  std::vector<std::string_view> names;
  for (const KeyDescription& key : described_keys()) names.push_back(key.name);
  const auto nearest = dictionary::nearest_name(name, names);
  return nearest ? fmt::format("there is no key {}. Did you mean {}?", name, *nearest)
                 : fmt::format("there is no key {}; `nexusfix config keys` lists all", name);
}

// A `|` would end the cell of a table.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

std::expected<std::string, std::string> describe_keys(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const KeyDescription* const key = find(name);
    if (key == nullptr) return std::unexpected{unknown(name)};
    if (!text.empty()) text += '\n';
    text += in_full(*key);
  }
  if (!names.empty()) return text;
  std::string_view group;
  for (const KeyDescription& key : described_keys()) {
    if (key.group != group) {
      text += fmt::format("{}{}\n", group.empty() ? "" : "\n", key.group);
      group = key.group;
    }
    text += fmt::format("  {:<32} {}\n", key.name, key.meaning);
  }
  return text;
}

std::string keys_page() {
  std::string text{kPageBegin};
  std::string_view group;
  for (const KeyDescription& key : described_keys()) {
    if (key.group != group) {
      group = key.group;
      text += fmt::format(
          "\n## {}\n\n| key | meaning | values | default | takes effect | "
          "elsewhere |\n|---|---|---|---|---|---|\n",
          capitalised(group));
    }
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", key.name, cell(key.meaning),
                        cell(values_of(key)),
                        key.fallback.empty() ? "" : fmt::format("`{}`", cell(key.fallback)),
                        key.takes_effect, cell(key.elsewhere));
  }
  return text;
}

}  // namespace nexusfix::command
