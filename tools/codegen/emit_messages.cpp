#include "codegen/emit_messages.hpp"

#include <fmt/format.h>
#include <string_view>

#include "codegen/emit_fields.hpp"

namespace nexusfix::codegen {
namespace {

using dictionary::Dictionary;
using dictionary::FlatMember;
using dictionary::MessageDefinition;

class Emitter {
 public:
  Emitter(const Dictionary& dictionary, const EmitOptions& options)
      : dictionary_{dictionary}, options_{options} {
    // The namespace of the tags stands among the types.
    static_cast<void>(type_names_.take("tag", ""));
    field_names_ = field_identifiers(dictionary, type_names_);
  }

  [[nodiscard]] std::vector<GeneratedFile> emit() {
    std::vector<GeneratedFile> files{tags(), fields()};
    UniqueNames file_names;
    static_cast<void>(file_names.take("tags", ""));
    static_cast<void>(file_names.take("fields", ""));
    for (const MessageDefinition& message : dictionary_.messages) {
      const std::string name = type_names_.take(identifier(message.name), "Message");
      const std::string file = file_names.take(snake_case(name), "_message");
      files.push_back({path(file), emit_message(message, name)});
    }
    return files;
  }

 private:
  [[nodiscard]] std::string path(const std::string& file) const {
    return fmt::format("nexusfix/{}/{}.hpp", options_.name_space, file);
  }

  [[nodiscard]] std::string heading(std::string_view what) const {
    return fmt::format("// {} of {}.\n// Written by nexusfix_codegen from {}.\n#pragma once\n\n",
                       what, dictionary_.begin_string, options_.source);
  }

  [[nodiscard]] GeneratedFile tags() const {
    std::string text = heading("The tags");
    text += fmt::format("#include <nexusfix/wire/field.hpp>\n\nnamespace nexusfix::{}::tag {{\n\n",
                        options_.name_space);
    for (std::size_t i = 0; i < field_names_.size(); ++i) {
      text += fmt::format("inline constexpr wire::Tag {} = {};\n", field_names_[i],
                          dictionary_.fields[i].tag);
    }
    text += fmt::format("\n}}  // namespace nexusfix::{}::tag\n", options_.name_space);
    return {path("tags"), text};
  }

  [[nodiscard]] GeneratedFile fields() const {
    std::string text = heading("The fields");
    text += fmt::format(
        "#include <cstdint>\n#include <string_view>\n\n"
        "#include <nexusfix/base/decimal.hpp>\n#include <nexusfix/base/time.hpp>\n"
        "#include <nexusfix/{0}/tags.hpp>\n"
        "#include <nexusfix/wire/conversions.hpp>\n#include <nexusfix/wire/enum_values.hpp>\n"
        "#include <nexusfix/wire/typed.hpp>\n\n"
        "namespace nexusfix::{0} {{\n\n",
        options_.name_space);
    std::string traits;
    for (std::size_t i = 0; i < field_names_.size(); ++i) {
      const FieldText field =
          emit_field(dictionary_.fields[i], field_names_[i], options_.name_space);
      text += field.declaration;
      traits += field.traits;
    }
    text += fmt::format("\n}}  // namespace nexusfix::{}\n", options_.name_space);
    if (!traits.empty()) {
      text += "\nnamespace nexusfix::wire {\n\n" + traits + "\n}  // namespace nexusfix::wire\n";
    }
    return {path("fields"), text};
  }

  // With its namespace, so that a field with a lower-case name is not taken for its accessor.
  [[nodiscard]] std::string type_name(const FlatMember& member) const {
    return options_.name_space + "::" + field_names_[member.field];
  }

  // A group's count field has no accessor: its name is for the entries.
  [[nodiscard]] std::string accessors(const std::vector<FlatMember>& members,
                                      const std::string& class_name) const {
    UniqueNames names;
    for (const std::string& reserved : {std::string{"from"}, std::string{"view"}, class_name}) {
      static_cast<void>(names.take(reserved, ""));
    }
    std::string text;
    for (const FlatMember& member : members) {
      if (member.group) continue;
      const std::string suffix = '_' + std::to_string(dictionary_.fields[member.field].tag);
      const std::string name =
          names.take(identifier(snake_case(field_names_[member.field])), suffix);
      const std::string type = type_name(member);
      text += member.required ? fmt::format(
                                    "  [[nodiscard]] {0} {1}() const noexcept {{\n"
                                    "    return wire::checked_field<{0}>(view_);\n  }}\n",
                                    type, name)
                              : fmt::format(
                                    "  template <class F = {0}>\n"
                                    "  [[nodiscard]] wire::FieldResult<F> {1}() const noexcept {{\n"
                                    "    return wire::read_field<F>(view_);\n  }}\n",
                                    type, name);
    }
    return text;
  }

  [[nodiscard]] std::string emit_message(const MessageDefinition& message,
                                         const std::string& name) const {
    const std::vector<FlatMember> members = flatten(dictionary_, message.members);
    std::string tags;
    std::string types;
    for (const FlatMember& member : members) {
      if (!member.required) continue;
      const std::string_view comma = tags.empty() ? "" : ", ";
      tags += fmt::format("{}{}", comma, dictionary_.fields[member.field].tag);
      types += fmt::format("{}\n        {}", types.empty() ? "" : ",", type_name(member));
    }
    std::string text = heading(fmt::format("{} ({})", message.name, message.msg_type));
    text += fmt::format(
        "#include <expected>\n#include <string_view>\n\n"
        "#include <nexusfix/{0}/fields.hpp>\n#include <nexusfix/wire/typed_read.hpp>\n\n"
        "namespace nexusfix::{0} {{\n\n"
        "// Valid as long as the view that it was made from. A required field was checked by\n"
        "// from(); any other may be missing or malformed. F is not for the caller: it keeps the\n"
        "// accessors that a program does not use out of its compile time.\n"
        "class {1} {{\n public:\n"
        "  static constexpr std::string_view kMsgType = {2};\n"
        "  static constexpr std::string_view kBeginString = {3};\n"
        "  using Required = wire::TagList<{4}>;\n\n"
        "  [[nodiscard]] static std::expected<{1}, wire::FieldError> from(\n"
        "      const wire::MessageView& view) noexcept {{\n"
        "    const auto error = wire::check_fields<{5}>(view, kMsgType);\n"
        "    if (error) return std::unexpected{{*error}};\n"
        "    return {1}{{view}};\n  }}\n"
        "  [[nodiscard]] const wire::MessageView& view() const noexcept {{ return view_; }}\n",
        options_.name_space, name, string_literal(message.msg_type),
        string_literal(dictionary_.begin_string), tags, types);
    text += accessors(members, name);
    text += fmt::format(
        "\n private:\n  explicit {0}(const wire::MessageView& view) noexcept : view_{{view}} {{}}\n"
        "  wire::MessageView view_;\n}};\n\n}}  // namespace nexusfix::{1}\n",
        name, options_.name_space);
    return text;
  }

  const Dictionary& dictionary_;
  const EmitOptions& options_;
  UniqueNames type_names_;
  std::vector<std::string> field_names_;
};

}  // namespace

std::vector<GeneratedFile> emit_messages(const Dictionary& dictionary, const EmitOptions& options) {
  return Emitter{dictionary, options}.emit();
}

}  // namespace nexusfix::codegen
