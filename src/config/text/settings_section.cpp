#include "config/text/settings_section.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include <nexusfix/dictionary.hpp>

#include "base/api/ascii.hpp"
#include "config/keys/find_key.hpp"
#include "config/text/settings_values.hpp"
#include "config/text/settings_variables.hpp"

namespace nexusfix::config {
namespace {

bool harmless(const KeyRule& rule, std::string_view value) {
  if (rule.handling == Handling::Refused && value.empty()) return true;
  return std::ranges::any_of(words_of(rule.harmless), [&](std::string_view word) {
    const bool is_yes_or_no = word == "N" || word == "Y";
    return equals_ignoring_case(value, word) || (is_yes_or_no && read_bool(value) == (word == "Y"));
  });
}

// What else helps with an invalid value, after what was expected: empty, or "; ...".
std::string hint_for(Key key, std::string_view value) {
  if (key == "ReconnectInterval" && read_number(value) == 0) {
    return "; 0 means at once in other engines: ReconnectInterval=1 is the shortest here";
  }
  // host:port
  const std::size_t colon = value.rfind(':');
  const std::string_view port = colon == value.npos ? "" : value.substr(colon + 1);
  const std::string_view name = key.name();
  if (!is_all_digits(port) || colon == 0) return {};
  for (const std::string_view end : {"Host", "Port"}) {
    if (!name.ends_with(end)) continue;
    const std::string front{name.substr(0, name.size() - end.size())};
    return "; address and port have a key each: " + front +
           "Host=" + shown(value.substr(0, colon)) + " and " + front + "Port=" + shown(port);
  }
  return {};
}

// The words of a warning about a valid value; empty: none.
std::string remark(Key key, std::string_view value) {
  if (key == "ConnectionType" && value != "initiator" && value != "acceptor") {
    return "read, but other engines want it in lower case";
  }
  if (key == "TimestampPrecision" && *read_precision(value) % 3 != 0) {
    return "there are 0, 3, 6 or 9 digits; the next larger number is used";
  }
  if (key.row().rule.is_valid == is_yes_or_no && value != "Y" && value != "N") {
    return "read, but other engines know Y and N only";
  }
  if (key.row().rule.is_valid != is_readable<read_addresses>) return {};
  const auto addresses = read_addresses(value);
  if (!addresses) return {};
  for (const transport::AllowList::Range& range : addresses->ranges()) {
    if (!range.is_of_any_link()) continue;
    return range.to_string() + " without an interface is that address of each link; " +
           range.to_string() + "%eth0 is that of one";
  }
  return {};
}

bool looks_commented(std::string_view value) noexcept {
  return std::ranges::any_of(std::array{" #", "\t#", " ;", "\t;"},
                             [&](std::string_view begin) { return value.contains(begin); });
}

constexpr std::string_view kOwnKey =
    "; a key of the program's own is to be listed in ApplicationKeys";
constexpr std::string_view kElseOwnKey = " List a key of the program's own in ApplicationKeys";

// Reads the entries of one section. Values of keys that are not honoured are not shown: some are
// passwords.
class SectionReader {
 public:
  SectionReader(const SettingsSection& text, const ApplicationKeys& own, SettingsReport& report)
      : own_{own}, report_{report} {
    section_.line = text.line;
    for (const SettingsEntry& entry : text.entries) read(entry);
    for (const std::string_view word : text.lost) record_likely_key(word);
  }
  [[nodiscard]] Section take() { return std::move(section_); }

 private:
  void read(const SettingsEntry& entry) {
    const KeyMatch match = find_key(entry.key);
    if (is_of_application(entry.key, match)) return read_application(entry);
    if (match.rule == nullptr) return read_unknown(entry);
    const KeyRule& rule = *match.rule;
    const std::string name{rule.name};
    if (match.odd_case) {
      report_.warning(entry.line, shown(entry.key) + ": read, but its usual spelling is " + name);
    }
    if (!seen_.insert({&rule, match.number}).second) {
      report_.warning(entry.line,
                      shown(entry.key) + ": given before in this section; the last one counts");
    }
    switch (rule.handling) {
      case Handling::Honoured:
        return read_honoured(entry, match);
      case Handling::Refused:
        if (harmless(rule, entry.value)) return;
        return report_.error(entry.line,
                             name + ": " + std::string{rule.instead} + std::string{kNotWithout});
      case Handling::Instead:
        if (harmless(rule, entry.value)) return;
        return report_.warning(entry.line, name + " is not honoured: " + std::string{rule.instead});
      case Handling::Removed: {
        const std::string text = name + std::string{kRemovedKey} + std::string{rule.instead};
        if (rule.harmless.empty() || harmless(rule, entry.value)) {
          return report_.warning(entry.line, text);
        }
        return report_.error(entry.line, text + std::string{kNotWithout});
      }
    }
  }

  // A key that the engine honours or refuses is never the program's, even if the list has it.
  [[nodiscard]] bool is_of_application(std::string_view key, const KeyMatch& match) const {
    if (key.size() > kApplicationPrefix.size() &&
        equals_ignoring_case(key.substr(0, kApplicationPrefix.size()), kApplicationPrefix)) {
      return true;
    }
    if (match.rule == nullptr) return own_.has_name(key) || own_.has_prefix(key);
    return !is_ours(*match.rule) && own_.has_name(key);
  }

  void read_application(const SettingsEntry& entry) {
    std::string_view name = entry.key;
    if (equals_ignoring_case(name.substr(0, kApplicationPrefix.size()), kApplicationPrefix)) {
      name.remove_prefix(kApplicationPrefix.size());
    }
    const Given given{entry.value, entry.line, !entry.is_invalid, entry.written};
    const auto [place, is_new] = section_.application.insert_or_assign(
        application_name(name), ApplicationValue{name, given});
    if (is_new) return;
    report_.warning(entry.line,
                    shown(entry.key) + ": given before in this section; the last one counts");
  }

