// Repeating groups of a message: their shape, and views of their entries.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/message_view.hpp>

// Which tags belong to a repeating group. That is enough to find its entries in a message.

namespace nexusfix::wire {

// Members with a tag below kLargeTagKey are in a hash table, the others in a list. The
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
// the program (kGroupShape) or as their owner (<nexusfix/catalog.hpp>). A default-constructed
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

// Repeating groups of a parsed message, nested to any depth, as ranges.

namespace detail {

// The item that has as many items before it as there are keys in key_bytes.
template <class Item>
[[nodiscard, gnu::always_inline]] inline const Item& item_after(const Item* items,
                                                                std::size_t key_bytes) noexcept {
  const void* const item =
      reinterpret_cast<const char*>(items) + key_bytes * (sizeof(Item) / sizeof(std::uint16_t));
  return *static_cast<const Item*>(item);
}

}  // namespace detail

// One entry of a repeating group: the fields from its delimiter up to the next entry's delimiter,
// or up to the first field that is not a member of the group. Read it like a MessageView. It sees
// only its own fields, including those of its nested groups.
//
// Trivially copyable. Valid as long as the message's bytes and index are (see MessageView), even
// after the range that it came from is gone. Any number of threads may read; nothing allocates.
// Lookups are vector compares of the entry's own tags: O(fields of the entry / 8).
class GroupEntry {
 public:
  class Iterator;

  // An entry without fields.
  GroupEntry() = default;
  // All fields of a message, read like those of an entry.
  [[nodiscard]] static GroupEntry whole(const MessageView& message) noexcept {
    const auto fields = static_cast<std::uint32_t>(message.field_count());
    return {message, 0, fields, ignored_of(fields)};
  }

  // The number of fields, with those of nested groups.
  [[nodiscard]] std::size_t field_count() const noexcept { return end_ - begin_; }
  // The field with this index, which is below field_count(). Field 0 is the delimiter.
  [[nodiscard]] FieldView field(std::size_t index) const noexcept {
    return message_.field(begin_ + index);
  }
  // for (const FieldView field : entry). Iterators live as long as the entry object itself.
  [[nodiscard]] Iterator begin() const noexcept;
  // The end of the fields.
  [[nodiscard]] Iterator end() const noexcept;

  // The value of the first field with this tag; nothing if absent.
  [[nodiscard]] std::optional<std::string_view> operator[](Tag tag) const noexcept;
  // The first field with this tag at or after index from; nothing if absent. Indexes count from the
  // entry's delimiter.
  [[nodiscard]] std::optional<FieldView> find(Tag tag, std::size_t from = 0) const noexcept;
  // The index of the field that find() finds.
  [[nodiscard]] std::optional<std::size_t> find_index(Tag tag, std::size_t from = 0) const noexcept;
  // Whether the entry has a field with this tag.
  [[nodiscard]] bool has(Tag tag) const noexcept { return index_of(tag, begin_) < end_; }
  // It has the types and errors of MessageView::get().
  template <class T>
  [[nodiscard, gnu::always_inline]] OptionalField<T> get(Tag tag) const noexcept {
    detail::ValueAt value{};
    if (!find_value(tag, value)) {
      return std::unexpected{FieldError{FieldErrorCode::Missing, tag, 0}};
    }
    return detail::read_value<OptionalField<T>, T>(value, tag);
  }

  // A group within this entry. A count field outside of the entry is not found.
  [[nodiscard]] GroupView group(const GroupShape& shape) const noexcept;

  // The message that contains the entry.
  [[nodiscard]] const MessageView& message() const noexcept { return message_; }
  // The index of the entry's first field in the message.
  [[nodiscard]] std::size_t first_index() const noexcept { return begin_; }
  // Where the tag of the entry's first field begins, in bytes from the start of the message.
  [[nodiscard]] std::uint32_t offset() const noexcept { return message_.field_begin(begin_); }
  // From the delimiter's tag up to and including the last field's SOH. Empty for an empty entry.
  [[nodiscard]] std::string_view bytes() const noexcept;

 private:
  friend class GroupView;
  friend struct detail::TypedReads;

