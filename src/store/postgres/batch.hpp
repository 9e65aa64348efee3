// What one database transaction brings: rows, column by column, in the form in which they travel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <nexusfix/store/store.hpp>

#include "store/postgres/array_column.hpp"
#include "store/state/session_table.hpp"

namespace nexusfix::store::postgres {

// Where a session stands at the log's end.
struct SessionHead {
  std::uint64_t epoch = 1;
  std::uint64_t next_outbound = 1;
};

class Batch {
 public:
  // Where it lies in the log.
  LogPosition begin = 0;
  LogPosition end = 0;

  // By how much sessions were raised, beside the numbers that were used one by one.
  std::uint64_t raised = 0;

  struct Message {
    SessionKey session = 0;
    std::uint64_t epoch = 0;
    std::uint64_t number = 0;
    LogPosition position = 0;
    std::size_t bytes_begin = 0;
    std::size_t bytes_count = 0;
  };

  // Empty from here on; the memory stays.
  void clear(LogPosition at);
  [[nodiscard]] bool empty() const noexcept { return begin == end; }
  // So that add() of these entries, and seal() behind it, need no memory: rows are in columns, and
  // all of them must have the same.
  void make_room(std::span<const char> entries, std::vector<SessionHead>& heads);
  // Takes a record's entries, which the table has accepted, and moves the end past them. heads
  // are the sessions' own before the record, and change with it.
  void add(std::span<const char> entries, WallTime time, std::vector<SessionHead>& heads);
  // Nothing is added any more: the sessions' rows, as the table has them now.
  void seal(const SessionTable& sessions);

  // In the order of the log, which is that of the numbers within a session's epoch.
  [[nodiscard]] const std::vector<Message>& messages() const noexcept { return messages_; }
  [[nodiscard]] std::string_view bytes_of(const Message& message) const noexcept {
    return message_bytes.encoded().substr(message.bytes_begin, message.bytes_count);
  }

  ArrayColumn opened_key{ElementType::Int4};
  ArrayColumn opened_name{ElementType::Bytes};
  ArrayColumn opened_at{ElementType::Int8};

  ArrayColumn renamed_key{ElementType::Int4};
  ArrayColumn renamed_name{ElementType::Bytes};

  ArrayColumn message_session{ElementType::Int4};
  ArrayColumn message_epoch{ElementType::Int8};
  ArrayColumn message_number{ElementType::Int8};
  ArrayColumn message_position{ElementType::Int8};
  ArrayColumn message_bytes{ElementType::Bytes};

  ArrayColumn session_key{ElementType::Int4};
  ArrayColumn session_epoch{ElementType::Int8};
  ArrayColumn session_inbound{ElementType::Int8};
  ArrayColumn session_outbound{ElementType::Int8};
  ArrayColumn session_created{ElementType::Int8};
  ArrayColumn session_unfinished{ElementType::Bool};

  ArrayColumn change_position{ElementType::Int8};
  ArrayColumn change_session{ElementType::Int4};
  ArrayColumn change_at{ElementType::Int8};
  ArrayColumn change_before{ElementType::Int8};  // inbound, outbound, epoch: three a row
  ArrayColumn change_after{ElementType::Int8};   // likewise
  ArrayColumn change_unfinished{ElementType::Bool};
  ArrayColumn change_text{ElementType::Bytes};

  ArrayColumn lost_position{ElementType::Int8};
  ArrayColumn lost_session{ElementType::Int4};
  ArrayColumn lost_epoch{ElementType::Int8};
  ArrayColumn lost_first{ElementType::Int8};
  ArrayColumn lost_last{ElementType::Int8};

 private:
  void add_message(const Entry& entry, LogPosition position, std::uint64_t epoch);
  void add_change(const Entry& entry, LogPosition position, WallTime time);
  void add_lost(const Entry& entry, LogPosition position, std::uint64_t epoch);
  void touch(SessionKey session);
  void use(SessionHead& head, std::uint64_t number);
  void set(SessionHead& head, const NumbersChange::Numbers& after);

  std::vector<Message> messages_;
  std::vector<SessionKey> touched_;
  std::vector<char> is_touched_;  // by key
};

}  // namespace nexusfix::store::postgres
