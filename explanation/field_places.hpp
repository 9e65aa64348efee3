// The places where a field is allowed, for an explanation of a misplaced field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/field.hpp>

namespace nexusfix::dictionary {

struct GroupPlace {
  const Dictionary* dictionary = nullptr;
  const GroupDefinition* group = nullptr;
  wire::Tag count_tag = 0;
  wire::Tag delimiter = 0;  // the first field of an entry

  [[nodiscard]] bool has(wire::Tag tag) const;  // directly, not in a nested group
};

// The groups of a message, of the header and of the trailer: each once, outer ones first.
[[nodiscard]] std::vector<GroupPlace> groups_of(const FixtDictionaries& both,
                                                std::string_view msg_type);

// "Logon, News, ..."; empty: no message has the field.
[[nodiscard]] std::string messages_with(const FixtDictionaries& both, wire::Tag tag);

// "DisplayQty in FIX.5.0 to FIX.5.0SP2" for the built-in versions; empty: no version has it.
[[nodiscard]] std::string versions_with(wire::Tag tag);

// Which fields a message has, and which messages have a field.
//
// All tags of a message, including those of its groups. O(members).
[[nodiscard]] std::vector<wire::Tag> tags_of(const Dictionary& dictionary,
                                             const std::vector<Member>& members);

[[nodiscard]] bool has_tag(const std::vector<wire::Tag>& tags, wire::Tag tag) noexcept;

// Whether messages have a field, also in a component or group. Enters each component and each group
// once for all messages, because a log may need the answer for every message.
class FieldSearch {
 public:
  // The dictionary must outlive the search.
  FieldSearch(const Dictionary& dictionary, wire::Tag tag);

  [[nodiscard]] bool is_in(const std::vector<Member>& members);

 private:
  enum class Found : std::uint8_t { Unknown, No, Yes };

  [[nodiscard]] bool is_in(const Member& member);

  const Dictionary& dictionary_;
  wire::Tag tag_;
  std::vector<Found> components_;
  std::vector<Found> groups_;
};

}  // namespace nexusfix::dictionary
