// A NewPassword (925) of a Logon whose password was right, until it is in the file.
#pragma once

#include <string>

#include "base/api/secret.hpp"

namespace nexusfix::engine {

struct PasswordChange {
  std::string file{};      // PasswordFile
  std::string username{};  // 553
  std::string hash{};      // of the password that was right; the entry must still have it
  Secret new_password{};   // 925
};

}  // namespace nexusfix::engine
