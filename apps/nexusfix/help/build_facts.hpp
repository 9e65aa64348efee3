// What this program was built from, as cmake/build_facts.cmake writes it.
#pragma once

#include <string_view>

namespace nexusfix::command {

// Twelve digits, and "-changed" if files differed from it. "unknown": the sources had no history.
[[nodiscard]] std::string_view commit() noexcept;

// Such as "GNU 12.2.0, hardened".
[[nodiscard]] std::string_view compiler() noexcept;

}  // namespace nexusfix::command
