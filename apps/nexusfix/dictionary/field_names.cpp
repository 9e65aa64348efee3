#include "nexusfix/dictionary/field_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <unordered_set>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/wire/field.hpp>

#include "base/api/ascii.hpp"
#include "dictionary/api/nearest_name.hpp"

namespace nexusfix::command {
namespace {

using dictionary::Dictionary;
using EnumValue = dictionary::FieldDefinition::EnumValue;
using dictionary::FieldDefinition;
using dictionary::Version;

// The most used first.
constexpr std::array kOrder{Version::Fix44, Version::Fix50Sp2, Version::Fixt11,
                            Version::Fix42, Version::Fix43,    Version::Fix50,
                            Version::Fix41, Version::Fix40,    Version::Fix50Sp1};

bool is_name_character(char c) { return is_alphanumeric(c) || c == '_'; }

std::optional<wire::Tag> tag_of(std::string_view digits) {
  wire::Tag tag = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, fault] = std::from_chars(digits.data(), end, tag);
  if (!is_all_digits(digits) || fault != std::errc{} || stop != end || tag == 0)
    return std::nullopt;
  return tag;
}

void add_members(std::vector<wire::Tag>& tags, const Dictionary& dictionary,
                 const dictionary::GroupDefinition& group) {
  for (const dictionary::FlatMember& member : dictionary::flatten(dictionary, group.members)) {
    tags.push_back(dictionary.fields[member.field].tag);
    if (member.group) add_members(tags, dictionary, dictionary.groups[*member.group]);
  }
}

}  // namespace

template <class Use>
void FieldNames::each(Use use) const {
  if (own_ != nullptr && use(*own_)) return;
  for (const Version version : kOrder) {
    if (use(dictionary::builtin_dictionary(version))) return;
  }
}

template <class Use>
void FieldNames::each_with_values(wire::Tag tag, Use use) const {
  if (own_ != nullptr && use(*own_)) return;
  for (const Version version : kOrder) {
    const bool has = tag == tag::MsgType || dictionary::builtin_names(version).has_values(tag);
    if (has && use(dictionary::builtin_dictionary(version))) return;
  }
}

const FieldDefinition* FieldNames::field(wire::Tag tag) const {
  const FieldDefinition* found = nullptr;
  each([&](const Dictionary& dictionary) { return (found = dictionary.field(tag)) != nullptr; });
  return found;
}

const FieldDefinition* FieldNames::field(std::string_view word) const {
  if (const auto tag = tag_of(word)) return field(*tag);
  const FieldDefinition* found = nullptr;
  each([&](const Dictionary& dictionary) {
    const auto exact = std::ranges::find(dictionary.fields, word, &FieldDefinition::name);
    found = exact == dictionary.fields.end() ? nullptr : &*exact;
    return found != nullptr;
  });
  if (found != nullptr) return found;
  each([&](const Dictionary& dictionary) {
    const auto near = std::ranges::find_if(dictionary.fields, [&](const FieldDefinition& field) {
      return equals_ignoring_case(field.name, word);
    });
    found = near == dictionary.fields.end() ? nullptr : &*near;
    return found != nullptr;
  });
  return found;
}

std::optional<std::string> FieldNames::message_name(std::string_view msg_type) const {
  const auto* const own = own_ == nullptr ? nullptr : own_->message(msg_type);
  if (own != nullptr) return own->name;
  for (const Version version : kOrder) {
    const auto name = dictionary::builtin_names(version).message_name(msg_type);
    if (name) return std::string{*name};
  }
  return std::nullopt;
}

std::optional<std::string_view> FieldNames::nearest_field(std::string_view word) const {
  // Each name once, and none that its size alone makes too different: nearest_name() is slow.
  const std::size_t changes_max = std::max<std::size_t>(1, word.size() / 3);
  std::unordered_set<std::string_view> known;
  std::vector<std::string_view> names;
  each([&](const Dictionary& dictionary) {
    for (const FieldDefinition& field : dictionary.fields) {
      const std::string_view name = field.name;
      const bool is_near =
          name.size() <= word.size() + changes_max && word.size() <= name.size() + changes_max;
      if (is_near && known.insert(name).second) names.push_back(name);
    }
    return false;
  });
  return dictionary::nearest_name(word, names);
}

std::optional<std::string> FieldNames::value(wire::Tag tag, std::string_view name) const {
  std::optional<std::string> found;
  each_with_values(tag, [&](const Dictionary& dictionary) {
    if (tag == tag::MsgType) {
      for (const dictionary::MessageDefinition& message : dictionary.messages) {
        if (equals_ignoring_case(message.name, name)) found = message.msg_type;
      }
    }
    const FieldDefinition* const field = dictionary.field(tag);
    if (!found && field != nullptr) {
      for (const EnumValue& value : field->values) {
        if (equals_ignoring_case(value.name, name)) found = value.value;
      }
    }
    return found.has_value();
  });
  return found;
}

std::optional<std::string> FieldNames::value_name(wire::Tag tag, std::string_view value) const {
  std::optional<std::string> found;
  each_with_values(tag, [&](const Dictionary& dictionary) {
    const FieldDefinition* const field = dictionary.field(tag);
    if (field == nullptr) return false;
    const auto named = std::ranges::find(field->values, value, &EnumValue::value);
    if (named != field->values.end()) found = named->name;
    return found.has_value();
  });
  return found;
}

