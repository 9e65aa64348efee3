// Writes messages as rows. The implementation is an optional part of the program.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "logs/columns/column_plan.hpp"
#include "logs/source/log_reader.hpp"

namespace nexusfix::logs {

enum class ColumnFormat : std::uint8_t {
  Parquet,
  ArrowFile,    // the IPC file format, also named Feather
  ArrowStream,  // the IPC stream format, to standard output
};

struct ColumnRequest {
  std::vector<Column> columns;
  ColumnFormat format = ColumnFormat::Parquet;
  std::string path;          // empty: standard output, for ArrowStream
  bool with_file = false;    // a column `file` comes first
  bool has_threads = false;  // batches are encoded and written on threads of their own
  std::string* to =
      nullptr;  // an ArrowStream goes there, and not to the path; must outlive the writer
};

struct ColumnTotals {
  std::uint64_t rows = 0;
  // Columns with values that are not of their type, and are null: the name, and their number.
  std::vector<std::pair<std::string, std::uint64_t>> misfits;
};

// Rows in memory. One thread at a time.
class ColumnRows {
 public:
  virtual ~ColumnRows() = default;
  // The first value of a field outside of groups counts. True: there are enough rows to write.
  virtual bool add(const LogMessage& message) = 0;
  virtual void clear() = 0;
};

// Columns before the others: file, byte_offset, time, direction. One thread at a time.
class ColumnWriter {
 public:
  virtual ~ColumnWriter() = default;
  [[nodiscard]] virtual std::unique_ptr<ColumnRows> make_rows() const = 0;
  // Writes rows of make_rows(), and clears them. The error is one line; it is final.
  [[nodiscard]] virtual std::expected<void, std::string> take(ColumnRows& rows) = 0;
  // Completes the file. The last call.
  [[nodiscard]] virtual std::expected<ColumnTotals, std::string> finish() = 0;
};

using OpenColumns =
    std::expected<std::unique_ptr<ColumnWriter>, std::string> (*)(const ColumnRequest& request);

// By Apache Arrow. Only in nexusfix-arrow.
[[nodiscard]] std::expected<std::unique_ptr<ColumnWriter>, std::string> open_arrow_columns(
    const ColumnRequest& request);

}  // namespace nexusfix::logs
