// The JSON of a client becomes a frame: docs/reference/gateway-json.md.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/json/field_names.hpp"
#include "gateway/json/json_value.hpp"

namespace nexusfix::gateway {

// Why a text is no frame.
struct JsonFault {
  std::string text;  // one line for the client
  // A "send" whose message alone is wrong: the gateway refuses it, and the client goes on.
  bool is_of_message = false;
  std::uint32_t session = 0;  // of that "send"
  std::uint64_t number = 0;
};

// Appends the frame of a text: of any type, also of those that only the gateway sends. After an
// error nothing is appended. Any thread.
[[nodiscard]] std::expected<void, JsonFault> append_frame_of(std::vector<char>& out,
                                                             std::string_view json,
                                                             const FieldNames& names);

}  // namespace nexusfix::gateway
