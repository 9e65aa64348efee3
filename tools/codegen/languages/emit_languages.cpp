#include "codegen/languages/emit_languages.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <utility>

#include "base/api/ascii.hpp"
#include "codegen/languages/language_model.hpp"

namespace nexusfix::codegen {
namespace {

constexpr std::array kLanguages{std::pair{std::string_view{"c++"}, Language::Cpp},
                                std::pair{std::string_view{"go"}, Language::Go},
                                std::pair{std::string_view{"java"}, Language::Java},
                                std::pair{std::string_view{"typescript"}, Language::TypeScript}};

// A string of Go, Java and JavaScript.
std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

std::string upper_snake(std::string_view name) {
  std::string out = snake_case(name);
  std::ranges::transform(out, out.begin(), to_upper);
  return out;
}

std::string first_line(const EmitOptions& options) {
  std::string source = options.source;
  std::ranges::replace_if(source, [](char c) { return c < ' ' || c > '~'; }, '?');
  return std::string{kMadeBy} + source + ". DO NOT EDIT.\n";
}

using KindNames = std::array<std::string_view, 7>;  // by ValueKind

std::string_view name_of(const KindNames& names, ValueKind kind) {
  return names[static_cast<std::size_t>(kind)];
}

// The second argument of a data field: the tag of its Length field.
std::string length_of(const ModelField& field) {
  return field.kind == ValueKind::Data ? fmt::format(", {}", field.length_tag) : "";
}

// Which messages have the group, because a dictionary may have several of one count field.
std::string group_comment(std::string_view indent, const ModelGroup& group) {
  return fmt::format("{}// Of {}.\n", indent, fmt::join(group.messages, ", "));
}

// Every name of the model, and the types of its named values.
UniqueNames names_of(const LanguageModel& model) {
  UniqueNames names;
  for (const ModelField& field : model.fields) {
    (void)names.take(field.name, "");
    (void)names.take(field.name + "Value", "");
  }
  for (const ModelGroup& group : model.groups) (void)names.take(group.name, "");
  for (const ModelMessage& message : model.messages) (void)names.take(message.name, "");
  return names;
}

std::string go_values(const ModelField& field, UniqueNames& names) {
  std::string text =
      fmt::format("\n// {0}Value is a value of {0} ({1}).\ntype {0}Value string\n\nconst (\n",
                  field.name, field.tag);
  for (const NamedValue& value : field.values) {
    text += fmt::format("\t{} {}Value = {}\n", names.take(field.name + value.pascal, "Value"),
                        field.name, quote(value.value));
  }
  return text + ")\n";
}

std::string go_text(const LanguageModel& model, const EmitOptions& options) {
  constexpr KindNames kMakers{"TextField", "EnumField", "IntField",  "DecimalField",
                              "BoolField", "TimeField", "BytesField"};
  std::string text =
      first_line(options) + fmt::format(
                                "\n// Package {0} has the fields, values, groups and messages of "
                                "a FIX dictionary.\npackage {0}\n\nimport \"nexusfix\"\n",
                                options.name_space);
  text += "\n// Messages, for nexusfix.NewMessage().\nconst (\n";
  for (const ModelMessage& message : model.messages) {
    text += fmt::format("\t{} nexusfix.MsgType = {}\n", message.name, quote(message.msg_type));
  }
  text += ")\n\n// Fields, for Get() and Set().\nvar (\n";
  UniqueNames names = names_of(model);
  std::string values;
  for (const ModelField& field : model.fields) {
    const bool is_named = field.kind == ValueKind::Named;
    text += fmt::format("\t{} = nexusfix.{}{}({}{})\n", field.name, name_of(kMakers, field.kind),
                        is_named ? '[' + field.name + "Value]" : "", field.tag, length_of(field));
    if (is_named) values += go_values(field, names);
  }
  text += ")\n\n// Repeating groups, for Add() and Entries().\nvar (\n";
  for (const ModelGroup& group : model.groups) {
    text += group_comment("\t", group) +
            fmt::format("\t{} = nexusfix.NewGroup({}, []int{{{}}}{}{})\n", group.name,
                        group.count_tag, fmt::join(group.members, ", "),
                        group.groups.empty() ? "" : ", ", fmt::join(group.groups, ", "));
  }
  return text + ")\n" + values;
}

// One class may initialise 64 KiB of code: the constants are in interfaces of this number each.
constexpr std::size_t kJavaConstantsMax = 1000;

std::string java_parts(const std::string& class_name, const std::vector<std::string>& constants,
                       std::size_t parts) {
  std::string text =
      fmt::format("final class {0}Constants {{\n  private {0}Constants() {{}}\n", class_name);
  for (std::size_t i = 0; i < parts; ++i) {
    text += fmt::format("\n  interface Part{}{} {{\n", i,
                        i == 0 ? "" : fmt::format(" extends Part{}", i - 1));
    const std::size_t end = std::min(constants.size(), (i + 1) * kJavaConstantsMax);
    for (std::size_t k = i * kJavaConstantsMax; k < end; ++k) text += "    " + constants[k] + '\n';
    text += "  }\n";
  }
  return text + "}\n";
}

std::string java_text(const LanguageModel& model, const EmitOptions& options,
                      const std::string& class_name) {
  constexpr KindNames kMakers{"text", "named", "integer", "decimal", "bool", "time", "data"};
  constexpr KindNames kTypes{
      "String", "", "Long", "java.math.BigDecimal", "Boolean", "java.time.Instant", "byte[]"};
  UniqueNames names;
  std::vector<std::string> constants;
  std::string values;
  for (const ModelField& field : model.fields) {
    const bool is_named = field.kind == ValueKind::Named;
    constants.push_back(fmt::format(
        "Field<{}> {} = Field.{}({}{}{});",
        is_named ? class_name + '.' + field.name : name_of(kTypes, field.kind),
        names.take(upper_snake(field.name), "_FIELD"), name_of(kMakers, field.kind), field.tag,
        length_of(field), is_named ? ", " + class_name + '.' + field.name + ".values()" : ""));
    if (!is_named) continue;
    values +=
        fmt::format("\n  /** Values of {0} ({1}). */\n  public enum {0} implements NamedValue {{",
                    field.name, field.tag);
    for (const NamedValue& value : field.values) {
      values += fmt::format("{}\n    {}({})", &value == field.values.data() ? "" : ",", value.name,
                            quote(value.value));
    }
    values += fmt::format(
        ";\n    private final String text;\n    {0}(String text) {{ this.text = text; }}\n"
        "    @Override public String text() {{ return text; }}\n  }}\n",
        field.name);
  }
  std::map<std::string, std::string> groups;
  for (const ModelGroup& group : model.groups) {
    std::vector<std::string> inner;
    for (const std::string& name : group.groups) inner.push_back(groups[name]);
    const std::string name = names.take(upper_snake(group.name), "_GROUP");
    groups[group.name] = name;
    constants.push_back(group_comment("", group) +
                        fmt::format("    Group {} = new Group({}, new int[] {{{}}}{}{});", name,
                                    group.count_tag, fmt::join(group.members, ", "),
                                    inner.empty() ? "" : ", ", fmt::join(inner, ", ")));
  }
  for (const ModelMessage& message : model.messages) {
    constants.push_back(fmt::format("String {} = {};",
                                    names.take(upper_snake(message.name), "_MESSAGE"),
                                    quote(message.msg_type)));
  }
  std::string text =
      first_line(options) + fmt::format(
                                "package nexusfix.{};\n\nimport nexusfix.Field;\n"
                                "import nexusfix.Group;\nimport nexusfix.NamedValue;\n\n"
                                "/** The fields, values, groups and messages of a FIX dictionary. "
                                "*/\npublic final class {} implements ",
                                options.name_space, class_name);
  const std::size_t parts = constants.size() / kJavaConstantsMax + 1;
  return text +
         fmt::format("{0}Constants.Part{1} {{\n  private {0}() {{}}\n", class_name, parts - 1) +
         values + "}\n\n" + java_parts(class_name, constants, parts);
}

std::string js_text(const LanguageModel& model, const EmitOptions& options) {
  constexpr KindNames kMakers{"textField",    "namedField", "integerField", "decimalField",
                              "booleanField", "timeField",  "dataField"};
  std::string text =
      first_line(options) +
      fmt::format("import {{ {}, Group }} from \"nexusfix-gateway\";\n", fmt::join(kMakers, ", "));
  for (const ModelField& field : model.fields) {
    std::string values;
    for (const NamedValue& value : field.values) {
      values +=
          fmt::format("{}{}: {}", values.empty() ? ", { " : ", ", value.pascal, quote(value.value));
    }
    text +=
        fmt::format("export const {} = {}({}{}{}{});\n", field.name, name_of(kMakers, field.kind),
                    field.tag, length_of(field), values, values.empty() ? "" : " }");
  }
  for (const ModelGroup& group : model.groups) {
    text +=
        fmt::format("export const {} = new Group({}, [{}], [{}]);\n", group.name, group.count_tag,
                    fmt::join(group.members, ", "), fmt::join(group.groups, ", "));
  }
  for (const ModelMessage& message : model.messages) {
    text += fmt::format("export const {} = {};\n", message.name, quote(message.msg_type));
  }
  return text;
}

std::string ts_declarations(const LanguageModel& model, const EmitOptions& options) {
  constexpr KindNames kTypes{"Field<string>",  "Field<string>", "Field<number>",    "DecimalField",
                             "Field<boolean>", "Field<Date>",   "Field<Uint8Array>"};
  std::string text = first_line(options) +
                     "import type { DecimalField, Field, Group } from \"nexusfix-gateway\";\n";
  for (const ModelField& field : model.fields) {
    std::string values;
    for (const NamedValue& value : field.values) {
      values += fmt::format("  readonly {}: {};\n", value.pascal, quote(value.value));
    }
    text +=
        fmt::format("export declare const {}: {}{}{}{};\n", field.name, name_of(kTypes, field.kind),
                    values.empty() ? "" : " & {\n", values, values.empty() ? "" : "}");
  }
  for (const ModelGroup& group : model.groups) {
    text += group_comment("", group) + fmt::format("export declare const {}: Group;\n", group.name);
  }
  for (const ModelMessage& message : model.messages) {
    text += fmt::format("export declare const {}: {};\n", message.name, quote(message.msg_type));
  }
  return text;
}

}  // namespace

std::optional<Language> language_of(std::string_view name) noexcept {
  for (const auto& [text, language] : kLanguages) {
    if (text == name) return language;
  }
  return std::nullopt;
}

std::vector<GeneratedFile> emit_language(const dictionary::Dictionary& dictionary,
                                         Language language, const EmitOptions& options) {
  const LanguageModel model = language_model(dictionary);
  const std::string& name = options.name_space;
  switch (language) {
    case Language::Go:
      return {{name + '/' + name + ".go", go_text(model, options)}};
    case Language::Java: {
      const std::string type = pascal_case(name);
      return {{"nexusfix/" + name + '/' + type + ".java", java_text(model, options, type)}};
    }
    case Language::TypeScript:
      return {{name + ".js", js_text(model, options)},
              {name + ".d.ts", ts_declarations(model, options)}};
    case Language::Cpp:
      break;
  }
  return emit_messages(dictionary, options);
}

}  // namespace nexusfix::codegen
