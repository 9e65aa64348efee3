#include "logs/learn/learned_dictionary.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <utility>
#include <vector>

#include <nexusfix/catalog.hpp>
#include <nexusfix/session/identity.hpp>

namespace nexusfix::logs {
namespace {

using dictionary::Dictionary;
using EnumValue = dictionary::FieldDefinition::EnumValue;
using dictionary::FieldDefinition;
using dictionary::FieldType;
using dictionary::Index;
using dictionary::Member;
using MemberKind = dictionary::Member::Kind;
using dictionary::Version;

// The narrowest first. Any value is a String.
constexpr FieldType kGuesses[] = {
    FieldType::Boolean, FieldType::UtcTimestamp, FieldType::LocalMktDate, FieldType::UtcTimeOnly,
    FieldType::Int,     FieldType::Price,        FieldType::Char,         FieldType::String};
// A field of the venue with more values than this is no enumeration.
constexpr std::size_t kOwnValuesMax = 16;

[[nodiscard]] FieldType narrowest(const SeenValues& values) {
  return *std::ranges::find_if(
      kGuesses, [&](FieldType type) { return type == FieldType::String || values.fit(type); });
}

// A later version may have what the session's version lacks.
template <class Find>
[[nodiscard]] auto in_versions(const SeenMessages& seen, Find find) {
  auto found = find(seen.standard());
  if (found != nullptr) return found;
  for (const Version version : std::views::reverse(dictionary::kVersions)) {
    found = find(dictionary::builtin_dictionary(version));
    if (found != nullptr) return found;
  }
  return found;
}

[[nodiscard]] const FieldDefinition* standard_field(const SeenMessages& seen, wire::Tag tag) {
  return in_versions(seen, [tag](const Dictionary& from) { return from.field(tag); });
}

// As other names of values, in UPPER_SNAKE.
[[nodiscard]] std::string value_name(std::string_view value) {
  std::string name = "VALUE_";
  for (const char c : value) {
    const bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    name += is_letter || (c >= '0' && c <= '9') ? c : '_';
  }
  return name;
}

[[nodiscard]] bool has_value(const FieldDefinition& field, std::string_view value) {
  return std::ranges::find(field.values, value, &EnumValue::value) != field.values.end();
}

class Learning {
 public:
  explicit Learning(const SeenMessages& seen) : seen_{seen}, standard_{seen.standard()} {}

  [[nodiscard]] Dictionary learn() {
    learned_.begin_string = standard_.begin_string;
    learned_.service_pack = standard_.service_pack;
    if (!is_over_fixt(seen_.version())) collect_envelope();
    for (const auto& [type, message] : seen_.messages()) collect(message);
    collect(seen_.header());
    for (const wire::Tag tag : tags_) add_field(tag);
    if (!is_over_fixt(seen_.version())) {
      learned_.header = standard_members(standard_.header);
      learned_.trailer = standard_members(standard_.trailer);
    }
    for (Member& member : members_of(seen_.header(), false)) learned_.header.push_back(member);
    for (const auto& [type, message] : seen_.messages()) add_message(type, message);
    return std::move(learned_);
  }

 private:
  void collect_envelope() {
    collect(standard_.header);
    collect(standard_.trailer);
    envelope_ = tags_;
  }
  void collect(const std::vector<Member>& members) {
    for (const dictionary::FlatMember& member : dictionary::flatten(standard_, members)) {
      tags_.insert(standard_.fields[member.field].tag);
      if (member.group) {
        counts_.insert(standard_.fields[member.field].tag);
        collect(standard_.groups[*member.group].members);
      }
    }
  }
  void collect(const SeenLevel& level) {
    for (const SeenMember& member : level.members) {
      tags_.insert(member.tag);
      if (!member.group) continue;
      counts_.insert(member.tag);
      collect(*member.group);
    }
  }

