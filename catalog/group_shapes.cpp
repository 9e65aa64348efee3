#include <algorithm>
#include <bit>
#include <unordered_set>
#include <utility>

#include <nexusfix/catalog.hpp>

#include "dictionary/api/dictionary_fault.hpp"

namespace nexusfix::dictionary {
namespace {

// Which components and groups a walk has met, for many walks. A new walk takes the next number
// instead of clearing the table.
class Met {
 public:
  explicit Met(std::size_t size) : walks_(size) {}
  // False: already met.
  [[nodiscard]] bool meet(Index index, std::uint32_t walk) {
    return std::exchange(walks_[index], walk) != walk;
  }

 private:
  std::vector<std::uint32_t> walks_;
};

constexpr wire::GroupShape kNoGroup;

// FNV-1a. Most MsgTypes have one or two letters.
std::size_t hash_of(std::string_view msg_type) noexcept {
  std::uint32_t hash = 2'166'136'261;
  for (const char c : msg_type) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619;
  return hash;
}

}  // namespace

class GroupShapesBuilder {
 public:
  explicit GroupShapesBuilder(const Dictionary& dictionary)
      : dictionary_{dictionary},
        fields_{dictionary.fields.size()},
        components_{dictionary.components.size()},
        groups_{dictionary.groups.size()} {}

  std::expected<GroupShapes, std::string> build() {
    for (const GroupDefinition& group : dictionary_.groups) add_members(group);
    if (is_too_much()) return std::unexpected{too_much()};
    make_shapes();
    for (const GroupDefinition& group : dictionary_.groups) {
      shapes_.inner_groups_.push_back(add_rows(groups_in({&group.members})));
    }
    shapes_.envelope_ = message_row({}, {&dictionary_.header, &dictionary_.trailer});
    for (const MessageDefinition& message : dictionary_.messages) {
      shapes_.messages_.push_back(message_row(message.msg_type, {&message.members}));
    }
    if (is_too_much()) return std::unexpected{too_much()};
    add_message_slots();
    return std::move(shapes_);
  }

 private:
  using Row = GroupShapes::Row;
  using Rows = GroupShapes::Rows;
  using Lists = std::initializer_list<const std::vector<Member>*>;

  // The parts of a group's tables, as positions, because the vectors still grow.
  struct Places {
    wire::Tag delimiter = 0;
    std::size_t slots_begin = 0;
    std::size_t slots_count = 0;
    std::size_t large_begin = 0;
    std::size_t large_count = 0;
  };

  // Counts every member that a walk meets, so that no dictionary can make this take long.
  [[nodiscard]] bool is_too_much() const { return met_ > GroupShapes::kMembersMax; }
  [[nodiscard]] static std::string too_much() {
    return "the groups have more than " + std::to_string(GroupShapes::kMembersMax) +
           " members together";
  }
  [[nodiscard]] wire::Tag tag(Index field) const { return dictionary_.fields[field].tag; }

  // The tags of a group and of its nested groups, each once, in the dictionary's order.
  void collect(const std::vector<Member>& members, std::vector<wire::Tag>& tags) {
    for (const Member& member : members) {
      ++met_;
      if (is_too_much()) return;
      switch (member.kind) {
        case Member::Kind::Field:
          if (fields_.meet(member.index, walk_)) tags.push_back(tag(member.index));
          break;
        case Member::Kind::Component:
          if (components_.meet(member.index, walk_)) {
            collect(dictionary_.components[member.index].members, tags);
          }
          break;
        case Member::Kind::Group: {
          if (!groups_.meet(member.index, walk_)) break;
          const GroupDefinition& group = dictionary_.groups[member.index];
          if (fields_.meet(group.count_field, walk_)) tags.push_back(tag(group.count_field));
          collect(group.members, tags);
          break;
        }
      }
    }
  }

  void add_members(const GroupDefinition& group) {
    std::vector<wire::Tag> tags;
    ++walk_;
    collect(group.members, tags);
    std::vector<std::uint16_t>& slots = shapes_.slots_;
    std::vector<wire::Tag>& large = shapes_.large_members_;
    Places places{.delimiter = tags.empty() ? 0 : tags.front(),
                  .slots_begin = slots.size(),
                  .slots_count = wire::group_slots_needed(tags.size()),
                  .large_begin = large.size()};
    slots.resize(slots.size() + places.slots_count);
    wire::fill_group_slots(tags, std::span{slots}.subspan(places.slots_begin));
    std::ranges::sort(tags);
    large.insert(large.end(), std::ranges::lower_bound(tags, wire::kLargeTagKey), tags.end());
    places.large_count = large.size() - places.large_begin;
    places_.push_back(places);
  }

  void make_shapes() {
    const std::span<const std::uint16_t> slots{shapes_.slots_};
    const std::span<const wire::Tag> large{shapes_.large_members_};
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Places& places = places_[i];
      shapes_.shapes_.emplace_back(wire::GroupShape::Tables{
          .count_tag = tag(dictionary_.groups[i].count_field),
          .delimiter = places.delimiter,
          .slots = slots.subspan(places.slots_begin, places.slots_count),
          .large_members = large.subspan(places.large_begin, places.large_count)});
    }
  }

