#include "nexusfix/logs/output/message_writer.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <fmt/format.h>
#include <utility>

#include <nexusfix/base/ascii.hpp>
#include <nexusfix/base/printable_text.hpp>
#include <nexusfix/wire/typed/field.hpp>

#include "nexusfix/help/read_progress.hpp"

namespace nexusfix::logs {
namespace {

using wire::kSoh;
constexpr std::size_t kBufferBytes = 256U << 10U;
// The widths of a table are those of its first rows. A longer value moves the rest of its row.
constexpr std::size_t kMeasuredRows = 1000;
constexpr std::size_t kCellBytesMax = 40;
// Of Csv and Table without --fields.
constexpr std::array<wire::Tag, 18> kUsualColumns{52,  49, 56, 34, 35, 11, 41, 37, 17,
                                                  150, 39, 55, 54, 38, 44, 32, 31, 58};

void append_csv(std::string& to, std::string_view cell) {
  if (cell.find_first_of(",\"\r\n") == cell.npos) {
    to += cell;
    return;
  }
  to += '"';
  for (const char c : cell) {
    if (c == '"') to += '"';
    to += c;
  }
  to += '"';
}

}  // namespace

std::expected<std::vector<wire::Tag>, std::string> read_columns(std::string_view text,
                                                                const FieldNames& names) {
  std::vector<wire::Tag> columns;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = trimmed(text.substr(0, comma));
    constexpr std::size_t kDigitsMax = 9;
    if (const auto* const field = names.field(word); field != nullptr) {
      columns.push_back(field->tag);
    } else if (is_all_digits(word) && word.size() <= kDigitsMax && word.front() != '0') {
      columns.push_back(static_cast<wire::Tag>(std::stoi(std::string{word})));
    } else {
      const auto near = names.nearest_field(word);
      return std::unexpected{fmt::format("'{}' is no field of FIX{}", printable(word),
                                         near ? fmt::format(". Did you mean {}?", *near) : "")};
    }
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  if (columns.empty()) return std::unexpected{"tags or names were expected, such as 11,55,38"};
  return columns;
}

MessageWriter::MessageWriter(std::FILE* out, const OutputOptions& options)
    : out_{out},
      options_{options},
      names_{options.own_names},
      objects_{options.own_names, options.columns} {
  const bool has_columns = options.form == OutputForm::Csv || options.form == OutputForm::Table;
  if (has_columns && options_.columns.empty()) {
    options_.columns.assign(kUsualColumns.begin(), kUsualColumns.end());
  }
  if (out == nullptr) {
    count_ = 1;  // the other writer begins the output
    return;
  }
#ifdef F_SETPIPE_SZ
  // Much output for a program: a pipe of the usual 64 KiB makes both programs wait often.
  constexpr int kPipeBytes = 1 << 20;
  static_cast<void>(::fcntl(::fileno(out), F_SETPIPE_SZ, kPipeBytes));
#endif
}

bool MessageWriter::is_wanted(wire::Tag tag) const noexcept {
  return options_.columns.empty() ||
         std::ranges::find(options_.columns, tag) != options_.columns.end();
}

void MessageWriter::write(const LogMessage& message) {
  switch (options_.form) {
    case OutputForm::Line:
      write_line(message);
      break;
    case OutputForm::Raw:
      write_raw(message);
      break;
    case OutputForm::Ndjson:
    case OutputForm::Json:
      write_object(message);
      break;
    case OutputForm::Csv:
    case OutputForm::Table:
      write_row(message);
      break;
  }
  ++count_;
  limit_buffer();
}

void MessageWriter::put(std::string& text) {
  if (text.empty()) return;
  command::begin_output();
  std::fwrite(text.data(), 1, text.size(), out_);
  text.clear();
}

void MessageWriter::limit_buffer() {
  if (text_.size() >= kBufferBytes && out_ != nullptr) put(text_);
}

void MessageWriter::take(MessageWriter& part) {
  if (part.text_.empty()) return;
  if (count_++ == 0) {
    if (options_.form == OutputForm::Json) part.text_.front() = '[';
    if (options_.form == OutputForm::Csv) write_names();
  }
  put(text_);
  put(part.text_);
}

void MessageWriter::write_gap() {
  if (options_.form == OutputForm::Line) text_ += "--\n";
}

void MessageWriter::write_line(const LogMessage& message) {
  if (options_.with_path) {
    append_printable(text_, message.path);
    text_ += ':';
  }
  append_printable(text_, message.prefix);
  fields_.read(message.bytes);
  for (const MessageField& field : fields_.all()) {
    if (!is_wanted(field.tag)) continue;
    append_printable(text_, field.text);
    text_ += '|';
  }
  text_ += '\n';
}

void MessageWriter::write_raw(const LogMessage& message) {
  if (options_.with_path) text_.append(message.path) += ':';
  text_ += message.prefix;
  if (options_.columns.empty()) {
    text_ += message.bytes;
  } else {
    fields_.read(message.bytes);
    for (const MessageField& field : fields_.all()) {
      if (!is_wanted(field.tag)) continue;
      text_.append(field.text) += kSoh;
    }
  }
  text_ += '\n';
}

void MessageWriter::write_object(const LogMessage& message) {
  if (options_.form == OutputForm::Json) text_ += count_ == 0 ? "[\n" : ",\n";
  const std::string_view path = options_.with_path ? message.path : std::string_view{};
  objects_.append(text_, message, path);
  if (options_.form == OutputForm::Ndjson) text_ += '\n';
}

std::string MessageWriter::column_name(wire::Tag tag) {
  const std::string_view name = names_.of("FIX.4.4").name(tag);
  if (!name.empty()) return std::string{name};
  const std::string_view later = names_.of("FIXT.1.1").name(tag);
  return later.empty() ? std::to_string(tag) : std::string{later};
}

std::vector<std::string> MessageWriter::cells_of(const LogMessage& message) {
  std::vector<std::string> cells;
  if (options_.with_path) cells.emplace_back(message.path);
  fields_.read(message.bytes);
  for (const wire::Tag column : options_.columns) {
    std::string& cell = cells.emplace_back();
    bool is_first = true;
    for (const MessageField& field : fields_.all()) {
      if (field.tag != column) continue;
      if (!is_first) cell += ';';
      cell += field.value;
      is_first = false;
    }
  }
  return cells;
}

void MessageWriter::write_names() {
  std::vector<std::string> names;
  if (options_.with_path) names.emplace_back("file");
  for (const wire::Tag column : options_.columns) names.push_back(column_name(column));
  if (options_.form == OutputForm::Table) {
    write_table_row(std::move(names));
    return;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text_ += ',';
    append_csv(text_, names[i]);
  }
  text_ += "\r\n";
}

void MessageWriter::write_row(const LogMessage& message) {
  if (count_ == 0) write_names();
  std::vector<std::string> cells = cells_of(message);
  if (options_.form == OutputForm::Table) {
    write_table_row(std::move(cells));
    return;
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text_ += ',';
    append_csv(text_, cells[i]);
  }
  text_ += "\r\n";
}

void MessageWriter::write_table_row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
  if (!widths_.empty() || rows_.size() > kMeasuredRows) flush_table();
}

void MessageWriter::flush_table() {
  if (rows_.empty()) return;
  if (widths_.empty()) {
    widths_.resize(rows_.front().size());
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        widths_[i] = std::max(widths_[i], std::min(row[i].size(), kCellBytesMax));
      }
    }
  }
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += fmt::format("{:<{}}  ", row[i], widths_[i]);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    text_.append(line) += '\n';
  }
  rows_.clear();
}

void MessageWriter::flush() {
  flush_table();
  put(text_);
  std::fflush(out_);
}

void MessageWriter::finish() {
  if (options_.form == OutputForm::Json) text_ += count_ == 0 ? "[]\n" : "\n]\n";
  flush();
}

}  // namespace nexusfix::logs