  // ignored: ignored_of() its fields.
  [[gnu::always_inline]] GroupEntry(const MessageView& message, std::uint32_t begin,
                                    std::uint32_t end, std::uint32_t ignored) noexcept
      : message_{message.by_parts()}, begin_{begin}, end_{end}, ignored_{ignored} {
    // Hides the sum, which compilers would else add up at each lookup.
    const detail::FieldPlace* places = message.index_.places + begin;
    asm("" : "+r"(places));
    places_ = places;
  }
  // A bit of ignored_, of the two of the first key: an entry of three fields or more, with wide
  // places, and after kFieldsInFront fields. A lookup of one of the three asks nothing else.
  static constexpr std::uint32_t kIsUsual = 1;
  // Each has at least three bytes, and the entry's first tag and `=` have two.
  static constexpr std::uint32_t kFieldsInFront = 5;
  static_assert(3 * kFieldsInFront + 2 >= kReadableFrontBytes);
  // See MessageView::by_parts().
  [[nodiscard, gnu::always_inline]] GroupEntry by_parts() const noexcept {
    return {message_, begin_, end_, ignored_};
  }
  // The bits of two MessageView::equal_run(), which compare 16 keys, after the fields of an entry
  // and the next delimiter.
  [[nodiscard]] static std::uint32_t ignored_of(std::uint32_t fields) noexcept {
    constexpr std::uint32_t kMost = 2 * MessageView::kKeysCompared - 1;
    return fields < kMost ? ~std::uint32_t{0} << (MessageView::kBitsPerKey * (fields + 1)) : 0;
  }
  // The bits of MessageView::equal_bits_at() that are of the entry's first keys, not of a key after
  // it. Made where they are needed, because most lookups end before.
  [[nodiscard, gnu::always_inline]] std::uint32_t own_bits() const noexcept {
    return ~(ignored_ >> MessageView::kBitsPerKey);
  }

  // end_ or more for an absent tag, as an index of the message.
  [[nodiscard, gnu::always_inline]] std::size_t index_of(Tag tag, std::size_t from) const noexcept {
    return message_.index_within(tag, from, end_);
  }
  // For tags of kLargeTagKey and above; data is null: there is none. It gets a copy, so that
  // compilers keep the entry in registers elsewhere.
  [[nodiscard]] static detail::ValueAt large_value(MessageView message, Tag tag, std::uint32_t from,
                                                   std::uint32_t end) noexcept;
  // The bytes of the keys before the first one that equals key; those of all keys: there is none.
  // keys: of an entry of more than kKeysCompared fields, of which the first ones are others. Gets
  // plain values: an entry whose address a call knows has to be in memory.
  [[nodiscard]] static std::size_t far_key_bytes(const std::uint16_t* keys, std::uint16_t key,
                                                 std::uint32_t count) noexcept;
  // The first field with this tag. False: there is none.
  [[nodiscard, gnu::always_inline]] bool find_value(Tag tag,
                                                    detail::ValueAt& found) const noexcept {
    const detail::FieldIndex& index = message_.index_;
    if (tag >= kLargeTagKey) [[unlikely]] {
      found = large_value({message_.bytes_, index}, tag, begin_, end_);
      return found.data != nullptr;
    }
    const auto key = static_cast<std::uint16_t>(tag);
    const std::uint16_t* const keys = index.keys + begin_;
    // The bytes of the keys before it: an index would be halved first, and then multiplied.
    static_assert(MessageView::kBitsPerKey == sizeof(*keys));
    constexpr std::size_t kLater = 6;
    std::size_t key_bytes = kLater;
    // Entries are alike, so the processor predicts which of three keys it is, and no address waits.
    if ((ignored_ & kIsUsual) != 0) [[likely]] {
      key_bytes = keys[0] == key ? 0 : keys[1] == key ? 2 : keys[2] == key ? 4 : kLater;
      if (key_bytes != kLater) [[likely]] {
        read_wide(key_bytes, found);
        if (found.begin < kReadableFrontBytes) __builtin_unreachable();  // kFieldsInFront
        return true;
      }
    } else if (field_count() > 2) {
      key_bytes = keys[0] == key ? 0 : keys[1] == key ? 2 : keys[2] == key ? 4 : kLater;
    }
    if (key_bytes == kLater) [[unlikely]] {
      const std::uint32_t count = end_ - begin_;
      if (const auto bits = MessageView::equal_bits_at(keys, key) & own_bits(); bits != 0)
          [[likely]]
        key_bytes = detail::lowest_bit(bits);
      else if (count <= MessageView::kKeysCompared)
        return false;
      else if ((key_bytes = far_key_bytes(keys, key, count)) >= MessageView::kBitsPerKey * count)
        return false;
    }
    if (index.narrow_count == 0) {
      read_wide(key_bytes, found);
    } else {
      const detail::NarrowPlace& place =
          detail::item_after(index.narrow_places + begin_, key_bytes);
      found.begin = place.begin;
      found.size = place.size;
      found.data = message_.bytes_.data() + found.begin;
    }
    return true;
  }
  // The value of the field after these bytes of keys, in a message with wide places.
  [[gnu::always_inline]] void read_wide(std::size_t key_bytes,
                                        detail::ValueAt& found) const noexcept {
    const detail::FieldPlace& place = detail::item_after(places_, key_bytes);
    found.begin = place.begin;
    found.size = std::size_t{place.end} - place.begin;  // in 64 bits: its end is one addition
    found.data = message_.bytes_.data() + found.begin;
  }

