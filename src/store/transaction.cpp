#include <algorithm>
#include <cstdint>
#include <string_view>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/store/store.hpp>
#include <nexusfix/store/transaction.hpp>

#include "store/format/entry.hpp"

namespace nexusfix::store {
namespace {

// What an event with a few messages needs; a longer one grows the buffer once.
constexpr std::size_t kReservedBytes = 4096;

}  // namespace

Transaction::Transaction() : buffer_(kReservedBytes) {}

void Transaction::grow(std::size_t count) {
  buffer_.resize(std::max(2 * buffer_.size(), used_ + count));
}

// Apart, so that a message which fits needs no saved registers.
void Transaction::grow_for(SessionKey session, std::uint64_t msg_seq_num, std::string_view bytes) {
  grow(kEntryHeaderBytes + bytes.size());
  outbound_message(session, msg_seq_num, bytes);
}
void Transaction::progress_with(SessionKey session, std::uint64_t next_inbound,
                                std::string_view received) {
  encode_entry({.kind = EntryKind::InboundProgress,
                .session = session,
                .number = next_inbound,
                .bytes = received},
               room_for(kEntryHeaderBytes + received.size()));
}

void Transaction::give_back(std::size_t bytes_max) {
  if (!empty() || buffer_.size() <= bytes_max) return;
  std::vector<char>(kReservedBytes).swap(buffer_);
}

void Transaction::inbound_progress(SessionKey session, std::uint64_t next_inbound,
                                   std::string_view received) {
  if (form_ == Form::Empty && next_inbound != 0) {
    form_ = Form::Common;
    common_ = {.session = session, .msg_seq_num = 0, .next_inbound = next_inbound};
  } else if (form_ == Form::Common && common_.next_inbound == 0 && next_inbound != 0 &&
             common_.session == session) {
    common_.next_inbound = next_inbound;
  } else {
    form_ = Form::Other;
  }
  progress_at_ = used_;
  // Apart: without a message, as in most journals, the size is a constant.
  if (!received.empty() || !has_room_for(kEntryHeaderBytes)) [[unlikely]]
    return progress_with(session, next_inbound, received);
  encode_entry(
      {.kind = EntryKind::InboundProgress, .session = session, .number = next_inbound, .bytes = {}},
      room_for(kEntryHeaderBytes));
}

void Transaction::outbound_message(SessionKey session, std::uint64_t msg_seq_num,
                                   std::string_view bytes) {
  if (!has_room_for(kEntryHeaderBytes + bytes.size())) [[unlikely]]
    return grow_for(session, msg_seq_num, bytes);
  // No message has MsgSeqNum 0: the store refuses such an entry when it decodes it.
  const bool is_common = form_ == Form::Empty && msg_seq_num != 0;
  form_ = is_common ? Form::Common : Form::Other;
  common_ = {.session = session, .msg_seq_num = msg_seq_num, .next_inbound = 0};
  encode_entry({.kind = EntryKind::OutboundMessage,
                .session = session,
                .number = msg_seq_num,
                .bytes = bytes},
               room_for(kEntryHeaderBytes + bytes.size()));
}

void Transaction::outbound_number(SessionKey session, std::uint64_t msg_seq_num) {
  form_ = Form::Other;
  encode_entry(
      {.kind = EntryKind::OutboundNumber, .session = session, .number = msg_seq_num, .bytes = {}},
      room_for(kEntryHeaderBytes));
}

void Transaction::reset(SessionKey session) {
  form_ = Form::Other;
  encode_entry({.kind = EntryKind::Reset, .session = session, .number = 0, .bytes = {}},
               room_for(kEntryHeaderBytes));
}

void Transaction::set_numbers(SessionKey session, const NumbersChange& change) {
  form_ = Form::Other;
  std::vector<char> entry;
  append_numbers_change(entry, session, change);
  std::copy(entry.begin(), entry.end(), room_for(entry.size()));
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
  form_ = Form::Other;
  std::vector<char> entry;
  append_messages_lost(entry, session, first, last);
  std::copy(entry.begin(), entry.end(), room_for(entry.size()));
}

void Transaction::messages_left(SessionKey session, std::uint64_t msg_seq_num) {
  form_ = Form::Other;
  encode_entry(
      {.kind = EntryKind::MessagesLeft, .session = session, .number = msg_seq_num, .bytes = {}},
      room_for(kEntryHeaderBytes));
}

void Transaction::rollback(Mark mark) noexcept {
  NEXUSFIX_ASSERT(mark <= used_);
  if (mark == used_) return;
  // Of two common entries the second one is the inbound progress.
  const bool drops_progress = form_ == Form::Common && common_.msg_seq_num != 0 &&
                              common_.next_inbound != 0 && mark == progress_at_;
  if (mark == 0) {
    form_ = Form::Empty;
  } else if (drops_progress) {
    common_.next_inbound = 0;
  } else {
    form_ = Form::Other;
  }
  used_ = mark;
}

}  // namespace nexusfix::store
