// Cipher suites by OpenSSL's names and by IANA's.
#pragma once

#include <expected>
#include <string>

#include <nexusfix/transport/tls.hpp>

#include "transport/tls/tls_openssl.hpp"

namespace nexusfix::transport {

// Versions and cipher suites of the settings: of TLS 1.2 only ECDHE with AEAD is left, whatever was
// asked for. An error: nothing is left, or a name is none.
[[nodiscard]] std::expected<void, TlsError> set_ciphers(SSL_CTX& context,
                                                        const TlsSettings& settings);

}  // namespace nexusfix::transport
