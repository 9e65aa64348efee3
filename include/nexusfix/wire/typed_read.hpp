// The bases of generated messages, components and group entries: typed reads from a MessageView or
// a GroupEntry.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/digits.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/field_text.hpp>
#include <nexusfix/wire/group_view.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed.hpp>

namespace nexusfix::wire {

namespace detail {

template <class F>
inline constexpr bool kIsCharEnum = false;
template <DictionaryEnum F>
  requires requires { EnumTraits<F>::char_bits(); }
inline constexpr bool kIsCharEnum<F> = true;

// The private parts of views that typed reads need.
struct TypedReads {
  // View: MessageView or GroupEntry.
  template <class View>
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE static bool find(const View& view, Tag tag,
                                                        ValueAt& found) noexcept {
    return view.find_value(tag, found);
  }
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE static GroupEntry by_parts(
      const GroupEntry& entry) noexcept {
    return entry.by_parts();
  }
};

// The error of a field that is not there.
template <TypedField F>
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE OptionalField<F> missing_field() noexcept {
  return OptionalField<F>{std::unexpect, FieldError{FieldErrorCode::Missing, tag_of<F>(), 0U}};
}

// The value of a field that is there.
template <TypedField F>
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE OptionalField<F> read_found(const ValueAt& value) noexcept {
  // With a tag, because overload resolution among std::expected's other constructors would take
  // time for each field.
  using Result = OptionalField<F>;
  constexpr Tag kTag = tag_of<F>();
  if constexpr (kIsCharEnum<F>) {
    if (value.size != 1) [[unlikely]] {
      return Result{std::unexpect,
                    value.size == 0 ? FieldErrorCode::Empty : FieldErrorCode::Malformed, kTag,
                    value.begin};
    }
    const auto read = static_cast<F>(*value.data);
    if (!EnumTraits<F>::has(read)) [[unlikely]] {
      return Result{std::unexpect, FieldErrorCode::OutOfRange, kTag, value.begin};
    }
    return Result{std::in_place, read};
  } else if constexpr (DictionaryEnum<F>) {
    if (value.size == 0) {
      return Result{std::unexpect, FieldErrorCode::Empty, kTag, value.begin};
    }
    const auto read = EnumTraits<F>::from(value.text());
    if (!read) return Result{std::unexpect, read.error(), kTag, value.begin};
    return Result{std::in_place, *read};
  } else {
    return read_value<Result, typename F::ValueType>(value, kTag);
  }
}

}  // namespace detail

// Reads the first field with F's tag. Errors: Missing, Empty, Malformed, or OutOfRange for a value
// that its enumeration lacks. View: MessageView or GroupEntry. No allocation; O(fields of the
// view).
//
// Inlined, because a returned result would be written in pieces and read as a whole.
template <detail::TypedField F, class View>
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE OptionalField<F> read_field(const View& view) noexcept {
  detail::ValueAt value{};
  if (!detail::TypedReads::find(view, tag_of<F>(), value)) return detail::missing_field<F>();
  return detail::read_found<F>(value);
}

namespace detail {

// How from() checks a required field: one row of a table for each type. So the check is one loop in
// the library and not code in every program.
struct FieldCheck {
  // The form that the value must have.
  enum class Kind : std::uint8_t {
    Text,      // any text
    Decimal,   // a number
    CharEnum,  // one byte whose bit in char_bits is set
    Time,      // a UTCTimestamp for which fault() has no error
    Other,     // a text for which fault() has no error
  };

