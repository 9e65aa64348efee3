#include "config/text/settings_variables.hpp"

#include <algorithm>
#include <cstdlib>
#include <expected>
#include <iterator>
#include <string_view>
#include <utility>

#include "config/keys/find_key.hpp"
#include "config/text/settings_section.hpp"
#include "config/text/settings_values.hpp"

namespace nexusfix::config {
namespace {

bool begins_name(char c) noexcept { return is_letter(c) || c == '_'; }
bool is_in_name(char c) noexcept { return begins_name(c) || is_digit(c); }

// A variable at the beginning of a text.
struct Variable {
  std::string_view name;  // empty: this is none
  std::size_t size = 0;   // of all of it in the text
};

// text begins with '$'. The error says why it is no variable.
std::expected<Variable, std::string> read_variable(std::string_view text) {
  const char next = text.size() > 1 ? text[1] : '\0';
  if (next == '{' || next == '(') {
    const char last = next == '{' ? '}' : ')';
    const std::size_t end = text.find(last);
    if (end == std::string_view::npos) {
      return std::unexpected{shown(text.substr(0, 2)) + " without " + last};
    }
    const std::string_view name = text.substr(2, end - 2);
    if (name.empty()) return std::unexpected{shown(text.substr(0, end + 1)) + " has no name"};
    return Variable{name, end + 1};
  }
  if (!begins_name(next)) return Variable{};
  const auto end = std::find_if_not(text.begin() + 1, text.end(), is_in_name);
  const auto size = static_cast<std::size_t>(end - text.begin());
  return Variable{text.substr(1, size - 1), size};
}

// A system property of Java, and the variable with the same value.
struct Property {
  std::string_view name;
  std::string_view variable;
};
constexpr Property kProperties[] = {{"user.home", "HOME"},
                                    {"user.name", "USER"},
                                    {"user.dir", "PWD"},
                                    {"java.io.tmpdir", "TMPDIR"}};

// The value in the environment. The error does not show it, as it may be a secret.
std::expected<std::string_view, std::string> value_of(std::string_view name) {
  const char* const value = std::getenv(std::string{name}.c_str());
  if (value == nullptr) {
    return std::unexpected{"the variable " + shown(name) + " is not set in the environment" +
                           hint_for_property("${" + std::string{name} + "}")};
  }
  if (std::ranges::any_of(std::string_view{value}, is_control)) {
    return std::unexpected{"the variable " + shown(name) + " has a control character"};
  }
  return value;
}

std::expected<std::string, std::string> expanded(std::string_view value) {
  std::string result;
  while (!value.empty()) {
    const std::size_t place = std::min(value.find('$'), value.size());
    result += value.substr(0, place);
    value.remove_prefix(place);
    if (value.empty()) break;
    if (value.starts_with("$$")) {
      result += '$';
      value.remove_prefix(2);
      continue;
    }
    const auto variable = read_variable(value);
    if (!variable) return std::unexpected{variable.error()};
    if (variable->name.empty()) {
      result += '$';
      value.remove_prefix(1);
      continue;
    }
    const auto text = value_of(variable->name);
    if (!text) return std::unexpected{text.error()};
    result += *text;
    value.remove_prefix(variable->size);
  }
  return result;
}

// A name without braces within a password may be a part of the password, and no variable at all.
bool may_be_piece_of_secret(const SettingsEntry& entry) {
  const KeyRule* const rule = find_key(entry.key).rule;
  if (rule != nullptr && (rule->key.is_none() || !rule->key.row().rule.is_secret)) return false;
  for (std::size_t i = 0; i + 1 < entry.value.size(); ++i) {
    if (entry.value[i] == '$' && begins_name(entry.value[i + 1])) return true;
  }
  return false;
}

bool is_it(const SettingsEntry& entry) {
  const KeyRule* const rule = find_key(entry.key).rule;
  return rule != nullptr && rule->key == "ExpandVariables";
}

// It applies to the whole file: the last one in [DEFAULT] counts, as for every key.
bool is_asked_for(const std::vector<SettingsSection>& sections, SettingsReport& report) {
  bool is_wanted = false;
  for (const SettingsSection& section : sections) {
    for (const SettingsEntry& entry : section.entries) {
      if (section.kind == SectionKind::Default && is_it(entry)) {
        is_wanted = read_bool(entry.value).value_or(false);
      }
    }
  }
  for (const SettingsSection& section : sections) {
    for (const SettingsEntry& entry : section.entries) {
      if (section.kind == SectionKind::Session && is_it(entry) &&
          read_bool(entry.value) != is_wanted) {
        report.error(entry.line,
                     "ExpandVariables counts for the whole file: [DEFAULT] is its place");
      }
    }
  }
  return is_wanted;
}

}  // namespace

std::string hint_for_property(std::string_view value) {
  for (std::size_t at = 0; (at = value.find("${", at)) != std::string_view::npos; at += 2) {
    const std::string_view name = value.substr(at + 2, value.find('}', at) - at - 2);
    const auto known = std::ranges::find(kProperties, name, &Property::name);
    if (known != std::end(kProperties)) {
      return "; " + std::string{name} + " is a property of Java: write ${" +
             std::string{known->variable} + "}, with ExpandVariables=Y in [DEFAULT]";
    }
  }
  return {};
}

void expand_variables(std::vector<SettingsSection>& sections, std::deque<std::string>& texts,
                      SettingsReport& report) {
  if (!is_asked_for(sections, report)) return;
  for (SettingsSection& section : sections) {
    if (section.kind == SectionKind::Ignored) continue;
    for (SettingsEntry& entry : section.entries) {
      if (entry.value.find('$') == std::string_view::npos) continue;
      auto text = expanded(entry.value);
      entry.written = entry.value;
      if (text) {
        entry.value = trimmed(texts.emplace_back(std::move(*text)));
      } else {
        entry.is_invalid = true;
        report.error(entry.line,
                     shown(entry.key) + ": " +
                         (may_be_piece_of_secret(entry)
                              ? "a variable of it cannot be had from the environment; a $ is "
                                "written $$, a variable ${NAME}"
                              : text.error()));
      }
    }
  }
}

}  // namespace nexusfix::config
