// Prints messages for programs and for people who look at many: one line each, JSON, CSV, a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/wire/field.hpp>

#include "logs/fields/field_slots.hpp"
#include "logs/fields/message_fields.hpp"
#include "logs/fields/password_mask.hpp"
#include "logs/output/json_objects.hpp"
#include "logs/source/log_reader.hpp"
#include "nexusfix/dictionary/field_names.hpp"

namespace nexusfix::logs {

enum class OutputForm : std::uint8_t {
  Line,    // the line, with `|` for SOH and \x1b for control characters
  Raw,     // the text before the message, the exact bytes of the message, a line feed
  Ndjson,  // an object a line
  Json,    // an array of these objects
  Csv,     // a row a message, RFC 4180, after a row of names
  // Csv, but a cell that a spreadsheet would take for a formula begins with an apostrophe.
  Spreadsheet,
  Table,  // aligned columns
};
[[nodiscard]] constexpr bool is_csv(OutputForm form) noexcept {
  return form == OutputForm::Csv || form == OutputForm::Spreadsheet;
}

struct OutputOptions {
  OutputForm form = OutputForm::Line;
  std::vector<wire::Tag> columns{};  // only these fields; empty: all, or the usual of a table
  bool with_path = false;            // the name of the file comes first
  bool shows_passwords = false;      // false: *** is in their place
  bool is_on_terminal = false;       // Csv has \x1b for control characters, as the other forms do
  const dictionary::NameTable* own_names = nullptr;  // come first
};

// Reads the value of --fields: tags and names between commas. The error names the wrong one.
[[nodiscard]] std::expected<std::vector<wire::Tag>, std::string> read_columns(
    std::string_view text, const command::FieldNames& names);

// In a row of Csv and Table the values of a field that occurs several times have a `;` between
// them.
class MessageWriter {
 public:
  // out must outlive the writer. Null: the writer makes a part of the output of another one, in any
  // form but Table.
  MessageWriter(std::FILE* out, const OutputOptions& options);

  void write(LogMessage message);
  // "--" between messages that do not follow each other, in the forms for people.
  void write_gap();
  // Writes the output of a writer without a file, and empties it.
  void take(MessageWriter& part);
  // Forgets the output of a writer without a file.
  void discard() { text_.clear(); }
  // Writes what is buffered. The last call is finish().
  void flush();
  void finish();

 private:
  [[nodiscard]] bool is_wanted(wire::Tag tag) const noexcept;
  void write_line(const LogMessage& message, bool has_length);
  [[nodiscard]] bool append_with_bars(std::string_view bytes);
  void write_raw(const LogMessage& message);
  void write_object(const LogMessage& message);
  void write_row(const LogMessage& message);
  void write_names();
  void write_table_row(std::vector<std::string> cells);
  void flush_table();
  void plan_row();
  void read_row(std::string_view bytes);
  void add_cell(std::size_t column, std::string_view value, std::uint64_t message);
  [[nodiscard]] std::string_view cell(std::size_t column);
  void append_csv(std::string_view cell);
  void append_plain_row(std::string_view bytes);
  [[nodiscard]] std::string column_name(wire::Tag tag);
  void put(std::string& text);
  void limit_buffer();

  std::FILE* out_;
  OutputOptions options_;
  std::string text_;
  MessageFields fields_;
  command::TagNames names_;
  PasswordMask mask_;
  // A row of Csv or a table: by column, the first value of its field, and the number of the message
  // that has it; and the other values of all fields, in order.
  struct Cell {
    std::string_view value{};
    std::uint64_t message = 0;
    bool has_more = false;
  };
  struct FurtherValue {
    std::size_t column;
    std::string_view value;
  };
  std::vector<Cell> row_;
  std::vector<FurtherValue> further_;
  std::string joined_;                // the values of one cell
  std::vector<std::size_t> same_as_;  // by column: the first one with its tag
  FieldSlots slots_;                  // the number of the column with a tag, from 1
  bool can_skip_ = false;             // the other fields need not be looked at
  bool is_copied_row_ = false;        // Csv as it is, without a column that comes twice
  bool is_plain_row_ = false;         // no value has a byte that Csv quotes
  std::uint64_t count_ = 0;
  std::vector<std::vector<std::string>> rows_;  // of a table, until its widths are known
  std::vector<std::size_t> widths_;
  JsonObjects objects_;
};

// Stop: the output cannot be written any more, for example because the disk is full. The end of
// main() reports it.
[[nodiscard]] inline AfterMessage after_output(std::FILE* out) noexcept {
  return std::ferror(out) == 0 ? AfterMessage::Continue : AfterMessage::Stop;
}

}  // namespace nexusfix::logs
