#include "venues/logon/logon_verifier.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <utility>

#include "transport/api/signing_key.hpp"
#include "venues/logon/openssl_handles.hpp"

namespace nexusfix::venues {
namespace {

using config::LogonSignature;
using config::LogonTextPart;
using transport::BytesAsText;
using Algorithm = LogonSignature::Algorithm;
using Rules = std::shared_ptr<const LogonSignature>;
using Error = std::unexpected<std::string>;
using Made = std::expected<std::unique_ptr<LogonVerifier>, std::string>;

const unsigned char* bytes_of(std::string_view text) noexcept {
  return reinterpret_cast<const unsigned char*>(text.data());
}

class ByPublicKey final : public LogonVerifier {
 public:
  ByPublicKey(Rules rules, EVP_PKEY* key) : LogonVerifier{std::move(rules)}, key_{key} {}

 private:
  bool is_signature(std::string_view text, std::string_view signature) const override {
    const DigestHandle context{EVP_MD_CTX_new()};
    const EVP_MD* const digest = rules().algorithm == Algorithm::RsaSha256 ? EVP_sha256() : nullptr;
    return context &&
           EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, key_.get()) == 1 &&
           EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(text),
                            text.size()) == 1;
  }
  std::string_view secret() const noexcept override { return {}; }

  KeyHandle key_;
};

// The digest of a shared secret is computed again, and compared in constant time.
class BySecret final : public LogonVerifier {
 public:
  BySecret(Rules rules, std::unique_ptr<transport::SigningKey> key)
      : LogonVerifier{std::move(rules)}, key_{std::move(key)} {}

 private:
  bool is_signature(std::string_view text, std::string_view signature) const override {
    const auto expected = key_->sign(text);
    return expected && expected->size() == signature.size() &&
           CRYPTO_memcmp(expected->data(), signature.data(), signature.size()) == 0;
  }
  std::string_view secret() const noexcept override { return key_->secret(); }

  std::unique_ptr<transport::SigningKey> key_;
};

Made make_by_public_key(Rules rules, std::string_view pem) {
  const bool is_rsa = rules->algorithm == Algorithm::RsaSha256;
  const BioHandle bio{BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))};
  KeyHandle key{bio ? PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr) : nullptr};
  const int wanted = is_rsa ? EVP_PKEY_RSA : EVP_PKEY_ED25519;
  if (!key || EVP_PKEY_get_base_id(key.get()) != wanted) {
    return Error{std::string{is_rsa ? "an RSA" : "an Ed25519"} +
                 " public key in PEM was expected (-----BEGIN PUBLIC KEY-----)"};
  }
  return std::make_unique<ByPublicKey>(std::move(rules), key.release());
}

transport::SignatureAlgorithm digest_of(Algorithm algorithm) noexcept {
  using To = transport::SignatureAlgorithm;
  switch (algorithm) {
    case Algorithm::HmacSha256:
      return To::HmacSha256;
    case Algorithm::HmacSha512:
      return To::HmacSha512;
    case Algorithm::HmacSha512OfSha256:
      return To::HmacSha512OfSha256;
    default:
      return To::Sha256;
  }
}

bool is_base64_url(const LogonSignature& rules) noexcept {
  return rules.key.starts_with(transport::kBase64UrlKey);
}

Made make_by_secret(Rules rules, std::string_view text) {
  using Form = LogonSignature::KeyForm;
  std::expected<Secret, std::string> secret{Secret{text}};
  if (rules->key_form == Form::Base64) {
    secret = transport::from_text(
        text, is_base64_url(*rules) ? BytesAsText::Base64Url : BytesAsText::Base64);
  }
  if (rules->key_form == Form::Hex) secret = transport::from_text(text, BytesAsText::Hex);
  if (!secret) return Error{secret.error()};
  if (secret->empty()) return Error{"the secret is empty"};
  auto key = transport::SigningKey::make(digest_of(rules->algorithm), std::move(*secret));
  if (!key) return Error{key.error()};
  return std::make_unique<BySecret>(std::move(rules), std::move(*key));
}

}  // namespace

Made LogonVerifier::make(Rules rules, std::string_view key) {
  while (key.ends_with('\n') || key.ends_with('\r')) key.remove_suffix(1);
  const bool has_public_key =
      rules->algorithm == Algorithm::Ed25519 || rules->algorithm == Algorithm::RsaSha256;
  return has_public_key ? make_by_public_key(std::move(rules), key)
                        : make_by_secret(std::move(rules), key);
}

std::expected<void, std::string> LogonVerifier::verify(
    const std::vector<tester::ReceivedField>& logon) const {
  const std::string tag = std::to_string(rules_->tag);
  const auto value = tester::value_of(logon, tag);
  if (!value) return Error{"the signature, field " + tag + ", is missing"};
  const auto signature =
      transport::from_text(*value, is_base64_url(*rules_) ? BytesAsText::Base64Url
                                   : rules_->is_hex       ? BytesAsText::Hex
                                                          : BytesAsText::Base64);
  if (!signature) return Error{"the signature, field " + tag + ": " + signature.error()};
  auto text = text_of(logon);
  if (!text) return Error{text.error()};
  const bool is_valid = is_signature(*text, signature->view());
  wipe_bytes(*text);
  if (!is_valid) return Error{"field " + tag + " is not the signature of this Logon by this key"};
  return {};
}

std::expected<std::string, std::string> LogonVerifier::text_of(
    const std::vector<tester::ReceivedField>& logon) const {
  std::string text;
  for (const LogonTextPart& part : rules_->text) {
    if (part.kind == LogonTextPart::Kind::Text) {
      text += part.text;
    } else if (part.kind == LogonTextPart::Kind::Key) {
      text += secret();
    } else if (const auto value = tester::value_of(logon, std::to_string(part.tag))) {
      text += *value;
    } else {
      return Error{"field " + std::to_string(part.tag) + ", which is signed, is missing"};
    }
  }
  return text;
}

}  // namespace nexusfix::venues
