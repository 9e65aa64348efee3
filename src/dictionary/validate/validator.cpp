#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include <nexusfix/base/language.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/field.hpp>

#include "dictionary/validate/field_sequence.hpp"
#include "dictionary/validate/validator_tables.hpp"
#include "dictionary/validate/violation_survey.hpp"

namespace nexusfix::dictionary {
namespace {

using wire::Tag;

constexpr std::size_t kFailed = ~std::size_t{0};
// A parser has verified that 8, 9 and 35 are the first fields and 10 is the last one.
constexpr std::size_t kMsgTypeIndex = 2;
constexpr std::size_t kFirstUnverified = 3;

constexpr std::size_t kClearedBytes = 32;

// Also clears the bytes after them up to a multiple of kClearedBytes. Those belong to nested
// groups, which clear them again.
void clear_slots(std::uint8_t* seen, std::size_t slots) noexcept {
  for (std::size_t at = 0; at < slots; at += kClearedBytes) {
    std::memset(seen + at, 0, kClearedBytes);
  }
}

// Whether all of the bytes, which are 0 or 1, are 1. Reads fewer than kSeenBytesReadable bytes
// after them.
constexpr std::size_t kSeenBytesReadable = 8;
bool are_seen(const std::uint8_t* seen, std::size_t slots) noexcept {
  constexpr std::uint64_t kAllSeen = 0x0101'0101'0101'0101;
  constexpr unsigned kBitsPerByte = 8;
  std::uint64_t unseen = 0;
  std::uint64_t word = 0;
  for (; slots >= sizeof word; slots -= sizeof word, seen += sizeof word) {
    std::memcpy(&word, seen, sizeof word);
    unseen |= word ^ kAllSeen;
  }
  if (slots == 0) return unseen == 0;
  std::memcpy(&word, seen, sizeof word);
  return (unseen | (word ^ kAllSeen) << (kBitsPerByte * (sizeof word - slots))) == 0;
}

// On the stack, uninitialised.
using Slots = std::array<std::uint8_t, ValidatorTables::kSlotsMax + kClearedBytes>;

// Saturates, because no message can have that many entries.
std::uint64_t count_of(std::string_view digits) noexcept {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t count = 0;
  for (const char c : digits) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (count > (kMost - digit) / 10) return kMost;
    count = count * 10 + digit;
  }
  return count;
}

// The RefTagID of a malformed field; 0 if it is not a tag.
Tag tag_of(std::string_view text) noexcept {
  if (text.starts_with('0') || !is_digits(text)) return 0;
  const std::uint64_t number = count_of(text);
  return number <= wire::kTagMax ? static_cast<Tag>(number) : 0;
}

Violation::Rule rule_of(wire::Fault::Rule rule) noexcept {
  switch (rule) {
    case wire::Fault::Rule::TagMalformed:
      return Violation::Rule::TagMalformed;
    case wire::Fault::Rule::TagWithoutValue:
      return Violation::Rule::TagWithoutValue;
    case wire::Fault::Rule::ValueEmpty:
      return Violation::Rule::ValueEmpty;
    case wire::Fault::Rule::DataLengthWrong:
      return Violation::Rule::DataLengthWrong;
  }
  return Violation::Rule::TagMalformed;
}

// The enclosing scopes of a field, from the innermost group to the message.
struct Scope {
  const MemberContext& context;
  const Scope* outer;
  const std::uint8_t* seen;  // one byte for each slot: 1 if the field has occurred
  unsigned delimiter = 0;    // of a group: the slot of the first field of an entry

  // Whether the field is allowed here.
  [[nodiscard]] bool awaits(Tag tag) const noexcept {
    const MemberRule* const member = context.find(tag);
    if (member == nullptr) return false;
    const bool begins_entry = outer != nullptr && member->slot == delimiter;
    return begins_entry || seen[member->slot] == 0;
  }
};

bool one_has(const Scope* scope, Tag tag) noexcept {
  while (scope != nullptr && scope->context.find(tag) == nullptr) scope = scope->outer;
  return scope != nullptr;
}

bool is_awaited(const Scope* scope, Tag tag) noexcept {
  while (scope != nullptr && !scope->awaits(tag)) scope = scope->outer;
  return scope != nullptr;
}

// A copy of a message's fields. Without it, the compiler must assume that the walk's stores change
// the arrays' addresses.
class Fields {
 public:
  explicit Fields(const wire::MessageView& message) noexcept
      : index_{message.index()}, bytes_{message.bytes().data()}, end_{message.field_count() - 1} {}

