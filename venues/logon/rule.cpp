#include "venues/logon/rule.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace nexusfix::venues {
namespace {

constexpr std::string_view kArrow = " -> ";
constexpr std::array<std::pair<std::string_view, Way>, 6> kWays{{{"logout", Way::Logout},
                                                                 {"disconnect", Way::Disconnect},
                                                                 {"reject", Way::Reject},
                                                                 {"business", Way::BusinessReject},
                                                                 {"report", Way::Report},
                                                                 {"send", Way::Send}}};

// Text (58) of a message such as "35=Y|58=Unknown".
std::string text_of(std::string_view message) {
  constexpr std::string_view kText = "|58=";
  const std::size_t begin = message.find(kText);
  if (begin == std::string_view::npos) return {};
  const std::string_view value = message.substr(begin + kText.size());
  return std::string{value.substr(0, value.find('|'))};
}

}  // namespace

std::expected<Refusal, std::string> parse_refusal(std::string_view text) {
  const std::size_t blank = text.find(' ');
  const std::string_view word = text.substr(0, blank);
  for (const auto& [name, way] : kWays) {
    if (word != name) continue;
    Refusal refusal{.way = way};
    refusal.text = blank == std::string_view::npos ? "" : text.substr(blank + 1);
    if (way == Way::Send) {
      refusal.message = refusal.text;
      refusal.text = text_of(refusal.message);
    }
    return refusal;
  }
  return std::unexpected{"\"" + std::string{word} +
                         "\": logout, disconnect, reject, business, report or send was expected"};
}

std::expected<Rule, std::string> Rule::parse(std::string_view text) {
  const std::size_t arrow = text.find(kArrow);
  if (arrow == std::string_view::npos) {
    return std::unexpected{"\"" + std::string{text} + "\": CONDITION -> WAY TEXT was expected"};
  }
  auto condition = tester::Condition::parse(text.substr(0, arrow));
  if (!condition) return std::unexpected{condition.error()};
  auto refusal = parse_refusal(text.substr(arrow + kArrow.size()));
  if (!refusal) return std::unexpected{refusal.error()};
  Rule rule;
  rule.condition_ = std::move(*condition);
  rule.refusal_ = std::move(*refusal);
  const std::string& tag = rule.condition_.tag();
  std::from_chars(tag.data(), tag.data() + tag.size(), rule.refusal_.tag);
  return rule;
}

bool Rule::is_kept(const std::vector<tester::ReceivedField>& fields) const {
  if (condition_.difference(fields)) return false;
  if (condition_.occurrence() != 1) return true;
  return std::ranges::all_of(fields, [&](const tester::ReceivedField& field) {
    return field.tag != condition_.tag() || !condition_.difference({field});
  });
}

std::string Rule::shown() const {
  // RawData, Password, NewPassword, EncryptedPassword and EncryptedNewPassword.
  constexpr std::array<std::string_view, 5> kSecretTags{"96", "554", "925", "1402", "1404"};
  const std::string& text = condition_.text();
  const std::string& value = condition_.value();
  const bool is_secret = std::ranges::find(kSecretTags, condition_.tag()) != kSecretTags.end();
  return is_secret && !value.empty() ? text.substr(0, text.size() - value.size()) + "..." : text;
}

}  // namespace nexusfix::venues
