#include "nexusfix/help/completion.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/api/ascii.hpp"

namespace nexusfix::command {
namespace {

// "grep", of "nexusfix grep".
std::string last_word(const std::string& name) { return name.substr(name.rfind(' ') + 1); }

// The names of an option: "-o" and "--output", of "-o, --output DIR".
struct OptionNames {
  std::vector<std::string> names;
  bool has_value = false;
  std::string value;  // DIR
};

OptionNames names_of(const HelpRow& option) {
  OptionNames found;
  std::string_view rest = option.name;
  while (rest.starts_with('-')) {
    const std::size_t end = std::min(rest.find_first_of(", "), rest.size());
    found.names.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
    rest.remove_prefix(std::min(rest.find_first_not_of(", "), rest.size()));
  }
  found.has_value = !rest.empty();
  found.value = rest;
  return found;
}

std::string words_of(const HelpFacts& facts) {
  std::string words;
  for (const HelpFacts& sub : facts.subcommands) words += last_word(sub.name) + " ";
  for (const HelpRow& option : facts.options) {
    for (const std::string& name : names_of(option).names) words += name + " ";
  }
  if (!words.empty()) words.pop_back();
  return words;
}

// The text without its note: "auto, always or never (default auto)".
std::string_view before_note(std::string_view text) { return text.substr(0, text.find(" (")); }

bool is_value(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return is_alphanumeric(c) || c == '.' || c == '-';
  });
}

// The words of "in|out|both", with spaces between; empty: the text is another one.
std::string alternatives_of(std::string value) {
  if (!value.contains('|')) return {};
  std::ranges::replace(value, '|', ' ');
  const auto is_part = [](char c) { return c == ' ' || is_value({&c, 1}); };
  return std::ranges::all_of(value, is_part) ? value : std::string{};
}

// The values that the help of an option lists, with spaces between: alternatives in place of the
// value, all words after "one of", or a list with "or" that is the whole description or all of it
// after a colon.
std::string values_of(const HelpRow& option) {
  if (std::string words = alternatives_of(names_of(option).value); !words.empty()) return words;
  constexpr std::string_view kOneOf = "one of ";
  constexpr std::string_view kOr = " or ";
  std::string_view text = option.description;
  std::string list;
  if (const std::size_t at = text.rfind(kOneOf); at != text.npos) {
    list = before_note(text.substr(at + kOneOf.size()));
  } else {
    text = before_note(text);
    const std::size_t colon = text.rfind(": ");
    list = colon == text.npos ? text : text.substr(colon + 2);
    const std::size_t last = list.rfind(kOr);
    if (last == list.npos) return {};
    list.replace(last, kOr.size(), ", ");
    if (std::ranges::count(list, ' ') != std::ranges::count(list, ',')) return {};
  }
  std::string values;
  for (std::string_view rest = list; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find_first_of(", "));
    if (!is_value(word)) return {};
    values.append(values.empty() ? "" : " ").append(word);
    rest.remove_prefix(word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(", "), rest.size()));
  }
  return values;
}

// The kind of words that an argument or a value takes, for `nexusfix help --words`; empty: none.
std::string_view kind_of(const HelpRow& row) {
  if (row.name == "--engine PATH") return "engines";
  if (row.name == "--venue NAME" || row.name == "VENUE") return "kits";
  if (row.name.starts_with("SESSION")) return "sessions";
  if (row.name.starts_with("EVENT")) return "events";
  if (row.name.starts_with("NAME")) return "keys";
  return row.name.starts_with("WORD") ? "fields" : "";
}

// The branches of bash's case over the option before the word.
std::string bash_values(const HelpFacts& facts) {
  std::string cases;
  for (const HelpRow& option : facts.options) {
    const OptionNames names = names_of(option);
    const std::string values = names.has_value ? values_of(option) : std::string{};
    if (const std::string_view kind = kind_of(option); !kind.empty()) {
      cases += fmt::format(" {}) kind='{}' ;;", fmt::join(names.names, "|"), kind);
    }
    if (values.empty()) continue;
    cases += fmt::format(" {}) values='{}' ;;", fmt::join(names.names, "|"), values);
  }
  return cases.empty() ? "" : " case \"$before\" in" + cases + " esac";
}

