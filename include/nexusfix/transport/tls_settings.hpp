// The settings of TLS, as a configuration has them; tls.hpp uses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <nexusfix/base/language.hpp>

namespace nexusfix::transport {

// Which side of the handshake a context is for.
enum class TlsRole : std::uint8_t {
  Initiator,  // begins the handshake: the client of TLS
  Acceptor,   // answers it: the server of TLS
};
// A version of TLS. Older ones are not supported.
enum class TlsVersion : std::uint8_t {
  V1_2,  // TLS 1.2
  V1_3,  // TLS 1.3
};
// What an acceptor asks of initiators. Initiators always ask for the acceptor's certificate and
// verify it.
enum class ClientCertificate : std::uint8_t {
  NotAsked,         // no certificate
  VerifiedIfShown,  // a certificate is verified, and a connection without one is accepted
  Required,         // a connection without a valid certificate fails
};

// How connections are protected. A file is PEM or PKCS#12: its content shows which.
struct TlsSettings {
  TlsRole role = TlsRole::Initiator;  // of this side
  // Our certificate, followed by its chain. An acceptor must have one.
  std::string certificate_file{};
  std::string key_file{};      // PEM; empty: in certificate_file
  std::string key_password{};  // of the key, or of the PKCS#12 file
  // The authorities that we trust. Initiator: the operating system's authorities if neither is
  // given.
  std::string authorities_file{};
  std::string authorities_password{};  // of authorities_file, if it is PKCS#12
  std::string authorities_folder{};    // all of its files; PEM
  // Lists of revoked certificates, PEM. If there is one, each authority of a chain must have its
  // own.
  std::string revocation_file{};
  std::string revocation_folder{};  // all of its files
  // Acceptor: what it asks of initiators.
  ClientCertificate client_certificate = ClientCertificate::NotAsked;
  TlsVersion version_min = TlsVersion::V1_2;  // the oldest version that is used
  TlsVersion version_max = TlsVersion::V1_3;  // the newest version that is used
  // OpenSSL's or IANA's names, separated by colons, commas or blanks; empty: all. With TLS 1.2,
  // only ECDHE with AEAD is ever used.
  std::string ciphers{};
  std::string cipher_suites{};  // of TLS 1.3; in the same form
  // Initiator: the name that the acceptor's certificate must have; empty: the host that we connect
  // to.
  std::string server_name{};
  bool sends_server_name = true;  // SNI; never an address

  // Whether every setting is equal.
  friend bool operator==(const TlsSettings&, const TlsSettings&) = default;
};

// The setting that an error is about.
enum class TlsItem : std::uint8_t {
  Certificate,  // certificate_file
  Key,          // key_file or key_password
  Authorities,  // authorities_file or authorities_folder
  Revocation,   // revocation_file or revocation_folder
  Ciphers,      // ciphers or cipher_suites
  Build,        // none: this build has no TLS, or OpenSSL failed
};
// The number of enumerators of TlsItem.
inline constexpr std::size_t kTlsItems = 6;

}  // namespace nexusfix::transport
