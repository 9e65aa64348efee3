// The store: which message was sent with which MsgSeqNum, and which comes next, after any crash.
//
// What it is: one append-only log for all sessions of an event loop. Each event of a session (what
// arrived, and what was sent because of it) is one Transaction and becomes one record, which is in
// the log whole or not at all. Two positions say how far the log is appended() and how far it is
// durable(). Bytes go to a socket only when their record is durable. There are three stores: the
// journal on disk (the default), memory, and PostgreSQL (nexusfix/store/postgres.hpp, a target
// of its own). A program can bring another one: StoreFactory, <nexusfix/record_store.hpp>.
//
// What it is not: it does not know FIX. Messages are bytes with a number, and names of sessions are
// text. Of an inbound message it stores the number, and the bytes only if the caller gives them to
// Transaction::inbound_progress().
//
// Threads: one thread at a time may use a store and everything that it returned.
//
// Allocation: append(), flush() and Transaction do not allocate in steady state. Opening, new
// sessions and reading do. flush() blocks on the disk as the durability requires; append() does
// when a segment of the journal is full.
//
//   auto opened = factory.open(options);  // a StoreFactory
//   if (!opened) return report(opened.error().text);
//   store::Store& log = **opened;
//   const auto key = log.open_session("FIX.4.4:VENUE->TRADER", clock.now().wall);
//   store::Transaction transaction;
//   transaction.outbound_message(*key, log.session(*key).next_outbound, bytes);
//   transaction.inbound_progress(*key, log.session(*key).next_inbound + 1);
//   const auto position = log.append(transaction, clock.now().wall);
//   if (!position || !log.flush()) return stop_trading();
//   send(bytes);  // durable() is at least *position now
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/event_id.hpp>
#include <nexusfix/base/language.hpp>

// What one event changes, in all sessions that it touches: one record of the log, which is written
// whole or not at all.

