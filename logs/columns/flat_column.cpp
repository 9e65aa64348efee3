#include "logs/columns/flat_column.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/api/printable_text.hpp"
#include "logs/columns/arrow_builders.hpp"
#include "logs/output/json_bytes.hpp"

namespace nexusfix::logs {
namespace {

constexpr std::size_t kUsualRows = 32'768;
constexpr std::size_t kShortBytes = 16;
static_assert(std::endian::native == std::endian::little);

template <class T>
std::shared_ptr<arrow::Buffer> buffer_of(std::vector<T>& values) {
  return arrow::Buffer::FromVector(std::exchange(values, {}));
}

}  // namespace

bool FlatColumn::takes(ColumnType type) noexcept {
  return type != ColumnType::Group && type != ColumnType::Boolean;
}

FlatColumn::FlatColumn(const Column& column)
    : data_type_{arrow_type(column)},
      type_{column.type},
      scale_{column.scale},
      codes_{column.codes} {}

// The vectors go to Arrow with each batch.
void FlatColumn::begin() {
  switch (type_) {
    case ColumnType::Text:
    case ColumnType::Bytes:
      ends_.reserve(kUsualRows + 1);
      ends_.push_back(0);
      break;
    case ColumnType::Decimal:
      decimals_.reserve(kUsualRows);
      break;
    case ColumnType::Date:
      days_.reserve(kUsualRows);
      break;
    default:
      numbers_.reserve(kUsualRows);
      break;
  }
}

void FlatColumn::make_room(std::size_t size) {
  constexpr std::size_t kUsualBytes = 16 * kUsualRows;
  if (bytes_size_ + size > INT32_MAX) {
    throw std::runtime_error{"a batch has more than 2 GB of text in one column"};
  }
  bytes_room_ = std::max(kUsualBytes, 2 * (bytes_size_ + size) + kShortBytes);
  if (bytes_ == nullptr) {
    auto made = arrow::AllocateResizableBuffer(static_cast<std::int64_t>(bytes_room_),
                                               arrow::system_memory_pool());
    expect_ok(made.status());
    bytes_ = std::move(*made);
  } else {
    expect_ok(bytes_->Resize(static_cast<std::int64_t>(bytes_room_)));
  }
}

void FlatColumn::append_bytes(std::string_view value, const char* readable) {
  if (bytes_room_ < bytes_size_ + value.size() + kShortBytes) make_room(value.size());
  char* const to = reinterpret_cast<char*>(bytes_->mutable_data()) + bytes_size_;
  // A copy of constant size is fast. There is room for it, and the bytes can be read.
  if (value.size() <= kShortBytes && readable - value.data() >= std::ptrdiff_t{kShortBytes}) {
    std::memcpy(to, value.data(), kShortBytes);
  } else {
    value.copy(to, value.size());
  }
  bytes_size_ += value.size();
  ends_.push_back(static_cast<std::int32_t>(bytes_size_));
}

// False: the value is not of the type.
bool FlatColumn::append_converted(std::string_view value) {
  const auto put = [](auto& values, const auto& converted) {
    if (converted) values.push_back(*converted);
    return converted.has_value();
  };
  switch (type_) {
    case ColumnType::Integer:
      return put(numbers_, integer_value(value));
    case ColumnType::Timestamp:
      return put(numbers_, timestamps_.read(value));
    case ColumnType::TimeOfDay:
      return put(numbers_, time_of_day_value(value));
    case ColumnType::Date:
      return put(days_, date_value(value));
    case ColumnType::Decimal:
      return put(decimals_, decimal_value(value, scale_));
    default:
      return false;
  }
}

void FlatColumn::append(std::string_view value, bool is_ascii, const char* readable) {
  if (rows_ == 0) begin();
  if (type_ == ColumnType::Text) {
    if (codes_ != nullptr) {
      const std::string_view name = codes_->name(value, named_);
      if (name.data() != value.data()) readable = name.data() + name.size();
      value = name;
      is_ascii = false;
    }
    if (!is_ascii && !is_utf8(value)) {
      escaped_.clear();
      append_printable(escaped_, value);
      value = escaped_;
      readable = value.data() + value.size();
    }
    append_bytes(value, readable);
  } else if (type_ == ColumnType::Bytes) {
    append_bytes(value, readable);
  } else if (!append_converted(value)) {
    ++misfits_;
    append_null();
    return;
  }
  ++rows_;
}

void FlatColumn::append_number(std::int64_t value) {
  if (rows_ == 0) begin();
  numbers_.push_back(value);
  ++rows_;
}

void FlatColumn::append_null() {
  if (rows_ == 0) begin();
  ++nulls_;
  switch (type_) {
    case ColumnType::Text:
    case ColumnType::Bytes:
      ends_.push_back(static_cast<std::int32_t>(bytes_size_));
      break;
    case ColumnType::Decimal:
      decimals_.push_back(0);
      break;
    case ColumnType::Date:
      days_.push_back(0);
      break;
    default:
      numbers_.push_back(0);
      break;
  }
  const auto place = static_cast<std::size_t>(rows_ / 8);
  if (validity_.size() <= place) validity_.resize(place + 1, 0xff);
  validity_[place] = static_cast<std::uint8_t>(validity_[place] & ~(1U << (rows_ % 8)));
  ++rows_;
}

std::shared_ptr<arrow::Array> FlatColumn::finish() {
  if (rows_ == 0) begin();
  std::vector<std::shared_ptr<arrow::Buffer>> buffers;
  if (nulls_ > 0) validity_.resize(static_cast<std::size_t>(rows_ + 7) / 8, 0xff);
  buffers.push_back(nulls_ == 0 ? nullptr : buffer_of(validity_));
  switch (type_) {
    case ColumnType::Text:
    case ColumnType::Bytes:
      if (bytes_ == nullptr) make_room(0);
      expect_ok(bytes_->Resize(static_cast<std::int64_t>(bytes_size_)));
      bytes_size_ = bytes_room_ = 0;
      buffers.push_back(buffer_of(ends_));
      buffers.push_back(std::exchange(bytes_, nullptr));
      break;
    case ColumnType::Decimal:
      buffers.push_back(buffer_of(decimals_));
      break;
    case ColumnType::Date:
      buffers.push_back(buffer_of(days_));
      break;
    default:
      buffers.push_back(buffer_of(numbers_));
      break;
  }
  const std::int64_t nulls = std::exchange(nulls_, 0);
  return arrow::MakeArray(
      arrow::ArrayData::Make(data_type_, std::exchange(rows_, 0), std::move(buffers), nulls));
}

std::uint64_t FlatColumn::consume_misfits() noexcept { return std::exchange(misfits_, 0); }

}  // namespace nexusfix::logs