  // The index of the CheckSum.
  [[nodiscard]] std::size_t end() const noexcept { return end_; }
  [[nodiscard]] std::uint32_t key(std::size_t index) const noexcept { return index_.keys[index]; }
  [[nodiscard]] ValueInMessage value(std::size_t index) const noexcept {
    return value_at(bytes_, index_.place(index));
  }

 private:
  wire::detail::FieldIndex index_;
  const char* bytes_;
  std::size_t end_;
};

// A copy of a member's rule, in registers: a copy of the whole would be in memory.
struct RuleParts {
  Check check;
  unsigned detail;
  unsigned place;
  unsigned slot;
};

[[gnu::always_inline]] inline RuleParts parts_of(const MemberRule& rule) noexcept {
  return {rule.check, rule.detail, rule.place, rule.slot};
}

// A copy of a context's table, for the same reason.
class Members {
 public:
  explicit Members(const MemberContext& context) noexcept
      : rows_{context.rows}, rules_{context.rules}, row_mask_{context.row_mask} {}

  // Like MemberContext::at().
  [[nodiscard]] const MemberRule& at(std::uint32_t key) const noexcept {
    return rules_[rows_[(key >> MemberContext::kRowBits) & row_mask_] +
                  (key & (MemberContext::kRowTags - 1))];
  }

 private:
  const std::uint16_t* rows_;
  const MemberRule* rules_;
  std::uint32_t row_mask_;
};

// The walk over one message.
class Validation {
 public:
  Validation(const ValidatorTables& tables, const wire::MessageView& message,
             std::optional<Violation>& violation) noexcept
      : tables_{tables}, message_{message}, violation_{violation} {}

  // checks: collects the checks of each value. Useful only if there is no violation.
  template <class Checks>
  void walk(const MemberContext& context, Checks& checks) noexcept;
  void report_fault(const wire::Fault& fault) noexcept;
  void report_msg_type() noexcept;

 private:
  // One field, or a group. False: the walk ends here. seen: a byte for each slot of the scope, then
  // those for its groups.
  template <class Checks>
  [[nodiscard]] bool walk_field(const Scope& scope, FieldPosition& at, std::uint8_t* seen,
                                Checks& checks) noexcept;
  // The check of a member determines the meaning of its detail.
  [[nodiscard]] bool is_value_valid(Check check, unsigned detail,
                                    const ValueInMessage& value) const noexcept;
  [[nodiscard]] bool is_ordinary_value_valid(Check check, unsigned detail,
                                             const ValueInMessage& value) const noexcept;
  template <class Checks>
  [[nodiscard]] std::size_t walk_group(const Scope& outer, unsigned group, std::size_t index,
                                       std::uint8_t* seen, Checks& checks) noexcept;
  // The member that at() has not found.
  [[nodiscard]] const MemberRule* find_rare(const MemberContext& context,
                                            std::size_t index) const noexcept {
    return context.overflow_count == 0 ? nullptr : context.find_overflow(tag_at(index));
  }
  [[nodiscard]] Tag tag_at(std::size_t index) const noexcept { return message_.field(index).tag; }
  template <class Checks>
  [[nodiscard]] bool is_outsider_valid(const Scope& scope, std::size_t index,
                                       Checks& checks) noexcept;
  [[nodiscard]] bool is_tolerated(Tag tag) const noexcept {
    return tag < kUserDefinedTagMin ? tables_.rules.allow_unknown_msg_fields
                                    : !tables_.rules.validate_user_defined_fields;
  }

  // Notes the remaining check of a field of this rule, for other messages with the same fields.
  void note(NoCheckList&, Check, unsigned, std::size_t) const noexcept {}
  void note(Survey&, Check, unsigned, std::size_t) const noexcept {}
  void note(CheckList& checks, Check check, unsigned detail, std::size_t index) const noexcept;

