// The log of a shard: what was sent as which number, what comes next, and how durable it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nexusfix/base/event_id.hpp>
#include <nexusfix/base/function_ref.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/store/transaction.hpp>

namespace nexusfix::store {

// A position in the log: everything before it. Grows with each append.
using LogPosition = std::uint64_t;

struct SessionRecord {
  std::uint64_t next_inbound = 1;
  std::uint64_t next_outbound = 1;  // the highest number used in this epoch, plus 1
  std::uint64_t epoch = 1;          // counts resets
  WallTime created;  // when this epoch began: at the first opening, or the last reset
  friend bool operator==(const SessionRecord&, const SessionRecord&) = default;
};

struct NumberRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // inclusive
  friend bool operator==(const NumberRange&, const NumberRange&) = default;
};

struct WantedNumbers {
  std::optional<std::uint64_t> next_inbound;  // nothing: as it is
  std::optional<std::uint64_t> next_outbound;
};

// What Transaction::set_numbers() needs to give a session these numbers. A new epoch, created now,
// if numbers that were used would be used again; else the epoch stays. text must outlive the
// result.
[[nodiscard]] NumbersChange numbers_change(const SessionRecord& before, WantedNumbers wanted,
                                           WallTime now, std::string_view text) noexcept;

enum class StoreErrorCode : std::uint8_t {
  Disk,      // the file system refused; text names path and cause
  Corrupt,   // a record in the middle does not check; text names file, offset and remedy
  Locked,    // another process owns the log
  Failed,    // an earlier error stopped this store: nothing is accepted any more
  TooLarge,  // above a limit (record, sessions, name); nothing changed, the store goes on
  Refused,   // a transaction that takes a number back or uses one twice, or any change of a journal
             // that was opened to be looked at; nothing changed either
  Missing,   // there is no log to look at
  SessionRefused,  // open_session(): this session cannot go on; the store, and all others, can
  Server,          // the database cannot be reached or refuses; text says which and why
};

// Cold: made only when something is wrong.
struct StoreError {
  StoreErrorCode code = StoreErrorCode::Failed;
  std::string text;
};

template <class T>
using StoreResult = std::expected<T, StoreError>;

// For the operator. StoreFailed: from here on every call fails; it was found while nothing was
// appended.
struct StoreEvent {
  EventId id = EventId::StoreFailed;
  std::string text;
};

// Kept messages on their way from where reading them may take long. Destroying it ends it; it may
// outlive the store.
class Fetch {
 public:
  virtual ~Fetch() = default;
  // Whether read() may be called. One atomic load.
  [[nodiscard]] virtual bool is_done() const noexcept = 0;
  // As Store::read(), of the numbers that were asked for; waits for nothing.
  [[nodiscard]] virtual StoreResult<void> read(
      FunctionRef<bool(std::uint64_t msg_seq_num, std::string_view bytes)> visit) = 0;
};

// One thread at a time; no call of a store may be made inside of a visitor. After a disk error from
// open_session(), append() or flush() the store is stopped: every further call fails, because what
// is on disk is no longer certain. Only TooLarge and Refused leave it as it was.
class Store {
 public:
  virtual ~Store() = default;

  // The session of this name, created if it is new; durable like an append. Allocates, may block on
  // the disk.
  // SessionRefused: an import into it was not finished, or records that may have been its own are
  // damaged; the text says which, and what to do.
  // TooLarge: a name above 1024 bytes, or the 65,537th session of the log.
  [[nodiscard]] virtual StoreResult<SessionKey> open_session(std::string_view name,
                                                             WallTime now) = 0;
  // Gives a session another name, durable like an append. Its numbers and messages stay. Views of
  // the old name end. TooLarge: as above. Refused: another session has the name. Allocates, may
  // block on the disk.
  [[nodiscard]] virtual StoreResult<void> rename_session(SessionKey key, std::string_view name,
                                                         WallTime now) = 0;
  // The session of this name, if the log has it.
  [[nodiscard]] virtual std::optional<SessionKey> find_session(std::string_view name) const = 0;
  // How many sessions the log has; their keys are 0 to session_count() - 1, in the order in which
  // they were opened first.
  [[nodiscard]] virtual std::size_t session_count() const noexcept = 0;
  // Valid until it is renamed; the record below for the life of the store.
  [[nodiscard]] virtual std::string_view session_name(SessionKey key) const noexcept = 0;
  // The reference stays valid for the life of the store and shows every later change.
  [[nodiscard]] virtual const SessionRecord& session(SessionKey key) const noexcept = 0;

