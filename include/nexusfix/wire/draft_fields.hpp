// The fields of a draft and their edits, without types: the memory of wire::Draft. Applications use
// draft.hpp.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <iosfwd>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/edit.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/group_view.hpp>
#include <nexusfix/wire/header_template.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed.hpp>
#include <nexusfix/wire/typed_read.hpp>

namespace nexusfix::wire {

// The largest draft, in bytes: what a counterparty's parser takes by default.
inline constexpr std::size_t kDraftBytesMax = std::size_t{1} << 20U;
// The deepest group: an entry in an entry in an entry ...
inline constexpr std::size_t kDraftDepthMax = 6;

// Whether a draft may have the field. The session writes the others: BeginString, BodyLength,
// MsgType, MsgSeqNum, SendingTime, the CompIDs, PossDupFlag and what belongs to it, ApplVerID and
// its relatives, and the trailer. Hops and SecureData are fields of a gateway's own messages.
[[nodiscard]] constexpr bool is_draft_tag(Tag tag) noexcept {
  if (!can_be_written(tag) || belongs_to_session(tag)) return false;
  switch (tag) {
    case tag::Signature:
    case tag::SignatureLength:
    case tag::SecureDataLen:
    case tag::SecureData:
    case tag::NoHops:
    case tag::HopCompID:
    case tag::HopSendingTime:
    case tag::HopRefID:
    case tag::ApplVerID:
    case tag::CstmApplVerID:
    case tag::ApplExtID:
      return false;
    default:
      return true;
  }
}

// The result of an edit: nothing, or why the draft was not changed.
using DraftResult = std::expected<void, DraftError>;

namespace detail {

// What a draft knows of its message, or of the entries of one group. All of it is constant.
struct DraftRules {
  // A Length field and its data field.
  struct DataPair {
    Tag length;  // of the Length field
    Tag data;    // of the data field
  };
  std::string_view begin_string;                     // of a message
  std::string_view msg_type;                         // of a message
  const GroupShape* shape = nullptr;                 // of a group
  std::span<const Tag> members;                      // in the dictionary's order
  std::span<const FieldCheck> checks;                // of each member
  std::span<const Tag> required;                     // tags
  std::span<const std::string_view> required_names;  // their names
  std::span<const DataPair> data_pairs;              // among the members
  std::span<const DraftRules* const> groups;         // among the members
};

// Names an entry of a group, or the message itself (depth 0).
struct DraftPath {
  // From a message or an entry to an entry of one of its groups.
  struct Step {
    const DraftRules* group = nullptr;  // its rules
    std::size_t entry = 0;              // from 0 on
  };
  const DraftRules* message = nullptr;       // its rules
  std::array<Step, kDraftDepthMax> steps{};  // from the message inwards
  std::size_t depth = 0;                     // the number of steps

  // The rules of what it names.
  [[nodiscard]] const DraftRules& rules() const noexcept {
    return depth == 0 ? *message : *steps[depth - 1].group;
  }
  // An entry of a group within it.
  [[nodiscard]] DraftPath with(const DraftRules& group, std::size_t entry) const noexcept {
    NEXUSFIX_ASSERT(depth < kDraftDepthMax);
    DraftPath path = *this;
    path.steps[path.depth++] = {&group, entry};
    return path;
  }
};

class DraftEdit;  // below
}  // namespace detail

// Fields in wire order in one block of memory, with their index: BeginString, a BodyLength of 0 and
// MsgType, then the fields of the header, then those of the body. So every reader of a MessageView
// reads a draft. Each edit throws std::bad_alloc or has an error; then nothing has changed.
class DraftFields {
 public:
  DraftFields() = default;  // no memory, no fields
  // Its memory will be of this resource, which must outlive it.
  explicit DraftFields(std::pmr::memory_resource& resource) noexcept : block_{&resource} {}
  // Copies the fields into memory of the heap. Throws std::bad_alloc.
  DraftFields(const DraftFields& other);
  // Reuses the memory if it suffices.
  DraftFields& operator=(const DraftFields& other);
  // Takes the memory. other then has no fields.
  DraftFields(DraftFields&& other) noexcept : DraftFields{} { swap(other); }
  // Takes the memory and gives its own back.
  DraftFields& operator=(DraftFields&& other) noexcept {
    DraftFields{std::move(other)}.swap(*this);
    return *this;
  }
  ~DraftFields();

