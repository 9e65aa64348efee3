// What a journal knows in memory: the sessions and where their messages are. Built record by
// record, in the same way while recovering and while appending.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <vector>

#include <nexusfix/base/time.hpp>
#include <nexusfix/store/store.hpp>

#include "store/format/entry.hpp"
#include "store/state/message_index.hpp"
#include "store/state/session_table.hpp"

namespace nexusfix::store {

struct LogState {
  SessionTable sessions;
  std::vector<MessageIndex> indexes;  // by session key
  std::uint64_t messages = 0;         // kept, of every session and epoch

  // Applies the record at begin to end, or nothing of it; then passes each of its entries to visit.
  template <class Visit>
  [[nodiscard]] std::expected<void, std::string_view> apply(std::span<const char> entries,
                                                            WallTime time, LogPosition begin,
                                                            LogPosition end, Visit visit) {
    EntryReader reader{entries};
    Entry entry;
    if (reader.next(entry) && entry.kind == EntryKind::OutboundMessage) {
      std::uint64_t next_inbound = kNoProgress;
      if (reader.at_end() || is_progress(reader, entry.session, next_inbound)) {
        auto applied = sessions.apply_message(entry.session, entry.number, next_inbound);
        if (!applied) return applied;
        note(entry, begin, end);
        visit(entry);
        return applied;
      }
    }
    if (auto applied = sessions.apply(entries, time); !applied) return applied;
    if (indexes.size() < sessions.size()) add_indexes();
    reader = EntryReader{entries};
    while (reader.next(entry)) {
      note(entry, begin, end);
      visit(entry);
    }
    return {};
  }
  [[nodiscard]] std::expected<void, std::string_view> apply(std::span<const char> entries,
                                                            WallTime time, LogPosition begin,
                                                            LogPosition end) {
    return apply(entries, time, begin, end, [](const Entry&) {});
  }

  // After sessions were added to the table: gives each its index.
  void add_indexes();

 private:
  // Whether what is left is one InboundProgress of this session: then next_inbound is its number.
  [[nodiscard]] static bool is_progress(EntryReader& reader, SessionKey session,
                                        std::uint64_t& next_inbound) noexcept {
    Entry entry;
    if (!reader.next(entry) || !reader.at_end() || entry.kind != EntryKind::InboundProgress ||
        entry.session != session) {
      return false;
    }
    next_inbound = entry.number;
    return true;
  }
  void note(const Entry& entry, LogPosition begin, LogPosition end) {
    if (entry.kind == EntryKind::OutboundMessage) {
      indexes[entry.session].add(entry.number, begin, end);
      ++messages;
    } else if (begins_epoch(entry)) {
      indexes[entry.session].clear();
    }
  }

  MessageIndex::Limits limits_;
};

}  // namespace nexusfix::store