  Tag tag = 0;                               // of the field
  Kind kind = Kind::Text;                    // the form of the value
  const std::uint64_t* char_bits = nullptr;  // CharEnum: a bit for each character, 256 of them
  // Time and Other: the error of a text that is not empty.
  std::optional<FieldErrorCode> (*fault)(std::string_view) noexcept = nullptr;
};

template <TypedField F>
[[nodiscard]] std::optional<FieldErrorCode> value_fault(std::string_view text) noexcept {
  if constexpr (DictionaryEnum<F>) {
    const auto value = EnumTraits<F>::from(text);
    return value ? std::nullopt : std::optional{value.error()};
  } else {
    const auto value = convert<typename F::ValueType>(text);
    return value ? std::nullopt : std::optional{value.error()};
  }
}

template <TypedField F>
[[nodiscard]] constexpr FieldCheck field_check() noexcept {
  if constexpr (kIsCharEnum<F>) {
    return {tag_of<F>(), FieldCheck::Kind::CharEnum, EnumTraits<F>::char_bits(), nullptr};
  } else if constexpr (DictionaryEnum<F>) {
    return {tag_of<F>(), FieldCheck::Kind::Other, nullptr, &value_fault<F>};
  } else if constexpr (std::same_as<typename F::ValueType, std::string_view>) {
    return {tag_of<F>(), FieldCheck::Kind::Text, nullptr, nullptr};
  } else if constexpr (std::same_as<typename F::ValueType, Decimal>) {
    return {tag_of<F>(), FieldCheck::Kind::Decimal, nullptr, nullptr};
  } else if constexpr (std::same_as<typename F::ValueType, WallTime>) {
    return {tag_of<F>(), FieldCheck::Kind::Time, nullptr, &value_fault<F>};
  } else {
    return {tag_of<F>(), FieldCheck::Kind::Other, nullptr, &value_fault<F>};
  }
}

template <class List>
inline constexpr std::array<FieldCheck, 0> kFieldChecks{};
template <class... Fields>
inline constexpr std::array<FieldCheck, sizeof...(Fields)> kFieldChecks<FieldList<Fields...>>{
    field_check<Fields>()...};

}  // namespace detail

// Where the fields are, if all of the checked ones are present and convertible; otherwise null.
// Valid until the next call with this memory. No allocation. One compare with the tags of an
// earlier message shows where they are; in a message with other tags, O(its fields) for each check.
[[nodiscard]] const detail::FieldIndexes* find_right_fields(
    const MessageView& view, std::span<const detail::FieldCheck> checks,
    detail::TagMemory& memory) noexcept;
// Whether all of the fields of an entry of a group, or of a component, are present and convertible.
// No allocation; O(fields of the view) for each check.
[[nodiscard]] bool are_fields_valid(const GroupEntry& view,
                                    std::span<const detail::FieldCheck> checks) noexcept;
// The error of the first field that is absent or not convertible, in the order of the checks. A
// separate function, because it is rarely needed.
[[nodiscard]] FieldError first_fault(const MessageView& view,
                                     std::span<const detail::FieldCheck> checks) noexcept;
// For an entry of a group or a component.
[[nodiscard]] FieldError first_fault(const GroupEntry& view,
                                     std::span<const detail::FieldCheck> checks) noexcept;
// The error of a value; nothing if the value is good.
[[nodiscard]] std::optional<FieldErrorCode> find_fault(const detail::FieldCheck& check,
                                                       std::string_view text) noexcept;
// The error for a message of another type: OutOfRange at tag 35.
[[nodiscard]] FieldError other_type(const MessageView& view) noexcept;

namespace detail {

// A value that has passed its check.
template <TypedField F>
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE F checked_value(const ValueAt& value) noexcept {
  if constexpr (kIsCharEnum<F>) {
    return static_cast<F>(*value.data);
  } else if constexpr (DictionaryEnum<F>) {
    return *EnumTraits<F>::from(value.text());
  } else if constexpr (std::same_as<typename F::ValueType, Decimal>) {
    return F{checked_decimal(value)};
  } else if constexpr (std::same_as<typename F::ValueType, std::string_view>) {
    return F{value.text()};
  } else {
    const auto read =
        read_value<OptionalField<typename F::ValueType>, typename F::ValueType>(value, F::kTag);
    NEXUSFIX_DEBUG_ASSERT(read.has_value());
    return F{by_parts(*read)};
  }
}

}  // namespace detail

// Reads a field that has passed its check.
template <detail::TypedField F, class View>
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE F checked_field(const View& view) noexcept {
  detail::ValueAt value{};
  const bool is_found = detail::TypedReads::find(view, tag_of<F>(), value);
  NEXUSFIX_DEBUG_ASSERT(is_found);
  static_cast<void>(is_found);
  return detail::checked_value<F>(value);
}

template <class Self>
class TypedMessageView;

namespace detail {

// A message for which from() has no error. Only the library makes it. A typed message is made from
// it in its place: compilers copy whole views in memory.
class CheckedMessage {
  friend struct Unchecked;
  template <class Self>
  friend class wire::TypedMessageView;

