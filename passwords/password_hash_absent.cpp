// For a build without libsodium: no password is ever right.
#include <nexusfix/passwords.hpp>

namespace nexusfix::engine {

bool has_passwords() noexcept { return false; }

std::expected<std::string, std::string> hash_password(std::string_view, PasswordCost) {
  return std::unexpected{"this program was built without passwords (NEXUSFIX_PASSWORDS=OFF)"};
}

PasswordMatch match_password(const std::string&, std::string_view) noexcept {
  return PasswordMatch::Unknown;
}

}  // namespace nexusfix::engine
