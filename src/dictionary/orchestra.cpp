#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include <nexusfix/dictionary/orchestra.hpp>

#include "dictionary/data_field_pairs.hpp"
#include "dictionary/definition_checks.hpp"
#include "dictionary/file_loaders.hpp"
#include "dictionary/orchestra_names.hpp"
#include "dictionary/xml_file.hpp"

namespace nexusfix::dictionary {
namespace {

constexpr std::string_view kBaseScenario = "base";
// How many base types a data type may have one below the other; the standard has two.
constexpr unsigned kBaseTypesMax = 16;
// Enumeration values of all fields, a code set counted for each field that uses it. FIX Latest has
// 25,000.
constexpr std::size_t kValuesMax = 1'000'000;

// FIX session layer, 1.1: the messages that belong to the session itself.
bool is_admin(std::string_view msg_type) {
  return msg_type.size() == 1 && (msg_type == "A" || (msg_type >= "0" && msg_type <= "5"));
}

std::string_view scenario_of(const pugi::xml_node& node) {
  return node.attribute("scenario").as_string("base");
}

// The elements of one name among the children, each given to read(), which returns false to stop.
template <class Read>
bool for_each_of(const pugi::xml_node& parent, std::string_view name, Read read) {
  for (const pugi::xml_node& child : parent.children()) {
    if (is_element(child) && local_name(child) == name && !read(child)) return false;
  }
  return true;
}

pugi::xml_node child_of(const pugi::xml_node& parent, std::string_view name) {
  for (const pugi::xml_node& child : parent.children()) {
    if (is_element(child) && local_name(child) == name) return child;
  }
  return {};
}

// Functions return false when they have set the file's error, and nothing goes on after that.
class Loader {
 public:
  Loader(XmlFile& file, std::string_view scenario) : file_{file}, scenario_{scenario} {}

  std::expected<Dictionary, DictionaryError> load();

 private:
  using Ids = std::unordered_map<unsigned, Index>;

  void read_version(const pugi::xml_node& root);
  bool choose(const pugi::xml_node& section, const char* kind, const char* key,
              std::vector<pugi::xml_node>& chosen);
  [[nodiscard]] int rank(const pugi::xml_node& node) const;
  bool read_datatypes(const pugi::xml_node& section);
  [[nodiscard]] std::optional<FieldType> type_of(std::string_view name) const;
  bool read_code_sets(const pugi::xml_node& section);
  bool read_fields(const pugi::xml_node& section);
  bool read_field(const pugi::xml_node& node);
  bool read_field_type(const pugi::xml_node& node, FieldDefinition& field);
  bool read_codes(const pugi::xml_node& code_set, FieldDefinition& field);
  bool read_length_tag(const pugi::xml_node& node, FieldDefinition& field);
  bool read_holders(const pugi::xml_node& section, const char* kind,
                    std::vector<pugi::xml_node>& nodes, Ids& ids);
  bool read_components();
  bool read_groups();
  bool read_messages(const pugi::xml_node& section);
  bool read_message(const pugi::xml_node& node);
  bool read_members(const pugi::xml_node& parent, std::vector<Member>& members);
  bool read_member(const pugi::xml_node& node, std::vector<Member>& members);
  bool find_member(const pugi::xml_node& node, Member& member);
  bool read_presence(const pugi::xml_node& node, bool& required, bool& forbidden);
  void take_header_and_trailer();

