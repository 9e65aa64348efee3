// Writes typed fields and repeating groups, and checks them against the rules of the dictionary.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/header_template.hpp>
#include <nexusfix/wire/typed.hpp>

// The parts of a message to send: fields, fields that may be missing, and repeating groups.

namespace nexusfix::wire {

namespace detail {

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

// A field with the time of sending, ready to be written.
template <class FieldType>
struct SentAt {
  SendingTime at;  // of the message
};

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

// The parts of a message: a typed field; a std::optional of one, which is omitted if it is empty;
// the result of a typed read, which is omitted if the field was missing, and is an error of the
// encoder (EmptyValue) if the field could not be read; a group; the time of sending.
template <class T>
concept MessagePart = TypedField<T> || IsOptionalField<T>::value || IsGroupPart<T>::value ||
                      IsTimeOfSending<T>::value;

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
template <detail::MessagePart... Parts>
[[nodiscard]] constexpr bool tags_are_distinct() {
  const std::array<Tag, sizeof...(Parts)> tags{detail::part_tag<Parts>()...};
  for (std::size_t i = 0; i < tags.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (tags[i] == tags[j]) return false;
    }
  }
  return true;
}

namespace detail {

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

template <class List>
struct Holds;
template <Tag... Tags>
struct Holds<TagList<Tags...>> {
  [[nodiscard]] static constexpr bool tag(Tag wanted) { return ((Tags == wanted) || ...); }
};

}  // namespace detail

// The checks of a message to send, at compile time: the dictionary's rules, for the message and for
// the entries of its groups. Each error is one static assertion that names the message.

// The name of a field in a message that has none: a message that is written by hand.
template <Tag Number>
struct FieldWithTag;

namespace detail {

template <class... First, class... Second>
constexpr FieldNames<First..., Second...> operator+(FieldNames<First...>, FieldNames<Second...>) {
  return {};
}

template <bool Selected, class Name>
constexpr auto name_if() {
  if constexpr (Selected) {
    return FieldNames<Name>{};
  } else {
    return FieldNames<>{};
  }
}
template <class... Parts>
constexpr auto foreign_parts_in() {
  return (name_if<!MessagePart<Parts> && !std::same_as<Parts, NoPart>, Parts>() + ... +
          FieldNames<>{});
}
template <class... Parts>
[[nodiscard]] constexpr bool have_tag([[maybe_unused]] Tag tag) {
  return (part_has<Parts>(tag) || ...);
}
template <class... Parts, Tag... Tags, class... Names>
constexpr auto missing_names(TagList<Tags...>, FieldNames<Names...>) {
  return (name_if<!have_tag<Parts...>(Tags), Names>() + ... + FieldNames<>{});
}
// The fields that M requires and that no part always writes.
template <class M, class... Parts>
constexpr auto missing_in() {
  using Required = typename M::Required;
  if constexpr (requires { typename M::RequiredNames; }) {
    return missing_names<Parts...>(Required{}, typename M::RequiredNames{});
  } else {
    return []<Tag... Tags>(TagList<Tags...> required) {
      return missing_names<Parts...>(required, FieldNames<FieldWithTag<Tags>...>{});
    }(Required{});
  }
}

// Whether the dictionary, or the user, may have a field with this tag in a message or an entry.
template <class M>
[[nodiscard]] constexpr bool belongs_to(Tag tag) {
  const bool is_outside = tag >= kUserDefinedTagMin || is_header_tag(tag);
  return (is_outside && !requires { M::kCountTag; }) || contains(M::kMembers, tag);
}

template <class M, class... Parts>
constexpr auto foreign_in() {
  if constexpr (requires { M::kMembers; }) {
    return (name_if<!belongs_to<M>(part_tag<Parts>()), typename FieldOf<Parts>::type>() + ... +
            FieldNames<>{});
  } else {
    return FieldNames<>{};
  }
}

// Whether the entry of a group has another enumeration with this one's tag.
template <class Enum, class... Fields>
[[nodiscard]] constexpr bool has_other_enumeration(FieldList<Fields...>) {
  constexpr Tag kTags[] = {tag_of<Fields>()...};
  constexpr bool kSame[] = {std::same_as<Fields, Enum>...};
  for (std::size_t i = 0; i < sizeof...(Fields); ++i) {
    if (kTags[i] == EnumTraits<Enum>::kTag && !kSame[i]) return true;
  }
  return false;
}

// The type that knows the version of an entry's enumerations: the message, or the entry itself if
// it is added to a draft.
template <class M, class Entry>
using VersionOf = std::conditional_t<requires { M::kApplicationVersion; }, M, Entry>;

// Whether an enumeration among the parts, or within their groups, is of another FIX version than
// that of the message. Fields of the header are of the session's version.
template <class M, class Part>
[[nodiscard]] constexpr bool is_of_other_version(std::type_identity<Part>);
template <class M, class... Parts>
[[nodiscard]] constexpr bool is_of_other_version(std::type_identity<EntryParts<Parts...>>);
template <class M, class Entry, class... Entries>
[[nodiscard]] constexpr bool is_of_other_version(
    std::type_identity<GroupParts<Entry, Entries...>>) {
  return (is_of_other_version<VersionOf<M, Entry>>(std::type_identity<Entries>{}) || ...);
}
template <class M, class Entry, class Range, class MakeEntry>
[[nodiscard]] constexpr bool is_of_other_version(
    std::type_identity<GroupRange<Entry, Range, MakeEntry>>) {
  if constexpr (MakesEntry<Range, MakeEntry>) {
    return is_of_other_version<VersionOf<M, Entry>>(
        std::type_identity<MadeEntry<Range, MakeEntry>>{});
  } else {
    return false;
  }
}
template <class M, class... Parts>
constexpr bool is_of_other_version(std::type_identity<EntryParts<Parts...>>) {
  return (is_of_other_version<M>(std::type_identity<Parts>{}) || ...);
}
template <class M, class Part>
constexpr bool is_of_other_version(std::type_identity<Part>) {
  using Enum = typename FieldOf<Part>::type;
  if constexpr (requires {
                  M::kApplicationVersion;
                  EnumTraits<Enum>::kApplicationVersion;
                }) {
    return EnumTraits<Enum>::kApplicationVersion != M::kApplicationVersion &&
           !is_header_tag(EnumTraits<Enum>::kTag);
  } else if constexpr (requires {
                         M::kCountTag;
                         EnumTraits<Enum>::kApplicationVersion;
                       }) {
    return has_other_enumeration<Enum>(typename M::Fields{});
  } else {
    return false;
  }
}

// Whether a tag is the count field of a group of T.
template <class... Entries>
[[nodiscard]] constexpr bool is_count_in([[maybe_unused]] Tag tag,
                                         std::type_identity<EntryList<Entries...>>) {
  return ((Entries::kCountTag == tag) || ...);
}
// Whether a part is the count field of a group, as a field and not as group().
template <class T, class Part>
[[nodiscard]] constexpr bool is_count() {
  if constexpr (requires {
                  typename T::Groups;
                  typename FieldOf<Part>::type::ValueType;
                }) {
    return is_count_in(part_tag<Part>(), std::type_identity<typename T::Groups>{});
  } else {
    return false;
  }
}

// The errors of one entry, or of all entries of the groups among the parts.
struct EntryErrors {
  bool twice = false;
  bool foreign = false;
  bool headless = false;
  bool missing = false;
  bool counted = false;

