#include "console/json/message_json.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/wire/field.hpp>

#include "base/api/printable_text.hpp"

namespace nexusfix::web {
namespace {

using wire::kSoh;

struct Field {
  std::uint32_t tag = 0;  // 0: no tag
  std::string_view text;  // of the tag, or the whole field
  std::string_view value;
};

std::optional<std::size_t> number_of(std::string_view text) noexcept {
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

// Data fields may have SOH in their value: the Length field before has its size.
std::vector<Field> fields_of(std::string_view bytes) {
  static const wire::DataFieldTable kPairs = wire::DataFieldTable::standard();
  std::vector<Field> fields;
  while (!bytes.empty()) {
    std::size_t end = std::min(bytes.find(kSoh), bytes.size());
    const std::size_t equals = bytes.substr(0, end).find('=');
    Field field{.text = bytes.substr(0, std::min(equals, end)), .value = {}};
    if (equals != std::string_view::npos) {
      const std::size_t tag = number_of(field.text).value_or(0);
      field.tag = tag > 999'999'999 ? 0 : static_cast<std::uint32_t>(tag);
      const auto length_tag = kPairs.length_tag_for(field.tag);
      if (length_tag && !fields.empty() && fields.back().tag == *length_tag) {
        const auto size = number_of(fields.back().value);
        const std::size_t begin = equals + 1;
        const bool fits = size && *size < bytes.size() - begin && bytes[begin + *size] == kSoh;
        if (fits) end = begin + *size;
      }
      field.value = bytes.substr(equals + 1, end - equals - 1);
    }
    fields.push_back(field);
    bytes.remove_prefix(std::min(bytes.size(), end + 1));
  }
  return fields;
}

std::string_view value_of(const std::vector<Field>& fields, std::uint32_t tag) noexcept {
  const auto found = std::ranges::find(fields, tag, &Field::tag);
  return found == fields.end() ? std::string_view{} : found->value;
}

// The tables in which the names are looked up: FIXT has one for the session layer, and one for the
// application's version.
void add_version(const std::vector<Field>& fields, std::vector<dictionary::NameTable>& tables) {
  if (const auto version = dictionary::version_of_begin_string(value_of(fields, 8))) {
    tables.push_back(dictionary::builtin_names(*version));
    if (*version != dictionary::Version::Fixt11) return;
    const auto application = dictionary::version_of_appl_ver_id(value_of(fields, 1128));
    tables.push_back(
        dictionary::builtin_names(application.value_or(dictionary::Version::Fix50Sp2)));
  } else {
    tables.push_back(dictionary::builtin_names(dictionary::Version::Fix44));
  }
}

// A field of another version, which the application accepts, has its name there.
void add_other_versions(std::vector<dictionary::NameTable>& tables) {
  using enum dictionary::Version;
  for (const auto version : {Fix44, Fix50Sp2, Fixt11, Fix43, Fix42}) {
    tables.push_back(dictionary::builtin_names(version));
  }
}

template <class Lookup>
std::string_view first_of(const std::vector<dictionary::NameTable>& tables, Lookup lookup) {
  for (const dictionary::NameTable& table : tables) {
    if (const auto found = lookup(table)) return *found;
  }
  return {};
}

}  // namespace

std::string shown_message(std::string_view bytes) {
  std::string shown{bytes};
  std::ranges::replace(shown, kSoh, '|');
  return printable(shown);
}

Json message_json(std::string_view bytes, std::vector<dictionary::NameTable> own) {
  const std::vector<Field> fields = fields_of(bytes);
  std::vector<dictionary::NameTable> tables = std::move(own);
  add_version(fields, tables);
  add_other_versions(tables);
  const std::string_view type = value_of(fields, 35);
  Json list = Json::array();
  for (const Field& field : fields) {
    const auto name = first_of(tables, [&](const auto& one) { return one.field_name(field.tag); });
    auto meaning =
        first_of(tables, [&](const auto& one) { return one.value_name(field.tag, field.value); });
    if (field.tag == 35) {
      meaning = first_of(tables, [&](const auto& one) { return one.message_name(type); });
    }
    list.push_back({printable(field.text), name, printable(field.value), meaning});
  }
  return {{"type", printable(type)},
          {"name", first_of(tables, [&](const auto& one) { return one.message_name(type); })},
          {"number", printable(value_of(fields, 34))},
          {"sent_at", printable(value_of(fields, 52))},
          {"text", shown_message(bytes)},
          {"fields", std::move(list)}};
}

}  // namespace nexusfix::web