  // Whether the walk continues after a report.
  [[nodiscard]] static bool goes_on(NoCheckList&, const Scope&) noexcept { return false; }
  [[nodiscard]] static bool goes_on(CheckList&, const Scope&) noexcept { return false; }
  [[nodiscard]] bool goes_on(Survey& survey, const Scope& scope) const noexcept {
    survey.take(*violation_, scope.context);
    return survey.rank() != Rank::Unreadable;  // the lowest one: no other can be before it
  }

  // The slow path. False: not valid, and reported. True: valid because of the fields around it.
  [[nodiscard]] bool is_valid_there(const Scope& scope, Section section, Check check,
                                    unsigned detail, std::size_t index) noexcept;
  [[nodiscard]] bool is_data_valid(const Scope& scope, const wire::DataFieldTable::Pair& pair,
                                   std::size_t index) noexcept;
  [[nodiscard]] bool is_length_valid(const Scope& scope, const wire::DataFieldTable::Pair& pair,
                                     std::size_t index) noexcept;

  // Returns kFailed, so that the caller can return it.
  std::size_t report(Violation::Rule rule, const Scope& scope, std::size_t index) noexcept;
  std::size_t report_value(const Scope& scope, Section section, std::size_t index) noexcept;
  std::size_t report_missing(const Scope& scope, std::size_t index) noexcept;
  std::size_t report_count(const Scope& scope, std::size_t index, std::uint64_t expected,
                           std::uint64_t found) noexcept;
  // The position of a walk over a group's entries.
  struct EntriesSoFar {
    std::size_t count_index;  // of the count field
    std::uint64_t entries;
    std::uint64_t expected;
  };
  std::size_t report_repeated(const Scope& scope, std::size_t index,
                              const EntriesSoFar& so_far) noexcept;
  [[nodiscard]] bool begins_entry(Tag delimiter, std::size_t index,
                                  const EntriesSoFar& so_far) const noexcept;
  // Reports it and returns whether the walk continues.
  template <class Checks>
  [[nodiscard]] bool survives_missing(const Scope& scope, std::size_t entry_begin,
                                      Checks& checks) noexcept {
    report_missing(scope, entry_begin);
    return goes_on(checks, scope);
  }
  template <class Checks>
  [[nodiscard]] bool survives_misplaced(const Scope& scope, unsigned slot, std::size_t index,
                                        const EntriesSoFar& so_far, Checks& checks) noexcept {
    if (scope.seen[slot] == 0) {
      report(Violation::Rule::GroupOrderWrong, scope, index);
    } else {
      report_repeated(scope, index, so_far);
    }
    return goes_on(checks, scope);
  }

