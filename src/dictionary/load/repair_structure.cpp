#include <algorithm>
#include <optional>

#include "dictionary/load/structure.hpp"

namespace nexusfix::dictionary {
namespace {

bool counts_group(const Dictionary& dictionary, const Member& member, Index count_field) {
  return member.kind == Member::Kind::Group
             ? dictionary.groups[member.index].count_field == count_field
             : member.kind == Member::Kind::Field && member.index == count_field;
}

// Turns removed groups into fields and renumbers the others.
class GroupRemover {
 public:
  GroupRemover(Dictionary& dictionary, const std::vector<Index>& gone) : dictionary_{dictionary} {
    Index kept = 0;
    for (Index i = 0; i < dictionary.groups.size(); ++i) {
      const bool is_gone = std::ranges::binary_search(gone, i);
      places_.push_back(is_gone ? std::nullopt : std::optional{kept++});
    }
  }

  void remove() {
    for (ComponentDefinition& component : dictionary_.components) repair(component.members);
    for (GroupDefinition& group : dictionary_.groups) repair(group.members);
    for (MessageDefinition& message : dictionary_.messages) repair(message.members);
    repair(dictionary_.header);
    repair(dictionary_.trailer);
    std::vector<GroupDefinition> kept;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i]) kept.push_back(std::move(dictionary_.groups[i]));
    }
    dictionary_.groups = std::move(kept);
  }

 private:
  void repair(std::vector<Member>& members) const {
    for (Member& member : members) {
      if (member.kind != Member::Kind::Group) continue;
      if (const std::optional<Index> place = places_[member.index]) {
        member.index = *place;
      } else {
        member.kind = Member::Kind::Field;
        member.index = dictionary_.groups[member.index].count_field;
      }
    }
  }

  Dictionary& dictionary_;
  std::vector<std::optional<Index>> places_;  // nothing: removed
};

}  // namespace

std::vector<Index> repair_structure(Dictionary& dictionary,
                                    const std::vector<StructureFault>& faults) {
  std::vector<Index> gone;
  for (const StructureFault& fault : faults) {
    if (fault.rule == StructureRule::NoFields) gone.push_back(fault.index);
    if (fault.rule != StructureRule::ContainsOwnCount) continue;
    GroupDefinition& group = dictionary.groups[fault.index];
    std::erase_if(group.members, [&](const Member& member) {
      return counts_group(dictionary, member, group.count_field);
    });
    if (group.members.empty()) gone.push_back(fault.index);
  }
  std::ranges::sort(gone);
  gone.erase(std::ranges::unique(gone).begin(), gone.end());
  GroupRemover{dictionary, gone}.remove();
  return gone;
}

}  // namespace nexusfix::dictionary
