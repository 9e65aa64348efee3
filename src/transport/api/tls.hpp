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

// Why TLS settings cannot be used.
struct TlsError {
  TlsItem item = TlsItem::Build;  // the setting
  // "venue.key: has a private key and is readable by other users: chmod 600 venue.key"
  std::string text{};
};

// Something that expires: one of our certificates, or a list of revoked certificates.
struct TlsExpiry {
  std::string what{};             // "certificate CN=venue in venue.pem"
  std::chrono::sys_seconds at{};  // the end of its validity (notAfter, nextUpdate), UTC
};

// The canonical form of an identity of a certificate. `san:NAME` is a name of its subjectAltName:
// `dns:broker.example.com`, `uri:spiffe://broker` or `ip:10.0.0.1`. `pin:sha256/BASE64` is the
// SHA-256 of its public key, and stays as it is. No value: the text is neither. A name is matched
// exactly; there are no patterns.
[[nodiscard]] std::optional<std::string> certificate_identity(std::string_view text);
// The identity of a host name: `dns:broker.example.com` in its canonical form.
[[nodiscard]] std::string dns_identity(std::string_view name);

// OpenSSL's objects, which only the layer knows.
struct TlsKeys;

// The TLS settings with their files, read and validated. Any thread.
class TlsContext {
 public:
  // Reads and validates the files of the settings. Blocks while it reads. An error names the file
  // and the cause; a build without TLS always fails.
  [[nodiscard]] static std::expected<std::shared_ptr<TlsContext>, TlsError> make(
      TlsSettings settings, Disk& disk);
  // For make().
  TlsContext(TlsSettings settings, std::shared_ptr<const TlsKeys> keys);

  // Reads the files again, for handshakes that begin from now on; open connections are not changed.
  // After an error the old files stay in use.
  [[nodiscard]] std::expected<void, TlsError> reload(Disk& disk);

  // The settings of make(). Valid as long as the context.
  [[nodiscard]] const TlsSettings& settings() const noexcept { return settings_; }
  // When our certificates and the lists of revoked certificates expire, as the files said when they
  // were read last.
  [[nodiscard]] std::vector<TlsExpiry> expiries() const;
  // For people:
  // "TLS 1.2 to 1.3, certificate CN=venue until 2027-11-20, client certificates required".
  [[nodiscard]] std::string description() const;
  // What new handshakes use. For make_tls_network().
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
// that the operating system did not take are copied. A build without TLS returns null.
[[nodiscard]] std::unique_ptr<Network> make_tls_network(Network& inner);

}  // namespace nexusfix::transport
