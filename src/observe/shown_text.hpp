// Bytes from outside, as a terminal and an event log may have them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nexusfix::observe {

// Appends SOH as |, and every other byte that is not printable ASCII as \xNN, so that no
// counterparty can write lines, or to a terminal, of its own; while the line has at most
// line_bytes_max. Returns how many bytes were taken; an escape is never cut in two.
std::size_t append_shown(std::string& line, std::string_view bytes, std::size_t line_bytes_max);

// The same of all bytes, or of as many as fit, with a word about those that do not.
void append_shown_or_cut(std::string& line, std::string_view bytes, std::size_t line_bytes_max);

}  // namespace nexusfix::observe
