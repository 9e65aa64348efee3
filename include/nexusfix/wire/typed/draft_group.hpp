// The groups of a draft and their entries, which are added, read, changed and removed.
#pragma once

#include <array>
#include <cstddef>
#include <expected>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nexusfix/wire/group_view.hpp>
#include <nexusfix/wire/typed/draft_fields.hpp>
#include <nexusfix/wire/typed/draft_rules.hpp>
#include <nexusfix/wire/typed/field.hpp>
#include <nexusfix/wire/typed/message_check.hpp>
#include <nexusfix/wire/typed/message_part.hpp>
#include <nexusfix/wire/typed/typed.hpp>
#include <nexusfix/wire/typed/typed_write.hpp>

namespace nexusfix::wire {

template <class Entry>
class DraftGroup;

namespace detail {

// Writes a field or a group of a draft. Of a part without a value nothing is written.
template <TypedField F>
void put_part(DraftEdit& edit, const F& field) {
  if constexpr (DataTypedField<F>) {
    edit.data(F::kLengthTag, F::kTag, field.value);
  } else if constexpr (DictionaryEnum<F>) {
    const std::string_view text = EnumTraits<F>::text(field);
    if (text.empty()) return edit.refuse(DraftErrorCode::ValueOutOfRange, EnumTraits<F>::kTag);
    edit.text(EnumTraits<F>::kTag, text);
  } else {
    edit.value(F::kTag, field.value);
  }
}
template <class T>
  requires IsOptionalField<T>::value
void put_part(DraftEdit& edit, const T& part) {
  if (part) {
    put_part(edit, *part);
  } else if constexpr (std::same_as<T, OptionalField<typename FieldOf<T>::type>>) {
    if (part.error().code != FieldErrorCode::Missing) {
      edit.refuse(DraftErrorCode::ValueMalformed, part_tag<T>());
    }
  }
}
template <class F>
void put_part(DraftEdit& edit, const AtSending<F>&) {
  edit.now(F::kTag);
}
template <class Entry, class... Parts>
void put_entry_of(DraftEdit& edit, const EntryParts<Parts...>& entry);
template <class Entry, class... Entries>
void put_part(DraftEdit& edit, const GroupParts<Entry, Entries...>& group) {
  if constexpr (sizeof...(Entries) != 0) {
    edit.group(Entry::kCountTag, sizeof...(Entries));
    std::apply([&](const auto&... entry) { (put_entry_of<Entry>(edit, entry), ...); },
               group.entries);
  }
}
template <class Entry, class Range, class MakeEntry>
void put_part(DraftEdit& edit, const GroupRange<Entry, Range, MakeEntry>& group) {
  const auto count = static_cast<std::size_t>(std::ranges::size(group.range));
  if (count == 0) return;
  edit.group(Entry::kCountTag, count);
  for (auto&& element : group.range) put_entry_of<Entry>(edit, group.make_entry(element));
}
template <class Entry, class... Parts>
void put_entry_of(DraftEdit& edit, const EntryParts<Parts...>& entry) {
  static constexpr auto kOrder = order_of_parts<Entry, Parts...>();
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (put_part(edit, std::get<kOrder[I]>(entry.parts)), ...);
  }(std::index_sequence_for<Parts...>{});
}

template <MessagePart T>
[[nodiscard]] constexpr Tag length_tag_of() {
  if constexpr (DataTypedField<typename FieldOf<T>::type>) {
    return FieldOf<T>::type::kLengthTag;
  } else {
    return 0;
  }
}

// Read as the cause that a compiler prints, as those of MessageCheck.
template <class Fields>
inline constexpr bool field_of_the_session = !std::same_as<Fields, FieldNames<>>;

// The rules of set() in addition to PartsCheck.
template <class T, class... Parts>
struct DraftCheck {
  static_assert(!not_message_part<decltype(foreign_parts_in<Parts...>())>,
                "each part of a draft is a typed field, such as Symbol{\"A\"}, or a group()");
  static constexpr bool kDone = true;
};
template <class T, MessagePart... Parts>
struct DraftCheck<T, Parts...> {
  template <class Part>
  static constexpr bool kIsSessions =
      !requires { T::kCountTag; } && !is_draft_tag(part_tag<Part>());
  using OfSession = decltype((name_if<kIsSessions<Parts>, typename FieldOf<Parts>::type>() + ... +
                              FieldNames<>{}));
  static_assert(!field_of_the_session<OfSession>,
                "the session itself writes this field when it sends the draft");
  static constexpr bool kDone = true;
};

// set(5001, "text"), and not typed fields.
template <class... Parts>
inline constexpr bool kIsTagAndValue = false;
template <WholeNumber First, class Second>
inline constexpr bool kIsTagAndValue<First, Second> = true;

// set() of a message and of an entry, which has run DraftCheck and PartsCheck: a compiler lists
// each step to an error.
template <class T, class... Parts>
[[nodiscard]] DraftResult set_parts(DraftFields& fields, const DraftPath& path,
                                    const Parts&... parts) {
  if constexpr ((MessagePart<Parts> && ...)) {
    DraftEdit edit{fields, *path.message};
    std::array<DraftEdit::Part, sizeof...(Parts)> written{
        DraftEdit::Part{part_tag<Parts>(), length_tag_of<Parts>(), 0}...};
    std::size_t at = 0;
    const auto put = [&](const auto& part) {
      put_part(edit, part);
      written[at++].fields = edit.take_fields();
    };
    (put(parts), ...);
    return edit.commit(path, written);
  } else {
    return {};
  }
}

// erase<F>() of a message and of an entry. F: a field, or the entry of a group.
template <class T, class F>
[[nodiscard]] constexpr Tag erased_tag() {
  if constexpr (TypedField<F>) {
    return tag_of<F>();
  } else if constexpr (TypedEntry<F>) {
    return F::kCountTag;
  } else {
    return 0;
  }
}
template <class T, class F>
bool erase_part(DraftFields& fields, const DraftPath& path) {
  constexpr Tag kTag = erased_tag<T, F>();
  static_assert(kTag != 0, "erase<F>() removes a typed field or a group");
  constexpr bool kHas = belongs_to<T>(kTag) && (is_draft_tag(kTag) || requires { T::kCountTag; });
  static_assert(kTag == 0 || kHas, "a field that the dictionary does not have here");
  if constexpr (requires { T::kCountTag; }) {
    static_assert(kTag != T::kMembers.front(), "without its first field an entry does not begin");
  }
  static_assert(!is_count<T, F>(), "erase<G>() removes a group: NewOrderSingle::NoPartyIDs");
  if (!fields.has(path, kTag)) return false;
  DraftEdit edit{fields, *path.message};
  DraftEdit::Part part{.tag = kTag};
  if constexpr (TypedField<F>) {
    part.length_tag = length_tag_of<F>();
    static_assert(!PartOfLength<F>, "a Length field is removed with its data field");
  }
  return edit.commit(path, {&part, 1}).has_value();
}

// Whether T, a message or an entry, has a group.
template <class T, class Entry>
[[nodiscard]] consteval bool is_group_of() noexcept {
  if constexpr (TypedEntry<Entry>) {
    return contains(T::kMembers, Entry::kCountTag);
  } else {
    return false;
  }
}
// A group that a message does not have, so that group() has the only error.
struct NoGroup {
  [[nodiscard]] NoGroup operator[](std::size_t) const noexcept { return {}; }
  [[nodiscard]] DraftResult add(const auto&...) const { return {}; }
  [[nodiscard]] DraftResult set(const auto&...) const { return {}; }
  [[nodiscard]] bool empty() const noexcept { return true; }
  [[nodiscard]] std::size_t size() const noexcept { return 0; }
  [[nodiscard]] const NoGroup* begin() const noexcept { return nullptr; }
  [[nodiscard]] const NoGroup* end() const noexcept { return nullptr; }
};

// An entry that does not exist (any more) reads as an entry with one field of tag 0 without a
// value, so that its first field can be read, too.
[[nodiscard]] GroupEntry absent_entry() noexcept;

}  // namespace detail

