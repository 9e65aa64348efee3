// A key that signs texts: a private key, or a secret that two sides share.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "base/api/secret.hpp"

namespace nexusfix::transport {

// What a signature is.
enum class SignatureAlgorithm : std::uint8_t {
  Ed25519,             // RFC 8032
  RsaSha256,           // RFC 8017, PKCS#1 v1.5
  HmacSha256,          // RFC 2104
  HmacSha512,          // RFC 2104
  HmacSha512OfSha256,  // HMAC-SHA512 of the text's SHA-256
  Sha256,              // FIPS 180-4; the text has the key in it
};

// Binary data as text. Base64Url is that of RFC 4648, sec. 5: with - and _, and without padding.
enum class BytesAsText : std::uint8_t { Base64, Base64Url, Hex };
// LogonKey of a LogonSignature begins with it: both the key and the signature are base64url.
inline constexpr std::string_view kBase64UrlKey = "base64url:";
// Allocates.
[[nodiscard]] std::string to_text(std::string_view bytes, BytesAsText form);
// The error says what was expected, and shows nothing of the text.
[[nodiscard]] std::expected<Secret, std::string> from_text(std::string_view text, BytesAsText form);
// 32 random bytes of the operating system, as base64. The error: it has none.
[[nodiscard]] std::expected<std::string, std::string> random_text();

// One thread at a time. The key's bytes are overwritten at the end.
class SigningKey {
 public:
  // key: of Ed25519 and RsaSha256 a private key in PEM, without a passphrase; otherwise the secret
  // itself. The error says what was expected, and shows nothing of the key. A build without TLS
  // always fails.
  [[nodiscard]] static std::expected<std::unique_ptr<SigningKey>, std::string> make(
      SignatureAlgorithm algorithm, Secret key);

  virtual ~SigningKey() = default;
  // The signature's bytes, at most some hundred. Allocates.
  [[nodiscard]] virtual std::expected<std::string, std::string> sign(
      std::string_view text) const = 0;
  // The secret itself; empty: the key is a private one.
  [[nodiscard]] virtual std::string_view secret() const noexcept = 0;
};

}  // namespace nexusfix::transport
