#include "config/text/settings_text.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/api/printable_text.hpp"
#include "base/api/utf8.hpp"
#include "config/keys/find_key.hpp"

namespace nexusfix::config {
namespace {

class Splitter {
 public:
  explicit Splitter(SettingsReport& report) : report_{report} {}

  void read_line(std::string_view raw) {
    ++line_;
    const std::string_view text = trimmed(raw);
    if (text.empty() || text.front() == '#') return;
    if (text.front() == ';') {
      return report_.warning(line_,
                             "the line begins with ; and is ignored; a comment begins with #");
    }
    if (const auto place = std::ranges::find_if(text, is_control); place != text.end()) {
      const auto column = static_cast<std::size_t>(place - text.begin());
      report_.error(
          line_,
          "a control character (" + shown(text.substr(column, 1)) + ") in column " +
              std::to_string(static_cast<std::size_t>(text.data() - raw.data()) + column + 1) +
              "; text was expected");
      return;
    }
    if (text.front() == '[') {
      read_section(text);
    } else {
      read_entry(text);
    }
  }

  [[nodiscard]] std::vector<SettingsSection> take() { return std::move(sections_); }

 private:
  void read_section(std::string_view text) {
    SettingsSection& section = sections_.emplace_back();
    section.line = line_;
    const std::size_t end = text.find(']');
    const std::string_view rest = end == text.npos ? text : trimmed(text.substr(end + 1));
    if (!rest.empty() && rest.front() != '#') {
      report_.error(line_, shown(text) + ": [DEFAULT] or [SESSION] was expected");
      return;
    }
    const std::string_view name = trimmed(text.substr(1, end - 1));
    if (equals_ignoring_case(name, "SESSION")) {
      section.kind = SectionKind::Session;
    } else if (equals_ignoring_case(name, "DEFAULT")) {
      read_default(section);
    } else if (sounds_like("SESSION", name) || sounds_like("DEFAULT", name)) {
      // A start without a whole session, because of one letter, would be worse than no start.
      report_.error(line_, shown(text) + ": [DEFAULT] or [SESSION] was expected");
    } else {
      report_.warning(line_,
                      shown(text) + ": the section is ignored; [DEFAULT] and [SESSION] are read");
    }
  }

  void read_default(SettingsSection& section) {
    if (default_line_ != 0) {
      report_.warning(line_, "a second [DEFAULT] is ignored; the one in line " +
                                 std::to_string(default_line_) + " counts");
      return;
    }
    section.kind = SectionKind::Default;
    default_line_ = line_;
  }

  // The words after it may be a password: "Password hunter2".
  static std::string_view first_word(std::string_view text) {
    return text.substr(0, text.find_first_of(" \t:"));
  }

  void read_entry(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      const std::string_view word = first_word(text);
      report_.warning(line_, shown(word) + (word.size() == text.size() ? "" : " ...") +
                                 ": the line is ignored; Key=Value was expected");
      if (sections_.empty()) sections_.emplace_back();
      sections_.back().lost.push_back(word);
      return;
    }
    const std::string_view key = trimmed(text.substr(0, equals));
    if (key.empty()) {
      report_.warning(line_, "=...: the line is ignored; no key stands before the =");
      return;
    }
    if (sections_.empty()) {
      report_.warning(line_, shown(key) + ": ignored, as it stands before the first section");
      sections_.emplace_back();
    }
    sections_.back().entries.push_back(
        {.key = key, .value = trimmed(text.substr(equals + 1)), .line = line_});
  }

  // Five of the seven letters in their places, or moved by one.
  static bool sounds_like(std::string_view wanted, std::string_view name) noexcept {
    if (name.size() + 2 < wanted.size() || name.size() > wanted.size() + 2) return false;
    std::size_t found = 0;
    std::size_t from = 0;
    for (const char c : wanted) {
      for (std::size_t i = from; i < name.size(); ++i) {
        if (!equals_ignoring_case(name.substr(i, 1), {&c, 1})) continue;
        ++found;
        from = i + 1;
        break;
      }
    }
    return found + 2 >= wanted.size();
  }

