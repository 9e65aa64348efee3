// The rows that a batch writes into each table, column by column, in the form in which they are
// sent. All columns of a table have the same number of rows: reserve() goes before add(), which
// must not fail between two columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/store.hpp>

#include "cluster/postgres/server/array_column.hpp"

namespace nexusfix::store::postgres {

// The columns that all tables have in common: one after the other, as parameters of a statement.
template <std::size_t columns>
class Rows {
 public:
  void clear() {
    for (ArrayColumn& column : columns_) column.clear();
  }
  [[nodiscard]] std::uint32_t count() const noexcept { return columns_[0].count(); }
  [[nodiscard]] std::array<std::string_view, columns> parameters() const noexcept {
    std::array<std::string_view, columns> all;
    for (std::size_t i = 0; i < columns; ++i) all[i] = columns_[i].encoded();
    return all;
  }

 protected:
  template <class... Types>
  explicit Rows(Types... types) : columns_{ArrayColumn{types}...} {
    static_assert(sizeof...(types) == columns);
  }
  // Numbers and flags take at most 8 bytes.
  void reserve_numbers(std::size_t rows) {
    for (ArrayColumn& column : columns_) column.reserve(rows, rows * sizeof(std::uint64_t));
  }
  [[nodiscard]] ArrayColumn& column(std::size_t index) noexcept { return columns_[index]; }

 private:
  std::array<ArrayColumn, columns> columns_;
};

[[nodiscard]] inline std::uint64_t nanoseconds(WallTime time) noexcept {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

// Sessions that were opened: key, name, time.
class OpenedRows final : public Rows<3> {
 public:
  OpenedRows() : Rows{ElementType::Int4, ElementType::Bytes, ElementType::Int8} {}
  void reserve(std::size_t rows, std::size_t name_bytes) {
    if (rows == 0) return;
    reserve_numbers(rows);
    column(1).reserve(rows, name_bytes);
  }
  void add(SessionKey key, std::string_view name, WallTime time) {
    column(0).add(key);
    column(1).add(name);
    column(2).add(nanoseconds(time));
  }
};

// Sessions that have another name: key, name.
class RenamedRows final : public Rows<2> {
 public:
  RenamedRows() : Rows{ElementType::Int4, ElementType::Bytes} {}
  void reserve(std::size_t rows, std::size_t name_bytes) {
    if (rows == 0) return;
    reserve_numbers(rows);
    column(1).reserve(rows, name_bytes);
  }
  void add(SessionKey key, std::string_view name) {
    column(0).add(key);
    column(1).add(name);
  }
};

// The sessions with a message in a chunk: key, epoch.
class ChunkSessions final : public Rows<2> {
 public:
  ChunkSessions() : Rows{ElementType::Int4, ElementType::Int8} {}
  void reserve(std::size_t rows) {
    if (rows > 0) reserve_numbers(rows);
  }
  void add(SessionKey session, std::uint64_t epoch) {
    column(0).add(session);
    column(1).add(epoch);
  }
};

// Where messages are: session, epoch, the first MsgSeqNum, the first and the last chunk.
class PlaceRows final : public Rows<5> {
 public:
  PlaceRows()
      : Rows{ElementType::Int4, ElementType::Int8, ElementType::Int8, ElementType::Int8,
             ElementType::Int8} {}
  void reserve(std::size_t rows) {
    if (rows > 0) reserve_numbers(rows);
  }
  void add(SessionKey session, std::uint64_t epoch, std::uint64_t first, LogPosition first_chunk,
           LogPosition last_chunk) {
    column(0).add(session);
    column(1).add(epoch);
    column(2).add(first);
    column(3).add(first_chunk);
    column(4).add(last_chunk);
  }
};

// Where sessions stand: key, epoch, next inbound and outbound MsgSeqNum, when the epoch began,
// whether an import is unfinished.
class SessionRows final : public Rows<6> {
 public:
  SessionRows()
      : Rows{ElementType::Int4, ElementType::Int8, ElementType::Int8,
             ElementType::Int8, ElementType::Int8, ElementType::Bool} {}
  void reserve(std::size_t rows) {
    if (rows > 0) reserve_numbers(rows);
  }
  void add(SessionKey key, const SessionRecord& record, bool is_unfinished) {
    column(0).add(key);
    column(1).add(record.epoch);
    column(2).add(record.next_inbound);
    column(3).add(record.next_outbound);
    column(4).add(nanoseconds(record.created));
    column(5).add_flag(is_unfinished);
  }
};

// Sequence numbers that an operator has set: log position, session, time, the numbers before and
// after (next inbound, next outbound, epoch: three elements a row), whether an import is
// unfinished, text.
class ChangeRows final : public Rows<7> {
 public:
  ChangeRows()
      : Rows{ElementType::Int8, ElementType::Int4, ElementType::Int8, ElementType::Int8,
             ElementType::Int8, ElementType::Bool, ElementType::Bytes} {}
  void reserve(std::size_t rows, std::size_t text_bytes) {
    if (rows == 0) return;
    reserve_numbers(3 * rows);
    column(6).reserve(rows, text_bytes);
  }
  void add(LogPosition position, SessionKey session, WallTime time, const NumbersChange& change) {
    column(0).add(position);
    column(1).add(session);
    column(2).add(nanoseconds(time));
    add_numbers(column(3), change.before);
    add_numbers(column(4), change.after);
    column(5).add_flag(change.is_unfinished);
    column(6).add(change.text);
  }

 private:
  static void add_numbers(ArrayColumn& column, const NumbersChange::Numbers& numbers) {
    column.add(numbers.next_inbound);
    column.add(numbers.next_outbound);
    column.add(numbers.epoch);
  }
};

// Messages that are lost: log position, session, epoch, first and last MsgSeqNum.
class LostRows final : public Rows<5> {
 public:
  LostRows()
      : Rows{ElementType::Int8, ElementType::Int4, ElementType::Int8, ElementType::Int8,
             ElementType::Int8} {}
  void reserve(std::size_t rows) {
    if (rows > 0) reserve_numbers(rows);
  }
  void add(LogPosition position, SessionKey session, std::uint64_t epoch, NumberRange numbers) {
    column(0).add(position);
    column(1).add(session);
    column(2).add(epoch);
    column(3).add(numbers.first);
    column(4).add(numbers.last);
  }
};

}  // namespace nexusfix::store::postgres
