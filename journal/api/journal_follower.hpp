// Reads the messages of a journal in the order of the log, from a cursor on, also while an engine
// writes it. Link `nexusfix::journal_tools`.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/store.hpp>

#include "store/api/journal_cursor.hpp"

namespace nexusfix::store {

// A message of a journal. The views are valid during the call.
struct FollowedMessage {
  std::int64_t log_id = 0;        // of the journal
  std::uint64_t owner_epoch = 0;  // of the opening of the journal that wrote it; 0: not known
  // Where the message is in the log. Within one opening it rises, and no two messages have the
  // same. After a loss of power a later opening may use the positions again.
  LogPosition position = 0;
  std::string_view session;       // its name
  std::uint64_t epoch = 1;        // of the session: the number of resets, plus 1
  bool is_received = false;       // false: it was sent
  std::uint64_t msg_seq_num = 0;  // MsgSeqNum (34)
  WallTime time;                  // of the record
  std::string_view bytes;         // passwords masked
};

// How a journal is followed.
struct FollowOptions {
  // What follows if a part of the journal cannot be read, or does not belong to the cursor.
  enum class Gap : std::uint8_t {
    Refuse,  // an error
    Accept,  // the follower goes on after it, and consume_gap() has a text
  };
  // Where to begin without a cursor.
  enum class Begin : std::uint8_t {
    Oldest,  // the first message that the journal still has
    Newest,  // after the last message
  };
  std::optional<JournalCursor> cursor{};  // where to begin
  Begin begin = Begin::Oldest;            // without a cursor
  Gap gap = Gap::Refuse;                  // what follows
  // true: the journal may grow. false: what it has now is read, also the last bytes of an engine
  // that was killed.
  bool is_followed = true;
};

// One thread at a time. Each call may block on the disk.
//
// In the modes `process` and `none` it reads everything that is in the files, as those bytes may
// have left. In `group` and `sync` bytes leave when they are on the disk, so it reads up to the
// position that the owner of the journal has recorded as synced, twice a second: a message that a
// loss of power takes back was never read.
class JournalFollower {
 public:
  // Checks the cursor against the journal and reads the names of the sessions; at most one segment
  // more than it passes. The error is one line: a disk error, a journal that was replaced, segments
  // that are gone, a cursor after the end of the log, damage. disk must outlive the result.
  [[nodiscard]] static std::expected<JournalFollower, std::string> open(
      Disk& disk, const std::string& folder, const FollowOptions& options);
  JournalFollower(JournalFollower&&) noexcept;             // the other can only be destroyed
  JournalFollower& operator=(JournalFollower&&) noexcept;  // likewise
  ~JournalFollower();
  // A second reader at the same place.
  [[nodiscard]] std::expected<JournalFollower, std::string> fork() const;

  // Gets a message, which is valid during the call.
  using Visitor = FunctionRef<void(const FollowedMessage&)>;
  // Passes the messages of the next record, which may have none. False: the log has no further
  // record at the moment. The error is one line, and final.
  [[nodiscard]] std::expected<bool, std::string> next(Visitor visit);
  // After the last record that next() has passed.
  [[nodiscard]] const JournalCursor& cursor() const noexcept;
  // The text of a gap that was accepted; no value: there is no other.
  [[nodiscard]] std::optional<std::string> consume_gap();
  // Where the log ends, as its owner has recorded twice a second, or as it was read if that is
  // more. Reads a small file.
  [[nodiscard]] LogPosition end_of_log();

 private:
  class Impl;
  explicit JournalFollower(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nexusfix::store
