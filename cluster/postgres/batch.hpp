// What one database transaction writes: the records as one chunk of the log, if it has messages or
// received ones (JournalInbound), and rows of the other tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <nexusfix/store.hpp>

#include "cluster/postgres/lagging_rows.hpp"
#include "cluster/postgres/server/rows.hpp"
#include "store/api/session_table.hpp"

namespace nexusfix::store::postgres {

// Where a session stands at the log's end.
struct SessionHead {
  std::uint64_t epoch = 1;
  std::uint64_t next_outbound = 1;
};

// The sessions at the log's end, by key, and which of their rows lack a part of the log.
struct LogEnd {
  std::vector<SessionHead> heads{};
  LaggingRows lagging{};
};

class Batch {
 public:
  struct Message {
    SessionKey session = 0;
    std::uint64_t epoch = 0;
    std::uint64_t number = 0;
    std::size_t bytes_begin = 0;  // in chunk()
    std::size_t bytes_count = 0;
  };

  // Empty from here on; the memory stays.
  void clear(LogPosition at);
  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
  // Where it lies in the log.
  [[nodiscard]] LogPosition begin() const noexcept { return begin_; }
  [[nodiscard]] LogPosition end() const noexcept { return end_; }
  // By how much the numbers of sessions were raised, beside those that were used one by one.
  [[nodiscard]] std::uint64_t raised() const noexcept { return raised_; }
  // Nothing but messages and next numbers, as nearly all have.
  [[nodiscard]] bool is_common() const noexcept {
    return !has_resets_ && opened_.count() == 0 && renamed_.count() == 0 && changes_.count() == 0 &&
           lost_.count() == 0;
  }
  // So that add() of these entries, and seal() after it, need no memory: all columns of a table
  // must have the same rows.
  void make_room(std::span<const char> entries, LogEnd& log);
  // Takes a record's entries, which the table has accepted, and moves the end past them. log: as it
  // was before the record; it changes with it.
  void add(std::span<const char> entries, WallTime time, LogEnd& log);
  // Adds the rows of sessions and places that lack more of the log than this, as the table has them
  // now. Nothing is added afterwards.
  void seal(const SessionTable& sessions, LogEnd& log, LogPosition lag_max);

  // In the order of the log, which is that of the sequence numbers within a session's epoch.
  [[nodiscard]] const std::vector<Message>& messages() const noexcept { return messages_; }
  // Whether it has a message of either direction: others leave no chunk.
  [[nodiscard]] bool has_chunk() const noexcept { return !messages_.empty() || has_received_; }
  [[nodiscard]] std::string_view bytes_of(const Message& message) const noexcept {
    return chunk().substr(message.bytes_begin, message.bytes_count);
  }

  [[nodiscard]] const OpenedRows& opened() const noexcept { return opened_; }
  [[nodiscard]] const RenamedRows& renamed() const noexcept { return renamed_; }
  // The entries of all records, from begin() to end().
  [[nodiscard]] std::string_view chunk() const noexcept { return {chunk_.data(), chunk_.size()}; }
  [[nodiscard]] const ChunkSessions& chunk_sessions() const noexcept { return chunk_sessions_; }
  // The rows of sessions and places have the log before this position, if it writes any.
  [[nodiscard]] LogPosition rows_position() const noexcept { return rows_position_; }
  [[nodiscard]] const PlaceRows& places() const noexcept { return places_; }
  [[nodiscard]] const SessionRows& sessions() const noexcept { return sessions_; }
  [[nodiscard]] const ChangeRows& changes() const noexcept { return changes_; }
  [[nodiscard]] const LostRows& lost() const noexcept { return lost_; }

 private:
  struct Touched {
    bool is_touched = false;
    std::uint64_t placed_epoch = 0;    // of its last message; 0: it has none
    std::uint64_t received_epoch = 0;  // of the first one that it received; 0: it has none
  };
  void add_message(const Entry& entry, std::size_t bytes_begin, std::uint64_t epoch);
  void add_rows(SessionKey session, const SessionTable& sessions, LaggingRows& lagging);
  void touch(SessionKey session);
  void use(SessionHead& head, std::uint64_t number);
  void set(SessionHead& head, const NumbersChange::Numbers& after);

  LogPosition begin_ = 0;
  LogPosition end_ = 0;
  LogPosition rows_position_ = 0;
  std::uint64_t raised_ = 0;
  bool has_received_ = false;
  bool has_resets_ = false;  // a session's row changes in more than the numbers
  OpenedRows opened_;
  RenamedRows renamed_;
  std::vector<char> chunk_;
  ChunkSessions chunk_sessions_;
  PlaceRows places_;
  SessionRows sessions_;
  ChangeRows changes_;
  LostRows lost_;
  std::vector<Message> messages_;
  std::vector<SessionKey> touched_;
  std::vector<Touched> by_key_;
};

}  // namespace nexusfix::store::postgres
