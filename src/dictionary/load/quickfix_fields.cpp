#include "dictionary/load/quickfix_fields.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_set>
#include <utility>

#include "dictionary/load/definition_checks.hpp"

namespace nexusfix::dictionary {
namespace {

FieldDefinition::OtherValues read_other_values(const pugi::xml_node& node) {
  const std::string_view type = node.attribute("unionDataType").value();
  if (!type.empty()) return other_values(type);
  const std::string_view others = node.attribute("allowOtherValues").value();
  return is_yes(others) || others == "true" ? FieldDefinition::OtherValues::Any
                                            : FieldDefinition::OtherValues::None;
}

// The later of two definitions of a tag gets the values of the earlier one. A field without values
// accepts any value, but in QuickFIX the values of both definitions count.
void join(FieldDefinition& later, FieldDefinition earlier) {
  std::vector<FieldDefinition::EnumValue> values = std::move(earlier.values);
  for (FieldDefinition::EnumValue& value : later.values) {
    const auto same = std::ranges::find(values, value.value, &FieldDefinition::EnumValue::value);
    if (same == values.end()) {
      values.push_back(std::move(value));
    } else {
      same->name = std::move(value.name);
    }
  }
  later.values = std::move(values);
  if (later.other_values == FieldDefinition::OtherValues::None)
    later.other_values = earlier.other_values;
}

}  // namespace

void QuickfixFields::read_value(const pugi::xml_node& node, FieldDefinition& field, Values& seen) {
  const std::string_view kind = node.name();
  const pugi::xml_node parent = node.parent();
  if (kind == "values" && kind == parent.name()) {
    return file_.fault(node, "<values> within <values>", kLeftOut);
  }
  if (kind != "value") {
    return file_.warn(node,
                      element(node) + " within " + element(parent) + ", expected <value>, ignored");
  }
  const std::string_view value = file_.attribute(node, "enum");
  if (value.empty()) return;
  if (!seen.insert(value).second) {
    return file_.warn(node,
                      quote(value) + " of " + field.name + " is defined twice, the first counts");
  }
  if (!check_value(file_, node, field, value)) return;
  const std::string_view name = node.attribute("description").value();
  field.values.push_back({std::string{value}, std::string{name.empty() ? value : name}});
}

void QuickfixFields::read_values(const pugi::xml_node& node, FieldDefinition& field) {
  Values seen;
  const auto read = [&](const pugi::xml_node& child) { read_value(child, field, seen); };
  for_each_element(node, [&](const pugi::xml_node& child) {
    // Some generators put them into a <values> element.
    return std::string_view{child.name()} == "values" ? for_each_element(child, read) : read(child);
  });
}

void QuickfixFields::read_type(const pugi::xml_node& node, FieldDefinition& field) {
  const std::string_view type = file_.attribute(node, "type", "its values are text");
  if (type.empty()) return;
  field.type = field_type(type);
  // FIX 4.0 and 4.1 call any text "char". QuickFIX treats it as text, too.
  if (field.type == FieldType::Char && dictionary_.begin_string < "FIX.4.2") {
    field.type = FieldType::String;
  }
  if (field.type == FieldType::Unknown) {
    file_.warn(node, "unknown type " + quote(type) + " of " + field.name + ", its values are text");
  }
}

void QuickfixFields::read_field(const pugi::xml_node& node) {
  if (std::string_view{node.name()} != "field") {
    return file_.fault(node, element(node) + " within <fields>, expected <field>", kLeftOut);
  }
  FieldDefinition field;
  const std::string_view name = file_.attribute(node, "name");
  const std::optional<wire::Tag> tag = file_.tag(node, "number");
  if (name.empty() || !tag) {
    if (!name.empty()) left_out_.insert(name);
    return;
  }
  field.name = name;
  field.tag = *tag;
  read_type(node, field);
  field.other_values = read_other_values(node);
  read_values(node, field);
  definitions_.push_back({std::move(field), node});
}

void QuickfixFields::join_tags() {
  std::vector<std::size_t> order(definitions_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) {
    return std::pair{definitions_[i].field.tag, i};  // of one tag in the file's order
  });
  std::vector<FieldDefinition>& fields = dictionary_.fields;
  for (const std::size_t i : order) {
    FieldDefinition field = definitions_[i].field;
    if (fields.empty() || fields.back().tag != field.tag) {
      fields.push_back(std::move(field));
      continue;
    }
    file_.fault(definitions_[i].node,
                "tag " + std::to_string(field.tag) + " is defined twice: " + fields.back().name +
                    " and " + field.name,
                "both names mean it, this type counts, and the values of both");
    join(field, std::move(fields.back()));
    fields.back() = std::move(field);
  }
}

void QuickfixFields::name_fields() {
  for (const Definition& definition : definitions_) {
    const wire::Tag tag = definition.field.tag;
    const auto place = std::ranges::lower_bound(dictionary_.fields, tag, {}, &FieldDefinition::tag);
    const auto index = static_cast<Index>(place - dictionary_.fields.begin());
    const std::string_view name = definition.node.attribute("name").value();
    const auto [entry, is_new] = names_.emplace(name, index);
    if (is_new || entry->second == index) continue;
    file_.fault(definition.node, "field " + quote(name) + " is defined twice",
                "the name means " + std::to_string(tag) + ", and no longer " +
                    std::to_string(dictionary_.fields[entry->second].tag));
    entry->second = index;
  }
}

// A name is unique. If a tag's name now means another tag, the name is extended by the tag.
void QuickfixFields::rename_namesakes() {
  std::unordered_set<std::string_view> taken;
  for (const auto& [name, index] : names_) taken.insert(name);
  for (std::size_t i = 0; i < dictionary_.fields.size(); ++i) {
    FieldDefinition& field = dictionary_.fields[i];
    const auto entry = names_.find(field.name);
    if (entry == names_.end() || entry->second == i) continue;
    field.name += '_' + std::to_string(field.tag);
    while (taken.contains(field.name)) field.name += '_';
  }
}

void QuickfixFields::read(const pugi::xml_node& section) {
  for_each_element(section, [&](const pugi::xml_node& child) { read_field(child); });
  join_tags();
  name_fields();
  rename_namesakes();
  definitions_.clear();
}

}  // namespace nexusfix::dictionary
