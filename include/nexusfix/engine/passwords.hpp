// The passwords of Logons, checked with a file of users. Link nexusfix::passwords. The file itself,
// for programs that keep it, is in password_file.hpp.
//
//   engine::EngineOptions options;
//   options.parts.passwords = engine::password_part();
#pragma once

#include <nexusfix/engine/parts.hpp>

namespace nexusfix::engine {

// What PasswordFile needs. Never null.
[[nodiscard]] const PasswordPart* password_part() noexcept;

}  // namespace nexusfix::engine
