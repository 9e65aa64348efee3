#include "store/message_index.hpp"

#include <algorithm>

#include <nexusfix/base/assert.hpp>

namespace nexusfix::store {

void MessageIndex::add(std::uint64_t msg_seq_num, LogPosition begin, LogPosition end) {
  NEXUSFIX_DEBUG_ASSERT(groups_.empty() || msg_seq_num > groups_.back().first);
  const bool joins = !groups_.empty() && last_group_messages_ < group_messages_max_ &&
                     end - groups_.back().begin <= group_bytes_max_;
  if (joins) {
    groups_.back().end = end;
    ++last_group_messages_;
    return;
  }
  if (groups_.size() == kGroupsMax) merge_pairs();
  groups_.push_back({.first = msg_seq_num, .begin = begin, .end = end});
  last_group_messages_ = 1;
}

void MessageIndex::merge_pairs() noexcept {
  for (std::size_t pair = 0; pair < kGroupsMax / 2; ++pair) {
    groups_[pair] = groups_[2 * pair];
    groups_[pair].end = groups_[2 * pair + 1].end;
  }
  groups_.resize(kGroupsMax / 2);
  group_messages_max_ *= 2;
  group_bytes_max_ *= 2;
}

void MessageIndex::clear() noexcept {
  groups_.clear();
  last_group_messages_ = 0;
  group_messages_max_ = kFirstGroupMessages;
  group_bytes_max_ = kFirstGroupBytes;
}

std::span<const MessageIndex::Group> MessageIndex::groups(std::uint64_t first,
                                                          std::uint64_t last) const noexcept {
  const auto above = [](std::uint64_t number, const Group& group) { return number < group.first; };
  auto begin = std::upper_bound(groups_.begin(), groups_.end(), first, above);
  if (begin != groups_.begin()) --begin;  // the group before may reach into the range
  const auto end = std::upper_bound(begin, groups_.end(), last, above);
  return {begin, end};
}

}  // namespace nexusfix::store