  SettingsReport& report_;
  std::vector<SettingsSection> sections_;
  std::size_t line_ = 0;
  std::size_t default_line_ = 0;
};

// By its mark, or by the zeros beside its first letter.
bool is_utf_16(std::string_view text) noexcept {
  if (text.size() < 2) return false;
  const auto is_letter = [](char c) { return c >= '\t' && c <= '~'; };
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
         (is_letter(text[0]) && text[1] == '\0') || (text[0] == '\0' && is_letter(text[1]));
}

}  // namespace

bool is_control(char c) noexcept {
  constexpr unsigned char kDelete = 0x7F;
  const auto byte = static_cast<unsigned char>(c);
  return (byte < ' ' && c != '\t') || byte == kDelete;
}

std::string others_text(const std::set<std::size_t>& lines) {
  if (lines.size() < 2) return {};
  return " (and the same of " + std::to_string(lines.size() - 1) +
         (lines.size() == 2 ? " other line: " : " other lines, the last one is ") +
         std::to_string(*lines.rbegin()) + ")";
}

void SettingsReport::error(std::size_t line, std::string text) {
  if (errors_.messages.size() < kMessagesMax) {
    errors_.messages.emplace(line, std::move(text));
  } else if (!errors_.messages.contains({line, text})) {
    ++errors_.left_out;
  }
}

void SettingsReport::warning(std::size_t line, std::string text) {
  if (const auto known = warned_.find(text); known != warned_.end()) {
    known->second.insert(line);
  } else if (warned_.size() < kMessagesMax) {
    warned_[std::move(text)].insert(line);
  } else {
    ++warnings_left_out_;
  }
}

std::vector<SettingsError> SettingsReport::consume_warnings() {
  std::multimap<std::size_t, std::string> by_line;
  for (const auto& [text, lines] : warned_) {
    by_line.emplace(*lines.begin(), text + others_text(lines));
  }
  std::vector<SettingsError> result;
  for (auto& [line, text] : by_line) result.push_back({file_, line, std::move(text)});
  if (warnings_left_out_ > 0) {
    result.push_back(
        {file_, 0, "and " + std::to_string(warnings_left_out_) + " more of this kind"});
  }
  return result;
}

std::vector<SettingsError> SettingsReport::consume_errors() {
  std::vector<SettingsError> result;
  const Messages& messages = errors_;
  std::set<std::size_t> commented;  // lines
  for (const auto& [text, lines] : warned_) {
    if (text.ends_with(kNoComment)) commented.insert(lines.begin(), lines.end());
  }
  for (const auto& [line, text] : messages.messages) {
    const bool is_short = commented.contains(line) && !text.contains(kNoComment);
    result.push_back({file_, line, text + std::string{is_short ? kNoComment : ""}});
  }
  if (messages.left_out > 0) {
    result.push_back({file_, 0, "and " + std::to_string(messages.left_out) + " more of this kind"});
  }
  return result;
}

std::vector<SettingsSection> split_settings(std::string_view text, SettingsReport& report) {
  if (is_utf_16(text)) {
    report.error(0,
                 "the file is UTF-16, as some editors of Windows write it; UTF-8 was expected: "
                 "iconv -f UTF-16 -t UTF-8 makes it");
    return {};
  }
  text = without_byte_order_mark(text);
  Splitter splitter{report};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    splitter.read_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return splitter.take();
}

std::string shown(std::string_view text) {
  constexpr std::size_t kShownMax = 60;
  std::string result;
  for (const char c : text.substr(0, kShownMax)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte <= '~') {
      result += c;
    } else {
      append_escaped_byte(result, byte, HexDigits::Upper);
    }
  }
  if (text.size() > kShownMax) result += "...";
  return result;
}

}  // namespace nexusfix::config
