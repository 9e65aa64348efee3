#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <numeric>
#include <pugixml.hpp>
#include <set>
#include <utility>

#include <nexusfix/dictionary/quickfix_xml.hpp>

namespace nexusfix::dictionary {
namespace {

constexpr std::size_t kWarningsMax = 100;

// Functions return false when they have set error_, and nothing goes on after that.
class Loader {
 public:
  Loader(std::string_view text, std::string_view file_name) : text_{text} {
    error_.file = file_name;
  }

  std::expected<Dictionary, DictionaryError> load();

 private:
  using Names = std::map<std::string, Index, std::less<>>;

  bool parse(pugi::xml_document& document);
  bool read_version(const pugi::xml_node& root);
  bool check_children(const pugi::xml_node& root);
  bool read_fields(const pugi::xml_node& section);
  bool read_field(const pugi::xml_node& node);
  bool read_values(const pugi::xml_node& node, FieldDefinition& field);
  bool sort_fields();
  bool read_component_names(const pugi::xml_node& section);
  bool read_components(const pugi::xml_node& section);
  bool read_messages(const pugi::xml_node& section);
  bool read_members(const pugi::xml_node& parent, std::vector<Member>& members, unsigned depth);
  bool read_member(const pugi::xml_node& node, Member& member, unsigned depth);
  bool read_group(const pugi::xml_node& node, Member& member, unsigned depth);
  bool read_required(const pugi::xml_node& node, bool& required);
  bool check_component_nesting();
  bool measure_component(Index component, unsigned depth);
  bool measure_members(const std::vector<Member>& members, unsigned depth, unsigned& height);
  void warn_of_repeated_fields(const pugi::xml_node& node, const std::vector<Member>& members);

  // The attribute's text; empty if it is missing or empty, and then an error is set.
  std::string_view attribute(const pugi::xml_node& node, const char* name);
  bool number(const pugi::xml_node& node, const char* name, unsigned& value);
  bool fail(const pugi::xml_node& node, std::string text);
  void warn(const pugi::xml_node& node, const std::string& text);
  [[nodiscard]] std::size_t line_at(std::ptrdiff_t offset) const;

  std::string_view text_;
  Dictionary dictionary_;
  DictionaryError error_;
  Names field_names_;
  Names component_names_;
  std::vector<pugi::xml_node> field_nodes_;      // by position in dictionary_.fields
  std::vector<pugi::xml_node> component_nodes_;  // by position in dictionary_.components
  enum class Visit : std::uint8_t { No, Open, Done };
  std::vector<Visit> visits_;
  std::vector<unsigned> heights_;
  std::vector<std::size_t> line_ends_;  // offset of each newline
};

std::string quoted(std::string_view text) { return '"' + std::string{text} + '"'; }

std::string element(const pugi::xml_node& node) { return '<' + std::string{node.name()} + '>'; }

bool is_element(const pugi::xml_node& node) { return node.type() == pugi::node_element; }

std::size_t Loader::line_at(std::ptrdiff_t offset) const {
  if (offset < 0) return 0;
  const auto before = std::ranges::lower_bound(line_ends_, static_cast<std::size_t>(offset));
  return 1 + static_cast<std::size_t>(before - line_ends_.begin());
}

bool Loader::fail(const pugi::xml_node& node, std::string text) {
  error_.line = line_at(node.offset_debug());
  error_.text = std::move(text);
  return false;
}

void Loader::warn(const pugi::xml_node& node, const std::string& text) {
  if (dictionary_.warnings.size() >= kWarningsMax) return;
  const DictionaryError at{error_.file, line_at(node.offset_debug()), text};
  dictionary_.warnings.push_back(at.what());
}

std::string_view Loader::attribute(const pugi::xml_node& node, const char* name) {
  const std::string_view value = node.attribute(name).value();
  if (value.empty()) fail(node, element(node) + " lacks the attribute " + quoted(name));
  return value;
}

bool Loader::number(const pugi::xml_node& node, const char* name, unsigned& value) {
  const std::string_view text = attribute(node, name);
  if (text.empty()) return false;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault == std::errc{} && end == text.data() + text.size()) return true;
  return fail(node, std::string{name} + " is " + quoted(text) + ", expected a number");
}

bool Loader::parse(pugi::xml_document& document) {
  if (text_.size() > kDictionaryBytesMax) {
    error_.text = "larger than " + std::to_string(kDictionaryBytesMax) + " bytes";
    return false;
  }
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_ends_.push_back(i);
  }
  const pugi::xml_parse_result result =
      document.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    error_.line = line_at(result.offset);
    error_.text = std::string{"not XML: "} + result.description();
    return false;
  }
  const pugi::xml_node root = document.document_element();
  if (std::strcmp(root.name(), "fix") == 0) return true;
  return fail(root, "the root element is " + element(root) + ", expected <fix>");
}

