#include "nexusfix/dictionary/dictionary_lookup.hpp"

#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <unordered_set>

namespace nexusfix::command {
namespace {

using dictionary::Dictionary;
using EnumValue = dictionary::FieldDefinition::EnumValue;
using dictionary::FieldDefinition;
using dictionary::FlatMember;
using dictionary::GroupDefinition;
using dictionary::Index;
using dictionary::Member;
using MemberKind = dictionary::Member::Kind;
using dictionary::MessageDefinition;

std::optional<wire::Tag> to_tag(std::string_view word) {
  wire::Tag tag = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, fault] = std::from_chars(word.data(), end, tag);
  if (word.empty() || fault != std::errc{} || stop != end) return std::nullopt;
  return tag;
}

// Finds the outermost use of a field in a message, level by level. It visits a group once: this
// bounds the time for any dictionary.
class UseSearch {
 public:
  UseSearch(const Dictionary& dictionary, wire::Tag tag) : dictionary_{dictionary}, tag_{tag} {}

  std::optional<FieldUse> in(const std::vector<Member>& members) {
    std::vector<Level> level{{&members, {}}};
    while (!level.empty()) {
      std::vector<Level> inner;
      for (const Level& one : level) {
        for (const FlatMember& member : flatten(dictionary_, *one.members)) {
          const wire::Tag found = dictionary_.fields[member.field].tag;
          if (found == tag_) return FieldUse{{}, {}, one.path, member.required};
          if (!member.group || !met_.insert(*member.group).second) continue;
          inner.push_back({&dictionary_.groups[*member.group].members, one.path});
          inner.back().path.push_back(found);
        }
      }
      level = std::move(inner);
    }
    return std::nullopt;
  }

 private:
  struct Level {
    const std::vector<Member>* members;
    std::vector<wire::Tag> path;
  };

  const Dictionary& dictionary_;
  wire::Tag tag_;
  std::unordered_set<Index> met_;
};

}  // namespace

bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::equal(left, right, {}, lower, lower);
}

const FieldDefinition* find_field(const NamedDictionary& named, std::string_view word) {
  const std::optional<wire::Tag> tag = to_tag(word);
  for (const Dictionary* dictionary : named.both()) {
    const FieldDefinition* const found =
        tag ? dictionary->field(*tag)
            : find_by_name(dictionary->fields, word, &FieldDefinition::name);
    if (found != nullptr) return found;
  }
  return nullptr;
}

std::optional<FoundMessage> find_message(const NamedDictionary& named, std::string_view word) {
  for (const Dictionary* dictionary : named.both()) {
    const MessageDefinition* found = dictionary->message(word);
    if (found == nullptr)
      found = find_by_name(dictionary->messages, word, &MessageDefinition::name);
    if (found != nullptr) return FoundMessage{dictionary, found};
  }
  return std::nullopt;
}

const EnumValue* find_value(const FieldDefinition& field, std::string_view word) {
  const auto found = std::ranges::find(field.values, word, &EnumValue::value);
  if (found != field.values.end()) return &*found;
  return find_by_name(field.values, word, &EnumValue::name);
}

std::string several_meanings(const FieldDefinition& field, std::string_view value) {
  std::string meanings;
  while (!value.empty()) {
    const std::size_t space = std::min(value.find(' '), value.size());
    const auto found = std::ranges::find(field.values, value.substr(0, space), &EnumValue::value);
    if (found == field.values.end()) return {};
    meanings += (meanings.empty() ? "" : ", ") + found->name;
    value.remove_prefix(std::min(space + 1, value.size()));
  }
  return meanings;
}

std::vector<FieldUse> uses_of(const NamedDictionary& named, wire::Tag tag) {
  std::vector<FieldUse> uses;
  const auto add = [&](const Dictionary& dictionary, const std::vector<Member>& members,
                       const std::string& name, const std::string& msg_type) {
    std::optional<FieldUse> use = UseSearch{dictionary, tag}.in(members);
    if (!use) return;
    use->name = name;
    use->msg_type = msg_type;
    uses.push_back(std::move(*use));
  };
  add(named.transport(), named.transport().header, "standard header", "");
  for (const Dictionary* dictionary : named.both()) {
    for (const MessageDefinition& message : dictionary->messages) {
      add(*dictionary, message.members, message.name, message.msg_type);
    }
  }
  add(named.transport(), named.transport().trailer, "standard trailer", "");
  return uses;
}

std::vector<GroupPlace> groups_counted_by(const NamedDictionary& named, wire::Tag tag) {
  std::vector<GroupPlace> places;
  const auto add = [&](const Dictionary& dictionary, const std::vector<Member>& members,
                       const std::string& owner) {
    for (const Member& member : members) {
      if (member.kind != MemberKind::Group) continue;
      const GroupDefinition& group = dictionary.groups[member.index];
      if (dictionary.fields[group.count_field].tag != tag) continue;
      const bool is_known = std::ranges::any_of(places, [&](const GroupPlace& place) {
        return place.dictionary == &dictionary && *place.members == group.members;
      });
      if (!is_known) places.push_back({&dictionary, owner, &group.members});
    }
  };
  add(named.transport(), named.transport().header, "the standard header");
  for (const Dictionary* dictionary : named.both()) {
    for (const auto& component : dictionary->components) {
      add(*dictionary, component.members, component.name);
    }
    for (const MessageDefinition& message : dictionary->messages) {
      add(*dictionary, message.members, message.name);
    }
    for (const GroupDefinition& group : dictionary->groups) {
      add(*dictionary, group.members, dictionary->fields[group.count_field].name);
    }
  }
  return places;
}

std::string tags_text(const std::vector<wire::Tag>& tags, std::string_view between) {
  return fmt::format("{}", fmt::join(tags, between));
}

}  // namespace nexusfix::command
