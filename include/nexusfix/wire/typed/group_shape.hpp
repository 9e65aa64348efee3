// Which tags belong to a repeating group. That is enough to find its entries in a message.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include <nexusfix/wire/field_index.hpp>
#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::wire {

// Members with a key of their own (field_index.hpp) are in a hash table, the others in a list. The
// table has at least this many slots for each member: at least half of them stay empty, so that the
// search for a tag that is not a member ends.
inline constexpr std::size_t kGroupSlotsPerMember = 2;

// The number of slots for a number of members, a power of two.
[[nodiscard]] constexpr std::size_t group_slots_needed(std::size_t members) noexcept {
  std::size_t slots = kGroupSlotsPerMember;
  while (slots < members * kGroupSlotsPerMember) slots *= 2;
  return slots;
}

// Where the search for a key begins in a table of 2^32 >> shift slots. The tags of a group are
// often neighbours; this spreads them. If they were neighbours in the table, a search could walk
// along a whole run of them, and FIX 5.0 SP2 has runs of thousands.
[[nodiscard]] constexpr std::uint32_t group_slot(std::uint32_t key, std::uint32_t shift) noexcept {
  constexpr std::uint32_t kGoldenRatio = 0x9e37'79b1;  // of 2^32, odd
  return (key * kGoldenRatio) >> shift;
}
// The shift for group_slot() in a table of this number of slots, a power of two, 2 or more.
[[nodiscard]] constexpr std::uint32_t group_slot_shift(std::size_t slots) noexcept {
  constexpr int kBits = 32;
  return static_cast<std::uint32_t>(kBits - std::countr_zero(slots));
}

// Enters the members' keys into slots, which are all 0. Their number is group_slots_needed().
constexpr void fill_group_slots(std::span<const Tag> members,
                                std::span<std::uint16_t> slots) noexcept {
  const std::size_t mask = slots.size() - 1;
  const std::uint32_t shift = group_slot_shift(slots.size());
  for (const Tag tag : members) {
    if (tag >= kLargeTagKey) continue;
    std::size_t at = group_slot(tag, shift);
    while (slots[at] != 0 && slots[at] != tag) at = (at + 1) & mask;
    slots[at] = static_cast<std::uint16_t>(tag);
  }
}

// A repeating group: the tag of its count field (NumInGroup), the tag that begins every entry, and
// all tags of an entry, including those of its nested groups. A view of tables that live as long as
// the program (kGroupShape) or as their owner (dictionary/group_shapes.hpp). A default-constructed
// shape matches no group. Thread-safe, no allocation.
class GroupShape {
 public:
  // What a shape is made of.
  struct Tables {
    Tag count_tag = 0;                     // of the count field
    Tag delimiter = 0;                     // of the first field of each entry
    std::span<const std::uint16_t> slots;  // filled by fill_group_slots()
    std::span<const Tag> large_members;    // those of kLargeTagKey and above, ascending
  };

  // A shape that matches no group.
  constexpr GroupShape() = default;
  // The tables must outlive the shape.
  constexpr explicit GroupShape(const Tables& tables) noexcept
      : count_tag_{tables.count_tag},
        delimiter_{tables.delimiter},
        mask_{static_cast<std::uint32_t>(tables.slots.size() - 1)},
        shift_{group_slot_shift(tables.slots.size())},
        large_count_{static_cast<std::uint32_t>(tables.large_members.size())},
        slots_{tables.slots.data()},
        large_members_{tables.large_members.data()} {}

  // The tag of the count field (NumInGroup).
  [[nodiscard]] constexpr Tag count_tag() const noexcept { return count_tag_; }
  // The tag that begins each entry.
  [[nodiscard]] constexpr Tag delimiter() const noexcept { return delimiter_; }
  // Whether an entry, or an entry of a nested group, may have this tag. O(1); for tags above 16
  // bits O(log of the members above 16 bits).
  [[nodiscard]] constexpr bool has(Tag tag) const noexcept {
    return tag < kLargeTagKey ? has_key(static_cast<std::uint16_t>(tag)) : has_large(tag);
  }

  // For a tag below kLargeTagKey.
  [[nodiscard]] constexpr bool has_key(std::uint16_t key) const noexcept {
    for (std::size_t at = group_slot(key, shift_); slots_[at] != 0; at = (at + 1) & mask_) {
      if (slots_[at] == key) return true;
    }
    return false;
  }
  // For a tag of kLargeTagKey and above.
  [[nodiscard]] constexpr bool has_large(Tag tag) const noexcept {
    // No <algorithm> here: every program with generated messages would compile it.
    std::uint32_t from = 0;
    std::uint32_t to = large_count_;
    while (from < to) {
      const std::uint32_t middle = from + (to - from) / 2;
      if (large_members_[middle] < tag) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from < large_count_ && large_members_[from] == tag;
  }
  // Whether has_large() is true for any tag.
  [[nodiscard]] constexpr bool has_large_members() const noexcept { return large_count_ != 0; }

 private:
  static constexpr std::uint16_t kNoSlots[2] = {};

  Tag count_tag_ = 0;
  Tag delimiter_ = 0;
  std::uint32_t mask_ = std::size(kNoSlots) - 1;
  std::uint32_t shift_ = group_slot_shift(std::size(kNoSlots));
  std::uint32_t large_count_ = 0;
  const std::uint16_t* slots_ = kNoSlots;
  const Tag* large_members_ = nullptr;
};

namespace detail {

[[nodiscard]] consteval std::size_t large_count(std::span<const Tag> tags) noexcept {
  std::size_t count = 0;
  for (const Tag tag : tags) count += tag >= kLargeTagKey ? 1 : 0;
  return count;
}

// The tags of kLargeTagKey and above, ascending.
template <std::size_t Count>
[[nodiscard]] consteval std::array<Tag, Count> large_members(std::span<const Tag> tags) noexcept {
  std::array<Tag, Count> large{};
  std::size_t size = 0;
  for (const Tag tag : tags) {
    if (tag < kLargeTagKey) continue;
    std::size_t at = size++;
    for (; at > 0 && large[at - 1] > tag; --at) large[at] = large[at - 1];
    large[at] = tag;
  }
  return large;
}

template <Tag... Members>
struct GroupTables {
  static constexpr std::array<Tag, sizeof...(Members)> kMembers{Members...};

  static constexpr auto kSlots = [] {
    std::array<std::uint16_t, group_slots_needed(sizeof...(Members))> slots{};
    fill_group_slots(kMembers, slots);
    return slots;
  }();
  static constexpr auto kLargeMembers = large_members<large_count(kMembers)>(kMembers);
};

}  // namespace detail

// A group that is known at compile time: its count field, the first field of its entries, their
// other fields, and the fields of nested groups with their count fields, in any order.
//
//   for (const auto entry : message.group(kGroupShape<268, 269, 270, 271>)) use(entry[270]);
template <Tag CountTag, Tag Delimiter, Tag... Others>
inline constexpr GroupShape kGroupShape{
    {.count_tag = CountTag,
     .delimiter = Delimiter,
     .slots = detail::GroupTables<Delimiter, Others...>::kSlots,
     .large_members = detail::GroupTables<Delimiter, Others...>::kLargeMembers}};

}  // namespace nexusfix::wire
