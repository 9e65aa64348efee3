// Completes a dictionary with the session messages of the standard.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {
namespace {

class Completer {
 public:
  Completer(Dictionary& to, const Dictionary& from) : to_{to}, from_{from} {}

  std::vector<std::string> run() {
    const bool adds_header = to_.header.empty();
    const bool adds_trailer = to_.trailer.empty();
    std::vector<const MessageDefinition*> missing;
    for (const MessageDefinition& message : from_.messages) {
      if (message.admin && to_.message(message.msg_type) == nullptr) missing.push_back(&message);
    }
    if (adds_header) add_tags(from_.header);
    if (adds_trailer) add_tags(from_.trailer);
    for (const MessageDefinition* message : missing) add_tags(message->members);
    add_fields();
    if (adds_header) to_.header = copied(from_.header, true);
    if (adds_trailer) to_.trailer = copied(from_.trailer, true);
    std::vector<std::string> names;
    for (const MessageDefinition* message : missing) {
      names.push_back(message->name + " (" + message->msg_type + ")");
      to_.messages.push_back({unused_name(message->name, message->msg_type), message->msg_type,
                              /*admin=*/true, copied(message->members, true)});
    }
    return names;
  }

 private:
  void add_tags(const std::vector<Member>& members) {
    for (const Member& member : members) {
      switch (member.kind) {
        case Member::Kind::Field:
          tags_.insert(from_.fields[member.index].tag);
          break;
        case Member::Kind::Component:
          add_tags(from_.components[member.index].members);
          break;
        case Member::Kind::Group: {
          const GroupDefinition& group = from_.groups[member.index];
          tags_.insert(from_.fields[group.count_field].tag);
          add_tags(group.members);
          break;
        }
      }
    }
  }

  // Fields are in the order of their tags: all positions of the former ones move.
  void add_fields() {
    std::vector<wire::Tag> former;
    former.reserve(to_.fields.size());
    for (const FieldDefinition& field : to_.fields) former.push_back(field.tag);
    for (const wire::Tag tag : tags_) {
      if (std::ranges::binary_search(former, tag)) continue;
      FieldDefinition field = *from_.field(tag);
      const auto has_name = [&](const FieldDefinition& other) { return other.name == field.name; };
      if (std::ranges::any_of(to_.fields, has_name)) field.name += '_' + std::to_string(tag);
      to_.fields.push_back(std::move(field));
    }
    std::ranges::sort(to_.fields, {}, &FieldDefinition::tag);
    std::vector<Index> moved;
    moved.reserve(former.size());
    for (const wire::Tag tag : former) moved.push_back(place_of(tag));
    const auto move = [&](std::vector<Member>& members) {
      for (Member& member : members) {
        if (member.kind == Member::Kind::Field) member.index = moved[member.index];
      }
    };
    move(to_.header);
    move(to_.trailer);
    for (MessageDefinition& message : to_.messages) move(message.members);
    for (ComponentDefinition& component : to_.components) move(component.members);
    for (GroupDefinition& group : to_.groups) {
      group.count_field = moved[group.count_field];
      move(group.members);
    }
  }

  [[nodiscard]] Index place_of(wire::Tag tag) const {
    return static_cast<Index>(std::ranges::lower_bound(to_.fields, tag, {}, &FieldDefinition::tag) -
                              to_.fields.begin());
  }

  // Components are replaced by their members: the dictionary may have others with their names.
  std::vector<Member> copied(const std::vector<Member>& members, bool is_required) {
    std::vector<Member> copies;
    for (const Member& member : members) {
      const bool required = is_required && member.required;
      switch (member.kind) {
        case Member::Kind::Field:
          copies.push_back(
              {Member::Kind::Field, place_of(from_.fields[member.index].tag), required});
          break;
        case Member::Kind::Component:
          std::ranges::move(copied(from_.components[member.index].members, required),
                            std::back_inserter(copies));
          break;
        case Member::Kind::Group:
          copies.push_back(
              {Member::Kind::Group, copied_group(from_.groups[member.index]), required});
          break;
      }
    }
    return copies;
  }

  Index copied_group(const GroupDefinition& group) {
    GroupDefinition copy{place_of(from_.fields[group.count_field].tag), copied(group.members, true),
                         group.any_field_begins};
    to_.groups.push_back(std::move(copy));
    return static_cast<Index>(to_.groups.size() - 1);
  }

  [[nodiscard]] std::string unused_name(const std::string& name,
                                        const std::string& msg_type) const {
    const bool is_used =
        std::ranges::find(to_.messages, name, &MessageDefinition::name) != to_.messages.end();
    return is_used ? name + '_' + msg_type : name;
  }

  Dictionary& to_;
  const Dictionary& from_;
  std::set<wire::Tag> tags_;
};

}  // namespace

std::vector<std::string> complete_session(Dictionary& dictionary, const Dictionary& standard) {
  return Completer{dictionary, standard}.run();
}

}  // namespace nexusfix::dictionary
