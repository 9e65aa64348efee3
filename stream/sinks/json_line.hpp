// A record as one line of JSON: for destinations that have no headers beside a message.
#pragma once

#include <string>

#include "stream/broker.hpp"

namespace nexusfix::stream {

// Identifies the record: "LOG-OWNER-POSITION", as its headers have them. A record that is repeated
// after a crash has the id that it had before.
[[nodiscard]] std::string id_of(const Outgoing& record);

// Appends {"id":"LOG-OWNER-POSITION","engine":...,"message":"8=FIX..."} and a line break. The
// members after id are the headers; then comes the message, or, if is_object, the members of the
// object that the value of the record is. A message that is not UTF-8 is in message_hex. Numbers
// that may exceed 2^53 are texts: log and time.
void append_line(std::string& to, const Outgoing& record, bool is_object);

}  // namespace nexusfix::stream
