#include "dictionary/load/structure.hpp"

#include <algorithm>

#include <nexusfix/dictionary.hpp>

#include "dictionary/api/dictionary_fault.hpp"
#include "dictionary/load/xml_file.hpp"

namespace nexusfix::dictionary {
namespace {

// A depth-first walk that enters each component and group once. One that it meets again while still
// inside it contains itself. Heights are kept, so that a chain that is too long is found wherever
// the walk began.
class Checker {
 public:
  explicit Checker(const Dictionary& dictionary)
      : dictionary_{dictionary},
        components_(dictionary.components.size()),
        groups_(dictionary.groups.size()) {}

  std::vector<StructureFault> check() {
    for (Index i = 0; i < components_.size(); ++i) visit({Member::Kind::Component, i}, 0);
    for (Index i = 0; i < groups_.size(); ++i) visit({Member::Kind::Group, i}, 0);
    if (may_be_followed_ && sum_up()) find_own_counts();
    return std::move(faults_);
  }

 private:
  enum class Visit : std::uint8_t { No, Open, Done };
  struct Node {
    Visit visit = Visit::No;
    bool has_field = false;
    unsigned height = 0;   // the maximum depth of components and groups inside it
    std::size_t size = 0;  // the number of members, with nested ones; at most kFlatMembersMax + 1
  };

  Node& node(const Member& member) {
    return member.kind == Member::Kind::Group ? groups_[member.index] : components_[member.index];
  }
  [[nodiscard]] const std::vector<Member>& members_of(const Member& member) const {
    return member.kind == Member::Kind::Group ? dictionary_.groups[member.index].members
                                              : dictionary_.components[member.index].members;
  }
  [[nodiscard]] const std::string& name_of(const Member& member) const {
    return member.kind == Member::Kind::Group
               ? dictionary_.fields[dictionary_.groups[member.index].count_field].name
               : dictionary_.components[member.index].name;
  }

  void add(StructureRule rule, const Member& member, const std::string& text) {
    const bool group = member.kind == Member::Kind::Group;
    faults_.push_back({rule, group ? Place::Group : Place::Component, member.index,
                       (group ? "group " : "component ") + quote(name_of(member)) + ' ' + text});
  }

  // "A > B > A", from the open definitions, beginning with the member.
  [[nodiscard]] std::string cycle(const Member& member) const {
    std::string path;
    bool within = false;
    for (const Member& open : open_) {
      within = within || (open.kind == member.kind && open.index == member.index);
      if (within) path += name_of(open) + " > ";
    }
    return path + name_of(member);
  }

  void visit(const Member& member, unsigned depth) {
    Node& visited = node(member);
    if (visited.visit == Visit::Done) return;
    if (visited.visit == Visit::Open) {
      may_be_followed_ = false;
      return add(StructureRule::ContainsItself, member, "contains itself: " + cycle(member));
    }
    visited.visit = Visit::Open;
    open_.push_back(member);
    if (depth <= kNestingMax) visit_members(member, depth);
    if (std::max(depth, visited.height) > kNestingMax) {
      // The definitions around it would be too deep, too.
      if (may_be_followed_) {
        add(StructureRule::TooDeep, member, "is nested deeper than " + std::to_string(kNestingMax));
      }
      may_be_followed_ = false;
      visited.height = 0;
    } else if (member.kind == Member::Kind::Group && !visited.has_field) {
      add(StructureRule::NoFields, member, "has no fields: its first field begins an entry");
    }
    visited.size = size_of(members_of(member));
    open_.pop_back();
    visited.visit = Visit::Done;
  }

  void visit_members(const Member& member, unsigned depth) {
    Node& holder = node(member);
    for (const Member& held : members_of(member)) {
      if (held.kind != Member::Kind::Component) holder.has_field = true;
      if (held.kind == Member::Kind::Field) continue;
      visit(held, depth + 1);
      holder.has_field = holder.has_field || node(held).has_field;
      holder.height = std::max(holder.height, node(held).height + 1);
    }
  }

  // Includes components and groups that no message uses, because they are walked like the others.
  bool sum_up() {
    for (Index i = 0; i < dictionary_.messages.size(); ++i) {
      const MessageDefinition& message = dictionary_.messages[i];
      if (!sum(message.members, Place::Message, i, "message " + quote(message.name))) return false;
    }
    if (!sum(dictionary_.header, Place::Header, 0, "the header")) return false;
    if (!sum(dictionary_.trailer, Place::Trailer, 0, "the trailer")) return false;
    for (Index i = 0; i < components_.size(); ++i) {
      const Member member{Member::Kind::Component, i};
      const std::string name = "component " + quote(name_of(member));
      if (!sum(members_of(member), Place::Component, i, name)) return false;
    }
    for (Index i = 0; i < groups_.size(); ++i) {
      const Member member{Member::Kind::Group, i};
      if (!sum(members_of(member), Place::Group, i, "group " + quote(name_of(member)))) {
        return false;
      }
    }
    return true;
  }