namespace nexusfix::store {

// The number of a session within one log, from 0 on. It never changes.
using SessionKey = std::uint32_t;

// The sequence numbers of one session before and after an operator set them, and the reason. The
// log keeps it.
struct NumbersChange {
  // The sequence numbers that an operator wants to set.
  struct Wanted {
    std::optional<std::uint64_t> next_inbound;   // at least 1; unset: stays as it is
    std::optional<std::uint64_t> next_outbound;  // at least 1; unset: stays as it is
  };
  // The sequence numbers of a session at one time.
  struct Numbers {
    std::uint64_t next_inbound = 1;   // the next MsgSeqNum of the counterparty; at least 1
    std::uint64_t next_outbound = 1;  // our next MsgSeqNum; at least 1
    std::uint64_t epoch = 1;          // the number of resets, plus 1
    // Member by member.
    friend bool operator==(const Numbers&, const Numbers&) = default;
  };
  Numbers before;  // what the session had
  // What the session has now. A lower next_outbound needs a higher epoch, because within an epoch a
  // MsgSeqNum never stands for two messages. A lower next_inbound needs none: the counterparty's
  // messages from there on are delivered again.
  Numbers after;
  WallTime created;  // when the epoch of `after` began
  // true: an import is in progress, and the session cannot be opened until a change without it.
  bool is_unfinished = false;
  std::string_view text;  // who, when and why; must live as long as this object
};

namespace detail {

// The kinds of entries in a record, each with its values. A Transaction adds 2 to 6, 8 and 11. The
// store and its repair write the others.
enum class EntryKind : std::uint8_t {
  SessionOpened = 1,    // the name of a new session
  InboundProgress = 2,  // the next inbound MsgSeqNum, and perhaps the received message
  OutboundMessage = 3,  // MsgSeqNum and bytes of a message that is stored for a resend
  OutboundNumber = 4,   // the MsgSeqNum of an administrative message
  Reset = 5,            // nothing: both sequence numbers are 1, and a new epoch begins
  NumbersSet = 6,       // a NumbersChange: sequence numbers that an operator has set
  Removed = 7,          // a text, then spaces: replaces damaged bytes that a repair took out
  MessagesLost = 8,     // the first and last MsgSeqNum of messages that damaged bytes contained
  NumbersReserved = 9,  // outbound MsgSeqNums below this one may have been used without a record
  SessionRenamed = 10,  // the name of the session from here on
  MessagesLeft = 11,    // outbound messages below this MsgSeqNum were handed to a socket
  LogSynced = 16,       // a log position: the disk had everything before it at this time
  LogClosed = 17,       // the same, and the journal was closed in order
  LogOwned = 18,        // the epoch of the owner that wrote the log from this record on
};

// The values of the most frequent records: one outbound message, the inbound progress of its
// session, or both in this order.
struct CommonRecord {
  SessionKey session = 0;          // the session of both
  std::uint64_t msg_seq_num = 0;   // MsgSeqNum of the outbound message; 0: there is none
  std::uint64_t next_inbound = 0;  // the next inbound MsgSeqNum; 0: unchanged
};

// What precedes the bytes of an entry: kind, session, number and the length of the bytes, in
// little-endian order without gaps.
inline constexpr std::size_t kEntryHeaderBytes = 17;
inline void put_entry_header(char* out, EntryKind kind, SessionKey session, std::uint64_t number,
                             std::uint32_t length) noexcept {
  const auto put = [](char* at, auto value) {
    if constexpr (std::endian::native == std::endian::big) value = std::byteswap(value);
    std::memcpy(at, &value, sizeof value);
  };
  *out = static_cast<char>(kind);
  put(out + 1, session);
  put(out + 5, number);
  put(out + 13, length);
}

}  // namespace detail

// Builds the entries of one record, for Store::append(). Reuse one object: its buffer grows to the
// largest record and is then allocated no more. One thread at a time.
//
//   transaction.clear();
//   transaction.outbound_message(session, 12, bytes);
//   transaction.inbound_progress(session, 8);
//   auto position = store.append(transaction, now);
class Transaction {
 public:
  // Empty. Allocates the buffer.
  Transaction();
  // Neither is copied: entries() may be in a buffer of the caller.
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // Everything below next_inbound was received and processed. received: the message that raised it,
  // for an audit; copied. Empty: the log does not keep it.
  void inbound_progress(SessionKey session, std::uint64_t next_inbound,
                        std::string_view received = {}) {
    if (!received.empty() || !has_room_for(detail::kEntryHeaderBytes)) [[unlikely]]
      return add_progress_with(session, next_inbound, received);
    record_progress(session, next_inbound);
    char* const place = at_ + used_;
    used_ += detail::kEntryHeaderBytes;
    detail::put_entry_header(place, detail::EntryKind::InboundProgress, session, next_inbound, 0);
  }
  // This message is sent, and is stored for a resend. bytes: the whole message; copied.
  void outbound_message(SessionKey session, std::uint64_t msg_seq_num, std::string_view bytes);
  // The bytes before a message in place that belong to the record, and at least as many after it.
  static constexpr std::size_t kRoomBytes = detail::kEntryHeaderBytes;
  // outbound_message() without a copy: the entries are where the message is. The kRoomBytes before
  // bytes and the room_after bytes after them (at least kRoomBytes) may be overwritten, and none of
  // all these may change until clear(), rollback() of this message, or own(). Requires empty(),
  // has_room_for_message(), and that neither msg_seq_num nor bytes is 0 or empty.
  void outbound_message_in_place(SessionKey session, std::uint64_t msg_seq_num,
                                 std::span<char> bytes, std::size_t room_after) {
    const std::size_t count = detail::kEntryHeaderBytes + bytes.size();
    NEXUSFIX_DEBUG_ASSERT(empty() && has_room_for_message(bytes.size()));
    form_ = Form::Common;
    common_ = {.session = session, .msg_seq_num = msg_seq_num, .next_inbound = 0};
    at_ = bytes.data() - kRoomBytes;
    room_ = std::min(count + room_after, room_);  // until here, that of buffer_
    used_ = count;
    detail::put_entry_header(at_, detail::EntryKind::OutboundMessage, session, msg_seq_num,
                             static_cast<std::uint32_t>(bytes.size()));
  }
  // Whether this number of bytes, as one message, needs no memory.
  [[nodiscard]] bool has_room_for_message(std::size_t bytes) const noexcept {
    return has_room_for(bytes + 2 * kRoomBytes);
  }
  // Whether the entries are in a buffer of the caller.
  [[nodiscard]] bool is_in_place() const noexcept { return at_ != buffer_.data(); }
  // Copies entries that are in a buffer of the caller, which may then change it. Does not allocate.
  void own() noexcept {
    if (!is_in_place()) return;
    std::memcpy(buffer_.data(), at_, used_);
    use_buffer();
  }
  // An administrative message is sent: its MsgSeqNum is used, and its bytes are not stored.
  void outbound_number(SessionKey session, std::uint64_t msg_seq_num);
  // Both sequence numbers are 1 again, and a new epoch begins.
  void reset(SessionKey session);
  // Sets both sequence numbers, whatever they were. append() fails with Refused if a used outbound
  // MsgSeqNum would be used again in the same epoch, or if the epoch is lower than before.
  void set_numbers(SessionKey session, const NumbersChange& change);
  // The log has lost the messages with MsgSeqNums first to last (inclusive) of the current epoch,
  // or may have lost some.
  void messages_lost(SessionKey session, std::uint64_t first, std::uint64_t last);
  // Each outbound message of the current epoch below this MsgSeqNum was handed to a socket at least
  // once, or gap-filled. For an audit; it changes nothing else.
  void messages_left(SessionKey session, std::uint64_t msg_seq_num);

