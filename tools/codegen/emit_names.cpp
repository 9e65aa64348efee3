#include "codegen/emit_names.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/names.hpp"
#include "dictionary/builtin/name_rows.hpp"
#include "dictionary/builtin/packed.hpp"

namespace nexusfix::codegen {
namespace {

using dictionary::NameRows;
using dictionary::detail::FieldRow;
using dictionary::detail::TextPlace;
using dictionary::detail::ValueRow;

std::string place(TextPlace place) { return fmt::format("{{{}, {}}}", place.offset, place.size); }

void append_values(std::string& out, std::string_view name, std::size_t version,
                   const std::vector<ValueRow>& rows) {
  out += fmt::format("constexpr detail::ValueRow {}{}[] = {{\n", name, version);
  for (const ValueRow& row : rows) {
    out += fmt::format("    {{{}, {}}},\n", place(row.value), place(row.name));
  }
  if (rows.empty()) out += "    {},\n";
  out += "};\n";
}

void append_fields(std::string& out, std::size_t version, const std::vector<FieldRow>& rows) {
  out += fmt::format("constexpr detail::FieldRow kFields{}[] = {{\n", version);
  for (const FieldRow& row : rows) {
    out += fmt::format("    {{{}, {}, {}, {}, static_cast<FieldType>({})}},\n", row.tag,
                       place(row.name), row.values_begin, row.values_count,
                       static_cast<unsigned>(row.type));
  }
  if (rows.empty()) out += "    {},\n";
  out += "};\n";
}

// An array of characters, because a compiler need not accept a string literal of this size.
std::string text_array(std::string_view name, std::string_view text) {
  std::string out = fmt::format("constexpr char {}[] = {{\n    ", name);
  std::size_t column = 0;
  for (const char c : text) {
    const std::string literal = char_literal(c) + ',';
    if (column += literal.size(); column > 90) {
      out += "\n    ";
      column = literal.size();
    }
    out += literal;
  }
  return out + "'\\0'};\n";
}

}  // namespace

std::string emit_names(const std::vector<dictionary::Dictionary>& dictionaries) {
  dictionary::TextPool pool;
  std::string arrays;
  std::string table;
  for (std::size_t version = 0; version < dictionaries.size(); ++version) {
    const NameRows rows = make_name_rows(dictionaries[version], pool);
    append_fields(arrays, version, rows.fields);
    append_values(arrays, "kValues", version, rows.values);
    append_values(arrays, "kMessages", version, rows.messages);
    table += fmt::format(
        "    {{{{kText, sizeof kText - 1}},\n"
        "     std::span{{kFields{0}}}.first({1}),\n"
        "     std::span{{kValues{0}}}.first({2}),\n"
        "     std::span{{kMessages{0}}}.first({3})}},  // {4} service pack {5}\n",
        version, rows.fields.size(), rows.values.size(), rows.messages.size(),
        dictionaries[version].begin_string, dictionaries[version].service_pack);
  }
  std::string packed;
  std::string sizes;
  for (const dictionary::Dictionary& dictionary : dictionaries) {
    const std::string bytes = pack(dictionary, pool);
    packed += bytes;
    sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", bytes.size());
  }
  const std::string text = text_array("kText", pool.text()) + text_array("kPacked", packed);
  return "// Written by nexusfix_codegen from the files in dictionaries/.\n"
         "#include \"dictionary/builtin/builtin_rows.hpp\"\n\n"
         "namespace nexusfix::dictionary {\nnamespace {\n\n" +
         text + arrays +
         "\n}  // namespace\n\nconstinit const NameTable::Rows kBuiltinRows[kVersionCount] = {\n" +
         table + "};\n\n" +
         fmt::format(
             "constinit const BuiltinPacked kBuiltinPacked{{{{kText, sizeof kText - 1}},\n"
             "    {{kPacked, sizeof kPacked - 1}}, {{{}}}}};\n\n",
             sizes) +
         "}  // namespace nexusfix::dictionary\n";
}

}  // namespace nexusfix::codegen
