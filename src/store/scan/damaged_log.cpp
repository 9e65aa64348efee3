#include "store/scan/damaged_log.hpp"

#include <utility>

#include "store/api/entry.hpp"

namespace nexusfix::store {

std::string lost_session_name(SessionKey session) {
  return "lost session " + std::to_string(session);
}

StoreError contradiction(const std::string& folder, const SegmentHeader& segment,
                         const Record& record, std::string_view reason) {
  return {.code = StoreErrorCode::Corrupt,
          .text = path_of_segment(folder, segment.number) + ": the record at offset " +
                  std::to_string(record.offset) + " checks, but " + std::string{reason} +
                  ". Nothing was changed. Restore the folder from a copy"};
}

void DamagedLog::begin(LogState&& state) {
  state_ = std::move(state);
  any_doubt_ = false;
  doubts_.resize(state_.sessions.size());
}

std::expected<void, std::string_view> DamagedLog::record(const SegmentHeader& segment,
                                                         const Record& record) {
  const LogPosition begin = segment.position + record.offset;
  if (any_doubt_) {
    opens_from_.reset();
    EntryReader reader{record.entries};
    Entry entry;
    while (reader.next(entry)) {
      if (auto settled = resolve(entry, record.time); !settled) return settled;
    }
  }
  auto applied = state_.apply(record.entries, record.time, begin, begin + record.record_bytes);
  if (doubts_.size() < state_.sessions.size()) doubts_.resize(state_.sessions.size());
  return applied;
}

void DamagedLog::damage(const DamagedBytes& bytes) {
  damages_.push_back(bytes);
  inferred_.emplace_back();
  if (bytes.is_header) return;  // it holds no record
  any_doubt_ = true;
  for (Doubt& doubt : doubts_) {
    // The first damage is the one that is named; what may be lost counts for all of them.
    if (!doubt.damage) doubt.damage = damages_.size() - 1;
  }
}

void DamagedLog::end() {
  for (SessionKey key = 0; key < doubts_.size(); ++key) {
    const Doubt& doubt = doubts_[key];
    if (!doubt.damage) continue;
    losses_.push_back({.session = key,
                       .damage = *doubt.damage,
                       .numbers = {},
                       .epoch = state_.sessions.record(key).epoch,
                       .in_doubt = true,
                       .reset_lost = doubt.reset_lost,
                       .opened_in_it = doubt.opened_in_it});
  }
}

std::expected<void, std::string_view> DamagedLog::resolve(const Entry& entry, WallTime time) {
  if (entry.kind == EntryKind::Removed || is_of_log(entry.kind)) return {};
  if (entry.kind == EntryKind::SessionOpened) {
    if (opens_from_) return {};  // the same record opens those before it
    opens_from_ = entry.session;
    return entry.session > 0 ? infer_opened(entry.session - 1, time)
                             : std::expected<void, std::string_view>{};
  }
  if (opens_from_ && entry.session >= *opens_from_) return {};
  if (auto opened = infer_opened(entry.session, time); !opened) return opened;
  if (entry.session >= doubts_.size() || !doubts_[entry.session].damage) return {};
  const SessionRecord& record = state_.sessions.record(entry.session);
  switch (entry.kind) {
    case EntryKind::InboundProgress:
      if (entry.number < record.next_inbound) return infer_reset(entry.session, time);
      return {};
    case EntryKind::OutboundMessage:
    case EntryKind::OutboundNumber:
      if (entry.number < record.next_outbound) {
        if (auto reset = infer_reset(entry.session, time); !reset) return reset;
      }
      if (entry.number > record.next_outbound) {
        clear(entry.session, NumberRange{record.next_outbound, entry.number - 1});
      } else {
        clear(entry.session, {});
      }
      return {};
    case EntryKind::Reset:
      clear(entry.session, {});
      return {};
    case EntryKind::NumbersSet: {
      NumbersChange change = *decode_numbers_change(entry.bytes);
      change.after = change.before;
      change.before = {record.next_inbound, record.next_outbound, record.epoch};
      change.created = record.created;
      if (change.before == change.after) {
        clear(entry.session, {});
        return {};
      }
      std::vector<char> entries;
      append_numbers_change(entries, entry.session, change);
      const std::size_t damage = *doubts_[entry.session].damage;
      const bool same_epoch = change.before.epoch == change.after.epoch;
      if (auto applied = infer(entries, damage, time); !applied) return applied;
      if (same_epoch && change.after.next_outbound > change.before.next_outbound) {
        clear(entry.session,
              NumberRange{change.before.next_outbound, change.after.next_outbound - 1});
      } else {
        doubts_[entry.session].reset_lost = !same_epoch;
        clear(entry.session, {});
      }
      return {};
    }
    default:
      return {};
  }
}

// Opens the sessions below this key that are missing: they were opened in the damage.
std::expected<void, std::string_view> DamagedLog::infer_opened(SessionKey until, WallTime time) {
  if (until >= kSessionsMax) return {};  // the error comes from applying the record
  while (state_.sessions.size() <= until) {
    const auto key = static_cast<SessionKey>(state_.sessions.size());
    std::vector<char> entries;
    append_entry(entries, {.kind = EntryKind::SessionOpened,
                           .session = key,
                           .number = 0,
                           .bytes = lost_session_name(key)});
    const std::size_t damage = damages_.size() - 1;
    if (auto applied = infer(entries, damage, time); !applied) return applied;
    doubts_.resize(state_.sessions.size());
    doubts_[key] = {.damage = damage, .reset_lost = false, .opened_in_it = true};
  }
  return {};
}

std::expected<void, std::string_view> DamagedLog::infer_reset(SessionKey session, WallTime time) {
  std::vector<char> entries;
  append_entry(entries, {.kind = EntryKind::Reset, .session = session, .number = 0, .bytes = {}});
  doubts_[session].reset_lost = true;
  // In the last damage, so that the records between two damages still fit.
  return infer(entries, damages_.size() - 1, time);
}

std::expected<void, std::string_view> DamagedLog::infer(const std::vector<char>& entries,
                                                        std::size_t damage, WallTime time) {
  while (damages_[damage].is_header) {
    if (damage == 0) return std::unexpected{"an entry is missing"};
    --damage;
  }
  inferred_[damage].insert(inferred_[damage].end(), entries.begin(), entries.end());
  const LogPosition begin = damages_[damage].position;
  return state_.apply(entries, time, begin, begin + damages_[damage].bytes);
}

void DamagedLog::clear(SessionKey session, std::optional<NumberRange> lost) {
  Doubt& doubt = doubts_[session];
  if (lost || doubt.reset_lost || doubt.opened_in_it) {
    losses_.push_back({.session = session,
                       .damage = *doubt.damage,
                       .numbers = lost,
                       .epoch = state_.sessions.record(session).epoch,
                       .in_doubt = false,
                       .reset_lost = doubt.reset_lost,
                       .opened_in_it = doubt.opened_in_it});
  }
  doubt = {};
}

}  // namespace nexusfix::store