  // A position between two entries, for rollback().
  using Mark = std::size_t;
  // The position after the last entry.
  [[nodiscard]] Mark mark() const noexcept { return used_; }
  // Removes the entries that were added since mark() returned this position. Does not allocate.
  void rollback(Mark mark) noexcept;

  // Removes all entries, and keeps the buffer.
  void clear() noexcept {
    used_ = 0;
    form_ = Form::Empty;
    use_buffer();
  }
  // Replaces the buffer by a small one if it has more than bytes_max bytes. Does nothing unless
  // empty(). Allocates.
  void give_back(std::size_t bytes_max);
  // Whether there are no entries.
  [[nodiscard]] bool empty() const noexcept { return used_ == 0; }
  // The encoded entries. Valid until the next change of this object.
  [[nodiscard]] std::span<const char> entries() const noexcept { return {at_, used_}; }
  // The values of entries(), so that a store need not decode them. Null: there are other entries,
  // or more. Valid until the next change of this object.
  [[nodiscard]] const detail::CommonRecord* common() const noexcept {
    return form_ == Form::Common ? &common_ : nullptr;
  }

 private:
  enum class Form : std::uint8_t {
    Empty,
    Common,  // common_ has all values
    Other,
  };

  // The bytes are not cleared: the caller writes all of them.
  [[nodiscard]] char* room_for(std::size_t count) {
    if (!has_room_for(count)) [[unlikely]]
      grow(count);
    char* const place = at_ + used_;
    used_ += count;
    return place;
  }
  [[nodiscard]] bool has_room_for(std::size_t count) const noexcept {
    return room_ - used_ >= count;
  }
  // The entries are in buffer_ afterwards.
  void grow(std::size_t count);
  void use_buffer() noexcept {
    at_ = buffer_.data();
    room_ = buffer_.size();
  }
  // Whether the record stays a common one with this progress.
  void record_progress(SessionKey session, std::uint64_t next_inbound) noexcept {
    if (form_ == Form::Common && common_.next_inbound == 0 && common_.session == session &&
        next_inbound != 0) {
      common_.next_inbound = next_inbound;
    } else if (form_ == Form::Empty && next_inbound != 0) {
      form_ = Form::Common;
      common_ = {.session = session, .msg_seq_num = 0, .next_inbound = next_inbound};
    } else {
      form_ = Form::Other;
    }
  }
  // Apart, so that inbound_progress() needs no saved registers.
  [[gnu::noinline]] void add_progress_with(SessionKey session, std::uint64_t next_inbound,
                                           std::string_view received);

