// Every honoured key by name: a right value counts and is shown, a wrong one is reported.
#include "honoured_keys.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "config/api/explain_settings.hpp"
#include "config/keys/find_key.hpp"
#include "config/text/settings_section.hpp"
#include "settings_fixture.hpp"
#include "support/disks/fake_disk.hpp"

namespace nexusfix::config {
namespace {

struct Written {
  std::string text;
  std::size_t line = 0;  // of the key
};

Written config_with(const HonouredKey& row, std::string_view value) {
  const std::string key = std::string{row.name} + "=" + std::string{value} + "\n";
  const std::string_view base = row.role == session::Role::Acceptor ? kAcceptor : kInitiator;
  constexpr std::string_view kDefault = "[DEFAULT]\n";
  if (row.name == "ExpandVariables") {  // of the whole file
    return {std::string{kDefault} + key + std::string{base.substr(kDefault.size())}, 2};
  }
  const std::string text = joined(base, row.beside) + key;
  return {text, static_cast<std::size_t>(std::ranges::count(text, '\n'))};
}

TEST(HonouredKeys, each_has_one_row_here) {
  for (const Key key : all_keys()) {
    EXPECT_EQ(std::ranges::count(kHonouredKeys, key.name(), &HonouredKey::name), 1) << key.name();
  }
}

// docs/operations/reload.md has them in lists, a list a class.
TEST(HonouredKeys, the_document_says_of_each_when_a_reload_takes_it_over) {
  std::ifstream file{NEXUSFIX_RELOAD_DOCUMENT};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  const auto list_of = [&](std::string_view heading) {
    const std::size_t begin = text.find("## " + std::string{heading} + "\n");
    EXPECT_NE(begin, std::string::npos) << heading;
    return begin == std::string::npos ? std::string{}
                                      : text.substr(begin, text.find("\n## ", begin) - begin);
  };
  const std::map<TakesEffect, std::string> lists{
      {TakesEffect::AtOnce, list_of("Keys that apply at once")},
      {TakesEffect::NextLogon, list_of("Keys that apply from the next Logon on")},
      {TakesEffect::NextStart, list_of("Keys that apply from the next start on")},
      {TakesEffect::OtherSession, list_of("Keys of the identity")}};
  for (const Key key : all_keys()) {
    for (const auto& [effect, list] : lists) {
      EXPECT_EQ(list.find("`" + std::string{key.name()} + "`") != std::string::npos,
                effect == key.row().effect)
          << key.name();
    }
  }
}

const KeyRow& row_of(const HonouredKey& key) { return find_key(key.name).rule->key.row(); }

// As a configuration shows it: of a secret nothing, or its tag.
std::string shown(const HonouredKey& key, std::string_view value) {
  if (!row_of(key).rule.is_secret) return std::string{value};
  const std::size_t equals = key.name == "LogonTag" ? value.find('=') + 1 : 0;
  return std::string{value.substr(0, equals)} + "...";
}

// The value counts, and is shown with its line.
void expect_accepted(const HonouredKey& row, std::string_view value) {
  const auto [text, line] = config_with(row, value);
  nexusfix::testing::FakeDisk disk;
  disk.set_contents("t.cfg", text);
  for (const char* dates : {"days.txt", "holidays.txt"}) disk.set_contents(dates, "2026-12-25\n");
  const auto explained = explain_settings(disk, "t.cfg");
  ASSERT_TRUE(explained) << explained.error().front().what();
  const auto is_it = [&, line = line](const EffectiveValue& one) {
    return one.key->name == row.name && one.line == line;
  };
  const auto& values = explained->sessions.front().values;
  const auto shown_value = std::ranges::find_if(values, is_it);
  ASSERT_NE(shown_value, values.end()) << row.name;
  EXPECT_EQ(shown_value->value, shown(row, value)) << row.name;
  for (const std::string& warning : texts(explained->settings.warnings)) {
    EXPECT_EQ(warning.find(std::string{row.name} + ": not used"), std::string::npos) << warning;
  }
}

TEST(HonouredKeys, a_right_value_counts_and_is_shown_with_its_line) {
  for (const HonouredKey& row : kHonouredKeys) expect_accepted(row, row.right);
}

TEST(HonouredKeys, the_example_of_the_reference_is_a_right_value_and_not_the_default) {
  for (const HonouredKey& row : kHonouredKeys) {
    const KeyRow& key = row_of(row);
    EXPECT_NE(key.example, "") << row.name;
    EXPECT_NE(key.example, key.fallback) << row.name;
    EXPECT_EQ(key.rule.error(key.example), "") << row.name;
    expect_accepted(row, key.example);
  }
}

TEST(HonouredKeys, a_wrong_value_is_reported_with_its_line_and_what_was_expected) {
  for (const HonouredKey& row : kHonouredKeys) {
    const auto [text, line] = config_with(row, row.wrong);
    const std::string where = "t.cfg:" + std::to_string(line) + ": " + std::string{row.name} + "=";
    const auto is_answer = [&](const std::string& error) {
      return error.starts_with(where) && error.find(row.expected) != std::string::npos &&
             error.find(" was expected") != std::string::npos;
    };
    const std::vector<std::string> messages = errors(text);
    EXPECT_TRUE(std::ranges::any_of(messages, is_answer))
        << where << row.wrong.substr(0, 20) << ": "
        << (messages.empty() ? std::string{"no error"} : messages.front());
  }
}

}  // namespace
}  // namespace nexusfix::config
