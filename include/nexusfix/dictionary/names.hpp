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

// A part of a table's text. An offset instead of a pointer, so that compiled-in tables need no
// relocation.
struct TextPlace {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

struct FieldRow {
  wire::Tag tag = 0;
  TextPlace name;
  std::uint32_t values_begin = 0;
  std::uint32_t values_count = 0;
  FieldType type = FieldType::Unknown;
};

// The name of an enumeration's value, or of a MsgType.
struct ValueRow {
  TextPlace value;
  TextPlace name;
};

// A view: the rows and the text live elsewhere, for a built-in dictionary as long as the program.
// Reading is thread-safe and does not allocate. Each lookup is O(log rows).
class NameTable {
 public:
  struct Rows {
    std::string_view text;
    std::span<const FieldRow> fields;    // by ascending tag
    std::span<const ValueRow> values;    // grouped by field, by ascending value
    std::span<const ValueRow> messages;  // by ascending MsgType
  };

  NameTable() = default;
  explicit NameTable(const Rows& rows) noexcept : rows_{rows} {}

  // Nothing: the dictionary does not have it.
  [[nodiscard]] std::optional<std::string_view> field_name(wire::Tag tag) const noexcept;
  [[nodiscard]] std::optional<FieldType> field_type(wire::Tag tag) const noexcept;
  [[nodiscard]] std::optional<std::string_view> value_name(wire::Tag tag,
                                                           std::string_view value) const noexcept;
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
class LoadedNames {
 public:
  explicit LoadedNames(const Dictionary& dictionary);
  // Valid as long as this object is neither changed nor moved.
  [[nodiscard]] NameTable table() const noexcept;

 private:
  std::string text_;
  std::vector<FieldRow> fields_;
  std::vector<ValueRow> values_;
  std::vector<ValueRow> messages_;
};

}  // namespace nexusfix::dictionary