bool Loader::read_version(const pugi::xml_node& root) {
  unsigned major = 0;
  unsigned minor = 0;
  if (!number(root, "major", major) || !number(root, "minor", minor)) return false;
  if (root.attribute("servicepack") && !number(root, "servicepack", dictionary_.service_pack)) {
    return false;
  }
  const std::string_view type = root.attribute("type").as_string("FIX");
  if (type != "FIX" && type != "FIXT") {
    return fail(root, "type is " + quoted(type) + ", expected \"FIX\" or \"FIXT\"");
  }
  dictionary_.begin_string =
      std::string{type} + '.' + std::to_string(major) + '.' + std::to_string(minor);
  return true;
}

bool Loader::check_children(const pugi::xml_node& root) {
  constexpr const char* kSections[] = {"header", "trailer", "messages", "components", "fields"};
  std::map<std::string_view, int> seen;
  for (const pugi::xml_node& child : root.children()) {
    if (!is_element(child)) continue;
    if (std::ranges::find(kSections, std::string_view{child.name()}) == std::end(kSections)) {
      warn(child, element(child) + " is no part of a dictionary, ignored");
    } else if (++seen[child.name()] > 1) {
      return fail(child, "a second " + element(child));
    }
  }
  for (const char* section : {"messages", "fields"}) {
    if (!root.child(section)) return fail(root, "there is no <" + std::string{section} + ">");
  }
  return true;
}

bool Loader::read_values(const pugi::xml_node& node, FieldDefinition& field) {
  std::set<std::string_view> seen;
  for (const pugi::xml_node& child : node.children("value")) {
    const std::string_view value = attribute(child, "enum");
    if (value.empty()) return false;
    const std::string_view name = child.attribute("description").value();
    if (!seen.insert(value).second) {
      warn(child, quoted(value) + " of " + field.name + " is defined twice, the first counts");
      continue;
    }
    field.values.push_back({std::string{value}, std::string{name.empty() ? value : name}});
  }
  return true;
}

bool Loader::read_field(const pugi::xml_node& node) {
  FieldDefinition field;
  unsigned tag = 0;
  const std::string_view name = attribute(node, "name");
  if (name.empty() || !number(node, "number", tag)) return false;
  if (tag == 0 || tag > wire::kTagMax) {
    return fail(node, "number is " + std::to_string(tag) + ", expected 1 to " +
                          std::to_string(wire::kTagMax));
  }
  const std::string_view type = attribute(node, "type");
  if (type.empty()) return false;
  field.tag = tag;
  field.name = name;
  field.type = field_type(type);
  if (field.type == FieldType::Unknown) {
    warn(node, "unknown type " + quoted(type) + " of " + field.name + ", its values are text");
  }
  const std::string_view others = node.attribute("allowOtherValues").value();
  field.allow_other_values = others == "Y" || others == "y" || others == "true";
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
  for (std::size_t i = 0; i < order.size(); ++i) {
    FieldDefinition& field = dictionary_.fields[order[i]];
    if (!sorted.empty() && sorted.back().tag == field.tag) {
      return fail(field_nodes_[order[i]], "tag " + std::to_string(field.tag) +
                                              " is defined twice: " + sorted.back().name + " and " +
                                              field.name);
    }
    const auto [at, is_new] = field_names_.emplace(field.name, static_cast<Index>(i));
    if (!is_new) {
      return fail(field_nodes_[order[i]], "field " + quoted(field.name) + " is defined twice");
    }
    sorted.push_back(std::move(field));
  }
  dictionary_.fields = std::move(sorted);
  return true;
}

