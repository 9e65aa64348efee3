// The identities that a verified certificate proves.
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>
#include <optional>
#include <string_view>
#include <utility>

#include "transport/api/tls.hpp"
#include "transport/tls/tls_openssl.hpp"

namespace nexusfix::transport {
namespace {

using GeneralNames = std::unique_ptr<GENERAL_NAMES, FreedBy<GENERAL_NAMES_free>>;

// A name with a zero byte or a character outside of names can mislead a comparison or a display.
bool is_plain(std::string_view name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](char byte) { return byte > ' ' && byte < '\x7F'; });
}

// Nothing: the name is of another kind, or cannot be compared.
std::optional<std::string> identity_of(const GENERAL_NAME& name) {
  int type = 0;
  const void* const value = GENERAL_NAME_get0_value(&name, &type);
  if (type != GEN_DNS && type != GEN_URI && type != GEN_IPADD) return std::nullopt;
  const auto* const text = static_cast<const ASN1_STRING*>(value);
  const std::string_view bytes{reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                               static_cast<std::size_t>(ASN1_STRING_length(text))};
  if (type == GEN_IPADD) {
    if (bytes.size() != sizeof(in_addr) && bytes.size() != sizeof(in6_addr)) return std::nullopt;
    std::array<char, INET6_ADDRSTRLEN> shown{};
    const int family = bytes.size() == sizeof(in_addr) ? AF_INET : AF_INET6;
    ::inet_ntop(family, bytes.data(), shown.data(), shown.size());
    const auto address = canonical_address(shown.data());
    return address ? std::optional{"ip:" + *address} : std::nullopt;
  }
  if (!is_plain(bytes)) return std::nullopt;
  return type == GEN_DNS ? dns_identity(bytes) : "uri:" + std::string{bytes};
}

// RFC 7469, section 2.4: of the key with its algorithm, so that the certificate may be renewed.
std::optional<std::string> pin_of(const X509& certificate) {
  unsigned char* bytes = nullptr;
  const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(&certificate), &bytes);
  if (size <= 0) return std::nullopt;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(bytes, static_cast<std::size_t>(size), digest.data());
  OPENSSL_free(bytes);
  std::array<unsigned char, 4 * ((SHA256_DIGEST_LENGTH + 2) / 3) + 1> digits{};
  EVP_EncodeBlock(digits.data(), digest.data(), static_cast<int>(digest.size()));
  return "pin:sha256/" + std::string{reinterpret_cast<const char*>(digits.data())};
}

}  // namespace

std::vector<std::string> identities_of(const X509& certificate) {
  std::vector<std::string> all;
  if (auto pin = pin_of(certificate)) all.push_back(std::move(*pin));
  const GeneralNames names{static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr))};
  const int count = names ? sk_GENERAL_NAME_num(names.get()) : 0;
  for (int i = 0; i < count; ++i) {
    if (auto one = identity_of(*sk_GENERAL_NAME_value(names.get(), i)))
      all.push_back(std::move(*one));
  }
  return all;
}

}  // namespace nexusfix::transport
