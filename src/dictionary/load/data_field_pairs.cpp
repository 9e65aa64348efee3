#include "dictionary/load/data_field_pairs.hpp"

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace nexusfix::dictionary {
namespace {

bool is_data(const FieldDefinition& field) {
  return field.type == FieldType::Data || field.type == FieldType::XmlData;
}

// FIX 4.0 to 4.2 had no type Length.
bool may_be_length(const FieldDefinition& field) {
  return field.type == FieldType::Length || field.type == FieldType::Int;
}

class Pairing {
 public:
  explicit Pairing(Dictionary& dictionary) : dictionary_{dictionary} {
    for (const FieldDefinition& field : dictionary_.fields) {
      tags_.emplace(field.name, field.tag);
      if (field.length_tag != 0) taken_.insert(field.length_tag);
    }
  }

  void by_name() {
    for (FieldDefinition& field : dictionary_.fields) {
      if (!is_data(field)) continue;
      std::string_view stem = field.name;
      pair(field, stem);
      if (stem.ends_with("Data")) stem.remove_suffix(4);
      pair(field, stem);
    }
  }

  void by_place() {
    by_place(dictionary_.header);
    by_place(dictionary_.trailer);
    for (const MessageDefinition& message : dictionary_.messages) by_place(message.members);
    for (const ComponentDefinition& component : dictionary_.components) by_place(component.members);
    for (const GroupDefinition& group : dictionary_.groups) by_place(group.members);
  }

 private:
  void pair(FieldDefinition& field, wire::Tag length_tag) {
    if (field.length_tag != 0 || length_tag == 0 || length_tag == field.tag) return;
    const FieldDefinition* const length = dictionary_.field(length_tag);
    if (length == nullptr || !may_be_length(*length)) return;
    if (taken_.insert(length_tag).second) field.length_tag = length_tag;
  }

  void pair(FieldDefinition& field, std::string_view stem) {
    for (const char* ending : {"Len", "Length"}) {
      const auto found = tags_.find(std::string{stem} + ending);
      if (found != tags_.end()) pair(field, found->second);
    }
  }

  void by_place(const std::vector<Member>& members) {
    const Member* before = nullptr;
    for (const Member& member : members) {
      if (member.kind == Member::Kind::Field && before != nullptr) {
        FieldDefinition& field = dictionary_.fields[member.index];
        const FieldDefinition& length = dictionary_.fields[before->index];
        if (is_data(field) && length.type == FieldType::Length) pair(field, length.tag);
      }
      before = member.kind == Member::Kind::Field ? &member : nullptr;
    }
  }

  Dictionary& dictionary_;
  std::unordered_map<std::string_view, wire::Tag> tags_;  // by the fields' names
  std::set<wire::Tag> taken_;
};

}  // namespace

void pair_data_fields(Dictionary& dictionary) {
  Pairing pairing{dictionary};
  pairing.by_name();
  pairing.by_place();
}

}  // namespace nexusfix::dictionary
