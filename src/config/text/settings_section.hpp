// One section of a configuration file with its values read, and two of them merged: [DEFAULT] under
// a [SESSION].
#pragma once

#include <bitset>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/keys/key_table.hpp"
#include "config/text/settings_text.hpp"

namespace nexusfix::config {

// A honoured key as it stands in one section.
struct Given {
  std::string_view value;
  std::size_t line = 0;
  bool is_valid = false;       // an invalid one is reported once, and not as missing in addition
  std::string_view written{};  // with its variables; empty: it has none
};

// One of the application's own keys, which the engine passes on and never shows.
struct ApplicationValue {
  std::string_view name;  // as it is written, without kApplicationPrefix
  Given given;
};
inline constexpr std::string_view kApplicationPrefix = "Application.";

// ApplicationKeys: which keys are the application's own.
class ApplicationKeys {
 public:
  // A value of ApplicationKeys; an invalid one adds nothing.
  void add(std::string_view list);
  // Whether the list has the whole name, or a prefix of it.
  [[nodiscard]] bool has_name(std::string_view key) const;
  [[nodiscard]] bool has_prefix(std::string_view key) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::string> prefixes_;
};

// The views point into the text of the file.
struct Section {
  std::size_t line = 0;
  // By the key and its number: the <n> of SocketConnectHost<n>, the ApplVerID of
  // AppDataDictionary.<version>, otherwise 0. Of some two hundred keys a session has a few, and
  // there may be ten thousand sessions.
  std::map<std::pair<Key, unsigned>, Given> given;
  std::bitset<kKeyRows.size()> keys;  // those of `given`, because most lookups find nothing
  std::map<std::string, ApplicationValue, std::less<>> application;  // by application_name()
  // An unknown key, or an ignored line, may have been meant to say this. Then no default is taken.
  bool has_lost_folder = false;
  bool has_lost_role = false;

  // The only way to enter a value.
  void put(Key key, unsigned number, const Given& value) {
    given[{key, number}] = value;
    keys.set(key.index());
  }
  // Null: not given.
  [[nodiscard]] const Given* own(Key key, unsigned number = 0) const {
    if (!keys.test(key.index())) return nullptr;
    const auto found = given.find({key, number});
    return found == given.end() ? nullptr : &found->second;
  }
};

// As the file has it: "SocketConnectHost2", "AppDataDictionary.FIX.5.0SP2". 0: without.
[[nodiscard]] std::string numbered_name(Key key, unsigned number);

// The end of an error about security that was asked for and cannot be had.
inline constexpr std::string_view kNotWithout =
    "; the engine does not start without what was asked";

// In the warning about an unknown key.
inline constexpr std::string_view kUnknownKey = ": unknown key";
// In the warning about a removed key, before what holds now.
inline constexpr std::string_view kRemovedKey = " was removed: ";

// Reads the entries of a section, and reports what each of them says on its own.
[[nodiscard]] Section read_section(const SettingsSection& text, const ApplicationKeys& own,
                                   SettingsReport& report);

// A session's section, with the defaults under it. Both must outlive it.
class MergedSection {
 public:
  MergedSection(const Section& defaults, const Section& section)
      : defaults_{&defaults}, section_{&section} {}

  [[nodiscard]] const Section& defaults() const noexcept { return *defaults_; }
  [[nodiscard]] const Section& section() const noexcept { return *section_; }
  [[nodiscard]] std::size_t line() const noexcept { return section_->line; }

  // Null: not given.
  [[nodiscard]] const Given* find(Key key, unsigned number = 0) const {
    const Given* const own = section_->own(key, number);
    return own != nullptr ? own : defaults_->own(key, number);
  }
  // Null: not given, or invalid.
  [[nodiscard]] const Given* valid(Key key, unsigned number = 0) const {
    const Given* const given = find(key, number);
    return given != nullptr && given->is_valid ? given : nullptr;
  }
  // Whether a key is given, valid, and Y.
  [[nodiscard]] bool says_yes(Key key) const;
  // A key with all its numbers, the lowest first.
  [[nodiscard]] std::map<unsigned, Given> numbered(Key key) const;
  [[nodiscard]] std::map<std::string, ApplicationValue, std::less<>> application() const;

  // Sets the member of a key, if its row has one in a Target and the key is given and valid.
  template <class Target>
  void set(Key key, Target& target) const {
    const Setter<Target> setter = key.row().sets.template into<Target>();
    if (setter == nullptr) return;
    if (const Given* const given = valid(key)) setter(target, given->value, key.row().rule);
  }
  // Sets every key that is not shared by all sessions.
  template <class Target>
  void set_all(Target& target) const {
    for_each_given([&](Key key, const Given&) {
      if (key.row().sets.sharing == Shared::No) set(key, target);
    });
  }
  // Calls take(key, given) with what find(key) finds, for each key, in the order of the keys.
  template <class Take>
  void for_each_given(Take take) const {
    auto own = section_->given.begin();
    auto other = defaults_->given.begin();
    const auto own_end = section_->given.end();
    const auto other_end = defaults_->given.end();
    while (own != own_end || other != other_end) {
      const bool is_other = own == own_end || (other != other_end && other->first < own->first);
      const bool is_both = !is_other && other != other_end && other->first == own->first;
      const auto& [place, given] = is_other ? *other : *own;
      if (place.second == 0) take(place.first, given);
      if (is_other || is_both) ++other;
      if (!is_other) ++own;
    }
  }

 private:
  const Section* defaults_;
  const Section* section_;
};

}  // namespace nexusfix::config
