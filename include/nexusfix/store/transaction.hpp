// What one event changes, in all sessions that it touches: one record of the log, which is written
// whole or not at all.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <nexusfix/base/time.hpp>

namespace nexusfix::store {

// The number of a session within one log, from 0 on. It never changes.
using SessionKey = std::uint32_t;

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

// The sequence numbers of one session before and after an operator set them, and the reason. The
// log keeps it.
struct NumbersChange {
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

// The values of the most frequent records: one outbound message, the inbound progress of its
// session, or both in this order.
struct CommonRecord {
  SessionKey session = 0;          // the session of both
  std::uint64_t msg_seq_num = 0;   // MsgSeqNum of the outbound message; 0: there is none
  std::uint64_t next_inbound = 0;  // the next inbound MsgSeqNum; 0: unchanged
};

namespace detail {

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
    note_progress(session, next_inbound);
    char* const place = at_ + used_;
    used_ += detail::kEntryHeaderBytes;
    detail::put_entry_header(place, EntryKind::InboundProgress, session, next_inbound, 0);
  }
  // This message is sent, and is stored for a resend. bytes: the whole message; copied.
  void outbound_message(SessionKey session, std::uint64_t msg_seq_num, std::string_view bytes) {
    const std::size_t count = detail::kEntryHeaderBytes + bytes.size();
    // No message has MsgSeqNum 0: the store refuses such an entry when it decodes it.
    if (form_ != Form::Empty || msg_seq_num == 0 || bytes.empty() || !has_room_for(count))
        [[unlikely]]
      return add_message(session, msg_seq_num, bytes);
    form_ = Form::Common;
    common_ = {.session = session, .msg_seq_num = msg_seq_num, .next_inbound = 0};
    used_ = count;
    char* const place = at_;
    detail::put_entry_header(place, EntryKind::OutboundMessage, session, msg_seq_num,
                             static_cast<std::uint32_t>(bytes.size()));
    std::memcpy(place + detail::kEntryHeaderBytes, bytes.data(), bytes.size());
  }
  // The bytes before a message in place that belong to the record, and at least as many after it.
  static constexpr std::size_t kRoomBytes = detail::kEntryHeaderBytes;
  // outbound_message() without a copy: the entries are where the message is. The kRoomBytes before
  // bytes and the room_after bytes after them (at least kRoomBytes) may be overwritten, and none of
  // all these may change until clear(), rollback() of this message, or own(). Requires empty(), and
  // that neither msg_seq_num nor bytes is 0 or empty. Allocates what own() will need, unless it has
  // it.
  void outbound_message_in_place(SessionKey session, std::uint64_t msg_seq_num,
                                 std::span<char> bytes, std::size_t room_after) {
    const std::size_t count = detail::kEntryHeaderBytes + bytes.size();
    if (buffer_.size() < count + kRoomBytes) [[unlikely]]
      grow(count + kRoomBytes);
    form_ = Form::Common;
    common_ = {.session = session, .msg_seq_num = msg_seq_num, .next_inbound = 0};
    at_ = bytes.data() - kRoomBytes;
    room_ = std::min(count + room_after, buffer_.size());
    used_ = count;
    detail::put_entry_header(at_, EntryKind::OutboundMessage, session, msg_seq_num,
                             static_cast<std::uint32_t>(bytes.size()));
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
  [[nodiscard]] const CommonRecord* common() const noexcept {
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
  void note_progress(SessionKey session, std::uint64_t next_inbound) noexcept {
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
  // Apart, so that the others need no saved registers.
  [[gnu::noinline]] void add_message(SessionKey session, std::uint64_t msg_seq_num,
                                     std::string_view bytes);
  [[gnu::noinline]] void add_progress_with(SessionKey session, std::uint64_t next_inbound,
                                           std::string_view received);

  std::vector<char> buffer_;  // as large as was ever needed
  char* at_ = nullptr;        // of the entries: in buffer_, or in one of the caller
  std::size_t room_ = 0;      // the bytes from there on that belong to the record
  std::size_t used_ = 0;
  CommonRecord common_;
  Form form_ = Form::Empty;
};

}  // namespace nexusfix::store
