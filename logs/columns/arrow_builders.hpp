// Arrow arrays of the columns of a plan.
#pragma once

#include <arrow/api.h>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "logs/columns/column_plan.hpp"
#include "logs/fields/message_fields.hpp"

namespace nexusfix::logs {

// Throws std::runtime_error. Builders and buffers only fail without memory, or above 2 GB in one
// batch.
void expect_ok(const arrow::Status& status);

[[nodiscard]] std::shared_ptr<arrow::DataType> arrow_type(const Column& column);

// The values of one column, or of one member of a group.
class ArrowColumn {
 public:
  explicit ArrowColumn(const Column& column);

  // A value of the field; one that is not of the column's type is null, and counted.
  void append(std::string_view value);
  void append_null();
  // A group: the fields from its count field on. Returns the place after its last field.
  std::size_t append_group(std::span<const MessageField> fields, std::size_t at);
  // The values so far. The column is then empty.
  [[nodiscard]] std::shared_ptr<arrow::Array> finish();

  [[nodiscard]] wire::Tag tag() const noexcept { return tag_; }
  [[nodiscard]] bool is_group() const noexcept { return type_ == ColumnType::Group; }
  // Values that were not of the type, also of members, since the last call.
  [[nodiscard]] std::uint64_t consume_misfits() noexcept;
  [[nodiscard]] const std::shared_ptr<arrow::ArrayBuilder>& builder() const { return builder_; }

 private:
  [[nodiscard]] bool append_typed(std::string_view value);
  void append_text(std::string_view value);
  [[nodiscard]] bool is_member(wire::Tag tag) const noexcept;
  std::size_t append_entry(std::span<const MessageField> fields, std::size_t at);

  wire::Tag tag_;
  ColumnType type_;
  unsigned scale_;
  std::shared_ptr<const CodeNames> codes_;
  std::string named_;
  std::shared_ptr<arrow::ArrayBuilder> builder_;
  std::vector<ArrowColumn> members_;
  std::shared_ptr<arrow::ArrayBuilder> entries_;  // of a group: its structs
  std::vector<bool> is_set_;                      // by member, in the present entry
  std::uint64_t misfits_ = 0;
  std::string escaped_;
};

}  // namespace nexusfix::logs
