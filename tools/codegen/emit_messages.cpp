#include "codegen/emit_messages.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <utility>

#include "base/api/printable_text.hpp"
#include "codegen/blocks.hpp"
#include "codegen/emit_drafts.hpp"
#include "codegen/emit_fields.hpp"
#include "codegen/type_names.hpp"

namespace nexusfix::codegen {
namespace {

using dictionary::Dictionary;
using dictionary::FieldDefinition;
using dictionary::FlatMember;
using dictionary::Index;
using dictionary::Member;
using MemberKind = dictionary::Member::Kind;
using dictionary::MessageDefinition;

// From FIX 5.0 on, messages travel in sessions of FIXT 1.1.
std::string_view begin_string(const Dictionary& dictionary) {
  const std::string_view version = dictionary.begin_string;
  return version.starts_with("FIX.4") || version.starts_with("FIXT") ? version : "FIXT.1.1";
}

// As ApplVerID (1128) distinguishes versions: service packs exist only for FIX 5.0.
std::string application_version(const Dictionary& dictionary) {
  const bool named = dictionary.service_pack != 0 && dictionary.begin_string == "FIX.5.0";
  return dictionary.begin_string + (named ? "SP" + std::to_string(dictionary.service_pack) : "");
}

class Emitter {
 public:
  Emitter(const Dictionary& dictionary, const EmitOptions& options)
      : dictionary_{dictionary}, options_{options}, names_{type_names(dictionary)} {}

  [[nodiscard]] std::vector<GeneratedFile> emit() {
    std::vector<GeneratedFile> files{tags(),         plain_fields(), fields(),
                                     all_messages(), umbrella(),     enum_names()};
    for (std::size_t i = 0; i < names_.enum_files.size(); ++i) {
      if (!names_.enum_files[i].empty()) files.push_back(enumeration(i));
    }
    for (const auto& [index, name] : names_.named_groups) {
      files.push_back({path(name.file), emit_group(index, name)});
    }
    for (Index i = 0; i < names_.components.size(); ++i) {
      files.push_back({path(names_.components[i].file), emit_component(i)});
    }
    for (std::size_t i = 0; i < names_.messages.size(); ++i) {
      files.push_back({path(names_.messages[i].file), emit_message(dictionary_.messages[i], i)});
    }
    return files;
  }

 private:
  [[nodiscard]] std::string path(const std::string& file) const {
    return fmt::format("nexusfix/{}/{}.hpp", options_.name_space, file);
  }

  [[nodiscard]] std::string heading(std::string_view what) const {
    // A name may contain a line feed, and the text after it would become code. A name is never at
    // the end of a line, because it may end in a backslash.
    return fmt::format("// {} of {}.\n{}{}.\n#pragma once\n\n", printable(what),
                       printable(application_version(dictionary_)), kMadeBy,
                       printable(options_.source));
  }

  [[nodiscard]] GeneratedFile tags() const {
    std::string text = heading("The tags");
    text += fmt::format("#include <nexusfix/wire/field.hpp>\n\nnamespace nexusfix::{}::tag {{\n\n",
                        options_.name_space);
    for (std::size_t i = 0; i < names_.fields.size(); ++i) {
      text += fmt::format("inline constexpr wire::Tag {} = {};\n", names_.fields[i],
                          dictionary_.fields[i].tag);
    }
    text += fmt::format("\n}}  // namespace nexusfix::{}::tag\n", options_.name_space);
    // A compiler's error names a missing field by one of these.
    std::string declarations;
    for (const std::string& name : names_.fields) {
      declarations += fmt::format("struct {};\n", name);
    }
    return {path("tags"), text + '\n' + in_namespace(declarations, "::names")};
  }

