// Makes bytes from outside safe for terminals and event logs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nexusfix::observe {

// Appends SOH as |, and every other byte that is not printable ASCII as \xNN, so that no
// counterparty can forge lines or control a terminal. Stops when the line has line_bytes_max.
// Returns the number of bytes that were taken; an escape is never split.
std::size_t append_shown(std::string& line, std::string_view bytes, std::size_t line_bytes_max);

// Appends all bytes, or those that fit and the number of those that do not.
void append_shown_or_cut(std::string& line, std::string_view bytes, std::size_t line_bytes_max);

}  // namespace nexusfix::observe