  // A field that counts the entries of its own group would have two meanings. The sum has been
  // taken, so every definition can be walked.
  void find_own_counts() {
    for (Index i = 0; i < groups_.size(); ++i) {
      const GroupDefinition& group = dictionary_.groups[i];
      if (!holds_field(group.members, group.count_field)) continue;
      add(StructureRule::ContainsOwnCount, {Member::Kind::Group, i},
          "contains itself, or the field that counts its entries");
    }
  }

  [[nodiscard]] bool holds_field(const std::vector<Member>& members, Index field) const {
    return std::ranges::any_of(members, [&](const Member& member) {
      if (member.kind == Member::Kind::Field) return member.index == field;
      const bool is_count = member.kind == Member::Kind::Group &&
                            dictionary_.groups[member.index].count_field == field;
      return is_count || holds_field(members_of(member), field);
    });
  }

  bool sum(const std::vector<Member>& members, Place place, Index index, const std::string& name) {
    sum_ += size_of(members);
    if (sum_ <= kFlatMembersMax) return true;
    faults_.push_back({StructureRule::TooMuch, place, index,
                       "with " + name + " the messages and their components contain more than " +
                           std::to_string(kFlatMembersMax) + " fields"});
    return false;
  }

  std::size_t size_of(const std::vector<Member>& members) {
    std::size_t size = 0;
    for (const Member& member : members) {
      size += member.kind == Member::Kind::Field ? 1 : 1 + node(member).size;
      size = std::min(size, kFlatMembersMax + 1);
    }
    return size;
  }

  const Dictionary& dictionary_;
  std::vector<Node> components_;
  std::vector<Node> groups_;
  std::vector<Member> open_;
  std::size_t sum_ = 0;
  bool may_be_followed_ = true;  // its walk ends and is not too deep
  std::vector<StructureFault> faults_;
};

// Whether all indexes of members exist.
class IndexChecker {
 public:
  explicit IndexChecker(const Dictionary& dictionary) : dictionary_{dictionary} {}

  [[nodiscard]] std::string check() const {
    const auto& fields = dictionary_.fields;
    if (!std::ranges::is_sorted(fields, std::ranges::less_equal{}, &FieldDefinition::tag)) {
      return "its fields are not by ascending tag, each once";
    }
    for (const MessageDefinition& message : dictionary_.messages) {
      if (message.msg_type.empty()) return "message " + quote(message.name) + " has no MsgType";
      if (!are_valid(message.members)) return invalid("message " + quote(message.name));
    }
    for (const ComponentDefinition& component : dictionary_.components) {
      if (!are_valid(component.members)) return invalid("component " + quote(component.name));
    }
    for (std::size_t i = 0; i < dictionary_.groups.size(); ++i) {
      const GroupDefinition& group = dictionary_.groups[i];
      const bool is_valid = group.count_field < fields.size() && are_valid(group.members);
      if (!is_valid) return invalid("group " + std::to_string(i));
    }
    if (!are_valid(dictionary_.header)) return invalid("the header");
    return are_valid(dictionary_.trailer) ? std::string{} : invalid("the trailer");
  }

 private:
  [[nodiscard]] bool are_valid(const std::vector<Member>& members) const {
    return std::ranges::all_of(members, [&](const Member& member) {
      switch (member.kind) {
        case Member::Kind::Field:
          return member.index < dictionary_.fields.size();
        case Member::Kind::Component:
          return member.index < dictionary_.components.size();
        case Member::Kind::Group:
          return member.index < dictionary_.groups.size();
      }
      return false;
    });
  }
  static std::string invalid(const std::string& place) {
    return place + " has a member that the dictionary does not have";
  }

  const Dictionary& dictionary_;
};

}  // namespace

std::string fault_of(const Dictionary& dictionary) {
  std::string fault = IndexChecker{dictionary}.check();
  if (!fault.empty()) return fault;
  const auto structure = check_structure(dictionary);
  return structure.empty() ? std::string{} : structure.front().text;
}

std::vector<StructureFault> check_structure(const Dictionary& dictionary) {
  return Checker{dictionary}.check();
}

RepeatedFields::RepeatedFields(const Dictionary& dictionary)
    : dictionary_{dictionary},
      fields_seen_(dictionary.fields.size()),
      components_seen_(dictionary.components.size()) {}

std::vector<Index> RepeatedFields::of(const std::vector<Member>& members) {
  ++call_;
  std::vector<Index> repeated;
  walk(members, repeated);
  return repeated;
}

void RepeatedFields::walk(const std::vector<Member>& members, std::vector<Index>& repeated) {
  for (const Member& member : members) {
    if (member.kind == Member::Kind::Component) {
      if (components_seen_[member.index] == call_) continue;
      components_seen_[member.index] = call_;
      walk(dictionary_.components[member.index].members, repeated);
      continue;
    }
    const Index field = member.kind == Member::Kind::Group
                            ? dictionary_.groups[member.index].count_field
                            : member.index;
    if (fields_seen_[field] == call_) repeated.push_back(field);
    fields_seen_[field] = call_;
  }
}

}  // namespace nexusfix::dictionary