  // All fields without an enumeration are in one header, because each is one line.
  [[nodiscard]] GeneratedFile plain_fields() const {
    std::string text = heading("The fields without enumerations");
    text += fmt::format(
        "#include <cstdint>\n#include <string_view>\n\n"
        "#include <nexusfix/base/decimal.hpp>\n#include <nexusfix/base/clock.hpp>\n"
        "#include <nexusfix/{0}/tags.hpp>\n"
        "#include <nexusfix/wire/convert.hpp>\n#include "
        "<nexusfix/wire/typed.hpp>\n\n",
        options_.name_space);
    const DataPairs pairs = data_pairs(dictionary_);
    std::string declarations;
    for (std::size_t i = 0; i < names_.fields.size(); ++i) {
      if (names_.enum_files[i].empty())
        declarations += emit_plain_field(dictionary_.fields[i], names_.fields[i], pairs);
    }
    return {path("plain_fields"), text + in_namespace(declarations)};
  }

  [[nodiscard]] GeneratedFile enumeration(std::size_t field) const {
    const FieldText emitted =
        emit_enum_field(dictionary_.fields[field], names_.fields[field], options_.name_space,
                        application_version(dictionary_));
    return {path(names_.enum_files[field]),
            heading("The values of " + dictionary_.fields[field].name) +
                "#include <cstdint>\n#include <string_view>\n\n"
                "#include <nexusfix/wire/field_text.hpp>\n\n" +
                in_namespace(without_shadow_warning(emitted) +
                             "\nusing wire::enum_operators::operator==;\n") +
                "\nnamespace nexusfix::wire {\n\n" + emitted.traits +
                "\n}  // namespace nexusfix::wire\n"};
  }

  // The enumerator Yield of one field has the name of the field Yield. It is scoped and hides
  // nothing, but GCC warns about it.
  [[nodiscard]] std::string without_shadow_warning(const FieldText& emitted) const {
    const bool has_namesake = std::ranges::any_of(
        emitted.enumerators, [&](const std::string& name) { return names_.types.has(name); });
    if (!has_namesake) return emitted.declaration;
    return "#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wshadow\"\n" +
           emitted.declaration + "#pragma GCC diagnostic pop\n";
  }

  // For code that needs all of them.
  [[nodiscard]] GeneratedFile fields() const {
    std::string text = heading("All fields");
    for (const std::string& file : names_.enum_files) {
      if (!file.empty()) text += fmt::format("#include <{}>\n", path(file));
    }
    return {path("fields"), text + fmt::format("#include <{}>\n", path("plain_fields"))};
  }

  // For programs that print: to_string() and the names of all enumerations' values.
  [[nodiscard]] GeneratedFile enum_names() const {
    std::string names;
    for (std::size_t i = 0; i < names_.enum_files.size(); ++i) {
      if (names_.enum_files[i].empty()) continue;
      names += emit_enum_names(dictionary_.fields[i], qualified(names_.fields[i]));
    }
    return {
        path("enum_names"),
        heading("The names of the values of all enumerations") +
            fmt::format("#include <{}>\n#include <nexusfix/wire/text.hpp>\n\n", path("fields")) +
            in_namespace("using wire::to_string;\n") + "\nnamespace nexusfix::wire {\n\n" + names +
            "\n}  // namespace nexusfix::wire\n"};
  }

  // Their names only, for code that finds out which of them an application handles.
  [[nodiscard]] GeneratedFile all_messages() const {
    std::string declarations;
    std::string list;
    for (const TypeName& message : names_.messages) {
      declarations += fmt::format("class {};\n", message.name);
      list += fmt::format("{}\n      {}", list.empty() ? "" : ",", qualified(message.name));
    }
    return {path("all_messages"),
            heading("The names of all messages") +
                "#include <nexusfix/wire/message_view.hpp>\n"
                "#include <nexusfix/wire/field_text.hpp>\n\n" +
                in_namespace("using wire::operator<<;\n\n" + declarations) + '\n' +
                in_namespace(fmt::format("struct AllMessages {{\n"
                                         "  using Names = wire::detail::MessageNames<{}>;\n}};\n",
                                         list),
                             "::members")};
  }

