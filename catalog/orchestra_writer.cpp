#include <algorithm>
#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <vector>

#include <nexusfix/catalog.hpp>

#include "base/api/ascii.hpp"

namespace nexusfix::dictionary {
namespace {

struct OrchestraType {
  FieldType type;
  const char* name;
};

// FIX Orchestra 1.0, data types. A type that is not here is named as in QuickFIX, in upper case.
constexpr OrchestraType kOrchestraTypes[] = {
    {FieldType::Amt, "Amt"},
    {FieldType::Boolean, "Boolean"},
    {FieldType::Char, "char"},
    {FieldType::Country, "Country"},
    {FieldType::Currency, "Currency"},
    {FieldType::Data, "data"},
    {FieldType::DayOfMonth, "DayOfMonth"},
    {FieldType::Exchange, "Exchange"},
    {FieldType::Float, "float"},
    {FieldType::Int, "int"},
    {FieldType::Language, "Language"},
    {FieldType::Length, "Length"},
    {FieldType::LocalMktDate, "LocalMktDate"},
    {FieldType::MonthYear, "MonthYear"},
    {FieldType::MultipleCharValue, "MultipleCharValue"},
    {FieldType::MultipleStringValue, "MultipleStringValue"},
    {FieldType::NumInGroup, "NumInGroup"},
    {FieldType::Percentage, "Percentage"},
    {FieldType::Price, "Price"},
    {FieldType::PriceOffset, "PriceOffset"},
    {FieldType::Qty, "Qty"},
    {FieldType::SeqNum, "SeqNum"},
    {FieldType::String, "String"},
    {FieldType::TagNum, "TagNum"},
    {FieldType::TzTimeOnly, "TZTimeOnly"},
    {FieldType::TzTimestamp, "TZTimestamp"},
    {FieldType::UtcDateOnly, "UTCDateOnly"},
    {FieldType::UtcTimeOnly, "UTCTimeOnly"},
    {FieldType::UtcTimestamp, "UTCTimestamp"},
    {FieldType::XmlData, "XMLData"},
};

std::string orchestra_type(FieldType type) {
  if (type == FieldType::Unknown) type = FieldType::String;
  const auto* const found = std::ranges::find(kOrchestraTypes, type, &OrchestraType::type);
  return found == std::end(kOrchestraTypes) ? std::string{to_string(type)} : found->name;
}

class OrchestraWriter {
 public:
  explicit OrchestraWriter(const Dictionary& dictionary) : dictionary_{dictionary} {}

  std::string write() {
    pugi::xml_node head = document_.append_child(pugi::node_declaration);
    head.append_attribute("version") = "1.0";
    head.append_attribute("encoding") = "UTF-8";
    root_ = document_.append_child("fixr:repository");
    root_.append_attribute("xmlns:fixr") = "http://fixprotocol.io/2020/orchestra/repository";
    root_.append_attribute("xmlns:dcterms") = "http://purl.org/dc/terms/";
    const std::string version = version_name();
    set(root_, "name", version);
    set(root_, "version", version);
    add(add(root_, "fixr:metadata"), "dcterms:title").text() = version.c_str();
    write_types();
    write_code_sets();
    write_fields();
    write_components();
    write_groups();
    write_messages();
    std::ostringstream out;
    document_.save(out, "  ", pugi::format_indent, pugi::encoding_utf8);
    return std::move(out).str();
  }

 private:
  static pugi::xml_node add(pugi::xml_node parent, const char* name) {
    return parent.append_child(name);
  }
  static void set(pugi::xml_node node, const char* name, const std::string& value) {
    node.append_attribute(name) = value.c_str();
  }
  static pugi::xml_node add_numbered(pugi::xml_node parent, const char* kind, std::size_t id,
                                     const std::string& name) {
    const pugi::xml_node node = add(parent, kind);
    set(node, "id", std::to_string(id));
    set(node, "name", name);
    return node;
  }

  [[nodiscard]] std::string version_name() const {
    if (dictionary_.service_pack == 0) return dictionary_.begin_string;
    return dictionary_.begin_string + "SP" + std::to_string(dictionary_.service_pack);
  }

  void write_types() {
    std::vector<std::string> names;
    for (const FieldDefinition& field : dictionary_.fields)
      names.push_back(orchestra_type(field.type));
    std::ranges::sort(names);
    const auto repeated = std::ranges::unique(names);
    names.erase(repeated.begin(), repeated.end());
    const pugi::xml_node types = add(root_, "fixr:datatypes");
    for (const std::string& name : names) set(add(types, "fixr:datatype"), "name", name);
  }

