// Drafts: messages that are filled in step by step, kept and changed.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <expected>
#include <iosfwd>
#include <iterator>
#include <memory_resource>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nexusfix/wire/draft_fields.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/group_view.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed.hpp>
#include <nexusfix/wire/typed_read.hpp>
#include <nexusfix/wire/typed_write.hpp>

// The groups of a draft and their entries, which are added, read, changed and removed.

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
    if (text.empty()) return edit.refuse(DraftError::Code::ValueOutOfRange, EnumTraits<F>::kTag);
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
      edit.refuse(DraftError::Code::ValueMalformed, part_tag<T>());
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
      written[at++].fields = edit.consume_field_count();
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
  DraftEntry(DraftFields& fields, const detail::DraftPath& path) noexcept
      : fields_{&fields}, path_{path} {}

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
  template <detail::FieldValue Value>
  [[nodiscard]] DraftResult set(Tag tag, const Value& value) const {
    detail::DraftEdit edit{*fields_, *path_.message};
    edit.value(tag, value);
    return edit.commit_checked(path_, tag);
  }
  // Does not compile: a floating-point number is not exact, and an enumeration is a typed field.
  template <class Value>
    requires(!detail::FieldValue<Value>)
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
    requires(detail::is_group_of<Entry, Nested>())
  [[nodiscard]] auto group() const noexcept {
    return DraftGroup<Nested>{*fields_, path_};
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
  detail::DraftPath path_;
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
  DraftGroup(DraftFields& fields, const detail::DraftPath& around) noexcept
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
  template <detail::MessagePart... Parts>
  [[nodiscard]] DraftResult add(const Parts&... parts) {
    return add(detail::EntryParts<Parts...>{{parts...}});
  }
  // Adds the result of entry(), which a function may have made.
  template <class... Parts>
  [[nodiscard]] DraftResult add(const detail::EntryParts<Parts...>& entry) {
    using Checked = detail::GroupParts<Entry, detail::EntryParts<Parts...>>;
    static_assert(detail::PartsCheck<Around, Checked>::kDone);
    detail::DraftEdit edit{*fields_, *around_.message};
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
    detail::DraftEdit edit{*fields_, *around_.message};
    const detail::DraftEdit::Part part{.tag = Entry::kCountTag};
    static_cast<void>(edit.commit(around_, {&part, 1}));
  }

 private:
  // What the entry's check takes as the message around it.
  struct Around {
    static constexpr std::array<Tag, 1> kMembers{Entry::kCountTag};
  };
  static constexpr const detail::DraftRules& kRules = detail::RulesOf<Entry>::kRules;

  DraftFields* fields_;
  detail::DraftPath around_;
};

// A message to keep: owned, changed field by field, and sent any number of times.

// A message of type M that the application owns: fix44::NewOrderSingle::Draft. Built and amended
// field by field, copied, moved, compared, printed, validated, and sent by Session::send() as often
// as wanted: each time it is a new message with a new MsgSeqNum, never a possible duplicate.
//
// Has the getters of M, but each returns an OptionalField: a draft may lack any field. Values that
// are read are views of the draft, valid until it is changed; set() may take them.
//
// The draft has the fields of the body, user-defined fields (tags from 5000 on) and the fields of
// the header that route a message, such as SenderSubID, OnBehalfOfCompID and DeliverToCompID. All
// others belong to the session (is_draft_tag()): setting one does not compile, or is TagInvalid.
//
// Memory: one block that grows; without growth no function allocates. Every function that throws
// std::bad_alloc, or that returns an error, leaves the draft as it was. A moved-from draft is
// empty. One thread at a time; any number of threads may read a draft that does not change.
//
//   fix44::NewOrderSingle::Draft order;
//   auto set = order.set(ClOrdID{"A1"}, Symbol{"AAPL"}, Side::Buy, OrderQty{100}, OrdType::Limit,
//                        Price{"150.25"}, TransactTime{session.now()});
//   auto ok = order.validate();
//   auto sent = session.send(order);
template <class M>
class Draft : public M::template Members<Draft<M>> {
 public:
  // An empty draft. Does not allocate.
  Draft() = default;
  // An empty draft whose memory will be of this resource, such as Session::scratch(), which must
  // outlive the draft. A copy is on the heap; a draft that is moved takes the memory with it.
  explicit Draft(std::pmr::memory_resource& resource) noexcept : fields_{resource} {}

