// Splits the text of a configuration file into sections and entries. It does not know the keys.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/api/ascii.hpp"
#include "config/api/settings.hpp"

namespace nexusfix::config {

// Advice about a value that has a `#` or `;` in it. As in QuickFIX, a comment has a line of its
// own.
inline constexpr std::string_view kNoComment = "; a # begins a comment only at the start of a line";

// Collects errors and warnings, in the order of the lines, each once. After kMessagesMax of a kind
// the others are only counted, so that the answer to a file of another format stays short.
class SettingsReport {
 public:
  static constexpr std::size_t kMessagesMax = 100;

  explicit SettingsReport(std::string_view file) : file_{file} {}
  void error(std::size_t line, std::string text);
  // One text for several lines is one warning, with their number.
  void warning(std::size_t line, std::string text);
  [[nodiscard]] bool has_errors() const noexcept { return !errors_.messages.empty(); }
  // An error in a line with a warning of a comment has its advice, too.
  [[nodiscard]] std::vector<SettingsError> consume_errors();
  [[nodiscard]] std::vector<SettingsError> consume_warnings();

 private:
  struct Messages {
    std::set<std::pair<std::size_t, std::string>> messages;
    std::size_t left_out = 0;
  };

  std::string file_;
  Messages errors_;
  std::map<std::string, std::set<std::size_t>, std::less<>> warned_;  // lines by the text
  std::size_t warnings_left_out_ = 0;
};

struct SettingsEntry {
  std::string_view key;
  std::string_view value;
  std::size_t line = 0;
  std::string_view written{};  // the value before its variables were put in; empty: it has none
  bool is_invalid = false;     // the reason is reported
};

enum class SectionKind : std::uint8_t {
  Default,
  Session,
  Ignored,  // a second [DEFAULT], or an unknown name
};

struct SettingsSection {
  SectionKind kind = SectionKind::Ignored;
  std::size_t line = 0;
  std::vector<SettingsEntry> entries;
  std::vector<std::string_view> lost;  // first words of ignored lines
};

// Refused in a configuration, and in the variables of its values.
[[nodiscard]] bool is_control(char c) noexcept;

// The views point into text.
[[nodiscard]] std::vector<SettingsSection> split_settings(std::string_view text,
                                                          SettingsReport& report);

// For messages: at most 60 bytes, control and other bytes as \xNN.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace nexusfix::config
