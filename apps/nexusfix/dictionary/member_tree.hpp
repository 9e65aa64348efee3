// The members of a message, component or group as a tree, for people and for programs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nexusfix/dictionary/model.hpp>

#include "nexusfix/text/json.hpp"

namespace nexusfix::command {

// No tree is longer: components and groups may hold each other so often that a small file has a
// tree of any size. What is left out is said.
inline constexpr std::size_t kTreeLinesMax = 20'000;

// A line a member, two spaces deeper within components and groups. depth: of the first level.
[[nodiscard]] std::string members_text(const dictionary::Dictionary& dictionary,
                                       const std::vector<dictionary::Member>& members,
                                       std::size_t depth);

// [{"kind": "field", "tag": 11, "name": "ClOrdID", "type": "STRING", "required": true}, ...];
// components and groups have "members".
[[nodiscard]] Json members_json(const dictionary::Dictionary& dictionary,
                                const std::vector<dictionary::Member>& members);

}  // namespace nexusfix::command
