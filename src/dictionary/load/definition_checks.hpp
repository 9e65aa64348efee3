// The checks that every loader makes of the definitions that it has read, whatever the file format
// is.
#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>

#include "dictionary/load/xml_file.hpp"

namespace nexusfix::dictionary {

// Where the definitions of a dictionary are in its file, by their positions in the dictionary. Null
// for a header or trailer without an element of its own.
struct DefinitionNodes {
  pugi::xml_node header;
  pugi::xml_node trailer;
  std::vector<pugi::xml_node> components;
  std::vector<pugi::xml_node> groups;
  std::vector<pugi::xml_node> messages;
};

// Components and groups that may not contain each other are faults, and are repaired if possible.
// For a usable file, warns of fields that a message, group, header or trailer lists twice.
void check_definitions(XmlFile& file, Dictionary& dictionary, DefinitionNodes& nodes);

// False: no message can have this MsgType (35), which is a fault. Omit the message.
[[nodiscard]] bool check_msg_type(XmlFile& file, const pugi::xml_node& node,
                                  std::string_view msg_type);

// Warns of an enumeration's value that is not of the field's type: it is valid, but a counterparty
// that checks types refuses it. False: no field can have this value, which is a fault. Omit it.
[[nodiscard]] bool check_value(XmlFile& file, const pugi::xml_node& node,
                               const FieldDefinition& field, std::string_view value);

}  // namespace nexusfix::dictionary
