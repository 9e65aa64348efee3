// What the messages of logs have: their types, members, groups and values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>

#include "logs/fields/message_fields.hpp"

namespace nexusfix::logs {

// Where something was seen first.
struct SeenPlace {
  std::string file;
  std::uint64_t message = 0;  // in the file, from 1 on
};

struct SeenLevel;

struct SeenMember {
  wire::Tag tag = 0;
  std::uint64_t count = 0;  // of the messages or entries that have it
  SeenPlace first;
  std::optional<SeenPlace> missing;  // the first message or entry without it
  std::unique_ptr<SeenLevel> group;  // the entries that its value counts; null: it is no group
  bool was_flat = false;             // it had a count, and was not known as a group yet
  std::uint64_t serial = 0;          // of the last message or entry that has it
};

// The messages of one type, or the entries of one group.
struct SeenLevel {
  std::uint64_t count = 0;
  SeenPlace first;
  std::vector<SeenMember> members;  // in the order in which they were seen

  [[nodiscard]] SeenMember* find(wire::Tag tag) noexcept;
  // Whether it, or a group within it, has the member.
  [[nodiscard]] bool has_deep(wire::Tag tag) const noexcept;
};

// The values of one tag in all messages.
class SeenValues {
 public:
  struct Value {
    std::uint64_t count = 0;
    SeenPlace first;
  };
  // Values that are kept apart, and their length. Of others only the types are known.
  static constexpr std::size_t kListedMax = 1'000;
  static constexpr std::size_t kListedBytesMax = 100;

  void add(std::string_view value, const SeenPlace& place);
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] const std::map<std::string, Value, std::less<>>& listed() const noexcept {
    return listed_;
  }
  [[nodiscard]] bool are_all_listed() const noexcept { return unlisted_ == 0; }
  // The values that are not of a type.
  [[nodiscard]] Value misfits(dictionary::FieldType type) const;
  [[nodiscard]] bool fit(dictionary::FieldType type) const { return misfits(type).count == 0; }

 private:
  static constexpr std::size_t kTypes =
      static_cast<std::size_t>(dictionary::FieldType::XmlData) + 1;

  std::uint64_t count_ = 0;
  std::uint64_t unlisted_ = 0;
  std::map<std::string, Value, std::less<>> listed_;
  std::array<Value, kTypes> unlisted_misfits_;
};

// One thread. Values of passwords and of data fields are not kept.
class SeenMessages {
 public:
  // The version whose names, types and groups are known before.
  explicit SeenMessages(dictionary::Version version);

  // The fields of one message, with the envelope. False: it is none.
  [[nodiscard]] bool add(std::span<const MessageField> fields, const SeenPlace& place);

  [[nodiscard]] dictionary::Version version() const noexcept { return version_; }
  [[nodiscard]] const dictionary::Dictionary& standard() const noexcept { return *standard_; }
  // By MsgType. From FIX 5.0 on without administrative messages.
  [[nodiscard]] const std::map<std::string, SeenLevel, std::less<>>& messages() const noexcept {
    return messages_;
  }
  // Members of the header that the standard's header does not have.
  [[nodiscard]] const SeenLevel& header() const noexcept { return header_; }
  [[nodiscard]] const std::map<wire::Tag, SeenValues>& values() const noexcept { return values_; }

 private:
  struct Group {
    std::vector<std::size_t> begins;  // of its entries
    std::size_t end = 0;
  };
  using Fields = std::span<const MessageField>;

  void read_level(SeenLevel& level, Fields fields, const SeenPlace& place);
  [[nodiscard]] SeenMember& seen(SeenLevel& level, wire::Tag tag, std::uint64_t serial,
                                 const SeenPlace& place);
  [[nodiscard]] std::optional<Group> group_at(SeenLevel& level, Fields fields, std::size_t at);
  [[nodiscard]] std::size_t entry_end(SeenLevel& entry, wire::Tag count_tag,
                                      const std::set<wire::Tag>& of_others, Fields fields,
                                      std::size_t begin);
  [[nodiscard]] bool is_standard_member(wire::Tag count_tag, wire::Tag tag) const;
  [[nodiscard]] bool is_of_envelope(wire::Tag tag) const { return envelope_.contains(tag); }
  void collect_groups(const dictionary::Dictionary& from);

  const dictionary::Version version_;
  const dictionary::Dictionary* standard_;
  std::set<wire::Tag> envelope_;                            // of the header and the trailer
  std::map<wire::Tag, std::set<wire::Tag>> group_members_;  // by the count field, all within it
  std::map<std::string, SeenLevel, std::less<>> messages_;
  SeenLevel header_;
  std::map<wire::Tag, SeenValues> values_;
  std::uint64_t serial_ = 0;
};

// Adds the tags of the members, and of those within their groups.
void collect_tags(const dictionary::Dictionary& from,
                  const std::vector<dictionary::Member>& members, std::set<wire::Tag>& to);
// Whether the version's header, trailer and administrative messages are those of FIXT.1.1.
[[nodiscard]] bool is_over_fixt(dictionary::Version version) noexcept;

}  // namespace nexusfix::logs
