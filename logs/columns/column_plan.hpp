// The columns of an exported table: names and types by the dictionary, groups as lists.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "logs/columns/column_values.hpp"
#include "nexusfix/dictionary/field_names.hpp"

namespace nexusfix::logs {

enum class ColumnType : std::uint8_t {
  Text,
  Bytes,      // of a data field
  Integer,    // 64 bits, signed
  Decimal,    // of 38 digits, exactly
  Boolean,    // Y or N
  Timestamp,  // nanoseconds, UTC
  Date,
  TimeOfDay,  // nanoseconds
  Group,      // a list of entries, which have the members as fields
};

// The names of the codes of an enumeration: "BUY" for "1".
struct CodeNames {
  std::vector<dictionary::FieldDefinition::EnumValue> names;  // by ascending value
  bool is_multiple = false;  // a value is several codes with spaces between them

  // The name of a value. A code without a name stays as it is.
  [[nodiscard]] std::string_view name(std::string_view value, std::string& memory) const;
};

struct Column {
  wire::Tag tag = 0;  // of a group: its count field
  std::string name;   // of the field; a tag without a name has its digits
  ColumnType type = ColumnType::Text;
  bool is_identifier = false;                // hardly any value comes twice
  unsigned scale = 0;                        // of a Decimal: digits after the point
  std::shared_ptr<const CodeNames> codes{};  // of a Text that has names in place of codes
  std::vector<Column> members{};             // of a group
};

[[nodiscard]] ColumnType column_type(dictionary::FieldType type) noexcept;

struct ColumnForms {
  unsigned scale = kDecimalScale;  // of decimals: digits after the point, up to kDecimalScaleMax
  bool with_names = false;         // enumerated fields have the names of their values
};
// text: the value of --fields; empty: the usual fields of orders, and the parties. A count field
// stands for its group. The error names the wrong field.
[[nodiscard]] std::expected<std::vector<Column>, std::string> plan_columns(
    std::string_view text, const command::FieldNames& names, ColumnForms forms = {});

}  // namespace nexusfix::logs