  void add_field(wire::Tag tag) {
    const FieldDefinition* const known = standard_field(seen_, tag);
    FieldDefinition field;
    if (known != nullptr) field = *known;
    field.tag = tag;
    field.name = name_of_field(seen_, tag);
    if (!names_.insert(field.name).second) field.name = fmt::format("Field{}", tag);
    names_.insert(field.name);
    const auto found = seen_.values().find(tag);
    if (found != seen_.values().end()) learn_values(field, found->second, known != nullptr);
    if (counts_.contains(tag)) {
      field.type = FieldType::NumInGroup;
    } else if (field.type == FieldType::NumInGroup) {
      field.type = FieldType::Int;
    }
    index_[tag] = static_cast<Index>(learned_.fields.size());
    learned_.fields.push_back(std::move(field));
  }

  void learn_values(FieldDefinition& field, const SeenValues& values, bool is_known) const {
    if (!is_known || !values.fit(field.type)) field.type = narrowest(values);
    const bool keeps_others = envelope_.contains(field.tag) || field.type == FieldType::Boolean;
    const bool is_own = !is_known && field.type == FieldType::Char && values.are_all_listed() &&
                        values.listed().size() <= kOwnValuesMax;
    if (field.values.empty() && !is_own) return;
    if (!values.are_all_listed()) {
      field.values.clear();
      return;
    }
    const std::vector<EnumValue> standard = std::exchange(field.values, {});
    if (keeps_others) field.values = standard;
    for (const auto& [value, seen] : values.listed()) {
      if (!dictionary::is_multiple(field.type)) {
        add_value(field, value, standard);
        continue;
      }
      for (const auto part : std::views::split(value, ' ')) {
        add_value(field, std::string_view{part.begin(), part.end()}, standard);
      }
    }
    field.other_values = dictionary::FieldDefinition::OtherValues::None;
  }

  static void add_value(FieldDefinition& field, std::string_view value,
                        const std::vector<EnumValue>& standard) {
    if (value.empty() || has_value(field, value)) return;
    const auto known = std::ranges::find(standard, value, &EnumValue::value);
    std::string name = known != standard.end() ? known->name : value_name(value);
    const auto has = [&](const std::string& text) {
      return std::ranges::find(field.values, text, &EnumValue::name) != field.values.end();
    };
    for (std::size_t i = 2; has(name); ++i) name = fmt::format("{}_{}", value_name(value), i);
    field.values.push_back({std::string{value}, std::move(name)});
  }

  [[nodiscard]] std::vector<Member> standard_members(const std::vector<Member>& members) {
    std::vector<Member> result;
    for (const dictionary::FlatMember& member : dictionary::flatten(standard_, members)) {
      const Index field = index_.at(standard_.fields[member.field].tag);
      if (!member.group) {
        result.push_back({MemberKind::Field, field, member.required});
        continue;
      }
      auto entries = standard_members(standard_.groups[*member.group].members);
      result.push_back(group(field, std::move(entries), member.required));
    }
    return result;
  }

  [[nodiscard]] Member group(Index count_field, std::vector<Member> members, bool required) {
    learned_.groups.push_back({count_field, std::move(members), false});
    return {MemberKind::Group, static_cast<Index>(learned_.groups.size() - 1), required};
  }

  // was_flat: entries were read before the group was known, and are not among the counts.
  [[nodiscard]] std::vector<Member> members_of(const SeenLevel& level, bool was_flat) {
    std::vector<Member> result;
    for (const SeenMember& member : level.members) {
      const bool required = member.count == level.count && !was_flat && &level != &seen_.header();
      if (member.group) {
        auto entries = members_of(*member.group, member.was_flat);
        if (!entries.empty()) entries.front().required = true;
        result.push_back(group(index_.at(member.tag), std::move(entries), required));
      } else if (!is_in_group_of(level, member.tag)) {
        result.push_back({MemberKind::Field, index_.at(member.tag), required});
      }
    }
    return result;
  }

  // A member of an entry that was read before its group was known.
  [[nodiscard]] static bool is_in_group_of(const SeenLevel& level, wire::Tag tag) {
    return std::ranges::any_of(level.members, [tag](const SeenMember& member) {
      return member.group && member.was_flat && member.group->has_deep(tag);
    });
  }