  friend constexpr EntryErrors operator|(EntryErrors a, EntryErrors b) {
    return {a.twice || b.twice, a.foreign || b.foreign, a.headless || b.headless,
            a.missing || b.missing, a.counted || b.counted};
  }
};
template <class... Parts>
[[nodiscard]] constexpr EntryErrors errors_of_groups();
template <class Entry, class... Parts>
[[nodiscard]] constexpr EntryErrors errors_of_entry(std::type_identity<EntryParts<Parts...>>) {
  return EntryErrors{
             .twice = !tags_are_distinct<Parts...>(),
             .foreign = !std::same_as<decltype(foreign_in<Entry, Parts...>()), FieldNames<>>,
             .headless = !(part_has<Parts>(Entry::kMembers.front()) || ...),
             .missing = !HasAll<typename Entry::Required, Parts...>::value,
             .counted = (is_count<Entry, Parts>() || ...)} |
         errors_of_groups<Parts...>();
}
template <class T>
[[nodiscard]] constexpr EntryErrors errors_of_group(std::type_identity<T>) {
  return {};
}
template <class Entry, class... Entries>
[[nodiscard]] constexpr EntryErrors errors_of_group(
    std::type_identity<GroupParts<Entry, Entries...>>) {
  return (errors_of_entry<Entry>(std::type_identity<Entries>{}) | ... | EntryErrors{});
}
template <class Entry, class Range, class MakeEntry>
[[nodiscard]] constexpr EntryErrors errors_of_group(
    std::type_identity<GroupRange<Entry, Range, MakeEntry>>) {
  if constexpr (MakesEntry<Range, MakeEntry>) {
    return errors_of_entry<Entry>(std::type_identity<MadeEntry<Range, MakeEntry>>{});
  } else {
    return {};  // group() has the error
  }
}
template <class... Parts>
[[nodiscard]] constexpr EntryErrors errors_of_groups() {
  return (errors_of_group(std::type_identity<Parts>{}) | ... | EntryErrors{});
}

// Read as the cause that a compiler prints: required_field_missing<NewOrderSingle,
// FieldNames<names::Side>>.
template <class Types>
inline constexpr bool not_message_part = !std::same_as<Types, FieldNames<>>;
template <class M, class Names>
inline constexpr bool required_field_missing = !std::same_as<Names, FieldNames<>>;
template <class M, class... Parts>
inline constexpr bool enumeration_of_another_version =
    (is_of_other_version<M>(std::type_identity<Parts>{}) || ...);
template <class M, class Fields>
inline constexpr bool field_not_in_message = !std::same_as<Fields, FieldNames<>>;

// The rules of a message to send and of a draft. Its instantiation gives the errors. A class, and
// not functions that call each other: a compiler lists every step of an instantiation.
template <class M, class... Parts>
struct PartsCheck {
  static constexpr bool kDone = true;  // another check has the error
};
template <class M, MessagePart... Parts>
struct PartsCheck<M, Parts...> {
  static constexpr EntryErrors kGroups = errors_of_groups<Parts...>();

