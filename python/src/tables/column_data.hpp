// The values of one column of a table, and how Arrow gets them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logs/columns/column_plan.hpp"
#include "logs/columns/column_values.hpp"
#include "logs/fields/message_fields.hpp"
#include "python/src/tables/arrow_abi.hpp"

namespace nexusfix::python {

// Texts, one after the other.
struct Texts {
  std::vector<std::int32_t> ends{0};  // where each ends in bytes; a 0 comes first
  std::vector<char> bytes;

  void append(std::string_view text);
  [[nodiscard]] std::string_view at(std::size_t index) const {
    return {bytes.data() + ends[index], static_cast<std::size_t>(ends[index + 1] - ends[index])};
  }
  [[nodiscard]] std::size_t size() const noexcept { return ends.size() - 1; }
};

// The different texts of a column, each once.
class TextTable {
 public:
  // The number of this text, from 0 on.
  [[nodiscard]] std::int32_t number_of(std::string_view text);
  // All texts. The table is then empty.
  [[nodiscard]] Texts take();

 private:
  static constexpr std::size_t kSlotsLeast = 256;
  struct Slot {
    std::uint64_t first = 0;  // the first eight bytes of the text: most texts have no more
    std::uint32_t size = 0;
    std::int32_t number = -1;  // -1: free
  };
  [[nodiscard]] Slot& slot_of(std::string_view text, std::uint64_t first);
  void grow();

  Texts texts_;
  std::vector<Slot> slots_ = std::vector<Slot>(kSlotsLeast);
};

// One thread at a time.
class ColumnData {
 public:
  explicit ColumnData(const logs::Column& column);

  [[nodiscard]] wire::Tag tag() const noexcept { return column_.tag; }
  [[nodiscard]] bool is_group() const noexcept { return column_.type == logs::ColumnType::Group; }
  // A value of the field; one that is not of the column's type is null, and counted. is_ascii: it
  // has only ASCII characters.
  void append(std::string_view value, bool is_ascii);
  void append_null();
  // The text of the row before again, in a column of few different texts. False: this is the
  // first row.
  [[nodiscard]] bool append_again();
  // For an Integer or a Timestamp.
  void append_number(std::int64_t value);
  // A group: the fields from its count field on. Returns the place after its last field.
  std::size_t append_group(std::span<const logs::MessageField> fields, std::size_t at);

  // The caller releases what it gets.
  void describe(ArrowSchema& to) const;
  // The values so far. The column is then empty.
  void take(ArrowArray& to);
  // Values that were not of the type, also of members.
  [[nodiscard]] std::uint64_t misfits() const noexcept;

 private:
  [[nodiscard]] bool append_converted(std::string_view value);
  [[nodiscard]] std::string_view text_of(std::string_view value, bool is_ascii);
  void mark_null();
  std::size_t append_entry(std::span<const logs::MessageField> fields, std::size_t at);

  logs::Column column_;
  bool is_coded_ = false;  // few different texts: numbers of a table
  std::string format_;
  std::int64_t rows_ = 0;
  std::int64_t nulls_ = 0;
  std::vector<std::uint8_t> validity_;  // up to the last null: a bit for each row
  // Some of these have the values, by the type.
  std::vector<std::int64_t> numbers_;
  std::vector<std::int32_t> days_;  // and the numbers of coded texts
  std::vector<logs::Int128> decimals_;
  std::vector<std::uint8_t> flags_;  // a bit for each row
  Texts texts_;
  TextTable table_;
  std::vector<std::int32_t> list_ends_{0};
  std::int64_t entries_ = 0;
  std::vector<std::unique_ptr<ColumnData>> members_;
  std::vector<bool> is_set_;  // by member, in the present entry
  logs::TimestampReader timestamps_;
  std::uint64_t misfits_ = 0;
  std::string named_;
  std::string escaped_;
};

// A schema of these children; format: "+s" for a table.
void describe_struct(ArrowSchema& to, const char* name,
                     const std::vector<std::unique_ptr<ColumnData>>& children);
// An array of these children, which have this number of rows.
void move_struct(ArrowArray& to, std::int64_t rows,
                 const std::vector<std::unique_ptr<ColumnData>>& children);

}  // namespace nexusfix::python