  void add_message(const std::string& type, const SeenLevel& message) {
    std::string name = name_of_message(seen_, type);
    if (!message_names_.insert(name).second) name = "Message_" + type;
    message_names_.insert(name);
    learned_.messages.push_back({.name = std::move(name),
                                 .msg_type = type,
                                 .admin = session::is_administrative(type),
                                 .members = members_of(message, false)});
  }

  const SeenMessages& seen_;
  const Dictionary& standard_;
  Dictionary learned_;
  std::set<wire::Tag> tags_;
  std::set<wire::Tag> counts_;    // of groups
  std::set<wire::Tag> envelope_;  // of the header and the trailer
  std::map<wire::Tag, Index> index_;
  std::set<std::string> names_;
  std::set<std::string> message_names_;
};

[[nodiscard]] std::string times(std::uint64_t count, std::string_view what) {
  return fmt::format(" <!-- {} {}{} -->", count, what, count == 1 ? "" : "s");
}

// How the lines of a format begin.
struct Marks {
  std::string_view message;
  std::string_view field;
  std::string_view value;
};
constexpr Marks kQuickFixMarks{"<message ", "<field number=", "<value "};
constexpr Marks kOrchestraMarks{"<fixr:message ", "<fixr:field ", "<fixr:code "};

// How often each value of the dictionary's enumerations was seen, in their order.
class ValueCounts {
 public:
  ValueCounts(const Dictionary& learned, const SeenMessages& seen)
      : field_{learned.fields.begin()}, seen_{seen} {}

  // 0: it was not seen. Called once for each value at most.
  std::uint64_t next() {
    while (value_ == field_->values.size()) {
      ++field_;
      value_ = 0;
    }
    const std::string& value = field_->values[value_++].value;
    const auto values = seen_.values().find(field_->tag);
    if (values == seen_.values().end()) return 0;
    const auto found = values->second.listed().find(value);
    return found == values->second.listed().end() ? 0 : found->second.count;
  }

 private:
  std::vector<FieldDefinition>::const_iterator field_;
  std::size_t value_ = 0;
  const SeenMessages& seen_;
};

}  // namespace

Dictionary learned_dictionary(const SeenMessages& seen) { return Learning{seen}.learn(); }

std::string name_of_field(const SeenMessages& seen, wire::Tag tag) {
  const FieldDefinition* const known = standard_field(seen, tag);
  return known != nullptr ? known->name : fmt::format("Field{}", tag);
}

std::string name_of_message(const SeenMessages& seen, std::string_view msg_type) {
  const auto* const known =
      in_versions(seen, [&](const Dictionary& from) { return from.message(msg_type); });
  return known != nullptr ? known->name : fmt::format("Message_{}", msg_type);
}

// The writers write the messages, the fields and their values in the dictionary's order, each in a
// line of its own.
std::string to_counted_xml(const Dictionary& learned, const SeenMessages& seen,
                           DictionaryFormat format) {
  const bool is_orchestra = format == DictionaryFormat::Orchestra;
  const Marks& marks = is_orchestra ? kOrchestraMarks : kQuickFixMarks;
  const std::string text =
      is_orchestra ? dictionary::to_orchestra(learned) : dictionary::to_quickfix_xml(learned);
  auto message = learned.messages.begin();
  auto field = learned.fields.begin();
  ValueCounts values{learned, seen};
  std::string counted;
  for (const auto part : std::views::split(text, '\n')) {
    const std::string_view line{part.begin(), part.end()};
    if (line.empty()) continue;
    counted += line;
    const std::string_view element = line.substr(line.find_first_not_of(' '));
    if (element.starts_with(marks.message)) {
      counted += times(seen.messages().find(message->msg_type)->second.count, "message");
      ++message;
    } else if (element.starts_with(marks.field)) {
      const auto found = seen.values().find(field->tag);
      if (found != seen.values().end()) counted += times(found->second.count(), "value");
      ++field;
    } else if (element.starts_with(marks.value)) {
      if (const std::uint64_t count = values.next(); count > 0) counted += times(count, "time");
    }
    counted += '\n';
  }
  return counted;
}

}  // namespace nexusfix::logs
