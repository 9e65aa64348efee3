// Makes the tables of a Validator from a dictionary.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <nexusfix/wire/field.hpp>

#include "dictionary/api/dictionary_fault.hpp"
#include "dictionary/validate/validator_tables.hpp"

namespace nexusfix::dictionary {
namespace {

// The nesting depth of groups. Real ones nest three deep.
constexpr unsigned kGroupDepthMax = 64;
constexpr std::size_t kEnumerationsMax = 0xffff;
constexpr std::size_t kContextsMax = 0xffff;
constexpr std::size_t kDataPairsMax = 0xffff;

struct MsgTypeOrder {
  bool operator()(const ValidatorTables::LongMsgType& a,
                  const ValidatorTables::LongMsgType& b) const {
    return a.msg_type < b.msg_type;
  }
};

// The positions of a context's tables, because the tables still grow.
struct TablePlaces {
  std::size_t rows = 0;
  std::size_t rules = 0;
  std::size_t overflow = 0;
};

// A member while its context is built. tag: also for members without a key.
struct NewMember {
  wire::Tag tag = 0;
  Section section = Section::Body;
  bool required = false;
  MemberRule rule;
};

// The table of one context's members, in rows.
class RowTable {
 public:
  explicit RowTable(const std::vector<NewMember>& members) {
    choose_rows(members);
    std::vector<std::uint32_t> columns(row_count_);  // for each row, one bit for each used column
    std::vector<std::vector<MemberRule>> rows(row_count_);
    for (const NewMember& member : members) {
      const std::uint32_t row = row_of(member.tag);
      const std::uint32_t column = 1U << column_of(member.tag);
      if (member.tag >= wire::kLargeTagKey || (columns[row] & column) != 0) {
        overflow_.push_back({member.tag, member.rule});
      } else {
        columns[row] |= column;
        rows[row].push_back(member.rule);
      }
    }
    std::ranges::sort(overflow_, {}, &OverflowRule::tag);
    place(rows, columns);
  }

  [[nodiscard]] std::uint32_t row_mask() const { return row_count_ - 1; }
  [[nodiscard]] const std::vector<std::uint16_t>& rows() const { return offsets_; }
  [[nodiscard]] const std::vector<MemberRule>& rules() const { return rules_; }
  [[nodiscard]] const std::vector<OverflowRule>& overflow() const { return overflow_; }

 private:
  static constexpr std::uint32_t kRowsMin = 8;
  // Enough for all tags below 16,384. Larger tags share rows with those, or overflow.
  static constexpr std::uint32_t kRowsMax = 512;

  [[nodiscard]] std::uint32_t row_of(wire::Tag tag) const {
    return (tag >> MemberContext::kRowBits) & (row_count_ - 1);
  }
  [[nodiscard]] static std::uint32_t column_of(wire::Tag tag) {
    return tag & (MemberContext::kRowTags - 1);
  }
  // The smallest number of rows that keeps all members apart.
  void choose_rows(const std::vector<NewMember>& members) {
    for (row_count_ = kRowsMin; row_count_ < kRowsMax; row_count_ *= 2) {
      std::vector<std::uint32_t> columns(row_count_);
      const auto takes_a_free_place = [&](const NewMember& member) {
        std::uint32_t& row = columns[row_of(member.tag)];
        const std::uint32_t before = std::exchange(row, row | 1U << column_of(member.tag));
        return row != before;
      };
      if (std::ranges::all_of(members, takes_a_free_place)) return;
    }
  }
  // The fullest rows first, each at the first position where it fits.
  void place(const std::vector<std::vector<MemberRule>>& rows,
             const std::vector<std::uint32_t>& columns) {
    std::vector<std::uint32_t> order(row_count_);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, std::greater{}, [&](std::uint32_t row) { return rows[row].size(); });
    offsets_.resize(row_count_);
    rules_.resize(MemberContext::kRowTags);
    for (const std::uint32_t row : order) {
      const std::size_t offset = first_fit(columns[row]);
      if (rules_.size() < offset + MemberContext::kRowTags) {
        rules_.resize(offset + MemberContext::kRowTags);
      }
      offsets_[row] = static_cast<std::uint16_t>(offset);
      for (const MemberRule& rule : rows[row]) rules_[offset + column_of(rule.key)] = rule;
    }
  }

