#include "tester/script/condition.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <re2/re2.h>
#include <utility>

namespace nexusfix::tester {
namespace {

struct Symbol {
  std::string_view text;
  Comparison comparison;
};
// If two match, the longer one comes first.
constexpr std::array kSymbols{
    Symbol{"!=", Comparison::NotEqual},     Symbol{"<=", Comparison::LessEqual},
    Symbol{">=", Comparison::GreaterEqual}, Symbol{"=", Comparison::Equal},
    Symbol{"<", Comparison::Less},          Symbol{">", Comparison::Greater},
    Symbol{"~", Comparison::Pattern},       Symbol{" in ", Comparison::AnyOf},
    Symbol{" as ", Comparison::Captured},   Symbol{" present", Comparison::Present},
    Symbol{" absent", Comparison::Absent},
};

std::optional<double> decimal_of(std::string_view text) {
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

// Numbers by value, everything else, such as timestamps, byte by byte.
std::partial_ordering compared(std::string_view left, std::string_view right) {
  const auto left_number = decimal_of(left);
  const auto right_number = decimal_of(right);
  if (left_number && right_number) return *left_number <=> *right_number;
  return left <=> right;
}

bool is_any_of(std::string_view value, std::string_view list) {
  while (true) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == value) return true;
    if (comma == list.size()) return false;
    list.remove_prefix(comma + 1);
  }
}

// The digits at the begin, which are removed from the text. Empty: there are none.
std::string_view consume_digits(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

}  // namespace

std::expected<Condition, std::string> Condition::parse(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return std::unexpected{"\"" + std::string{text} + "\": " + std::string{why}};
  };
  Condition condition;
  condition.text_ = text;
  std::string_view rest = text;
  condition.tag_ = consume_digits(rest);
  if (condition.tag_.empty()) {
    return wrong("a condition begins with a tag, as in 35=8, 39!=8, 58~text, 58 present");
  }
  if (rest.starts_with('#')) {
    rest.remove_prefix(1);
    const std::string_view count = consume_digits(rest);
    std::from_chars(count.data(), count.data() + count.size(), condition.occurrence_);
    if (count.empty() || condition.occurrence_ == 0) return wrong("#1 is the first field of a tag");
  }
  const auto symbol =
      std::ranges::find_if(kSymbols, [&](const Symbol& one) { return rest.starts_with(one.text); });
  if (symbol == kSymbols.end()) {
    return wrong("after the tag comes =, !=, <, <=, >, >=, ~, in, present, absent or as");
  }
  condition.comparison_ = symbol->comparison;
  condition.value_ = rest.substr(symbol->text.size());
  const bool has_value = !condition.value_.empty();
  const bool is_about_presence =
      symbol->comparison == Comparison::Present || symbol->comparison == Comparison::Absent;
  if (is_about_presence && has_value) return wrong("nothing comes after present and absent");
  if (symbol->comparison == Comparison::Pattern) {
    auto pattern = std::make_shared<const re2::RE2>(condition.value_, re2::RE2::Quiet);
    if (!pattern->ok()) return wrong(pattern->error());
    condition.pattern_ = std::move(pattern);
  }
  return condition;
}

bool Condition::is_fulfilled(std::string_view value) const {
  switch (comparison_) {
    case Comparison::Equal:
      return value == value_;
    case Comparison::NotEqual:
      return value != value_;
    case Comparison::Less:
      return compared(value, value_) < 0;
    case Comparison::LessEqual:
      return compared(value, value_) <= 0;
    case Comparison::Greater:
      return compared(value, value_) > 0;
    case Comparison::GreaterEqual:
      return compared(value, value_) >= 0;
    case Comparison::Pattern:
      return re2::RE2::PartialMatch({value.data(), value.size()}, *pattern_);
    case Comparison::AnyOf:
      return is_any_of(value, value_);
    case Comparison::Present:
    case Comparison::Captured:
      return true;
    case Comparison::Absent:
      break;
  }
  return false;
}

std::optional<std::string> Condition::difference(const std::vector<ReceivedField>& fields) const {
  const auto value = value_of(fields, tag_, occurrence_);
  if (!value) {
    const bool may_be_absent =
        comparison_ == Comparison::Absent || comparison_ == Comparison::NotEqual;
    if (may_be_absent) return std::nullopt;
    return "there is no " + tag_ + (occurrence_ > 1 ? "#" + std::to_string(occurrence_) : "");
  }
  if (is_fulfilled(*value)) return std::nullopt;
  // As a script has it; a "|" would end the value for what masks passwords.
  std::string got = tag_ + "=";
  for (const char c : *value) got += c == kSoh ? std::string{"\\x01"} : std::string{c};
  return got;
}

}  // namespace nexusfix::tester
