// The rule for names of users, in the configuration and in the password file.
#pragma once

#include <cstddef>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix::config {

// The longest valid name of a user, in bytes.
inline constexpr std::size_t kUsernameBytesMax = 64;

// Checks the name of a user. Empty: the name is valid. Otherwise what was expected; static
// lifetime.
[[nodiscard]] std::string_view username_error(std::string_view username) noexcept;

}  // namespace nexusfix::config