  // Does not compile: a received message is read, which may fail. Implicit, so that draft = order
  // has this error, too.
  template <class Message>
    requires std::derived_from<Message, TypedMessageView<Message>>
  explicit(false) Draft(const Message&) {
    static_assert(detail::kCompiles<Message>,
                  "a draft of a received message is Draft::from(order), and draft.assign(order) "
                  "replaces one; both return a result");
  }

  // A draft of a received message. Errors: OtherType, MessageMalformed, EmptyValue for a field
  // without a value.
  //
  // Keeps the body, user-defined fields and OnBehalfOf..., DeliverTo..., MessageEncoding and
  // XmlData. Leaves out the fields that is_draft_tag() excludes, the sub and location IDs of the
  // session's sides (50, 57, 142, 143) and PossResend (97).
  [[nodiscard]] static std::expected<Draft, DraftError> from(const MessageView& message) {
    Draft draft;
    if (const DraftResult done = draft.assign(message); !done) return std::unexpected{done.error()};
    return draft;
  }
  // Makes a draft of a typed message.
  [[nodiscard]] static std::expected<Draft, DraftError> from(const M& message) {
    return from(message.view());
  }
  // A draft of M with all fields of another draft that M has, too: a replacement that repeats its
  // order. Other fields are left out; so is a group whose entries begin with another field in M.
  template <class Other>
  [[nodiscard]] static Draft with_fields_of(const Draft<Other>& other) {
    Draft draft;
    draft.fields_.assign_members_of(other.fields_, detail::RulesOf<Other>::kRules, kRules);
    return draft;
  }

  // Replaces the content by that of a received message, as from() does.
  [[nodiscard]] DraftResult assign(const MessageView& message) {
    return fields_.assign(message, kRules);
  }
  // Assigns a typed message; also one that is a view of this draft.
  [[nodiscard]] DraftResult assign(const M& message) { return assign(message.view()); }
  // Sets fields and groups, all or none: what Session::send() takes, in any number. A field that is
  // there gets the new value; a group gets the new entries instead of all its old ones; a new field
  // goes to the end of the header or the body. A part without a value (an empty optional, a group
  // without entries) removes the field. Texts are copied. TransactTime::now() is the time of this
  // call with milliseconds, by the system's clock (in a simulator, by that of its machine); it does
  // not change when the draft is sent.
  //
  // Errors: EmptyValue, SohInValue, ValueOutOfRange (a value that the enumeration, the calendar or
  // the day does not have), ValueMalformed (a getter's result with an error), TooLong.
  template <class... Parts>
    requires(!detail::kIsTagAndValue<Parts...>)
  [[nodiscard]] DraftResult set(const Parts&... parts) {
    static_assert(detail::DraftCheck<M, Parts...>::kDone);
    static_assert(detail::PartsCheck<M, Parts...>::kDone);
    return detail::set_parts<M>(fields_, path(), parts...);
  }
  // Sets a field by its tag, known at run time: a user-defined field, or one of the dictionary, for
  // which the text must be of the field's type. Errors: those above; FieldNotInMessage; TagInvalid
  // for fields of the session, groups, data fields and their Length fields.
  template <detail::FieldValue Value>
  [[nodiscard]] DraftResult set(Tag tag, const Value& value) {
    detail::DraftEdit edit{fields_, kRules};
    edit.value(tag, value);
    return edit.commit_checked(path(), tag);
  }
  // Does not compile: a floating-point number is not exact, and an enumeration is a typed field.
  template <class Value>
    requires(!detail::FieldValue<Value>)
  DraftResult set(Tag, const Value&) {
    static_assert(detail::kCompiles<Value>,
                  "set(tag, value) takes a text, an integer, a char, a bool, a time or a Decimal: "
                  "150.25_d; an enumeration is set without its tag: set(Side::Buy)");
    return {};
  }
  // Removes a field (erase<Price>()) or a group (erase<NoPartyIDs>()); false: it was not there.
  template <class F>
  bool erase() {
    return detail::erase_part<M, F>(fields_, path());
  }
  // Erases a field by its tag, outside of groups. False, too, for a tag of the session.
  bool erase(Tag tag) {
    if (!is_draft_tag(tag) || !fields_.has(path(), tag)) return false;
    for (const detail::DraftRules::DataPair& pair : kRules.data_pairs) {
      if (pair.length == tag) return erase(pair.data);
    }
    detail::DraftEdit edit{fields_, kRules};
    detail::DraftEdit::Part part{.tag = tag};
    for (const detail::DraftRules::DataPair& pair : kRules.data_pairs) {
      if (pair.data == tag) part.length_tag = pair.length;
    }
    return edit.commit(path(), {&part, 1}).has_value();
  }
  // A group of the message, to add, change and remove entries.
  template <class Entry>
    requires(detail::is_group_of<M, Entry>())
  [[nodiscard]] auto group() noexcept {
    return DraftGroup<Entry>{fields_, path()};
  }
  // Reads a field of any type, such as a user-defined one: get<DeskID>() with
  // `using DeskID = wire::Field<5001, std::string_view>;`.
  template <detail::TypedField F>
  [[nodiscard]] auto get() const noexcept {
    return read_field<F>(view());
  }