bool Loader::read_fields(const pugi::xml_node& section) {
  for (const pugi::xml_node& child : section.children()) {
    if (!is_element(child)) continue;
    if (std::strcmp(child.name(), "field") != 0) {
      return fail(child, element(child) + " within <fields>, expected <field>");
    }
    if (!read_field(child)) return false;
  }
  return sort_fields();
}

bool Loader::read_component_names(const pugi::xml_node& section) {
  for (const pugi::xml_node& child : section.children()) {
    if (!is_element(child)) continue;
    if (std::strcmp(child.name(), "component") != 0) {
      return fail(child, element(child) + " within <components>, expected <component>");
    }
    const std::string_view name = attribute(child, "name");
    if (name.empty()) return false;
    const auto index = static_cast<Index>(dictionary_.components.size());
    if (!component_names_.emplace(name, index).second) {
      return fail(child, "component " + quoted(name) + " is defined twice");
    }
    dictionary_.components.push_back({std::string{name}, {}});
    component_nodes_.push_back(child);
  }
  return true;
}

bool Loader::read_components(const pugi::xml_node& section) {
  if (!read_component_names(section)) return false;
  for (std::size_t i = 0; i < component_nodes_.size(); ++i) {
    if (!read_members(component_nodes_[i], dictionary_.components[i].members, 0)) return false;
  }
  return check_component_nesting();
}

bool Loader::read_required(const pugi::xml_node& node, bool& required) {
  const std::string_view text = node.attribute("required").as_string("N");
  required = text == "Y" || text == "y";
  if (required || text == "N" || text == "n") return true;
  return fail(node, "required is " + quoted(text) + ", expected \"Y\" or \"N\"");
}

bool Loader::read_group(const pugi::xml_node& node, Member& member, unsigned depth) {
  GroupDefinition group;
  group.count_field = member.index;
  if (!read_members(node, group.members, depth + 1)) return false;
  if (group.members.empty()) {
    return fail(node, "group " + quoted(node.attribute("name").value()) +
                          " has no fields: its first field begins an entry");
  }
  member.index = static_cast<Index>(dictionary_.groups.size());
  dictionary_.groups.push_back(std::move(group));
  return true;
}

bool Loader::read_member(const pugi::xml_node& node, Member& member, unsigned depth) {
  const std::string_view kind = node.name();
  const bool component = kind == "component";
  if (!component && kind != "field" && kind != "group") {
    return fail(node, element(node) + " within " + element(node.parent()) +
                          ", expected <field>, <group> or <component>");
  }
  const std::string_view name = attribute(node, "name");
  if (name.empty() || !read_required(node, member.required)) return false;
  const Names& names = component ? component_names_ : field_names_;
  const auto found = names.find(name);
  if (found == names.end()) {
    return fail(node, (component ? "component " : "field ") + quoted(name) + " is not defined in " +
                          (component ? "<components>" : "<fields>"));
  }
  member.index = found->second;
  member.kind = component ? MemberKind::Component : MemberKind::Field;
  if (kind != "group") return true;
  member.kind = MemberKind::Group;
  return read_group(node, member, depth);
}

bool Loader::read_members(const pugi::xml_node& parent, std::vector<Member>& members,
                          unsigned depth) {
  if (depth > kNestingMax) {
    return fail(parent, "groups are nested deeper than " + std::to_string(kNestingMax));
  }
  for (const pugi::xml_node& child : parent.children()) {
    if (!is_element(child)) continue;
    Member member;
    if (!read_member(child, member, depth)) return false;
    members.push_back(member);
  }
  return true;
}

// height: how many components and groups the members hold within each other at the most.
bool Loader::measure_members(const std::vector<Member>& members, unsigned depth, unsigned& height) {
  for (const Member& member : members) {
    unsigned below = 0;
    if (member.kind == MemberKind::Component) {
      if (!measure_component(member.index, depth + 1)) return false;
      below = heights_[member.index];
    } else if (member.kind == MemberKind::Group) {
      const GroupDefinition& group = dictionary_.groups[member.index];
      if (!measure_members(group.members, depth + 1, below)) return false;
    } else {
      continue;
    }
    height = std::max(height, below + 1);
  }
  return true;
}

