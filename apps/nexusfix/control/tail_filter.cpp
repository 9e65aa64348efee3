#include "nexusfix/control/tail_filter.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <system_error>

#include "nexusfix/messages/decoded_message.hpp"

namespace nexusfix::command {
namespace {

// Also a tag that no dictionary has.
std::optional<wire::Tag> tag_of(std::string_view text, const FieldNames& names) {
  wire::Tag tag = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), tag);
  if (error == std::errc{} && end == text.data() + text.size() && tag > 0) return tag;
  const auto* const field = names.field(text);
  return field == nullptr ? std::nullopt : std::optional{field->tag};
}

}  // namespace

std::expected<TailFilter, std::string> TailFilter::parse(const std::vector<std::string>& conditions,
                                                         const FieldNames& names) {
  TailFilter filter;
  for (const std::string& one : conditions) {
    const std::size_t equals = one.find('=');
    const auto tag = equals == std::string::npos
                         ? std::nullopt
                         : tag_of(std::string_view{one}.substr(0, equals), names);
    if (!tag) {
      return std::unexpected{fmt::format(
          "{}: a filter is TAG=VALUE or NAME=VALUE, such as 35=D or MsgType=NewOrderSingle", one)};
    }
    const std::string value = one.substr(equals + 1);
    filter.conditions_.push_back({*tag, value, names.value(*tag, value).value_or("")});
  }
  return filter;
}

bool TailFilter::admits(std::string_view bytes) const {
  if (conditions_.empty()) return true;
  const printing::DecodedMessage message = printing::decode_message(bytes);
  return std::ranges::all_of(conditions_, [&](const Condition& condition) {
    return std::ranges::any_of(message.fields, [&](const printing::DecodedField& field) {
      return field.tag == condition.tag &&
             (field.value == condition.value ||
              (!condition.named.empty() && field.value == condition.named));
    });
  });
}

}  // namespace nexusfix::command