  // For a program that would rather have all messages than include each that it uses.
  [[nodiscard]] GeneratedFile umbrella() const {
    std::string text = heading("All messages");
    for (const TypeName& message : names_.messages) {
      text += fmt::format("#include <{}>\n", path(message.file));
    }
    return {fmt::format("nexusfix/{}.hpp", options_.name_space), text};
  }

  // With its namespace, because a field with a lower-case name could be mistaken for its accessor.
  [[nodiscard]] std::string qualified(const std::string& name) const {
    return options_.name_space + "::" + name;
  }

  [[nodiscard]] std::string includes(const Block& block, std::set<std::string> files = {}) const {
    files.insert({path("plain_fields"), "nexusfix/wire/typed_read.hpp"});
    for (const Accessor& accessor : block.own) {
      if (accessor.member.kind == MemberKind::Component) {
        files.insert(path(names_.components[accessor.member.index].file));
      } else if (accessor.member.kind == MemberKind::Group) {
        files.insert(path(names_.groups[accessor.member.index].file));
      } else if (const std::string& file = names_.enum_files[accessor.member.index];
                 !file.empty()) {
        files.insert(path(file));
      }
    }
    std::string text = "#include <array>\n#include <string_view>\n\n";
    for (const std::string& file : files) text += fmt::format("#include <{}>\n", file);
    return text;
  }

  // The result of a field's getter: what member() returns, constant or not.
  static constexpr std::string_view kFieldType = "decltype(auto)";

  [[nodiscard]] static std::string function(std::string_view name, const std::string& result,
                                            std::string_view parameter = "",
                                            std::string_view type = "auto") {
    const std::string begin = fmt::format(
        "  [[nodiscard, gnu::always_inline]] {} {}({}) const noexcept {{", type, name, parameter);
    std::string line = fmt::format("{} return {}; }}\n", begin, result);
    constexpr std::size_t kColumnsMax = 100;
    if (line.size() <= kColumnsMax + 1) return line;
    return fmt::format("{}\n    return {};\n  }}\n", begin, result);
  }

  [[nodiscard]] std::string emit_accessor(const Accessor& accessor) const {
    const Member& member = accessor.member;
    const std::string_view checked = member.required ? "Checked" : "false";
    switch (member.kind) {
      case MemberKind::Component:
        return function(accessor.name,
                        fmt::format("wire::component_member<Self, {}, {}>(*this)",
                                    qualified(names_.component_names[member.index]), checked));
      case MemberKind::Group: {
        const std::string& alias = names_.fields[dictionary_.groups[member.index].count_field];
        return fmt::format("  using {} = {}::groups::{};\n", alias, options_.name_space,
                           names_.groups[member.index].name) +
               function(accessor.name, fmt::format("wire::group_member<Self, {}>(*this)", alias));
      }
      case MemberKind::Field:
        break;
    }
    std::string text = function(accessor.name,
                                fmt::format("wire::member<Self, {}, {}>(*this)",
                                            qualified(names_.fields[member.index]), checked),
                                "", kFieldType);
    if (!accessor.name_with_default.empty()) {
      text +=
          function(accessor.name_with_default,
                   fmt::format("wire::value_or({}(), other)", accessor.name), "const auto& other");
    }
    return text;
  }

  // The accessors, as a base class of each class Self with these members. Checked: whether Self has
  // checked the required fields. first: see emit_group().
  [[nodiscard]] std::string emit_members(const Block& block, const std::string& name,
                                         const std::string& first) const {
    std::string bases;
    for (const InheritedComponent& base : block.inherited) {
      const std::string between =
          ",\n" + std::string(std::string_view{"struct  : "}.size() + name.size(), ' ');
      bases +=
          fmt::format("{}{}<Self, {}>", bases.empty() ? " : " : between,
                      names_.component_names[base.component], base.required ? "Checked" : "false");
    }
    std::string text = fmt::format(
        "namespace nexusfix::{}::members {{\n\n"
        "template <class Self, bool Checked>\nstruct {}{} {{\n",
        options_.name_space, name, bases);
    text += first;
    for (const Accessor& accessor : block.own) text += emit_accessor(accessor);
    return text +
           fmt::format("}};\n\n}}  // namespace nexusfix::{}::members\n\n", options_.name_space);
  }

