// The members of a message, component or group as a tree, for people and for programs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nexusfix/dictionary.hpp>

#include "nexusfix/text/json.hpp"

namespace nexusfix::command {

// The limit of a tree. Components and groups may contain each other so often that a small file has
// a tree of any size. The last line of a cut tree says that it is cut.
inline constexpr std::size_t kTreeLinesMax = 20'000;

// One line for each member, indented by two more spaces within a component or group. depth: the
// level of the first line, each two spaces.
[[nodiscard]] std::string members_text(const dictionary::Dictionary& dictionary,
                                       const std::vector<dictionary::Member>& members,
                                       std::size_t depth);

// [{"kind": "field", "tag": 11, "name": "ClOrdID", "type": "STRING", "required": true}, ...];
// components and groups have "members".
[[nodiscard]] Json members_json(const dictionary::Dictionary& dictionary,
                                const std::vector<dictionary::Member>& members);

}  // namespace nexusfix::command
