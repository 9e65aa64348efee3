#include "store/log_state.hpp"

#include "store/entry.hpp"

namespace nexusfix::store {

std::expected<void, std::string_view> LogState::apply(std::span<const char> entries, WallTime time,
                                                      LogPosition begin, LogPosition end) {
  if (auto applied = sessions.apply(entries, time); !applied) return applied;
  if (indexes.size() < sessions.size()) add_indexes();
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

void LogState::add_indexes() {
  const MessageIndex::Limits limits = MessageIndex::limits_for(sessions.size());
  const std::size_t begin = limits == limits_ ? indexes.size() : 0;
  indexes.resize(sessions.size());
  limits_ = limits;
  for (std::size_t key = begin; key < indexes.size(); ++key) indexes[key].limit(limits_);
}

}  // namespace nexusfix::store
