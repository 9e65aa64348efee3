// Bytes as JSON strings, fast for the usual ones.
#pragma once

#include <string>
#include <string_view>

namespace nexusfix::logs {

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;
// Appends text without quotes. It is UTF-8: a reader gets exactly these bytes.
void append_json_bytes(std::string& to, std::string_view text);
// Appends text in quotes. A byte that is not UTF-8 is written as \\xff, with its backslash.
void append_json_string(std::string& to, std::string_view text);

}  // namespace nexusfix::logs
