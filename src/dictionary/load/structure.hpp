// Checks how components and groups contain each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {

enum class Place : std::uint8_t { Component, Group, Message, Header, Trailer };

enum class StructureRule : std::uint8_t {
  ContainsItself,
  TooDeep,
  NoFields,          // a group without a first field for its entries
  ContainsOwnCount,  // a group that contains the field that counts its entries
  TooMuch,
};

struct StructureFault {
  StructureRule rule = StructureRule::ContainsItself;
  Place place = Place::Component;
  Index index = 0;  // of a header or trailer: 0
  std::string text;
};

// The total number of members of all messages, the header, the trailer, and each component and
// group. Members of a component or group count each time that it is used.
inline constexpr std::size_t kFlatMembersMax = 16'000'000;

// Requires valid indexes. Empty: no component or group contains itself, none is nested deeper than
// kNestingMax, each group has a field, and the total is at most kFlatMembersMax. After that, code
// may walk the definitions recursively at a known cost. O(members), whatever the nesting is.
[[nodiscard]] std::vector<StructureFault> check_structure(const Dictionary& dictionary);

// Repairs those of the given faults that have another reading: a group without fields becomes the
// field that would count its entries, and a group that directly contains its own count field loses
// it. Returns the removed groups.
std::vector<Index> repair_structure(Dictionary& dictionary,
                                    const std::vector<StructureFault>& faults);

// Finds the fields that a list of members contains twice, directly or in components.
class RepeatedFields {
 public:
  explicit RepeatedFields(const Dictionary& dictionary);
  // O(members); a component is entered once.
  [[nodiscard]] std::vector<Index> of(const std::vector<Member>& members);

 private:
  void walk(const std::vector<Member>& members, std::vector<Index>& repeated);

  const Dictionary& dictionary_;
  // The call of of() in which each field was last seen.
  std::vector<std::uint32_t> fields_seen_;
  std::vector<std::uint32_t> components_seen_;
  std::uint32_t call_ = 0;
};

}  // namespace nexusfix::dictionary