  const ValidatorTables& tables_;
  const wire::MessageView& message_;
  std::optional<Violation>& violation_;
  unsigned looks_ = 0;  // of report_repeated()
};

[[gnu::always_inline]] inline bool Validation::is_value_valid(
    Check check, unsigned detail, const ValueInMessage& value) const noexcept {
  // Empty values are allowed here, or there would be a fault.
  if (value.size() == 0) [[unlikely]]
    return true;
  // After an empty BeginString, a value may be closer to the beginning of the message.
  if (value.end < kFrontBytes) [[unlikely]] {
    std::array<char, kFrontBytes> copy{};
    const std::uint32_t begin = kFrontBytes - value.size();
    std::memcpy(copy.data() + begin, value.bytes + value.begin, value.size());
    return is_ordinary_value_valid(check, detail, {copy.data(), begin, kFrontBytes});
  }
  return is_ordinary_value_valid(check, detail, value);
}

// The value is not empty, and the kFrontBytes that end with it are readable: if no value is empty,
// every field after those that a parser has verified ends later than that.
[[gnu::always_inline]] inline bool Validation::is_ordinary_value_valid(
    Check check, unsigned detail, const ValueInMessage& value) const noexcept {
  switch (check) {
    case Check::Text:
      return true;
    case Check::Char:
      return value.size() == 1;
    case Check::Boolean:
      return is_boolean(value.text());
    case Check::Integer:
      return is_integer(value);
    case Check::Digits:
    case Check::Group:
      return is_digits(value);
    case Check::Decimal:
      return is_decimal(value);
    case Check::UtcTimestamp:
      return is_utc_timestamp(value.text());
    case Check::Enumerated:
      return tables_.enumerations[detail].has(value.text());
    case Check::Rare:
      return is_of_type(static_cast<FieldType>(detail), value.text());
    case Check::Length:
    case Check::Data:
      return false;  // left to is_valid_there()
  }
  __builtin_unreachable();
}

template <class Checks>
[[gnu::always_inline]] inline void Validation::walk(const MemberContext& context,
                                                    Checks& checks) noexcept {
  Slots slots;
  std::uint8_t* const seen = slots.data();
  const Scope scope{context, nullptr, seen};
  const std::size_t end = message_.field_count() - 1;  // the CheckSum
  clear_slots(seen, context.slots + kSeenBytesReadable);
  std::memset(seen, 1, kVerifiedSlots);
  for (FieldPosition at{kFirstUnverified, Section::Header};;) {
    // The plain walk notes no checks, so only a walk that keeps none may use it.
    if constexpr (std::is_same_v<Checks, NoCheckList>) {
      at = walk_plain_fields(tables_, message_, context, at, seen);
    }
    if (at.next >= end) break;
    if (!walk_field(scope, at, seen, checks)) return;
  }
  if (!are_seen(seen + kVerifiedSlots, context.required_count)) [[unlikely]] {
    report_missing(scope, kMsgTypeIndex);
    static_cast<void>(goes_on(checks, scope));
  }
}

template <class Checks>
[[gnu::noinline]] bool Validation::walk_field(const Scope& scope, FieldPosition& at,
                                              std::uint8_t* seen, Checks& checks) noexcept {
  const MemberContext& context = scope.context;
  const Fields fields{message_};
  const std::size_t i = at.next;
  const std::uint32_t key = fields.key(i);
  const MemberRule* member = &context.at(key);
  if (member->key != key) [[unlikely]] {
    member = find_rare(context, i);
    if (member == nullptr) {
      ++at.next;
      return is_outsider_valid(scope, i, checks) || goes_on(checks, scope);
    }
  }
  const auto [check, detail, place, slot] = parts_of(*member);
  const auto section = static_cast<Section>(place);
  if (section < at.section && tables_.rules.validate_fields_out_of_order) {
    report(Violation::Rule::TagOutOfSection, scope, i);
    if (!goes_on(checks, scope)) return false;
  }
  at.section = section;
  if (std::exchange(seen[slot], std::uint8_t{1}) != 0) {
    report(Violation::Rule::TagRepeated, scope, i);
    if (!goes_on(checks, scope)) return false;
  }
  if (!is_value_valid(check, detail, fields.value(i)) &&
      !is_valid_there(scope, section, check, detail, i) && !goes_on(checks, scope))
    return false;
  if (check == Check::Group) {
    at.next = walk_group(scope, detail, i, seen + context.slots, checks);
    return at.next != kFailed;
  }
  note(checks, check, detail, i);
  ++at.next;
  return true;
}

// From the count field at index to the first field after the group. group: its context's index.
template <class Checks>
std::size_t Validation::walk_group(const Scope& outer, unsigned group, std::size_t index,
                                   std::uint8_t* seen, Checks& checks) noexcept {
  const MemberContext& context = tables_.contexts[group];
  const Members members{context};
  Scope scope{context, &outer, seen};
  const Fields fields{message_};
  const bool is_ordered = tables_.rules.validate_unordered_group_fields;
  const std::uint64_t expected = count_of(fields.value(index).text());
  checks.add(index, Check::Group, expected);
  std::uint64_t entries = 0;
  std::size_t entry_begin = index;
  unsigned delimiter = 0;  // the scope's, in a local variable that stores to seen cannot change
  unsigned required = 0;
  unsigned least = 0;  // the lowest slot that may come next
  std::size_t i = index + 1;
  while (i < fields.end()) {
    const std::uint32_t key = fields.key(i);
    const MemberRule* member = &members.at(key);
    if (member->key != key) [[unlikely]] {
      member = find_rare(context, i);
      if (member == nullptr) {
        if (one_has(&outer, tag_at(i))) break;
        if (!is_outsider_valid(scope, i, checks) && !goes_on(checks, scope)) return kFailed;
        ++i;
        continue;
      }
    }
    const auto [check, detail, is_required, slot] = parts_of(*member);
    if (slot == delimiter || entries == 0) {
      if (entries == expected && is_awaited(&outer, tag_at(i))) break;
      if (entries != 0 && required != context.required_count) [[unlikely]]
        if (!survives_missing(scope, entry_begin, checks)) return kFailed;
      if (entries == 0 && context.any_field_begins != 0) {
        delimiter = scope.delimiter = slot;
      } else if (entries == 0 && slot != 0) {
        report(Violation::Rule::DelimiterMissing, scope, i);
        if (!goes_on(checks, scope)) return kFailed;
      }
      ++entries;
      entry_begin = i;
      required = 0;
      least = 0;
      clear_slots(seen, context.slots);
    }
    if (seen[slot] != 0 || (is_ordered && slot < least)) [[unlikely]] {
      if (is_awaited(&outer, tag_at(i))) break;
      if (!survives_misplaced(scope, slot, i, {index, entries, expected}, checks)) return kFailed;
      required -= seen[slot] * is_required;  // a repeated field has already been counted
    }
    seen[slot] = 1;
    least = slot == delimiter ? 0 : slot;
    required += is_required;
    if (!is_value_valid(check, detail, fields.value(i)) &&
        !is_valid_there(scope, Section::Body, check, detail, i) && !goes_on(checks, scope))
        [[unlikely]]
      return kFailed;
    if (check == Check::Group) [[unlikely]] {
      if (i = walk_group(scope, detail, i, seen + context.slots, checks); i == kFailed) return i;
    } else {
      note(checks, check, detail, i);
      ++i;
    }
  }
  if (entries != 0 && required != context.required_count) [[unlikely]]
    if (!survives_missing(scope, entry_begin, checks)) return kFailed;
  if (entries != expected) [[unlikely]]
    if (report_count(scope, index, expected, entries); !goes_on(checks, scope)) return kFailed;
  return i;
}

// A field that the message does not have. If it is allowed nevertheless, its type is checked if the
// dictionary knows the field.
template <class Checks>
bool Validation::is_outsider_valid(const Scope& scope, std::size_t index, Checks& checks) noexcept {
  const Tag tag = tag_at(index);
  const FieldRule* const known = tables_.field(scope.context, tag);
  if (!is_tolerated(tag)) {
    report(known != nullptr ? Violation::Rule::TagNotInMessage : Violation::Rule::TagUnknown, scope,
           index);
    return false;
  }
  if (known == nullptr) return true;
  if (is_value_valid(known->check, known->detail, Fields{message_}.value(index))) {
    checks.add(index, known->check, known->detail);
    return true;
  }
  report_value(scope, Section::Body, index);
  return false;
}

// For a Length field: that it is a number if its data field follows (the parser has used it), and
// that it is 0 if none follows. For a data field nothing, because its neighbours stay the same.
void Validation::note(CheckList& checks, Check check, unsigned detail,
                      std::size_t index) const noexcept {
  if (check == Check::Data) return;
  if (check != Check::Length) return checks.add(index, check, detail);
  const bool is_followed = tag_at(index + 1) == tables_.data_pairs[detail].data;
  checks.add(index, is_followed ? Check::Digits : Check::Group, 0);
}

bool Validation::is_valid_there(const Scope& scope, Section section, Check check, unsigned detail,
                                std::size_t index) noexcept {
  if (check == Check::Data) return is_data_valid(scope, tables_.data_pairs[detail], index);
  if (check == Check::Length && is_digits(Fields{message_}.value(index).text())) {
    return is_length_valid(scope, tables_.data_pairs[detail], index);
  }
  report_value(scope, section, index);
  return false;
}

// Looks at the whole message only once: the walk ends with this violation.
bool Validation::is_data_valid(const Scope& scope, const wire::DataFieldTable::Pair& pair,
                               std::size_t index) noexcept {
  if (tag_at(index - 1) == pair.length) return true;
  bool has_stray_length = false;
  for (std::size_t i = kFirstUnverified; i < message_.field_count() - 1; ++i) {
    has_stray_length |= tag_at(i) == pair.length && tag_at(i + 1) != pair.data;
  }
  if (has_stray_length) {
    report(Violation::Rule::DataOutOfOrder, scope, index);
  } else {
    report(Violation::Rule::LengthMissing, scope, index);
    violation_->tag = pair.length;
  }
  return false;
}

// A Length of 0 needs no data field, because that could not be empty. If the data field is
// elsewhere, it is reported there, before DataMissing.
bool Validation::is_length_valid(const Scope& scope, const wire::DataFieldTable::Pair& pair,
                                 std::size_t index) noexcept {
  if (tag_at(index + 1) == pair.data) return true;
  if (count_of(Fields{message_}.value(index).text()) == 0) return true;
  report(Violation::Rule::DataMissing, scope, index);
  violation_->tag = pair.data;
  return false;
}

std::size_t Validation::report(Violation::Rule rule, const Scope& scope,
                               std::size_t index) noexcept {
  violation_ = Violation{.rule = rule,
                         .tag = tag_at(index),
                         .offset = Fields{message_}.value(index).begin,
                         .field_index = static_cast<std::uint32_t>(index),
                         .group = scope.context.count_tag};
  if (rule == Violation::Rule::DelimiterMissing) violation_->expected_tag = scope.context.first_tag;
  return kFailed;
}

std::size_t Validation::report_value(const Scope& scope, Section section,
                                     std::size_t index) noexcept {
  // The fields of header and trailer belong to the transport.
  const MemberContext& known_to = section == Section::Body ? scope.context : tables_.contexts[0];
  const FieldRule* const field = tables_.field(known_to, tag_at(index));
  const std::string_view text = Fields{message_}.value(index).text();
  if (field == nullptr) return report(Violation::Rule::TypeWrong, scope, index);
  if (field->check == Check::Enumerated && is_of_type(field->type, text)) {
    return report(Violation::Rule::ValueNotInEnumeration, scope, index);
  }
  const bool is_zero = field->type == FieldType::SeqNum && is_digits(text);
  return report(is_zero ? Violation::Rule::ValueOutOfRange : Violation::Rule::TypeWrong, scope,
                index);
}

std::size_t Validation::report_missing(const Scope& scope, std::size_t index) noexcept {
  const RequiredMember* member = tables_.required.data() + scope.context.required_begin;
  while (scope.seen[member->slot] != 0) ++member;
  report(Violation::Rule::RequiredTagMissing, scope, index);
  violation_->tag = member->tag;
  return kFailed;
}

std::size_t Validation::report_count(const Scope& scope, std::size_t index, std::uint64_t expected,
                                     std::uint64_t found) noexcept {
  report(Violation::Rule::GroupCountWrong, scope, index);
  violation_->expected_entries = expected;
  violation_->found_entries = found;
  return kFailed;
}

// A field that its entry already has, or the first field of an entry whose delimiter is missing or
// follows it.
std::size_t Validation::report_repeated(const Scope& scope, std::size_t index,
                                        const EntriesSoFar& so_far) noexcept {
  const Tag delimiter = scope.context.any_field_begins != 0 ? tag_at(so_far.count_index + 1)
                                                            : scope.context.first_tag;
  // Each look reads the rest of the message, so their number is limited. After that many, the
  // survey takes no repeated field for certain, whatever it is.
  constexpr unsigned kLooksMax = 16;
  if (looks_ < kLooksMax) ++looks_;
  const bool is_new_entry = looks_ == kLooksMax ? so_far.entries != so_far.expected
                                                : begins_entry(delimiter, index, so_far);
  report(is_new_entry ? Violation::Rule::DelimiterMissing : Violation::Rule::TagRepeated, scope,
         index);
  if (is_new_entry) violation_->expected_tag = delimiter;
  return kFailed;
}

bool Validation::begins_entry(Tag delimiter, std::size_t index,
                              const EntriesSoFar& so_far) const noexcept {
  std::uint64_t further_entries = 0;
  bool has_next_entry_it = false;
  for (std::size_t i = index + 1; i < message_.field_count() - 1; ++i) {
    const Tag tag = tag_at(i);
    further_entries += tag == delimiter ? 1 : 0;
    has_next_entry_it |= further_entries == 1 && tag == tag_at(index);
  }
  if (so_far.entries == so_far.expected) return false;
  if (so_far.entries + further_entries < so_far.expected) return true;
  return !has_next_entry_it && tag_at(index - 1) != tag_at(index);
}

void Validation::report_fault(const wire::Fault& fault) noexcept {
  const Fields fields{message_};
  std::size_t next = 0;
  while (next < fields.end() && fields.value(next).begin < fault.offset) ++next;
  violation_ = Violation{.rule = rule_of(fault.rule),
                         .tag = tag_of(fault.tag_text),
                         .offset = fault.offset,
                         .field_index = static_cast<std::uint32_t>(next),
                         .tag_text = fault.tag_text};
}

void Validation::report_msg_type() noexcept {
  violation_ = Violation{.rule = Violation::Rule::MsgTypeUnknown,
                         .offset = Fields{message_}.value(kMsgTypeIndex).begin,
                         .field_index = kMsgTypeIndex};
}

}  // namespace