  std::vector<char> buffer_;  // as large as was ever needed
  char* at_ = nullptr;        // of the entries: in buffer_, or in one of the caller
  std::size_t room_ = 0;      // the bytes from there on that belong to the record
  std::size_t used_ = 0;
  detail::CommonRecord common_;
  Form form_ = Form::Empty;
};

// The log of an event loop: the messages that were sent, with JournalInbound those that were
// received, the next MsgSeqNums of each session, and how far all this is durable.

// A position in the log: the end of a record. Grows with each append.
using LogPosition = std::uint64_t;

// The state of one session in the log.
struct SessionRecord {
  std::uint64_t next_inbound = 1;   // the next MsgSeqNum of the counterparty
  std::uint64_t next_outbound = 1;  // our highest MsgSeqNum of this epoch, plus 1
  std::uint64_t epoch = 1;          // the number of resets, plus 1
  WallTime created;                 // when this epoch began: the first opening, or the last reset
  // Member by member.
  friend bool operator==(const SessionRecord&, const SessionRecord&) = default;
};

// A range of MsgSeqNums.
struct NumberRange {
  std::uint64_t first = 0;  // the first MsgSeqNum
  std::uint64_t last = 0;   // the last MsgSeqNum, inclusive
  // Equal if both ends are.
  friend bool operator==(const NumberRange&, const NumberRange&) = default;
};

// The argument of Transaction::set_numbers() that sets a session's next MsgSeqNums. It begins a
// new epoch, created now, if MsgSeqNums that were used would be used again; otherwise the epoch
// stays. text: who, when and why; must outlive the result.
[[nodiscard]] NumbersChange numbers_change(const SessionRecord& before,
                                           NumbersChange::Wanted wanted, WallTime now,
                                           std::string_view text) noexcept;

// The kinds of errors of a store. After TooLarge, Refused, Missing and SessionRefused the store is
// as it was before the call.
enum class StoreErrorCode : std::uint8_t {
  Disk,            // the file system reports an error; the text names path and cause
  Corrupt,         // bytes of the log are damaged; the text names file, offset and remedy
  Locked,          // another process owns the log
  Failed,          // an earlier error stopped this store: every call fails
  TooLarge,        // above a limit: of a record, of the number of sessions, of a name
  Refused,         // breaks a rule of append(), or changes a journal that was opened read-only
  Missing,         // there is no log to open
  SessionRefused,  // open_session(): this session cannot go on; all others can
  Server,          // the database cannot be reached, or reports an error; the text names both
};

// The error of a store. Not made on the path of a message.
struct StoreError {
  StoreErrorCode code = StoreErrorCode::Failed;  // the kind of error
  std::string text;                              // the cause and the remedy, for an operator
};

// The result of a call of a store, or its error.
template <class T>
using StoreResult = std::expected<T, StoreError>;

// Something that the operator must know. StoreFailed: the store has stopped while nothing was
// appended, and every further call fails.
struct StoreEvent {
  EventId id = EventId::StoreFailed;  // docs/reference/events.md explains it
  std::string text;                   // the details
};

// The log of all sessions of one event loop. One thread at a time. A visitor must not call the
// store. After a Disk error of open_session(), append() or flush() the store is stopped, because
// what the disk has is not certain: every further call fails with Failed.
class Store {
 public:
  // Stored messages that another thread reads, so that the caller need not wait. The destructor
  // ends the reading. It may outlive the store.
  class Fetch {
   public:
    // Ends the reading.
    virtual ~Fetch() = default;
    // Whether read() may be called. One atomic load.
    [[nodiscard]] virtual bool is_done() const noexcept = 0;
    // Passes the messages to visit, as Store::read() does, and waits for nothing. Only if
    // is_done(). Errors: as of Store::read().
    [[nodiscard]] virtual StoreResult<void> read(
        FunctionRef<bool(std::uint64_t msg_seq_num, std::string_view bytes)> visit) = 0;
  };
  // Drops what was not flushed. close() ends the log in order.
  virtual ~Store() = default;

  // Opens the session with this name, or creates it. Durable as append() is. Allocates, and may
  // block on the disk.
  // SessionRefused: an import into the session was not finished, or damaged records may belong to
  // it; the text says which, and what to do.
  // TooLarge: a name above 1,024 bytes, or more than 65,536 sessions in the log.
  [[nodiscard]] virtual StoreResult<SessionKey> open_session(std::string_view name,
                                                             WallTime now) = 0;
  // Gives a session another name, and keeps its sequence numbers and messages. Durable as append()
  // is. Views of the old name become invalid. Allocates, and may block on the disk.
  // TooLarge: as above. Refused: another session has the name.
  [[nodiscard]] virtual StoreResult<void> rename_session(SessionKey key, std::string_view name,
                                                         WallTime now) = 0;
  // The session with this name; unset: the log has none.
  [[nodiscard]] virtual std::optional<SessionKey> find_session(std::string_view name) const = 0;
  // The number of sessions in the log. Their keys are 0 to session_count() - 1, in the order in
  // which they were created.
  [[nodiscard]] virtual std::size_t session_count() const noexcept = 0;
  // The name of a session. Valid until it is renamed, or the store ends.
  [[nodiscard]] virtual std::string_view session_name(SessionKey key) const noexcept = 0;
  // The state of a session. The reference stays valid for the life of the store, and shows every
  // later change.
  [[nodiscard]] virtual const SessionRecord& session(SessionKey key) const noexcept = 0;

