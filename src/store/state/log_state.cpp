#include "store/state/log_state.hpp"

#include <optional>

namespace nexusfix::store {
namespace {

// Nothing: the record holds other entries.
std::optional<CommonRecord> decode_common(std::span<const char> entries) noexcept {
  EntryReader reader{entries};
  Entry entry;
  if (!reader.next(entry)) return std::nullopt;
  CommonRecord common{.session = entry.session, .msg_seq_num = 0, .next_inbound = 0};
  if (entry.kind == EntryKind::OutboundMessage) {
    common.msg_seq_num = entry.number;
    if (reader.at_end()) return common;
    if (!reader.next(entry)) return std::nullopt;
  }
  const bool is_progress = entry.kind == EntryKind::InboundProgress && reader.at_end();
  if (!is_progress || entry.session != common.session) return std::nullopt;
  common.next_inbound = entry.number;
  return common;
}

}  // namespace

std::expected<void, std::string_view> LogState::apply(std::span<const char> entries, WallTime time,
                                                      LogPosition begin, LogPosition end) {
  if (const auto common = decode_common(entries)) return apply(*common, begin, end);
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
