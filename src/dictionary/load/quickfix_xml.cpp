#include <algorithm>
#include <set>
#include <utility>

#include <nexusfix/dictionary.hpp>

#include "base/api/printable_text.hpp"
#include "dictionary/load/data_field_pairs.hpp"
#include "dictionary/load/definition_checks.hpp"
#include "dictionary/load/file_loaders.hpp"
#include "dictionary/load/quickfix_fields.hpp"
#include "dictionary/load/xml_file.hpp"

namespace nexusfix::dictionary {
namespace {

// Continues after a fault, so that it finds all of them. Its result is used if faults are warnings.
// Reads faults as QuickFIX does, where QuickFIX accepts them.
class Loader {
 public:
  explicit Loader(XmlFile& file) : file_{file}, fields_{file, dictionary_} {}

  std::expected<Dictionary, DictionaryError> load();

 private:
  using Names = QuickfixFields::Names;

  void read_version(const pugi::xml_node& root);
  [[nodiscard]] std::string read_number(const pugi::xml_node& root, const char* name);
  [[nodiscard]] bool check_children(const pugi::xml_node& root);
  void read_component_names(const pugi::xml_node& section);
  void read_components(const pugi::xml_node& section);
  void read_message(const pugi::xml_node& node);
  void join(MessageDefinition& message, MessageDefinition later);
  void read_members(const pugi::xml_node& parent, std::vector<Member>& members, unsigned depth);
  [[nodiscard]] bool read_member(const pugi::xml_node& node, Member& member, unsigned depth);
  void read_group(const pugi::xml_node& node, Member& member, unsigned depth);
  [[nodiscard]] bool read_required(const pugi::xml_node& node);
  [[nodiscard]] bool find_member(const pugi::xml_node& node, Member& member);
  void report_undefined(const pugi::xml_node& node, std::string_view name);

