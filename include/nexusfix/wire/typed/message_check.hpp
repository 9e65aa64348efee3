// The checks of a message to send, at compile time: the dictionary's rules, for the message and for
// the entries of its groups. Each error is one static assertion that names the message.
#pragma once

#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>

#include <nexusfix/wire/typed/field.hpp>
#include <nexusfix/wire/typed/message_part.hpp>
#include <nexusfix/wire/typed/typed.hpp>
#include <nexusfix/wire/values/tag_prefix.hpp>

namespace nexusfix::wire {

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

// The message that send() takes if the call names none.
struct NoMessage;

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

// The rules of a message to send. Constants and variable part of a prepared message are parts.
template <class M, class... Parts>
struct MessageCheck {
  static_assert(kCompiles<M>,
                "name a message whose header is included: send<fix44::NewOrderSingle>(...); a "
                "draft is sent by send(draft), a received message by send(*M::Draft::from(m))");
  static constexpr bool kDone = true;
};
template <TypedMessage M, class... Parts>
struct MessageCheck<M, Parts...> {
  static_assert(!not_message_part<decltype(foreign_parts_in<Parts...>())>,
                "each part of a message is a typed field, such as Symbol{\"A\"}, or a group()");
  static constexpr bool kDone = true;
};
template <TypedMessage M, MessagePart... Parts>
struct MessageCheck<M, Parts...> : PartsCheck<M, Parts...> {
  static_assert(!required_field_missing<M, decltype(missing_in<M, Parts...>())>,
                "a field that the dictionary requires in this message is missing");
};

}  // namespace detail
}  // namespace nexusfix::wire
