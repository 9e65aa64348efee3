// A dictionary as the C interface needs it: with its transport, its groups and its names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include <nexusfix/catalog.hpp>
#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/parser.hpp>

#include "nexusfix.h"

namespace nexusfix::c {

// Threads: any number may read it.
class DictionaryData {
 public:
  using Shared = std::shared_ptr<const DictionaryData>;
  using Owned = std::shared_ptr<const dictionary::Dictionary>;

  // Each call returns one object, which the first call makes.
  [[nodiscard]] static const Shared& builtin(dictionary::Version version);
  // By BeginString, and with FIXT by ApplVerID; of an unknown version, that of FIX.5.0SP2.
  [[nodiscard]] static const Shared& of_message(const wire::MessageView& message);
  // name: of the file, in errors. Error: all faults, one a line.
  [[nodiscard]] static std::expected<Shared, std::string> load(std::string_view text,
                                                               std::string_view name);

  DictionaryData(Owned application, Owned transport);

  [[nodiscard]] const dictionary::Dictionary& application() const noexcept { return *application_; }
  [[nodiscard]] const dictionary::Dictionary& transport() const noexcept { return *transport_; }
  [[nodiscard]] bool is_over_fixt() const noexcept { return application_ != transport_; }

  // Null: neither dictionary has it.
  [[nodiscard]] const dictionary::FieldDefinition* field(wire::Tag tag) const noexcept;
  [[nodiscard]] const dictionary::FieldDefinition* field(std::string_view name) const noexcept;
  // Ascending tags, of both dictionaries.
  [[nodiscard]] std::span<const wire::Tag> tags() const noexcept { return tags_; }
  [[nodiscard]] const dictionary::MessageDefinition* message(
      std::string_view msg_type) const noexcept;
  [[nodiscard]] const dictionary::MessageDefinition* message_named(
      std::string_view name) const noexcept;
  [[nodiscard]] std::span<const dictionary::MessageDefinition* const> messages() const noexcept {
    return messages_;
  }
  // path: the count fields that lead to the group, the outermost first, and then its own; 1 to
  // NXF_GROUP_DEPTH. Null: there is no such group in the message.
  [[nodiscard]] const wire::GroupShape* group(std::string_view msg_type,
                                              std::span<const wire::Tag> path) const noexcept;
  // The members of the message, or of the entry of the group that the path leads to. Unset: there
  // is none.
  [[nodiscard]] std::optional<std::vector<dictionary::FlatMember>> members(
      std::string_view msg_type, std::span<const wire::Tag> path) const;
  // The dictionary that has the message.
  [[nodiscard]] const dictionary::Dictionary& dictionary_of(
      std::string_view msg_type) const noexcept;

 private:
  Owned application_;
  Owned transport_;
  dictionary::GroupShapes application_groups_;
  dictionary::GroupShapes transport_groups_;
  std::vector<wire::Tag> tags_;
  std::unordered_map<std::string_view, const dictionary::FieldDefinition*> fields_;
  std::vector<const dictionary::MessageDefinition*> messages_;
};

}  // namespace nexusfix::c

struct nxf_dictionary {
  nexusfix::c::DictionaryData::Shared data;
};
