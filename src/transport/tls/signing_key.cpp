#include "transport/api/signing_key.hpp"

#include <algorithm>
#include <array>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <utility>

namespace nexusfix::transport {
namespace {

using Error = std::unexpected<std::string>;

struct FreeKey {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
struct FreeContext {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
struct FreeBio {
  void operator()(BIO* bio) const noexcept { BIO_free(bio); }
};

const unsigned char* bytes_of(std::string_view text) noexcept {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) noexcept {
  return reinterpret_cast<unsigned char*>(text.data());
}

std::string sha256_of(std::string_view text) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), bytes_of(digest), &size, EVP_sha256(), nullptr) != 1) {
    size = 0;
  }
  digest.resize(size);
  return digest;
}

// A secret that both sides know.
class SharedSecret final : public SigningKey {
 public:
  SharedSecret(SignatureAlgorithm algorithm, Secret key)
      : algorithm_{algorithm}, key_{std::move(key)} {}

  std::expected<std::string, std::string> sign(std::string_view text) const override {
    std::string digest;
    if (algorithm_ == SignatureAlgorithm::Sha256) {
      digest = sha256_of(text);
    } else if (algorithm_ == SignatureAlgorithm::HmacSha512OfSha256) {
      digest = hmac(EVP_sha512(), sha256_of(text));
    } else {
      const bool is_long = algorithm_ == SignatureAlgorithm::HmacSha512;
      digest = hmac(is_long ? EVP_sha512() : EVP_sha256(), text);
    }
    if (digest.empty()) return Error{"OpenSSL cannot compute the digest"};
    return digest;
  }
  std::string_view secret() const noexcept override { return key_.view(); }

 private:
  [[nodiscard]] std::string hmac(const EVP_MD* digest, std::string_view text) const {
    std::string code(EVP_MAX_MD_SIZE, '\0');
    unsigned size = 0;
    const std::string_view key = key_.view();
    if (HMAC(digest, key.data(), static_cast<int>(key.size()), bytes_of(text), text.size(),
             bytes_of(code), &size) == nullptr) {
      size = 0;
    }
    code.resize(size);
    return code;
  }

  SignatureAlgorithm algorithm_;
  Secret key_;
};

class PrivateKey final : public SigningKey {
 public:
  PrivateKey(SignatureAlgorithm algorithm, EVP_PKEY* key) : algorithm_{algorithm}, key_{key} {}

  std::expected<std::string, std::string> sign(std::string_view text) const override {
    const std::unique_ptr<EVP_MD_CTX, FreeContext> context{EVP_MD_CTX_new()};
    const EVP_MD* const digest =
        algorithm_ == SignatureAlgorithm::RsaSha256 ? EVP_sha256() : nullptr;
    std::size_t size = static_cast<std::size_t>(EVP_PKEY_get_size(key_.get()));
    std::string signature(size, '\0');
    if (!context || EVP_DigestSignInit(context.get(), nullptr, digest, nullptr, key_.get()) != 1 ||
        EVP_DigestSign(context.get(), bytes_of(signature), &size, bytes_of(text), text.size()) !=
            1) {
      return Error{"OpenSSL cannot sign with this key"};
    }
    signature.resize(size);
    return signature;
  }
  std::string_view secret() const noexcept override { return {}; }

 private:
  SignatureAlgorithm algorithm_;
  std::unique_ptr<EVP_PKEY, FreeKey> key_;
};

// No passphrase: otherwise OpenSSL would ask for it on the terminal.
int give_no_passphrase(char*, int, int, void*) { return -1; }

