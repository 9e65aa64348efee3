// The words that the completion of a shell asks for while a person types.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nexusfix::command {

// For "sessions" and "engines" those that run under this user; for "events", "keys", "fields" and
// "kits" all names. A session is named by its last CompID, if no other session has it. Nullopt: the
// kind is none of them.
[[nodiscard]] std::optional<std::vector<std::string>> completion_words(std::string_view kind);

}  // namespace nexusfix::command
