#include "store/state/message_index.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "store/state/even_search.hpp"

namespace nexusfix::store {
namespace {

// The groups of all indexes of a log together: 24 MiB.
constexpr std::size_t kGroupsOfAll = 1U << 20U;
// Where many sessions share the log, a small part of it has few messages of each.
constexpr std::uint64_t kGroupBytesPerSession = 2U << 10U;
constexpr std::uint64_t kGroupBytesMax = 8U << 20U;

}  // namespace

MessageIndex::Limits MessageIndex::limits_for(std::size_t sessions) noexcept {
  const std::size_t share = kGroupsOfAll / std::max<std::size_t>(sessions, 1);
  return {.groups_max = std::clamp(std::bit_floor(share), kGroupsMin, kGroupsMax),
          .group_bytes = std::clamp(std::bit_ceil(kGroupBytesPerSession * sessions),
                                    kFirstGroupBytes, kGroupBytesMax)};
}

void MessageIndex::limit(const Limits& limits) noexcept {
  limits_ = limits;
  group_bytes_max_ = std::max(group_bytes_max_, limits.group_bytes);
  while (groups_.size() > limits_.groups_max) merge_pairs();
  if (room() <= limits_.groups_max) return;
  try {
    std::vector<Group> fewer;
    fewer.reserve(limits_.groups_max);
    fewer.assign(groups_.begin(), groups_.end());
    groups_ = std::move(fewer);
  } catch (const std::bad_alloc&) {  // the memory is not given back
  }
}

void MessageIndex::begin_group(std::uint64_t msg_seq_num, LogPosition begin, LogPosition end) {
  add_group({.first = msg_seq_num, .begin = begin, .end = end});
  last_group_messages_ = 1;
}

void MessageIndex::add_group(const Group& group) {
  if (groups_.size() >= limits_.groups_max) merge_pairs();
  groups_.push_back(group);
  last_group_messages_ =
      group_messages_max_;  // the number of its messages is not known: it is full
}

void MessageIndex::merge_pairs() noexcept {
  const std::size_t fence = merge_pairs(0, fence_, 0);
  groups_.resize(merge_pairs(fence_, groups_.size(), fence));
  fence_ = fence;
  group_messages_max_ *= 2;
  group_bytes_max_ *= 2;
}

// Returns where the merged groups end.
std::size_t MessageIndex::merge_pairs(std::size_t begin, std::size_t end,
                                      std::size_t out) noexcept {
  for (std::size_t at = begin; at < end; at += 2) {
    const std::size_t last = std::min(at + 1, end - 1);
    groups_[out] = groups_[at];
    groups_[out].end = groups_[last].end;
    ++out;
  }
  return out;
}

std::uint64_t MessageIndex::drop_before(LogPosition position) noexcept {
  const auto is_before = [&](const Group& group) { return group.end <= position; };
  const auto kept = std::find_if_not(groups_.begin(), groups_.end(), is_before);
  const auto count = static_cast<std::size_t>(kept - groups_.begin());
  groups_.erase(groups_.begin(), kept);
  fence_ -= std::min(fence_, count);
  if (groups_.empty()) {
    last_group_messages_ = kClosed;
    return count > 0 ? kNoNumber : 0;
  }
  if (groups_.front().begin >= position) return count > 0 ? groups_.front().first : 0;
  // The position inside the group is not known.
  groups_.front().begin = position;
  return groups_.size() > 1 ? groups_[1].first : kNoNumber;
}

void MessageIndex::clear() noexcept {
  groups_.clear();
  fence_ = 0;
  last_group_messages_ = kClosed;
  group_messages_max_ = kFirstGroupMessages;
  group_bytes_max_ = limits_.group_bytes;
}

std::span<const MessageIndex::Group> MessageIndex::groups(std::uint64_t first,
                                                          std::uint64_t last) const noexcept {
  const auto not_above = [this](std::uint64_t number) {
    return count_not_above(number, groups_.size(),
                           [this](std::size_t index) { return groups_[index].first; });
  };
  const std::size_t count = not_above(first);
  const std::size_t begin = count - std::min<std::size_t>(count, 1);  // it may reach into the range
  // Mostly it is the only one.
  std::size_t end = begin + 1;
  if (end < groups_.size() && groups_[end].first <= last) end = not_above(last);
  if (begin == groups_.size() || groups_[begin].first > last) end = begin;
  return std::span{groups_}.subspan(begin, end - begin);
}

}  // namespace nexusfix::store
