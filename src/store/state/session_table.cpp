#include "store/api/session_table.hpp"

#include <algorithm>
#include <cstdint>
#include <new>

#include <nexusfix/base/language.hpp>

namespace nexusfix::store {

static_assert(kSessionsMax == 65536 && kSessionNameBytesMax == 1024, "named in the texts below");

namespace {

constexpr std::string_view kUnknownEntry =
    "an entry is malformed, or of a kind that only a newer version knows";
constexpr std::string_view kNameTooLong = "a session's name is longer than 1024 bytes";

}  // namespace

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
    return std::unexpected{kNameTooLong};
  }
  if (by_key_.size() >= kSessionsMax) return std::unexpected{"there are 65536 sessions already"};
  return {};
}

std::expected<void, std::string_view> SessionTable::check_rename(
    std::string_view name) const noexcept {
  if (name.size() > kSessionNameBytesMax) return std::unexpected{kNameTooLong};
  if (keys_.contains(name)) return std::unexpected{"another session has this name"};
  return {};
}

std::expected<void, std::string_view> SessionTable::apply(std::span<const char> entries,
                                                          WallTime time) {
  undo_.clear();
  former_names_.clear();
  has_rare_ = false;
  sessions_before_ = by_key_.size();
  try {
    return apply_all(entries, time);
  } catch (const std::bad_alloc&) {
    undo();
    throw;
  }
}

std::expected<void, std::string_view> SessionTable::apply_all(std::span<const char> entries,
                                                              WallTime time) {
  EntryReader reader{entries};
  Entry entry;
  while (reader.next(entry)) {
    // The last entry changes nothing when it is refused: only those before it may be undone.
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
    return std::unexpected{kUnknownEntry};
  }
  if (has_rare_) apply_rare(entries);
  return {};
}

std::expected<void, std::string_view> SessionTable::apply_one(const Entry& entry, WallTime time) {
  if (entry.kind == EntryKind::SessionOpened) return open(entry, time);
  if (entry.kind == EntryKind::Removed) return {};  // belongs to no session
  if (is_of_log(entry.kind)) return {};
  if (entry.session >= by_key_.size()) {
    return std::unexpected{kNeverOpened};
  }
  if (entry.number > kNumberMax) return std::unexpected{kTooHigh};
  SessionRecord& record = by_key_[entry.session]->record;
  switch (entry.kind) {
    case EntryKind::InboundProgress:
      if (entry.number < record.next_inbound) {
        return std::unexpected{kGoesBack};
      }
      record.next_inbound = entry.number;
      return {};
    case EntryKind::OutboundMessage:
    case EntryKind::OutboundNumber:
      if (entry.number < record.next_outbound) {
        return std::unexpected{kUsedTwice};
      }
      record.next_outbound = entry.number + 1;
      return {};
    case EntryKind::Reset:
      has_rare_ = true;
      record = {.next_inbound = 1, .next_outbound = 1, .epoch = record.epoch + 1, .created = time};
      return {};
    case EntryKind::NumbersSet:
      has_rare_ = true;
      return set_numbers(sessions_[entry.session], *decode_numbers_change(entry.bytes));
    case EntryKind::MessagesLost:
    case EntryKind::NumbersReserved:
      has_rare_ = true;
      return {};
    case EntryKind::SessionRenamed:
      return rename(entry);
    case EntryKind::MessagesLeft:
      return {};
    case EntryKind::Removed:
    case EntryKind::SessionOpened:
    case EntryKind::LogSynced:
    case EntryKind::LogClosed:
    case EntryKind::LogOwned:
      break;
  }
  return std::unexpected{"an entry is of an unknown kind"};
}

std::expected<void, std::string_view> SessionTable::set_numbers(Session& session,
                                                                const NumbersChange& change) {
  SessionRecord& record = session.record;
  const NumbersChange::Numbers now{record.next_inbound, record.next_outbound, record.epoch};
  if (change.before != now) {
    return std::unexpected{"the sequence numbers before the change are others"};
  }
  if (change.after.epoch < record.epoch) {
    return std::unexpected{"an epoch would go back"};
  }
  if (change.after.epoch == record.epoch && change.after.next_outbound < record.next_outbound) {
    return std::unexpected{"an outbound number would be used a second time within an epoch"};
  }
  record = {.next_inbound = change.after.next_inbound,
            .next_outbound = change.after.next_outbound,
            .epoch = change.after.epoch,
            .created = change.created};
  return {};
}

