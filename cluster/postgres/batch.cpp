#include "cluster/postgres/batch.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "cluster/postgres/chunk.hpp"
#include "store/api/entry.hpp"

namespace nexusfix::store::postgres {
namespace {

template <class T>
void reserve_more(std::vector<T>& list, std::size_t count) {
  const std::size_t needed = list.size() + count;
  if (needed > list.capacity()) list.reserve(std::max(needed, 2 * list.capacity()));
}

// More rows at once would delay the batch, but none may lack twice as much as it should.
constexpr std::size_t kRowsAtOnce = 32;

}  // namespace

void Batch::clear(LogPosition at) {
  begin_ = at;
  end_ = at;
  raised_ = 0;
  has_received_ = false;
  has_resets_ = false;
  opened_.clear();
  renamed_.clear();
  chunk_.clear();
  chunk_sessions_.clear();
  places_.clear();
  sessions_.clear();
  changes_.clear();
  lost_.clear();
  messages_.clear();
  for (const SessionKey session : touched_) by_key_[session] = {};
  touched_.clear();
}

void Batch::make_room(std::span<const char> entries, LogEnd& log) {
  auto& [heads, lagging] = log;
  std::size_t opened = 0;
  std::size_t renamed = 0;
  std::size_t messages = 0;
  std::size_t received = 0;
  std::size_t changes = 0;
  std::size_t lost = 0;
  std::size_t count = 0;
  std::size_t keys = by_key_.size();
  EntryReader reader{entries};
  Entry entry;
  while (reader.next(entry)) {
    ++count;
    opened += entry.kind == EntryKind::SessionOpened ? 1 : 0;
    renamed += entry.kind == EntryKind::SessionRenamed ? 1 : 0;
    messages += entry.kind == EntryKind::OutboundMessage ? 1 : 0;
    received += is_received(entry) ? 1 : 0;
    changes += entry.kind == EntryKind::NumbersSet ? 1 : 0;
    lost += entry.kind == EntryKind::MessagesLost ? 1 : 0;
    // A key that no session has is refused later.
    if (entry.session < heads.size() + opened) {
      keys = std::max(keys, entry.session + std::size_t{1});
    }
  }
  opened_.reserve(opened, entries.size());
  renamed_.reserve(renamed, entries.size());
  chunk_sessions_.reserve(chunk_sessions_.count() + messages + received);
  places_.reserve(lagging.places() + count + messages);
  changes_.reserve(changes, entries.size());
  lost_.reserve(lost);
  sessions_.reserve(lagging.count() + count);
  reserve_more(chunk_, entries.size());
  reserve_more(messages_, messages);
  reserve_more(touched_, count);
  reserve_more(heads, opened);
  by_key_.resize(keys);
  lagging.make_room(keys, messages);
}

void Batch::add(std::span<const char> entries, WallTime time, LogEnd& log) {
  auto& [heads, lagging] = log;
  EntryReader reader{entries};
  Entry entry;
  LogPosition position = end_;  // of the entry: where it begins
  while (reader.next(entry)) {
    if (entry.kind != EntryKind::Removed && !is_of_log(entry.kind)) {
      touch(entry.session);
      lagging.touch(entry.session, begin_);
    }
    switch (entry.kind) {
      case EntryKind::SessionOpened:
        heads.push_back({});
        opened_.add(entry.session, entry.bytes, time);
        break;
      case EntryKind::SessionRenamed:
        renamed_.add(entry.session, entry.bytes);
        break;
      case EntryKind::OutboundMessage:
        use(heads[entry.session], entry.number);
        add_message(entry,
                    chunk_.size() + static_cast<std::size_t>(entry.bytes.data() - entries.data()),
                    heads[entry.session].epoch);
        lagging.add_message(entry.session, heads[entry.session].epoch, entry.number,
                            entry.bytes.size(), begin_);
        break;
      case EntryKind::Reset:
        has_resets_ = true;
        heads[entry.session] = {.epoch = heads[entry.session].epoch + 1};
        break;
      case EntryKind::NumbersSet: {
        const std::optional<NumbersChange> change = decode_numbers_change(entry.bytes);
        set(heads[entry.session], change->after);
        changes_.add(position, entry.session, time, *change);
        break;
      }
      case EntryKind::MessagesLost:
        lost_.add(position, entry.session, heads[entry.session].epoch,
                  {entry.number, decode_last_lost(entry.bytes)});
        break;
      case EntryKind::OutboundNumber:
        use(heads[entry.session], entry.number);
        break;
      case EntryKind::InboundProgress:
        if (is_received(entry)) {
          has_received_ = true;
          Touched& touched = by_key_[entry.session];
          if (touched.received_epoch == 0) touched.received_epoch = heads[entry.session].epoch;
        }
        break;
      case EntryKind::Removed:
      case EntryKind::NumbersReserved:
      case EntryKind::MessagesLeft:
      case EntryKind::LogSynced:
      case EntryKind::LogClosed:
      case EntryKind::LogOwned:
        break;
    }
    position = end_ + (entries.size() - reader.rest().size());
  }
  chunk_.insert(chunk_.end(), entries.begin(), entries.end());
  end_ += entries.size();
}

void Batch::use(SessionHead& head, std::uint64_t number) {
  raised_ += number - head.next_outbound;
  head.next_outbound = number + 1;
}

void Batch::set(SessionHead& head, const NumbersChange::Numbers& after) {
  const std::uint64_t first = after.epoch == head.epoch ? head.next_outbound : 1;
  raised_ += after.next_outbound - first;
  head = {.epoch = after.epoch, .next_outbound = after.next_outbound};
}

void Batch::add_message(const Entry& entry, std::size_t bytes_begin, std::uint64_t epoch) {
  messages_.push_back({.session = entry.session,
                       .epoch = epoch,
                       .number = entry.number,
                       .bytes_begin = bytes_begin,
                       .bytes_count = entry.bytes.size()});
  if (std::exchange(by_key_[entry.session].placed_epoch, epoch) == epoch) return;
  chunk_sessions_.add(entry.session, epoch);
}

void Batch::touch(SessionKey session) {
  if (std::exchange(by_key_[session].is_touched, true)) return;
  touched_.push_back(session);
}

void Batch::add_rows(SessionKey session, const SessionTable& sessions, LaggingRows& lagging) {
  sessions_.add(session, sessions.record(session), sessions.is_unfinished(session));
  lagging.take(session, [this](const LaggingRows::Place& one) {
    places_.add(one.session, one.epoch, one.first_number, one.first_chunk, one.last_chunk);
  });
}

void Batch::seal(const SessionTable& sessions, LogEnd& log, LogPosition lag_max) {
  for (const SessionKey session : touched_) {
    const Touched& one = by_key_[session];
    const bool is_placed = one.placed_epoch != 0;
    if (!is_placed && one.received_epoch != 0) chunk_sessions_.add(session, one.received_epoch);
  }
  LaggingRows& lagging = log.lagging;
  const auto lag = [&] { return lagging.empty() ? 0 : end_ - lagging.since(); };
  if (!is_common()) {
    // What an opening reads again is common.
    while (!lagging.empty()) add_rows(lagging.oldest(), sessions, lagging);
  } else if (!has_chunk()) {
    // It leaves no chunk that an opening could read.
    for (const SessionKey session : touched_) add_rows(session, sessions, lagging);
  } else if (lag() > lag_max) {
    while (!lagging.empty() && (sessions_.count() < kRowsAtOnce || lag() > 2 * lag_max)) {
      add_rows(lagging.oldest(), sessions, lagging);
    }
  }
  rows_position_ = lagging.empty() ? end_ : lagging.since();
}

}  // namespace nexusfix::store::postgres