std::expected<std::unique_ptr<SigningKey>, std::string> read_private(SignatureAlgorithm algorithm,
                                                                     std::string_view pem) {
  const bool is_rsa = algorithm == SignatureAlgorithm::RsaSha256;
  const int wanted = is_rsa ? EVP_PKEY_RSA : EVP_PKEY_ED25519;
  const std::string kind = is_rsa ? "an RSA" : "an Ed25519";
  const std::unique_ptr<BIO, FreeBio> bio{
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))};
  EVP_PKEY* const key =
      bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, give_no_passphrase, nullptr) : nullptr;
  if (key == nullptr) {
    return Error{kind +
                 " private key in PEM was expected (-----BEGIN PRIVATE KEY-----), without "
                 "a passphrase"};
  }
  std::unique_ptr<SigningKey> made = std::make_unique<PrivateKey>(algorithm, key);
  if (EVP_PKEY_get_base_id(key) == wanted) return made;
  return Error{kind + " private key was expected; this is a private key of another kind"};
}

int value_of_hex(char digit) noexcept {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

std::expected<Secret, std::string> from_hex(std::string_view text) {
  const Error error{"pairs of hexadecimal digits were expected"};
  if (text.empty() || text.size() % 2 != 0) return error;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t at = 0; at < text.size(); at += 2) {
    const int high = value_of_hex(text[at]);
    const int low = value_of_hex(text[at + 1]);
    if (high < 0 || low < 0) {
      wipe_bytes(bytes);
      return error;
    }
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  Secret secret{bytes};
  wipe_bytes(bytes);
  return secret;
}

std::expected<Secret, std::string> from_base64(std::string_view text) {
  const Error error{"base64 was expected"};
  if (text.empty() || text.size() % 4 != 0) return error;
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(bytes_of(bytes), bytes_of(text), static_cast<int>(text.size()));
  if (size < 0) return error;
  // OpenSSL decodes the padding, too, as bytes 0.
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  Secret secret{std::string_view{bytes}.substr(0, static_cast<std::size_t>(size) - padding)};
  wipe_bytes(bytes);
  return secret;
}

// RFC 4648, sec. 5. Other characters than those of it, such as padding, are refused.
std::expected<Secret, std::string> from_base64_url(std::string_view text) {
  const Error error{"base64url without padding was expected"};
  if (text.find_first_of("+/=") != std::string_view::npos) return error;
  std::string padded{text};
  std::ranges::replace(padded, '-', '+');
  std::ranges::replace(padded, '_', '/');
  padded.resize((padded.size() + 3) / 4 * 4, '=');
  auto bytes = padded.ends_with("===") ? error : from_base64(padded);
  wipe_bytes(padded);
  return bytes ? std::move(bytes) : error;
}

}  // namespace

std::string to_text(std::string_view bytes, BytesAsText form) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  if (form == BytesAsText::Hex) {
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      text.push_back(kDigits[byte >> 4U]);
      text.push_back(kDigits[byte & 15U]);
    }
    return text;
  }
  text.resize((bytes.size() + 2) / 3 * 4 + 1);  // OpenSSL writes a zero after it
  EVP_EncodeBlock(bytes_of(text), bytes_of(bytes), static_cast<int>(bytes.size()));
  text.pop_back();
  if (form == BytesAsText::Base64Url) {
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    while (text.ends_with('=')) text.pop_back();
  }
  return text;
}

std::expected<Secret, std::string> from_text(std::string_view text, BytesAsText form) {
  return form == BytesAsText::Hex         ? from_hex(text)
         : form == BytesAsText::Base64Url ? from_base64_url(text)
                                          : from_base64(text);
}

std::expected<std::string, std::string> random_text() {
  constexpr std::size_t kBytes = 32;
  std::array<char, kBytes> bytes{};
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), kBytes) != 1) {
    return Error{"OpenSSL has no random bytes"};
  }
  return to_text({bytes.data(), bytes.size()}, BytesAsText::Base64);
}

std::expected<std::unique_ptr<SigningKey>, std::string> SigningKey::make(
    SignatureAlgorithm algorithm, Secret key) {
  const bool is_private =
      algorithm == SignatureAlgorithm::Ed25519 || algorithm == SignatureAlgorithm::RsaSha256;
  if (key.empty()) return Error{"the key is empty"};
  if (is_private) return read_private(algorithm, key.view());
  return std::make_unique<SharedSecret>(algorithm, std::move(key));
}

}  // namespace nexusfix::transport
