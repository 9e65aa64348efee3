// For any groups with any nesting, a parsed message has the entries that were written.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <rapidcheck.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/group_view.hpp>
#include <nexusfix/wire/parser.hpp>

#include "random/property/wire/group_tables.hpp"
#include "unit/wire/message_text.hpp"

namespace nexusfix::wire {
namespace {

// RapidCheck prints the seed of a failure. Its own generators would take minutes to build trees.
using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>{0, limit - 1}(random);
}

// The definition of a group: its fields and its nested groups.
struct Definition {
  Tag count_tag = 0;
  std::vector<Tag> fields;  // the delimiter first
  std::vector<Definition> groups;
  std::vector<test::GroupTables> tables;  // one

  [[nodiscard]] GroupShape shape() const { return tables.front().shape(); }
  void add_tags(std::vector<Tag>& tags) const {
    tags.insert(tags.end(), fields.begin(), fields.end());
    for (const Definition& group : groups) {
      tags.push_back(group.count_tag);
      group.add_tags(tags);
    }
  }
};

// Every tag once: neighbours, distant ones, and those without a key of their own.
class Tags {
 public:
  explicit Tags(Random& random) {
    for (Tag i = 0; i < 100; ++i) {
      tags_.insert(tags_.end(), {1'000 + i, 5'000 + 256 * i, 65'530 + i, 2'147'483'600 - 7 * i});
    }
    std::ranges::shuffle(tags_, random);
    // Messages without any large tag, and messages with some.
    if (below(random, 2) == 0) std::erase_if(tags_, [](Tag tag) { return tag >= 60'000; });
  }
  Tag take() {
    const Tag tag = tags_.back();
    tags_.pop_back();
    return tag;
  }

 private:
  std::vector<Tag> tags_;
};

Definition any_definition(Random& random, Tags& tags, unsigned depth) {
  Definition definition;
  definition.count_tag = tags.take();
  for (std::size_t i = 0; i <= below(random, 12); ++i) definition.fields.push_back(tags.take());
  const std::size_t groups = depth == 0 ? 0 : below(random, 3);
  for (std::size_t i = 0; i < groups; ++i) {
    definition.groups.push_back(any_definition(random, tags, depth - 1));
  }
  std::vector<Tag> members;
  definition.add_tags(members);
  definition.tables.emplace_back(definition.count_tag, members);
  return definition;
}

struct Entry {
  std::map<Tag, std::string> fields;
  std::map<Tag, std::vector<Entry>>
      groups;              // by the count field's tag; absent groups are not in it
  std::vector<Tag> order;  // of fields and groups, the delimiter first
};

std::vector<Entry> any_entries(Random& random, const Definition& definition) {
  std::vector<Entry> entries(below(random, 5));
  // Sometimes all entries have the same fields, which is the case that is optimised.
  const bool is_uniform = below(random, 2) == 0;
  for (Entry& entry : entries) {
    for (const Tag tag : definition.fields) {
      if (tag != definition.fields.front() && !is_uniform && below(random, 3) == 0) continue;
      entry.fields[tag] = std::to_string(random() >> below(random, 64));
      if (tag != definition.fields.front()) entry.order.push_back(tag);
    }
    for (const Definition& group : definition.groups) {
      if (below(random, 4) == 0) continue;
      entry.groups[group.count_tag] = any_entries(random, group);
      entry.order.push_back(group.count_tag);
    }
    if (!is_uniform) std::ranges::shuffle(entry.order, random);
    entry.order.insert(entry.order.begin(), definition.fields.front());
  }
  return entries;
}

const Definition& group_of(const Definition& definition, Tag count_tag) {
  return *std::ranges::find(definition.groups, count_tag, &Definition::count_tag);
}

void write(Encoder& encoder, const Definition& definition, const std::vector<Entry>& entries) {
  GroupWriter group = encoder.group(definition.count_tag, entries.size());
  for (const Entry& entry : entries) {
    group.entry();
    for (const Tag tag : entry.order) {
      if (const auto field = entry.fields.find(tag); field != entry.fields.end()) {
        encoder.field(tag, field->second);
      } else {
        write(encoder, group_of(definition, tag), entry.groups.at(tag));
      }
    }
  }
}

void require_same(const GroupView& group, const Definition& definition,
                  const std::vector<Entry>& entries) {
  RC_ASSERT((group.announced() == entries.size()));
  RC_ASSERT(group.count_is_valid());
  RC_ASSERT(group.size() == entries.size());
  auto wanted = entries.begin();
  for (const GroupEntry entry : group) {
    for (const Tag tag : definition.fields) {
      const auto field = wanted->fields.find(tag);
      const std::optional<std::string_view> value = entry[tag];
      RC_ASSERT(value.has_value() == (field != wanted->fields.end()));
      if (value) RC_ASSERT((*value == field->second));
    }
    for (const Definition& inner : definition.groups) {
      const GroupView nested = entry.group(inner.shape());
      const auto found = wanted->groups.find(inner.count_tag);
      RC_ASSERT(nested.count_field().has_value() == (found != wanted->groups.end()));
      if (nested.count_field()) require_same(nested, inner, found->second);
    }
    ++wanted;
  }
}

TEST(GroupProperty, written_groups_are_read_back_with_any_nesting) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Random random{seed};
    Tags tags{random};
    const Definition definition = any_definition(random, tags, 3);
    const std::vector<Entry> entries = any_entries(random, definition);
    const Tag next_tag = tags.take();

    std::vector<char> buffer(std::size_t{1} << 20U);
    HeaderTemplate session = *HeaderTemplate::make({"FIX.4.4", "S", "T"});
    Encoder encoder{buffer, session, {.msg_type = "D", .msg_seq_num = 1}};
    write(encoder, definition, entries);
    encoder.field(next_tag, "x");
    const auto bytes = encoder.finish();
    RC_ASSERT(bytes.has_value());

    Parser parser;
    const auto message = parser.parse(*bytes);
    RC_ASSERT(message.has_value());
    const GroupView group = message->group(definition.shape());
    require_same(group, definition, entries);
    RC_ASSERT(message->field(group.end_index()).tag == next_tag);
  }));
}