  static_assert(tags_are_distinct<Parts...>(), "a field is given twice");
  static_assert(!field_not_in_message<M, decltype(foreign_in<M, Parts...>())>,
                "a field that the dictionary does not have here");
  static_assert(!enumeration_of_another_version<M, Parts...>,
                "an enumeration of another FIX version: take that of the message's own namespace");
  static_assert(!(PartOfLength<Parts> || ...), "a Length field is written with its data field");
  static_assert(!(is_count<M, Parts>() || ...) && !kGroups.counted,
                "group() writes the count of its entries, such as NoPartyIDs: leave it out");
  static_assert(!kGroups.headless,
                "an entry begins with the first field of its group, which is missing");
  static_assert(!kGroups.foreign, "a field that the dictionary does not have in this group");
  static_assert(!kGroups.twice, "a field is given twice in an entry of the group");
  static_assert(!kGroups.missing,
                "a field that the dictionary requires in each entry of this group is missing");
  static constexpr bool kDone = true;
};

template <TypedMessage M, class... Parts>
struct MessageCheck<M, Parts...> {
  static_assert(!not_message_part<decltype(foreign_parts_in<Parts...>())>,
                "each part of a message is a typed field, such as Symbol{\"A\"}, or a group()");
  static constexpr bool kDone = true;
  static constexpr bool kIsWritten = false;
};
template <TypedMessage M, MessagePart... Parts>
struct MessageCheck<M, Parts...> : PartsCheck<M, Parts...> {
  static_assert(!required_field_missing<M, decltype(missing_in<M, Parts...>())>,
                "a field that the dictionary requires in this message is missing");
  static constexpr bool kIsWritten = true;
};

}  // namespace detail

// Writes typed fields and repeating groups. MessageCheck holds the rules of the dictionary.

template <detail::TypedField T>
NEXUSFIX_ALWAYS_INLINE void write_field(Encoder& encoder, const T& field) noexcept {
  if constexpr (detail::DataTypedField<T>) {
    encoder.data<T::kLengthTag, T::kTag>(field.value);
  } else if constexpr (!detail::DictionaryEnum<T>) {
    encoder.field<T::kTag>(field.value);
  } else if constexpr (std::same_as<std::underlying_type_t<T>, char>) {
    if (EnumTraits<T>::has(field)) [[likely]] {
      encoder.field<EnumTraits<T>::kTag>(static_cast<char>(field));
    } else {
      encoder.field<EnumTraits<T>::kTag>(EnumTraits<T>::text(field));  // an empty text is an error
    }
  } else {
    encoder.field<EnumTraits<T>::kTag>(EnumTraits<T>::text(field));
  }
}

namespace detail {

template <class Required, class Entry, class... Entries>
NEXUSFIX_ALWAYS_INLINE void write_group(Encoder& encoder,
                                        const GroupParts<Entry, Entries...>& group) noexcept;
template <class Required, class Entry, class Range, class MakeEntry>
void write_group(Encoder& encoder, const GroupRange<Entry, Range, MakeEntry>& group) noexcept;

// Required: of the message or entry that contains the part.
template <class Required, MessagePart T>
NEXUSFIX_ALWAYS_INLINE void write_part(Encoder& encoder, const T& part) noexcept {
  if constexpr (IsGroupPart<T>::value) {
    write_group<Required>(encoder, part);
  } else if constexpr (IsOptionalField<T>::value) {
    if (part) {
      write_field(encoder, *part);
    } else if constexpr (std::same_as<T, OptionalField<typename FieldOf<T>::type>>) {
      // If it were silently omitted, the sent message would differ from the received one.
      if (part.error().code != FieldErrorCode::Missing) {
        encoder.field<part_tag<T>()>(std::string_view{});
      }
    }
  } else if constexpr (IsTimeOfSending<T>::value) {
    encoder.field<part_tag<T>()>(part.at.time, part.at.precision);
  } else {
    write_field(encoder, part);
  }
}

// The positions of the parts in the dictionary's order. Some counterparties require that order.
template <class Entry, class... Parts>
[[nodiscard]] consteval auto order_of_parts() {
  const std::array<Tag, sizeof...(Parts)> tags{part_tag<Parts>()...};
  std::array<std::size_t, sizeof...(Parts)> order{};
  const auto comes_before = [&](std::size_t a, std::size_t b) {
    return position_of(Entry::kMembers, tags[a]) < position_of(Entry::kMembers, tags[b]);
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::size_t at = i;
    for (; at != 0 && comes_before(i, order[at - 1]); --at) order[at] = order[at - 1];
    order[at] = i;
  }
  return order;
}

template <class Entry, class... Parts>
NEXUSFIX_ALWAYS_INLINE void write_entry(Encoder& encoder,
                                        const EntryParts<Parts...>& entry) noexcept {
  static constexpr auto kOrder = order_of_parts<Entry, Parts...>();
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (write_part<typename Entry::Required>(encoder, std::get<kOrder[I]>(entry.parts)), ...);
  }(std::index_sequence_for<Parts...>{});
}

// Omits a group without entries if it is optional: FIX allows a count of 0, but discourages it.
template <class Required, class Entry, class... Entries>
NEXUSFIX_ALWAYS_INLINE void write_group(Encoder& encoder,
                                        const GroupParts<Entry, Entries...>& group) noexcept {
  if constexpr (sizeof...(Entries) != 0 || Holds<Required>::tag(Entry::kCountTag)) {
    encoder.field<Entry::kCountTag>(sizeof...(Entries));
  }
  std::apply([&](const auto&... entry) { (write_entry<Entry>(encoder, entry), ...); },
             group.entries);
}

template <class Required, class Entry, class Range, class MakeEntry>
void write_group(Encoder& encoder, const GroupRange<Entry, Range, MakeEntry>& group) noexcept {
  const auto count = static_cast<std::size_t>(std::ranges::size(group.range));
  if (count == 0 && !Holds<Required>::tag(Entry::kCountTag)) return;
  GroupWriter writer = encoder.group(Entry::kCountTag, count);
  for (auto&& element : group.range) {
    write_entry<Entry>(writer.entry(), group.make_entry(element));
  }
}

}  // namespace detail