std::string_view kind_of_arguments(const HelpFacts& facts) {
  for (const HelpRow& row : facts.arguments) {
    if (const std::string_view kind = kind_of(row); !kind.empty()) return kind;
  }
  return {};
}

std::string bash_words(const HelpFacts& facts) {
  const std::string_view kind = kind_of_arguments(facts);
  return fmt::format("words='{}';{}{} ;;", words_of(facts),
                     kind.empty() ? "" : fmt::format(" kind='{}';", kind), bash_values(facts));
}

// Within '...' of a shell.
std::string quoted(std::string_view text, std::string_view quote) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'') {
      escaped += quote;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// A description of zsh's _arguments: brackets and colons have a meaning.
std::string zsh_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return quoted(escaped, "'\\''");
}

std::string zsh_kind(std::string_view kind) {
  return fmt::format("{{compadd -- ${{(f)\"$(nexusfix help --words {} 2>/dev/null)\"}}}}", kind);
}

std::string zsh_arguments(const HelpFacts& facts, std::string_view indent) {
  std::string text = fmt::format("{}_arguments -S", indent);
  for (const HelpRow& option : facts.options) {
    const OptionNames names = names_of(option);
    const std::string values = values_of(option);
    const std::string_view kind = kind_of(option);
    const std::string value = !names.has_value ? ""
                              : !kind.empty()  ? fmt::format(":value:{}", zsh_kind(kind))
                              : values.empty() ? ":value:_files"
                                               : ":value:(" + values + ")";
    // A long option takes its value after a space or a `=`.
    const auto equals = [&](const std::string& name) {
      return names.has_value && name.starts_with("--") ? "=" : "";
    };
    for (const std::string& name : names.names) {
      text += fmt::format(" \\\n{}  '{}{}[{}]{}'", indent, name, equals(name),
                          zsh_text(option.description), value);
    }
  }
  const std::string_view kind = kind_of_arguments(facts);
  return text + fmt::format(" \\\n{}  '*:{}'\n", indent,
                            kind.empty() ? "file:_files" : "word:" + zsh_kind(kind));
}

std::string fish_kind(std::string_view kind) {
  return fmt::format(" -f -a '(nexusfix help --words {} 2>/dev/null)'", kind);
}

void append_fish(std::string& text, const HelpFacts& facts, const std::string& condition) {
  for (const HelpRow& option : facts.options) {
    const OptionNames names = names_of(option);
    text += fmt::format("complete -c nexusfix -n '{}'", condition);
    for (const std::string& name : names.names) {
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (names.has_value) text += " -r";
    const std::string values = names.has_value ? values_of(option) : std::string{};
    if (!values.empty()) text += " -f -a '" + values + "'";
    if (const std::string_view kind = kind_of(option); !kind.empty()) text += fish_kind(kind);
    text += fmt::format(" -d '{}'\n", quoted(option.description, "\\'"));
  }
  if (const std::string_view kind = kind_of_arguments(facts); !kind.empty()) {
    text += fmt::format("complete -c nexusfix -n '{}'{}\n", condition, fish_kind(kind));
  }
}

}  // namespace