  [[nodiscard]] std::string tag_array(std::string_view name,
                                      const std::vector<Index>& fields) const {
    std::string text =
        fmt::format("  static constexpr std::array<wire::Tag, {}> {}{{", fields.size(), name);
    std::size_t column = text.size();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::string tag =
          std::to_string(dictionary_.fields[fields[i]].tag) + (i + 1 == fields.size() ? "" : ",");
      constexpr std::size_t kColumnsMax = 94;
      if (column += tag.size() + 1; column > kColumnsMax) {
        text += "\n      ";
        column = tag.size() + 6;
      } else if (i != 0) {
        text += ' ';
      }
      text += tag;
    }
    return text + "};\n";
  }

  // The facts about a class that senders and from() need.
  [[nodiscard]] std::string emit_facts(const std::vector<FlatMember>& fields) const {
    std::string tags;
    std::string types;
    std::string names;
    std::vector<Index> all;
    for (const FlatMember& field : fields) {
      all.push_back(field.field);
      if (!field.required) continue;
      tags += fmt::format("{}{}", tags.empty() ? "" : ", ", dictionary_.fields[field.field].tag);
      types += fmt::format("{}\n      {}", types.empty() ? "" : ",",
                           qualified(names_.fields[field.field]));
      names += fmt::format("{}names::{}", names.empty() ? "" : ", ", names_.fields[field.field]);
    }
    return fmt::format("  using Required = wire::detail::TagList<{}>;\n", tags) +
           fmt::format("  using RequiredNames = wire::detail::FieldNames<{}>;\n", names) +
           fmt::format("  using RequiredFields = wire::detail::FieldList<{}>;\n", types) +
           tag_array("kMembers", all);
  }

  [[nodiscard]] std::string emit_class(const std::string& name, std::string_view base,
                                       const std::string& facts, bool checked) const {
    return fmt::format(
        "// Valid as long as the view that it was made from; see wire::{1}.\n"
        "class {0} : public wire::{1}<{0}>,\n{2:{3}}public members::{0}<{0}, {4}> {{\n public:\n"
        "{5}\n private:\n  friend wire::detail::Unchecked;\n"
        "  using wire::{1}<{0}>::{1};\n}};\n",
        name, base, "", std::string_view{"class  : "}.size() + name.size(), checked, facts);
  }

  // The copy of a message does not compile, and its error names the line that copies: the template
  // is a better match than the deleted functions.
  [[nodiscard]] static std::string emit_no_copy(const std::string& name) {
    return fmt::format(
        "  {0}({0}&&) = default;  // for the result of from()\n"
        "  // Do not compile: see wire::detail::refuse_copy().\n"
        "  {0}(const volatile {0}&) = delete;\n"
        "  {0}& operator=(const volatile {0}&) = delete;\n"
        "  // A copy from a mutable view.\n"
        "  template <std::same_as<{0}> Same>\n"
        "  explicit(false) {0}(const Same& other) noexcept : TypedMessageView{{other}} {{\n"
        "    wire::detail::refuse_copy<Same>();\n"
        "  }}\n"
        "  // `{0} message;`, a view of no message.\n"
        "  template <class Same = {0}>\n"
        "  {0}() noexcept : TypedMessageView{{nullptr}} {{\n"
        "    wire::detail::refuse_copy<Same>();\n"
        "  }}\n"
        "  // An assignment.\n"
        "  template <std::same_as<{0}> Same>\n"
        "  constexpr {0}& operator=(const Same&) noexcept {{\n"
        "    return wire::detail::refuse_copy<Same>(), *this;\n"
        "  }}\n",
        name);
  }

  [[nodiscard]] std::string in_namespace(const std::string& text,
                                         std::string_view inner = "") const {
    return fmt::format("namespace nexusfix::{0}{1} {{\n\n{2}\n}}  // namespace nexusfix::{0}{1}\n",
                       options_.name_space, inner, text);
  }