  static std::string code_set_of(const FieldDefinition& field) { return field.name + "CodeSet"; }

  void write_code_sets() {
    const pugi::xml_node sets = add(root_, "fixr:codeSets");
    for (const FieldDefinition& field : dictionary_.fields) {
      if (field.values.empty()) continue;
      const pugi::xml_node set_of_field =
          add_numbered(sets, "fixr:codeSet", field.tag, code_set_of(field));
      set(set_of_field, "type", orchestra_type(field.type));
      std::size_t id = 0;
      for (const FieldDefinition::EnumValue& value : field.values) {
        set(add_numbered(set_of_field, "fixr:code", ++id, value.name), "value", value.value);
      }
    }
  }

  void write_fields() {
    const pugi::xml_node fields = add(root_, "fixr:fields");
    for (const FieldDefinition& field : dictionary_.fields) {
      const pugi::xml_node node = add_numbered(fields, "fixr:field", field.tag, field.name);
      set(node, "type", field.values.empty() ? orchestra_type(field.type) : code_set_of(field));
      if (field.other_values != FieldDefinition::OtherValues::None) {
        set(node, "unionDataType", std::string{to_string(field.other_values)});
      }
      if (field.length_tag != 0) set(node, "lengthId", std::to_string(field.length_tag));
    }
  }

  [[nodiscard]] std::size_t header_id() const { return dictionary_.components.size() + 1; }
  [[nodiscard]] std::size_t trailer_id() const { return header_id() + 1; }

  void write_components() {
    const pugi::xml_node components = add(root_, "fixr:components");
    std::size_t id = 0;
    for (const ComponentDefinition& component : dictionary_.components) {
      write_members(add_numbered(components, "fixr:component", ++id, component.name),
                    component.members);
    }
    write_members(add_numbered(components, "fixr:component", header_id(), "StandardHeader"),
                  dictionary_.header);
    write_members(add_numbered(components, "fixr:component", trailer_id(), "StandardTrailer"),
                  dictionary_.trailer);
  }

  // Components and groups share their numbers.
  [[nodiscard]] std::size_t group_id(Index group) const { return trailer_id() + 1 + group; }

  void write_groups() {
    const pugi::xml_node groups = add(root_, "fixr:groups");
    for (Index i = 0; i < dictionary_.groups.size(); ++i) {
      const GroupDefinition& group = dictionary_.groups[i];
      const FieldDefinition& count = dictionary_.fields[group.count_field];
      const pugi::xml_node node =
          add_numbered(groups, "fixr:group", group_id(i), count.name + "Grp" + std::to_string(i));
      set(add(node, "fixr:numInGroup"), "id", std::to_string(count.tag));
      write_members(node, group.members);
    }
  }

  void write_messages() {
    const pugi::xml_node messages = add(root_, "fixr:messages");
    std::size_t id = 0;
    for (const MessageDefinition& message : dictionary_.messages) {
      const pugi::xml_node node = add_numbered(messages, "fixr:message", ++id, message.name);
      set(node, "msgType", message.msg_type);
      const pugi::xml_node structure = add(node, "fixr:structure");
      write_reference(structure, "fixr:componentRef", header_id(), true);
      write_members(structure, message.members);
      write_reference(structure, "fixr:componentRef", trailer_id(), true);
    }
  }

  static void write_reference(pugi::xml_node parent, const char* kind, std::size_t id,
                              bool required) {
    const pugi::xml_node node = add(parent, kind);
    set(node, "id", std::to_string(id));
    if (required) set(node, "presence", "required");
  }

  void write_members(pugi::xml_node parent, const std::vector<Member>& members) {
    for (const Member& member : members) {
      switch (member.kind) {
        case Member::Kind::Field:
          write_reference(parent, "fixr:fieldRef", dictionary_.fields[member.index].tag,
                          member.required);
          break;
        case Member::Kind::Component:
          write_reference(parent, "fixr:componentRef", member.index + 1U, member.required);
          break;
        case Member::Kind::Group:
          write_reference(parent, "fixr:groupRef", group_id(member.index), member.required);
          break;
      }
    }
  }

  const Dictionary& dictionary_;
  pugi::xml_document document_;
  pugi::xml_node root_;
};

}  // namespace

std::string to_orchestra(const Dictionary& dictionary) {
  return OrchestraWriter{dictionary}.write();
}

}  // namespace nexusfix::dictionary
