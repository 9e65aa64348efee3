#include <cstdint>
#include <string_view>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/store/store.hpp>
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

void Transaction::set_numbers(SessionKey session, const NumbersChange& change) {
  append_numbers_change(buffer_, session, change);
}

NumbersChange numbers_change(const SessionRecord& before, WantedNumbers wanted, WallTime now,
                             std::string_view text) noexcept {
  NumbersChange change;
  change.before = {before.next_inbound, before.next_outbound, before.epoch};
  change.after = {wanted.next_inbound.value_or(before.next_inbound),
                  wanted.next_outbound.value_or(before.next_outbound), before.epoch};
  change.created = before.created;
  if (change.after.next_outbound < before.next_outbound) {
    ++change.after.epoch;
    change.created = now;
  }
  change.text = text;
  return change;
}

void Transaction::messages_lost(SessionKey session, std::uint64_t first, std::uint64_t last) {
  append_messages_lost(buffer_, session, first, last);
}

void Transaction::rollback(Mark mark) noexcept {
  NEXUSFIX_ASSERT(mark <= buffer_.size());
  buffer_.resize(mark);
}

void Transaction::clear() noexcept { buffer_.clear(); }

}  // namespace nexusfix::store
