#include "store/postgres/batch.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "store/format/entry.hpp"

namespace nexusfix::store::postgres {
namespace {

template <class T>
void reserve_more(std::vector<T>& list, std::size_t count) {
  const std::size_t needed = list.size() + count;
  if (needed > list.capacity()) list.reserve(std::max(needed, 2 * list.capacity()));
}

std::uint64_t nanoseconds(WallTime time) noexcept {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

}  // namespace

void Batch::clear(LogPosition at) {
  begin = at;
  end = at;
  raised = 0;
  for (ArrayColumn* column :
       {&opened_key,      &opened_name,        &opened_at,        &message_session,
        &message_epoch,   &message_number,     &message_position, &message_bytes,
        &session_key,     &session_epoch,      &session_inbound,  &session_outbound,
        &session_created, &session_unfinished, &change_position,  &change_session,
        &change_at,       &change_before,      &change_after,     &change_unfinished,
        &change_text,     &lost_position,      &lost_session,     &lost_epoch,
        &lost_first,      &lost_last,          &renamed_key,      &renamed_name}) {
    column->clear();
  }
  messages_.clear();
  for (const SessionKey session : touched_) is_touched_[session] = 0;
  touched_.clear();
}

void Batch::make_room(std::span<const char> entries, std::vector<SessionHead>& heads) {
  std::size_t opened = 0;
  std::size_t renamed = 0;
  std::size_t messages = 0;
  std::size_t changes = 0;
  std::size_t lost = 0;
  std::size_t count = 0;
  std::size_t keys = is_touched_.size();
  EntryReader reader{entries};
  Entry entry;
  while (reader.next(entry)) {
    ++count;
    opened += entry.kind == EntryKind::SessionOpened ? 1 : 0;
    renamed += entry.kind == EntryKind::SessionRenamed ? 1 : 0;
    messages += entry.kind == EntryKind::OutboundMessage ? 1 : 0;
    changes += entry.kind == EntryKind::NumbersSet ? 1 : 0;
    lost += entry.kind == EntryKind::MessagesLost ? 1 : 0;
    // A key that no session has is refused later.
    if (entry.session < heads.size() + opened) {
      keys = std::max(keys, entry.session + std::size_t{1});
    }
  }
  constexpr std::size_t kNumber = sizeof(std::uint64_t);
  const auto reserve = [](std::size_t rows, std::initializer_list<ArrayColumn*> columns) {
    if (rows == 0) return;
    for (ArrayColumn* column : columns) column->reserve(rows, rows * kNumber);
  };
  reserve(opened, {&opened_key, &opened_at});
  reserve(renamed, {&renamed_key});
  reserve(messages, {&message_session, &message_epoch, &message_number, &message_position});
  reserve(changes, {&change_position, &change_session, &change_at, &change_unfinished});
  reserve(3 * changes, {&change_before, &change_after});
  reserve(lost, {&lost_position, &lost_session, &lost_epoch, &lost_first, &lost_last});
  reserve(touched_.size() + count, {&session_key, &session_epoch, &session_inbound,
                                    &session_outbound, &session_created, &session_unfinished});
  if (opened > 0) opened_name.reserve(opened, entries.size());
  if (renamed > 0) renamed_name.reserve(renamed, entries.size());
  if (messages > 0) message_bytes.reserve(messages, entries.size());
  if (changes > 0) change_text.reserve(changes, entries.size());
  reserve_more(messages_, messages);
  reserve_more(touched_, count);
  reserve_more(heads, opened);
  is_touched_.resize(keys);
}

void Batch::add(std::span<const char> entries, WallTime time, std::vector<SessionHead>& heads) {
  EntryReader reader{entries};
  Entry entry;
  LogPosition position = end;  // of the entry: where it begins
  while (reader.next(entry)) {
    switch (entry.kind) {
      case EntryKind::SessionOpened:
        heads.push_back({});
        opened_key.add(entry.session);
        opened_name.add(entry.bytes);
        opened_at.add(nanoseconds(time));
        break;
      case EntryKind::SessionRenamed:
        renamed_key.add(entry.session);
        renamed_name.add(entry.bytes);
        break;
      case EntryKind::OutboundMessage:
        use(heads[entry.session], entry.number);
        add_message(entry, position, heads[entry.session].epoch);
        break;
      case EntryKind::Reset:
        heads[entry.session] = {.epoch = heads[entry.session].epoch + 1};
        break;
      case EntryKind::NumbersSet:
        set(heads[entry.session], decode_numbers_change(entry.bytes)->after);
        add_change(entry, position, time);
        break;
      case EntryKind::MessagesLost:
        add_lost(entry, position, heads[entry.session].epoch);
        break;
      case EntryKind::OutboundNumber:
        use(heads[entry.session], entry.number);
        break;
      case EntryKind::InboundProgress:
      case EntryKind::Removed:
      case EntryKind::NumbersReserved:
      case EntryKind::LogSynced:
      case EntryKind::LogClosed:
      case EntryKind::LogOwned:
        break;
    }
    if (entry.kind != EntryKind::Removed && !is_of_log(entry.kind)) touch(entry.session);
    position = end + (entries.size() - reader.rest().size());
  }
  end += entries.size();
}

void Batch::use(SessionHead& head, std::uint64_t number) {
  raised += number - head.next_outbound;
  head.next_outbound = number + 1;
}

void Batch::set(SessionHead& head, const NumbersChange::Numbers& after) {
  const std::uint64_t first = after.epoch == head.epoch ? head.next_outbound : 1;
  raised += after.next_outbound - first;
  head = {.epoch = after.epoch, .next_outbound = after.next_outbound};
}

void Batch::add_message(const Entry& entry, LogPosition position, std::uint64_t epoch) {
  message_session.add(entry.session);
  message_epoch.add(epoch);
  message_number.add(entry.number);
  message_position.add(position);
  const std::size_t at = message_bytes.add(entry.bytes);
  messages_.push_back({.session = entry.session,
                       .epoch = epoch,
                       .number = entry.number,
                       .position = position,
                       .bytes_begin = at,
                       .bytes_count = entry.bytes.size()});
}

void Batch::add_change(const Entry& entry, LogPosition position, WallTime time) {
  const std::optional<NumbersChange> change = decode_numbers_change(entry.bytes);
  change_position.add(position);
  change_session.add(entry.session);
  change_at.add(nanoseconds(time));
  for (const std::uint64_t number :
       {change->before.next_inbound, change->before.next_outbound, change->before.epoch}) {
    change_before.add(number);
  }
  for (const std::uint64_t number :
       {change->after.next_inbound, change->after.next_outbound, change->after.epoch}) {
    change_after.add(number);
  }
  change_unfinished.add_flag(change->is_unfinished);
  change_text.add(change->text);
}

void Batch::add_lost(const Entry& entry, LogPosition position, std::uint64_t epoch) {
  lost_position.add(position);
  lost_session.add(entry.session);
  lost_epoch.add(epoch);
  lost_first.add(entry.number);
  lost_last.add(decode_last_lost(entry.bytes));
}

void Batch::touch(SessionKey session) {
  if (session >= is_touched_.size()) is_touched_.resize(session + std::size_t{1});
  if (is_touched_[session] != 0) return;
  is_touched_[session] = 1;
  touched_.push_back(session);
}

void Batch::seal(const SessionTable& sessions) {
  for (const SessionKey session : touched_) {
    const SessionRecord& record = sessions.record(session);
    session_key.add(session);
    session_epoch.add(record.epoch);
    session_inbound.add(record.next_inbound);
    session_outbound.add(record.next_outbound);
    session_created.add(nanoseconds(record.created));
    session_unfinished.add_flag(sessions.is_unfinished(session));
  }
}

}  // namespace nexusfix::store::postgres