wire::SessionRejectReason reject_reason(Violation::Rule rule) noexcept {
  using Reason = wire::SessionRejectReason;
  switch (rule) {
    case Violation::Rule::TagMalformed:
    case Violation::Rule::TagUnknown:
      return Reason::InvalidTagNumber;
    case Violation::Rule::TagWithoutValue:
    case Violation::Rule::ValueEmpty:
      return Reason::TagWithoutValue;
    case Violation::Rule::DataLengthWrong:
    case Violation::Rule::TypeWrong:
      return Reason::IncorrectDataFormat;
    case Violation::Rule::MsgTypeUnknown:
      return Reason::InvalidMsgType;
    case Violation::Rule::TagNotInMessage:
      return Reason::TagNotDefinedForMsgType;
    case Violation::Rule::TagOutOfSection:
    case Violation::Rule::DataOutOfOrder:
      return Reason::TagOutOfRequiredOrder;
    case Violation::Rule::TagRepeated:
      return Reason::TagAppearsMoreThanOnce;
    case Violation::Rule::ValueOutOfRange:
    case Violation::Rule::ValueNotInEnumeration:
      return Reason::ValueIncorrect;
    case Violation::Rule::DelimiterMissing:
    case Violation::Rule::GroupOrderWrong:
      return Reason::GroupFieldsOutOfOrder;
    case Violation::Rule::GroupCountWrong:
      return Reason::IncorrectNumInGroupCount;
    case Violation::Rule::LengthMissing:
    case Violation::Rule::DataMissing:
    case Violation::Rule::RequiredTagMissing:
      return Reason::RequiredTagMissing;
  }
  return Reason::Other;
}