std::string SessionTable::unfinished_text(std::string_view name) {
  return "an import into session " + std::string{name} +
         " was begun and not finished: do it again, or set the sequence "
         "numbers with nexusfix journal set";
}

bool SessionTable::is_unfinished(SessionKey key) const noexcept {
  NEXUSFIX_ASSERT(key < sessions_.size());
  return sessions_[key].is_unfinished;
}

std::expected<void, std::string_view> SessionTable::open(const Entry& entry, WallTime time) {
  if (entry.session != by_key_.size()) {
    return std::unexpected{"a session's key is out of order"};
  }
  if (auto room = has_room_for(entry.bytes); !room) return room;
  if (keys_.contains(entry.bytes)) return std::unexpected{"a session was opened twice"};
  if (by_key_.size() == by_key_.capacity()) by_key_.reserve(2 * by_key_.size() + 1);
  sessions_.push_back(
      {.name = std::string{entry.bytes},
       .record = {.next_inbound = 1, .next_outbound = 1, .epoch = 1, .created = time},
       .lost = {},
       .is_unfinished = false,
       .reserved = 0});
  try {
    keys_.emplace(entry.bytes, entry.session);
  } catch (const std::bad_alloc&) {
    sessions_.pop_back();
    throw;
  }
  by_key_.push_back(&sessions_.back());
  return {};
}

std::expected<void, std::string_view> SessionTable::rename(const Entry& entry) {
  if (auto may = check_rename(entry.bytes); !may) return may;
  // From here on nothing may need memory: undo() puts back what is here now.
  former_names_.push_back({.session = entry.session,
                           .name = std::string{entry.bytes},
                           .key = std::string{entry.bytes}});
  swap_names(former_names_.back());
  return {};
}

void SessionTable::swap_names(Renamed& one) noexcept {
  std::string& name = by_key_[one.session]->name;
  auto node = keys_.extract(name);
  std::swap(node.key(), one.key);
  keys_.insert(std::move(node));
  std::swap(name, one.name);
}

bool SessionTable::restore(Session&& session) {
  if (!has_room_for(session.name)) return false;
  if (!keys_.emplace(session.name, static_cast<SessionKey>(by_key_.size())).second) return false;
  sessions_.push_back(std::move(session));
  by_key_.push_back(&sessions_.back());
  return true;
}

void SessionTable::apply_rare(std::span<const char> entries) {
  EntryReader reader{entries};
  Entry entry;
  while (reader.next(entry)) {
    if (begins_epoch(entry)) {
      sessions_[entry.session].lost.clear();
      sessions_[entry.session].reserved = 0;
    }
    if (entry.kind == EntryKind::NumbersReserved) {
      sessions_[entry.session].reserved = entry.number;
    }
    if (entry.kind == EntryKind::NumbersSet) {
      sessions_[entry.session].is_unfinished = decode_numbers_change(entry.bytes)->is_unfinished;
    }
    if (entry.kind != EntryKind::MessagesLost) continue;
    std::vector<NumberRange>& ranges = sessions_[entry.session].lost;
    const NumberRange range{entry.number, decode_last_lost(entry.bytes)};
    if (ranges.size() < kLostRangesMax) {
      ranges.push_back(range);
    } else {
      ranges.back().first = std::min(ranges.back().first, range.first);
      ranges.back().last = std::max(ranges.back().last, range.last);
    }
  }
}

std::span<const NumberRange> SessionTable::lost(SessionKey key) const noexcept {
  NEXUSFIX_ASSERT(key < sessions_.size());
  return sessions_[key].lost;
}

std::uint64_t SessionTable::reserved(SessionKey key) const noexcept {
  NEXUSFIX_ASSERT(key < sessions_.size());
  return sessions_[key].reserved;
}

void SessionTable::undo() noexcept {
  for (; !former_names_.empty(); former_names_.pop_back()) {
    swap_names(former_names_.back());
  }
  for (; !undo_.empty(); undo_.pop_back())
    by_key_[undo_.back().first]->record = undo_.back().second;
  for (; by_key_.size() > sessions_before_; sessions_.pop_back()) {
    by_key_.pop_back();
    keys_.erase(sessions_.back().name);
  }
}

}  // namespace nexusfix::store
