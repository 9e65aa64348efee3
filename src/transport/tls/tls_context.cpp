#include <algorithm>
#include <ctime>
#include <expected>
#include <openssl/x509v3.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/api/tls.hpp"
#include "transport/tls/tls_files.hpp"
#include "transport/tls/tls_keys.hpp"
#include "transport/tls/tls_openssl.hpp"

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

// The ciphers of TLS 1.2.
std::expected<void, TlsError> keep_good(SSL_CTX& context, const std::string& rules) {
  if (SSL_CTX_set_cipher_list(&context, rules.c_str()) != 1) {
    return error(rules + ": " + consume_openssl_error());
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
  if (SSL_CTX_set_cipher_list(&context, good.c_str()) != 1) return error(consume_openssl_error());
  return {};
}

int number_of(TlsVersion version) noexcept {
  return version == TlsVersion::V1_2 ? TLS1_2_VERSION : TLS1_3_VERSION;
}

// Cipher suites by OpenSSL's names and by IANA's. Sets versions and cipher suites. With TLS 1.2
// only ECDHE with AEAD remains, whatever the settings name. An error: nothing remains, or a name is
// unknown.
[[nodiscard]] std::expected<void, TlsError> set_ciphers(SSL_CTX& context,
                                                        const TlsSettings& settings) {
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
    return error(asked->suites + ": " + consume_openssl_error());
  }
  if (SSL_CTX_set_min_proto_version(&context, number_of(least)) != 1 ||
      SSL_CTX_set_max_proto_version(&context, number_of(most)) != 1) {
    return error(consume_openssl_error());
  }
  return {};
}

// Authorities between a certificate and a trusted one.
constexpr int kIntermediatesMax = 3;
constexpr std::size_t kChainBytesMax = 32U << 10U;
// Groups of the key exchange. Other groups cost an acceptor up to 100 ms for a ClientHello
// (ffdhe8192), and would block the event loop. Where X25519 is not allowed (FIPS), the second
// list is used.
constexpr const char* kGroups[] = {"X25519:P-256:P-384:P-521", "P-256:P-384:P-521"};

std::chrono::sys_seconds time_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (time == nullptr || ASN1_TIME_to_tm(time, &parts) != 1) return std::chrono::sys_seconds::max();
  const std::chrono::year_month_day date{
      std::chrono::year{parts.tm_year + 1900},
      std::chrono::month{static_cast<unsigned>(parts.tm_mon + 1)},
      std::chrono::day{static_cast<unsigned>(parts.tm_mday)}};
  return std::chrono::sys_days{date} + std::chrono::hours{parts.tm_hour} +
         std::chrono::minutes{parts.tm_min} + std::chrono::seconds{parts.tm_sec};
}

std::string date_of(std::chrono::sys_seconds time) {
  const std::chrono::year_month_day date{std::chrono::floor<std::chrono::days>(time)};
  const auto two = [](unsigned number) {
    return (number < 10 ? "-0" : "-") + std::to_string(number);
  };
  return std::to_string(static_cast<int>(date.year())) + two(static_cast<unsigned>(date.month())) +
         two(static_cast<unsigned>(date.day()));
}

std::string text_of(const X509_NAME* name) {
  const Bio text{BIO_new(BIO_s_mem())};
  X509_NAME_print_ex(text.get(), name, 0, XN_FLAG_RFC2253);
  char* data = nullptr;
  const long size = BIO_get_mem_data(text.get(), &data);
  return size > 0 ? std::string{data, static_cast<std::size_t>(size)} : "without a name";
}

std::unexpected<TlsError> failed(TlsItem item, const std::string& what) {
  return std::unexpected{TlsError{item, what + ": " + consume_openssl_error()}};
}

class KeysMaker {
 public:
  KeysMaker(const TlsSettings& settings, Disk& disk)
      : settings_{settings}, disk_{disk}, context_{SSL_CTX_new(TLS_method())} {}

  [[nodiscard]] TlsResult<std::shared_ptr<const TlsKeys>> make() {
    if (!context_) return failed(TlsItem::Build, "OpenSSL");
    set_rules();
    for (const auto step :
         {&KeysMaker::set_groups, &KeysMaker::set_suites, &KeysMaker::set_identity,
          &KeysMaker::set_authorities, &KeysMaker::set_revocations}) {
      if (auto done = (this->*step)(); !done) return std::unexpected{std::move(done.error())};
    }
    set_verification();
    keys_->description = describe();
    keys_->context = std::move(context_);
    return keys_;
  }

