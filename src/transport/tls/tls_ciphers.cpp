#include "transport/tls/tls_ciphers.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace nexusfix::transport {
namespace {

constexpr const char* kEcdheWithAead = "ECDHE+AESGCM:ECDHE+CHACHA20";

// The configured ciphers: TLS 1.3 has its own suites.
struct Asked {
  std::string rules;   // in OpenSSL's syntax, of TLS 1.2
  std::string suites;  // of TLS 1.3
  bool has_iana = false;
};

void add(std::string& list, std::string_view one) {
  if (!list.empty()) list += ':';
  list += one;
}

std::unexpected<TlsError> error(std::string text) {
  return std::unexpected{TlsError{TlsItem::Ciphers, std::move(text)}};
}

// OpenSSL's name of TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256; null: this OpenSSL does not support it.
const char* name_of_iana(SSL_CTX& context, std::string_view iana) {
  if (SSL_CTX_set_cipher_list(&context, "ALL:COMPLEMENTOFALL:@SECLEVEL=0") != 1) return nullptr;
  const STACK_OF(SSL_CIPHER)* const all = SSL_CTX_get_ciphers(&context);
  for (int i = 0; i < sk_SSL_CIPHER_num(all); ++i) {
    const SSL_CIPHER* const cipher = sk_SSL_CIPHER_value(all, i);
    const char* const standard = SSL_CIPHER_standard_name(cipher);
    if (standard != nullptr && iana == standard) return SSL_CIPHER_get_name(cipher);
  }
  return nullptr;
}

bool is_of_tls_1_3(std::string_view name) {
  return name.starts_with("TLS_") && name.find("_WITH_") == std::string_view::npos;
}

std::expected<Asked, TlsError> read(SSL_CTX& context, std::string_view names) {
  Asked asked;
  constexpr std::string_view kBetween = ":, \t;";
  while (true) {
    names.remove_prefix(std::min(names.find_first_not_of(kBetween), names.size()));
    if (names.empty()) return asked;
    const std::string_view name = names.substr(0, names.find_first_of(kBetween));
    names.remove_prefix(name.size());
    if (is_of_tls_1_3(name)) {
      add(asked.suites, name);
      asked.has_iana = true;
    } else if (name.starts_with("TLS_")) {
      const char* const known = name_of_iana(context, name);
      if (known == nullptr) return error(std::string{name} + ": unknown cipher suite");
      add(asked.rules, known);
      asked.has_iana = true;
    } else {
      add(asked.rules, name);
    }
  }
}

bool is_ecdhe_with_aead(const SSL_CIPHER* cipher) noexcept {
  const bool is_1_2 = SSL_CIPHER_get_kx_nid(cipher) == NID_kx_ecdhe;
  return is_1_2 && SSL_CIPHER_is_aead(cipher) == 1 &&
         SSL_CIPHER_get_auth_nid(cipher) != NID_auth_psk;
}

// Of TLS 1.2.
std::expected<void, TlsError> keep_good(SSL_CTX& context, const std::string& rules) {
  if (SSL_CTX_set_cipher_list(&context, rules.c_str()) != 1) {
    return error(rules + ": " + take_openssl_error());
  }
  const STACK_OF(SSL_CIPHER)* const all = SSL_CTX_get_ciphers(&context);
  std::string good;
  for (int i = 0; i < sk_SSL_CIPHER_num(all); ++i) {
    const SSL_CIPHER* const cipher = sk_SSL_CIPHER_value(all, i);
    if (is_ecdhe_with_aead(cipher)) add(good, SSL_CIPHER_get_name(cipher));
  }
  if (good.empty()) {
    return error(rules +
                 ": none of these is allowed; TLS 1.2 allows ECDHE with AES-GCM or "
                 "CHACHA20-POLY1305, such as ECDHE-RSA-AES256-GCM-SHA384");
  }
  if (SSL_CTX_set_cipher_list(&context, good.c_str()) != 1) return error(take_openssl_error());
  return {};
}

int number_of(TlsVersion version) noexcept {
  return version == TlsVersion::V1_2 ? TLS1_2_VERSION : TLS1_3_VERSION;
}

}  // namespace

std::expected<void, TlsError> set_ciphers(SSL_CTX& context, const TlsSettings& settings) {
  auto asked = read(context, settings.ciphers);
  if (!asked) return std::unexpected{std::move(asked.error())};
  TlsVersion least = settings.version_min;
  TlsVersion most = settings.version_max;
  // A list of IANA names covers both versions: a version without a suite in it is not used.
  if (asked->has_iana && settings.cipher_suites.empty()) {
    if (asked->suites.empty()) most = TlsVersion::V1_2;
    if (asked->rules.empty()) least = TlsVersion::V1_3;
  }
  if (!settings.cipher_suites.empty()) asked->suites = settings.cipher_suites;
  std::ranges::replace_if(
      asked->suites, [](char c) { return c == ',' || c == ' ' || c == ';'; }, ':');
  if (least > most) return error("no cipher suite belongs to a TLS version that is enabled");
  if (least == TlsVersion::V1_2) {
    const std::string rules = asked->rules.empty() ? kEcdheWithAead : asked->rules;
    if (auto kept = keep_good(context, rules); !kept) return kept;
  }
  if (!asked->suites.empty() && SSL_CTX_set_ciphersuites(&context, asked->suites.c_str()) != 1) {
    return error(asked->suites + ": " + take_openssl_error());
  }
  if (SSL_CTX_set_min_proto_version(&context, number_of(least)) != 1 ||
      SSL_CTX_set_max_proto_version(&context, number_of(most)) != 1) {
    return error(take_openssl_error());
  }
  return {};
}

}  // namespace nexusfix::transport