bool is_readable(Violation::Rule rule) noexcept {
  switch (rule) {
    case Violation::Rule::TagMalformed:
    case Violation::Rule::TagWithoutValue:
    case Violation::Rule::DataLengthWrong:
    case Violation::Rule::LengthMissing:
    case Violation::Rule::DataOutOfOrder:
      return false;
    case Violation::Rule::ValueEmpty:
    case Violation::Rule::MsgTypeUnknown:
    case Violation::Rule::TagUnknown:
    case Violation::Rule::TagNotInMessage:
    case Violation::Rule::TagOutOfSection:
    case Violation::Rule::TagRepeated:
    case Violation::Rule::TypeWrong:
    case Violation::Rule::ValueOutOfRange:
    case Violation::Rule::ValueNotInEnumeration:
    case Violation::Rule::DelimiterMissing:
    case Violation::Rule::GroupOrderWrong:
    case Violation::Rule::GroupCountWrong:
    case Violation::Rule::DataMissing:
    case Violation::Rule::RequiredTagMissing:
      return true;
  }
  return false;
}

Validator::Validator(std::shared_ptr<const ValidatorTables> tables) noexcept
    : tables_{std::move(tables)} {}

std::expected<Validator, std::string> Validator::make(const FixtDictionaries& both,
                                                      const ValidationRules& rules) {
  std::expected<ValidatorTables, std::string> tables = make_validator_tables(both, rules);
  if (!tables) return std::unexpected{std::move(tables.error())};
  return Validator{std::make_shared<const ValidatorTables>(std::move(*tables))};
}

