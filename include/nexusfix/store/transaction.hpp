// What one event changed, in every session that it touched: one record of the log, whole or not at
// all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <nexusfix/base/time.hpp>

namespace nexusfix::store {

// A session's number within one log; stable for the life of the log.
using SessionKey = std::uint32_t;

enum class EntryKind : std::uint8_t {
  SessionOpened = 1,    // name
  InboundProgress = 2,  // next inbound number
  OutboundMessage = 3,  // number and bytes, kept for resend
  OutboundNumber = 4,   // an administrative message: number only
  Reset = 5,            // both numbers are 1, a new epoch begins
  NumbersSet = 6,       // an operator's decision: NumbersChange
  Removed = 7,          // replaces damaged bytes that were removed; text, then spaces
  MessagesLost = 8,     // first number, last number: their messages were lost with damaged bytes
  // A journal writes those below, no transaction.
  NumbersReserved = 9,  // outbound numbers below this one may have been used without being kept
  SessionRenamed = 10,  // the session's name from here on
  // Of the log itself.
  LogSynced = 16,  // log position: everything before it was on the disk when this was written
  LogClosed = 17,  // likewise; and the journal was closed in order
  LogOwned = 18,   // the owner's epoch: the owner that wrote the log from this record on
};

// One session's numbers before and after an operator set them, and why: kept in the log for ever.
struct NumbersChange {
  struct Numbers {
    std::uint64_t next_inbound = 1;
    std::uint64_t next_outbound = 1;
    std::uint64_t epoch = 1;
    friend bool operator==(const Numbers&, const Numbers&) = default;
  };
  Numbers before;
  // An outbound number that is lower than before needs a higher epoch: within one, a number never
  // stands for two messages. A lower inbound number does not: the counterparty's messages from
  // there on will come, and be delivered, again.
  Numbers after;
  WallTime created;  // of the epoch after the change
  // More is to come (an import): until the next change without this, the session is not opened.
  bool is_unfinished = false;
  std::string_view text;  // who, when, why
};

// The values of a record that most events make: one outbound message, the session's inbound
// progress, or both in this order.
struct CommonRecord {
  SessionKey session = 0;
  std::uint64_t msg_seq_num = 0;   // of the outbound message; 0: none
  std::uint64_t next_inbound = 0;  // 0: unchanged
};

// Builds one record's entries in a buffer that is reused. One thread at a time.
class Transaction {
 public:
  Transaction();

  void inbound_progress(SessionKey session, std::uint64_t next_inbound);
  void outbound_message(SessionKey session, std::uint64_t msg_seq_num, std::string_view bytes);
  void outbound_number(SessionKey session, std::uint64_t msg_seq_num);
  void reset(SessionKey session);
  // Sets both numbers, whatever they were. The store refuses it if a used outbound number would be
  // used again in the same epoch, and if the epoch goes back.
  void set_numbers(SessionKey session, const NumbersChange& change);
  // Records that there were, or may have been, messages under these numbers of the current epoch
  // that the log has lost.
  void messages_lost(SessionKey session, std::uint64_t first, std::uint64_t last);

  // Undo: rollback(mark) drops the entries added since.
  using Mark = std::size_t;
  [[nodiscard]] Mark mark() const noexcept { return used_; }
  void rollback(Mark mark) noexcept;

  void clear() noexcept {
    used_ = 0;
    form_ = Form::Empty;
  }
  // The memory of an empty one, if it has more than that number of bytes.
  void give_back(std::size_t bytes_max);
  [[nodiscard]] bool empty() const noexcept { return used_ == 0; }
  [[nodiscard]] std::span<const char> entries() const noexcept {
    return std::span{buffer_}.first(used_);
  }
  // The values of entries(), so that a store need not decode them. Null: entries() holds others, or
  // more of them.
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
    if (buffer_.size() - used_ < count) [[unlikely]]
      grow(count);
    char* const place = buffer_.data() + used_;
    used_ += count;
    return place;
  }
  void grow(std::size_t count);

  std::vector<char> buffer_;  // as large as was ever needed
  std::size_t used_ = 0;
  CommonRecord common_;
  Form form_ = Form::Empty;
};

}  // namespace nexusfix::store
