// Which sessions a person means by a part of a name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nexusfix::command {

// The places of the names that a text may stand for: the name itself; or else those with this
// BeginString, CompID, SubID or qualifier; or else those with it anywhere. In upper or lower case,
// but for the name itself. Empty: none, and none for an empty text.
[[nodiscard]] std::vector<std::size_t> meant_names(const std::vector<std::string_view>& names,
                                                   std::string_view text);

// The error for a text that stands for none of the sessions, or for several. It lists the first.
[[nodiscard]] std::string not_one_session(std::vector<std::string_view> names,
                                          std::string_view text);

}  // namespace nexusfix::command