std::expected<Validator, std::string> Validator::make(const Dictionary& dictionary,
                                                      const ValidationRules& rules) {
  return make(FixtDictionaries{dictionary, dictionary}, rules);
}

namespace {

// The reported violation of a message that has one. empty: its first field without a value, if that
// is a violation.
[[gnu::noinline]] std::optional<Violation> first_by_rank(
    const ValidatorTables& tables, const wire::MessageView& message, const MemberContext& context,
    const std::optional<wire::Fault>& empty) noexcept {
  std::optional<Violation> violation;
  Validation validation{tables, message, violation};
  Survey survey;
  validation.walk(context, survey);
  std::optional<Violation> lowest = survey.lowest();
  if (!empty) return lowest;
  const bool is_before = !lowest || survey.rank() == Rank::Field;
  if (!is_before || (lowest && lowest->offset < empty->offset)) return lowest;
  validation.report_fault(*empty);
  return violation;
}

// Validates a message, and remembers its sequence if it is valid.
[[gnu::noinline]] std::optional<Violation> learn(const ValidatorTables& tables,
                                                 const wire::MessageView& message,
                                                 const MemberContext& context,
                                                 FieldSequence& sequence) noexcept {
  std::optional<Violation> violation;
  CheckList checks;
  Validation{tables, message, violation}.walk(context, checks);
  if (violation) return first_by_rank(tables, message, context, std::nullopt);
  sequence.learn(tables, tables.context_id(context), SequenceKeys{message}, checks);
  return violation;
}

}  // namespace

