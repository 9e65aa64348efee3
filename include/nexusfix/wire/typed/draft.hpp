// A message to keep: owned, changed field by field, and sent any number of times.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <expected>
#include <iosfwd>
#include <memory_resource>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed/draft_fields.hpp>
#include <nexusfix/wire/typed/draft_group.hpp>
#include <nexusfix/wire/typed/draft_rules.hpp>
#include <nexusfix/wire/typed/field.hpp>
#include <nexusfix/wire/typed/message_check.hpp>
#include <nexusfix/wire/typed/typed.hpp>
#include <nexusfix/wire/typed/typed_read.hpp>

namespace nexusfix::wire {

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
  // Does not compile: setting a field may fail, and a constructor has no result.
  template <TypedField First, class... Others>
  explicit Draft(const First&, const Others&...) {
    static_assert(detail::kCompiles<First>,
                  "a draft begins empty: Draft order; then auto done = order.set(ClOrdID{\"A1\"})");
  }

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
  // Does not compile: a message of another type.
  template <class Other>
  static std::expected<Draft, DraftError> from(const Other&) {
    static_assert(detail::kCompiles<Other>,
                  "from() takes a received message of the draft's own type; "
                  "with_fields_of(draft) takes the fields of another draft");
    return {};
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
  // Does not compile: a message of another type.
  template <class Other>
  DraftResult assign(const Other&) {
    static_assert(detail::kCompiles<Other>,
                  "assign() takes a received message of the draft's own type; another draft is "
                  "assigned by =, or by with_fields_of(draft) if it is of another type");
    return {};
  }
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
  template <FieldValue Value>
  [[nodiscard]] DraftResult set(Tag tag, const Value& value) {
    DraftEdit edit{fields_, kRules};
    edit.value(tag, value);
    return edit.commit_checked(path(), tag);
  }
  // Does not compile: a floating-point number is not exact, and an enumeration is a typed field.
  template <class Value>
    requires(!FieldValue<Value>)
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
    for (const DraftRules::DataPair& pair : kRules.data_pairs) {
      if (pair.length == tag) return erase(pair.data);
    }
    DraftEdit edit{fields_, kRules};
    DraftEdit::Part part{.tag = tag};
    for (const DraftRules::DataPair& pair : kRules.data_pairs) {
      if (pair.data == tag) part.length_tag = pair.length;
    }
    return edit.commit(path(), {&part, 1}).has_value();
  }
  // A group of the message, to add, change and remove entries.
  template <class Entry>
  [[nodiscard]] auto group() noexcept {
    if constexpr (detail::is_group_of<M, Entry>()) {
      return DraftGroup<Entry>{fields_, path()};
    } else {
      static_assert(detail::kCompiles<Entry>,
                    "the message has no such group: group<G>() takes one of its groups, such as "
                    "fix44::NewOrderSingle::NoPartyIDs");
      return detail::NoGroup{};
    }
  }
  // Reads a field of any type, such as a user-defined one: get<DeskID>() with
  // `using DeskID = wire::Field<5001, std::string_view>;`.
  template <class F>
  [[nodiscard]] auto get() const noexcept {
    if constexpr (TypedField<F>) {
      return read_field<F>(view());
    } else {
      static_assert(detail::kCompiles<F>, "get<F>() reads a typed field, such as fix44::Symbol");
      return 0;
    }
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
  // The draft as a received message of this type; an error if a required field is missing or wrong.
  // Valid as long as view().
  [[nodiscard]] std::expected<M, FieldError> typed() const noexcept { return M::from(view()); }
  // For an encoder.
  [[nodiscard]] const DraftFields& fields() const noexcept { return fields_; }

  // Whether both have the same fields with the same texts ("1.0" is not "1"). The order of fields
  // does not count, that of a group's entries does.
  friend bool operator==(const Draft& a, const Draft& b) noexcept {
    return a.fields_.equals(b.fields_, kRules);
  }
  // Does not compile: a draft is compared with a received message.
  template <class Message>
    requires std::derived_from<Message, TypedMessageView<Message>>
  friend bool operator==(const Draft&, const Message&) noexcept {
    static_assert(detail::kCompiles<Message>,
                  "a draft is compared with a draft: draft == *Draft::from(order)");
    return false;
  }
  // Does not compile: a draft is found by one of its fields.
  template <class Other>
    requires std::convertible_to<const Other&, std::string_view> || TypedField<Other>
  friend bool operator==(const Draft&, const Other&) noexcept {
    static_assert(detail::kCompiles<Other>,
                  "a draft is compared with a draft, and its field with a value: "
                  "order.cl_ord_id() == \"A1\"; std::find_if() takes such a condition");
    return false;
  }
  // Does not compile: the result of from() is compared with a bool.
  template <std::integral Number>
  friend bool operator==(const std::expected<Draft, DraftError>&, const Number&) noexcept {
    static_assert(detail::kCompiles<Number>,
                  "test the result: if (auto draft = Draft::from(order); !draft) ...");
    return false;
  }
  // Does not compile: drafts have no order.
  template <class Other>
    requires std::same_as<Other, Draft>
  friend std::strong_ordering operator<=>(const Draft&, const Other&) noexcept {
    static_assert(detail::kCompiles<Other>,
                  "a draft has no order: the key of a map is a text, such as "
                  "std::string{order.cl_ord_id_or(\"\")}");
    return std::strong_ordering::equal;
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
  static constexpr const DraftRules& kRules = detail::RulesOf<M>::kRules;
  [[nodiscard]] static DraftPath path() noexcept { return {.message = &kRules}; }

  DraftFields fields_;
};

}  // namespace nexusfix::wire