// The tags of the fields after the count field. An entry often repeats the one before, with or
// without a change in one field, as in the paths that compare entries.
std::vector<Tag> any_field_tags(Random& random, const std::vector<Tag>& known) {
  std::vector<Tag> tags;
  std::size_t entry_begin = 0;
  for (std::size_t entries = below(random, 6); entries > 0; --entries) {
    const std::size_t begin = tags.size();
    if (begin != 0 && below(random, 3) != 0) {
      const std::vector<Tag> before(tags.begin() + static_cast<std::ptrdiff_t>(entry_begin),
                                    tags.end());
      tags.insert(tags.end(), before.begin(), before.end());
      if (below(random, 3) == 0) tags[begin + below(random, before.size())] = known.back();
      if (below(random, 4) == 0) tags.pop_back();
    } else {
      tags.push_back(known.front());
      for (std::size_t more = below(random, 20); more > 0; --more) {
        tags.push_back(known[1 + below(random, known.size() - 1)]);
      }
    }
    if (tags.size() > begin) entry_begin = begin;
  }
  return tags;
}

// The indexes at which the entries of tags begin, and the end of the last one.
std::vector<std::size_t> plain_walk(const std::vector<Tag>& tags, Tag delimiter,
                                    const std::vector<Tag>& members) {
  std::vector<std::size_t> begins;
  std::size_t at = 0;
  for (; at < tags.size(); ++at) {
    const bool begins_entry = tags[at] == delimiter;
    if (begins_entry) begins.push_back(at);
    if (!begins_entry && (at == 0 || std::ranges::find(members, tags[at]) == members.end())) break;
  }
  begins.push_back(at);
  return begins;
}

void require_same_fields(const GroupEntry& entry, std::span<const Tag> tags,
                         const std::vector<Tag>& known) {
  RC_ASSERT(entry.field_count() == tags.size());
  for (const Tag tag : known) {
    for (std::size_t from = 0; from <= tags.size(); ++from) {
      const auto wanted =
          std::find(tags.begin() + static_cast<std::ptrdiff_t>(from), tags.end(), tag);
      const auto found = entry.find_index(tag, from);
      RC_ASSERT(found.has_value() == (wanted != tags.end()));
      if (found) RC_ASSERT((*found == static_cast<std::size_t>(wanted - tags.begin())));
    }
    // Each value is the field's number within the message.
    const auto value = entry.get<std::uint64_t>(tag);
    const auto wanted = std::ranges::find(tags, tag);
    RC_ASSERT(value.has_value() == (wanted != tags.end()));
    if (value) {
      const auto index = static_cast<std::size_t>(wanted - tags.begin());
      RC_ASSERT((*value == entry.first_index() + index));
    }
  }
}

TEST(GroupProperty, entries_of_any_tags_agree_with_a_plain_walk) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Random random{seed};
    Tags some{random};
    const Tag count_tag = some.take();
    // The last known tag is no member. Few of the others are, or most.
    std::vector<Tag> known;
    for (std::size_t i = 3 + below(random, 20); i > 0; --i) known.push_back(some.take());
    std::vector<Tag> members{known.begin(), known.end() - 1};
    if (below(random, 2) == 0) members.pop_back();
    const test::GroupTables tables{count_tag, members};

    const std::vector<Tag> tags = any_field_tags(random, known);
    constexpr std::size_t kFieldsBefore = 4;
    std::string body = "35=W|" + std::to_string(count_tag) + "=1|";
    for (std::size_t i = 0; i < tags.size(); ++i) {
      body += std::to_string(tags[i]) + "=" + std::to_string(kFieldsBefore + i) + "|";
    }
    const std::string bytes = test::message_of(body);
    Parser parser;
    const auto message = parser.parse(bytes);
    RC_ASSERT(message.has_value());

    const std::vector<std::size_t> begins = plain_walk(tags, known.front(), members);
    const GroupView group = message->group(tables.shape());
    RC_ASSERT(group.end_index() == kFieldsBefore + begins.back());
    std::size_t number = 0;
    for (const GroupEntry entry : group) {
      RC_ASSERT(number + 1 < begins.size());
      RC_ASSERT(entry.first_index() == kFieldsBefore + begins[number]);
      require_same_fields(
          entry, std::span{tags}.subspan(begins[number], begins[number + 1] - begins[number]),
          known);
      ++number;
    }
    RC_ASSERT(number + 1 == begins.size());
  }));
}

}  // namespace
}  // namespace nexusfix::wire
