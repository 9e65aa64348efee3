// The columns of an exported table: names and types by the dictionary, groups as lists.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "nexusfix/logs/fields/field_names.hpp"

namespace nexusfix::logs {

enum class ColumnType : std::uint8_t {
  Text,
  Bytes,      // of a data field
  Integer,    // 64 bits, signed
  Decimal,    // 26 digits before the point and 12 after it, exactly
  Boolean,    // Y or N
  Timestamp,  // nanoseconds, UTC
  Date,
  TimeOfDay,  // nanoseconds
  Group,      // a list of entries, which have the members as fields
};

struct Column {
  wire::Tag tag = 0;  // of a group: its count field
  std::string name;   // of the field; a tag without a name has its digits
  ColumnType type = ColumnType::Text;
  bool is_identifier = false;     // hardly any value comes twice
  std::vector<Column> members{};  // of a group
};

[[nodiscard]] ColumnType column_type(dictionary::FieldType type) noexcept;

// text: the value of --fields; empty: the usual fields of orders, and the parties. A count field
// stands for its group. The error names the wrong field.
[[nodiscard]] std::expected<std::vector<Column>, std::string> plan_columns(std::string_view text,
                                                                           const FieldNames& names);

}  // namespace nexusfix::logs