  NEXUSFIX_ALWAYS_INLINE CheckedMessage(const MessageView& view, const FieldIndexes& at) noexcept
      : view_{view}, at_{at} {}

  const MessageView& view_;
  const FieldIndexes& at_;
};

// Makes typed views of data that its caller has checked.
struct Unchecked {
  template <class Typed, class View>
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE static Typed make(const View& view) noexcept {
    return Typed{view};
  }
  // A message that is_proven().
  template <class Message>
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE static Message make_proven(
      const MessageView& view) noexcept {
    return Message{CheckedMessage{view, view.proof()->indexes()}};
  }
  // The required field F of a message that from() has checked. Message: a TypedMessageView.
  template <TypedField F, class Message>
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE static F required(const Message& message) noexcept {
    return message.template required_field<F>();
  }
  // A field that the message may lack.
  template <TypedField F, class Message>
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE static OptionalField<F> optional(
      const Message& message) noexcept {
    return message.template optional_field<F>();
  }
};

template <class M>
NEXUSFIX_ALWAYS_INLINE M proven_message(const MessageView& message) noexcept {
  return Unchecked::make_proven<M>(message);
}

// The place of a field in a FieldList; the list's size if it is not there.
template <class F, class List>
inline constexpr std::size_t kPlaceIn = 0;
template <class F, class... Fields>
inline constexpr std::size_t kPlaceIn<F, FieldList<Fields...>> = [] {
  std::size_t place = 0;
  static_cast<void>(((std::same_as<F, Fields> || (++place, false)) || ...));
  return place;
}();

// Its instantiation gives the error of a copied message: an element of a container, the capture of
// a lambda, a member, or a variable would keep a view of bytes that the next message overwrites. A
// function, so that clang does not take the copy itself for wrong and reports its other uses, too.
// constexpr: a compiler then instantiates it for `orders[id] = order` before the steps of the map.
// It is the error of a message without a value, too, because a compiler reports it once.
template <class M>
constexpr void refuse_copy() noexcept {
  static_assert(kCompiles<M>,
                "a received message is a view, and its bytes are overwritten by the next one: take "
                "const M&, keep an M::Draft: *NewOrderSingle::Draft::from(order), and send a draft "
                "or session.send<M>(...)");
}

}  // namespace detail

// The standard header of a received message: report.header().poss_dup_flag(). Valid as long as the
// message.
class TypedHeader {
 public:
  // Keeps a reference to the message.
  explicit TypedHeader(const MessageView& view) noexcept : view_{&view} {}

  // MsgSeqNum (34). An error if it is missing or malformed, as in the functions below.
  [[nodiscard]] OptionalField<std::uint64_t> msg_seq_num() const noexcept {
    return view_->get<std::uint64_t>(34);
  }
  // PossDupFlag (43): the counterparty may have sent this MsgSeqNum before. Absent: false.
  [[nodiscard]] bool poss_dup_flag() const noexcept { return says_yes(43); }
  // PossResend (97): the message may repeat one with another MsgSeqNum. Absent: false.
  [[nodiscard]] bool poss_resend() const noexcept { return says_yes(97); }
  // SendingTime (52).
  [[nodiscard]] OptionalField<WallTime> sending_time() const noexcept {
    return view_->get<WallTime>(52);
  }
  // OrigSendingTime (122) of a repeated message.
  [[nodiscard]] OptionalField<WallTime> orig_sending_time() const noexcept {
    return view_->get<WallTime>(122);
  }
  // SenderCompID (49). Unset, here and below: the message does not have the field.
  [[nodiscard]] std::optional<std::string_view> sender_comp_id() const noexcept {
    return (*view_)[49];
  }
  // TargetCompID (56).
  [[nodiscard]] std::optional<std::string_view> target_comp_id() const noexcept {
    return (*view_)[56];
  }
  // SenderSubID (50).
  [[nodiscard]] std::optional<std::string_view> sender_sub_id() const noexcept {
    return (*view_)[50];
  }
  // TargetSubID (57).
  [[nodiscard]] std::optional<std::string_view> target_sub_id() const noexcept {
    return (*view_)[57];
  }
  // OnBehalfOfCompID (115).
  [[nodiscard]] std::optional<std::string_view> on_behalf_of_comp_id() const noexcept {
    return (*view_)[115];
  }
  // DeliverToCompID (128).
  [[nodiscard]] std::optional<std::string_view> deliver_to_comp_id() const noexcept {
    return (*view_)[128];
  }