  // Removes all fields and keeps the memory.
  void clear() noexcept { fields_.clear(); }
  // Makes room for a message of this many bytes and its edits, at most kDraftBytesMax.
  void reserve(std::size_t bytes) { fields_.reserve(bytes); }
  // Whether there is no field.
  [[nodiscard]] bool empty() const noexcept { return fields_.field_count() == 0; }
  // The number of fields, with those of groups.
  [[nodiscard]] std::size_t field_count() const noexcept { return fields_.field_count(); }

  // Whether it is a message that the dictionary allows: required fields are there, also those of
  // each entry; every value is of its field's type; no field is there twice or in a wrong place.
  // The first error. Sending does not need it. Codes and lists whose C++ type is a text (Currency,
  // ExecInst) may have any text; dictionary::Validator checks those, too.
  [[nodiscard]] DraftResult validate() const noexcept { return fields_.validate(kRules); }

  // All fields, read by tag or in order: BeginString, a BodyLength of 0 and MsgType, then the
  // draft's. An empty draft has none. Valid until the draft is changed or destroyed.
  [[nodiscard]] MessageView view() const noexcept { return fields_.view(); }
  // The draft as a received message of this type; an error if a required field is missing or
  // invalid. Valid as long as view().
  [[nodiscard]] std::expected<M, FieldError> typed() const noexcept { return M::from(view()); }
  // For an encoder.
  [[nodiscard]] const DraftFields& fields() const noexcept { return fields_; }

  // Whether both have the same fields with the same texts ("1.0" is not "1"). The order of fields
  // does not count, that of a group's entries does.
  friend bool operator==(const Draft& a, const Draft& b) noexcept {
    return a.fields_.equals(b.fields_, kRules);
  }
  // "35=D|11=A1|38=100", for people: passwords are ***, control characters \x01.
  friend std::string to_string(const Draft& draft) { return draft.fields_.text(); }
  // Writes the text to a std::ostream.
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const Draft& draft) {
    return out << std::string_view{draft.fields_.text()};
  }

 private:
  template <class Other>
  friend class Draft;
  static constexpr const detail::DraftRules& kRules = detail::RulesOf<M>::kRules;
  [[nodiscard]] static detail::DraftPath path() noexcept { return {.message = &kRules}; }

  DraftFields fields_;
};

}  // namespace nexusfix::wire
