// The tables of a GroupShape that is made at run time, and their owner.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <nexusfix/wire/group_view.hpp>

namespace nexusfix::test {

class GroupTables {
 public:
  // members: the delimiter first.
  GroupTables(wire::Tag count_tag, const std::vector<wire::Tag>& members)
      : count_tag_{count_tag},
        delimiter_{members.front()},
        slots_(wire::group_slots_needed(members.size())) {
    wire::fill_group_slots(members, slots_);
    std::ranges::copy_if(members, std::back_inserter(large_),
                         [](wire::Tag tag) { return tag >= wire::kLargeTagKey; });
    std::ranges::sort(large_);
  }

  // Valid as long as this object is neither changed nor destroyed.
  [[nodiscard]] wire::GroupShape shape() const {
    return wire::GroupShape{{.count_tag = count_tag_,
                             .delimiter = delimiter_,
                             .slots = slots_,
                             .large_members = large_}};
  }

 private:
  wire::Tag count_tag_;
  wire::Tag delimiter_;
  std::vector<std::uint16_t> slots_;
  std::vector<wire::Tag> large_;
};

}  // namespace nexusfix::test