 private:
  [[nodiscard]] bool says_yes(Tag tag) const noexcept {
    return (*view_)[tag] == std::string_view{"Y"};
  }

  const MessageView* view_;
};

// The base of a generated message. Valid as long as the view that it was made from.
template <class Self>
class TypedMessageView {
 public:
  // Checks MsgType and the fields that the dictionary requires. The accessor of a required field
  // then returns a plain value. Fields within repeating groups are checked when they are read.
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE static std::expected<Self, FieldError> from(
      const MessageView& view) noexcept {
    if (view.msg_type() != Self::kMsgType) [[unlikely]]
      return std::unexpected{other_type(view)};
    using Result = std::expected<Self, FieldError>;
    if (is_proven(view)) {
      return Result{std::in_place, detail::CheckedMessage{view, view.proof_->indexes()}};
    }
    const detail::FieldIndexes* const at =
        find_right_fields(view, checks(), detail::tag_memory<Self>);
    if (at == nullptr) [[unlikely]]
      return std::unexpected{first_fault(view, checks())};
    return Result{std::in_place, detail::CheckedMessage{view, *at}};
  }
  // Whether a message of this type is known to pass the checks of from(), because a message with
  // the same tags has passed them. False: from() must be asked. See FieldProof.
  [[nodiscard]] static bool is_proven(const MessageView& view) noexcept {
    return view.proof_ != nullptr && view.proof_->shows(view, checks());
  }
  // A message for which from() has no error: later ones with the same tags are proven. Only the
  // thread that has validated the message calls it.
  static void prove(const MessageView& view) noexcept {
    if (view.proof_ != nullptr) view.proof_->prove(view, checks());
  }
  // The message, for typed access by tag, and for its fields in their order.
  [[nodiscard]] const MessageView& view() const noexcept { return view_; }
  // The text of the first field with this tag, also of the header: order[55]. Unset: there is none.
  [[nodiscard]] std::optional<std::string_view> operator[](Tag tag) const noexcept {
    return view_[tag];
  }
  // The fields of the standard header.
  [[nodiscard]] TypedHeader header() const noexcept { return TypedHeader{view_}; }

  // For from().
  NEXUSFIX_ALWAYS_INLINE explicit TypedMessageView(const detail::CheckedMessage& message) noexcept
      : view_{message.view_.by_parts()}, at_{message.at_.required}, others_{message.at_.others} {}

 protected:
  friend struct detail::Unchecked;
  // The generated class decides: it moves, and its copy does not compile.
  TypedMessageView(const TypedMessageView&) = default;
  // For the constructor without arguments, which does not compile; a default constructor here would
  // hide its error.
  explicit TypedMessageView(std::nullptr_t) noexcept {}
  // For a message that was checked.
  [[gnu::always_inline]] explicit TypedMessageView(const MessageView& view) noexcept
      : view_{view.by_parts()} {}

 private:
  [[nodiscard]] static constexpr std::span<const detail::FieldCheck> checks() noexcept {
    return detail::kFieldChecks<typename Self::RequiredFields>;
  }

  // Reads a required field. Does not search for it, if its index is known.
  template <detail::TypedField F>
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE F required_field() const noexcept {
    constexpr std::size_t kNumber = detail::kPlaceIn<F, typename Self::RequiredFields>;
    constexpr Tag kTag = tag_of<F>();
    std::size_t index = detail::RequiredIndexes::kUnknown;
    if constexpr (kNumber < detail::RequiredIndexes::kCount) index = at_[kNumber];
    if (index == detail::RequiredIndexes::kUnknown) [[unlikely]] {
      if constexpr (kTag < kLargeTagKey) {
        index = MessageView::index_after(view_.index_.keys, view_.field_count(), kTag, 0);
      } else {
        index = view_.index_of(kTag, 0);
      }
    }
    detail::ValueAt value{};
    view_.read_value_at(index, value);
    return detail::checked_value<F>(value);
  }

