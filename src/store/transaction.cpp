#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <nexusfix/base/language.hpp>
#include <nexusfix/store.hpp>

#include "store/api/entry.hpp"
#include "store/format/byte_order.hpp"

namespace nexusfix::store {
namespace {

// What an event with a few messages needs; a longer one grows the buffer once.
constexpr std::size_t kReservedBytes = 4096;

}  // namespace

Transaction::Transaction() : buffer_(kReservedBytes) { use_buffer(); }

void Transaction::grow(std::size_t count) {
  const bool was_in_place = is_in_place();
  if (buffer_.size() < used_ + count) buffer_.resize(std::max(2 * buffer_.size(), used_ + count));
  if (was_in_place) std::memcpy(buffer_.data(), at_, used_);
  use_buffer();
}

void Transaction::outbound_message(SessionKey session, std::uint64_t msg_seq_num,
                                   std::string_view bytes) {
  const bool is_common = form_ == Form::Empty && msg_seq_num != 0;
  encode_entry({.kind = EntryKind::OutboundMessage,
                .session = session,
                .number = msg_seq_num,
                .bytes = bytes},
               room_for(kEntryHeaderBytes + bytes.size()));
  form_ = is_common ? Form::Common : Form::Other;
  common_ = {.session = session, .msg_seq_num = msg_seq_num, .next_inbound = 0};
}

void Transaction::add_progress_with(SessionKey session, std::uint64_t next_inbound,
                                    std::string_view received) {
  encode_entry({.kind = EntryKind::InboundProgress,
                .session = session,
                .number = next_inbound,
                .bytes = received},
               room_for(kEntryHeaderBytes + received.size()));
  record_progress(session, next_inbound);
}

void Transaction::give_back(std::size_t bytes_max) {
  if (!empty() || buffer_.size() <= bytes_max) return;
  std::vector<char>(kReservedBytes).swap(buffer_);
  use_buffer();
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

NumbersChange numbers_change(const SessionRecord& before, NumbersChange::Wanted wanted,
                             WallTime now, std::string_view text) noexcept {
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
  // The first of two common entries is the message, and the second one the inbound progress.
  const auto progress_at = [this] {
    return kEntryHeaderBytes + load_little_endian<std::uint32_t>(at_ + kEntryLengthAt);
  };
  const bool drops_progress = form_ == Form::Common && common_.msg_seq_num != 0 &&
                              common_.next_inbound != 0 && mark == progress_at();
  if (mark == 0) return clear();
  if (drops_progress) {
    common_.next_inbound = 0;
  } else {
    form_ = Form::Other;
  }
  used_ = mark;
}

}  // namespace nexusfix::store