  [[nodiscard]] std::string emit_message(const MessageDefinition& message, std::size_t index) {
    const std::string& name = names_.messages[index].name;
    const Block block = blocks_.make(message.members, name);
    const std::string facts =
        fmt::format(
            "  static constexpr std::string_view kMsgType = {};\n"
            "  static constexpr std::string_view kBeginString = {};\n"
            "  static constexpr std::string_view kApplicationVersion = {};\n",
            string_literal(message.msg_type), string_literal(begin_string(dictionary_)),
            string_literal(application_version(dictionary_))) +
        emit_facts(flatten(dictionary_, message.members)) + draft_facts(message, name) +
        emit_no_copy(name);
    return heading(fmt::format("{} ({})", message.name, message.msg_type)) +
           includes(block, {path("all_messages"), "nexusfix/wire/draft.hpp"}) + '\n' +
           emit_members(block, name, "") +
           in_namespace(emit_class(name, "TypedMessageView", facts, true));
  }

  // A message that is itself named Draft has none.
  [[nodiscard]] std::string draft_facts(const MessageDefinition& message,
                                        const std::string& name) const {
    if (name == "Draft") return "";
    return emit_draft_facts(names_, options_.name_space, name,
                            flatten(dictionary_, message.members)) +
           fmt::format("  using Draft = wire::Draft<{}>;\n", name);
  }

  [[nodiscard]] std::string emit_component(Index index) {
    const auto& component = dictionary_.components[index];
    const std::string& name = names_.component_names[index];
    const Block& block = blocks_.component(index);
    return heading("Component " + component.name) + includes(block) + '\n' +
           emit_members(block, name, "") +
           in_namespace(emit_class(name, "TypedComponentView",
                                   emit_facts(flatten(dictionary_, component.members)), true));
  }

  // The only check of an entry is that it begins with the group's first field. If that field is a
  // text, its value is valid, too.
  [[nodiscard]] std::string emit_group(Index index, const TypeName& name) {
    const auto& group = dictionary_.groups[index];
    const std::vector<FlatMember> fields = flatten(dictionary_, group.members);
    Block block = blocks_.make(group.members, name.name);
    const FlatMember& first = fields.front();
    std::string first_text;
    const FieldDefinition& delimiter = dictionary_.fields[first.field];
    if (!first.group && enum_kind(delimiter) == EnumKind::None &&
        value_type(delimiter.type) == "std::string_view") {
      const auto accessor = std::ranges::find(block.names, delimiter.tag,
                                              [](const auto& entry) { return entry.second; });
      std::erase_if(block.own, [&](const Accessor& own) { return own.name == accessor->first; });
      first_text = function(
          accessor->first,
          fmt::format("wire::first_member<Self, {}>(*this)", qualified(names_.fields[first.field])),
          "", kFieldType);
    }
    const std::string facts = fmt::format("  static constexpr wire::Tag kCountTag = {};\n",
                                          dictionary_.fields[group.count_field].tag) +
                              emit_facts(fields) +
                              emit_draft_facts(names_, options_.name_space, name.name, fields) +
                              tag_array("kNested", nested_fields_of(dictionary_, fields));
    const std::string& count_name = dictionary_.fields[group.count_field].name;
    return heading("An entry of a group " + count_name) + includes(block) + '\n' +
           emit_members(block, name.name, first_text) +
           in_namespace(emit_class(name.name, "TypedEntryView", facts, false), "::groups");
  }

  const Dictionary& dictionary_;
  const EmitOptions& options_;
  TypeNames names_;
  BlockMaker blocks_{dictionary_, names_.fields, names_.component_names};
};

}  // namespace

std::vector<GeneratedFile> emit_messages(const Dictionary& dictionary, const EmitOptions& options) {
  return Emitter{dictionary, options}.emit();
}

}  // namespace nexusfix::codegen