  MessageView message_;
  const detail::FieldPlace* places_ =
      nullptr;  // of its first field; used if the message has no narrow ones
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
  std::uint32_t ignored_ = ~kIsUsual;  // see ignored_of() and kIsUsual; all but that: no field
};

// An input iterator over the fields of an entry.
class GroupEntry::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = FieldView;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = FieldView;

  Iterator() = default;
  Iterator(const GroupEntry& entry, std::size_t at) noexcept : entry_{&entry}, at_{at} {}

  [[nodiscard]] FieldView operator*() const noexcept { return entry_->field(at_); }
  Iterator& operator++() noexcept {
    ++at_;
    return *this;
  }
  Iterator operator++(int) noexcept {
    Iterator before = *this;
    ++at_;
    return before;
  }
  friend bool operator==(const Iterator& a, const Iterator& b) noexcept { return a.at_ == b.at_; }

 private:
  const GroupEntry* entry_ = nullptr;
  std::size_t at_ = 0;
};

// The entries that a repeating group really has in the message, whatever its count field says. The
// first one begins directly after the count field, with the delimiter, and each other one directly
// after the one before. So a count field can neither make a loop longer than the message nor hide
// an entry; count_is_valid() checks it. Without a count field, or without a delimiter after it,
// there are no entries.
//
// If a tag is both a member of a group and the delimiter of the group around it, it ends the outer
// group's entry; no FIX dictionary has such a group. If a message has the count field twice outside
// of any entry, the first one counts; group(shape, from) finds the other one.
//
// Trivially copyable. Valid as long as the message's bytes and index and the shape's tables are.
// Any number of threads may read; nothing allocates. A lookup finds the count field. Walking the
// entries is O(their fields).
//
//   for (const auto entry : message.group(kGroupShape<453, 448, 447, 452>)) {
//     use(entry[448], entry.get<std::int64_t>(452));
//   }
class GroupView {
 public:
  class Iterator;

  // A group without entries.
  GroupView() = default;

  // The first entry. Iterators live as long as the GroupView object itself; entries live longer.
  [[nodiscard]] Iterator begin() const noexcept;
  // The end of the entries.
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }
  // Whether there is no entry, whatever the count field says.
  [[nodiscard]] bool empty() const noexcept { return !begins_entry(begin_); }
  // The number of entries. Walks them.
  [[nodiscard]] std::size_t size() const noexcept;
  // The entry with this number, counted from 0; nothing if there are fewer. Walks the entries
  // before it.
  [[nodiscard]] std::optional<GroupEntry> entry(std::size_t number) const noexcept;

  // The shape of the group.
  [[nodiscard]] const GroupShape& shape() const noexcept { return shape_; }
  // The count field; nothing if the message, or the entry around the group, has none.
  [[nodiscard]] std::optional<FieldView> count_field() const noexcept;
  // The number in the count field, or Missing, Empty, Malformed (also if negative) or OutOfRange.
  [[nodiscard]] OptionalField<std::uint64_t> announced() const noexcept;
  // Whether the count field announces the number of entries in the message. Without a count field
  // there are no entries, and that is valid. Walks the entries.
  [[nodiscard]] bool count_is_valid() const noexcept;
  // The message's index of the first field after the group, at most field_count(); 0 without a
  // count field. Walks the entries.
  [[nodiscard]] std::size_t end_index() const noexcept;

 private:
  friend class MessageView;
  friend class GroupEntry;

  // In the fields [from, to) of message.
  GroupView(const MessageView& message, const GroupShape& shape, std::size_t from,
            std::size_t to) noexcept;

  [[nodiscard]] bool begins_entry(std::uint32_t at) const noexcept {
    return at < limit_ && message_.has_tag(at, shape_.delimiter());
  }
  // An entry's end, and how the next entry is compared with it.
  struct EntryEnd {
    std::uint32_t end = 0;
    // GroupEntry::ignored_of() its fields, and kIsUsual. Without kCompared, equal tags show no end.
    std::uint32_t ignored = 0;
  };
  static constexpr std::uint32_t kAllEqual = ~std::uint32_t{0};
  static constexpr std::uint32_t kCompared = std::uint32_t{1} << 31;

  // The entry that begins at `at`. like: the entry before it, which begins at like_begin.
  [[nodiscard]] EntryEnd find_end(std::uint32_t at, std::uint32_t like_begin,
                                  EntryEnd like) const noexcept;
  // Finds the end without comparing.
  [[nodiscard]] EntryEnd find_end(std::uint32_t at) const noexcept;

  MessageView message_;
  GroupShape shape_;
  std::uint32_t begin_ = 0;  // after the count field
  std::uint32_t limit_ = 0;  // the end of the last possible entry; 0: there is no count field
};