  // Numbers of the current epoch under which messages were, or may have been, kept that the log has
  // lost: a counterparty that requests them gets a gap fill, and the operator must be notified. In
  // no order. Valid until the next append() or open_session().
  [[nodiscard]] virtual std::span<const NumberRange> lost_numbers(
      SessionKey key) const noexcept = 0;

  // Messages of the current epoch with numbers up to this one were kept in a retired part of the
  // log: a counterparty that requests them gets a gap fill, too. 0: none.
  [[nodiscard]] virtual std::uint64_t retired_until(SessionKey) const noexcept { return 0; }

  // Appends one record, whole or not at all, even if it touches several sessions; the session
  // records above change at once. Within an epoch a number is used once and numbers ascend. An
  // empty transaction appends nothing. No allocation in steady state.
  [[nodiscard]] virtual StoreResult<LogPosition> append(const Transaction& transaction,
                                                        WallTime now) = 0;
  // Everything before appended() is in the log; everything before durable() survives what the
  // durability mode promises to survive. Bytes may go to a socket only once their record is
  // durable.
  [[nodiscard]] virtual LogPosition appended() const noexcept = 0;
  [[nodiscard]] virtual LogPosition durable() const noexcept = 0;
  // Everything before it would survive a loss of power, as far as is known. It may be lower than
  // durable() in a mode in which bytes leave first and a thread syncs them later. One atomic load.
  [[nodiscard]] virtual LogPosition synced() const noexcept { return durable(); }
  // Moves durable() towards appended(): at once or in the background. Returns durable(). While that
  // is below appended(), call it again when the store has woken the caller
  // (JournalOptions::on_durable).
  [[nodiscard]] virtual StoreResult<LogPosition> flush() = 0;
  // Ends in order: everything appended is flushed and brought to the disk, and the next opening
  // knows it. Nothing can be appended afterwards. May block on the disk.
  [[nodiscard]] virtual StoreResult<void> close() = 0;
  // Whether this number of bytes can be appended and leave room for what cannot be refused: inbound
  // progress, heartbeats, Logouts. False while the disk has no room for the next segment and less
  // than a quarter of this one is left; then a caller does well to append nothing that it can
  // refuse. At most two atomic loads.
  [[nodiscard]] virtual bool has_room_for(std::uint64_t bytes) const noexcept {
    static_cast<void>(bytes);
    return true;
  }
  // What happened since, the oldest first, each event once: the disk has no room for the next
  // segment, and only the rest of this one is left; old segments were deleted, or could not be
  // deleted; kept bytes are damaged; the store has stopped. Two atomic loads while there is
  // nothing.
  [[nodiscard]] virtual std::optional<StoreEvent> take_event() = 0;

  // Passes the kept messages of the current epoch with numbers first to last, ascending, numbers
  // without a kept message left out, until visit returns false. Bytes live until visit returns.
  // Messages that were appended and not yet flushed are among them. An error of the disk ends the
  // call after the messages before it. Corrupt: bytes that were damaged since they were written are
  // passed over, the intact messages before and after them are passed, and the text names file,
  // offset and the numbers that may be missing because of it. The store goes on in either case.
  using MessageVisitor = FunctionRef<bool(std::uint64_t msg_seq_num, std::string_view bytes)>;
  [[nodiscard]] virtual StoreResult<void> read(SessionKey key, std::uint64_t first,
                                               std::uint64_t last, MessageVisitor visit) = 0;

  // The same for a caller that must not wait: the messages as they are now, until they have
  // together bytes_max bytes or more, of a thread's reading. The caller is woken when it is done
  // (JournalOptions::on_durable). Null: read() waits for nothing but the disk, and is to be called.
  [[nodiscard]] virtual std::unique_ptr<Fetch> fetch(SessionKey key, std::uint64_t first,
                                                     std::uint64_t last, std::uint64_t bytes_max) {
    static_cast<void>(key), static_cast<void>(first), static_cast<void>(last);
    static_cast<void>(bytes_max);
    return nullptr;
  }

  // Passes every kept message of every session and epoch in the order of the log: how an
  // application rebuilds what it had in memory.
  struct LogMessage {
    std::string_view session;  // its name
    std::uint64_t epoch = 1;
    std::uint64_t msg_seq_num = 0;
    std::string_view bytes;
  };
  using LogVisitor = FunctionRef<void(const LogMessage&)>;
  [[nodiscard]] virtual StoreResult<void> scan(LogVisitor visit) = 0;
};

}  // namespace nexusfix::store
