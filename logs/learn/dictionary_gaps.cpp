#include "logs/learn/dictionary_gaps.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>

#include "logs/learn/learned_dictionary.hpp"

namespace nexusfix::logs {
namespace {

using dictionary::Dictionary;
using dictionary::FieldDefinition;
using dictionary::FlatMember;
using dictionary::Member;
using dictionary::MessageDefinition;

class GapSearch {
 public:
  GapSearch(const SeenMessages& seen, const command::NamedDictionary& named)
      : seen_{seen}, named_{named} {
    for (const std::vector<Member>* const part :
         {&named.transport().header, &named.transport().trailer}) {
      collect_tags(named.transport(), *part, envelope_);
    }
  }

  [[nodiscard]] std::vector<DictionaryGap> search() {
    compare_members(seen_.header(), "the header", envelope_);
    for (const auto& [type, message] : seen_.messages()) compare_message(type, message);
    for (const auto& [tag, values] : seen_.values()) compare_values(tag, values);
    return std::move(gaps_);
  }

 private:
  template <class Find>
  [[nodiscard]] auto in_either(Find find) const {
    const auto found = find(named_.application());
    return found != nullptr ? found : find(named_.transport());
  }
  [[nodiscard]] const FieldDefinition* field(wire::Tag tag) const {
    return in_either([tag](const Dictionary& from) { return from.field(tag); });
  }
  [[nodiscard]] std::string field_text(wire::Tag tag) const {
    const FieldDefinition* const known = field(tag);
    return fmt::format("{} ({})", known != nullptr ? known->name : name_of_field(seen_, tag), tag);
  }

  void add(std::string where, std::string what, std::uint64_t count, const SeenPlace& first) {
    gaps_.push_back({std::move(where), std::move(what), count, first});
  }

  void compare_message(const std::string& type, const SeenLevel& message) {
    const std::string where = fmt::format("{} ({})", name_of_message(seen_, type), type);
    const Dictionary* from = &named_.application();
    const MessageDefinition* known = from->message(type);
    if (known == nullptr) {
      from = &named_.transport();
      known = from->message(type);
    }
    if (known == nullptr)
      return add(where, "the message is not in the dictionary", message.count, message.first);
    std::set<wire::Tag> tags = envelope_;
    collect_tags(*from, known->members, tags);
    compare_members(message, where, tags);
    compare_required(*from, known->members, message, where);
  }

  void compare_members(const SeenLevel& level, const std::string& where,
                       const std::set<wire::Tag>& tags) {
    for (const SeenMember& member : level.members) {
      if (field(member.tag) == nullptr) {
        add(where, fmt::format("tag {} is not in the dictionary", member.tag), member.count,
            member.first);
      } else if (!tags.contains(member.tag)) {
        add(where, field_text(member.tag) + " is not a field of it", member.count, member.first);
      }
      if (member.group) compare_members(*member.group, where, tags);
    }
  }

  void compare_required(const Dictionary& from, const std::vector<Member>& members,
                        const SeenLevel& level, const std::string& where) {
    for (const FlatMember& wanted : dictionary::flatten(from, members)) {
      const wire::Tag tag = from.fields[wanted.field].tag;
      const auto has = std::ranges::find(level.members, tag, &SeenMember::tag);
      const bool is_seen = has != level.members.end();
      const std::uint64_t count = is_seen ? has->count : 0;
      if (wanted.required && count < level.count) {
        add(where, field_text(tag) + " is required, and missing", level.count - count,
            is_seen && has->missing ? *has->missing : level.first);
      }
      if (!wanted.group || !is_seen || !has->group || has->was_flat) continue;
      compare_required(from, from.groups[*wanted.group].members, *has->group,
                       fmt::format("{}, {}", where, field_text(tag)));
    }
  }

  void compare_values(wire::Tag tag, const SeenValues& values) {
    const FieldDefinition* const known = field(tag);
    if (known == nullptr) return;
    const std::string where = "field " + field_text(tag);
    if (!known->values.empty() && tag != tag::MsgType) return compare_listed(*known, values, where);
    const SeenValues::Value misfits = values.misfits(known->type);
    if (misfits.count == 0) return;
    add(where, fmt::format("a value is no {}", dictionary::to_string(known->type)), misfits.count,
        misfits.first);
  }

  void compare_listed(const FieldDefinition& known, const SeenValues& values,
                      const std::string& where) {
    const auto is_valid = [&](std::string_view value) {
      return std::ranges::find(known.values, value,
                               &dictionary::FieldDefinition::EnumValue::value) !=
                 known.values.end() ||
             (!value.empty() && dictionary::is_other_value(known.other_values, value));
    };
    const auto is_list_valid = [&](std::string_view value) {
      return std::ranges::all_of(std::views::split(value, ' '), [&](const auto& part) {
        return is_valid(std::string_view{part.begin(), part.end()});
      });
    };
    for (const auto& [value, seen] : values.listed()) {
      if (dictionary::is_multiple(known.type) ? is_list_valid(value) : is_valid(value)) continue;
      add(where, fmt::format("value '{}' is not listed", value), seen.count, seen.first);
    }
  }

  const SeenMessages& seen_;
  const command::NamedDictionary& named_;
  std::set<wire::Tag> envelope_;
  std::vector<DictionaryGap> gaps_;
};

}  // namespace

std::vector<DictionaryGap> dictionary_gaps(const SeenMessages& seen,
                                           const command::NamedDictionary& named) {
  return GapSearch{seen, named}.search();
}

}  // namespace nexusfix::logs