  // All fields, with BeginString, BodyLength and MsgType; none if there was no edit.
  [[nodiscard]] MessageView view() const noexcept;
  // The fields that an encoder copies: each with the SOH before it.
  [[nodiscard]] std::string_view body() const noexcept;
  // Whether a password (554, 925, 1402, 1404) is among them.
  [[nodiscard]] bool has_password() const noexcept;
  // Without the first three.
  [[nodiscard]] std::size_t field_count() const noexcept {
    return count_ == 0 ? 0 : count_ - kFrontFields;
  }

  // Removes all fields and keeps the memory.
  void clear() noexcept;
  // Makes room for a message of this many bytes and for one edit of it.
  void reserve(std::size_t bytes);

  // The entry, or all fields for the message. Nothing if there is no such entry.
  [[nodiscard]] std::optional<GroupEntry> entry(const detail::DraftPath& path) const noexcept;
  // The number of entries of a group.
  [[nodiscard]] std::size_t entry_count(const detail::DraftPath& around,
                                        const detail::DraftRules& group) const noexcept;
  // Whether the field is there, outside of groups.
  [[nodiscard]] bool has(const detail::DraftPath& path, Tag tag) const noexcept;

  // Removes the entry, and the group with its last entry.
  [[nodiscard]] DraftResult erase_entry(const detail::DraftPath& around,
                                        const detail::DraftRules& group, std::size_t number);
  // Replaces all fields by those of a parsed message that a draft keeps.
  [[nodiscard]] DraftResult assign(const MessageView& message, const detail::DraftRules& rules);
  // Replaces all fields by those fields of other that the dictionary has here, too.
  void assign_members_of(const DraftFields& other, const detail::DraftRules& other_rules,
                         const detail::DraftRules& rules);

  // Whether it is a message that the dictionary allows.
  [[nodiscard]] DraftResult validate(const detail::DraftRules& rules) const noexcept;
  // Whether both have the same fields with the same texts. The order of the fields of the message
  // and of an entry does not count, that of entries does.
  [[nodiscard]] bool equals(const DraftFields& other,
                            const detail::DraftRules& rules) const noexcept;
  // "35=D|11=A1". Passwords are replaced by ***.
  [[nodiscard]] std::string text() const;

 private:
  friend class detail::DraftEdit;
  // BeginString, BodyLength, MsgType.
  static constexpr std::uint32_t kFrontFields = 3;
  // Fields of the message or of one entry.
  struct Range {
    std::uint32_t begin;
    std::uint32_t end;
  };
  // Memory, and what it has room for.
  struct Block {
    std::pmr::memory_resource* resource = nullptr;  // null: the heap
    char* memory = nullptr;
    std::uint32_t fields = 0;
    std::uint32_t bytes = 0;
    [[nodiscard]] std::uint16_t* keys() const noexcept;
    [[nodiscard]] detail::FieldPlace* places() const noexcept;
    [[nodiscard]] char* text() const noexcept;
    [[nodiscard]] std::size_t size() const noexcept;
    // A block of the same resource.
    [[nodiscard]] Block allocate(std::size_t fields_min, std::size_t bytes_min) const;
    void free() noexcept;
  };