  void read_unknown(const SettingsEntry& entry) {
    const KeyRule* nearest = nearest_key(entry.key);
    const std::string hint = nearest == nullptr ? std::string{kOwnKey}
                                                : "; did you mean " + std::string{nearest->name} +
                                                      "?" + std::string{kElseOwnKey};
    record_likely_key(entry.key);
    const bool is_security =
        sounds_like_security(entry.key) ||
        (nearest != nullptr && (nearest->handling == Handling::Refused || is_of_tls(nearest->key)));
    const bool asks_for_nothing = entry.value.empty() || read_bool(entry.value) == false;
    if (is_security && !asks_for_nothing) {
      return report_.error(entry.line, shown(entry.key) +
                                           ": unknown, and not to be ignored if it asks for "
                                           "security" +
                                           hint + (nearest == nullptr ? "" : std::string{kOwnKey}));
    }
    report_.warning(entry.line, shown(entry.key) + std::string{kUnknownKey} + ", ignored" + hint);
  }

  void record_likely_key(std::string_view word) {
    section_.has_lost_folder |= sounds_like_store_folder(word);
    const KeyRule* const nearest = nearest_key(word);
    if (nearest == nullptr) return;
    section_.has_lost_folder |= nearest->key == "FileStorePath";
    constexpr Key kOfRole[] = {"ConnectionType", "SocketAcceptPort", "SocketConnectHost",
                               "SocketConnectPort"};
    section_.has_lost_role |= std::ranges::find(kOfRole, nearest->key) != std::end(kOfRole);
  }

  void read_honoured(const SettingsEntry& entry, const KeyMatch& match) {
    const Key key = match.rule->key;
    if (match.unknown_version) {
      return report_.error(entry.line, shown(entry.key) +
                                           ": an application version, such as "
                                           "AppDataDictionary.FIX.5.0SP2, was expected");
    }
    const std::string expected =
        entry.is_invalid ? std::string{} : key.row().rule.error(entry.value);
    const bool is_valid = !entry.is_invalid && expected.empty();
    const Given given{entry.value, entry.line, is_valid, entry.written};
    const std::string what =
        shown(entry.key) + "=" + (key.row().rule.is_secret ? "..." : shown(entry.value));
    if (!expected.empty()) {
      report_.error(entry.line, what + ": " + expected + " was expected" +
                                    std::string{looks_commented(entry.value) ? kNoComment : ""} +
                                    hint_for(key, entry.value));
    } else if (looks_commented(entry.value)) {
      report_.warning(entry.line, what + ": all of it is the value" + std::string{kNoComment});
    } else if (entry.written.empty() && entry.value.find("${") != std::string_view::npos) {
      report_.warning(entry.line, what + ": taken as it is; ExpandVariables=Y expands ${...}" +
                                      hint_for_property(entry.value));
    } else if (const std::string words = is_valid ? remark(key, entry.value) : std::string{};
               !words.empty()) {
      report_.warning(entry.line, what + ": " + words);
    }
    section_.put(key, match.number, given);
  }

  const ApplicationKeys& own_;
  SettingsReport& report_;
  Section section_;
  std::set<std::pair<const KeyRule*, unsigned>> seen_;
};

}  // namespace

std::string numbered_name(Key key, unsigned number) {
  std::string name{key.name()};
  if (number == 0) return name;
  const std::string text = std::to_string(number);
  if (key != "AppDataDictionary") return name + text;
  const auto version = dictionary::version_of_appl_ver_id(text);
  return name + '.' + (version ? std::string{to_string(*version)} : text);
}

std::string application_name(std::string_view key) {
  if (equals_ignoring_case(key.substr(0, kApplicationPrefix.size()), kApplicationPrefix)) {
    key.remove_prefix(kApplicationPrefix.size());
  }
  std::string name{key};
  std::ranges::transform(name, name.begin(), to_lower);
  return name;
}

void ApplicationKeys::add(std::string_view list) {
  for (const std::string_view word :
       read_application_keys(list).value_or(std::vector<std::string_view>{})) {
    if (word.ends_with('*')) {
      prefixes_.emplace_back(word.substr(0, word.size() - 1));
    } else {
      names_.emplace_back(word);
    }
  }
}

bool ApplicationKeys::has_name(std::string_view key) const {
  return std::ranges::any_of(
      names_, [&](const std::string& one) { return equals_ignoring_case(one, key); });
}

bool ApplicationKeys::has_prefix(std::string_view key) const {
  return std::ranges::any_of(prefixes_, [&](const std::string& one) {
    return equals_ignoring_case(one, key.substr(0, one.size()));
  });
}

Section read_section(const SettingsSection& text, const ApplicationKeys& own,
                     SettingsReport& report) {
  return SectionReader{text, own, report}.take();
}

std::map<std::string, ApplicationValue, std::less<>> MergedSection::application() const {
  auto merged = section_->application;
  merged.insert(defaults_->application.begin(), defaults_->application.end());
  return merged;
}

bool MergedSection::says_yes(Key key) const {
  const Given* const given = valid(key);
  return given != nullptr && is_yes(given->value);
}

std::map<unsigned, Given> MergedSection::numbered(Key key) const {
  std::map<unsigned, Given> merged;
  for (const Section* const section : {section_, defaults_}) {
    for (auto one = section->given.lower_bound({key, 0});
         one != section->given.end() && one->first.first == key; ++one) {
      merged.emplace(one->first.second, one->second);
    }
  }
  return merged;
}

}  // namespace nexusfix::config