// An entry of a group of a draft, named by its number: read it by the getters of the dictionary's
// entry, and change it. Valid as long as the draft stays where it is; after another entry before it
// was added or removed, it is the entry that now has its number. If there is no entry of this
// number, optional fields are Missing, the group's first field is empty, and edits fail with
// NoEntry. One thread at a time.
//
//   auto party = draft.group<NewOrderSingle::NoPartyIDs>()[0];
//   auto done = party.set(PartyRole::ClientID);
template <class Entry>
class DraftEntry : public Entry::template Members<DraftEntry<Entry>> {
 public:
  // For DraftGroup.
  DraftEntry(DraftFields& fields, const DraftPath& path) noexcept : fields_{&fields}, path_{path} {}

  // Sets fields and nested groups, all or none. As Draft::set(); new fields go to their places in
  // the dictionary's order.
  template <class... Parts>
    requires(!detail::kIsTagAndValue<Parts...>)
  [[nodiscard]] DraftResult set(const Parts&... parts) const {
    static_assert(detail::DraftCheck<Entry, Parts...>::kDone);
    static_assert(detail::PartsCheck<Entry, Parts...>::kDone);
    return detail::set_parts<Entry>(*fields_, path_, parts...);
  }
  // As Draft::set(tag, value).
  template <FieldValue Value>
  [[nodiscard]] DraftResult set(Tag tag, const Value& value) const {
    DraftEdit edit{*fields_, *path_.message};
    edit.value(tag, value);
    return edit.commit_checked(path_, tag);
  }
  // Does not compile: a floating-point number is not exact, and an enumeration is a typed field.
  template <class Value>
    requires(!FieldValue<Value>)
  DraftResult set(Tag, const Value&) const {
    static_assert(detail::kCompiles<Value>,
                  "set(tag, value) takes a text, an integer, a char, a bool, a time or a Decimal: "
                  "150.25_d; an enumeration is set without its tag: set(Side::Buy)");
    return {};
  }
  // Removes a field or a nested group; false: it was not there. An entry keeps its first field.
  template <class F>
  bool erase() const {
    return detail::erase_part<Entry, F>(*fields_, path_);
  }
  // A group within the entry.
  template <class Nested>
  [[nodiscard]] auto group() const noexcept {
    if constexpr (detail::is_group_of<Entry, Nested>()) {
      return DraftGroup<Nested>{*fields_, path_};
    } else {
      static_assert(detail::kCompiles<Nested>,
                    "the entry has no such group: group<G>() takes a group that is nested in it");
      return detail::NoGroup{};
    }
  }
  // Whether there is an entry of this number.
  [[nodiscard]] bool exists() const noexcept { return fields_->entry(path_).has_value(); }
  // The fields of the entry. Valid until the draft is changed.
  [[nodiscard]] GroupEntry view() const noexcept {
    const auto found = fields_->entry(path_);
    return found ? *found : detail::absent_entry();
  }

