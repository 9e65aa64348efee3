// What the clients in other languages need of a dictionary, with a name for each part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::codegen {

// The type of a field's values, as a client has it.
enum class ValueKind : std::uint8_t { Text, Named, Integer, Decimal, Boolean, Time, Data };

// A value with a name.
struct NamedValue {
  std::string name;    // "BUY"
  std::string pascal;  // "Buy"
  std::string value;   // "1"
};

struct ModelField {
  std::string name;  // "Side"
  wire::Tag tag = 0;
  ValueKind kind = ValueKind::Text;
  wire::Tag length_tag = 0;        // of Data
  std::vector<NamedValue> values;  // of Named
};

struct ModelGroup {
  std::string name;  // that of its count field: "NoPartyIDs"; a further group adds its message
  wire::Tag count_tag = 0;
  std::vector<wire::Tag> members;     // of an entry, in the dictionary's order
  std::vector<std::string> groups;    // names of the groups in an entry, which come before this one
  std::vector<std::string> messages;  // that have it
};

struct ModelMessage {
  std::string name;      // "NewOrderSingle"; with the name of a field: "SecurityStatusMessage"
  std::string msg_type;  // "D"
};

// Names are unique over fields, groups and messages, and begin with an upper-case letter. The count
// field of a group is a group and no field. Equal groups are one.
struct LanguageModel {
  std::vector<ModelField> fields;
  std::vector<ModelGroup> groups;
  std::vector<ModelMessage> messages;  // those of the application
};

[[nodiscard]] LanguageModel language_model(const dictionary::Dictionary& dictionary);

}  // namespace nexusfix::codegen
