// Whether components and groups may hold each other as they do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nexusfix/dictionary/model.hpp>

namespace nexusfix::dictionary {

enum class Place : std::uint8_t { Component, Group, Message, Header, Trailer };

enum class StructureRule : std::uint8_t {
  HoldsItself,
  TooDeep,
  NoFields,       // a group without a field that begins its entries
  HoldsOwnCount,  // a group with the field that counts its entries
  TooMuch,
};

struct StructureFault {
  StructureRule rule = StructureRule::HoldsItself;
  Place place = Place::Component;
  Index index = 0;  // of a header or trailer: 0
  std::string text;
};

// What all messages, the header, the trailer, and each component and group hold, with what their
// components and groups hold each time that they are met.
inline constexpr std::size_t kFlatMembersMax = 16'000'000;

// The dictionary's indexes are right. Nothing, if no component or group holds itself, none is
// nested deeper than kNestingMax, each group holds a field, and kFlatMembersMax is kept. Whoever
// follows them later may recurse, and knows what it costs. O(members), whatever holds what.
[[nodiscard]] std::vector<StructureFault> check_structure(const Dictionary& dictionary);

// Mends what can be read otherwise, of these faults alone: a group without fields becomes the field
// that would count them, and one that holds its own count no longer does, if it stands directly in
// it. Returns the groups that are gone.
std::vector<Index> mend_structure(Dictionary& dictionary,
                                  const std::vector<StructureFault>& faults);

// What is wrong with a dictionary that no loader made: indexes of nothing, fields without order, or
// what check_structure() finds. Empty: it may be followed. O(members).
[[nodiscard]] std::string fault_of(const Dictionary& dictionary);

// Finds the fields that a list of members holds in two places, directly or by way of components.
class RepeatedFields {
 public:
  explicit RepeatedFields(const Dictionary& dictionary);
  // O(members); a component is entered once.
  [[nodiscard]] std::vector<Index> of(const std::vector<Member>& members);

 private:
  void walk(const std::vector<Member>& members, std::vector<Index>& repeated);

  const Dictionary& dictionary_;
  // In which call of of() each was seen last.
  std::vector<std::uint32_t> fields_seen_;
  std::vector<std::uint32_t> components_seen_;
  std::uint32_t call_ = 0;
};

}  // namespace nexusfix::dictionary
