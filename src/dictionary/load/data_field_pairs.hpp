// Which Length field belongs to a data field, where a dictionary does not say it.
#pragma once

#include <nexusfix/dictionary/model.hpp>

namespace nexusfix::dictionary {

// Sets length_tag of the data fields that have none: by name (RawData and RawDataLength,
// EncodedText and EncodedTextLen, SecurityXMLData and SecurityXMLLen); else by place, a field of
// type Length directly before it in some message, component or group.
void pair_data_fields(Dictionary& dictionary);

}  // namespace nexusfix::dictionary