  // Reads a field that may be absent. Searches for it only if the sequence of tags is not known.
  template <detail::TypedField F>
  [[nodiscard]] NEXUSFIX_ALWAYS_INLINE OptionalField<F> optional_field() const noexcept {
    constexpr Tag kTag = tag_of<F>();
    if constexpr (kTag >= kLargeTagKey) {
      return read_field<F>(view_);
    } else {
      std::size_t index = (*others_)[kTag];
      if (view_.index_.keys[index] != kTag) {
        if (index != detail::TagIndexes::kUnknown) return detail::missing_field<F>();
        index = MessageView::index_after(view_.index_.keys, view_.field_count(), kTag, 0);
        if (index >= view_.field_count()) return detail::missing_field<F>();
      }
      detail::ValueAt value{};
      view_.read_value_at(index, value);
      return detail::read_found<F>(value);
    }
  }

  MessageView view_;
  detail::RequiredIndexes at_;  // a copy: the memory of sequences may learn another one meanwhile
  const detail::TagIndexes* others_ = &kNoTagIndexes;
};

// The base of a generated component: a block of fields of messages and group entries.
template <class Self>
class TypedComponentView {
 public:
  // Checks the fields that are required in the component.
  [[nodiscard]] static std::expected<Self, FieldError> from(const GroupEntry& entry) noexcept {
    constexpr std::span<const detail::FieldCheck> kChecks =
        detail::kFieldChecks<typename Self::RequiredFields>;
    if (!are_fields_valid(entry, kChecks)) [[unlikely]]
      return std::unexpected{first_fault(entry, kChecks)};
    return detail::Unchecked::make<Self>(entry);
  }
  // For the component of a message.
  [[nodiscard]] static std::expected<Self, FieldError> from(const MessageView& view) noexcept {
    return from(GroupEntry::whole(view));
  }
  // The fields that include the component's fields.
  [[nodiscard]] const GroupEntry& view() const noexcept { return entry_; }

 protected:
  friend struct detail::Unchecked;
  // For a component of an entry that was checked.
  explicit TypedComponentView(const GroupEntry& entry) noexcept : entry_{entry} {}
  // For a component of a message that was checked.
  explicit TypedComponentView(const MessageView& view) noexcept : entry_{GroupEntry::whole(view)} {}

 private:
  GroupEntry entry_;
};

// The base of a generated group entry.
template <class Self>
class TypedEntryView {
 public:
  // The entry, for access by tag.
  [[nodiscard]] const GroupEntry& view() const noexcept { return entry_; }

 protected:
  friend struct detail::Unchecked;
  // For an entry that GroupView found.
  [[gnu::always_inline]] explicit TypedEntryView(const GroupEntry& entry) noexcept
      : entry_{detail::TypedReads::by_parts(entry)} {}

 private:
  GroupEntry entry_;
};

namespace detail {

template <class Entry>
struct EntryTables {
  static constexpr std::array kTags = [] {
    std::array<Tag, Entry::kMembers.size() + Entry::kNested.size()> tags{};
    std::size_t at = 0;
    for (const Tag tag : Entry::kMembers) tags[at++] = tag;
    for (const Tag tag : Entry::kNested) tags[at++] = tag;
    return tags;
  }();
  static constexpr auto kSlots = [] {
    std::array<std::uint16_t, group_slots_needed(kTags.size())> slots{};
    fill_group_slots(kTags, slots);
    return slots;
  }();
  static constexpr auto kLarge = large_members<large_count(kTags)>(kTags);
};

}  // namespace detail

// The shape of a generated entry's group: Entry::kCountTag, Entry::kMembers in the dictionary's
// order, and Entry::kNested, the members of its nested groups.
template <class Entry>
inline constexpr GroupShape kShapeOf{{.count_tag = Entry::kCountTag,
                                      .delimiter = Entry::kMembers.front(),
                                      .slots = detail::EntryTables<Entry>::kSlots,
                                      .large_members = detail::EntryTables<Entry>::kLarge}};

// A repeating group as a range of typed entries. See GroupView for its rules.
template <class Entry>
class TypedGroup {
 public:
  // An iterator over the entries of a group; see GroupView::Iterator.
  class Iterator {
   public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = const Entry;  // const, so that `for (auto& party : ...)` compiles

