// Certificates, keys and lists of revoked certificates as files have them: PEM and PKCS#12.
#pragma once

#include <expected>
#include <vector>

#include <nexusfix/transport/tls.hpp>

#include "transport/tls/tls_openssl.hpp"

namespace nexusfix::transport {

struct TlsIdentity {
  Certificate certificate;
  std::vector<Certificate> chain;
  PrivateKey key;
};

template <class T>
using TlsResult = std::expected<T, TlsError>;

// certificate_file and key_file; the file with the key must be its owner's alone.
[[nodiscard]] TlsResult<TlsIdentity> read_identity(const TlsSettings& settings, Disk& disk);
// authorities_file and authorities_folder; none where neither is given.
[[nodiscard]] TlsResult<std::vector<Certificate>> read_authorities(const TlsSettings& settings,
                                                                   Disk& disk);
// revocation_file and revocation_folder; none where neither is given.
[[nodiscard]] TlsResult<std::vector<RevocationList>> read_revocations(const TlsSettings& settings,
                                                                      Disk& disk);

}  // namespace nexusfix::transport
