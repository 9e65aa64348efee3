// A build without OpenSSL: a context cannot be made, so no connection is less protected than
// configured.
#include <utility>

#include "transport/api/signing_key.hpp"
#include "transport/api/tls.hpp"

namespace nexusfix::transport {

TlsContext::TlsContext(TlsSettings settings, std::shared_ptr<const TlsKeys> keys)
    : settings_{std::move(settings)}, keys_{std::move(keys)} {}

std::expected<std::shared_ptr<TlsContext>, TlsError> TlsContext::make(TlsSettings, Disk&) {
  return std::unexpected{
      TlsError{TlsItem::Build, "this program was built without TLS (NEXUSFIX_TLS=OFF)"}};
}

std::expected<void, TlsError> TlsContext::reload(Disk&) { return {}; }
std::vector<TlsExpiry> TlsContext::expiries() const { return {}; }
std::string TlsContext::description() const { return {}; }
std::shared_ptr<const TlsKeys> TlsContext::keys() const { return keys_; }

std::unique_ptr<Network> make_tls_network(Network&) { return nullptr; }

std::string to_text(std::string_view, BytesAsText) { return {}; }
std::expected<Secret, std::string> from_text(std::string_view, BytesAsText) { return Secret{}; }
std::expected<std::string, std::string> random_text() { return {}; }
std::expected<std::unique_ptr<SigningKey>, std::string> SigningKey::make(SignatureAlgorithm,
                                                                         Secret) {
  return std::unexpected{"this program was built without OpenSSL (NEXUSFIX_TLS=OFF)"};
}

}  // namespace nexusfix::transport
