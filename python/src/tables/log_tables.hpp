// What the messages of logs add up to, as tables: orders, latencies, gaps, rejects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "logs/columns/column_plan.hpp"
#include "logs/grep/matcher.hpp"
#include "logs/source/log_message.hpp"
#include "nexusfix/dictionary/field_names.hpp"
#include "python/src/tables/batch_source.hpp"
#include "python/src/tables/column_data.hpp"

namespace nexusfix::python {

// Writes the cells of a row from the first column on.
class RowWriter {
 public:
  explicit RowWriter(const std::vector<std::unique_ptr<ColumnData>>& columns) : columns_{columns} {}

  // Empty: null.
  void text(std::string_view value);
  void number(std::uint64_t value);
  void nanoseconds(const std::optional<std::chrono::nanoseconds>& value);
  void time(const std::optional<WallTime>& value);
  void null();
  // A group: its count field and those of its entries.
  void group(std::span<const logs::MessageField> fields);

 private:
  [[nodiscard]] ColumnData& next() { return *columns_[place_++]; }

  const std::vector<std::unique_ptr<ColumnData>>& columns_;
  std::size_t place_ = 0;
};

// One thread.
class LogTable {
 public:
  virtual ~LogTable() = default;

  [[nodiscard]] virtual std::vector<logs::Column> columns() const = 0;
  // is_selected: false: the message counts for others alone.
  virtual void add(const logs::LogMessage& message, bool is_selected) = 0;
  // After the last message. paths: of the files, by their positions. Returns the number of rows.
  [[nodiscard]] virtual std::size_t finish(std::vector<std::string> paths) = 0;
  virtual void write(std::size_t row, RowWriter& to) = 0;
  // Whether the log had more than fits into the tables.
  [[nodiscard]] virtual bool is_full() const = 0;
};

// "orders", "latencies", "gaps" or "rejects".
[[nodiscard]] std::unique_ptr<LogTable> make_log_table(std::string_view name,
                                                       const command::FieldNames& names,
                                                       bool with_names);
[[nodiscard]] std::unique_ptr<LogTable> make_order_table(const command::FieldNames& names,
                                                         bool with_names);

struct TableQuery {
  std::vector<std::string> paths;
  std::optional<logs::Matcher> matcher;
  std::unique_ptr<LogTable> table;
  std::int64_t batch_rows = 0;
  bool is_merged = false;  // all files in the order of time
};

// Reads the logs when the first batch is asked for.
class TableBatches : public BatchSource {
 public:
  TableBatches(TableQuery query, std::shared_ptr<LogProgress> progress);

  void describe(ArrowSchema& to) const override;
  void next(ArrowArray& to, ReadingCalls& calls) override;

 private:
  void read(ReadingCalls& calls);

  TableQuery query_;
  std::shared_ptr<LogProgress> progress_;
  std::vector<std::unique_ptr<ColumnData>> columns_;
  bool is_read_ = false;
  std::size_t rows_ = 0;
  std::size_t next_row_ = 0;
};

}  // namespace nexusfix::python
