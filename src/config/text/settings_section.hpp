// One section of a configuration file with its values read, and two of them merged: [DEFAULT] under
// a [SESSION].
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/keys/config_keys.hpp"
#include "config/text/settings_text.hpp"

namespace nexusfix::config {

// A honoured key as it stands in one section.
struct Given {
  std::string_view value;
  std::size_t line = 0;
  bool right = false;          // wrong ones are reported once, and not missed in addition
  std::string_view written{};  // with its variables; empty: it has none
};

// A key of the program's own, which the engine passes on and never shows.
struct ApplicationValue {
  std::string_view name;  // as it is written, without kApplicationPrefix
  Given given;
};
inline constexpr std::string_view kApplicationPrefix = "Application.";

// ApplicationKeys: which keys are the program's own.
class ApplicationKeys {
 public:
  // A value of ApplicationKeys; a wrong one adds nothing.
  void add(std::string_view list);
  // Whether it is listed, by its whole name or by what it begins with.
  [[nodiscard]] bool has_name(std::string_view key) const;
  [[nodiscard]] bool has_prefix(std::string_view key) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::string> prefixes_;
};

// The views point into the text of the file.
struct Section {
  std::size_t line = 0;
  // Of some two hundred keys a session has a few, and there may be ten thousand sessions.
  std::map<Key, std::optional<Given>> given;
  std::map<unsigned, Given> connect_hosts;  // by <n>
  std::map<unsigned, Given> connect_ports;
  std::map<unsigned, Given> logon_tags;
  std::map<unsigned, Given> app_dictionaries;  // by ApplVerID; 0: of the session's default
  std::map<std::string, ApplicationValue, std::less<>> application;  // by application_name()
  // An unknown key, or a line that is ignored, sounds like one that says this: nobody guesses then.
  bool has_lost_folder = false;
  bool has_lost_role = false;

  // The values of a key that may be given by number, SocketConnectHost1 and so on; null: it is not
  // such a key.
  [[nodiscard]] const std::map<unsigned, Given>* numbered(Key key) const noexcept;
  [[nodiscard]] std::map<unsigned, Given>* numbered(Key key) noexcept;
  [[nodiscard]] const std::optional<Given>& own(Key key) const {
    static const std::optional<Given> kNone;
    const auto found = given.find(key);
    return found == given.end() ? kNone : found->second;
  }
};

// A password, or what may be one: never shown.
[[nodiscard]] bool is_secret(Key key) noexcept;

// As the file has it: "SocketConnectHost2", "AppDataDictionary.FIX.5.0SP2". 0: without.
[[nodiscard]] std::string numbered_name(Key key, unsigned number);

// In the answer for a key that nobody knows.
inline constexpr std::string_view kUnknownKey = ": unknown key";

// Reads the entries of a section, and says everything that there is to say about each of them
// alone.
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

  [[nodiscard]] const std::optional<Given>& find(Key key) const {
    return section_->own(key) ? section_->own(key) : defaults_->own(key);
  }
  [[nodiscard]] std::map<std::string, ApplicationValue, std::less<>> application() const;
  // Null: not given, or wrong.
  [[nodiscard]] const Given* right(Key key) const {
    const std::optional<Given>& given = find(key);
    return given && given->right ? &*given : nullptr;
  }

  // Leave target as it is when the key is not given, or wrong.
  void read_into(Key key, bool& target) const;
  void read_into(Key key, std::uint32_t& target) const;
  void read_into(Key key, double& target) const;
  void read_into(Key key, std::chrono::seconds& target) const;
  void read_into(Key key, std::string& target) const;

 private:
  const Section* defaults_;
  const Section* section_;
};

}  // namespace nexusfix::config
