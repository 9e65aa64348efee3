#include "dictionary/explain/field_search.hpp"

#include <algorithm>
#include <unordered_set>

namespace nexusfix::dictionary {
namespace {

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
  if (member.kind == MemberKind::Field) return dictionary_.fields[member.index].tag == tag_;
  const bool is_group = member.kind == MemberKind::Group;
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
