#include <cstdint>
#include <string_view>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/store/transaction.hpp>

#include "store/entry.hpp"

namespace nexusfix::store {
namespace {

// What an event with a few messages needs; a longer one grows the buffer once.
constexpr std::size_t kReservedBytes = 4096;

}  // namespace

Transaction::Transaction() { buffer_.reserve(kReservedBytes); }

void Transaction::inbound_progress(SessionKey session, std::uint64_t next_inbound) {
  append_entry(buffer_, {.kind = EntryKind::InboundProgress,
                         .session = session,
                         .number = next_inbound,
                         .bytes = {}});
}

void Transaction::outbound_message(SessionKey session, std::uint64_t msg_seq_num,
                                   std::string_view bytes) {
  append_entry(buffer_, {.kind = EntryKind::OutboundMessage,
                         .session = session,
                         .number = msg_seq_num,
                         .bytes = bytes});
}

void Transaction::outbound_number(SessionKey session, std::uint64_t msg_seq_num) {
  append_entry(
      buffer_,
      {.kind = EntryKind::OutboundNumber, .session = session, .number = msg_seq_num, .bytes = {}});
}

void Transaction::reset(SessionKey session) {
  append_entry(buffer_, {.kind = EntryKind::Reset, .session = session, .number = 0, .bytes = {}});
}

void Transaction::rollback(Mark mark) noexcept {
  NEXUSFIX_ASSERT(mark <= buffer_.size());
  buffer_.resize(mark);
}

void Transaction::clear() noexcept { buffer_.clear(); }

}  // namespace nexusfix::store
