#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <nexusfix/dictionary.hpp>

#include "base/api/ascii.hpp"
#include "dictionary/load/data_field_pairs.hpp"
#include "dictionary/load/definition_checks.hpp"
#include "dictionary/load/file_loaders.hpp"
#include "dictionary/load/xml_file.hpp"

namespace nexusfix::dictionary {
namespace {

constexpr std::string_view kBaseScenario = "base";
constexpr const char* kNumInGroupId = "numInGroupId";
// The maximum length of a chain of base types. The standard has two.
constexpr unsigned kBaseTypesMax = 16;
// The enumeration values of all fields; a code set counts once for each field that uses it. FIX
// Latest has 25,000.
constexpr std::size_t kValuesMax = 1'000'000;

// FIX session layer, 1.1: the messages that belong to the session itself.
bool is_admin(std::string_view msg_type) {
  return msg_type.size() == 1 && (msg_type == "A" || (msg_type >= "0" && msg_type <= "5"));
}

std::string_view scenario_of(const pugi::xml_node& node) {
  return node.attribute("scenario").as_string("base");
}

// Calls read() for each child element with one name.
template <class Read>
void for_each_of(const pugi::xml_node& parent, std::string_view name, Read read) {
  for (const pugi::xml_node& child : parent.children()) {
    if (is_element(child) && local_name(child) == name) read(child);
  }
}

pugi::xml_node child_of(const pugi::xml_node& parent, std::string_view name) {
  for (const pugi::xml_node& child : parent.children()) {
    if (is_element(child) && local_name(child) == name) return child;
  }
  return {};
}

// Whether a word begins at i: after a lower-case letter, at a number, and at the last of several
// capitals when a lower-case letter follows it.
bool begins_word(std::string_view name, std::size_t i) {
  const char before = name[i - 1];
  const char c = name[i];
  if (is_digit(c)) return is_lower(before);
  if (!is_upper(c)) return false;
  const bool small_follows = i + 1 < name.size() && is_lower(name[i + 1]);
  return is_lower(before) || (small_follows && (is_upper(before) || is_digit(before)));
}

// "PartialFill" is PARTIAL_FILL, "GTDOrder" is GTD_ORDER, "Rule144A" is RULE_144A.
std::string upper_snake(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_alphanumeric(c)) {
      if (!out.empty() && out.back() != '_') out += '_';
      continue;
    }
    if (i > 0 && begins_word(name, i) && !out.empty() && out.back() != '_') out += '_';
    out += to_upper(c);
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out;
}

struct RepositoryVersion {
  std::string begin_string;  // "FIX.4.4", "FIX.5.0", "FIXT.1.1"
  unsigned service_pack = 0;
};

// FIX Latest is FIX 5.0 SP2 and its extension packs.
RepositoryVersion latest_version() { return {"FIX.5.0", 2}; }

// "FIX.4.4", "FIX.5.0SP2_EP254", "FIX.Latest_EP269". Nothing: the text begins with no known
// version.
std::optional<RepositoryVersion> version_in(std::string_view text) {
  if (text.starts_with("FIX.Latest")) return latest_version();
  const std::size_t dot = text.find('.');
  if (dot == text.npos || (text.substr(0, dot) != "FIX" && text.substr(0, dot) != "FIXT")) {
    return std::nullopt;
  }
  const std::string_view numbers = text.substr(dot + 1);
  if (numbers.size() < 3 || !is_digit(numbers[0]) || numbers[1] != '.' || !is_digit(numbers[2])) {
    return std::nullopt;
  }
  RepositoryVersion version{std::string{text.substr(0, dot + 4)}, 0};
  const std::string_view rest = numbers.substr(3);
  if (rest.size() >= 3 && rest.starts_with("SP") && is_digit(rest[2])) {
    version.service_pack = static_cast<unsigned>(rest[2] - '0');
  }
  return version;
}

// Continues after a fault, so that it finds all of them. Its result is used if faults are warnings.
class Loader {
 public:
  Loader(XmlFile& file, std::string_view scenario) : file_{file}, scenario_{scenario} {}

  std::expected<Dictionary, DictionaryError> load();

 private:
  using Ids = std::unordered_map<unsigned, Index>;

