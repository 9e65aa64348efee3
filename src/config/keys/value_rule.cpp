#include "config/keys/value_rule.hpp"

#include <arpa/inet.h>
#include <optional>

#include <nexusfix/transport/network.hpp>

#include "base/api/ascii.hpp"
#include "config/text/settings_values.hpp"
#include "session/api/config.hpp"

namespace nexusfix::config {

namespace {

// Unset: the value is none of the words.
std::optional<std::size_t> place_among(std::string_view words, std::string_view value) {
  std::size_t place = 0;
  for (const std::string_view word : words_of(words)) {
    if (word == "or") continue;
    if (equals_ignoring_case(value, word)) return place;
    ++place;
  }
  return std::nullopt;
}

}  // namespace

std::string ValueRule::error(std::string_view value) const {
  if ((may_be_empty && value.empty()) || is_valid(*this, value)) return {};
  if (is_valid == is_number_in_range) {
    return std::string{expected} + " from " + std::to_string(min) + " to " + std::to_string(max);
  }
  if (is_valid == is_host || is_valid == is_address) {
    // Without its interface such an address can be neither connected to nor listened on.
    const auto range = transport::AllowList::Range::parse(transport::without_brackets(value));
    if (range && range->is_of_any_link()) {
      return "a link-local address with its interface, such as fe80::1%eth0,";
    }
  }
  return std::string{expected};
}

std::size_t ValueRule::word_index(std::string_view value) const {
  if (is_valid == is_yes_or_no) return is_yes(value) ? 0 : 1;
  return *place_among(expected, value);
}

bool is_yes_or_no(const ValueRule& /*rule*/, std::string_view value) {
  return read_bool(value).has_value();
}

bool is_number_in_range(const ValueRule& rule, std::string_view value) {
  const std::optional<std::uint64_t> number = read_number(value);
  return number && *number >= rule.min && *number <= rule.max;
}

bool is_text_in_range(const ValueRule& rule, std::string_view value) {
  return value.size() >= rule.min && value.size() <= rule.max;
}

bool is_factor(const ValueRule& /*rule*/, std::string_view value) {
  constexpr double kFactorMax = 100.0;
  const std::optional<double> factor = read_factor(value);
  return factor && *factor > 0 && *factor <= kFactorMax;
}

bool is_listed(const ValueRule& rule, std::string_view value) {
  return place_among(rule.expected, value).has_value();
}

// Any name that a resolver accepts. A name of numbers alone is an address, also in the short forms
// of inet_aton().
bool is_host(const ValueRule& /*rule*/, std::string_view value) {
  constexpr std::string_view kNever = " \t/\\,;@\"'[]()<>?#%";
  constexpr std::size_t kLabelMax = 63;
  constexpr std::size_t kNameMax = 255;
  value = transport::without_brackets(value);
  if (transport::is_complete_address(value)) return true;
  if (value.empty() || value.size() > kNameMax || value.find(':') != value.npos) return false;
  if (value.find_first_of(kNever) != value.npos) return false;
  if (value.back() == '.') value.remove_suffix(1);
  bool is_of_numbers = true;
  for (std::string_view rest = value;;) {
    const std::string_view label = rest.substr(0, rest.find('.'));
    if (label.empty() || label.size() > kLabelMax) return false;
    is_of_numbers = is_of_numbers && read_number(label);
    if (label.size() == rest.size()) break;
    rest.remove_prefix(label.size() + 1);
  }
  in_addr address{};
  return !is_of_numbers || ::inet_aton(std::string{value}.c_str(), &address) != 0;
}

bool is_address(const ValueRule& /*rule*/, std::string_view value) {
  return transport::is_complete_address(transport::without_brackets(value));
}

bool is_begin_string(const ValueRule& /*rule*/, std::string_view value) {
  return session::find_version(value) != nullptr;
}

bool is_proxy_version(const ValueRule& /*rule*/, std::string_view value) {
  return place_among("1.0, 1.1, 4, 4a or 5", value).has_value();
}

}  // namespace nexusfix::config
