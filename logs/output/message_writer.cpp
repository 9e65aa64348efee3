#include "logs/output/message_writer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <utility>

#include <nexusfix/wire/field.hpp>

#include "base/api/ascii.hpp"
#include "base/api/printable_text.hpp"
#include "logs/messages/find_bytes.hpp"
#include "nexusfix/help/read_progress.hpp"

namespace nexusfix::logs {
namespace {

using wire::kSoh;
constexpr std::size_t kBufferBytes = 256U << 10U;
// The widths of a table are those of its first rows. A longer value moves the rest of its row.
constexpr std::size_t kMeasuredRows = 1000;
constexpr std::size_t kCellBytesMax = 40;
// The columns of Csv and Table without --fields.
constexpr std::array<wire::Tag, 18> kUsualColumns{52,  49, 56, 34, 35, 11, 41, 37, 17,
                                                  150, 39, 55, 54, 38, 44, 32, 31, 58};

// Whether a spreadsheet would calculate with the cell instead of showing it. A number is none.
bool is_formula(std::string_view cell) {
  constexpr std::string_view kBegins = "=+-@\t\r";
  if (cell.empty() || !kBegins.contains(cell.front())) return false;
  std::string_view digits = cell.substr(1);
  const std::size_t point = digits.find('.');
  const std::string_view fraction =
      point == digits.npos ? std::string_view{} : digits.substr(point + 1);
  digits = digits.substr(0, point);
  const bool is_number = (cell.front() == '-' || cell.front() == '+') && is_all_digits(digits) &&
                         (point == cell.npos || is_all_digits(fraction));
  return !is_number;
}

}  // namespace

std::expected<std::vector<wire::Tag>, std::string> read_columns(std::string_view text,
                                                                const command::FieldNames& names) {
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
  if (is_csv(options.form) || options.form == OutputForm::Table) plan_row();
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

void MessageWriter::write(LogMessage message) {
  // An object needs all fields, and they show whether one is a password.
  const bool is_object = options_.form == OutputForm::Ndjson || options_.form == OutputForm::Json;
  const RareFields rare = is_object ? RareFields{} : rare_fields(message.bytes);
  if (rare.has_password && !options_.shows_passwords) {
    message.bytes = mask_.with_mask(message.bytes);
  }
  switch (options_.form) {
    case OutputForm::Line:
      write_line(message, rare.has_length);
      break;
    case OutputForm::Raw:
      write_raw(message);
      break;
    case OutputForm::Ndjson:
    case OutputForm::Json:
      write_object(message);
      break;
    case OutputForm::Csv:
    case OutputForm::Spreadsheet:
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
    if (is_csv(options_.form)) write_names();
  }
  put(text_);
  put(part.text_);
}

void MessageWriter::write_gap() {
  if (options_.form == OutputForm::Line) text_ += "--\n";
}

void MessageWriter::write_line(const LogMessage& message, bool has_length) {
  if (options_.with_path) {
    append_printable(text_, message.path);
    text_ += ':';
  }
  append_printable(text_, message.prefix);
  if (options_.columns.empty() && !has_length && append_with_bars(message.bytes)) return;
  fields_.read(message.bytes);
  for (const MessageField& field : fields_.all()) {
    if (!is_wanted(field.tag)) continue;
    append_printable(text_, field.text);
    text_ += '|';
  }
  text_ += '\n';
}

// bytes: without data fields. False: a byte is not printable, and nothing is appended.
bool MessageWriter::append_with_bars(std::string_view bytes) {
  bool is_plain = false;
  const std::size_t before = text_.size();
  const std::size_t after = before + bytes.size() + 1;
  text_.resize_and_overwrite(after, [&](char* data, std::size_t) {
    is_plain = printing::write_with_bars(data + before, bytes);
    data[after - 1] = '\n';
    return is_plain ? after : before;
  });
  return is_plain;
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
  objects_.append(text_, message, path, options_.shows_passwords ? nullptr : &mask_);
  if (options_.form == OutputForm::Ndjson) text_ += '\n';
}

std::string MessageWriter::column_name(wire::Tag tag) {
  const std::string_view name = names_.of("FIX.4.4").name(tag);
  if (!name.empty()) return std::string{name};
  const std::string_view later = names_.of("FIXT.1.1").name(tag);
  return later.empty() ? std::to_string(tag) : std::string{later};
}

void MessageWriter::plan_row() {
  if (options_.columns.empty()) {
    options_.columns.assign(kUsualColumns.begin(), kUsualColumns.end());
  }
  const std::vector<wire::Tag>& tags = options_.columns;
  row_.resize(tags.size());
  is_copied_row_ = options_.form == OutputForm::Csv && !options_.is_on_terminal;
  can_skip_ =
      tags.size() <= FieldSlots::kSlotsMax && std::ranges::all_of(tags, FieldSlots::can_want);
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const auto first = std::ranges::find(tags, tags[i]) - tags.begin();
    same_as_.push_back(static_cast<std::size_t>(first));
    if (can_skip_ && same_as_[i] == i) slots_.want(tags[i], static_cast<unsigned>(i + 1));
    is_copied_row_ = is_copied_row_ && same_as_[i] == i;
  }
}

// message: its number. Inlined into the loop over the fields.
[[gnu::always_inline]] inline void MessageWriter::add_cell(std::size_t column,
                                                           std::string_view value,
                                                           std::uint64_t message) {
  Cell& cell = row_[column];
  if (cell.message != message) {
    cell = {value, message, false};
  } else {
    cell.has_more = true;
    further_.push_back({column, value});
  }
}

void MessageWriter::read_row(std::string_view bytes) {
  constexpr std::array kQuoted{',', '"', '\r', '\n'};
  is_plain_row_ = !printing::contains_any(bytes, kQuoted);
  further_.clear();
  const std::uint64_t message = count_ + 1;
  const bool is_read = can_skip_ && slots_.each(bytes, [&](unsigned slot, std::string_view value)
                                                           __attribute__((always_inline)) {
                                                             add_cell(slot - 1, value, message);
                                                           });
  if (is_read) return;
  further_.clear();
  std::ranges::fill(row_, Cell{});
  fields_.read(bytes);
  for (const MessageField& field : fields_.all()) {
    const auto column = std::ranges::find(options_.columns, field.tag) - options_.columns.begin();
    if (static_cast<std::size_t>(column) < row_.size()) {
      add_cell(static_cast<std::size_t>(column), field.value, message);
    }
  }
}

// Valid until the next call.
std::string_view MessageWriter::cell(std::size_t column) {
  const Cell& first = row_[same_as_[column]];
  if (first.message != count_ + 1) return {};
  if (!first.has_more) return first.value;
  joined_ = first.value;
  for (const FurtherValue& further : further_) {
    if (further.column == same_as_[column]) joined_.append(1, ';').append(further.value);
  }
  return joined_;
}

void MessageWriter::append_csv(std::string_view cell) {
  const bool is_formula_cell = options_.form == OutputForm::Spreadsheet && is_formula(cell);
  std::string shown;
  if (options_.is_on_terminal) cell = shown = printable(cell);
  const bool is_quoted =
      is_formula_cell || (!is_plain_row_ && cell.find_first_of(",\"\r\n") != cell.npos);
  if (!is_quoted) {
    text_ += cell;
    return;
  }
  text_ += is_formula_cell ? "\"'" : "\"";
  for (const char c : cell) {
    if (c == '"') text_ += '"';
    text_ += c;
  }
  text_ += '"';
}

// The cells are parts of the message, and a copy of constant size is fast.
void MessageWriter::append_plain_row(std::string_view bytes) {
  constexpr std::size_t kUsual = 16;
  const char* const readable = bytes.data() + bytes.size();
  const std::size_t before = text_.size();
  text_.resize_and_overwrite(
      before + bytes.size() + row_.size() + kUsual, [&](char* data, std::size_t) {
        char* out = data + before;
        for (std::size_t i = 0; i < row_.size(); ++i) {
          const Cell& first = row_[i];
          if (first.message == count_ + 1) {
            const std::string_view value = first.has_more ? cell(i) : first.value;
            const bool is_usual = value.size() <= kUsual && !first.has_more &&
                                  readable - value.data() >= std::ptrdiff_t{kUsual};
            if (is_usual) {
              std::memcpy(out, value.data(), kUsual);
            } else {
              value.copy(out, value.size());
            }
            out += value.size();
          }
          *out++ = ',';
        }
        out[-1] = '\r';  // in place of the last comma
        *out++ = '\n';
        return static_cast<std::size_t>(out - data);
      });
}

void MessageWriter::write_names() {
  std::vector<std::string> names;
  if (options_.with_path) names.emplace_back("file");
  for (const wire::Tag column : options_.columns) names.push_back(column_name(column));
  if (options_.form == OutputForm::Table) {
    write_table_row(std::move(names));
    return;
  }
  is_plain_row_ = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text_ += ',';
    append_csv(names[i]);
  }
  text_ += "\r\n";
}

void MessageWriter::write_row(const LogMessage& message) {
  if (count_ == 0) write_names();
  read_row(message.bytes);
  if (options_.form == OutputForm::Table) {
    std::vector<std::string> cells;
    if (options_.with_path) cells.emplace_back(message.path);
    for (std::size_t i = 0; i < row_.size(); ++i) cells.emplace_back(cell(i));
    write_table_row(std::move(cells));
    return;
  }
  if (options_.with_path) {
    const bool is_plain = std::exchange(is_plain_row_, false);
    append_csv(message.path);
    is_plain_row_ = is_plain;
  }
  if (options_.with_path) text_ += ',';
  if (is_copied_row_ && is_plain_row_) {
    append_plain_row(message.bytes);
    return;
  }
  for (std::size_t i = 0; i < row_.size(); ++i) {
    if (i > 0) text_ += ',';
    append_csv(cell(i));
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