  // The first position where all of the columns are free. A window of 32 bits slides over the used
  // entries.
  [[nodiscard]] std::size_t first_fit(std::uint32_t columns) const {
    const auto is_taken = [this](std::size_t at) {
      return at < rules_.size() && rules_[at].key != 0 ? 1U : 0U;
    };
    std::uint32_t window = 0;
    for (std::uint32_t i = 0; i < MemberContext::kRowTags; ++i) window |= is_taken(i) << i;
    std::size_t offset = 0;
    while ((window & columns) != 0) {
      constexpr std::uint32_t kLast = MemberContext::kRowTags - 1;
      ++offset;
      window = window >> 1U | is_taken(offset + kLast) << kLast;
    }
    return offset;
  }

  std::uint32_t row_count_ = kRowsMin;
  std::vector<std::uint16_t> offsets_;
  std::vector<MemberRule> rules_;
  std::vector<OverflowRule> overflow_;
};

template <class Item>
void append(std::vector<Item>& to, const std::vector<Item>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// The contexts of one dictionary's messages and groups. A function that fails sets error_ and
// returns a value that is not used.
class Builder {
 public:
  Builder(const FixtDictionaries& both, const ValidationRules& rules)
      : transport_{both.transport, {}, {}, false},
        application_{both.application, {}, {}, &both.application != &both.transport},
        both_are_one_{&both.application == &both.transport} {
    tables_.rules = rules;
  }

  [[nodiscard]] std::expected<ValidatorTables, std::string> build();

 private:
  struct Source {
    const Dictionary& dictionary;
    std::vector<FieldRule> fields;          // by position in Dictionary::fields
    std::map<Index, std::uint32_t> groups;  // to contexts
    bool is_application;
  };
  // The maximum that a context and its nested groups need at one time.
  struct Need {
    std::size_t slots = 0;
  };
  struct Members {
    std::vector<NewMember> list;
    std::set<wire::Tag> tags;
  };

  void add_fields(Source& source);
  void pair_data(const Dictionary& dictionary, std::vector<NewMember>& members);
  static void add_verified(wire::Tag tag, Section section, Members& to);
  void add(Source& source, const std::vector<Member>& from, Section section, Members& to);
  static void add_logon_fields(const Source& source, Members& to);
  std::uint32_t add_context(const Source& source, std::vector<NewMember> members,
                            wire::Tag count_tag);  // 0: a message's
  std::uint32_t add_group(Source& source, Index group);
  void add_messages(Source& source);
  void seal();

  Source transport_;
  Source application_;
  bool both_are_one_;
  ValidatorTables tables_;
  std::vector<TablePlaces> places_;  // by context
  std::vector<Need> needs_;          // by context
  unsigned depth_ = 0;               // of the group that is being added
  std::string error_;
};

// The SeqNum fields in which 0 is valid: a MsgSeqNum that SequenceReset-Reset ignores and that a
// session judges otherwise, the number of a message that had it, "to infinity", and "none so far".
bool may_be_zero(wire::Tag seq_num) {
  constexpr wire::Tag kEndSeqNo = 16;
  constexpr wire::Tag kMsgSeqNum = 34;
  constexpr wire::Tag kRefSeqNum = 45;
  constexpr wire::Tag kLastMsgSeqNumProcessed = 369;
  constexpr wire::Tag kHopRefId = 630;
  constexpr wire::Tag kApplEndSeqNum = 1183;
  constexpr wire::Tag kApplLastSeqNum = 1350;
  constexpr wire::Tag kRefApplLastSeqNum = 1357;
  constexpr std::array kTags{kEndSeqNo, kMsgSeqNum,     kRefSeqNum,      kLastMsgSeqNumProcessed,
                             kHopRefId, kApplEndSeqNum, kApplLastSeqNum, kRefApplLastSeqNum};
  return std::ranges::find(kTags, seq_num) != kTags.end();
}

// The fields that a Logon may have in every version, because sessions send or read them even if
// their dictionary lacks them: RawData, ResetSeqNumFlag, MaxMessageSize, TestMessageIndicator, the
// Username and the passwords, NextExpectedMsgSeqNum, DefaultApplVerID and its related fields, and
// SessionStatus.
constexpr std::array<wire::Tag, 18> kLogonTags{95,   96,   141,  383,  464,  553,
                                               554,  789,  925,  1137, 1400, 1401,
                                               1402, 1403, 1404, 1407, 1408, 1409};

// The values of FIX Latest and of later versions. A session reads them as its newest version, so
// the field accepts them even if no dictionary lists them.
constexpr wire::Tag kApplVerId = 1128;
constexpr wire::Tag kRefApplVerId = 1130;
constexpr wire::Tag kDefaultApplVerId = 1137;
constexpr int kLaterVersionFirst = 10;
constexpr int kLaterVersionLast = 99;

bool is_appl_ver_id(wire::Tag tag) noexcept {
  return tag == kApplVerId || tag == kRefApplVerId || tag == kDefaultApplVerId;
}

std::vector<FieldDefinition::EnumValue> with_later_versions(
    std::vector<FieldDefinition::EnumValue> values) {
  for (int version = kLaterVersionFirst; version <= kLaterVersionLast; ++version) {
    const std::string text = std::to_string(version);
    const auto is_it = [&](const FieldDefinition::EnumValue& value) { return value.value == text; };
    if (std::ranges::none_of(values, is_it)) values.push_back({.value = text, .name = {}});
  }
  return values;
}

bool is_boolean_enumeration(const FieldDefinition& field) {
  return field.type == FieldType::Boolean && field.values.size() == 2 &&
         std::ranges::all_of(field.values, [](const FieldDefinition::EnumValue& value) {
           return is_boolean(value.value);
         });
}

void Builder::add_fields(Source& source) {
  for (const FieldDefinition& field : source.dictionary.fields) {
    FieldRule rule{.tag = field.tag, .type = field.type, .check = check_of(field.type)};
    rule.detail = static_cast<std::uint16_t>(field.type);
    if (field.type == FieldType::SeqNum && may_be_zero(field.tag)) rule.check = Check::Digits;
    const bool is_enumerated =
        !field.values.empty() && field.other_values != FieldDefinition::OtherValues::Any &&
        !tables_.rules.allow_unknown_enum_values && !is_boolean_enumeration(field);
    if (is_enumerated) {
      if (tables_.enumerations.size() > kEnumerationsMax) {
        error_ = "the dictionary has more than " + std::to_string(kEnumerationsMax) +
                 " fields with enumerations";
        return;
      }
      rule.check = Check::Enumerated;
      rule.detail = static_cast<std::uint16_t>(tables_.enumerations.size());
      Enumeration& enumeration = tables_.enumerations.emplace_back();
      enumeration.is_list = is_multiple(field.type);
      enumeration.is_integer = check_of(field.type) == Check::Integer;
      enumeration.others = field.other_values;
      enumeration.add(is_appl_ver_id(field.tag) ? with_later_versions(field.values) : field.values);
    }
    source.fields.push_back(rule);
  }
  tables_.fields[source.is_application ? 1 : 0] = source.fields;
}

void Builder::add(Source& source, const std::vector<Member>& from, Section section, Members& to) {
  for (const FlatMember& member : flatten(source.dictionary, from)) {
    const FieldRule& field = source.fields[member.field];
    if (!to.tags.insert(field.tag).second) continue;
    MemberRule rule{
        .key = static_cast<std::uint16_t>(field.tag), .check = field.check, .detail = field.detail};
    if (member.group) {
      rule.check = Check::Group;
      rule.detail = static_cast<std::uint16_t>(add_group(source, *member.group));
    }
    to.list.push_back({field.tag, section, member.required, rule});
  }
}

void Builder::add_verified(wire::Tag tag, Section section, Members& to) {
  to.tags.insert(tag);
  to.list.push_back(
      {.tag = tag, .section = section, .rule = {.key = static_cast<std::uint16_t>(tag)}});
}

// A field that the dictionary knows has its type; an unknown one is text.
void Builder::add_logon_fields(const Source& source, Members& to) {
  const auto add_field = [&](wire::Tag tag) {
    if (!to.tags.insert(tag).second) return;
    const auto known = std::ranges::lower_bound(source.fields, tag, {}, &FieldRule::tag);
    MemberRule rule{.key = static_cast<std::uint16_t>(tag)};
    if (known != source.fields.end() && known->tag == tag) {
      rule.check = known->check;
      rule.detail = known->detail;
    }
    to.list.push_back({.tag = tag, .section = Section::Body, .rule = rule});
  };
  for (const wire::Tag tag : kLogonTags) add_field(tag);
}

// Only if an entry or a message has both fields. One alone cannot miss the other.
void Builder::pair_data(const Dictionary& dictionary, std::vector<NewMember>& members) {
  std::map<wire::Tag, std::size_t> places;
  for (std::size_t i = 0; i < members.size(); ++i) places.emplace(members[i].tag, i);
  for (NewMember& data : members) {
    const FieldDefinition* const field = dictionary.field(data.tag);
    if (field == nullptr || field->length_tag == 0 || data.rule.check != Check::Text) continue;
    const auto place = places.find(field->length_tag);
    if (place == places.end()) continue;
    MemberRule& length = members[place->second].rule;
    if (length.check != Check::Digits && length.check != Check::Integer) continue;
    const auto pair = static_cast<std::uint16_t>(tables_.data_pairs.size());
    if (tables_.data_pairs.size() > kDataPairsMax) {
      error_ = "more than " + std::to_string(kDataPairsMax) + " data fields";
      return;
    }
    tables_.data_pairs.push_back({field->length_tag, data.tag});
    length.check = Check::Length;
    data.rule.check = Check::Data;
    length.detail = data.rule.detail = pair;
  }
}

std::uint32_t Builder::add_context(const Source& source, std::vector<NewMember> members,
                                   wire::Tag count_tag) {
  if (members.size() > ValidatorTables::kSlotsMax || tables_.contexts.size() > kContextsMax) {
    error_ = "more than " + std::to_string(ValidatorTables::kSlotsMax) +
             " fields in one message, or more than " + std::to_string(kContextsMax) +
             " messages and groups";
    return 0;
  }
  std::vector<std::pair<Section, RequiredMember>> required;
  Need need{members.size()};
  for (std::size_t i = 0; i < members.size(); ++i) {
    MemberRule& rule = members[i].rule;
    rule.slot = static_cast<std::uint16_t>(i);
    rule.place = count_tag == 0 ? std::to_underlying(members[i].section)
                                : static_cast<std::uint8_t>(members[i].required);
    if (members[i].required) required.push_back({members[i].section, {members[i].tag, rule.slot}});
    if (rule.check != Check::Group) continue;
    need.slots = std::max(need.slots, members.size() + needs_[rule.detail].slots);
  }
  std::ranges::sort(required, {},
                    [](const auto& entry) { return std::pair{entry.first, entry.second.tag}; });
  const RowTable table{members};
  MemberContext context{.row_mask = table.row_mask(), .count_tag = count_tag};
  context.overflow_count = static_cast<std::uint32_t>(table.overflow().size());
  context.required_begin = static_cast<std::uint32_t>(tables_.required.size());
  if (!members.empty()) context.first_tag = members.front().tag;
  context.slots = static_cast<std::uint16_t>(members.size());
  context.required_count = static_cast<std::uint16_t>(required.size());
  context.is_application = source.is_application ? 1 : 0;
  context.any_field_begins = tables_.rules.first_field_in_group_is_delimiter ? 1 : 0;
  for (const auto& [section, member] : required) tables_.required.push_back(member);
  places_.push_back({tables_.rows.size(), tables_.rule_entries.size(), tables_.overflow.size()});
  append(tables_.rows, table.rows());
  append(tables_.rule_entries, table.rules());
  append(tables_.overflow, table.overflow());
  needs_.push_back(need);
  tables_.contexts.push_back(context);
  return static_cast<std::uint32_t>(tables_.contexts.size() - 1);
}

std::uint32_t Builder::add_group(Source& source, Index group) {
  const auto known = source.groups.find(group);
  if (known != source.groups.end()) return known->second;
  if (depth_ >= kGroupDepthMax) {
    error_ = "groups are nested deeper than " + std::to_string(kGroupDepthMax);
    return 0;
  }
  ++depth_;
  const GroupDefinition& definition = source.dictionary.groups[group];
  Members members;
  add(source, definition.members, Section::Body, members);
  --depth_;
  pair_data(source.dictionary, members.list);
  const wire::Tag count_tag = source.dictionary.fields[definition.count_field].tag;
  const std::uint32_t context = add_context(source, std::move(members.list), count_tag);
  if (definition.any_field_begins) tables_.contexts[context].any_field_begins = 1;
  return source.groups[group] = context;
}

void Builder::add_messages(Source& source) {
  for (const MessageDefinition& message : source.dictionary.messages) {
    if (tables_.message(message.msg_type) != nullptr) continue;  // the transport defines it
    // One file may be both a transport and an application. With another application, only its
    // session messages count.
    const bool is_of_application = !both_are_one_ && !source.is_application && !message.admin;
    if (is_of_application && application_.dictionary.message(message.msg_type) != nullptr) continue;
    // The fields that every message has, whether the dictionary lists them or not. They are never
    // missing.
    Members members;
    for (const wire::Tag tag : {tag::BeginString, tag::BodyLength, tag::MsgType}) {
      add_verified(tag, Section::Header, members);
    }
    add_verified(tag::CheckSum, Section::Trailer, members);
    add(transport_, transport_.dictionary.header, Section::Header, members);
    add(source, message.members, Section::Body, members);
    if (message.msg_type == "A") add_logon_fields(source, members);
    add(transport_, transport_.dictionary.trailer, Section::Trailer, members);
    std::ranges::partition(members.list.begin() + kVerifiedSlots, members.list.end(),
                           [](const NewMember& member) { return member.required; });
    pair_data(transport_.dictionary, members.list);
    pair_data(source.dictionary, members.list);
    const std::uint32_t context = add_context(source, std::move(members.list), 0);
    if (needs_[context].slots > ValidatorTables::kSlotsMax) {
      error_ = "message " + message.name + " has more than " +
               std::to_string(ValidatorTables::kSlotsMax) + " fields";
    }
    if (!error_.empty()) return;
    const auto code = static_cast<unsigned char>(message.msg_type.front());
    if (message.msg_type.size() == 1 && code < ValidatorTables::kTypeEnd) {
      tables_.short_msg_types[code] = context;
    } else {
      const ValidatorTables::LongMsgType type{message.msg_type, context};
      const auto at = std::ranges::lower_bound(tables_.long_msg_types, type, MsgTypeOrder{});
      tables_.long_msg_types.insert(at, type);
    }
  }
}

// Relaxed, because only uniqueness matters.
std::uint64_t next_serial() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void Builder::seal() {
  tables_.serial = next_serial();
  tables_.rows.shrink_to_fit();
  tables_.rule_entries.shrink_to_fit();
  tables_.overflow.shrink_to_fit();
  tables_.required.shrink_to_fit();
  for (std::size_t i = 0; i < tables_.contexts.size(); ++i) {
    MemberContext& context = tables_.contexts[i];
    context.rows = tables_.rows.data() + places_[i].rows;
    context.rules = tables_.rule_entries.data() + places_[i].rules;
    context.overflow = tables_.overflow.data() + places_[i].overflow;
  }
}

std::expected<ValidatorTables, std::string> Builder::build() {
  for (const Source* source : {&transport_, &application_}) {
    if (source == &application_ && both_are_one_) continue;
    const std::string fault = fault_of(source->dictionary);
    if (!fault.empty())
      return std::unexpected{"the structure of the dictionary is invalid: " + fault};
  }
  add_fields(transport_);
  if (!both_are_one_) add_fields(application_);
  if (!error_.empty()) return std::unexpected{error_};
  add_context(transport_, {}, 0);  // context 0: no message, no group
  add_messages(transport_);
  if (error_.empty() && !both_are_one_) add_messages(application_);
  if (!error_.empty()) return std::unexpected{error_};
  seal();
  return std::move(tables_);
}

}  // namespace

std::expected<ValidatorTables, std::string> make_validator_tables(const FixtDictionaries& both,
                                                                  const ValidationRules& rules) {
  return Builder{both, rules}.build();
}

}  // namespace nexusfix::dictionary
