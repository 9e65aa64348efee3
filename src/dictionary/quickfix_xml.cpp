#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include <nexusfix/dictionary/quickfix_xml.hpp>

#include "dictionary/data_field_pairs.hpp"
#include "dictionary/definition_checks.hpp"
#include "dictionary/file_loaders.hpp"
#include "dictionary/xml_file.hpp"

namespace nexusfix::dictionary {
namespace {

// Functions return false when they have set the file's error, and nothing goes on after that.
class Loader {
 public:
  explicit Loader(XmlFile& file) : file_{file} {}

  std::expected<Dictionary, DictionaryError> load();

 private:
  // Keys are the file's own text.
  using Names = std::unordered_map<std::string_view, Index>;
  using Values = std::set<std::string_view>;

  bool read_version(const pugi::xml_node& root);
  bool check_children(const pugi::xml_node& root);
  bool read_fields(const pugi::xml_node& section);
  bool read_field(const pugi::xml_node& node);
  bool read_value(const pugi::xml_node& node, FieldDefinition& field, Values& seen);
  bool read_values(const pugi::xml_node& node, FieldDefinition& field);
  bool sort_fields();
  bool read_component_names(const pugi::xml_node& section);
  bool read_components(const pugi::xml_node& section);
  bool read_messages(const pugi::xml_node& section);
  bool read_message(const pugi::xml_node& node);
  bool read_members(const pugi::xml_node& parent, std::vector<Member>& members, unsigned depth);
  bool read_member(const pugi::xml_node& node, Member& member, unsigned depth);
  bool read_group(const pugi::xml_node& node, Member& member, unsigned depth);
  bool read_required(const pugi::xml_node& node, bool& required);
  bool fail_undefined(const pugi::xml_node& node, std::string_view name);

