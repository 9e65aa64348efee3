#include "explanation/field_places.hpp"

#include <algorithm>
#include <unordered_set>

#include <nexusfix/dictionary.hpp>

#include "explanation/clipped.hpp"

namespace nexusfix::dictionary {
namespace {

void add_groups(const Dictionary& dictionary, const std::vector<Member>& members,
                std::vector<GroupPlace>& places) {
  std::vector<const std::vector<Member>*> lists{&members};
  std::unordered_set<Index> met;
  for (std::size_t at = 0; at < lists.size(); ++at) {
    for (const FlatMember& member : flatten(dictionary, *lists[at])) {
      if (!member.group || !met.insert(*member.group).second) continue;
      const GroupDefinition& group = dictionary.groups[*member.group];
      GroupPlace place{&dictionary, &group, dictionary.fields[member.field].tag};
      const std::vector<FlatMember> held = flatten(dictionary, group.members);
      if (!held.empty()) place.delimiter = dictionary.fields[held.front().field].tag;
      places.push_back(place);
      lists.push_back(&group.members);
    }
  }
}

// A group that occurs again has no new tag.
void add_tags(const Dictionary& dictionary, const std::vector<Member>& members,
              std::unordered_set<Index>& met, std::vector<wire::Tag>& tags) {
  for (const FlatMember& member : flatten(dictionary, members)) {
    tags.push_back(dictionary.fields[member.field].tag);
    if (member.group && met.insert(*member.group).second) {
      add_tags(dictionary, dictionary.groups[*member.group].members, met, tags);
    }
  }
}

}  // namespace

bool GroupPlace::has(wire::Tag tag) const {
  return std::ranges::any_of(flatten(*dictionary, group->members), [&](const FlatMember& member) {
    return dictionary->fields[member.field].tag == tag;
  });
}

std::vector<GroupPlace> groups_of(const FixtDictionaries& both, std::string_view msg_type) {
  std::vector<GroupPlace> places;
  for (const Dictionary* dictionary : {&both.application, &both.transport}) {
    const MessageDefinition* const message = dictionary->message(msg_type);
    if (message == nullptr) continue;
    add_groups(*dictionary, message->members, places);
    break;
  }
  add_groups(both.transport, both.transport.header, places);
  add_groups(both.transport, both.transport.trailer, places);
  return places;
}

std::string messages_with(const FixtDictionaries& both, wire::Tag tag) {
  constexpr std::size_t kMessagesMax = 4;
  std::string names;
  std::size_t count = 0;
  for (const Dictionary* dictionary : {&both.application, &both.transport}) {
    FieldSearch search{*dictionary, tag};
    for (const MessageDefinition& one : dictionary->messages) {
      if (!search.is_in(one.members)) continue;
      if (++count > kMessagesMax) return names + ", ...";
      names += (names.empty() ? "" : ", ") + clipped(one.name);
    }
    if (&both.application == &both.transport) break;
  }
  return names;
}

// A field usually keeps its name from version to version.
std::string versions_with(wire::Tag tag) {
  std::string text;
  std::string_view name;
  Version last = Version::Fix40;
  const auto end_run = [&](Version first) {
    if (name.empty()) return;
    text += (text.empty() ? "" : ", ") + std::string{name} + " in " + std::string{to_string(first)};
    if (last != first) text += " to " + std::string{to_string(last)};
  };
  Version first = Version::Fix40;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(Version::Fixt11); ++i) {
    const auto version = static_cast<Version>(i);
    const std::string_view here = builtin_names(version).field_name(tag).value_or("");
    if (here != name) {
      end_run(first);
      name = here;
      first = version;
    }
    last = version;
  }
  end_run(first);
  return text;
}

std::vector<wire::Tag> tags_of(const Dictionary& dictionary, const std::vector<Member>& members) {
  std::unordered_set<Index> met;
  std::vector<wire::Tag> tags;
  add_tags(dictionary, members, met, tags);
  return tags;
}

bool has_tag(const std::vector<wire::Tag>& tags, wire::Tag tag) noexcept {
  return std::ranges::find(tags, tag) != tags.end();
}

FieldSearch::FieldSearch(const Dictionary& dictionary, wire::Tag tag)
    : dictionary_{dictionary},
      tag_{tag},
      components_(dictionary.components.size(), Found::Unknown),
      groups_(dictionary.groups.size(), Found::Unknown) {}

bool FieldSearch::is_in(const std::vector<Member>& members) {
  return std::ranges::any_of(members, [&](const Member& member) { return is_in(member); });
}

bool FieldSearch::is_in(const Member& member) {
  if (member.kind == Member::Kind::Field) return dictionary_.fields[member.index].tag == tag_;
  const bool is_group = member.kind == Member::Kind::Group;
  Found& found = (is_group ? groups_ : components_)[member.index];
  if (found != Found::Unknown) return found == Found::Yes;
  bool has = false;
  if (is_group) {
    const GroupDefinition& group = dictionary_.groups[member.index];
    has = dictionary_.fields[group.count_field].tag == tag_ || is_in(group.members);
  } else {
    has = is_in(dictionary_.components[member.index].members);
  }
  found = has ? Found::Yes : Found::No;
  return has;
}

}  // namespace nexusfix::dictionary
