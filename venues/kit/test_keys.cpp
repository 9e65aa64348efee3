#include "venues/kit/test_keys.hpp"

#include <memory>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "transport/api/signing_key.hpp"
#include "venues/logon/openssl_handles.hpp"

namespace nexusfix::venues {
namespace {

using config::LogonSignature;
using transport::BytesAsText;
using Error = std::unexpected<std::string>;

constexpr std::size_t kRsaBits = 2'048;

std::string_view text_of(BIO* bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

std::expected<TestKeys, std::string> make_key_pair(bool is_rsa) {
  const KeyHandle key{is_rsa ? EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", kRsaBits)
                             : EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")};
  const BioHandle own{BIO_new(BIO_s_secmem())};
  const BioHandle shown{BIO_new(BIO_s_mem())};
  if (!key || !own || !shown ||
      PEM_write_bio_PKCS8PrivateKey(own.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1 ||
      PEM_write_bio_PUBKEY(shown.get(), key.get()) != 1) {
    return Error{"OpenSSL cannot make a key"};
  }
  return TestKeys{.client = Secret{text_of(own.get())}, .venue = std::string{text_of(shown.get())}};
}

}  // namespace

std::expected<TestKeys, std::string> make_test_keys(const LogonSignature& rules) {
  if (has_public_key(rules)) {
    return make_key_pair(rules.algorithm == LogonSignature::Algorithm::RsaSha256);
  }
  auto text = transport::random_text();
  if (!text) return Error{text.error()};
  const bool is_hex = rules.key_form == LogonSignature::KeyForm::Hex;
  if (is_hex || rules.key.starts_with(transport::kBase64UrlKey)) {
    const auto bytes = transport::from_text(*text, BytesAsText::Base64);
    if (!bytes) return Error{bytes.error()};
    *text = transport::to_text(bytes->view(), is_hex ? BytesAsText::Hex : BytesAsText::Base64Url);
  }
  TestKeys keys{.client = Secret{*text}, .venue = {}};
  wipe_bytes(*text);
  return keys;
}

bool has_public_key(const LogonSignature& rules) noexcept {
  return rules.algorithm == LogonSignature::Algorithm::Ed25519 ||
         rules.algorithm == LogonSignature::Algorithm::RsaSha256;
}

}  // namespace nexusfix::venues
