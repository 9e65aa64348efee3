// Keys of tests: what a client signs its Logon with, and what a simulated venue verifies it with.
#pragma once

#include <expected>
#include <string>

#include "base/api/secret.hpp"
#include "config/api/settings.hpp"

namespace nexusfix::venues {

struct TestKeys {
  Secret client;      // a private key in PEM, or the secret
  std::string venue;  // the public key in PEM; of a shared secret empty: the venue has the same one
};

// New keys of this kind, with random bytes of OpenSSL. The error: it has none.
[[nodiscard]] std::expected<TestKeys, std::string> make_test_keys(
    const config::LogonSignature& rules);

// Whether the venue has the public key of the client, and not its secret.
[[nodiscard]] bool has_public_key(const config::LogonSignature& rules) noexcept;

}  // namespace nexusfix::venues
