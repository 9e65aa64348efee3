// Which fields a message has, and which messages have a field.
#pragma once

#include <cstdint>
#include <vector>

#include <nexusfix/dictionary/model.hpp>
#include <nexusfix/wire/field.hpp>

namespace nexusfix::dictionary {

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