 private:
  void set_rules() {
    SSL_CTX* const context = context_.get();
    SSL_CTX_set_security_level(context, 2);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                     SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE);
    // A Logon's password must not stay in the buffer of a connection.
    SSL_CTX_set_options(context, SSL_OP_CLEANSE_PLAINTEXT);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    // With it, a call would continue for as long as records of TLS itself come. TlsStream limits
    // the same for what OpenSSL has read ahead.
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_max_early_data(context, 0);
    SSL_CTX_set_max_cert_list(context, kChainBytesMax);
    SSL_CTX_set_read_ahead(context, 0);
  }

  [[nodiscard]] TlsResult<void> set_groups() {
    for (const char* const groups : kGroups) {
      if (SSL_CTX_set1_groups_list(context_.get(), groups) == 1) return {};
    }
    return failed(TlsItem::Build, "OpenSSL");
  }

  [[nodiscard]] TlsResult<void> set_suites() { return set_ciphers(*context_, settings_); }

  [[nodiscard]] TlsResult<void> set_identity() {
    const std::string& file = settings_.certificate_file;
    if (file.empty()) {
      if (settings_.role == TlsRole::Initiator) return {};
      return std::unexpected{
          TlsError{TlsItem::Certificate, "an acceptor with TLS needs a certificate"}};
    }
    const auto identity = read_identity(settings_, disk_);
    if (!identity) return std::unexpected{identity.error()};
    X509* const certificate = identity->certificate.get();
    if (SSL_CTX_use_certificate(context_.get(), certificate) != 1) {
      return failed(TlsItem::Certificate, file);
    }
    if (SSL_CTX_use_PrivateKey(context_.get(), identity->key.get()) != 1 ||
        SSL_CTX_check_private_key(context_.get()) != 1) {
      return failed(TlsItem::Key, (settings_.key_file.empty() ? file : settings_.key_file) +
                                      ": not the key of " + file);
    }
    for (const Certificate& one : identity->chain) {
      if (SSL_CTX_add1_chain_cert(context_.get(), one.get()) != 1) {
        return failed(TlsItem::Certificate, file);
      }
      note("certificate " + name_of(one.get()) + " in " + file, X509_get0_notAfter(one.get()));
    }
    const ASN1_TIME* const end = X509_get0_notAfter(certificate);
    note("certificate " + name_of(certificate) + " in " + file, end);
    identity_ = "certificate " + name_of(certificate) + " until " + date_of(time_of(end));
    return {};
  }

  [[nodiscard]] TlsResult<void> set_authorities() {
    const auto authorities = read_authorities(settings_, disk_);
    if (!authorities) return std::unexpected{authorities.error()};
    X509_STORE* const store = SSL_CTX_get_cert_store(context_.get());
    bool has_root = false;
    for (const Certificate& one : *authorities) {
      has_root = has_root || X509_check_issued(one.get(), one.get()) == X509_V_OK;
      if (X509_STORE_add_cert(store, one.get()) != 1 ||
          SSL_CTX_add_client_CA(context_.get(), one.get()) != 1) {
        return failed(TlsItem::Authorities, name_of(one.get()));
      }
      note("authority " + name_of(one.get()), X509_get0_notAfter(one.get()));
    }
    const bool is_given = !authorities->empty();
    // The chain may end at an authority of the file that another one has signed, as in Java and Go.
    // Beside a root it must not: the root's list may revoke that authority.
    if (is_given && !has_root) {
      X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context_.get()), X509_V_FLAG_PARTIAL_CHAIN);
    }
    if (settings_.role == TlsRole::Initiator && !is_given) {
      if (SSL_CTX_set_default_verify_paths(context_.get()) != 1) {
        return failed(TlsItem::Authorities, "the operating system's authorities");
      }
    } else if (settings_.client_certificate != ClientCertificate::NotAsked && !is_given) {
      return std::unexpected{TlsError{TlsItem::Authorities,
                                      "client certificates are to be verified, but no authority "
                                      "is configured"}};
    }
    return {};
  }

  [[nodiscard]] TlsResult<void> set_revocations() {
    const auto lists = read_revocations(settings_, disk_);
    if (!lists) return std::unexpected{lists.error()};
    X509_STORE* const store = SSL_CTX_get_cert_store(context_.get());
    for (const RevocationList& one : *lists) {
      if (X509_STORE_add_crl(store, one.get()) != 1) {
        return failed(TlsItem::Revocation, "a list of revoked certificates");
      }
      note("list of revoked certificates of " + text_of(X509_CRL_get_issuer(one.get())),
           X509_CRL_get0_nextUpdate(one.get()));
    }
    checks_revocation_ = !lists->empty();
    return {};
  }

  void set_verification() {
    int mode = SSL_VERIFY_PEER;
    if (settings_.role == TlsRole::Acceptor) {
      if (settings_.client_certificate == ClientCertificate::NotAsked) mode = SSL_VERIFY_NONE;
      if (settings_.client_certificate == ClientCertificate::Required) {
        mode |= SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
      }
    }
    SSL_CTX_set_verify(context_.get(), mode, nullptr);
    SSL_CTX_set_verify_depth(context_.get(), kIntermediatesMax);
    if (!checks_revocation_) return;
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context_.get()),
                                X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
  }

  void note(std::string what, const ASN1_TIME* end) {
    if (end != nullptr) keys_->expiries.push_back({std::move(what), time_of(end)});
  }

  [[nodiscard]] std::string describe() const {
    const long least = SSL_CTX_get_min_proto_version(context_.get());
    const long most = SSL_CTX_get_max_proto_version(context_.get());
    std::string text = least == TLS1_3_VERSION  ? "TLS 1.3"
                       : most == TLS1_2_VERSION ? "TLS 1.2"
                                                : "TLS 1.2 to 1.3";
    if (!identity_.empty()) text += ", " + identity_;
    if (settings_.role == TlsRole::Initiator) {
      if (!settings_.server_name.empty()) text += ", server name " + settings_.server_name;
    } else if (settings_.client_certificate == ClientCertificate::Required) {
      text += ", client certificates required";
    } else if (settings_.client_certificate == ClientCertificate::VerifiedIfShown) {
      text += ", client certificates verified if shown";
    } else {
      text += ", no client certificates";
    }
    if (checks_revocation_) text += ", revocation checked";
    return text;
  }

  const TlsSettings& settings_;
  Disk& disk_;
  SslContext context_;
  std::shared_ptr<TlsKeys> keys_ = std::make_shared<TlsKeys>();
  std::string identity_;
  bool checks_revocation_ = false;
};

}  // namespace

