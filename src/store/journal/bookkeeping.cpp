#include "store/journal/bookkeeping.hpp"

#include <algorithm>

#include <nexusfix/base/language.hpp>

namespace nexusfix::store {

Bookkeeping::Bookkeeping(std::uint64_t block) : reserve_{block} {
  entries_.reserve((SequenceNumberReserve::kPendingMax + 2) * kEntryHeaderBytes);
}

void Bookkeeping::start(std::uint64_t owner_epoch, bool owner_recorded, LogPosition recorded_sync) {
  owner_epoch_ = owner_epoch;
  owner_recorded_ = owner_recorded;
  recorded_sync_ = recorded_sync;
}

void Bookkeeping::make_entries(LogPosition synced, const SessionTable& sessions,
                               std::size_t bytes_max) {
  entries_.clear();
  if (!owner_recorded_) {
    append_entry(entries_,
                 {.kind = EntryKind::LogOwned, .session = 0, .number = owner_epoch_, .bytes = {}});
  }
  if (synced > recorded_sync_) {
    append_entry(entries_,
                 {.kind = EntryKind::LogSynced, .session = 0, .number = synced, .bytes = {}});
    reserve_.on_synced(
        synced, [&sessions](SessionKey session) { return sessions.record(session).next_outbound; });
  }
  for (const SessionKey session : reserve_.next_to_write()) {
    append_entry(entries_, {.kind = EntryKind::NumbersReserved,
                            .session = session,
                            .number = reserve_.reserved(session),
                            .bytes = {}});
  }
  if (entries_.size() > bytes_max) entries_.clear();
}

bool Bookkeeping::on_written(LogPosition synced, LogPosition end, SessionTable& sessions) {
  const auto applied = sessions.apply(entries_, WallTime{});
  NEXUSFIX_ASSERT(applied.has_value());
  entries_.clear();
  owner_recorded_ = true;
  recorded_sync_ = std::max(recorded_sync_, synced);
  return reserve_.on_written(end);
}

bool Bookkeeping::track(std::span<const char> entries) {
  bool must_be_synced = false;
  EntryReader reader{entries};
  Entry entry;
  while (reader.next(entry)) must_be_synced |= track(entry);
  return must_be_synced;
}

bool Bookkeeping::track(const Entry& entry) {
  switch (entry.kind) {
    case EntryKind::OutboundMessage:
    case EntryKind::OutboundNumber:
      return track(entry.session, entry.number);
    case EntryKind::SessionOpened:
      reserve_.add(1);
      return true;
    case EntryKind::Reset:
      reserve_.set(entry.session, 1);
      return true;
    case EntryKind::NumbersSet:
      reserve_.set(entry.session, decode_numbers_change(entry.bytes)->after.next_outbound);
      return true;
    case EntryKind::SessionRenamed:
      // Without it, the entries that follow would be another session's.
      return true;
    case EntryKind::InboundProgress:
    case EntryKind::Removed:
    case EntryKind::MessagesLost:
    case EntryKind::NumbersReserved:
    case EntryKind::MessagesLeft:
    case EntryKind::LogSynced:
    case EntryKind::LogClosed:
    case EntryKind::LogOwned:
      break;
  }
  return false;
}

}  // namespace nexusfix::store
