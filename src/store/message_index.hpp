// Where in the log the messages of one session's current epoch are.
//
// One entry stands for a group of neighbouring messages; to read one, its group is read. When the
// fixed number of groups is used up, each two neighbours become one and later groups are twice as
// large: memory stays the same for ever, nothing is allocated after reserve(), and the bytes read
// for one message stay near (log size / kGroupsMax).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nexusfix/store/store.hpp>

namespace nexusfix::store {

class MessageIndex {
 public:
  static constexpr std::size_t kGroupsMax = 2048;
  static constexpr std::uint64_t kFirstGroupMessages = 64;
  static constexpr std::uint64_t kFirstGroupBytes = 64U << 10U;
  static_assert(kGroupsMax % 2 == 0, "groups are merged in pairs");

  struct Group {
    std::uint64_t first = 0;  // lowest MsgSeqNum in it
    LogPosition begin = 0;    // of the record that holds the first message
    LogPosition end = 0;      // behind the record that holds the last message
  };

  // Takes all the memory that it will ever need; without it, memory grows with the messages.
  void reserve() { groups_.reserve(kGroupsMax); }

  // Numbers ascend. The record that holds the message lies at begin to end.
  void add(std::uint64_t msg_seq_num, LogPosition begin, LogPosition end);
  void clear() noexcept;

  // The groups that can hold a number from first to last, in order.
  [[nodiscard]] std::span<const Group> groups(std::uint64_t first,
                                              std::uint64_t last) const noexcept;

 private:
  void merge_pairs() noexcept;

  std::vector<Group> groups_;
  std::uint64_t last_group_messages_ = 0;
  std::uint64_t group_messages_max_ = kFirstGroupMessages;
  std::uint64_t group_bytes_max_ = kFirstGroupBytes;
};

}  // namespace nexusfix::store
