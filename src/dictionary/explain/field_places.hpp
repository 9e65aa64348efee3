// Where a field may stand, for those who look for one that stands elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary/model.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::dictionary {

struct GroupPlace {
  const Dictionary* dictionary = nullptr;
  const GroupDefinition* group = nullptr;
  wire::Tag count_tag = 0;
  wire::Tag delimiter = 0;  // that an entry begins with

  [[nodiscard]] bool has(wire::Tag tag) const;  // directly, not in a group within
};

// The groups of a message, of the header and of the trailer: each once, those further out first.
[[nodiscard]] std::vector<GroupPlace> groups_of(const FixtDictionaries& both,
                                                std::string_view msg_type);

// "Logon, News, ..."; empty: no message has the field.
[[nodiscard]] std::string messages_with(const FixtDictionaries& both, wire::Tag tag);

// "DisplayQty in FIX.5.0 to FIX.5.0SP2", of the versions that are built in; empty: none has it.
[[nodiscard]] std::string versions_with(wire::Tag tag);

}  // namespace nexusfix::dictionary
