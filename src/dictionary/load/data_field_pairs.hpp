// Finds the Length field of a data field if the dictionary does not name it.
#pragma once

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {

// Sets length_tag of the data fields that have none: by name (RawData and RawDataLength,
// EncodedText and EncodedTextLen, SecurityXMLData and SecurityXMLLen), otherwise by position, as a
// field of type Length directly before it in a message, component or group.
void pair_data_fields(Dictionary& dictionary);

}  // namespace nexusfix::dictionary
