// TLS 1.2 and 1.3 over any network's connections.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/transport/network.hpp>

namespace nexusfix::transport {

enum class TlsRole : std::uint8_t { Initiator, Acceptor };
enum class TlsVersion : std::uint8_t { V1_2, V1_3 };
// What an acceptor asks of initiators. Initiators always ask for the acceptor's certificate and
// verify it.
enum class ClientCertificate : std::uint8_t { NotAsked, VerifiedIfShown, Required };

// How connections are protected. A file is PEM or PKCS#12: its content shows which.
struct TlsSettings {
  TlsRole role = TlsRole::Initiator;
  // Our certificate, followed by its chain. An acceptor must have one.
  std::string certificate_file{};
  std::string key_file{};      // PEM; empty: in certificate_file
  std::string key_password{};  // of the key, or of the PKCS#12 file
  // The authorities that we trust. Initiator: the operating system's authorities if neither is
  // given.
  std::string authorities_file{};
  std::string authorities_password{};
  std::string authorities_folder{};  // all of its files; PEM
  // Lists of revoked certificates, PEM. If there is one, each authority of a chain must have its
  // own.
  std::string revocation_file{};
  std::string revocation_folder{};
  ClientCertificate client_certificate = ClientCertificate::NotAsked;
  TlsVersion version_min = TlsVersion::V1_2;
  TlsVersion version_max = TlsVersion::V1_3;
  // OpenSSL's or IANA's names, separated by colons, commas or blanks; empty: all. With TLS 1.2,
  // only ECDHE with AEAD is ever used.
  std::string ciphers{};
  std::string cipher_suites{};  // of TLS 1.3; in the same form
  // Initiator: the name that the acceptor's certificate must have; empty: the host that we connect
  // to.
  std::string server_name{};
  bool sends_server_name = true;  // SNI; never an address

  friend bool operator==(const TlsSettings&, const TlsSettings&) = default;
};

// The setting that is wrong.
enum class TlsItem : std::uint8_t { Certificate, Key, Authorities, Revocation, Ciphers, Build };
inline constexpr std::size_t kTlsItems = 6;

struct TlsError {
  TlsItem item = TlsItem::Build;
  // "venue.key: has a private key and is readable by other users: chmod 600 venue.key"
  std::string text{};
};

// Something that expires: one of our certificates, or a list of revoked certificates.
struct TlsExpiry {
  std::string what{};  // "certificate CN=venue in venue.pem"
  std::chrono::sys_seconds at{};
};

// The canonical form of an identity of a certificate. san:NAME is a name of its subjectAltName:
// "dns:broker.example.com", "uri:spiffe://broker" or "ip:10.0.0.1". pin:sha256/BASE64 is the
// SHA-256 of its public key, and stays as it is. Nothing: the text is neither. A name is matched
// exactly; there are no patterns.
[[nodiscard]] std::optional<std::string> certificate_identity(std::string_view text);
// The identity of a host name.
[[nodiscard]] std::string dns_identity(std::string_view name);

struct TlsKeys;  // OpenSSL's

// The TLS settings with their files, read and validated. Any thread.
class TlsContext {
 public:
  [[nodiscard]] static std::expected<std::shared_ptr<TlsContext>, TlsError> make(
      TlsSettings settings, Disk& disk);
  TlsContext(TlsSettings settings, std::shared_ptr<const TlsKeys> keys);

  // Reads the files again, for handshakes that begin from now on; open connections are not changed.
  // After an error the old files stay in use.
  [[nodiscard]] std::expected<void, TlsError> reload(Disk& disk);

  [[nodiscard]] const TlsSettings& settings() const noexcept { return settings_; }
  [[nodiscard]] std::vector<TlsExpiry> expiries() const;
  // "TLS 1.2 to 1.3, certificate CN=venue until 2027-11-20, client certificates required"
  [[nodiscard]] std::string description() const;
  [[nodiscard]] std::shared_ptr<const TlsKeys> keys() const;

 private:
  const TlsSettings settings_;
  mutable std::mutex mutex_;
  std::shared_ptr<const TlsKeys> keys_;
};

// A network whose endpoints with a context (Endpoint::tls) use TLS over the inner network, which
// must outlive it. Other endpoints are passed on unchanged. Only this network may call the inner
// one.
//
// For an acceptor, Accepted is returned before the handshake, whose time the caller limits; for an
// initiator, Connected is returned after it. A connection whose TLS failed, or that ended without
// close_notify (it may have been truncated), is Failed with EPROTO. Nothing blocks, and only bytes
// that the operating system did not take are copied.
[[nodiscard]] std::unique_ptr<Network> make_tls_network(Network& inner);

}  // namespace nexusfix::transport
