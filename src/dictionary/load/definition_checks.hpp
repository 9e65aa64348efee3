// What every loader checks of what it has read, whatever the file's form.
#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary/model.hpp>

#include "dictionary/load/xml_file.hpp"

namespace nexusfix::dictionary {

// Where the definitions of a dictionary stand in its file, by their positions in the dictionary.
// A header or trailer that has no element of its own: null.
struct DefinitionNodes {
  pugi::xml_node header;
  pugi::xml_node trailer;
  std::vector<pugi::xml_node> components;
  std::vector<pugi::xml_node> groups;
  std::vector<pugi::xml_node> messages;
};

// Components and groups that may not hold each other as they do are faults, and mended where they
// can be. Of a file that is usable, warns of fields that a message, a group, header or trailer
// lists twice.
void check_definitions(XmlFile& file, Dictionary& dictionary, DefinitionNodes& nodes);

// False: no message can have this MsgType (35), a fault; the message is to be left out.
[[nodiscard]] bool check_msg_type(XmlFile& file, const pugi::xml_node& node,
                                  std::string_view msg_type);

// Warns of an enumeration's value that is not of the field's type: it counts, but a counterparty
// that checks types refuses it. False: no field can have such a value, a fault; it is to be left
// out.
[[nodiscard]] bool check_value(XmlFile& file, const pugi::xml_node& node,
                               const FieldDefinition& field, std::string_view value);

}  // namespace nexusfix::dictionary
