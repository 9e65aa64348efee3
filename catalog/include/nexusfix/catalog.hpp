// A whole dictionary in a program that handles messages of any type: its repeating groups, for
// messages without generated headers, and the dictionary itself as a file. Link
// `nexusfix::catalog`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/group_view.hpp>

namespace nexusfix::dictionary {

// The groups of all messages of a dictionary, as wire::MessageView::group() needs them. Made once
// from the dictionary, which it does not need afterwards. Movable, not copyable: the shapes point
// into it, and stay valid when it is moved. Any number of threads may read it.
//
//   const auto shapes = dictionary::GroupShapes::make(dictionary);
//   for (const auto entry : message.group(shapes->of("W", 268))) use(entry[270]);
//
//   for (const auto side : report.group(shapes->of("AE", 552))) {
//     for (const auto party : side.group(shapes->of("AE", 453))) use(party[448]);
//   }
class GroupShapes {
 public:
  // Makes the shapes of a dictionary. The error is a text with the reason: the groups have more
  // than kMembersMax members, or a dictionary that no loader made is inconsistent. Allocates; for
  // startup.
  [[nodiscard]] static std::expected<GroupShapes, std::string> make(const Dictionary& dictionary);
  // The number of members of all groups together, at most. A member counts once for each group
  // around it. Real dictionaries have some ten thousand.
  static constexpr std::size_t kMembersMax = std::size_t{1} << 22U;

  GroupShapes(const GroupShapes&) = delete;
  GroupShapes& operator=(const GroupShapes&) = delete;
  // Takes the shapes. Shapes of other stay valid as long as this object; other is empty afterwards.
  GroupShapes(GroupShapes&&) noexcept = default;
  // Takes the shapes. The earlier shapes of this object become invalid.
  GroupShapes& operator=(GroupShapes&&) noexcept = default;
  ~GroupShapes() = default;

  // The group with this count field in messages of this type, or in header or trailer. It may be
  // nested. If several groups have this count field, it is the outermost one, and of these the
  // first. If there is none, it is a shape that matches no message, so that a loop over its entries
  // ends at once. Valid as long as this object. O(log groups of the message); does not allocate.
  [[nodiscard]] const wire::GroupShape& of(std::string_view msg_type,
                                           wire::Tag count_tag) const noexcept;
  // For a count field that several groups have. count_tags: the count fields of the
  // enclosing groups, the outermost first, and then its own.
  [[nodiscard]] const wire::GroupShape& of(
      std::string_view msg_type, std::initializer_list<wire::Tag> count_tags) const noexcept;
  // The group at this position in Dictionary::groups, which must exist. Valid as long as this
  // object.
  [[nodiscard]] const wire::GroupShape& of(Index group) const noexcept { return shapes_[group]; }

  // The memory of all tables, in bytes.
  [[nodiscard]] std::size_t size_bytes() const noexcept;

 private:
  friend class GroupShapesBuilder;

  struct Row {
    wire::Tag count_tag = 0;
    Index group = 0;
  };
  // A range of rows_.
  struct Rows {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  struct MessageRow {
    std::string msg_type;
    Rows groups;  // the groups that are not nested
    Rows all;
  };

  GroupShapes() = default;

  [[nodiscard]] const MessageRow* message(std::string_view msg_type) const noexcept;
  [[nodiscard]] const Row* find(Rows rows, wire::Tag count_tag) const noexcept;
  [[nodiscard]] const wire::GroupShape& shape(const Row* row) const noexcept;

  std::vector<wire::GroupShape> shapes_;  // in the order of Dictionary::groups
  std::vector<Rows> inner_groups_;        // likewise: the groups directly within each
  std::vector<MessageRow> messages_;      // in the order of Dictionary::messages
  // A hash table of positions in messages_, counted from 1. Half of the slots are empty (0).
  std::vector<std::uint32_t> message_slots_;
  MessageRow envelope_;    // header and trailer
  std::vector<Row> rows_;  // each Rows by ascending tag
  std::vector<std::uint16_t> slots_;
  std::vector<wire::Tag> large_members_;
};

// Writes a dictionary as QuickFIX XML in UTF-8, whatever format it was loaded from: to edit a copy
// of a built-in one, or to convert an Orchestra repository for QuickFIX. Loading the text again
// gives an equal dictionary, with three exceptions: a group that several members share is written
// once for each, warnings are lost, and fields of an unknown type are strings. Allocates;
// O(output).
[[nodiscard]] std::string to_quickfix_xml(const Dictionary& dictionary);

// Writes a dictionary as a FIX Orchestra repository (1.0) in UTF-8. Loading the text gives the
// messages, fields and groups again, with these exceptions: the header and the trailer are also
// components; the messages of the session layer alone are administrative; warnings and
// any_field_begins are lost; fields of an unknown type are strings. Allocates; O(output).
[[nodiscard]] std::string to_orchestra(const Dictionary& dictionary);

}  // namespace nexusfix::dictionary
