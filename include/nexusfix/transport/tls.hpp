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
// Of the initiator, by the acceptor. An acceptor's own is always asked for and verified.
enum class ClientCertificate : std::uint8_t { NotAsked, VerifiedIfShown, Required };

// What is to be protected how. A file is PEM or PKCS#12: its content says which.
struct TlsSettings {
  TlsRole role = TlsRole::Initiator;
  // Who we are: the certificate, and its chain behind it. Required of an acceptor.
  std::string certificate_file{};
  std::string key_file{};      // PEM; empty: in certificate_file
  std::string key_password{};  // of the key, or of the PKCS#12 file
  // Whom we believe. Initiator: the operating system's authorities if neither is given.
  std::string authorities_file{};
  std::string authorities_password{};
  std::string authorities_folder{};  // all of its files; PEM
  // Lists of revoked certificates, PEM. With one, each authority of a chain must have its own.
  std::string revocation_file{};
  std::string revocation_folder{};
  ClientCertificate client_certificate = ClientCertificate::NotAsked;
  TlsVersion version_min = TlsVersion::V1_2;
  TlsVersion version_max = TlsVersion::V1_3;
  // By OpenSSL's names or IANA's, between colons, commas or blanks; empty: all that there are. Of
  // TLS 1.2 only ECDHE with AEAD is ever used.
  std::string ciphers{};
  std::string cipher_suites{};  // of TLS 1.3; likewise
  // Initiator: what the acceptor's certificate must be for; empty: the host that is connected to.
  std::string server_name{};
  bool sends_server_name = true;  // SNI; never an address

  friend bool operator==(const TlsSettings&, const TlsSettings&) = default;
};

// Which of the settings is wrong.
enum class TlsItem : std::uint8_t { Certificate, Key, Authorities, Revocation, Ciphers, Build };
inline constexpr std::size_t kTlsItems = 6;

struct TlsError {
  TlsItem item = TlsItem::Build;
  std::string text{};  // "venue.key: may be read by others than its owner: chmod 600 venue.key"
};

// What ends at a time: a certificate of ours, or a list of revoked ones.
struct TlsExpiry {
  std::string what{};  // "certificate CN=venue in venue.pem"
  std::chrono::sys_seconds at{};
};

// What a certificate is known by, in the one form of all that mean the same: of san:NAME, a name of
// its subjectAltName, "dns:broker.example.com", "uri:spiffe://broker" or "ip:10.0.0.1"; of
// pin:sha256/BASE64, the SHA-256 of its public key, that text. Nothing: it is neither. A name
// stands for itself alone, and no pattern for others.
[[nodiscard]] std::optional<std::string> certificate_identity(std::string_view text);
// The form of a host's name.
[[nodiscard]] std::string dns_identity(std::string_view name);

struct TlsKeys;  // OpenSSL's

// What connections are made with: the files of some settings, read and found right. Any thread.
class TlsContext {
 public:
  [[nodiscard]] static std::expected<std::shared_ptr<TlsContext>, TlsError> make(
      TlsSettings settings, Disk& disk);
  TlsContext(TlsSettings settings, std::shared_ptr<const TlsKeys> keys);

  // Reads the files again, for handshakes that begin from now on; connections that are there go on.
  // After an error everything is as before.
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

// A network whose endpoints with a context (Endpoint::tls) speak TLS, over the inner one, which
// must outlive it; all others are passed on as they are. The inner one is then asked by nobody
// else.
//
// An acceptor's connection is told by Accepted before its handshake, which the caller gives its
// time; an initiator's by Connected behind it. A connection whose TLS went wrong, or that ended
// without TLS's own end (it may have been cut), is Failed with EPROTO. Nothing blocks, and no bytes
// are copied but those that the operating system did not take.
[[nodiscard]] std::unique_ptr<Network> make_tls_network(Network& inner);

}  // namespace nexusfix::transport
