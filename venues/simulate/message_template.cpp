#include "venues/simulate/message_template.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/field.hpp>

namespace nexusfix::venues {
namespace {

std::optional<std::string> meaning_of(std::string_view name, const TemplateValues& values) {
  if (name == "count") return std::to_string(values.count);
  if (name == "random") return values.random;
  if (name == "now" || name == "date" || name == "time") {
    std::string text(wire::kUtcTimestampBytesMax, '\0');
    text.resize(wire::from_utc_timestamp(values.now, wire::TimePrecision::Millis, text.data()));
    const std::size_t dash = text.find('-');
    return name == "now" ? text : name == "date" ? text.substr(0, dash) : text.substr(dash + 1);
  }
  if (name == "now-ms") {
    const auto since = values.now.time_since_epoch();
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
  }
  wire::Tag tag = 0;
  std::from_chars(name.data(), name.data() + name.size(), tag);
  if (values.message == nullptr || tag == 0) return std::nullopt;
  const auto value = (*values.message)[tag];
  if (!value) return std::nullopt;
  return std::string{*value};
}

// Nothing: a name in it means nothing.
std::optional<std::string> expand(std::string_view value, const TemplateValues& values) {
  std::string result;
  while (!value.empty()) {
    const std::size_t begin = value.find('{');
    result += value.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const std::size_t end = value.find('}', begin);
    if (end == std::string_view::npos) return std::nullopt;
    const auto meaning = meaning_of(value.substr(begin + 1, end - begin - 1), values);
    if (!meaning) return std::nullopt;
    result += *meaning;
    value.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace

std::vector<TemplateField> expand_template(std::string_view text, const TemplateValues& values) {
  std::vector<TemplateField> fields;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('|'), text.size());
    const std::string_view field = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = field.find('=');
    if (equals == std::string_view::npos) continue;
    TemplateField made;
    std::from_chars(field.data(), field.data() + equals, made.tag);
    auto value = expand(field.substr(equals + 1), values);
    if (!value || made.tag == 0) continue;
    made.value = std::move(*value);
    fields.push_back(std::move(made));
  }
  return fields;
}

void write_fields(wire::Encoder& encoder, const std::vector<TemplateField>& fields) {
  for (const TemplateField& field : fields) {
    if (field.tag == tag::MsgType) continue;
    encoder.field(field.tag, std::string_view{field.value});
  }
}

}  // namespace nexusfix::venues