  void read_version(const pugi::xml_node& root);
  [[nodiscard]] std::vector<pugi::xml_node> choose(const pugi::xml_node& section, const char* kind,
                                                   const char* key);
  [[nodiscard]] int rank(const pugi::xml_node& node) const;
  void read_datatypes(const pugi::xml_node& section);
  [[nodiscard]] std::optional<FieldType> type_of(std::string_view name) const;
  void read_code_sets(const pugi::xml_node& section);
  void read_fields(const pugi::xml_node& section);
  void read_field(const pugi::xml_node& node);
  void read_field_type(const pugi::xml_node& node, FieldDefinition& field);
  void read_codes(const pugi::xml_node& code_set, FieldDefinition& field);
  void check_length_tags();
  [[nodiscard]] wire::Tag length_tag_of(const pugi::xml_node& node);
  void read_holders(const pugi::xml_node& section, const char* kind,
                    std::vector<pugi::xml_node>& nodes, Ids& ids);
  void read_components();
  [[nodiscard]] std::optional<Index> count_field_of(const pugi::xml_node& group);
  void drop_groups_without_count();
  void read_groups();
  void read_messages(const pugi::xml_node& section);
  [[nodiscard]] bool read_message(const pugi::xml_node& node);
  void read_members(const pugi::xml_node& parent, std::vector<Member>& members);
  void read_member(const pugi::xml_node& node, std::vector<Member>& members);
  [[nodiscard]] bool find_member(const pugi::xml_node& node, const char* id_name, Member& member);
  [[nodiscard]] std::string_view read_presence(const pugi::xml_node& node);
  [[nodiscard]] std::string unique(std::set<std::string>& taken, const pugi::xml_node& node,
                                   const char* kind, const std::string& suffix);
  void read_header_and_trailer();

