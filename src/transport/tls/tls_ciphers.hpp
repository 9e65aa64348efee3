// Cipher suites by OpenSSL's names and by IANA's.
#pragma once

#include <expected>
#include <string>

#include "transport/api/tls.hpp"
#include "transport/tls/tls_openssl.hpp"

namespace nexusfix::transport {

// Sets versions and cipher suites. With TLS 1.2 only ECDHE with AEAD remains, whatever the settings
// name. An error: nothing remains, or a name is unknown.
[[nodiscard]] std::expected<void, TlsError> set_ciphers(SSL_CTX& context,
                                                        const TlsSettings& settings);

}  // namespace nexusfix::transport