 private:
  DraftFields* fields_;
  DraftPath path_;
};

// A repeating group of a draft, of which entries are added and removed. Valid as long as the draft
// stays where it is. One thread at a time.
//
//   auto parties = draft.group<NewOrderSingle::NoPartyIDs>();
//   auto added = parties.add(PartyID{"A"}, PartyRole::ClientID);
//   for (auto party : parties) traders += party.party_role() == PartyRole::Trader;
template <class Entry>
class DraftGroup {
 public:
  // An iterator over the entries. It walks them, as operator[] does; an entry may be changed during
  // a loop, but none added or erased.
  class Iterator {
   public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using value_type = DraftEntry<Entry>;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = const DraftEntry<Entry>;  // const, so that `for (auto& entry : ...)` compiles

    Iterator() = default;
    Iterator(const DraftGroup& group, std::size_t number) noexcept
        : group_{&group}, number_{number} {}
    [[nodiscard]] reference operator*() const noexcept { return (*group_)[number_]; }
    Iterator& operator++() noexcept {
      ++number_;
      return *this;
    }
    Iterator operator++(int) noexcept { return {*group_, number_++}; }
    friend bool operator==(const Iterator&, const Iterator&) noexcept = default;
    friend bool operator==(const Iterator& a, std::default_sentinel_t) noexcept {
      return a.number_ >= a.group_->size();
    }

   private:
    const DraftGroup* group_ = nullptr;
    std::size_t number_ = 0;
  };

  // For Draft and DraftEntry.
  DraftGroup(DraftFields& fields, const DraftPath& around) noexcept
      : fields_{&fields}, around_{around} {}

  // The number of entries. Walks them.
  [[nodiscard]] std::size_t size() const noexcept { return fields_->entry_count(around_, kRules); }
  // Whether there is no entry.
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  // The entry with this number, from 0 on. There need not be one: see DraftEntry.
  [[nodiscard]] DraftEntry<Entry> operator[](std::size_t number) const noexcept {
    return {*fields_, around_.with(kRules, number)};
  }

  // The first entry. Iterators live as long as the DraftGroup object itself.
  [[nodiscard]] Iterator begin() const noexcept { return {*this, 0}; }
  // The end of the entries.
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

  // Adds an entry at the end. An entry without the group's first field or a required one does not
  // compile. Errors: those of Draft::set().
  template <class... Parts>
  [[nodiscard]] DraftResult add(const Parts&... parts) {
    if constexpr ((MessagePart<Parts> && ...)) {
      return add(EntryParts<Parts...>{{parts...}});
    } else {
      static_assert(detail::kCompiles<Parts...>,
                    "each part of an entry is a typed field, such as PartyID{\"A\"}, or a group()");
      return {};
    }
  }
  // Adds the result of entry(), which a function may have made.
  template <class... Parts>
  [[nodiscard]] DraftResult add(const EntryParts<Parts...>& entry) {
    using Checked = GroupParts<Entry, EntryParts<Parts...>>;
    static_assert(detail::PartsCheck<Around, Checked>::kDone);
    DraftEdit edit{*fields_, *around_.message};
    detail::put_entry_of<Entry>(edit, entry);
    return edit.commit_entry(around_, kRules);
  }
  // Removes an entry, and with the last one the group. Error: NoEntry.
  [[nodiscard]] DraftResult erase(std::size_t number) {
    return fields_->erase_entry(around_, kRules, number);
  }
  // Removes all entries.
  void clear() {
    if (!fields_->has(around_, Entry::kCountTag)) return;
    DraftEdit edit{*fields_, *around_.message};
    const DraftEdit::Part part{.tag = Entry::kCountTag};
    static_cast<void>(edit.commit(around_, {&part, 1}));
  }

 private:
  // What the entry's check takes as the message around it.
  struct Around {
    static constexpr std::array<Tag, 1> kMembers{Entry::kCountTag};
  };
  static constexpr const DraftRules& kRules = detail::RulesOf<Entry>::kRules;

  DraftFields* fields_;
  DraftPath around_;
};

}  // namespace nexusfix::wire
