// Writes typed fields and repeating groups. MessageCheck holds the rules of the dictionary.
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

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/typed/field.hpp>
#include <nexusfix/wire/typed/message_check.hpp>
#include <nexusfix/wire/typed/message_part.hpp>
#include <nexusfix/wire/typed/typed.hpp>
#include <nexusfix/wire/values/tag_prefix.hpp>

namespace nexusfix::wire {

template <TypedField T>
NEXUSFIX_ALWAYS_INLINE void write_field(Encoder& encoder, const T& field) noexcept {
  if constexpr (DataTypedField<T>) {
    encoder.data<T::kLengthTag, T::kTag>(field.value);
  } else if constexpr (!DictionaryEnum<T>) {
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
  constexpr bool kIsEntry = ((MessagePart<Parts> || std::same_as<Parts, detail::NoPart>) && ...);
  static_assert(kIsEntry,
                "each part of an entry is a typed field, such as PartyID{\"A\"}, or a group()");
  static_assert(
      !detail::kHasTimeOfSending<Parts...>,
      "now() is for send(): an entry of a group takes a time: TransactTime{session.now()}");
  if constexpr ((MessagePart<Parts> && ...)) {
    return EntryParts<Parts...>{{parts...}};
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
  constexpr bool kIsGroup = TypedEntry<Entry>;
  constexpr bool kHasEntries =
      ((detail::IsEntryParts<Entries>::value || std::same_as<Entries, detail::NoPart>) && ...);
  static_assert(kIsGroup, "group<G>() takes a group: G is fix44::NewOrderSingle::NoPartyIDs");
  static_assert(kHasEntries,
                "group<G>() takes entries, entry(PartyID{\"A\"}, ...), or a range and a function "
                "that makes an entry of each element");
  if constexpr (kIsGroup && (detail::IsEntryParts<Entries>::value && ...)) {
    return GroupParts<Entry, Entries...>{{entries...}};
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
  constexpr bool kIsGroup = TypedEntry<Entry>;
  constexpr bool kMakesEntry = detail::MakesEntry<Elements<Range>, MakeEntry>;
  static_assert(kIsGroup, "group<G>() takes a group: G is fix44::NewOrderSingle::NoPartyIDs");
  static_assert(kMakesEntry,
                "the function of group() takes an element of the range and returns entry(...)");
  if constexpr (kIsGroup && kMakesEntry) {
    return GroupRange<Entry, Elements<Range>, MakeEntry>{
        Elements<Range>{std::forward<Range>(range)}, std::move(make_entry)};
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
    return SentAt<typename detail::FieldOf<Part>::type>{clock()};
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
template <TypedMessage M, MessagePart... Parts>
NEXUSFIX_ALWAYS_INLINE void write_message_parts(Encoder& encoder, const Parts&... parts) noexcept {
  using Required = typename M::Required;
  (detail::write_part_of<Required, true>(encoder, parts), ...);
  (detail::write_part_of<Required, false>(encoder, parts), ...);
}

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
  if constexpr ((MessagePart<Parts> && ...)) {
    const auto clock = [&] { return SendingTime{header.sending_time, header.precision}; };
    write_message_parts<M>(encoder, with_time(parts, clock)...);
  }
  return encoder.finish();
}

}  // namespace nexusfix::wire
