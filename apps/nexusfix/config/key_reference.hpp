// The reference of the configuration keys: `nexusfix config keys`.
#pragma once

#include <expected>
#include <string>
#include <vector>

namespace nexusfix::command {

// Everything about each named key, in any case; about a removed one, what holds now. The error
// names the first key that does not exist, and the one that was most likely meant. No name: a list
// of all keys with their meaning.
[[nodiscard]] std::expected<std::string, std::string> describe_keys(
    const std::vector<std::string>& names);

// The page docs/reference/keys.md.
[[nodiscard]] std::string keys_page();

}  // namespace nexusfix::command
