// The names of a dictionary's tags, values and message types: small lookup tables for printing
// messages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary/model.hpp>
#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::dictionary {

// A part of a table's text. It has an offset instead of a pointer, so that built-in tables need no
// relocation.
struct TextPlace {
  std::uint32_t offset = 0;  // of the first byte
  std::uint32_t size = 0;    // in bytes
};

// The name and the type of a field.
struct FieldRow {
  wire::Tag tag = 0;                    // its tag: 54
  TextPlace name;                       // its name: "Side"
  std::uint32_t values_begin = 0;       // the position of its first value in Rows::values
  std::uint32_t values_count = 0;       // the number of its values
  FieldType type = FieldType::Unknown;  // its type: Char
};

// The name of a value of an enumerated field, or of a MsgType.
struct ValueRow {
  TextPlace value;  // as in a message: "1", or "D"
  TextPlace name;   // its name: "BUY", or "NewOrderSingle"
};

// The names of a dictionary: a view of rows that live elsewhere. For a built-in dictionary they
// live as long as the program; for others see LoadedNames. The names that it returns live as long
// as the rows. Any number of threads may read it. A lookup is O(log rows) and does not allocate.
class NameTable {
 public:
  // The rows of a table and the text of their names.
  struct Rows {
    std::string_view text;               // all names, one after the other
    std::span<const FieldRow> fields;    // by ascending tag
    std::span<const ValueRow> values;    // grouped by field, by ascending value
    std::span<const ValueRow> messages;  // by ascending MsgType
  };

  // Without any names.
  NameTable() = default;
  // A view of these rows, which must be sorted as Rows says, and outlive it.
  explicit NameTable(const Rows& rows) noexcept : rows_{rows} {}

  // The name of a field: "Side" for 54. Unset: the dictionary does not have the field.
  [[nodiscard]] std::optional<std::string_view> field_name(wire::Tag tag) const noexcept;
  // The type of a field. Unset: the dictionary does not have the field.
  [[nodiscard]] std::optional<FieldType> field_type(wire::Tag tag) const noexcept;
  // The name of a value of an enumerated field: "BUY" for 54 and "1". Unset: the dictionary does
  // not have the field or the value.
  [[nodiscard]] std::optional<std::string_view> value_name(wire::Tag tag,
                                                           std::string_view value) const noexcept;
  // Whether the dictionary names values of the field: it is enumerated.
  [[nodiscard]] bool has_values(wire::Tag tag) const noexcept;
  // The name of a message: "NewOrderSingle" for "D". Unset: the dictionary does not have it.
  [[nodiscard]] std::optional<std::string_view> message_name(
      std::string_view msg_type) const noexcept;

 private:
  [[nodiscard]] const FieldRow* field(wire::Tag tag) const noexcept;
  [[nodiscard]] std::optional<std::string_view> name_of(std::span<const ValueRow> rows,
                                                        std::string_view value) const noexcept;
  [[nodiscard]] std::string_view text(TextPlace place) const noexcept {
    return rows_.text.substr(place.offset, place.size);
  }

  Rows rows_;
};

// Owns the rows of a dictionary that was loaded at run time.
//
//   const dictionary::LoadedNames names{*dictionary};
//   names.table().field_name(54);
class LoadedNames {
 public:
  // Copies the names of a dictionary, which it does not need afterwards. Allocates.
  explicit LoadedNames(const Dictionary& dictionary);
  // The names. Valid until this object is assigned to, moved from or destroyed.
  [[nodiscard]] NameTable table() const noexcept;

 private:
  std::string text_;
  std::vector<FieldRow> fields_;
  std::vector<ValueRow> values_;
  std::vector<ValueRow> messages_;
};

}  // namespace nexusfix::dictionary