// A depth-first walk that enters each component once; a component that is met while it is still
// open holds itself. Its height is kept, so that a chain is found too long wherever the walk began:
// whoever follows components later may recurse.
bool Loader::measure_component(Index component, unsigned depth) {
  if (visits_[component] == Visit::Done) return true;
  const pugi::xml_node& node = component_nodes_[component];
  const ComponentDefinition& definition = dictionary_.components[component];
  if (visits_[component] == Visit::Open) {
    return fail(node, "component " + quoted(definition.name) + " holds itself");
  }
  visits_[component] = Visit::Open;
  if (depth <= kNestingMax && !measure_members(definition.members, depth, heights_[component])) {
    return false;
  }
  if (std::max(depth, heights_[component]) > kNestingMax) {
    return fail(node, "component " + quoted(definition.name) + " is nested deeper than " +
                          std::to_string(kNestingMax));
  }
  visits_[component] = Visit::Done;
  return true;
}

bool Loader::check_component_nesting() {
  visits_.assign(dictionary_.components.size(), Visit::No);
  heights_.assign(dictionary_.components.size(), 0);
  for (Index i = 0; i < visits_.size(); ++i) {
    if (!measure_component(i, 0)) return false;
  }
  return true;
}

void Loader::warn_of_repeated_fields(const pugi::xml_node& node,
                                     const std::vector<Member>& members) {
  std::map<Index, int> seen;
  for (const Member& member : members) {
    if (member.kind == MemberKind::Field && ++seen[member.index] == 2) {
      warn(node, "field " + quoted(dictionary_.fields[member.index].name) + " is listed twice in " +
                     quoted(node.attribute("name").value()) + ", the first counts");
    }
  }
}

bool Loader::read_messages(const pugi::xml_node& section) {
  std::map<std::string, std::string, std::less<>> types;  // MsgType to name
  std::map<std::string, std::string, std::less<>> names;  // name to MsgType
  for (const pugi::xml_node& child : section.children()) {
    if (!is_element(child)) continue;
    if (std::strcmp(child.name(), "message") != 0) {
      return fail(child, element(child) + " within <messages>, expected <message>");
    }
    MessageDefinition message;
    message.name = attribute(child, "name");
    if (message.name.empty()) return false;
    message.msg_type = attribute(child, "msgtype");
    if (message.msg_type.empty()) return false;
    message.admin = std::string_view{child.attribute("msgcat").value()} == "admin";
    if (!types.emplace(message.msg_type, message.name).second) {
      return fail(child, "msgtype " + quoted(message.msg_type) + " is defined twice: " +
                             types[message.msg_type] + " and " + message.name);
    }
    if (!names.emplace(message.name, message.msg_type).second) {
      return fail(child, "message " + quoted(message.name) + " is defined twice");
    }
    if (!read_members(child, message.members, 0)) return false;
    warn_of_repeated_fields(child, message.members);
    dictionary_.messages.push_back(std::move(message));
  }
  return true;
}

std::expected<Dictionary, DictionaryError> Loader::load() {
  pugi::xml_document document;
  if (!parse(document)) return std::unexpected{error_};
  const pugi::xml_node root = document.document_element();
  const bool loaded = read_version(root) && check_children(root) &&
                      read_fields(root.child("fields")) &&
                      read_components(root.child("components")) &&
                      read_members(root.child("header"), dictionary_.header, 0) &&
                      read_members(root.child("trailer"), dictionary_.trailer, 0) &&
                      read_messages(root.child("messages"));
  if (!loaded) return std::unexpected{error_};
  return std::move(dictionary_);
}

}  // namespace

std::string DictionaryError::what() const {
  return file + ':' + (line == 0 ? std::string{} : std::to_string(line) + ':') + ' ' + text;
}

std::expected<Dictionary, DictionaryError> load_quickfix_xml(std::string_view text,
                                                             std::string_view file_name) {
  return Loader{text, file_name}.load();
}

}  // namespace nexusfix::dictionary
