#include "nexusfix/control/tail_filter.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <system_error>

#include <nexusfix/dictionary/builtin.hpp>
#include <nexusfix/dictionary/names.hpp>
#include <nexusfix/wire/session_tags.hpp>

#include "nexusfix/messages/decoded_message.hpp"

namespace nexusfix::command {
namespace {

constexpr wire::Tag kTagMax = 60'000;  // above every tag of a dictionary

// The newest version has nearly all fields; the older one has those that were removed, and the
// names of the session layer.
std::array<dictionary::NameTable, 2> tables() {
  return {dictionary::builtin_names(dictionary::Version::Fix50Sp2),
          dictionary::builtin_names(dictionary::Version::Fix44)};
}

std::optional<wire::Tag> tag_of(std::string_view text) {
  wire::Tag tag = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), tag);
  if (error == std::errc{} && end == text.data() + text.size() && tag > 0) return tag;
  for (const dictionary::NameTable& table : tables()) {
    for (wire::Tag one = 1; one < kTagMax; ++one) {
      if (table.field_name(one) == text) return one;
    }
  }
  return std::nullopt;
}

bool is_name_of(wire::Tag tag, std::string_view value, std::string_view name) {
  return std::ranges::any_of(tables(), [&](const dictionary::NameTable& table) {
    return table.value_name(tag, value) == name ||
           (tag == tag::MsgType && table.message_name(value) == name);
  });
}

}  // namespace

std::expected<TailFilter, std::string> TailFilter::parse(
    const std::vector<std::string>& conditions) {
  TailFilter filter;
  for (const std::string& one : conditions) {
    const std::size_t equals = one.find('=');
    const auto tag = equals == std::string::npos ? std::nullopt
                                                 : tag_of(std::string_view{one}.substr(0, equals));
    if (!tag) {
      return std::unexpected{fmt::format(
          "{}: a filter is TAG=VALUE or NAME=VALUE, such as 35=D or MsgType=NewOrderSingle", one)};
    }
    filter.conditions_.push_back({*tag, one.substr(equals + 1)});
  }
  return filter;
}

bool TailFilter::admits(std::string_view bytes) const {
  if (conditions_.empty()) return true;
  const printing::DecodedMessage message = printing::decode_message(bytes);
  return std::ranges::all_of(conditions_, [&](const Condition& condition) {
    return std::ranges::any_of(message.fields, [&](const printing::DecodedField& field) {
      return field.tag == condition.tag && (field.value == condition.value ||
                                            is_name_of(field.tag, field.value, condition.value));
    });
  });
}

}  // namespace nexusfix::command
