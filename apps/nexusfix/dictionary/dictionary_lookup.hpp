// Finds fields, messages and values in a dictionary by tag, MsgType, wire value or name.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>

#include "nexusfix/dictionary/named_dictionary.hpp"

namespace nexusfix::command {

[[nodiscard]] bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept;

// The one whose name is word, or else the first whose name differs in case only; null: none.
template <class Thing>
[[nodiscard]] const Thing* find_by_name(const std::vector<Thing>& things, std::string_view word,
                                        std::string Thing::* name) {
  const auto exact = std::ranges::find(things, word, name);
  if (exact != things.end()) return &*exact;
  const auto near = std::ranges::find_if(
      things, [&](const Thing& thing) { return equal_ignoring_case(thing.*name, word); });
  return near != things.end() ? &*near : nullptr;
}

// By tag or name; null: neither dictionary has it.
[[nodiscard]] const dictionary::FieldDefinition* find_field(const NamedDictionary& named,
                                                            std::string_view word);

struct FoundMessage {
  const dictionary::Dictionary* dictionary = nullptr;
  const dictionary::MessageDefinition* message = nullptr;
};
// By MsgType or name.
[[nodiscard]] std::optional<FoundMessage> find_message(const NamedDictionary& named,
                                                       std::string_view word);

// By its value on the wire or by its name; null: the enumeration has neither.
[[nodiscard]] const dictionary::FieldDefinition::EnumValue* find_value(
    const dictionary::FieldDefinition& field, std::string_view word);
// value: several values of a field that is_multiple(), separated by blanks, such as `G 6`. Returns
// "ALL_OR_NONE, PARTICIPATE_DONT_INITIATE"; empty if one of them has no name.
[[nodiscard]] std::string several_meanings(const dictionary::FieldDefinition& field,
                                           std::string_view value);

// Where a field is used: in a message, or in header or trailer, which have no MsgType.
struct FieldUse {
  std::string name;
  std::string msg_type;
  std::vector<wire::Tag> path;  // the count fields of the groups around it, the outermost first
  bool required = false;        // in its message or its innermost group
};
// Each message once, by its outermost use.
[[nodiscard]] std::vector<FieldUse> uses_of(const NamedDictionary& named, wire::Tag tag);

// A group, and the message or component that contains it.
struct GroupPlace {
  const dictionary::Dictionary* dictionary = nullptr;
  std::string owner;
  const std::vector<dictionary::Member>* members = nullptr;
};
// The groups with this count field. Equal groups are returned once.
[[nodiscard]] std::vector<GroupPlace> groups_counted_by(const NamedDictionary& named,
                                                        wire::Tag tag);

[[nodiscard]] std::string tags_text(const std::vector<wire::Tag>& tags, std::string_view between);

}  // namespace nexusfix::command
