#include "codegen/languages/language_model.hpp"

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/api/ascii.hpp"
#include "codegen/names.hpp"

namespace nexusfix::codegen {
namespace {

using dictionary::Dictionary;
using dictionary::FieldDefinition;
using dictionary::FieldType;
using dictionary::FlatMember;
using dictionary::GroupDefinition;

// Every language accepts it as the name of something public.
std::string public_name(std::string_view name) {
  std::string made = identifier(name);
  made.front() = to_upper(made.front());
  return made;
}

ValueKind kind_of(const FieldDefinition& field) {
  switch (field.type) {
    case FieldType::Data:
    case FieldType::XmlData:
      return field.length_tag == 0 ? ValueKind::Text : ValueKind::Data;
    case FieldType::Boolean:
      return ValueKind::Boolean;
    case FieldType::UtcTimestamp:
      return ValueKind::Time;
    case FieldType::Amt:
    case FieldType::Float:
    case FieldType::Percentage:
    case FieldType::Price:
    case FieldType::PriceOffset:
    case FieldType::Qty:
      // A letter may stand in place of a quantity.
      return field.values.empty() ? ValueKind::Decimal : ValueKind::Named;
    case FieldType::DayOfMonth:
    case FieldType::Int:
    case FieldType::Length:
    case FieldType::NumInGroup:
    case FieldType::SeqNum:
    case FieldType::TagNum:
      return field.values.empty() ? ValueKind::Integer : ValueKind::Named;
    default:
      break;
  }
  return field.values.empty() || is_multiple(field.type) ? ValueKind::Text : ValueKind::Named;
}

class Modeller {
 public:
  explicit Modeller(const Dictionary& dictionary) : dictionary_{dictionary} {}

  LanguageModel run() {
    for (const GroupDefinition& group : dictionary_.groups) {
      counts_.insert(dictionary_.fields[group.count_field].tag);
    }
    for (const FieldDefinition& field : dictionary_.fields) {
      if (!counts_.contains(field.tag)) add_field(field);
    }
    for (const auto& message : dictionary_.messages) {
      if (message.admin) continue;
      const std::string name = names_.take(public_name(message.name), "Message");
      model_.messages.push_back({name, message.msg_type});
    }
    for (const auto& message : dictionary_.messages) {
      for (const FlatMember& member : flatten(dictionary_, message.members)) {
        if (member.group) add_group(*member.group, public_name(message.name));
      }
    }
    return std::move(model_);
  }

 private:
  void add_field(const FieldDefinition& field) {
    ModelField made{names_.take(public_name(field.name), "Field"),
                    field.tag,
                    kind_of(field),
                    field.length_tag,
                    {}};
    UniqueNames names;
    UniqueNames pascals;
    for (const auto& value : field.values) {
      if (made.kind != ValueKind::Named) break;
      const std::string suffix = identifier(value.value);
      made.values.push_back({names.take(public_name(value.name), '_' + suffix),
                             pascals.take(public_name(pascal_case(value.name)), suffix),
                             value.value});
    }
    model_.fields.push_back(std::move(made));
  }

  // Groups inside come first. Returns the name.
  std::string add_group(dictionary::Index index, const std::string& message) {
    const GroupDefinition& group = dictionary_.groups[index];
    const FieldDefinition& count = dictionary_.fields[group.count_field];
    ModelGroup made{{}, count.tag, {}, {}, {}};
    std::string key = std::to_string(count.tag);
    for (const FlatMember& member : flatten(dictionary_, group.members)) {
      made.members.push_back(dictionary_.fields[member.field].tag);
      key += ' ' + std::to_string(made.members.back());
      if (!member.group) continue;
      made.groups.push_back(add_group(*member.group, message));
      key += made.groups.back();
    }
    const auto [known, is_new] = group_names_.try_emplace(key);
    if (is_new) {
      known->second = names_.take(public_name(count.name), "Of" + message);
      made.name = known->second;
      model_.groups.push_back(std::move(made));
    }
    for (ModelGroup& known_group : model_.groups) {
      if (known_group.name != known->second) continue;
      if (known_group.messages.empty() || known_group.messages.back() != message) {
        known_group.messages.push_back(message);
      }
    }
    return known->second;
  }

  const Dictionary& dictionary_;
  LanguageModel model_;
  UniqueNames names_;
  std::set<wire::Tag> counts_;
  std::map<std::string, std::string> group_names_;  // by their members
};

}  // namespace

LanguageModel language_model(const Dictionary& dictionary) { return Modeller{dictionary}.run(); }

}  // namespace nexusfix::codegen
