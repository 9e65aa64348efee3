// Argon2id, by libsodium.
#include <cerrno>
#include <sodium.h>

#include <nexusfix/passwords.hpp>

namespace nexusfix::engine {

bool has_passwords() noexcept { return true; }

std::expected<std::string, std::string> hash_password(std::string_view password,
                                                      PasswordCost cost) {
  constexpr std::size_t kBytesPerKib = 1024;
  if (::sodium_init() < 0) return std::unexpected{"libsodium cannot be used on this machine"};
  char hash[crypto_pwhash_argon2id_STRBYTES] = {};
  if (::crypto_pwhash_argon2id_str(hash, password.data(), password.size(), cost.passes,
                                   cost.memory_kib * kBytesPerKib) != 0) {
    return std::unexpected{"no memory to hash a password in"};
  }
  return hash;
}

PasswordMatch match_password(const std::string& hash, std::string_view password) noexcept {
  if (::sodium_init() < 0) return PasswordMatch::Unknown;
  errno = 0;
  if (::crypto_pwhash_argon2id_str_verify(hash.c_str(), password.data(), password.size()) == 0) {
    return PasswordMatch::Right;
  }
  return errno == ENOMEM ? PasswordMatch::Unknown : PasswordMatch::Wrong;
}

}  // namespace nexusfix::engine
