// Checks the passwords of Logons with a file of users. Link nexusfix::passwords. Programs that edit
// the file itself use password_file.hpp.
//
//   engine::EngineOptions options;
//   options.parts.passwords = engine::password_part();
#pragma once

#include <nexusfix/engine/parts.hpp>

namespace nexusfix::engine {

// The part for PasswordFile: EngineOptions::parts. Never null; static lifetime.
[[nodiscard]] const PasswordPart* password_part() noexcept;

}  // namespace nexusfix::engine
