// Repeating groups of a parsed message, nested to any depth, as ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed/field.hpp>
#include <nexusfix/wire/typed/group_shape.hpp>

namespace nexusfix::wire {

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
    return {message, 0, static_cast<std::uint32_t>(message.field_count())};
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

  [[gnu::always_inline]] GroupEntry(const MessageView& message, std::uint32_t begin,
                                    std::uint32_t end) noexcept
      : message_{message.by_parts()}, begin_{begin}, end_{end} {
    // Hides the sum, which compilers would else add up at each lookup.
    const FieldPlace* places = message.index_.places + begin;
    asm("" : "+r"(places));
    places_ = places;
  }
  // See MessageView::by_parts().
  [[nodiscard, gnu::always_inline]] GroupEntry by_parts() const noexcept {
    return {message_, begin_, end_};
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
    const FieldIndex& index = message_.index_;
    if (tag >= kLargeTagKey) [[unlikely]] {
      found = large_value(message_, tag, begin_, end_);
      return found.data != nullptr;
    }
    const auto key = static_cast<std::uint16_t>(tag);
    const std::uint32_t count = end_ - begin_;
    const std::uint32_t bits = MessageView::equal_bits_at(index.keys + begin_, key);
    // The bytes of the keys before it: an index would be halved first, and then multiplied.
    static_assert(MessageView::kBitsPerKey == sizeof(*index.keys));
    std::size_t key_bytes;
    if (bits != 0) [[likely]] {
      key_bytes = detail::lowest_bit(bits);
    } else {
      if (count <= MessageView::kKeysCompared) return false;
      key_bytes = far_key_bytes(index.keys + begin_, key, count);
    }
    if (key_bytes >= MessageView::kBitsPerKey * count) [[unlikely]]
      return false;
    if (index.narrow_count == 0) {
      const FieldPlace& place = detail::item_after(places_, key_bytes);
      found.begin = place.begin;
      found.size = place.end - place.begin;
    } else {
      const NarrowPlace& place = detail::item_after(index.narrow_places + begin_, key_bytes);
      found.begin = place.begin;
      found.size = place.size;
    }
    found.data = message_.bytes_.data() + found.begin;
    return true;
  }

  MessageView message_;
  const FieldPlace* places_ =
      nullptr;  // of its first field; used if the message has no narrow ones
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
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
// an entry; count_is_right() checks it. Without a count field, or without a delimiter after it,
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
  // there are no entries, and that is right. Walks the entries.
  [[nodiscard]] bool count_is_right() const noexcept;
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
    // The bits of two MessageView::equal_run(), which compare 16 keys, after the next
    // entry's delimiter. kNotCompared: equal tags do not show an equal end.
    std::uint32_t ignored = 0;
  };
  static constexpr std::uint32_t kNotCompared = 0;
  static constexpr std::uint32_t kAllEqual = ~std::uint32_t{0};

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
    return {group_->message_, begin_, end_.end};
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