// One entry of a group. Its fields may be given in any order and are written in the dictionary's.
template <class... Parts>
[[nodiscard]] constexpr auto entry(const Parts&... parts) noexcept {
  constexpr bool kIsEntry =
      ((detail::MessagePart<Parts> || std::same_as<Parts, detail::NoPart>) && ...);
  static_assert(kIsEntry,
                "each part of an entry is a typed field, such as PartyID{\"A\"}, or a group()");
  static_assert(
      !detail::kHasTimeOfSending<Parts...>,
      "now() is for send(): an entry of a group takes a time: TransactTime{session.now()}");
  if constexpr ((detail::MessagePart<Parts> && ...)) {
    return detail::EntryParts<Parts...>{{parts...}};
  } else {
    return detail::NoPart{};
  }
}

// A repeating group to send. Entry names it: fix44::NewOrderSingle::NoPartyIDs. An entry does not
// compile if it lacks the group's first field or a required one, or if it has a field of another
// group. Values are not copied: a text must live until the message is sent.
//
//   group<NewOrderSingle::NoPartyIDs>(entry(PartyID{"A"}, PartyRole::ClientID),
//                                     entry(PartyID{"B"}, PartyRole::ExecutingFirm))
template <class Entry, class... Entries>
[[nodiscard]] constexpr auto group(const Entries&... entries) noexcept {
  constexpr bool kIsGroup = detail::TypedEntry<Entry>;
  constexpr bool kHasEntries =
      ((detail::IsEntryParts<Entries>::value || std::same_as<Entries, detail::NoPart>) && ...);
  static_assert(kIsGroup, "group<G>() takes a group: G is fix44::NewOrderSingle::NoPartyIDs");
  static_assert(kHasEntries,
                "group<G>() takes entries, entry(PartyID{\"A\"}, ...), or a range and a function "
                "that makes an entry of each element");
  if constexpr (kIsGroup && (detail::IsEntryParts<Entries>::value && ...)) {
    return detail::GroupParts<Entry, Entries...>{{entries...}};
  } else {
    return detail::NoPart{};
  }
}