  // The MsgSeqNums of the current epoch whose messages the log has lost, or may have lost, in no
  // order. A counterparty that requests them gets a gap fill, and the operator must be notified.
  // Valid until the next append() or open_session().
  [[nodiscard]] virtual std::span<const NumberRange> lost_numbers(
      SessionKey key) const noexcept = 0;

  // Messages of the current epoch up to this MsgSeqNum were in a retired part of the log. A
  // counterparty that requests them gets a gap fill. 0: none.
  [[nodiscard]] virtual std::uint64_t retired_until(SessionKey) const noexcept { return 0; }

  // Appends one record, whole or not at all, also if it touches several sessions. Returns its end.
  // The SessionRecords change at once. Within an epoch the outbound MsgSeqNums ascend, each is used
  // once, and the next inbound MsgSeqNum does not go back. An empty transaction appends nothing.
  // Does not allocate in steady state; may block on the disk when a segment of a journal is full.
  // Refused: an entry breaks these rules. TooLarge: above record_bytes_max. Disk, Failed: see
  // Store.
  [[nodiscard]] virtual StoreResult<LogPosition> append(const Transaction& transaction,
                                                        WallTime now) = 0;
  // The end of the last appended record.
  [[nodiscard]] virtual LogPosition appended() const noexcept = 0;
  // Everything before this position survives what the durability mode promises to survive. The
  // bytes of a message may go to a socket only when this has reached the end of its record.
  [[nodiscard]] virtual LogPosition durable() const noexcept = 0;
  // Everything before this position would survive a loss of power, as far as the store knows. Lower
  // than durable() in a mode in which bytes leave first and a thread syncs them later. One atomic
  // load.
  [[nodiscard]] virtual LogPosition synced() const noexcept { return durable(); }
  // Moves durable() towards appended(), at once or in the background, and returns durable(). While
  // that is below appended(), call it again when the store calls on_durable (StoreOptions). May
  // block on the disk, as the durability mode requires.
  [[nodiscard]] virtual StoreResult<LogPosition> flush() = 0;
  // Ends the log in order: everything appended is on the disk, and the next opening knows it.
  // Nothing can be appended afterwards. May block on the disk.
  [[nodiscard]] virtual StoreResult<void> close() = 0;
  // Whether the log that was opened had been closed in order, or was new. false: the process that
  // wrote it was killed, or the store does not know.
  [[nodiscard]] virtual bool had_ended_in_order() const noexcept { return false; }
  // Whether this number of bytes can be appended, with room left for what cannot be refused:
  // inbound progress, Heartbeats, Logouts. False while the disk has no room for the next segment
  // and less than a quarter of this one is left: append only what cannot be refused then. At most
  // two atomic loads.
  [[nodiscard]] virtual bool has_room_for(std::uint64_t bytes) const noexcept {
    static_cast<void>(bytes);
    return true;
  }
  // What the last append() has found, so that most callers of durable() and has_room_for() need not
  // ask. A store that does not set it is asked each time.
  struct AfterAppend {
    bool is_durable = false;     // durable() reached the end of the record at once
    LogPosition room_until = 0;  // has_room_for() is true for bytes that would end up to here
  };
  // Describes the last append(); empty before the first. The thread of append().
  [[nodiscard]] const AfterAppend& after_append() const noexcept { return after_append_; }

  // The oldest event that was not taken yet; unset: there is none. Events are: the disk has no room
  // for the next segment; old segments were deleted, or could not be deleted; stored bytes are
  // damaged; the store has stopped. At most two atomic loads if there is none.
  [[nodiscard]] virtual std::optional<StoreEvent> next_event() = 0;

  // Receives one stored message. bytes: valid until the call returns. false: ends the reading.
  using MessageVisitor = FunctionRef<bool(std::uint64_t msg_seq_num, std::string_view bytes)>;
  // Passes the stored messages of the current epoch with MsgSeqNums first to last (inclusive), in
  // ascending order. MsgSeqNums without a stored message are left out. Messages that are not
  // flushed yet are included. May block on the disk.
  // Disk: reading ended early; the messages before the error were passed. Corrupt: some messages
  // are damaged and were left out; the text names file, offset and the missing MsgSeqNums. The
  // store goes on after both.
  [[nodiscard]] virtual StoreResult<void> read(SessionKey key, std::uint64_t first,
                                               std::uint64_t last, MessageVisitor visit) = 0;

