// Whether a text is of a FIX type, for tools that look at values.
#pragma once

#include <string_view>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {

// Whether a nonempty text is of the type. Any text may be given; no byte around it is read. The
// slow path of all types, and the only one of the rare types.
[[nodiscard]] bool is_of_type(FieldType type, std::string_view text) noexcept;

}  // namespace nexusfix::dictionary