  void collect_groups(const std::vector<Member>& members, std::vector<Row>& groups) {
    for (const Member& member : members) {
      ++met_;
      if (is_too_much()) return;
      if (member.kind == Member::Kind::Component && components_.meet(member.index, walk_)) {
        collect_groups(dictionary_.components[member.index].members, groups);
      } else if (member.kind == Member::Kind::Group && groups_.meet(member.index, walk_)) {
        groups.push_back({tag(dictionary_.groups[member.index].count_field), member.index});
      }
    }
  }

  // The groups that are not nested in another group.
  std::vector<Row> groups_in(Lists lists) {
    std::vector<Row> groups;
    ++walk_;
    for (const std::vector<Member>* members : lists) collect_groups(*members, groups);
    return groups;
  }

  Rows add_rows(std::vector<Row> rows) {
    std::unordered_set<wire::Tag> met;  // the first group with a count field counts
    std::erase_if(rows, [&](const Row& row) { return !met.insert(row.count_tag).second; });
    std::ranges::sort(rows, {}, &Row::count_tag);
    const auto begin = static_cast<std::uint32_t>(shapes_.rows_.size());
    shapes_.rows_.insert(shapes_.rows_.end(), rows.begin(), rows.end());
    return {begin, static_cast<std::uint32_t>(shapes_.rows_.size())};
  }

  GroupShapes::MessageRow message_row(const std::string& msg_type, Lists lists) {
    std::vector<Row> found = groups_in(lists);
    GroupShapes::MessageRow row{.msg_type = msg_type, .groups = add_rows(found), .all = {}};
    // Breadth first: nested groups follow all groups of the level above.
    for (std::size_t at = 0; at < found.size() && !is_too_much(); ++at) {
      const Rows inner = shapes_.inner_groups_[found[at].group];
      met_ += inner.end - inner.begin;
      for (std::uint32_t i = inner.begin; i < inner.end; ++i) {
        if (groups_.meet(shapes_.rows_[i].group, walk_)) found.push_back(shapes_.rows_[i]);
      }
    }
    row.all = add_rows(std::move(found));
    return row;
  }

  void add_message_slots() {
    std::vector<std::uint32_t>& slots = shapes_.message_slots_;
    slots.resize(std::bit_ceil(2 * shapes_.messages_.size() + 1));
    for (std::size_t i = 0; i < shapes_.messages_.size(); ++i) {
      std::size_t at = hash_of(shapes_.messages_[i].msg_type);
      while (slots[at & (slots.size() - 1)] != 0) ++at;
      slots[at & (slots.size() - 1)] = static_cast<std::uint32_t>(i + 1);
    }
  }

  const Dictionary& dictionary_;
  Met fields_;
  Met components_;
  Met groups_;
  std::uint32_t walk_ = 0;
  std::size_t met_ = 0;
  std::vector<Places> places_;
  GroupShapes shapes_;
};

std::expected<GroupShapes, std::string> GroupShapes::make(const Dictionary& dictionary) {
  const std::string fault = fault_of(dictionary);
  if (!fault.empty())
    return std::unexpected{"the structure of the dictionary is invalid: " + fault};
  return GroupShapesBuilder{dictionary}.build();
}

const GroupShapes::MessageRow* GroupShapes::message(std::string_view msg_type) const noexcept {
  const std::size_t mask = message_slots_.size() - 1;
  for (std::size_t at = hash_of(msg_type); message_slots_[at & mask] != 0; ++at) {
    const MessageRow& row = messages_[message_slots_[at & mask] - 1];
    if (row.msg_type == msg_type) return &row;
  }
  return nullptr;
}

const GroupShapes::Row* GroupShapes::find(Rows rows, wire::Tag count_tag) const noexcept {
  const std::span<const Row> all = std::span{rows_}.subspan(rows.begin, rows.end - rows.begin);
  const auto found = std::ranges::lower_bound(all, count_tag, {}, &Row::count_tag);
  return found != all.end() && found->count_tag == count_tag ? &*found : nullptr;
}

const wire::GroupShape& GroupShapes::shape(const Row* row) const noexcept {
  return row != nullptr ? shapes_[row->group] : kNoGroup;
}

const wire::GroupShape& GroupShapes::of(std::string_view msg_type,
                                        wire::Tag count_tag) const noexcept {
  const MessageRow* const found = message(msg_type);
  const Row* row = found != nullptr ? find(found->all, count_tag) : nullptr;
  if (row == nullptr) row = find(envelope_.all, count_tag);
  return shape(row);
}

const wire::GroupShape& GroupShapes::of(
    std::string_view msg_type, std::initializer_list<wire::Tag> count_tags) const noexcept {
  if (count_tags.size() == 0) return kNoGroup;
  const wire::Tag* at = count_tags.begin();
  const MessageRow* const found = message(msg_type);
  const Row* row = found != nullptr ? find(found->groups, *at) : nullptr;
  if (row == nullptr) row = find(envelope_.groups, *at);
  for (++at; at != count_tags.end() && row != nullptr; ++at) {
    row = find(inner_groups_[row->group], *at);
  }
  return shape(row);
}

std::size_t GroupShapes::size_bytes() const noexcept {
  return shapes_.size() * (sizeof(wire::GroupShape) + sizeof(Rows)) +
         messages_.size() * sizeof(MessageRow) + message_slots_.size() * sizeof(std::uint32_t) +
         rows_.size() * sizeof(Row) + slots_.size() * sizeof(std::uint16_t) +
         large_members_.size() * sizeof(wire::Tag);
}

}  // namespace nexusfix::dictionary