std::string consume_openssl_error() {
  const unsigned long error = ERR_peek_last_error();
  const char* const reason = error == 0 ? nullptr : ERR_reason_error_string(error);
  ERR_clear_error();
  return reason == nullptr ? "no reason given" : reason;
}

std::string name_of(const X509* certificate) { return text_of(X509_get_subject_name(certificate)); }

TlsContext::TlsContext(TlsSettings settings, std::shared_ptr<const TlsKeys> keys)
    : settings_{std::move(settings)}, keys_{std::move(keys)} {}

std::expected<std::shared_ptr<TlsContext>, TlsError> TlsContext::make(TlsSettings settings,
                                                                      Disk& disk) {
  auto keys = KeysMaker{settings, disk}.make();
  if (!keys) return std::unexpected{std::move(keys.error())};
  return std::make_shared<TlsContext>(std::move(settings), std::move(*keys));
}

std::expected<void, TlsError> TlsContext::reload(Disk& disk) {
  auto keys = KeysMaker{settings_, disk}.make();
  if (!keys) return std::unexpected{std::move(keys.error())};
  const std::lock_guard lock{mutex_};
  keys_ = std::move(*keys);
  return {};
}

std::shared_ptr<const TlsKeys> TlsContext::keys() const {
  const std::lock_guard lock{mutex_};
  return keys_;
}

std::vector<TlsExpiry> TlsContext::expiries() const { return keys()->expiries; }
std::string TlsContext::description() const { return keys()->description; }

}  // namespace nexusfix::transport
