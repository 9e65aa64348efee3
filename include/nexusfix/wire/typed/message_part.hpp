// The parts of a message to send: fields, fields that may be missing, and repeating groups.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nexusfix/base/time.hpp>
#include <nexusfix/wire/typed/field.hpp>
#include <nexusfix/wire/typed/typed.hpp>
#include <nexusfix/wire/values/times.hpp>

namespace nexusfix::wire {

// The fields of one entry of a repeating group; made by entry().
template <class... Parts>
struct EntryParts {
  std::tuple<Parts...> parts;  // in the order in which they were given
};

// A generated entry of a repeating group: fix44::NewOrderSingle::NoPartyIDs. It names the group.
template <class T>
concept TypedEntry = requires {
  T::kCountTag;
  T::kMembers;
};

// A repeating group with the given entries; made by group().
template <class Entry, class... Entries>
struct GroupParts {
  using EntryType = Entry;         // the generated entry
  std::tuple<Entries...> entries;  // an EntryParts for each entry
};

// The elements of a range: a reference to a named one; another one is moved into it.
// std::views::all() does the same, but <ranges> would take longer to compile than this header.
template <class Range>
class Elements {
 public:
  // Range is the type of a forwarding reference.
  explicit constexpr Elements(Range&& range) noexcept : range_{std::forward<Range>(range)} {}
  constexpr Elements(Elements&&) noexcept = default;  // takes the range
  // Only if no element is copied.
  constexpr Elements(const Elements&) noexcept
    requires(std::is_lvalue_reference_v<Range> || std::ranges::view<Range>)
  = default;
  Elements& operator=(const Elements&) = delete;
  ~Elements() = default;

  // The first element; valid as long as the range.
  [[nodiscard]] constexpr auto begin() const { return std::ranges::begin(range_); }
  // The end of the elements.
  [[nodiscard]] constexpr auto end() const { return std::ranges::end(range_); }
  // The number of elements.
  [[nodiscard]] constexpr auto size() const { return std::ranges::size(range_); }

