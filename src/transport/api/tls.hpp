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
