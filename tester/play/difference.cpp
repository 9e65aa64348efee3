#include "tester/play/difference.hpp"

#include "tester/script/message_text.hpp"

namespace nexusfix::tester {

std::optional<Difference> difference(std::string_view message,
                                     const std::vector<Condition>& conditions) {
  const auto fields = fields_of(message);
  for (const Condition& condition : conditions) {
    auto got = condition.difference(fields);
    if (!got) continue;
    const std::size_t shown = begin_of(*got).size();
    if (shown < got->size()) *got = got->substr(0, shown) + size_text(got->size());
    return Difference{&condition, std::move(*got)};
  }
  return std::nullopt;
}

std::string reason_in(std::string_view message, const Condition& condition) {
  const auto text = value_of(fields_of(message), "58");
  return condition.tag() == "35" && text ? ": " + with_bars(begin_of(*text)) : "";
}

std::string texts_of(const std::vector<Condition>& conditions) {
  std::string text;
  for (const Condition& condition : conditions) text += condition.text() + "|";
  return text;
}

std::string first_different_tag(std::string_view message, std::string_view expected) {
  const auto left = fields_of(message);
  const auto right = fields_of(expected);
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (i >= right.size() || left[i].tag != right[i].tag || left[i].value != right[i].value) {
      const bool is_length = left[i].tag == "9" && i + 1 < left.size();
      if (!is_length) return std::string{left[i].tag};
    }
  }
  return {};
}

std::string_view begin_of(std::string_view message) noexcept {
  constexpr std::size_t kShownMax = 64U << 10U;
  if (message.size() <= kShownMax) return message;
  const std::string_view begin = message.substr(0, kShownMax);
  const std::size_t end = begin.rfind(kSoh);
  return end == std::string_view::npos ? begin : begin.substr(0, end + 1);
}

std::string size_text(std::size_t bytes) { return " ... (" + std::to_string(bytes) + " bytes)"; }

}  // namespace nexusfix::tester