// An iterator over the entries of a group: a forward iterator, but an input iterator for the old
// library, because it creates its entries.
class GroupView::Iterator {
 public:
  using iterator_concept = std::forward_iterator_tag;
  using iterator_category = std::input_iterator_tag;
  using value_type = GroupEntry;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = GroupEntry;

  Iterator() = default;

  [[nodiscard, gnu::always_inline]] GroupEntry operator*() const noexcept {
    return {group_->message_, begin_, end_.end, end_.ignored};
  }
  // The entries of a group usually have the same tags in the same order. Then one compare, which
  // includes the delimiter after the entry, shows that all tags are members. The processor predicts
  // the result and continues with the next entry. Equal keys are equal tags, except for tags above
  // 16 bits.
  [[gnu::always_inline]] Iterator& operator++() noexcept {
    const std::uint32_t at = end_.end;
    const std::uint32_t next = at + (at - begin_);
    const std::uint16_t* const keys = group_->message_.index_.keys;
    if (next < group_->limit_ &&
        (MessageView::equal_run(keys + at, keys + begin_) | end_.ignored) == kAllEqual) [[likely]] {
      end_.end = next;
    } else {
      end_ = group_->find_end(at, begin_, end_);
    }
    begin_ = at;
    return *this;
  }
  Iterator operator++(int) noexcept {
    Iterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const Iterator& a, const Iterator& b) noexcept {
    return a.begin_ == b.begin_ && a.end_.end == b.end_.end;
  }
  friend bool operator==(const Iterator& a, std::default_sentinel_t) noexcept {
    return a.begin_ == a.end_.end;
  }

 private:
  friend class GroupView;

  explicit Iterator(const GroupView& group) noexcept
      : group_{&group}, begin_{group.begin_}, end_{group.find_end(group.begin_)} {}

  const GroupView* group_ = nullptr;
  std::uint32_t begin_ = 0;
  EntryEnd end_;  // at the end of the group, at begin_
};

// Functions of MessageView and GroupEntry that need the classes above.

inline GroupView MessageView::group(const GroupShape& shape, std::size_t from) const noexcept {
  return {*this, shape, from, field_count()};
}

inline GroupView GroupEntry::group(const GroupShape& shape) const noexcept {
  return {message_, shape, begin_, end_};
}

inline GroupEntry::Iterator GroupEntry::begin() const noexcept { return {*this, 0}; }
inline GroupEntry::Iterator GroupEntry::end() const noexcept { return {*this, field_count()}; }

inline std::optional<std::size_t> GroupEntry::find_index(Tag tag, std::size_t from) const noexcept {
  if (from >= field_count()) return std::nullopt;
  const std::size_t index = index_of(tag, begin_ + from);
  if (index >= end_) return std::nullopt;
  return index - begin_;
}

inline std::optional<FieldView> GroupEntry::find(Tag tag, std::size_t from) const noexcept {
  if (from >= field_count()) return std::nullopt;
  const std::size_t index = index_of(tag, begin_ + from);
  if (index >= end_) return std::nullopt;
  return message_.field(index);
}

inline std::optional<std::string_view> GroupEntry::operator[](Tag tag) const noexcept {
  detail::ValueAt value{};
  if (!find_value(tag, value)) return std::nullopt;
  return value.text();
}

inline std::string_view GroupEntry::bytes() const noexcept {
  if (begin_ == end_) return {};
  const std::uint32_t first = offset();
  const FieldView last = message_.field(end_ - 1);
  return message_.bytes().substr(first, last.offset + last.value.size() + 1 - first);
}

inline GroupView::GroupView(const MessageView& message, const GroupShape& shape, std::size_t from,
                            std::size_t to) noexcept
    : message_{message}, shape_{shape} {
  if (from >= to) return;
  const std::size_t count_index = message.index_within(shape.count_tag(), from, to);
  if (count_index >= to) return;
  begin_ = static_cast<std::uint32_t>(count_index + 1);
  limit_ = static_cast<std::uint32_t>(to);
}

inline GroupView::Iterator GroupView::begin() const noexcept { return Iterator{*this}; }

}  // namespace nexusfix::wire

// A walk over all entries is not what a caller of std::ranges::size() expects. <span> declares the
// variable, because it needs std::ranges::size(); <ranges> would take longer to compile.
template <>
inline constexpr bool std::ranges::disable_sized_range<nexusfix::wire::GroupView> = true;
