#include "logs/columns/arrow_builders.hpp"

#include <algorithm>
#include <arrow/util/decimal.h>
#include <stdexcept>
#include <utility>

#include "base/api/printable_text.hpp"
#include "logs/columns/column_values.hpp"
#include "logs/output/json_bytes.hpp"

namespace nexusfix::logs {
namespace {

template <class Builder>
Builder& as(const std::shared_ptr<arrow::ArrayBuilder>& builder) {
  return static_cast<Builder&>(*builder);
}

std::shared_ptr<arrow::ArrayBuilder> make_builder(const std::shared_ptr<arrow::DataType>& type) {
  auto made = arrow::MakeBuilder(type);
  expect_ok(made.status());
  return std::move(*made);
}

}  // namespace

void expect_ok(const arrow::Status& status) {
  if (!status.ok()) throw std::runtime_error{status.ToString()};
}

std::shared_ptr<arrow::DataType> arrow_type(const Column& column) {
  switch (column.type) {
    case ColumnType::Text:
      return arrow::utf8();
    case ColumnType::Bytes:
      return arrow::binary();
    case ColumnType::Integer:
      return arrow::int64();
    case ColumnType::Decimal:
      return arrow::decimal128(kDecimalDigits, static_cast<std::int32_t>(column.scale));
    case ColumnType::Boolean:
      return arrow::boolean();
    case ColumnType::Timestamp:
      return arrow::timestamp(arrow::TimeUnit::NANO, "UTC");
    case ColumnType::Date:
      return arrow::date32();
    case ColumnType::TimeOfDay:
      return arrow::time64(arrow::TimeUnit::NANO);
    case ColumnType::Group:
      break;
  }
  arrow::FieldVector members;
  for (const Column& member : column.members) {
    members.push_back(arrow::field(member.name, arrow_type(member)));
  }
  return arrow::list(arrow::struct_(members));
}

ArrowColumn::ArrowColumn(const Column& column)
    : tag_{column.tag}, type_{column.type}, scale_{column.scale}, codes_{column.codes} {
  if (type_ != ColumnType::Group) {
    builder_ = make_builder(arrow_type(column));
    return;
  }
  const auto list = arrow_type(column);
  std::vector<std::shared_ptr<arrow::ArrayBuilder>> builders;
  for (const Column& member : column.members) {
    builders.push_back(members_.emplace_back(member).builder());
  }
  is_set_.resize(members_.size());
  entries_ = std::make_shared<arrow::StructBuilder>(
      static_cast<const arrow::ListType&>(*list).value_type(), arrow::default_memory_pool(),
      std::move(builders));
  builder_ = std::make_shared<arrow::ListBuilder>(arrow::default_memory_pool(), entries_, list);
}

void ArrowColumn::append_null() { expect_ok(builder_->AppendNull()); }

void ArrowColumn::append_text(std::string_view value) {
  auto& builder = as<arrow::StringBuilder>(builder_);
  if (is_utf8(value)) {
    expect_ok(builder.Append(value));
    return;
  }
  escaped_.clear();
  append_printable(escaped_, value);
  expect_ok(builder.Append(escaped_));
}

bool ArrowColumn::append_typed(std::string_view value) {
  const auto put = [&]<class Builder>(Builder& builder, const auto& converted) {
    if (converted) expect_ok(builder.Append(*converted));
    return converted.has_value();
  };
  switch (type_) {
    case ColumnType::Integer:
      return put(as<arrow::Int64Builder>(builder_), integer_value(value));
    case ColumnType::Timestamp:
      return put(as<arrow::TimestampBuilder>(builder_), timestamp_value(value));
    case ColumnType::Date:
      return put(as<arrow::Date32Builder>(builder_), date_value(value));
    case ColumnType::TimeOfDay:
      return put(as<arrow::Time64Builder>(builder_), time_of_day_value(value));
    case ColumnType::Boolean: {
      const bool is_flag = value == "Y" || value == "N";
      if (is_flag) expect_ok(as<arrow::BooleanBuilder>(builder_).Append(value == "Y"));
      return is_flag;
    }
    case ColumnType::Decimal: {
      const auto number = decimal_value(value, scale_);
      if (!number) return false;
      constexpr unsigned kLowBits = 64;
      const arrow::Decimal128 decimal{static_cast<std::int64_t>(*number >> kLowBits),
                                      static_cast<std::uint64_t>(*number)};
      expect_ok(as<arrow::Decimal128Builder>(builder_).Append(decimal));
      return true;
    }
    case ColumnType::Bytes:
      expect_ok(as<arrow::BinaryBuilder>(builder_).Append(value));
      return true;
    case ColumnType::Text:
      append_text(codes_ == nullptr ? value : codes_->name(value, named_));
      return true;
    case ColumnType::Group:
      break;
  }
  return false;
}

void ArrowColumn::append(std::string_view value) {
  if (append_typed(value)) return;
  ++misfits_;
  append_null();
}

bool ArrowColumn::is_member(wire::Tag tag) const noexcept {
  return std::ranges::find(members_, tag, &ArrowColumn::tag_) != members_.end();
}

// The entry ends at a field that is no member, or that the entry has already.
std::size_t ArrowColumn::append_entry(std::span<const MessageField> fields, std::size_t at) {
  expect_ok(as<arrow::StructBuilder>(entries_).Append());
  is_set_.assign(members_.size(), false);
  while (at < fields.size()) {
    const auto member = std::ranges::find(members_, fields[at].tag, &ArrowColumn::tag_);
    if (member == members_.end()) break;
    const auto place = static_cast<std::size_t>(member - members_.begin());
    if (is_set_[place]) break;
    is_set_[place] = true;
    if (member->is_group()) {
      at = member->append_group(fields, at);
    } else {
      member->append(fields[at].value);
      ++at;
    }
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!is_set_[i]) members_[i].append_null();
  }
  return at;
}

std::size_t ArrowColumn::append_group(std::span<const MessageField> fields, std::size_t at) {
  const auto count = integer_value(fields[at].value);
  if (!count || *count < 0) {
    ++misfits_;
    append_null();
    return at + 1;
  }
  expect_ok(as<arrow::ListBuilder>(builder_).Append());
  std::int64_t entries = 0;
  ++at;
  while (entries < *count && at < fields.size() && is_member(fields[at].tag)) {
    at = append_entry(fields, at);
    ++entries;
  }
  if (entries < *count) ++misfits_;
  return at;
}

std::shared_ptr<arrow::Array> ArrowColumn::finish() {
  std::shared_ptr<arrow::Array> array;
  expect_ok(builder_->Finish(&array));
  return array;
}

std::uint64_t ArrowColumn::consume_misfits() noexcept {
  std::uint64_t count = std::exchange(misfits_, 0);
  for (ArrowColumn& member : members_) count += member.consume_misfits();
  return count;
}

}  // namespace nexusfix::logs