  XmlFile& file_;
  Dictionary dictionary_;
  Names field_names_;
  Names component_names_;
  Names message_names_;
  Names message_types_;
  std::vector<pugi::xml_node> field_nodes_;  // by position in the dictionary's fields
  DefinitionNodes nodes_;
};

// Elements among the children, each given to read(), which returns false to stop.
template <class Read>
bool for_each_element(const pugi::xml_node& parent, Read read) {
  for (const pugi::xml_node& child : parent.children()) {
    if (is_element(child) && !read(child)) return false;
  }
  return true;
}

std::vector<std::string_view> names_of(const auto& definitions) {
  std::vector<std::string_view> names;
  for (const auto& definition : definitions) names.push_back(definition.name);
  return names;
}

bool is_yes(std::string_view text) { return text == "Y" || text == "y"; }

bool Loader::read_version(const pugi::xml_node& root) {
  unsigned major = 0;
  unsigned minor = 0;
  if (!file_.number(root, "major", major) || !file_.number(root, "minor", minor)) return false;
  if (*root.attribute("servicepack").value() != '\0' &&
      !file_.number(root, "servicepack", dictionary_.service_pack)) {
    return false;
  }
  const std::string_view type = root.attribute("type").as_string("FIX");
  if (type != "FIX" && type != "FIXT") {
    return file_.fail(root, "type is " + quoted(type) + ", expected \"FIX\" or \"FIXT\"");
  }
  dictionary_.begin_string =
      std::string{type} + '.' + std::to_string(major) + '.' + std::to_string(minor);
  return true;
}

bool Loader::check_children(const pugi::xml_node& root) {
  const std::vector<std::string_view> sections{"header", "trailer", "messages", "components",
                                               "fields"};
  std::set<std::string_view> seen;
  const bool checked = for_each_element(root, [&](const pugi::xml_node& child) {
    const std::string_view name = child.name();
    if (std::ranges::find(sections, name) == sections.end()) {
      file_.warn(child, element(child) + " is no part of a dictionary, ignored" +
                            did_you_mean(name, sections));
      return true;
    }
    return seen.insert(name).second || file_.fail(child, "a second " + element(child));
  });
  if (!checked) return false;
  for (const char* section : {"messages", "fields"}) {
    if (!root.child(section)) {
      return file_.fail(root, "there is no <" + std::string{section} + ">");
    }
  }
  return true;
}

bool Loader::read_value(const pugi::xml_node& node, FieldDefinition& field, Values& seen) {
  const std::string_view kind = node.name();
  const pugi::xml_node parent = node.parent();
  if (kind == "values" && kind == parent.name())
    return file_.fail(node, "<values> within <values>");
  if (kind != "value") {
    file_.warn(node, element(node) + " within " + element(parent) + ", expected <value>, ignored");
    return true;
  }
  const std::string_view value = file_.attribute(node, "enum");
  if (value.empty()) return false;
  if (!seen.insert(value).second) {
    file_.warn(node, quoted(value) + " of " + field.name + " is defined twice, the first counts");
    return true;
  }
  if (!check_value(file_, node, field, value)) return false;
  const std::string_view name = node.attribute("description").value();
  field.values.push_back({std::string{value}, std::string{name.empty() ? value : name}});
  return true;
}

bool Loader::read_values(const pugi::xml_node& node, FieldDefinition& field) {
  Values seen;
  const auto read = [&](const pugi::xml_node& child) { return read_value(child, field, seen); };
  return for_each_element(node, [&](const pugi::xml_node& child) {
    // Some generators put them into a <values>.
    return std::string_view{child.name()} == "values" ? for_each_element(child, read) : read(child);
  });
}

OtherValues read_other_values(const pugi::xml_node& node) {
  const std::string_view type = node.attribute("unionDataType").value();
  if (!type.empty()) return other_values(type);
  const std::string_view others = node.attribute("allowOtherValues").value();
  return is_yes(others) || others == "true" ? OtherValues::Any : OtherValues::None;
}

bool Loader::read_field(const pugi::xml_node& node) {
  if (std::string_view{node.name()} != "field") {
    return file_.fail(node, element(node) + " within <fields>, expected <field>");
  }
  FieldDefinition field;
  const std::string_view name = file_.attribute(node, "name");
  if (name.empty() || !file_.tag(node, "number", field.tag)) return false;
  const std::string_view type = file_.attribute(node, "type");
  if (type.empty()) return false;
  field.name = name;
  field.type = field_type(type);
  // FIX 4.0 and 4.1 call any text "char"; QuickFIX reads it so, too.
  if (field.type == FieldType::Char && dictionary_.begin_string < "FIX.4.2") {
    field.type = FieldType::String;
  }
  if (field.type == FieldType::Unknown) {
    file_.warn(node,
               "unknown type " + quoted(type) + " of " + field.name + ", its values are text");
  }
  field.other_values = read_other_values(node);
  if (!read_values(node, field)) return false;
  dictionary_.fields.push_back(std::move(field));
  field_nodes_.push_back(node);
  return true;
}

bool Loader::sort_fields() {
  std::vector<std::size_t> order(dictionary_.fields.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {},
                    [&](std::size_t i) { return std::pair{dictionary_.fields[i].tag, i}; });
  std::vector<FieldDefinition> sorted;
  sorted.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    FieldDefinition& field = dictionary_.fields[order[i]];
    const pugi::xml_node& node = field_nodes_[order[i]];
    if (!sorted.empty() && sorted.back().tag == field.tag) {
      return file_.fail(node, "tag " + std::to_string(field.tag) + " is defined twice: " +
                                  sorted.back().name + " and " + field.name);
    }
    if (!field_names_.emplace(node.attribute("name").value(), static_cast<Index>(i)).second) {
      return file_.fail(node, "field " + quoted(field.name) + " is defined twice");
    }
    sorted.push_back(std::move(field));
  }
  dictionary_.fields = std::move(sorted);
  return true;
}

bool Loader::read_fields(const pugi::xml_node& section) {
  return for_each_element(section,
                          [&](const pugi::xml_node& child) { return read_field(child); }) &&
         sort_fields();
}

bool Loader::read_component_names(const pugi::xml_node& section) {
  return for_each_element(section, [&](const pugi::xml_node& child) {
    if (std::string_view{child.name()} != "component") {
      return file_.fail(child, element(child) + " within <components>, expected <component>");
    }
    const std::string_view name = file_.attribute(child, "name");
    if (name.empty()) return false;
    const auto index = static_cast<Index>(dictionary_.components.size());
    if (!component_names_.emplace(name, index).second) {
      return file_.fail(child, "component " + quoted(name) + " is defined twice");
    }
    dictionary_.components.push_back({std::string{name}, {}});
    nodes_.components.push_back(child);
    return true;
  });
}

bool Loader::read_components(const pugi::xml_node& section) {
  if (!read_component_names(section)) return false;
  for (std::size_t i = 0; i < nodes_.components.size(); ++i) {
    if (!read_members(nodes_.components[i], dictionary_.components[i].members, 0)) return false;
  }
  return true;
}

bool Loader::read_required(const pugi::xml_node& node, bool& required) {
  const std::string_view text = node.attribute("required").as_string("N");
  required = is_yes(text);
  if (required || text == "N" || text == "n") return true;
  return file_.fail(node, "required is " + quoted(text) + ", expected \"Y\" or \"N\"");
}

bool Loader::read_group(const pugi::xml_node& node, Member& member, unsigned depth) {
  GroupDefinition group;
  group.count_field = member.index;
  group.any_field_begins = is_yes(node.attribute("anyFieldBegins").value());
  const FieldDefinition& count = dictionary_.fields[member.index];
  if (count.type != FieldType::NumInGroup && count.type != FieldType::Int) {
    file_.warn(node, "the type of " + count.name + " is " + std::string{to_string(count.type)} +
                         ", expected NUMINGROUP: it counts a group's entries");
  }
  if (!read_members(node, group.members, depth + 1)) return false;
  member.index = static_cast<Index>(dictionary_.groups.size());
  dictionary_.groups.push_back(std::move(group));
  nodes_.groups.push_back(node);
  return true;
}

bool Loader::fail_undefined(const pugi::xml_node& node, std::string_view name) {
  const std::string_view kind = node.name();
  const bool component = kind == "component";
  std::string text = (component ? "component " : "field ") + quoted(name) + " is not defined in " +
                     (component ? "<components>" : "<fields>");
  const Names& others = component ? field_names_ : component_names_;
  if (others.contains(name)) {
    text += component ? ", and a field has this name" : ", and a component has this name";
  } else {
    text += component ? did_you_mean(name, names_of(dictionary_.components))
                      : did_you_mean(name, names_of(dictionary_.fields));
  }
  return file_.fail(node, text);
}

bool Loader::read_member(const pugi::xml_node& node, Member& member, unsigned depth) {
  const std::string_view kind = node.name();
  const bool component = kind == "component";
  if (!component && kind != "field" && kind != "group") {
    return file_.fail(node, element(node) + " within " + element(node.parent()) +
                                ", expected <field>, <group> or <component>");
  }
  const std::string_view name = file_.attribute(node, "name");
  if (name.empty() || !read_required(node, member.required)) return false;
  const Names& names = component ? component_names_ : field_names_;
  const auto found = names.find(name);
  if (found == names.end()) return fail_undefined(node, name);
  member.index = found->second;
  member.kind = component ? MemberKind::Component : MemberKind::Field;
  if (kind != "group") return true;
  member.kind = MemberKind::Group;
  return read_group(node, member, depth);
}

bool Loader::read_members(const pugi::xml_node& parent, std::vector<Member>& members,
                          unsigned depth) {
  if (depth > kNestingMax) {
    return file_.fail(parent, "groups are nested deeper than " + std::to_string(kNestingMax));
  }
  return for_each_element(parent, [&](const pugi::xml_node& child) {
    Member member;
    if (!read_member(child, member, depth)) return false;
    members.push_back(member);
    return true;
  });
}

bool Loader::read_message(const pugi::xml_node& node) {
  if (std::string_view{node.name()} != "message") {
    return file_.fail(node, element(node) + " within <messages>, expected <message>");
  }
  MessageDefinition message;
  const std::string_view name = file_.attribute(node, "name");
  if (name.empty()) return false;
  const std::string_view type = file_.attribute(node, "msgtype");
  if (type.empty() || !check_msg_type(file_, node, type)) return false;
  const auto index = static_cast<Index>(dictionary_.messages.size());
  if (const auto [other, is_new] = message_types_.emplace(type, index); !is_new) {
    return file_.fail(node, "msgtype " + quoted(type) +
                                " is defined twice: " + dictionary_.messages[other->second].name +
                                " and " + std::string{name});
  }
  if (!message_names_.emplace(name, index).second) {
    return file_.fail(node, "message " + quoted(name) + " is defined twice");
  }
  message.name = name;
  message.msg_type = type;
  message.admin = std::string_view{node.attribute("msgcat").value()} == "admin";
  if (!read_members(node, message.members, 0)) return false;
  dictionary_.messages.push_back(std::move(message));
  nodes_.messages.push_back(node);
  return true;
}

bool Loader::read_messages(const pugi::xml_node& section) {
  return for_each_element(section, [&](const pugi::xml_node& node) { return read_message(node); });
}

std::expected<Dictionary, DictionaryError> Loader::load() {
  const pugi::xml_node root = file_.root();
  const bool loaded = read_version(root) && check_children(root) &&
                      read_fields(root.child("fields")) &&
                      read_components(root.child("components")) &&
                      read_members(root.child("header"), dictionary_.header, 0) &&
                      read_members(root.child("trailer"), dictionary_.trailer, 0) &&
                      read_messages(root.child("messages"));
  nodes_.header = root.child("header");
  nodes_.trailer = root.child("trailer");
  if (!loaded || !check_definitions(file_, dictionary_, nodes_)) {
    return std::unexpected{file_.error()};
  }
  pair_data_fields(dictionary_);
  dictionary_.warnings = file_.take_warnings();
  return std::move(dictionary_);
}

}  // namespace

std::expected<Dictionary, DictionaryError> load_quickfix_xml(XmlFile& file) {
  return Loader{file}.load();
}

}  // namespace nexusfix::dictionary
