// Where in the log the messages of one session's current epoch are.
//
// One entry stands for a group of neighbouring messages; to read one, its group is read. When the
// fixed number of groups is used up, each two neighbours become one and later groups are twice as
// large: memory stays the same for ever, nothing is allocated after reserve(), and the bytes read
// for one message stay near (log size / number of groups).
//
// A fence stands where a checkpoint was made. No group reaches across the last fence, so that the
// next checkpoint adds the groups after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nexusfix/base/language.hpp>
#include <nexusfix/store.hpp>

namespace nexusfix::store {

class MessageIndex {
 public:
  static constexpr std::size_t kGroupsMax = 16'384;
  static constexpr std::size_t kGroupsMin = 16;
  static constexpr std::uint64_t kFirstGroupMessages = 64;
  static constexpr std::uint64_t kFirstGroupBytes = 64U << 10U;
  struct Group {
    std::uint64_t first = 0;  // lowest MsgSeqNum in it
    LogPosition begin = 0;    // of the record that holds the first message
    LogPosition end = 0;      // of the record that holds the last message
  };

  // How many groups an index may keep, and how much of the log the smallest group covers. Both
  // follow from the number of sessions that share the log: few large groups cost time to read, many
  // cost memory.
  struct Limits {
    std::size_t groups_max = kGroupsMax;  // at least kGroupsMin
    std::uint64_t group_bytes = kFirstGroupBytes;
    friend bool operator==(const Limits&, const Limits&) = default;
  };
  [[nodiscard]] static Limits limits_for(std::size_t sessions) noexcept;
  // Gives back memory above the limits.
  void limit(const Limits& limits) noexcept;

  // Takes all memory that it will ever need. Without this call, memory grows with the messages.
  void reserve() { groups_.reserve(limits_.groups_max); }
  // The number of groups for which it has memory.
  [[nodiscard]] std::size_t room() const noexcept { return groups_.capacity(); }

  // Numbers ascend. The record that holds the message lies at begin to end.
  void add(std::uint64_t msg_seq_num, LogPosition begin, LogPosition end) {
    NEXUSFIX_DEBUG_ASSERT(groups_.empty() || msg_seq_num > groups_.back().first);
    if (!joins(end)) return begin_group(msg_seq_num, begin, end);
    join(end);
  }
  // Whether a message whose record ends there joins the last group, which needs no other group.
  [[nodiscard]] bool joins(LogPosition end) const noexcept {
    return last_group_messages_ < group_messages_max_ &&
           end - groups_.back().begin <= group_bytes_max_;
  }
  void join(LogPosition end) noexcept {
    groups_.back().end = end;
    ++last_group_messages_;
  }
  // A whole group, after all others.
  void add_group(const Group& group);
  void clear() noexcept;

  // Forgets the messages before this position. Returns a number below which some of them may be; 0:
  // there were none; kNoNumber: all of them may be.
  static constexpr std::uint64_t kNoNumber = UINT64_MAX;
  std::uint64_t drop_before(LogPosition position) noexcept;

  void fence() noexcept {
    fence_ = groups_.size();
    last_group_messages_ = kClosed;
  }
  [[nodiscard]] std::span<const Group> after_fence() const noexcept {
    return std::span{groups_}.subspan(fence_);
  }
  [[nodiscard]] std::span<const Group> groups() const noexcept { return groups_; }

  // The groups that can hold a number from first to last, in order.
  [[nodiscard]] std::span<const Group> groups(std::uint64_t first,
                                              std::uint64_t last) const noexcept;

 private:
  // Instead of a number of messages: no message joins the last group, or there is none.
  static constexpr std::uint64_t kClosed = UINT64_MAX;

  void begin_group(std::uint64_t msg_seq_num, LogPosition begin, LogPosition end);
  void merge_pairs() noexcept;
  [[nodiscard]] std::size_t merge_pairs(std::size_t begin, std::size_t end,
                                        std::size_t out) noexcept;

  std::vector<Group> groups_;
  Limits limits_;
  std::size_t fence_ = 0;  // the number of groups before it
  std::uint64_t last_group_messages_ = kClosed;
  std::uint64_t group_messages_max_ = kFirstGroupMessages;
  std::uint64_t group_bytes_max_ = kFirstGroupBytes;
};

}  // namespace nexusfix::store