    Iterator() = default;
    explicit Iterator(const GroupView::Iterator& at) noexcept : at_{at} {}
    [[nodiscard]] NEXUSFIX_ALWAYS_INLINE reference operator*() const noexcept {
      return detail::Unchecked::make<Entry>(*at_);
    }
    NEXUSFIX_ALWAYS_INLINE Iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    Iterator operator++(int) noexcept { return Iterator{at_++}; }
    friend bool operator==(const Iterator&, const Iterator&) noexcept = default;
    friend bool operator==(const Iterator& a, std::default_sentinel_t end) noexcept {
      return a.at_ == end;
    }

   private:
    GroupView::Iterator at_;
  };

  // A group without entries.
  TypedGroup() = default;
  // The group of the view, with typed entries.
  explicit TypedGroup(const GroupView& view) noexcept : view_{view} {}

  // The first entry. Iterators live as long as the TypedGroup object itself.
  [[nodiscard]] Iterator begin() const noexcept { return Iterator{view_.begin()}; }
  // The end of the entries.
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }
  // Whether there is no entry, whatever the count field says.
  [[nodiscard]] bool empty() const noexcept { return view_.empty(); }
  // The number of entries. Walks them.
  [[nodiscard]] std::size_t size() const noexcept { return view_.size(); }
  // The entry with this number, counted from 0; nothing if there are fewer. Walks the entries
  // before it.
  [[nodiscard]] std::optional<Entry> entry(std::size_t number) const noexcept {
    const std::optional<GroupEntry> found = view_.entry(number);
    if (!found) return std::nullopt;
    return detail::Unchecked::make<Entry>(*found);
  }
  // The group itself, with its count field and the check of that.
  [[nodiscard]] const GroupView& view() const noexcept { return view_; }

 private:
  GroupView view_;
};

namespace detail {

// The value of a checked field. Constant, because `order.symbol().value = "A"` would change a copy
// and not the message.
template <class F>
  requires std::is_class_v<F>
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE const F as_result(const F& field) noexcept {
  return field;
}
template <DictionaryEnum F>
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE F as_result(F value) noexcept {
  return value;
}

}  // namespace detail

// The result of an accessor of generated code. Members: a part of Self that is read with Self's
// view. Checked: from() has checked the field or the component.
template <class Self, detail::TypedField F, bool Checked, class Members>
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE decltype(auto) member(const Members& members) noexcept {
  const auto& self = static_cast<const Self&>(members);
  constexpr bool kIsMessage = std::derived_from<Self, TypedMessageView<Self>>;
  if constexpr (!Checked && kIsMessage) {
    return detail::Unchecked::optional<F>(self);
  } else if constexpr (!Checked) {
    return read_field<F>(self.view());
  } else if constexpr (kIsMessage) {
    return detail::as_result(detail::Unchecked::required<F>(self));
  } else {
    return detail::as_result(checked_field<F>(self.view()));
  }
}

// The result of an accessor that takes a default value: that of OptionalField::value_or().
template <detail::TypedField F, class Other>
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE auto value_or(const OptionalField<F>& field,
                                                   const Other& other) noexcept {
  return field.value_or(other);
}
// For a field that from() has checked.
template <detail::TypedField F, class Other>
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE auto value_or(const F& field, const Other& other) noexcept {
  return OptionalField<F>{field}.value_or(other);
}

// The first field of an entry. It is always present, because it begins the entry.
template <class Self, detail::TypedField F, class Members>
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE const F first_member(const Members& members) noexcept {
  return F{static_cast<const Self&>(members).view().field(0).value};
}

// For an accessor of a component: the component, or the result of Component::from() if it
// is not Checked.
template <class Self, class Component, bool Checked, class Members>
[[nodiscard]] auto component_member(const Members& members) noexcept {
  const auto& view = static_cast<const Self&>(members).view();
  if constexpr (Checked) {
    return detail::Unchecked::make<Component>(view);
  } else {
    return Component::from(view);
  }
}

// For an accessor of a repeating group.
template <class Self, class Entry, class Members>
[[nodiscard]] TypedGroup<Entry> group_member(const Members& members) noexcept {
  return TypedGroup<Entry>{static_cast<const Self&>(members).view().group(kShapeOf<Entry>)};
}

}  // namespace nexusfix::wire

template <class Entry>
inline constexpr bool std::ranges::disable_sized_range<nexusfix::wire::TypedGroup<Entry>> = true;