  XmlFile& file_;
  Dictionary dictionary_;
  QuickfixFields fields_;
  Names component_names_;
  Names message_names_;
  Names message_types_;
  DefinitionNodes nodes_;
};

std::vector<std::string_view> names_of(const auto& definitions) {
  std::vector<std::string_view> names;
  names.reserve(definitions.size());
  for (const auto& definition : definitions) names.push_back(definition.name);
  return names;
}

// Another value is accepted, because the session knows its version.
std::string Loader::read_number(const pugi::xml_node& root, const char* name) {
  const auto number = file_.number(root, name, "the file has no known version");
  return number ? std::to_string(*number) : printable(root.attribute(name).value());
}

void Loader::read_version(const pugi::xml_node& root) {
  std::string_view type = root.attribute("type").as_string("FIX");
  if (type != "FIX" && type != "FIXT") {
    file_.fault(root, "type is " + quote(type) + ", expected \"FIX\" or \"FIXT\"",
                "read as \"FIX\"");
    type = "FIX";
  }
  // QuickFIX/J's name of FIX Latest, which has no version number.
  if (std::string_view{root.attribute("major").value()} == "Latest") {
    dictionary_.begin_string = "FIX.5.0";
    dictionary_.service_pack = 2;
    return;
  }
  const std::string major = read_number(root, "major");
  const std::string minor = read_number(root, "minor");
  if (*root.attribute("servicepack").value() != '\0') {
    dictionary_.service_pack = file_.number(root, "servicepack", "read as 0").value_or(0);
  }
  dictionary_.begin_string = std::string{type} + '.' + major + '.' + minor;
}

bool Loader::check_children(const pugi::xml_node& root) {
  const std::vector<std::string_view> sections{"header", "trailer", "messages", "components",
                                               "fields"};
  std::set<std::string_view> seen;
  for_each_element(root, [&](const pugi::xml_node& child) {
    const std::string_view name = child.name();
    if (std::ranges::find(sections, name) == sections.end()) {
      file_.warn(child, element(child) + " is not part of a dictionary, ignored" +
                            did_you_mean(name, sections));
    } else if (!seen.insert(name).second) {
      file_.fault(child, "a second " + element(child), "the first counts");
    }
  });
  bool is_whole = true;
  for (const char* section : {"messages", "fields"}) {
    if (root.child(section)) continue;
    is_whole = file_.fail(root, "there is no <" + std::string{section} + ">");
  }
  return is_whole;
}

void Loader::read_component_names(const pugi::xml_node& section) {
  for_each_element(section, [&](const pugi::xml_node& child) {
    if (std::string_view{child.name()} != "component") {
      return file_.fault(child, element(child) + " within <components>, expected <component>",
                         kLeftOut);
    }
    const std::string_view name = file_.attribute(child, "name");
    if (name.empty()) return;
    const auto index = static_cast<Index>(dictionary_.components.size());
    if (!component_names_.emplace(name, index).second) {
      return file_.fault(child, "component " + quote(name) + " is defined twice",
                         "the first counts");
    }
    dictionary_.components.push_back({std::string{name}, {}});
    nodes_.components.push_back(child);
  });
}

void Loader::read_components(const pugi::xml_node& section) {
  read_component_names(section);
  for (std::size_t i = 0; i < nodes_.components.size(); ++i) {
    read_members(nodes_.components[i], dictionary_.components[i].members, 0);
  }
}

bool Loader::read_required(const pugi::xml_node& node) {
  const std::string_view text = node.attribute("required").as_string("N");
  if (!is_yes(text) && text != "N" && text != "n") {
    file_.fault(node, "required is " + quote(text) + ", expected \"Y\" or \"N\"", "read as \"N\"");
  }
  return is_yes(text);
}

void Loader::read_group(const pugi::xml_node& node, Member& member, unsigned depth) {
  GroupDefinition group;
  group.count_field = member.index;
  group.any_field_begins = is_yes(node.attribute("anyFieldBegins").value());
  const FieldDefinition& count = dictionary_.fields[member.index];
  if (count.type != FieldType::NumInGroup && count.type != FieldType::Int) {
    file_.warn(node, "the type of " + count.name + " is " + std::string{to_string(count.type)} +
                         ", expected NUMINGROUP: it counts a group's entries");
  }
  read_members(node, group.members, depth + 1);
  member.index = static_cast<Index>(dictionary_.groups.size());
  dictionary_.groups.push_back(std::move(group));
  nodes_.groups.push_back(node);
}

void Loader::report_undefined(const pugi::xml_node& node, std::string_view name) {
  const bool component = std::string_view{node.name()} == "component";
  if (fields_.is_left_out(name)) return;
  file_.fault(node,
              std::string{component ? "component " : "field "} + quote(name) +
                  " is not defined in " + (component ? "<components>" : "<fields>") +
                  (component ? did_you_mean(name, names_of(dictionary_.components))
                             : did_you_mean(name, names_of(dictionary_.fields))),
              kLeftOut);
}

// False: the name is not defined.
bool Loader::find_member(const pugi::xml_node& node, Member& member) {
  const std::string_view kind = node.name();
  const std::string_view name = file_.attribute(node, "name");
  if (name.empty()) return false;
  const auto component = component_names_.find(name);
  const auto field = fields_.names().find(name);
  const bool is_component = component != component_names_.end();
  const bool is_field = field != fields_.names().end();
  const bool wants_component = kind == "component";
  if (!is_component && !is_field) {
    report_undefined(node, name);
    return false;
  }
  if (wants_component ? !is_component : !is_field) {
    if (kind == "group") {
      file_.fault(node,
                  "field " + quote(name) + " is not defined in <fields>, and a component " +
                      "has this name",
                  kLeftOut);
      return false;
    }
    file_.fault(node,
                wants_component ? "component " + quote(name) +
                                      " is not defined in <components>, and a field has this name"
                                : "field " + quote(name) +
                                      " is not defined in <fields>, and a component has this name",
                wants_component ? "read as the field" : "read as the component");
  }
  const bool takes_component = wants_component ? is_component : !is_field;
  member.kind = takes_component ? Member::Kind::Component : Member::Kind::Field;
  member.index = takes_component ? component->second : field->second;
  return true;
}

// False: the member is left out.
bool Loader::read_member(const pugi::xml_node& node, Member& member, unsigned depth) {
  const std::string_view kind = node.name();
  if (kind != "component" && kind != "field" && kind != "group") {
    file_.fault(node,
                element(node) + " within " + element(node.parent()) +
                    ", expected <field>, <group> or <component>",
                kLeftOut);
    return false;
  }
  member.required = read_required(node);
  if (!find_member(node, member)) return false;
  if (kind != "group") return true;
  member.kind = Member::Kind::Group;
  read_group(node, member, depth);
  return true;
}

void Loader::read_members(const pugi::xml_node& parent, std::vector<Member>& members,
                          unsigned depth) {
  if (depth > kNestingMax) {
    file_.fail(parent, "groups are nested deeper than " + std::to_string(kNestingMax));
    return;
  }
  for_each_element(parent, [&](const pugi::xml_node& child) {
    Member member;
    if (read_member(child, member, depth)) members.push_back(member);
  });
}

// As in QuickFIX: the fields of both, and if both have a group, the later one's group.
void Loader::join(MessageDefinition& message, MessageDefinition later) {
  const auto field_of = [&](const Member& member) {
    return member.kind == Member::Kind::Group
               ? std::pair{Member::Kind::Field, dictionary_.groups[member.index].count_field}
               : std::pair{member.kind, member.index};
  };
  for (const Member& member : message.members) {
    const auto same = std::ranges::find(later.members, field_of(member), field_of);
    if (same == later.members.end()) {
      later.members.push_back(member);
    } else {
      same->required = same->required || member.required;
    }
  }
  message.members = std::move(later.members);
}

void Loader::read_message(const pugi::xml_node& node) {
  if (std::string_view{node.name()} != "message") {
    return file_.fault(node, element(node) + " within <messages>, expected <message>", kLeftOut);
  }
  MessageDefinition message;
  const std::string_view type = file_.attribute(node, "msgtype");
  const std::string_view name = file_.attribute(node, "name", "its msgtype is its name");
  if (type.empty() || !check_msg_type(file_, node, type)) return;
  message.name = name.empty() ? type : name;
  message.msg_type = type;
  message.admin = std::string_view{node.attribute("msgcat").value()} == "admin";
  read_members(node, message.members, 0);
  const auto index = static_cast<Index>(dictionary_.messages.size());
  if (const auto [other, is_new] = message_types_.emplace(type, index); !is_new) {
    MessageDefinition& earlier = dictionary_.messages[other->second];
    file_.fault(
        node,
        "msgtype " + quote(type) + " is defined twice: " + earlier.name + " and " + message.name,
        "it has the fields of both");
    return join(earlier, std::move(message));
  }
  if (!message_names_.emplace(node.attribute(name.empty() ? "msgtype" : "name").value(), index)
           .second) {
    const std::string text = "message " + quote(message.name) + " is defined twice";
    message.name += '_' + message.msg_type;
    file_.fault(node, text, "this one is named " + message.name);
  }
  dictionary_.messages.push_back(std::move(message));
  nodes_.messages.push_back(node);
}

std::expected<Dictionary, DictionaryError> Loader::load() {
  const pugi::xml_node root = file_.root();
  read_version(root);
  if (!check_children(root)) return std::unexpected{file_.consume_error()};
  nodes_.header = root.child("header");
  nodes_.trailer = root.child("trailer");
  fields_.read(root.child("fields"));
  read_components(root.child("components"));
  read_members(nodes_.header, dictionary_.header, 0);
  read_members(nodes_.trailer, dictionary_.trailer, 0);
  for_each_element(root.child("messages"), [&](const pugi::xml_node& node) { read_message(node); });
  check_definitions(file_, dictionary_, nodes_);
  if (!file_.is_usable()) return std::unexpected{file_.consume_error()};
  pair_data_fields(dictionary_);
  dictionary_.warnings = file_.consume_warnings();
  return std::move(dictionary_);
}

}  // namespace

std::expected<Dictionary, DictionaryError> load_quickfix_xml(XmlFile& file) {
  return Loader{file}.load();
}

}  // namespace nexusfix::dictionary
