// Which fields a message has, and which messages have a field.
#pragma once

#include <cstdint>
#include <vector>

#include <nexusfix/dictionary/model.hpp>
#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::dictionary {

// All tags of a message, of its groups, too. O(members).
[[nodiscard]] std::vector<wire::Tag> tags_of(const Dictionary& dictionary,
                                             const std::vector<Member>& members);

[[nodiscard]] bool has_tag(const std::vector<wire::Tag>& tags, wire::Tag tag) noexcept;

// Whether messages have a field, in a component or group, too. Each component and each group is
// looked into once for all messages: a log may have this to ask for every message of it.
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