std::vector<EnumValue> FieldNames::values(wire::Tag tag) const {
  std::map<std::string, std::string> names;  // by value; the first dictionary counts
  each_with_values(tag, [&](const Dictionary& dictionary) {
    if (tag == tag::MsgType) {
      for (const auto& message : dictionary.messages) names.emplace(message.msg_type, message.name);
    } else if (const FieldDefinition* const field = dictionary.field(tag); field != nullptr) {
      for (const EnumValue& one : field->values) names.emplace(one.value, one.name);
    }
    return false;
  });
  std::vector<EnumValue> all;
  all.reserve(names.size());
  for (const auto& [value, name] : names) all.push_back({value, name});
  return all;
}

bool FieldNames::has_value(wire::Tag tag, std::string_view value) const {
  bool has = false;
  each_with_values(tag, [&](const Dictionary& dictionary) {
    const FieldDefinition* const field = dictionary.field(tag);
    has = (field != nullptr && std::ranges::count(field->values, value, &EnumValue::value) > 0) ||
          (tag == tag::MsgType && dictionary.message(value) != nullptr);
    return has;
  });
  return has;
}

std::optional<std::string> FieldNames::nearest_value(wire::Tag tag, std::string_view word) const {
  std::optional<std::string> found;
  each_with_values(tag, [&](const Dictionary& dictionary) {
    std::vector<std::string_view> names;
    if (tag == tag::MsgType) {
      names.reserve(dictionary.messages.size());
      for (const auto& message : dictionary.messages) names.push_back(message.name);
    }
    if (const FieldDefinition* const field = dictionary.field(tag); field != nullptr) {
      for (const EnumValue& value : field->values) names.push_back(value.name);
    }
    if (const auto near = dictionary::nearest_name(word, names)) found = std::string{*near};
    return found.has_value();
  });
  return found;
}

std::vector<wire::Tag> FieldNames::group_members(wire::Tag count) const {
  std::vector<wire::Tag> tags;
  each([&](const Dictionary& dictionary) {
    for (const dictionary::GroupDefinition& group : dictionary.groups) {
      if (dictionary.fields[group.count_field].tag == count) add_members(tags, dictionary, group);
    }
    return false;
  });
  std::ranges::sort(tags);
  tags.erase(std::ranges::unique(tags).begin(), tags.end());
  return tags;
}

const Dictionary* FieldNames::dictionary_of_group(wire::Tag count) const {
  const Dictionary* found = nullptr;
  each([&](const Dictionary& dictionary) {
    const bool has =
        std::ranges::any_of(dictionary.groups, [&](const dictionary::GroupDefinition& group) {
          return dictionary.fields[group.count_field].tag == count;
        });
    if (has) found = &dictionary;
    return has;
  });
  return found;
}

// A name of other characters would need escapes in JSON: its tag is printed.
std::string_view TagNames::Version::look_up(wire::Tag tag) const noexcept {
  for (const dictionary::NameTable& table : tables) {
    const std::string_view name = table.field_name(tag).value_or(std::string_view{});
    if (!name.empty() && std::ranges::all_of(name, is_name_character)) return name;
  }
  return {};
}

const TagNames::Version& TagNames::of(std::string_view begin_string) {
  if (last_ != nullptr && begin_string == begin_string_) return *last_;
  constexpr wire::Tag kTagsMax = 4096;  // higher tags are rare, and looked up each time
  const auto known = dictionary::version_of_begin_string(begin_string);
  const auto version = known.value_or(dictionary::Version::Fixt11);
  auto& slot = versions_[static_cast<std::size_t>(version)];
  if (slot == nullptr) {
    slot = std::make_unique<Version>();
    if (own_ != nullptr) slot->tables.push_back(*own_);
    slot->tables.push_back(dictionary::builtin_names(version));
    // FIXT.1.1 has the header of FIX 5.0, and its application is most likely the latest one.
    if (version == dictionary::Version::Fixt11) {
      slot->tables.push_back(dictionary::builtin_names(dictionary::Version::Fix50Sp2));
    } else if (version >= dictionary::Version::Fix50) {
      slot->tables.push_back(dictionary::builtin_names(dictionary::Version::Fixt11));
    }
    for (const auto other : kOrder) slot->tables.push_back(dictionary::builtin_names(other));
    slot->names.resize(kTagsMax);
    for (wire::Tag tag = 1; tag < kTagsMax; ++tag) {
      slot->names[static_cast<std::size_t>(tag)] = slot->look_up(tag);
    }
    slot->keys.resize(kTagsMax);
    for (std::size_t i = 0; i < slot->names.size(); ++i) {
      const std::string text = '"' + std::string{slot->names[i]} + "\":\"";
      Version::Key& key = slot->keys[i];
      if (slot->names[i].empty() || text.size() > Version::Key::kBytes) continue;
      key.size = static_cast<std::uint8_t>(text.copy(key.text.data(), text.size()));
    }
  }
  begin_string_ = begin_string;
  last_ = slot.get();
  return *last_;
}

}  // namespace nexusfix::command