  void swap(DraftFields& other) noexcept;
  void copy(const DraftFields& other);
  void copy_to(const Block& block) const noexcept;
  // Where the text of a field begins.
  [[nodiscard]] std::uint32_t begin_of(std::uint32_t field) const noexcept;
  [[nodiscard]] Tag tag_at(std::uint32_t field) const noexcept;
  [[nodiscard]] std::string_view value_at(std::uint32_t field) const noexcept;
  [[nodiscard]] std::uint32_t header_end() const noexcept;
  [[nodiscard]] std::optional<Range> range_of(const detail::DraftPath& path) const noexcept;
  [[nodiscard]] static const detail::DraftRules* group_of(const detail::DraftRules& rules,
                                                          Tag tag) noexcept;
  [[nodiscard]] GroupView group_at(std::uint32_t field,
                                   const detail::DraftRules& group) const noexcept;
  [[nodiscard]] std::uint32_t item_end(std::uint32_t field, const detail::DraftRules& rules,
                                       std::uint32_t end) const noexcept;
  [[nodiscard]] std::uint32_t find_item(Range range, const detail::DraftRules& rules,
                                        Tag tag) const noexcept;
  [[nodiscard]] std::uint32_t position_for(Range range, const detail::DraftPath& path,
                                           Tag tag) const noexcept;
  [[nodiscard]] std::optional<DraftError> fault_in(Range range, const detail::DraftRules& rules,
                                                   bool in_message) const noexcept;
  [[nodiscard]] std::optional<DraftError> fault_at(std::uint32_t field, Range range,
                                                   const detail::DraftRules& rules,
                                                   bool in_message) const noexcept;
  [[nodiscard]] std::optional<DraftError> fault_of_group(
      std::uint32_t field, const detail::DraftRules& group) const noexcept;
  [[nodiscard]] bool same_items(Range range, const DraftFields& other, Range other_range,
                                const detail::DraftRules& rules) const noexcept;
  [[nodiscard]] bool same_item(std::uint32_t field, const DraftFields& other,
                               std::uint32_t other_field,
                               const detail::DraftRules& rules) const noexcept;
  void relocate(std::uint32_t from, std::uint32_t count, std::uint32_t to, std::uint32_t to_end,
                std::uint32_t all) noexcept;

  Block block_;
  std::uint32_t count_ = 0;
  bool has_groups_ = false;
};

namespace detail {

// One edit: the new fields are written after the others, and moved to their places by commit().
// Without commit(), or after an error, the draft keeps its fields. Texts may be views of the draft
// itself.
class DraftEdit {
 public:
  // A field, a data field with its Length field, or a group, as it was written.
  struct Part {
    Tag tag = 0;               // of the field, or of the group's count field
    Tag length_tag = 0;        // of a data field
    std::uint32_t fields = 0;  // the number of fields; 0: it is removed
  };

  // Begins an edit. The draft must outlive it.
  explicit DraftEdit(DraftFields& fields, const DraftRules& message);
  DraftEdit(const DraftEdit&) = delete;
  DraftEdit& operator=(const DraftEdit&) = delete;
  ~DraftEdit();

  // Writes a field.
  void text(Tag tag, std::string_view value);
  // Sets a value of another type.
  template <FieldValue Value>
  void value(Tag tag, const Value& value) {
    if constexpr (std::convertible_to<Value, std::string_view>) {
      text(tag, value);
    } else if (!detail::has_wire_format(value)) {
      refuse(DraftError::Code::ValueOutOfRange, tag);
    } else {
      char buffer[kValueTextBytesMax];
      text(tag, {buffer, detail::value_text(value, buffer)});
    }
  }
  // Writes the present wall time.
  void now(Tag tag);
  // Writes a Length field and its data field.
  void data(Tag length_tag, Tag data_tag, std::string_view value);
  // Writes the count field of a group. The fields of its entries follow.
  void group(Tag count_tag, std::size_t entries);
  // Writes a field of a message that was parsed.
  void raw(Tag tag, std::string_view value);
  // Keeps the first error.
  void refuse(DraftError::Code code, Tag tag) noexcept;
  // The fields written since the last call.
  [[nodiscard]] std::uint32_t consume_field_count() noexcept;

  // Gives the written parts to the message or entry. The parts are in the order of writing.
  [[nodiscard]] DraftResult commit(const DraftPath& path, std::span<const Part> parts);
  // Adds the written fields as an entry at the end of the group.
  [[nodiscard]] DraftResult commit_entry(const DraftPath& around, const DraftRules& group);
  // Sets one field by its tag, after a check of its value.
  [[nodiscard]] DraftResult commit_checked(const DraftPath& path, Tag tag);

 private:
  friend class wire::DraftFields;
  [[nodiscard]] DraftResult commit_all(bool has_groups);
  void copy_members(const DraftFields& source, DraftFields::Range range,
                    const DraftRules& source_rules, const DraftRules& rules);
  void append(Tag tag, std::string_view value);
  void grow(std::size_t fields, std::size_t bytes);
  void place(std::uint32_t from, std::uint32_t count, std::uint32_t to, std::uint32_t to_end);
  [[nodiscard]] std::uint32_t bytes() const noexcept;
  void keep() noexcept;

