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

#include <nexusfix/dictionary/names.hpp>
#include <nexusfix/wire/typed/field.hpp>

#include "nexusfix/logs/fields/field_names.hpp"
#include "nexusfix/logs/fields/message_fields.hpp"
#include "nexusfix/logs/output/json_objects.hpp"
#include "nexusfix/logs/source/log_reader.hpp"

namespace nexusfix::logs {

enum class OutputForm : std::uint8_t {
  Line,    // the line, with `|` for SOH and \x1b for control characters
  Raw,     // the text before the message, the exact bytes of the message, a line feed
  Ndjson,  // an object a line
  Json,    // an array of these objects
  Csv,     // a row a message, RFC 4180, after a row of names
  Table,   // aligned columns
};

struct OutputOptions {
  OutputForm form = OutputForm::Line;
  std::vector<wire::Tag> columns{};  // only these fields; empty: all, or the usual of a table
  bool with_path = false;            // the name of the file comes first
  const dictionary::NameTable* own_names = nullptr;  // come first
};

// Reads the value of --fields: tags and names between commas. The error names the wrong one.
[[nodiscard]] std::expected<std::vector<wire::Tag>, std::string> read_columns(
    std::string_view text, const FieldNames& names);

// In a row of Csv and Table the values of a field that occurs several times have a `;` between
// them.
class MessageWriter {
 public:
  // out must outlive the writer. Null: the writer makes a part of the output of another one, in any
  // form but Table.
  MessageWriter(std::FILE* out, const OutputOptions& options);

  void write(const LogMessage& message);
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
  void write_line(const LogMessage& message);
  void write_raw(const LogMessage& message);
  void write_object(const LogMessage& message);
  void write_row(const LogMessage& message);
  void write_names();
  void write_table_row(std::vector<std::string> cells);
  void flush_table();
  [[nodiscard]] std::vector<std::string> cells_of(const LogMessage& message);
  [[nodiscard]] std::string column_name(wire::Tag tag);
  void put(std::string& text);
  void limit_buffer();

  std::FILE* out_;
  OutputOptions options_;
  std::string text_;
  MessageFields fields_;
  TagNames names_;
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
