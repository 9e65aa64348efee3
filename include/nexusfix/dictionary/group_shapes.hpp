// The repeating groups of a dictionary's messages, by the tag of their count field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary/model.hpp>
#include <nexusfix/wire/typed/field.hpp>
#include <nexusfix/wire/typed/group_shape.hpp>

namespace nexusfix::dictionary {

// Made once from a dictionary, which it does not need any more after that. Movable, not copyable:
// the shapes point into it, and stay valid when it is moved. Any number of threads may read.
//
//   const auto shapes = dictionary::GroupShapes::make(dictionary);
//   for (const auto entry : message.group(shapes->of("W", 268))) use(entry[270]);
//
//   for (const auto side : report.group(shapes->of("AE", 552))) {
//     for (const auto party : side.group(shapes->of("AE", 453))) use(party[448]);
//   }
class GroupShapes {
 public:
  // Fails with a text that says why if the members of all groups together, counted once for each
  // group around them, are more than kMembersMax, or if a dictionary made by hand is not
  // consistent. Real dictionaries have some ten thousand members. Allocates; for start-up.
  [[nodiscard]] static std::expected<GroupShapes, std::string> make(const Dictionary& dictionary);
  static constexpr std::size_t kMembersMax = std::size_t{1} << 22U;

  GroupShapes(const GroupShapes&) = delete;
  GroupShapes& operator=(const GroupShapes&) = delete;
  GroupShapes(GroupShapes&&) noexcept = default;
  GroupShapes& operator=(GroupShapes&&) noexcept = default;
  ~GroupShapes() = default;

  // The group with this count field in messages of this type, or in header or trailer. It may be
  // within others; if there are several, the outermost, of these the first. If there is none, a
  // shape that no message has, so that a walk over its entries ends at once. Valid as long as this
  // object. O(log groups of the message); no allocation.
  [[nodiscard]] const wire::GroupShape& of(std::string_view msg_type,
                                           wire::Tag count_tag) const noexcept;
  // The same by the count fields of the groups around it, the outermost first, and its own last,
  // where one count field belongs to several groups.
  [[nodiscard]] const wire::GroupShape& of(
      std::string_view msg_type, std::initializer_list<wire::Tag> count_tags) const noexcept;
  // By its position in Dictionary::groups.
  [[nodiscard]] const wire::GroupShape& of(Index group) const noexcept { return shapes_[group]; }

  // Of all tables, in memory.
  [[nodiscard]] std::size_t size_bytes() const noexcept;

 private:
  friend class GroupShapesBuilder;

  struct Row {
    wire::Tag count_tag = 0;
    Index group = 0;
  };
  // Of rows_.
  struct Rows {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  struct MessageRow {
    std::string msg_type;
    Rows groups;  // that are within no other
    Rows all;
  };

  GroupShapes() = default;

  [[nodiscard]] const MessageRow* message(std::string_view msg_type) const noexcept;
  [[nodiscard]] const Row* find(Rows rows, wire::Tag count_tag) const noexcept;
  [[nodiscard]] const wire::GroupShape& shape(const Row* row) const noexcept;

  std::vector<wire::GroupShape> shapes_;  // as Dictionary::groups
  std::vector<Rows> inner_groups_;        // likewise: those directly within one
  std::vector<MessageRow> messages_;      // as Dictionary::messages
  // A hash table: positions in messages_, counted from 1; 0 is an empty slot, and half are.
  std::vector<std::uint32_t> message_slots_;
  MessageRow envelope_;    // header and trailer
  std::vector<Row> rows_;  // each Rows by ascending tag
  std::vector<std::uint16_t> slots_;
  std::vector<wire::Tag> large_members_;
};

}  // namespace nexusfix::dictionary
