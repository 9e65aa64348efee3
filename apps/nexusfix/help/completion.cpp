#include "nexusfix/help/completion.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace nexusfix::command {
namespace {

// "grep", of "nexusfix grep".
std::string last_word(const std::string& name) { return name.substr(name.rfind(' ') + 1); }

// The names of an option: "-o" and "--output", of "-o, --output DIR".
struct OptionNames {
  std::vector<std::string> names;
  bool has_value = false;
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

std::string zsh_arguments(const HelpFacts& facts, std::string_view indent) {
  std::string text = fmt::format("{}_arguments -S", indent);
  for (const HelpRow& option : facts.options) {
    const OptionNames names = names_of(option);
    for (const std::string& name : names.names) {
      text += fmt::format(" \\\n{}  '{}[{}]{}'", indent, name, zsh_text(option.description),
                          names.has_value ? ":value:_files" : "");
    }
  }
  return text + fmt::format(" \\\n{}  '*:file:_files'\n", indent);
}

void append_fish(std::string& text, const HelpFacts& facts, const std::string& condition) {
  for (const HelpRow& option : facts.options) {
    const OptionNames names = names_of(option);
    text += fmt::format("complete -c nexusfix -n '{}'", condition);
    for (const std::string& name : names.names) {
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (names.has_value) text += " -r";
    text += fmt::format(" -d '{}'\n", quoted(option.description, "\\'"));
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
      cases += fmt::format("    {}) words='{}' ;;\n", name, words_of(facts));
      continue;
    }
    cases += fmt::format("    {})\n      case \"${{COMP_WORDS[2]}}\" in\n", name);
    for (const HelpFacts& sub : facts.subcommands) {
      cases += fmt::format("        {}) words='{}' ;;\n", last_word(sub.name), words_of(sub));
    }
    cases += fmt::format("        *) words='{}' ;;\n      esac ;;\n", words_of(facts));
  }
  return fmt::format(
      "# Completion of nexusfix for bash, made by `nexusfix help --completion bash`.\n"
      "_nexusfix() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" words=''\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '{}--help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
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
