// The values of a column that is no group. A row takes nanoseconds, where a builder of Arrow takes
// tens of them.
#pragma once

#include <arrow/api.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "logs/columns/column_plan.hpp"
#include "logs/columns/column_values.hpp"

namespace nexusfix::logs {

class FlatColumn {
 public:
  // Every type but Group and Boolean.
  [[nodiscard]] static bool takes(ColumnType type) noexcept;
  explicit FlatColumn(const Column& column);

  // A value of the field; one that is not of the column's type is null, and counted. is_ascii: it
  // has only ASCII characters. readable: bytes can be read up to here.
  void append(std::string_view value, bool is_ascii, const char* readable);
  void append_null();
  // For an Integer, Timestamp or TimeOfDay.
  void append_number(std::int64_t value);
  // The values so far. The column is then empty.
  [[nodiscard]] std::shared_ptr<arrow::Array> finish();
  // Values that were not of the type, since the last call.
  [[nodiscard]] std::uint64_t consume_misfits() noexcept;

 private:
  void begin();
  void make_room(std::size_t size);
  void append_bytes(std::string_view value, const char* readable);
  [[nodiscard]] bool append_converted(std::string_view value);

  std::shared_ptr<arrow::DataType> data_type_;
  ColumnType type_;
  unsigned scale_;
  std::shared_ptr<const CodeNames> codes_;
  std::string named_;
  std::int64_t rows_ = 0;
  std::int64_t nulls_ = 0;
  std::vector<std::uint8_t> validity_;  // up to the last null: a bit for each row
  // One of these has the values, by the type.
  std::vector<std::int64_t> numbers_;
  std::vector<std::int32_t> days_;
  std::vector<Int128> decimals_;    // on a little-endian machine, as Arrow has them
  std::vector<std::int32_t> ends_;  // of texts: where each ends in bytes_; a 0 comes first
  std::shared_ptr<arrow::ResizableBuffer> bytes_;
  std::size_t bytes_size_ = 0;
  std::size_t bytes_room_ = 0;
  TimestampReader timestamps_;
  std::uint64_t misfits_ = 0;
  std::string escaped_;
};

}  // namespace nexusfix::logs
