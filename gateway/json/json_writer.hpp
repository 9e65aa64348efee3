// A frame becomes the JSON of docs/reference/gateway-json.md.
#pragma once

#include <string>

#include "gateway/protocol/frame.hpp"

namespace nexusfix::gateway {

// Appends the text, which is UTF-8. Any thread.
void append_json_of(std::string& out, const Frame& frame);

}  // namespace nexusfix::gateway
