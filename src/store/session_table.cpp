#include "store/session_table.hpp"

#include <cstdint>
#include <limits>

#include <nexusfix/base/assert.hpp>

namespace nexusfix::store {

static_assert(kSessionsMax == 65536 && kSessionNameBytesMax == 1024, "named in the texts below");

SessionTable::SessionTable() { undo_.reserve(1024); }

std::optional<SessionKey> SessionTable::find(std::string_view name) const {
  const auto found = keys_.find(name);
  if (found == keys_.end()) return std::nullopt;
  return found->second;
}

const SessionRecord& SessionTable::record(SessionKey key) const noexcept {
  NEXUSFIX_ASSERT(key < by_key_.size());
  return by_key_[key]->record;
}

const std::string& SessionTable::name(SessionKey key) const noexcept {
  NEXUSFIX_ASSERT(key < by_key_.size());
  return by_key_[key]->name;
}

std::expected<void, std::string_view> SessionTable::has_room_for(
    std::string_view name) const noexcept {
  if (name.size() > kSessionNameBytesMax) {
    return std::unexpected{"a session's name is longer than 1024 bytes"};
  }
  if (by_key_.size() >= kSessionsMax) return std::unexpected{"there are 65536 sessions already"};
  return {};
}

std::expected<void, std::string_view> SessionTable::apply(std::span<const char> entries,
                                                          WallTime time) {
  undo_.clear();
  sessions_before_ = by_key_.size();
  EntryReader reader{entries};
  Entry entry;
  while (reader.next(entry)) {
    // The last entry is refused before it changes anything: only those before it may be undone.
    const bool is_last = reader.at_end();
    if (!is_last && !is_of_log(entry.kind) && entry.session < by_key_.size()) {
      undo_.emplace_back(entry.session, by_key_[entry.session]->record);
    }
    if (auto applied = apply_one(entry, time); !applied) {
      undo();
      return applied;
    }
  }
  if (!reader.at_end()) {
    undo();
    return std::unexpected{"an entry is malformed"};
  }
  return {};
}

std::expected<void, std::string_view> SessionTable::apply_one(const Entry& entry, WallTime time) {
  if (entry.kind == EntryKind::SessionOpened) return open(entry, time);
  if (is_of_log(entry.kind)) return {};
  if (entry.session >= by_key_.size()) {
    return std::unexpected{"an entry belongs to a session that was never opened"};
  }
  if (entry.number > kNumberMax) return std::unexpected{"a sequence number is above 2^62"};
  SessionRecord& record = by_key_[entry.session]->record;
  switch (entry.kind) {
    case EntryKind::InboundProgress:
      if (entry.number < record.next_inbound) {
        return std::unexpected{"the next inbound number would go back"};
      }
      record.next_inbound = entry.number;
      return {};
    case EntryKind::OutboundMessage:
    case EntryKind::OutboundNumber:
      if (entry.number < record.next_outbound) {
        return std::unexpected{"an outbound number would be used a second time"};
      }
      record.next_outbound = entry.number + 1;
      return {};
    case EntryKind::Reset:
      record = {.next_inbound = 1, .next_outbound = 1, .epoch = record.epoch + 1, .created = time};
      return {};
    case EntryKind::SessionOpened:
    case EntryKind::LogSynced:
    case EntryKind::LogClosed:
      break;
  }
  return std::unexpected{"an entry is of an unknown kind"};
}

std::expected<void, std::string_view> SessionTable::open(const Entry& entry, WallTime time) {
  if (entry.session != by_key_.size()) {
    return std::unexpected{"a session's key is out of order"};
  }
  if (auto room = has_room_for(entry.bytes); !room) return room;
  if (!keys_.emplace(entry.bytes, entry.session).second) {
    return std::unexpected{"a session was opened twice"};
  }
  sessions_.push_back(
      {.name = std::string{entry.bytes},
       .record = {.next_inbound = 1, .next_outbound = 1, .epoch = 1, .created = time}});
  by_key_.push_back(&sessions_.back());
  return {};
}

void SessionTable::undo() noexcept {
  for (; !undo_.empty(); undo_.pop_back())
    by_key_[undo_.back().first]->record = undo_.back().second;
  for (; by_key_.size() > sessions_before_; sessions_.pop_back()) {
    by_key_.pop_back();
    keys_.erase(sessions_.back().name);
  }
}

}  // namespace nexusfix::store