std::optional<Violation> Validator::validate(const wire::MessageView& message) const noexcept {
  NEXUSFIX_DEBUG_ASSERT(message.field_count() > kMsgTypeIndex);
  std::optional<Violation> violation;
  Validation validation{*tables_, message, violation};
  const MemberContext* const context = tables_->message(message.msg_type());
  const bool is_fault = message.fault().has_value();
  if (is_fault && message.fault_but_empty()) [[unlikely]] {
    validation.report_fault(*message.fault_but_empty());
  } else if (context == nullptr) [[unlikely]] {
    validation.report_msg_type();
  } else if (is_fault && tables_->rules.validate_fields_have_values) [[unlikely]] {
    return first_by_rank(*tables_, message, *context, message.fault());
  } else {
    NoCheckList no_checks;
    validation.walk(*context, no_checks);
    if (violation) [[unlikely]]
      return first_by_rank(*tables_, message, *context, std::nullopt);
  }
  return violation;
}

std::optional<Violation> Validator::validate(const wire::MessageView& message,
                                             ValidationMemory& memory) const noexcept {
  memory.set_proof(nullptr);
  if (!SequenceKeys::are_those_of(message)) [[unlikely]]
    return validate(message);
  const MemberContext* const context = tables_->message(message.msg_type());
  if (context == nullptr) [[unlikely]]
    return validate(message);
  const SequenceKeys keys{message};
  const std::uint64_t context_id = tables_->context_id(*context);
  FieldSequence* const known = memory.find(context_id, keys);
  if (known == nullptr) [[unlikely]] {
    FieldSequence* const slot = memory.slot_for(keys.hash(context_id));
    return slot != nullptr ? learn(*tables_, message, *context, *slot) : validate(message);
  }
  if (!known->are_values_valid(*tables_, message, memory)) [[unlikely]]
    return validate(message);
  return std::nullopt;
}

std::size_t Validator::size_bytes() const noexcept { return tables_->size_bytes(); }

}  // namespace nexusfix::dictionary
