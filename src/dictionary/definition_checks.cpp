#include "dictionary/definition_checks.hpp"

#include <algorithm>

#include <nexusfix/wire/field.hpp>

#include "dictionary/structure.hpp"

namespace nexusfix::dictionary {
namespace {

bool is_whole_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Of the types that have enumerations, those that say something of the values' form.
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

bool fail(XmlFile& file, const DefinitionNodes& nodes, const StructureFault& fault) {
  const auto or_root = [&](const pugi::xml_node& node) { return node ? node : file.root(); };
  switch (fault.place) {
    case Place::Header:
      return file.fail(or_root(nodes.header), fault.text);
    case Place::Trailer:
      return file.fail(or_root(nodes.trailer), fault.text);
    case Place::Component:
      return file.fail(nodes.components[fault.index], fault.text);
    case Place::Group:
      return file.fail(nodes.groups[fault.index], fault.text);
    case Place::Message:
      break;
  }
  return file.fail(nodes.messages[fault.index], fault.text);
}

}  // namespace

bool check_definitions(XmlFile& file, const Dictionary& dictionary, const DefinitionNodes& nodes) {
  if (const auto fault = check_structure(dictionary)) return fail(file, nodes, *fault);
  RepeatedFields repeated{dictionary};
  const auto check = [&](const pugi::xml_node& node, const std::vector<Member>& members) {
    for (const Index field : repeated.of(members)) {
      file.warn(node, "field " + quoted(dictionary.fields[field].name) + " is listed twice in " +
                          quoted(node.attribute("name").as_string(node.name())) +
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
  return true;
}

bool check_msg_type(XmlFile& file, const pugi::xml_node& node, std::string_view msg_type) {
  const bool is_right =
      std::ranges::all_of(msg_type, [](char c) { return c > ' ' && c <= '~' && c != '='; });
  return is_right || file.fail(node, "msgtype " + quoted(msg_type) +
                                         " has a character that no MsgType (35) can have: a "
                                         "space, '=' or what does not print");
}

bool check_value(XmlFile& file, const pugi::xml_node& node, const FieldDefinition& field,
                 std::string_view value) {
  if (value.contains(wire::kSoh)) {
    return file.fail(node, "the value " + quoted(value) + " of " + field.name +
                               " has a SOH, which would end the field");
  }
  if (!has_form(field.type, value)) {
    file.warn(node, "the value " + quoted(value) + " of " + field.name + " is no " +
                        std::string{to_string(field.type)});
  }
  return true;
}

}  // namespace nexusfix::dictionary
