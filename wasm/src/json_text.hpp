// Appends JSON to a text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "logs/output/json_bytes.hpp"

namespace nexusfix::browser {

// A JSON string. A reader gets these bytes if they are UTF-8; each other byte is \xff, with its
// backslash.
inline void append_json(std::string& to, std::string_view text) {
  const std::size_t before = to.size();
  const std::size_t most = text.size() * logs::kJsonByteMax + 2 + logs::kJsonSlack;
  to.resize_and_overwrite(before + most, [&](char* data, std::size_t) {
    char* const end = logs::write_json_string(data + before, text, text.data() + text.size());
    return static_cast<std::size_t>(end - data);
  });
}

inline void append_json(std::string& to, std::uint64_t number) { to += std::to_string(number); }

// A member of an object, with the comma before it: `,"name":value`.
template <class Value>
void append_member(std::string& to, std::string_view name, const Value& value) {
  to.append(",\"").append(name).append("\":");
  append_json(to, value);
}

}  // namespace nexusfix::browser
