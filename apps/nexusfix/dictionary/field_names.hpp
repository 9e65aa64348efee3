// Finds tags, values and groups by name, in all FIX versions and in a dictionary of the user.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::command {

class FieldNames {
 public:
  // own: its names come first, if it is not null; it must outlive this object.
  explicit FieldNames(const dictionary::Dictionary* own = nullptr) : own_{own} {}

  // The field with this name, or with this tag in digits. Ignores case if no name is exact. Null:
  // there is none.
  [[nodiscard]] const dictionary::FieldDefinition* field(std::string_view word) const;
  [[nodiscard]] const dictionary::FieldDefinition* field(wire::Tag tag) const;
  // The name of a message: "NewOrderSingle" for "D".
  [[nodiscard]] std::optional<std::string> message_name(std::string_view msg_type) const;
  // The name that an invalid one most likely stands for.
  [[nodiscard]] std::optional<std::string_view> nearest_field(std::string_view word) const;
  // The value on the wire of this name in the enumeration, in any version: "1" for BUY. A MsgType
  // has the names of messages.
  [[nodiscard]] std::optional<std::string> value(wire::Tag tag, std::string_view name) const;
  // The name of this value on the wire in the enumeration: "BUY" for "1".
  [[nodiscard]] std::optional<std::string> value_name(wire::Tag tag, std::string_view value) const;
  // The values of the enumeration in any version, by ascending value; the name of each is that of
  // the first version that has it. Of MsgType: the messages.
  [[nodiscard]] std::vector<dictionary::FieldDefinition::EnumValue> values(wire::Tag tag) const;
  // Whether the enumeration has this value on the wire.
  [[nodiscard]] bool has_value(wire::Tag tag, std::string_view value) const;
  // The name of a value that an invalid one most likely stands for.
  [[nodiscard]] std::optional<std::string> nearest_value(wire::Tag tag,
                                                         std::string_view word) const;
  // The tags of the groups with this count field, with those of groups within them. Sorted; empty:
  // it counts no group.
  [[nodiscard]] std::vector<wire::Tag> group_members(wire::Tag count) const;
  // The first dictionary that has a group with this count field. Null: none has.
  [[nodiscard]] const dictionary::Dictionary* dictionary_of_group(wire::Tag count) const;

 private:
  // Calls use with each dictionary until it returns true: the user's, and then the built-in ones,
  // the most used first. A built-in dictionary is unpacked only when its turn comes.
  template <class Use>
  void each(Use use) const;
  // Only those that name values of the field; no other one is unpacked.
  template <class Use>
  void each_with_values(wire::Tag tag, Use use) const;

  const dictionary::Dictionary* own_;
};

// The names of tags by number, for printing millions of fields. A lookup is one load.
class TagNames {
 public:
  // own: its names come first, if it is not null.
  explicit TagNames(const dictionary::NameTable* own) : own_{own} {}

  // The name in the version of this message, or else in another one; empty: there is none.
  struct Version {
    // The name in quotes, and `:"`: the beginning of a text member of a JSON object.
    struct Key {
      static constexpr std::size_t kBytes = 31;
      std::array<char, kBytes> text{};
      std::uint8_t size = 0;  // 0: there is no name, or it is longer
    };
    std::vector<std::string_view> names;        // by tag
    std::vector<Key> keys;                      // by tag
    std::vector<dictionary::NameTable> tables;  // of higher tags; the first that has it names it
    [[nodiscard]] std::string_view name(wire::Tag tag) const noexcept {
      const auto index = static_cast<std::size_t>(tag);
      return index < names.size() ? names[index] : look_up(tag);
    }
    [[nodiscard]] std::string_view look_up(wire::Tag tag) const noexcept;
    // Null: the tag is out of range.
    [[nodiscard]] const Key* key(wire::Tag tag) const noexcept {
      const auto index = static_cast<std::size_t>(tag);
      return index < keys.size() ? &keys[index] : nullptr;
    }
  };
  [[nodiscard]] const Version& of(std::string_view begin_string);

 private:
  const dictionary::NameTable* own_;
  std::string begin_string_;  // of the last call
  const Version* last_ = nullptr;
  std::unique_ptr<Version> versions_[16];
};

}  // namespace nexusfix::command