  XmlFile& file_;
  std::string_view scenario_;
  Dictionary dictionary_;
  std::unordered_map<std::string_view, std::string_view> base_types_;  // of data types
  std::unordered_map<std::string_view, pugi::xml_node> code_sets_;
  std::size_t values_ = 0;  // of the fields read
  Ids field_ids_;
  Ids component_ids_;
  Ids group_ids_;
  std::vector<Index> group_counts_;  // of nodes_.groups
  std::unordered_map<wire::Tag, pugi::xml_node> field_nodes_;
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
  file_.warn(root, "neither version nor name identifies the version of FIX, read as FIX.Latest");
}

int Loader::rank(const pugi::xml_node& node) const {
  const std::string_view scenario = scenario_of(node);
  if (scenario == scenario_) return 2;
  return scenario == kBaseScenario ? 1 : 0;
}

// Chooses, of the elements that share a key, that of the first scenario that counts, in the file's
// order.
std::vector<pugi::xml_node> Loader::choose(const pugi::xml_node& section, const char* kind,
                                           const char* key) {
  std::vector<pugi::xml_node> chosen;
  std::unordered_map<std::string_view, std::size_t> places;
  for_each_of(section, kind, [&](const pugi::xml_node& node) {
    const std::string_view value = file_.attribute(node, key);
    if (value.empty()) return;
    const auto [entry, is_new] = places.emplace(value, chosen.size());
    if (is_new) return chosen.push_back(node);
    pugi::xml_node& other = chosen[entry->second];
    if (scenario_of(other) == scenario_of(node)) {
      return file_.fault(node,
                         std::string{kind} + ' ' + key + ' ' + quote(value) +
                             " is defined twice: " + other.attribute("name").value() + " and " +
                             node.attribute("name").value(),
                         "the first counts");
    }
    if (rank(node) > rank(other)) other = node;
  });
  return chosen;
}

// Its name, or a new name if that one is already used.
std::string Loader::unique(std::set<std::string>& taken, const pugi::xml_node& node,
                           const char* kind, const std::string& suffix) {
  std::string name = node.attribute("name").value();
  if (taken.insert(name).second) return name;
  const std::string text = std::string{kind} + ' ' + quote(name) + " is defined twice";
  name += '_' + suffix;
  while (!taken.insert(name).second) name += '_';
  file_.fault(node, text, "this one is named " + name);
  return name;
}

void Loader::read_datatypes(const pugi::xml_node& section) {
  for_each_of(section, "datatype", [&](const pugi::xml_node& node) {
    const std::string_view name = file_.attribute(node, "name");
    if (!name.empty()) base_types_.emplace(name, node.attribute("baseType").value());
  });
}

// The base type of a data type whose name is unknown.
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

void Loader::read_code_sets(const pugi::xml_node& section) {
  for (const pugi::xml_node& node : choose(section, "codeSet", "name")) {
    code_sets_.emplace(node.attribute("name").value(), node);
  }
}

void Loader::read_codes(const pugi::xml_node& code_set, FieldDefinition& field) {
  std::set<std::string_view> seen;
  std::set<std::string> names;
  for_each_of(code_set, "code", [&](const pugi::xml_node& node) {
    const std::string_view value = file_.attribute(node, "value");
    if (value.empty()) return;
    std::string_view name = file_.attribute(node, "name", "its value is its name");
    if (name.empty()) name = value;
    if (!seen.insert(value).second) {
      return file_.warn(node, quote(value) + " of " + quote(code_set.attribute("name").value()) +
                                  " is defined twice, the first counts");
    }
    if (!check_value(file_, node, field, value)) return;
    if (++values_ > kValuesMax) {
      if (values_ > kValuesMax + 1) return;
      file_.fail(node,
                 "the fields' code sets hold more than " + std::to_string(kValuesMax) + " values");
      return;
    }
    std::string snake = upper_snake(name);
    if (!names.insert(snake).second) snake += '_' + upper_snake(value);
    field.values.push_back({std::string{value}, std::move(snake)});
  });
}

void Loader::read_field_type(const pugi::xml_node& node, FieldDefinition& field) {
  constexpr std::string_view kText = "its values are text";
  const std::string_view name = file_.attribute(node, "type", kText);
  if (name.empty()) return;
  std::string_view type_name = name;
  if (const auto code_set = code_sets_.find(name); code_set != code_sets_.end()) {
    type_name = file_.attribute(code_set->second, "type", kText);
    field.type = type_of(type_name).value_or(FieldType::Unknown);
    read_codes(code_set->second, field);
    if (type_name.empty()) return;
  }
  if (const auto type = type_of(type_name)) {
    field.type = *type;
    return;
  }
  if (type_name != name) {
    return file_.warn(code_sets_.find(name)->second, "unknown type " + quote(type_name) + " of " +
                                                         quote(name) + ", its values are text");
  }
  std::vector<std::string_view> known;
  known.reserve(code_sets_.size() + base_types_.size());
  for (const auto& [set, code_set] : code_sets_) known.push_back(set);
  for (const auto& [datatype, base] : base_types_) known.push_back(datatype);
  std::ranges::sort(known);
  file_.fault(node,
              "type " + quote(name) + " of " + quote(field.name) +
                  " is neither a data type nor a code set" + did_you_mean(name, known),
              kText);
}

// 0: it has none, or an unreadable one.
wire::Tag Loader::length_tag_of(const pugi::xml_node& node) {
  return node.attribute("lengthId") ? file_.tag(node, "lengthId").value_or(0) : 0;
}

void Loader::read_field(const pugi::xml_node& node) {
  FieldDefinition field;
  const std::string_view name = file_.attribute(node, "name");
  const std::optional<wire::Tag> tag = file_.tag(node, "id");
  if (name.empty() || !tag) return;
  field.name = name;
  field.tag = *tag;
  if (!field_nodes_.emplace(field.tag, node).second) {
    return file_.fault(node, "tag " + std::to_string(field.tag) + " is defined twice",
                       "the first counts");
  }
  if (const std::string_view others = node.attribute("unionDataType").value(); !others.empty()) {
    field.other_values = other_values(others);
  }
  read_field_type(node, field);
  field.length_tag = length_tag_of(node);
  dictionary_.fields.push_back(std::move(field));
}

void Loader::check_length_tags() {
  for (FieldDefinition& field : dictionary_.fields) {
    if (field.length_tag == 0 || field_ids_.contains(field.length_tag)) continue;
    file_.fault(field_nodes_[field.tag],
                "lengthId of " + quote(field.name) + " is " + std::to_string(field.length_tag) +
                    ", and no field has this id",
                kLeftOut);
    field.length_tag = 0;
  }
}

void Loader::read_fields(const pugi::xml_node& section) {
  for (const pugi::xml_node& node : choose(section, "field", "id")) read_field(node);
  std::set<std::string> names;
  for (FieldDefinition& field : dictionary_.fields) {
    field.name = unique(names, field_nodes_[field.tag], "field", std::to_string(field.tag));
  }
  std::ranges::sort(dictionary_.fields, {}, &FieldDefinition::tag);
  for (std::size_t i = 0; i < dictionary_.fields.size(); ++i) {
    field_ids_.emplace(dictionary_.fields[i].tag, static_cast<Index>(i));
  }
}

void Loader::read_holders(const pugi::xml_node& section, const char* kind,
                          std::vector<pugi::xml_node>& nodes, Ids& ids) {
  for (const pugi::xml_node& node : choose(section, kind, "id")) {
    const std::optional<unsigned> id = file_.number(node, "id");
    if (file_.attribute(node, "name").empty() || !id) continue;
    if (!ids.emplace(*id, static_cast<Index>(nodes.size())).second) {
      file_.fault(node, std::string{kind} + " id " + std::to_string(*id) + " is defined twice",
                  "the first counts");
      continue;
    }
    nodes.push_back(node);
  }
}

void Loader::read_components() {
  std::set<std::string> names;
  dictionary_.components.resize(nodes_.components.size());
  for (std::size_t i = 0; i < nodes_.components.size(); ++i) {
    const pugi::xml_node& node = nodes_.components[i];
    dictionary_.components[i].name = unique(names, node, "component", node.attribute("id").value());
    read_members(node, dictionary_.components[i].members);
  }
}

// Nothing: omit the group. The edition of 2016 has the attribute, later ones have the element.
std::optional<Index> Loader::count_field_of(const pugi::xml_node& group) {
  const pugi::xml_node count = child_of(group, "numInGroup");
  Member member;
  if (count) return find_member(count, "id", member) ? std::optional{member.index} : std::nullopt;
  if (group.attribute(kNumInGroupId)) {
    return find_member(group, kNumInGroupId, member) ? std::optional{member.index} : std::nullopt;
  }
  file_.fault(group,
              "group " + quote(group.attribute("name").value()) +
                  " lacks <numInGroup>, the field that counts its entries",
              kLeftOut);
  return std::nullopt;
}

// Runs before any reference to a group.
void Loader::drop_groups_without_count() {
  std::vector<pugi::xml_node> kept;
  std::vector<std::optional<Index>> places;
  for (const pugi::xml_node& node : nodes_.groups) {
    const std::optional<Index> count = count_field_of(node);
    places.push_back(count ? std::optional{static_cast<Index>(kept.size())} : std::nullopt);
    if (!count) continue;
    kept.push_back(node);
    group_counts_.push_back(*count);
  }
  nodes_.groups = std::move(kept);
  std::erase_if(group_ids_, [&](const auto& entry) { return !places[entry.second]; });
  for (auto& [id, index] : group_ids_) index = *places[index];
}

void Loader::read_groups() {
  dictionary_.groups.resize(nodes_.groups.size());
  for (std::size_t i = 0; i < nodes_.groups.size(); ++i) {
    dictionary_.groups[i].count_field = group_counts_[i];
    read_members(nodes_.groups[i], dictionary_.groups[i].members);
  }
}

// "required", "forbidden" or "optional"
std::string_view Loader::read_presence(const pugi::xml_node& node) {
  const std::string_view presence = node.attribute("presence").as_string("optional");
  if (presence == "required" || presence == "forbidden") return presence;
  if (presence != "optional" && presence != "constant" && presence != "ignored") {
    file_.fault(node,
                "presence is " + quote(presence) +
                    ", expected \"required\", \"optional\", \"forbidden\", \"ignored\" "
                    "or \"constant\"",
                "read as \"optional\"");
  }
  return "optional";
}

// id_name: the attribute with the number of a field, a component or a group.
bool Loader::find_member(const pugi::xml_node& node, const char* id_name, Member& member) {
  const std::string_view kind = local_name(node);
  const Ids* ids = &field_ids_;
  const char* what = "field";
  if (kind == "componentRef") {
    member.kind = Member::Kind::Component;
    ids = &component_ids_;
    what = "component";
  } else if (kind == "groupRef") {
    member.kind = Member::Kind::Group;
    ids = &group_ids_;
    what = "group";
  }
  const std::optional<unsigned> id = file_.number(node, id_name);
  if (!id) return false;
  // In files that were made from the repository of 2010, a componentRef may name a group.
  if (ids == &component_ids_ && !ids->contains(*id) && group_ids_.contains(*id)) {
    member.kind = Member::Kind::Group;
    ids = &group_ids_;
  }
  const auto found = ids->find(*id);
  if (found == ids->end()) {
    file_.fault(node, std::string{what} + ' ' + std::to_string(*id) + " is not defined", kLeftOut);
    return false;
  }
  member.index = found->second;
  return true;
}

void Loader::read_member(const pugi::xml_node& node, std::vector<Member>& members) {
  const std::string_view kind = local_name(node);
  if (kind != "fieldRef" && kind != "componentRef" && kind != "groupRef") return;
  Member member;
  const std::string_view presence = read_presence(node);
  member.required = presence == "required";
  if (!find_member(node, "id", member)) return;
  if (presence != "forbidden") members.push_back(member);
  if (kind != "fieldRef") return;
  FieldDefinition& field = dictionary_.fields[member.index];
  if (field.length_tag == 0) field.length_tag = length_tag_of(node);
}

// The references among the children. Documentation and other elements may be between them.
void Loader::read_members(const pugi::xml_node& parent, std::vector<Member>& members) {
  for (const pugi::xml_node& child : parent.children()) {
    if (is_element(child)) read_member(child, members);
  }
}

// False: the message is left out.
bool Loader::read_message(const pugi::xml_node& node) {
  MessageDefinition message;
  message.name = file_.attribute(node, "name", "its msgType is its name");
  message.msg_type = file_.attribute(node, "msgType");
  if (!check_msg_type(file_, node, message.msg_type)) return false;
  if (message.name.empty()) message.name = message.msg_type;
  message.admin = is_admin(message.msg_type);
  const pugi::xml_node structure = child_of(node, "structure");
  if (!structure) {
    file_.fault(node, "message " + quote(message.name) + " lacks <structure>", "it has no fields");
  }
  read_members(structure, message.members);
  dictionary_.messages.push_back(std::move(message));
  return true;
}

void Loader::read_messages(const pugi::xml_node& section) {
  std::set<std::string> names;
  for (const pugi::xml_node& node : choose(section, "message", "msgType")) {
    if (!read_message(node)) continue;
    nodes_.messages.push_back(node);
    MessageDefinition& message = dictionary_.messages.back();
    if (*node.attribute("name").value() == '\0') continue;
    message.name = unique(names, node, "message", message.msg_type);
  }
}

// In QuickFIX's model these two are not components, and messages do not list them.
void Loader::read_header_and_trailer() {
  const auto take = [&](std::string_view name, std::vector<Member>& place) {
    const auto& components = dictionary_.components;
    const auto found = std::ranges::find(components, name, &ComponentDefinition::name);
    if (found == components.end()) return;
    const auto index = static_cast<Index>(found - components.begin());
    place = found->members;
    for (MessageDefinition& message : dictionary_.messages) {
      std::erase_if(message.members, [&](const Member& member) {
        return member.kind == Member::Kind::Component && member.index == index;
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
    return std::unexpected{file_.consume_error()};
  }
  read_version(root);
  read_datatypes(child_of(root, "datatypes"));
  read_code_sets(child_of(root, "codeSets"));
  read_fields(fields);
  const pugi::xml_node components = child_of(root, "components");
  read_holders(components, "component", nodes_.components, component_ids_);
  // The edition of 2016 has groups among the components.
  read_holders(components, "group", nodes_.groups, group_ids_);
  read_holders(child_of(root, "groups"), "group", nodes_.groups, group_ids_);
  drop_groups_without_count();
  read_components();
  read_groups();
  read_messages(messages);
  check_length_tags();
  read_header_and_trailer();
  check_definitions(file_, dictionary_, nodes_);
  if (!file_.is_usable()) return std::unexpected{file_.consume_error()};
  pair_data_fields(dictionary_);
  dictionary_.warnings = file_.consume_warnings();
  return std::move(dictionary_);
}

}  // namespace

std::expected<Dictionary, DictionaryError> load_orchestra(XmlFile& file,
                                                          std::string_view scenario) {
  return Loader{file, scenario}.load();
}

}  // namespace nexusfix::dictionary