std::string bash_completion(const std::vector<HelpFacts>& all) {
  std::string names;
  std::string cases;
  for (const HelpFacts& facts : all) {
    const std::string name = last_word(facts.name);
    names += name + " ";
    if (facts.subcommands.empty()) {
      cases += fmt::format("    {}) {}\n", name, bash_words(facts));
      continue;
    }
    cases += fmt::format("    {})\n      case \"${{COMP_WORDS[2]}}\" in\n", name);
    for (const HelpFacts& sub : facts.subcommands) {
      cases += fmt::format("        {}) {}\n", last_word(sub.name), bash_words(sub));
    }
    cases += fmt::format("        *) {}\n      esac ;;\n", bash_words(facts));
  }
  return fmt::format(
      "# Completion of nexusfix for bash, made by `nexusfix help --completion bash`.\n"
      "_nexusfix() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" words='' values='' kind=''\n"
      "  local before=\"${{COMP_WORDS[COMP_CWORD - 1]}}\"\n"
      "  COMPREPLY=()\n"
      "  if [[ $before == '=' ]]; then before=\"${{COMP_WORDS[COMP_CWORD - 2]}}\"; fi\n"
      "  if [[ $word == '=' ]]; then word=''; fi\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '{}--help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  if [[ -n $values ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  if [[ -n $kind && $word != -* ]]; then\n"
      "    words=\"$(nexusfix help --words $kind 2>/dev/null)\"\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  if [[ $word == -* || ${{words%% *}} != -* && $COMP_CWORD -eq 2 ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o default -F _nexusfix nexusfix\n",
      names, cases);
}

std::string zsh_completion(const std::vector<HelpFacts>& all) {
  std::string names;
  std::string cases;
  const auto describe = [](const HelpFacts& facts) {
    return fmt::format(" '{}:{}'", last_word(facts.name), zsh_text(facts.summary));
  };
  for (const HelpFacts& facts : all) {
    names += describe(facts);
    cases += fmt::format("    {})\n", last_word(facts.name));
    if (!facts.subcommands.empty()) {
      cases += "      if (( CURRENT == 2 )); then\n        local -a subcommands=(";
      for (const HelpFacts& sub : facts.subcommands) cases += describe(sub);
      cases +=
          " )\n        _describe 'subcommand' subcommands\n        return\n      fi\n"
          "      shift words; (( CURRENT-- ))\n      case \"$words[1]\" in\n";
      for (const HelpFacts& sub : facts.subcommands) {
        cases += fmt::format("        {})\n{}          ;;\n", last_word(sub.name),
                             zsh_arguments(sub, "          "));
      }
      cases += "      esac\n      ;;\n";
      continue;
    }
    cases += zsh_arguments(facts, "      ") + "      ;;\n";
  }
  return fmt::format(
      "#compdef nexusfix\n"
      "# Completion of nexusfix for zsh, made by `nexusfix help --completion zsh`.\n"
      "_nexusfix() {{\n"
      "  local -a commands=({} )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe 'subcommand' commands\n"
      "    return\n"
      "  fi\n"
      "  shift words; (( CURRENT-- ))\n"
      "  case \"$words[1]\" in\n{}  esac\n"
      "}}\n"
      "if [[ $funcstack[1] == _nexusfix ]]; then\n  _nexusfix \"$@\"\nelse\n"
      "  compdef _nexusfix nexusfix\nfi\n",
      names, cases);
}

std::string fish_completion(const std::vector<HelpFacts>& all) {
  std::string text =
      "# Completion of nexusfix for fish, made by `nexusfix help --completion fish`.\n";
  for (const HelpFacts& facts : all) {
    const std::string name = last_word(facts.name);
    text += fmt::format("complete -c nexusfix -n __fish_use_subcommand -f -a {} -d '{}'\n", name,
                        quoted(facts.summary, "\\'"));
    const std::string seen = "__fish_seen_subcommand_from " + name;
    append_fish(text, facts, seen);
    for (const HelpFacts& sub : facts.subcommands) {
      const std::string word = last_word(sub.name);
      text += fmt::format("complete -c nexusfix -n '{}' -a {} -d '{}'\n", seen, word,
                          quoted(sub.summary, "\\'"));
      append_fish(text, sub, seen + "; and __fish_seen_subcommand_from " + word);
    }
  }
  return text;
}

}  // namespace nexusfix::command