 private:
  Range range_;
};

// A repeating group with one entry for each element of a range; also made by group().
template <class Entry, class Range, class MakeEntry>
struct GroupRange {
  using EntryType = Entry;  // the generated entry
  Range range;              // the elements
  MakeEntry make_entry;     // makes the EntryParts of an element
};

// The time of sending, once it is known.
struct SendingTime {
  WallTime time{};                                  // SendingTime (52) of the message
  TimePrecision precision = TimePrecision::Millis;  // of SendingTime
};

// A field with the time of sending, ready to be written.
template <class FieldType>
struct SentAt {
  SendingTime at;  // of the message
};

namespace detail {

template <class T>
struct IsTimeOfSending : std::false_type {};
template <class F>
struct IsTimeOfSending<AtSending<F>> : std::true_type {};
template <class F>
struct IsTimeOfSending<SentAt<F>> : std::true_type {};

template <class... Parts>
// NOLINTNEXTLINE(misc-redundant-expression): a fold over one part has two equal sides.
inline constexpr bool kHasTimeOfSending = (IsTimeOfSending<Parts>::value || ...);

template <class T>
struct IsEntryParts : std::false_type {};
template <class... Parts>
struct IsEntryParts<EntryParts<Parts...>> : std::true_type {};

// What makes an entry of each element of a range.
template <class Range, class MakeEntry>
using MadeEntry = std::remove_cvref_t<
    std::invoke_result_t<const MakeEntry&, std::ranges::range_reference_t<const Range>>>;
template <class Range, class MakeEntry>
concept MakesEntry = requires { typename MadeEntry<Range, MakeEntry>; } &&
                     IsEntryParts<MadeEntry<Range, MakeEntry>>::value;

// An entry() or a group() that has an error: what it is a part of has no other one.
struct NoPart {};

template <class T>
struct IsOptionalField : std::false_type {};
template <TypedField F>
struct IsOptionalField<std::optional<F>> : std::true_type {};
template <TypedField F>
struct IsOptionalField<OptionalField<F>> : std::true_type {};

template <class T>
struct IsGroupPart : std::false_type {};
template <class Entry, class... Entries>
struct IsGroupPart<GroupParts<Entry, Entries...>> : std::true_type {};
template <class Entry, class Range, class MakeEntry>
struct IsGroupPart<GroupRange<Entry, Range, MakeEntry>> : std::true_type {};

}  // namespace detail

// The parts of a message: a typed field; a std::optional of one, which is omitted if it is empty;
// the result of a typed read, which is omitted if the field was missing, and is an error of the
// encoder (EmptyValue) if the field could not be read; a group; the time of sending.
template <class T>
concept MessagePart = TypedField<T> || detail::IsOptionalField<T>::value ||
                      detail::IsGroupPart<T>::value || detail::IsTimeOfSending<T>::value;

namespace detail {

template <class T>
struct FieldOf {
  using type = T;
};
template <class F>
struct FieldOf<std::optional<F>> {
  using type = F;
};
template <class F>
struct FieldOf<OptionalField<F>> {
  using type = F;
};
template <class F>
struct FieldOf<AtSending<F>> {
  using type = F;
};
template <class F>
struct FieldOf<SentAt<F>> {
  using type = F;
};

template <class T>
concept PartOfLength = requires(typename FieldOf<T>::type field) {
  []<Tag FieldTag>(const LengthField<FieldTag>&) {}(field);
};

// The first tag of a part. For a data field, the tag of the data, not of its length.
template <MessagePart T>
[[nodiscard]] constexpr Tag part_tag() {
  if constexpr (IsGroupPart<T>::value) {
    return T::EntryType::kCountTag;
  } else {
    return tag_of<typename FieldOf<T>::type>();
  }
}

// Whether a part always writes a field with this tag.
template <MessagePart T>
[[nodiscard]] constexpr bool part_has(Tag tag) {
  if constexpr (DataTypedField<T>) {
    return tag == T::kTag || tag == T::kLengthTag;
  } else {
    return !IsOptionalField<T>::value && part_tag<T>() == tag;
  }
}

// The 0-based index of a tag; the number of tags if it is not among them.
template <std::size_t kCount>
[[nodiscard]] constexpr std::size_t position_of(const std::array<Tag, kCount>& tags,
                                                Tag wanted) noexcept {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (tags[i] == wanted) return i;
  }
  return kCount;
}
// Whether a tag is among these.
template <std::size_t kCount>
[[nodiscard]] constexpr bool contains(const std::array<Tag, kCount>& tags, Tag wanted) noexcept {
  return position_of(tags, wanted) < kCount;
}

}  // namespace detail

// Whether every tag is given only once.
template <MessagePart... Parts>
[[nodiscard]] constexpr bool tags_are_distinct() {
  const std::array<Tag, sizeof...(Parts)> tags{detail::part_tag<Parts>()...};
  for (std::size_t i = 0; i < tags.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (tags[i] == tags[j]) return false;
    }
  }
  return true;
}

// Whether the parts contain all tags of a TagList.
template <class List, MessagePart... Parts>
struct HasAll;
// With the tags of the list.
template <Tag... Tags, MessagePart... Parts>
struct HasAll<TagList<Tags...>, Parts...> {
  // Whether a part always writes a field with this tag.
  template <Tag Wanted>
  static constexpr bool has = (detail::part_has<Parts>(Wanted) || ...);
  static constexpr bool value = (has<Tags> && ...);  // the answer
};

namespace detail {

template <class List>
struct Holds;
template <Tag... Tags>
struct Holds<TagList<Tags...>> {
  [[nodiscard]] static constexpr bool tag(Tag wanted) { return ((Tags == wanted) || ...); }
};

}  // namespace detail

}  // namespace nexusfix::wire
