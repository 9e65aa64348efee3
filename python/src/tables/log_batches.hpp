// Reads the messages of logs as batches of columns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "logs/columns/column_plan.hpp"
#include "logs/fields/field_slots.hpp"
#include "logs/fields/message_fields.hpp"
#include "logs/grep/matcher.hpp"
#include "logs/source/log_reader.hpp"
#include "logs/source/log_time.hpp"
#include "python/src/tables/batch_source.hpp"
#include "python/src/tables/column_data.hpp"

namespace nexusfix::python {

struct LogQuery {
  std::vector<std::string> paths;
  std::optional<logs::Matcher> matcher;
  std::vector<logs::Column> columns;
  std::int64_t batch_rows = 0;
};

// The messages. Before the fields come the columns file, byte_offset, time and direction.
class LogBatches : public BatchSource {
 public:
  LogBatches(LogQuery query, std::shared_ptr<LogProgress> progress);

  void describe(ArrowSchema& to) const override;
  void next(ArrowArray& to, ReadingCalls& calls) override;

 private:
  [[nodiscard]] bool open_next();
  [[nodiscard]] bool read_message(logs::LogMessage& to);
  void add(const logs::LogMessage& message);
  void add_place(const logs::LogMessage& message);
  void add_fields(std::string_view bytes);

  LogQuery query_;
  std::shared_ptr<LogProgress> progress_;
  PosixDisk disk_;
  std::size_t next_path_ = 0;
  std::optional<logs::LogReader> reader_;
  logs::TimeReader times_;
  logs::FieldSlots slots_;
  bool can_skip_ = true;  // fields that no column has need not be looked at
  logs::MessageFields fields_;
  bool is_ascii_ = false;  // the present message
  std::uint64_t row_ = 0;
  std::size_t last_file_ = 0;
  std::vector<std::unique_ptr<ColumnData>> columns_;
  std::vector<std::uint64_t> row_of_;  // by column: the row that has a value already
};

}  // namespace nexusfix::python
