// Reads certificates, keys and lists of revoked certificates from PEM and PKCS#12 files.
#pragma once

#include <expected>
#include <vector>

#include "transport/api/tls.hpp"
#include "transport/tls/tls_openssl.hpp"

namespace nexusfix::transport {

struct TlsIdentity {
  Certificate certificate;
  std::vector<Certificate> chain;
  PrivateKey key;
};

template <class T>
using TlsResult = std::expected<T, TlsError>;

// certificate_file and key_file. Only its owner may be able to read the file with the key.
[[nodiscard]] TlsResult<TlsIdentity> read_identity(const TlsSettings& settings, Disk& disk);
// authorities_file and authorities_folder; empty if neither is given.
[[nodiscard]] TlsResult<std::vector<Certificate>> read_authorities(const TlsSettings& settings,
                                                                   Disk& disk);
// revocation_file and revocation_folder; empty if neither is given.
[[nodiscard]] TlsResult<std::vector<RevocationList>> read_revocations(const TlsSettings& settings,
                                                                      Disk& disk);

}  // namespace nexusfix::transport
