#include "nexusfix/config/key_reference.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/api/ascii.hpp"
#include "config/api/explain_settings.hpp"
#include "dictionary/api/nearest_name.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

using config::described_keys;
using config::Dialects;
using config::KeyDescription;

constexpr std::string_view kPageBegin =
    R"(# Configuration keys

Look up a key: what it means, which values it takes, and which other engines know it.
`nexusfix config keys NAME` explains one key. [Configuration](configuration.md) explains how a file
is read and what belongs together. [Keys of other engines](other-engines.md) names those that are
accepted without effect and those that are refused; `nexusfix config check FILE` reports each. The
engine's own table is the source of this page: `nexusfix config keys --markdown` prints it.

- *Type* and *range*: the values that the key takes.
- *Default*: the value without the key. After a semicolon: the default of another engine, where it
  differs.
- *Example*: a value that the key accepts.
- *Dialects*: the other engines that know the key by this name: QuickFIX (in C++), QuickFIX/J,
  QuickFIX/Go and QuickFIX/n. After a semicolon: the name that another of them has for it. An older
  version may lack a key: QuickFIX 1.15 has no `NonStopSession`. An empty cell: the key is
  NexusFIX's own.
- *Takes effect*: when a reload (SIGHUP) applies a changed value: at once; at the next Logon of the
  session; at the next start of the engine; or the session counts as another one.

| type | a value |
|---|---|
| flag | `Y` or `N` |
| number | a whole number, digits only |
| decimal | digits, with or without a point |
| word | one of the words of the range |
| text | any text; the range limits its bytes |
| path | a file or a folder; without a leading `/` relative to the working directory |
| host | a name, or an address of IPv4 or IPv6 |
| time | `HH:MM:SS` |
| day | the English name of a day; its first two letters are significant |
| list | one or more values; the example shows how they are separated |
| field | a tag, `=` and a value |
| mode | permission bits in octal |
)";

struct OtherEngine {
  std::string_view name;
  std::string_view short_name;
  bool Dialects::* knows;
};
constexpr OtherEngine kOtherEngines[] = {{"QuickFIX", "QuickFIX", &Dialects::quickfix},
                                         {"QuickFIX/J", "/J", &Dialects::quickfixj},
                                         {"QuickFIX/Go", "/Go", &Dialects::quickfixgo},
                                         {"QuickFIX/n", "/n", &Dialects::quickfixn}};

std::string range_of(const KeyDescription& key) {
  std::string_view expected = key.expected;
  if (expected.ends_with(',')) expected.remove_suffix(1);  // in an error, words follow it
  std::string text{expected};
  if (key.most != 0) text = fmt::format("{} to {}", key.least, key.most);
  if (!key.unit.empty()) text += fmt::format(" {}", key.unit);
  if (key.is_numbered) text += fmt::format("; also {0}1, {0}2, ...", key.name);
  return text;
}

std::string_view default_of(const KeyDescription& key) {
  return key.fallback.empty() ? std::string_view{"none"} : key.fallback;
}

// Keys with one meaning have the same main name.
std::string_view main_name(const KeyDescription& key) {
  return key.same_as.empty() ? key.name : key.same_as;
}

// The name that an engine, which does not know the key by its own name, has for it; empty: none.
std::string_view name_in(const OtherEngine& engine, const KeyDescription& key) {
  const auto found = std::ranges::find_if(described_keys(), [&](const KeyDescription& other) {
    return main_name(other) == main_name(key) && other.dialects.*engine.knows;
  });
  return found == described_keys().end() ? std::string_view{} : found->name;
}

void add(std::string& list, std::string_view item) {
  list += fmt::format("{}{}", list.empty() ? "" : ", ", item);
}

// "QuickFIX, /n; /J: `SocketTcpNoDelay`". Empty: no other engine has such a key.
std::string dialects_text(const KeyDescription& key, std::string_view OtherEngine::* engine_name,
                          std::string_view quote) {
  std::string text;
  struct OtherName {
    std::string_view name;
    std::string engines;
  };
  std::vector<OtherName> others;
  for (const OtherEngine& engine : kOtherEngines) {
    const std::string_view name = key.dialects.*engine.knows ? key.name : name_in(engine, key);
    if (name == key.name) add(text, engine.*engine_name);
    if (name == key.name || name.empty()) continue;
    auto other = std::ranges::find(others, name, &OtherName::name);
    if (other == others.end()) other = others.insert(others.end(), {name, ""});
    add(other->engines, engine.*engine_name);
  }
  for (const auto& [name, engines] : others) {
    text += fmt::format("{}{}: {}{}{}", text.empty() ? "" : "; ", engines, quote, name, quote);
  }
  return text;
}

std::string in_full(const KeyDescription& key) {
  const std::string dialects = dialects_text(key, &OtherEngine::name, "");
  std::string text = fmt::format(
      "{0}  ({1})\n  meaning       {2}\n  type          {3}\n  range         {4}\n"
      "  default       {5}\n  example       {0}={6}\n  dialects      {7}\n  takes effect  {8}\n",
      key.name, key.group, key.meaning, key.type, range_of(key), default_of(key), key.example,
      dialects.empty() ? "NexusFIX only" : dialects, key.takes_effect);
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
  names.reserve(described_keys().size());
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

std::string default_cell(const KeyDescription& key) {
  std::string text = key.fallback.empty() ? "" : fmt::format("`{}`", cell(key.fallback));
  if (key.elsewhere.empty()) return text;
  return fmt::format("{}; {}", text.empty() ? "none" : text, cell(key.elsewhere));
}

}  // namespace

std::expected<std::string, std::string> describe_keys(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const KeyDescription* const key = find(name);
    const std::string removed = config::describe_removed_key(name);
    if (key == nullptr && removed.empty()) return std::unexpected{unknown(name)};
    if (!text.empty()) text += '\n';
    text += key != nullptr ? in_full(*key) : removed + '\n';
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
          "\n## {}\n\n"
          "| key | meaning | type | range | default | example | dialects | takes effect |\n"
          "|---|---|---|---|---|---|---|---|\n",
          capitalised(group));
    }
    text +=
        fmt::format("| `{}` | {} | {} | {} | {} | `{}` | {} | {} |\n", key.name, cell(key.meaning),
                    key.type, cell(range_of(key)), default_cell(key), cell(key.example),
                    dialects_text(key, &OtherEngine::short_name, "`"), key.takes_effect);
  }
  return text;
}

}  // namespace nexusfix::command