  XmlFile& file_;
  std::string_view scenario_;
  Dictionary dictionary_;
  std::unordered_map<std::string_view, std::string_view> base_types_;  // of data types
  std::unordered_map<std::string_view, pugi::xml_node> code_sets_;
  std::size_t values_ = 0;  // of the fields read
  Ids field_ids_;
  Ids component_ids_;
  Ids group_ids_;
  DefinitionNodes nodes_;
};

void Loader::read_version(const pugi::xml_node& root) {
  for (const char* name : {"version", "name"}) {
    if (const auto version = version_in(root.attribute(name).value())) {
      dictionary_.begin_string = version->begin_string;
      dictionary_.service_pack = version->service_pack;
      return;
    }
  }
  const RepositoryVersion latest = latest_version();
  dictionary_.begin_string = latest.begin_string;
  dictionary_.service_pack = latest.service_pack;
  file_.warn(root, "neither version nor name says which FIX this is, taken for FIX.Latest");
}

int Loader::rank(const pugi::xml_node& node) const {
  const std::string_view scenario = scenario_of(node);
  if (scenario == scenario_) return 2;
  return scenario == kBaseScenario ? 1 : 0;
}

// Of the elements that have the same key, the one whose scenario counts, in the file's order.
bool Loader::choose(const pugi::xml_node& section, const char* kind, const char* key,
                    std::vector<pugi::xml_node>& chosen) {
  std::unordered_map<std::string_view, std::size_t> places;
  return for_each_of(section, kind, [&](const pugi::xml_node& node) {
    const std::string_view value = file_.attribute(node, key);
    if (value.empty()) return false;
    const auto [entry, is_new] = places.emplace(value, chosen.size());
    if (is_new) {
      chosen.push_back(node);
      return true;
    }
    pugi::xml_node& other = chosen[entry->second];
    if (scenario_of(other) == scenario_of(node)) {
      return file_.fail(node, std::string{kind} + ' ' + key + ' ' + quoted(value) +
                                  " is defined twice: " + other.attribute("name").value() +
                                  " and " + node.attribute("name").value());
    }
    if (rank(node) > rank(other)) other = node;
    return true;
  });
}

bool Loader::read_datatypes(const pugi::xml_node& section) {
  return for_each_of(section, "datatype", [&](const pugi::xml_node& node) {
    const std::string_view name = file_.attribute(node, "name");
    if (!name.empty()) base_types_.emplace(name, node.attribute("baseType").value());
    return !name.empty();
  });
}

// Of a data type that is not known by its name, the type that it is based on.
std::optional<FieldType> Loader::type_of(std::string_view name) const {
  for (unsigned i = 0; i < kBaseTypesMax; ++i) {
    if (const FieldType type = field_type(name); type != FieldType::Unknown) return type;
    const auto base = base_types_.find(name);
    if (base == base_types_.end()) return std::nullopt;
    if (base->second.empty()) return FieldType::String;
    name = base->second;
  }
  return std::nullopt;
}

bool Loader::read_code_sets(const pugi::xml_node& section) {
  std::vector<pugi::xml_node> nodes;
  if (!choose(section, "codeSet", "name", nodes)) return false;
  for (const pugi::xml_node& node : nodes) {
    code_sets_.emplace(node.attribute("name").value(), node);
  }
  return true;
}

bool Loader::read_codes(const pugi::xml_node& code_set, FieldDefinition& field) {
  std::set<std::string_view> seen;
  std::set<std::string> names;
  return for_each_of(code_set, "code", [&](const pugi::xml_node& node) {
    const std::string_view value = file_.attribute(node, "value");
    const std::string_view name = value.empty() ? value : file_.attribute(node, "name");
    if (name.empty()) return false;
    if (!seen.insert(value).second) {
      file_.warn(node, quoted(value) + " of " + quoted(code_set.attribute("name").value()) +
                           " is defined twice, the first counts");
      return true;
    }
    if (!check_value(file_, node, field, value)) return false;
    if (++values_ > kValuesMax) {
      return file_.fail(
          node, "the fields' code sets hold more than " + std::to_string(kValuesMax) + " values");
    }
    std::string snake = upper_snake(name);
    if (!names.insert(snake).second) snake += '_' + upper_snake(value);
    field.values.push_back({std::string{value}, std::move(snake)});
    return true;
  });
}

bool Loader::read_field_type(const pugi::xml_node& node, FieldDefinition& field) {
  const std::string_view name = file_.attribute(node, "type");
  if (name.empty()) return false;
  std::string_view type_name = name;
  if (const auto code_set = code_sets_.find(name); code_set != code_sets_.end()) {
    type_name = file_.attribute(code_set->second, "type");
    if (type_name.empty()) return false;
    field.type = type_of(type_name).value_or(FieldType::Unknown);
    if (!read_codes(code_set->second, field)) return false;
  }
  if (const auto type = type_of(type_name)) {
    field.type = *type;
    return true;
  }
  if (type_name != name) {
    file_.warn(code_sets_.find(name)->second, "unknown type " + quoted(type_name) + " of " +
                                                  quoted(name) + ", its values are text");
    return true;
  }
  std::vector<std::string_view> known;
  for (const auto& [set, code_set] : code_sets_) known.push_back(set);
  for (const auto& [datatype, base] : base_types_) known.push_back(datatype);
  std::ranges::sort(known);
  return file_.fail(node, "type " + quoted(name) + " of " + quoted(field.name) +
                              " is neither a data type nor a code set" + did_you_mean(name, known));
}

bool Loader::read_length_tag(const pugi::xml_node& node, FieldDefinition& field) {
  if (!node.attribute("lengthId")) return true;
  return file_.tag(node, "lengthId", field.length_tag);
}

bool Loader::read_field(const pugi::xml_node& node) {
  FieldDefinition field;
  const std::string_view name = file_.attribute(node, "name");
  if (name.empty() || !file_.tag(node, "id", field.tag)) return false;
  field.name = name;
  if (const std::string_view others = node.attribute("unionDataType").value(); !others.empty()) {
    field.other_values = other_values(others);
  }
  if (!read_field_type(node, field) || !read_length_tag(node, field)) return false;
  dictionary_.fields.push_back(std::move(field));
  return true;
}

bool Loader::read_fields(const pugi::xml_node& section) {
  std::vector<pugi::xml_node> nodes;
  if (!choose(section, "field", "id", nodes)) return false;
  std::unordered_map<std::string_view, pugi::xml_node> names;
  for (const pugi::xml_node& node : nodes) {
    if (!read_field(node)) return false;
    if (!names.emplace(node.attribute("name").value(), node).second) {
      return file_.fail(node,
                        "field " + quoted(node.attribute("name").value()) + " is defined twice");
    }
  }
  std::ranges::sort(dictionary_.fields, {}, &FieldDefinition::tag);
  for (std::size_t i = 0; i < dictionary_.fields.size(); ++i) {
    const FieldDefinition& field = dictionary_.fields[i];
    if (!field_ids_.emplace(field.tag, static_cast<Index>(i)).second) {
      return file_.fail(names[field.name],
                        "tag " + std::to_string(field.tag) + " is defined twice");
    }
  }
  for (const FieldDefinition& field : dictionary_.fields) {
    if (field.length_tag == 0 || field_ids_.contains(field.length_tag)) continue;
    return file_.fail(names[field.name], "lengthId of " + quoted(field.name) + " is " +
                                             std::to_string(field.length_tag) +
                                             ", and no field has this id");
  }
  return true;
}

bool Loader::read_holders(const pugi::xml_node& section, const char* kind,
                          std::vector<pugi::xml_node>& nodes, Ids& ids) {
  if (!choose(section, kind, "id", nodes)) return false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    unsigned id = 0;
    if (!file_.number(nodes[i], "id", id) || file_.attribute(nodes[i], "name").empty()) {
      return false;
    }
    if (!ids.emplace(id, static_cast<Index>(i)).second) {
      return file_.fail(nodes[i],
                        std::string{kind} + " id " + std::to_string(id) + " is defined twice");
    }
  }
  return true;
}

bool Loader::read_components() {
  std::set<std::string_view> names;
  dictionary_.components.resize(nodes_.components.size());
  for (std::size_t i = 0; i < nodes_.components.size(); ++i) {
    const pugi::xml_node& node = nodes_.components[i];
    const std::string_view name = node.attribute("name").value();
    if (!names.insert(name).second) {
      return file_.fail(node, "component " + quoted(name) + " is defined twice");
    }
    dictionary_.components[i].name = name;
    if (!read_members(node, dictionary_.components[i].members)) return false;
  }
  return true;
}

bool Loader::read_groups() {
  dictionary_.groups.resize(nodes_.groups.size());
  for (std::size_t i = 0; i < nodes_.groups.size(); ++i) {
    const pugi::xml_node& node = nodes_.groups[i];
    const pugi::xml_node count = child_of(node, "numInGroup");
    if (!count) {
      return file_.fail(node, "group " + quoted(node.attribute("name").value()) +
                                  " lacks <numInGroup>: the field that counts its entries");
    }
    Member member;
    if (!find_member(count, member)) return false;
    dictionary_.groups[i].count_field = member.index;
    if (!read_members(node, dictionary_.groups[i].members)) return false;
  }
  return true;
}

bool Loader::read_presence(const pugi::xml_node& node, bool& required, bool& forbidden) {
  const std::string_view presence = node.attribute("presence").as_string("optional");
  required = presence == "required";
  forbidden = presence == "forbidden";
  if (required || forbidden || presence == "optional" || presence == "constant" ||
      presence == "ignored") {
    return true;
  }
  return file_.fail(node, "presence is " + quoted(presence) +
                              ", expected \"required\", \"optional\", \"forbidden\", \"ignored\" "
                              "or \"constant\"");
}

bool Loader::find_member(const pugi::xml_node& node, Member& member) {
  const std::string_view kind = local_name(node);
  const Ids* ids = &field_ids_;
  const char* what = "field";
  if (kind == "componentRef") {
    member.kind = MemberKind::Component;
    ids = &component_ids_;
    what = "component";
  } else if (kind == "groupRef") {
    member.kind = MemberKind::Group;
    ids = &group_ids_;
    what = "group";
  }
  unsigned id = 0;
  if (!file_.number(node, "id", id)) return false;
  const auto found = ids->find(id);
  if (found == ids->end()) {
    return file_.fail(node, std::string{what} + ' ' + std::to_string(id) + " is not defined");
  }
  member.index = found->second;
  return true;
}

bool Loader::read_member(const pugi::xml_node& node, std::vector<Member>& members) {
  const std::string_view kind = local_name(node);
  if (kind != "fieldRef" && kind != "componentRef" && kind != "groupRef") return true;
  Member member;
  bool forbidden = false;
  if (!read_presence(node, member.required, forbidden) || !find_member(node, member)) return false;
  if (!forbidden) members.push_back(member);
  if (kind != "fieldRef") return true;
  FieldDefinition& field = dictionary_.fields[member.index];
  return field.length_tag != 0 || read_length_tag(node, field);
}

// The references among the children; documentation and the like stand between them.
bool Loader::read_members(const pugi::xml_node& parent, std::vector<Member>& members) {
  for (const pugi::xml_node& child : parent.children()) {
    if (is_element(child) && !read_member(child, members)) return false;
  }
  return true;
}

bool Loader::read_message(const pugi::xml_node& node) {
  MessageDefinition message;
  message.name = file_.attribute(node, "name");
  if (message.name.empty()) return false;
  message.msg_type = file_.attribute(node, "msgType");
  if (!check_msg_type(file_, node, message.msg_type)) return false;
  message.admin = is_admin(message.msg_type);
  const pugi::xml_node structure = child_of(node, "structure");
  if (!structure) {
    return file_.fail(node, "message " + quoted(message.name) + " lacks <structure>");
  }
  if (!read_members(structure, message.members)) return false;
  dictionary_.messages.push_back(std::move(message));
  return true;
}

bool Loader::read_messages(const pugi::xml_node& section) {
  if (!choose(section, "message", "msgType", nodes_.messages)) return false;
  std::set<std::string_view> names;
  for (const pugi::xml_node& node : nodes_.messages) {
    if (!read_message(node)) return false;
    if (!names.insert(node.attribute("name").value()).second) {
      return file_.fail(node,
                        "message " + quoted(node.attribute("name").value()) + " is defined twice");
    }
  }
  return true;
}

// In QuickFIX's model these two are no components, and messages do not list them.
void Loader::take_header_and_trailer() {
  const auto take = [&](std::string_view name, std::vector<Member>& place) {
    const auto& components = dictionary_.components;
    const auto found = std::ranges::find(components, name, &ComponentDefinition::name);
    if (found == components.end()) return;
    const auto index = static_cast<Index>(found - components.begin());
    place = found->members;
    for (MessageDefinition& message : dictionary_.messages) {
      std::erase_if(message.members, [&](const Member& member) {
        return member.kind == MemberKind::Component && member.index == index;
      });
    }
  };
  take("StandardHeader", dictionary_.header);
  take("StandardTrailer", dictionary_.trailer);
}

std::expected<Dictionary, DictionaryError> Loader::load() {
  const pugi::xml_node root = file_.root();
  const pugi::xml_node fields = child_of(root, "fields");
  const pugi::xml_node messages = child_of(root, "messages");
  if (!fields || !messages) {
    file_.fail(root, std::string{"there is no <"} + (fields ? "messages" : "fields") + '>');
    return std::unexpected{file_.error()};
  }
  read_version(root);
  const bool loaded =
      read_datatypes(child_of(root, "datatypes")) && read_code_sets(child_of(root, "codeSets")) &&
      read_fields(fields) &&
      read_holders(child_of(root, "components"), "component", nodes_.components, component_ids_) &&
      read_holders(child_of(root, "groups"), "group", nodes_.groups, group_ids_) &&
      read_components() && read_groups() && read_messages(messages);
  if (!loaded) return std::unexpected{file_.error()};
  take_header_and_trailer();
  if (!check_definitions(file_, dictionary_, nodes_)) return std::unexpected{file_.error()};
  pair_data_fields(dictionary_);
  dictionary_.warnings = file_.take_warnings();
  return std::move(dictionary_);
}

}  // namespace

std::expected<Dictionary, DictionaryError> load_orchestra(XmlFile& file,
                                                          std::string_view scenario) {
  return Loader{file, scenario}.load();
}

}  // namespace nexusfix::dictionary
