#include "dictionary/load/definition_checks.hpp"

#include <algorithm>
#include <ranges>

#include <nexusfix/wire/field.hpp>

#include "base/api/ascii.hpp"
#include "dictionary/load/structure.hpp"

namespace nexusfix::dictionary {
namespace {

bool is_whole_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return is_all_digits(text);
}

// Whether the value fits a type with enumerations that restricts the form of its values.
bool has_form(FieldType type, std::string_view value) {
  switch (type) {
    case FieldType::Char:
    case FieldType::MultipleCharValue:
      return value.size() == 1;
    case FieldType::Boolean:
      return value == "Y" || value == "N";
    case FieldType::Int:
    case FieldType::NumInGroup:
    case FieldType::Length:
    case FieldType::SeqNum:
    case FieldType::TagNum:
      return is_whole_number(value);
    case FieldType::MultipleStringValue:
    case FieldType::MultipleValueString:
      return !value.contains(' ');
    default:
      return true;
  }
}

pugi::xml_node node_of(const XmlFile& file, const DefinitionNodes& nodes,
                       const StructureFault& fault) {
  const auto or_root = [&](const pugi::xml_node& node) { return node ? node : file.root(); };
  switch (fault.place) {
    case Place::Header:
      return or_root(nodes.header);
    case Place::Trailer:
      return or_root(nodes.trailer);
    case Place::Component:
      return nodes.components[fault.index];
    case Place::Group:
      return nodes.groups[fault.index];
    case Place::Message:
      break;
  }
  return nodes.messages[fault.index];
}

// False: a fault cannot be repaired.
bool report(XmlFile& file, const DefinitionNodes& nodes,
            const std::vector<StructureFault>& faults) {
  bool has_reading = true;
  for (const StructureFault& fault : faults) {
    const pugi::xml_node node = node_of(file, nodes, fault);
    if (fault.rule == StructureRule::NoFields) {
      file.fault(node, fault.text, "its count is read as an ordinary field");
    } else if (fault.rule == StructureRule::ContainsOwnCount) {
      file.fault(node, fault.text, "the inner one is left out");
    } else {
      has_reading = file.fail(node, fault.text);
    }
  }
  return has_reading;
}

// A repaired group may leave another group without fields. Faults that remain then cannot be
// repaired.
void report_and_repair(XmlFile& file, Dictionary& dictionary, DefinitionNodes& nodes) {
  const std::vector<StructureFault> faults = check_structure(dictionary);
  if (!report(file, nodes, faults) || faults.empty()) return;
  const std::vector<Index> gone = repair_structure(dictionary, faults);
  for (const Index group : gone | std::views::reverse) {
    nodes.groups.erase(nodes.groups.begin() + group);
  }
  for (const StructureFault& fault : check_structure(dictionary)) {
    file.fail(node_of(file, nodes, fault), fault.text);
  }
}

}  // namespace

void check_definitions(XmlFile& file, Dictionary& dictionary, DefinitionNodes& nodes) {
  report_and_repair(file, dictionary, nodes);
  if (!file.is_usable()) return;
  RepeatedFields repeated{dictionary};
  const auto check = [&](const pugi::xml_node& node, const std::vector<Member>& members) {
    for (const Index field : repeated.of(members)) {
      file.warn(node, "field " + quote(dictionary.fields[field].name) + " is listed twice in " +
                          quote(node.attribute("name").as_string(node.name())) +
                          ", the first counts");
    }
  };
  if (nodes.header) check(nodes.header, dictionary.header);
  if (nodes.trailer) check(nodes.trailer, dictionary.trailer);
  for (std::size_t i = 0; i < nodes.messages.size(); ++i) {
    check(nodes.messages[i], dictionary.messages[i].members);
  }
  for (std::size_t i = 0; i < nodes.groups.size(); ++i) {
    check(nodes.groups[i], dictionary.groups[i].members);
  }
}

bool check_msg_type(XmlFile& file, const pugi::xml_node& node, std::string_view msg_type) {
  const bool is_valid =
      std::ranges::all_of(msg_type, [](char c) { return c > ' ' && c <= '~' && c != '='; });
  if (!is_valid) {
    file.fault(node,
               "msgtype " + quote(msg_type) +
                   " has a character that no MsgType (35) can have: a space, '=' or an "
                   "unprintable one",
               kLeftOut);
  }
  return is_valid;
}

bool check_value(XmlFile& file, const pugi::xml_node& node, const FieldDefinition& field,
                 std::string_view value) {
  if (value.contains(wire::kSoh)) {
    file.fault(
        node,
        "the value " + quote(value) + " of " + field.name + " has a SOH, which would end the field",
        kLeftOut);
    return false;
  }
  if (!has_form(field.type, value)) {
    file.warn(node, "the value " + quote(value) + " of " + field.name + " is not of type " +
                        std::string{to_string(field.type)});
  }
  return true;
}

}  // namespace nexusfix::dictionary
