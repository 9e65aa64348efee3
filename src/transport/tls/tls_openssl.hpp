// OpenSSL's objects with their destructors, and its errors.
#pragma once

#include <memory>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pkcs12.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <string>
#include <string_view>
#include <vector>

namespace nexusfix::transport {

template <auto Free>
struct FreedBy {
  template <class Object>
  void operator()(Object* object) const noexcept {
    Free(object);
  }
};

using SslContext = std::unique_ptr<SSL_CTX, FreedBy<SSL_CTX_free>>;
using Ssl = std::unique_ptr<SSL, FreedBy<SSL_free>>;
using Bio = std::unique_ptr<BIO, FreedBy<BIO_free>>;
using Certificate = std::unique_ptr<X509, FreedBy<X509_free>>;
using RevocationList = std::unique_ptr<X509_CRL, FreedBy<X509_CRL_free>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using Pkcs12 = std::unique_ptr<PKCS12, FreedBy<PKCS12_free>>;

[[nodiscard]] inline Bio reader_of(std::string_view text) {
  return Bio{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
}

// The text of this thread's last error, which this call clears: "wrong version number".
[[nodiscard]] std::string consume_openssl_error();
// "CN=venue,O=Exchange"; characters that cannot be shown are escaped.
[[nodiscard]] std::string name_of(const X509* certificate);
// In the form of Network::peer_identities().
[[nodiscard]] std::vector<std::string> identities_of(const X509& certificate);

}  // namespace nexusfix::transport