  DraftFields& fields_;
  DraftFields::Block before_;  // the memory before it grew: texts may point there
  std::uint32_t written_ = 0;  // the fields with those that are not in place yet
  std::uint32_t taken_ = 0;
  std::uint32_t count_before_ = 0;
  std::optional<DraftError> error_;
};

// The tables of a generated message or group entry that a draft reads. Applications use draft.hpp.

// "ClOrdID" for the type names::ClOrdID.
template <class Name>
[[nodiscard]] consteval std::string_view last_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("Name = "));
  text = text.substr(0, text.find_first_of(";]"));
  return text.substr(text.rfind(':') + 1);
}

template <class List>
inline constexpr std::array<std::string_view, 0> kNames{};
template <class... Names>
inline constexpr std::array<std::string_view, sizeof...(Names)> kNames<FieldNames<Names...>>{
    last_name<Names>()...};

template <class List>
inline constexpr std::array<Tag, 0> kTags{};
template <Tag... Tags>
inline constexpr std::array<Tag, sizeof...(Tags)> kTags<TagList<Tags...>>{Tags...};

// For a field that is no data field: {0, 0}.
template <class F>
[[nodiscard]] consteval DraftRules::DataPair data_pair() {
  if constexpr (DataTypedField<F>) {
    return {F::kLengthTag, F::kTag};
  } else {
    return {0, 0};
  }
}

// Without fold expressions: clang limits them to 256 operands, and a group of FIX 5.0 SP2 has 463
// fields.
template <class List>
struct DataPairsOf;
template <class... Fields>
struct DataPairsOf<FieldList<Fields...>> {
  // The last one is XmlData, which the header of a message may have.
  static constexpr std::array<DraftRules::DataPair, sizeof...(Fields) + 1> kAll{
      data_pair<Fields>()..., DraftRules::DataPair{212, 213}};
  static constexpr std::size_t kCount = [] {
    std::size_t count = 0;
    for (const DraftRules::DataPair& pair : kAll) count += pair.data != 0;
    return count;
  }();
  static constexpr auto kPairs = [] {
    std::array<DraftRules::DataPair, kCount> pairs{};
    [[maybe_unused]] std::size_t at = 0;
    for (const DraftRules::DataPair& pair : kAll) {
      if (pair.data != 0) pairs[at++] = pair;
    }
    return pairs;
  }();
};

template <class Entry>
inline constexpr const GroupShape* kShapePointer = nullptr;
template <class Entry>
  requires requires { Entry::kCountTag; }
inline constexpr const GroupShape* kShapePointer<Entry> = &kShapeOf<Entry>;

template <class T>
struct RulesOf;
template <class List>
inline constexpr std::array<const DraftRules*, 0> kGroupRules{};
template <class... Entries>
inline constexpr std::array<const DraftRules*, sizeof...(Entries)>
    kGroupRules<EntryList<Entries...>>{&RulesOf<Entries>::kRules...};

template <class T>
[[nodiscard]] consteval std::string_view begin_string_of() {
  if constexpr (TypedMessage<T>) {
    return T::kBeginString;
  } else {
    return {};
  }
}
template <class T>
[[nodiscard]] consteval std::string_view msg_type_of() {
  if constexpr (TypedMessage<T>) {
    return T::kMsgType;
  } else {
    return {};
  }
}

// The tables of a generated message or group entry.
template <class T>
struct RulesOf {
  static constexpr DraftRules kRules{.begin_string = begin_string_of<T>(),
                                     .msg_type = msg_type_of<T>(),
                                     .shape = kShapePointer<T>,
                                     .members = T::kMembers,
                                     .checks = kFieldChecks<typename T::Fields>,
                                     .required = kTags<typename T::Required>,
                                     .required_names = kNames<typename T::RequiredNames>,
                                     .data_pairs = DataPairsOf<typename T::Fields>::kPairs,
                                     .groups = kGroupRules<typename T::Groups>};
};

}  // namespace detail

}  // namespace nexusfix::wire