// A group with one entry for each element of a range of known size. make_entry(element) makes it
// with entry() and does not throw. A named range is not copied.
//
//   group<MarketDataSnapshotFullRefresh::NoMDEntries>(levels, [](const Level& level) {
//     return entry(MDEntryType::Bid, MDEntryPx{level.price}, MDEntrySize{level.size});
//   })
template <class Entry, std::ranges::sized_range Range, class MakeEntry>
  requires(!detail::IsEntryParts<MakeEntry>::value)
[[nodiscard]] constexpr auto group(Range&& range, MakeEntry make_entry) noexcept {
  constexpr bool kIsGroup = detail::TypedEntry<Entry>;
  constexpr bool kMakesEntry = detail::MakesEntry<detail::Elements<Range>, MakeEntry>;
  static_assert(kIsGroup, "group<G>() takes a group: G is fix44::NewOrderSingle::NoPartyIDs");
  static_assert(kMakesEntry,
                "the function of group() takes an element of the range and returns entry(...)");
  if constexpr (kIsGroup && kMakesEntry) {
    return detail::GroupRange<Entry, detail::Elements<Range>, MakeEntry>{
        detail::Elements<Range>{std::forward<Range>(range)}, std::move(make_entry)};
  } else {
    return detail::NoPart{};
  }
}

// A part with its time: now() becomes the time of sending, which clock() returns; every other part
// stays as it is.
template <class Part, class Clock>
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE decltype(auto) with_time(const Part& part,
                                                              const Clock& clock) noexcept {
  if constexpr (detail::IsTimeOfSending<Part>::value) {
    return detail::SentAt<typename detail::FieldOf<Part>::type>{clock()};
  } else {
    return (part);
  }
}

namespace detail {

// Writes the part if it belongs to the standard header, or if it does not.
template <class Required, bool kOfHeader, MessagePart T>
NEXUSFIX_ALWAYS_INLINE void write_part_of(Encoder& encoder, const T& part) noexcept {
  if constexpr (is_header_tag(part_tag<T>()) == kOfHeader) write_part<Required>(encoder, part);
}

}  // namespace detail

// Writes the header's fields first, whatever position they were given in.
template <TypedMessage M, detail::MessagePart... Parts>
NEXUSFIX_ALWAYS_INLINE void write_message_parts(Encoder& encoder, const Parts&... parts) noexcept {
  using Required = typename M::Required;
  (detail::write_part_of<Required, true>(encoder, parts), ...);
  (detail::write_part_of<Required, false>(encoder, parts), ...);
}

namespace detail {

template <TypedMessage M, MessagePart... Parts>
struct MessageWriter<M, Parts...> {
  static constexpr bool kHasFieldOfSession = (belongs_to_session(part_tag<Parts>()) || ...);

  template <class Clock>
  NEXUSFIX_ALWAYS_INLINE static void write(Encoder& encoder, const Clock& clock,
                                           const Parts&... parts) noexcept {
    write_message_parts<M>(encoder, with_time(parts, clock)...);
  }
};

}  // namespace detail

// Encodes a complete typed message without a session; sets header.msg_type from M. Writes the
// header's fields first and the others in the given order. See Encoder for buffer and errors.
template <TypedMessage M, class... Parts>
[[nodiscard]] std::expected<std::string_view, EncodeError> encode(std::span<char> buffer,
                                                                  HeaderTemplate& session,
                                                                  MessageHeader header,
                                                                  const Parts&... parts) noexcept {
  static_assert(detail::MessageCheck<M, Parts...>::kDone);
  header.msg_type = M::kMsgType;
  Encoder encoder{buffer, session, header};
  if constexpr ((detail::MessagePart<Parts> && ...)) {
    const auto clock = [&] { return SendingTime{header.sending_time, header.precision}; };
    write_message_parts<M>(encoder, with_time(parts, clock)...);
  }
  return encoder.finish();
}

}  // namespace nexusfix::wire

namespace nexusfix {

// The names that an application uses.
using wire::entry;
using wire::group;

}  // namespace nexusfix
