#include "store/log_state.hpp"

#include "store/entry.hpp"

namespace nexusfix::store {

std::expected<void, std::string_view> LogState::apply(std::span<const char> entries, WallTime time,
                                                      LogPosition begin, LogPosition end) {
  if (auto applied = sessions.apply(entries, time); !applied) return applied;
  while (indexes.size() < sessions.size()) indexes.emplace_back();
  EntryReader reader{entries};
  Entry entry;
  while (reader.next(entry)) {
    if (entry.kind == EntryKind::OutboundMessage) {
      indexes[entry.session].add(entry.number, begin, end);
      ++messages;
    } else if (begins_epoch(entry)) {
      indexes[entry.session].clear();
    }
  }
  return {};
}

}  // namespace nexusfix::store
