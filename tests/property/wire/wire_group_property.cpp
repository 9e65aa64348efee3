// For any groups with any nesting, a parsed message has the entries that were written.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <rapidcheck.h>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/group_view.hpp>
#include <nexusfix/wire/group_writer.hpp>
#include <nexusfix/wire/parser.hpp>

#include "property/wire/group_tables.hpp"

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
  RC_ASSERT(group.count_is_right());
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

}  // namespace
}  // namespace nexusfix::wire