  // read() for a caller that must not wait: a thread reads the messages as they are now, until
  // they have bytes_max bytes or more together. The store calls on_durable (StoreOptions) when
  // it is done. Null: the store has no such thread, and read() waits for nothing but the disk.
  [[nodiscard]] virtual std::unique_ptr<Fetch> fetch(SessionKey key, std::uint64_t first,
                                                     std::uint64_t last, std::uint64_t bytes_max) {
    static_cast<void>(key), static_cast<void>(first), static_cast<void>(last);
    static_cast<void>(bytes_max);
    return nullptr;
  }

  // What an entry of the log says about a message.
  enum class LogKind : std::uint8_t {
    Sent,      // it got its MsgSeqNum on this side, and is stored for a resend
    Received,  // the counterparty sent it; only with JournalInbound
    Left,      // no message: those below msg_seq_num were handed to a socket; JournalInbound
  };
  // One stored message of a scan. Both views are valid until the visitor returns.
  struct LogMessage {
    std::string_view session;  // the name of the session
    std::uint64_t epoch = 1;   // the epoch of the session in which it was sent or received
    // MsgSeqNum (34). Of a received message: the MsgSeqNum before the next one that is expected
    // after it, which differs after a gap fill.
    std::uint64_t msg_seq_num = 0;
    std::string_view bytes;        // the whole message, as it was sent first, or received
    LogKind kind = LogKind::Sent;  // what this is; scan() passes only Sent
    WallTime time{};               // when it was recorded; only from scan_all() of a journal
  };
  // Receives one stored message of a scan.
  using LogVisitor = FunctionRef<void(const LogMessage&)>;
  // Passes every stored message of every session and epoch, in the order of the log. An application
  // rebuilds its state from them. O(log); blocks on the disk. Errors: as of read().
  [[nodiscard]] virtual StoreResult<void> scan(LogVisitor visit) = 0;
  // scan() with entries of every LogKind, in the order of the log: a received message comes after
  // the messages that were sent because of it.
  [[nodiscard]] virtual StoreResult<void> scan_all(LogVisitor visit) { return scan(visit); }

 protected:
  // Set by append(), before it returns.
  AfterAppend after_append_;
};

// A store in memory, which ends with the process: for tests, and for sessions that reset their
// sequence numbers at every Logon.

// Makes an empty store in memory. append() fails with TooLarge if a record has more than
// record_bytes_max bytes. flush() makes everything durable at once. The memory grows with each
// stored message, by doubling; a reset of a session frees its messages for later ones. Never null.
[[nodiscard]] std::unique_ptr<Store> make_memory_store(std::uint32_t record_bytes_max = 16U << 20U);

}  // namespace nexusfix::store

// What opens the stores of a program that brings its own.

namespace nexusfix {
class Clock;
class Disk;
}  // namespace nexusfix

namespace nexusfix::store {

// What a store gets from the engine that opens it.
struct StoreOptions {
  // Wakes the owner of a store.
  struct Wake {
    // Called on a thread of the store. Must not call the store, and should return soon. Null: none.
    void (*call)(void* context) noexcept = nullptr;
    void* context = nullptr;  // passed to call; must live as long as the store
  };
  // The event loop that the store is for, from 0 on. Each loop has a store of its own, and writes
  // only to that one.
  std::uint32_t loop = 0;
  std::uint32_t loop_count = 1;  // the number of event loops
  // append() fails with TooLarge above this size of one record, in bytes.
  std::uint32_t record_bytes_max = 16U << 20U;
  // For a store with a thread of its own: call it when durable() has moved after a flush() that did
  // not reach appended(), when a fetch() is done, when the store has failed, and when next_event()
  // has an event.
  Wake on_durable{};
  // The engine's disk, for a store that keeps files. Not owned; outlives the store. Null only where
  // a test gives none.
  Disk* disk = nullptr;
  // The engine's time, for a store with time limits. As disk.
  Clock* clock = nullptr;
};

// Opens stores. Derive from it, and set EngineOptions::store_factory.
class StoreFactory {
 public:
  virtual ~StoreFactory() = default;
  // Opens the log of this event loop, with everything that was durable, or creates it. Called in
  // Engine::open(), once for each loop, on the calling thread; the store is used on the loop's
  // thread, and closed before the engine's end. May block. An error, or an exception, ends
  // Engine::open() with this text; null does so, too.
  [[nodiscard]] virtual StoreResult<std::unique_ptr<Store>> open(const StoreOptions& options) = 0;
};

}  // namespace nexusfix::store
