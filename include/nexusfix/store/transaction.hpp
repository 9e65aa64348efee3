// What one event changed, in every session that it touched: one record of the log, whole or not at
// all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nexusfix::store {

// A session's number within one log; stable for the life of the log.
using SessionKey = std::uint32_t;

enum class EntryKind : std::uint8_t {
  SessionOpened = 1,    // name
  InboundProgress = 2,  // next inbound number
  OutboundMessage = 3,  // number and bytes, kept for resend
  OutboundNumber = 4,   // an administrative message: number only
  Reset = 5,            // both numbers are 1, a new epoch begins
  // Of the log itself; a journal writes them, no transaction.
  LogSynced = 16,  // log position: everything before it was on the disk when this was written
  LogClosed = 17,  // likewise; and the journal was closed in order
};

// Builds one record's entries in a buffer that is reused. One thread at a time.
class Transaction {
 public:
  Transaction();

  void inbound_progress(SessionKey session, std::uint64_t next_inbound);
  void outbound_message(SessionKey session, std::uint64_t msg_seq_num, std::string_view bytes);
  void outbound_number(SessionKey session, std::uint64_t msg_seq_num);
  void reset(SessionKey session);

  // Undo: rollback(mark) drops the entries added since.
  using Mark = std::size_t;
  [[nodiscard]] Mark mark() const noexcept { return buffer_.size(); }
  void rollback(Mark mark) noexcept;

  void clear() noexcept;
  [[nodiscard]] bool empty() const noexcept { return buffer_.empty(); }
  [[nodiscard]] std::span<const char> entries() const noexcept { return buffer_; }

 private:
  std::vector<char> buffer_;
};

}  // namespace nexusfix::store
