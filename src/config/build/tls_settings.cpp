#include "config/build/tls_settings.hpp"

#include <initializer_list>
#include <map>
#include <string>
#include <utility>

#include "config/keys/find_key.hpp"
#include "config/text/settings_values.hpp"

namespace nexusfix::config {
namespace {

using transport::ClientCertificate;
using transport::TlsItem;
using transport::TlsRole;
using transport::TlsSettings;
using transport::TlsVersion;

// Keys with one meaning.
constexpr std::initializer_list<Key> kSwitches{"SocketUseSSL", "SSLEnable"};
constexpr std::initializer_list<Key> kServerCertificates{
    "ServerCertificateFile", "SocketCertificateFile", "SocketKeyStore", "SSLCertificate"};
constexpr std::initializer_list<Key> kClientCertificates{
    "ClientCertificateFile", "SocketCertificateFile", "SocketKeyStore", "SSLCertificate"};
constexpr std::initializer_list<Key> kServerKeys{"ServerCertificateKeyFile",
                                                 "SocketPrivateKeyFile"};
constexpr std::initializer_list<Key> kClientKeys{"ClientCertificateKeyFile",
                                                 "SocketPrivateKeyFile"};
constexpr std::initializer_list<Key> kKeyPasswords{"SocketKeyStorePassword",
                                                   "SSLCertificatePassword"};
constexpr std::initializer_list<Key> kAuthorities{"CertificationAuthoritiesFile", "SocketCAFile",
                                                  "SocketTrustStore", "SSLCACertificate"};
constexpr std::initializer_list<Key> kRequired{"NeedClientAuth", "SSLRequireClientCertificate"};
constexpr std::initializer_list<Key> kProtocols{"SSLProtocol", "EnabledProtocols", "SSLProtocols"};
constexpr std::initializer_list<Key> kCiphers{"SSLCipherSuite", "CipherSuites"};
constexpr std::initializer_list<Key> kNames{"SNIHostName", "SocketServerName", "SSLServerName"};
// QuickFIX and QuickFIX/Go have no switch: one of these files turns TLS on.
constexpr std::initializer_list<Key> kFiles{"ServerCertificateFile",
                                            "ServerCertificateKeyFile",
                                            "ClientCertificateFile",
                                            "ClientCertificateKeyFile",
                                            "SocketCertificateFile",
                                            "SocketPrivateKeyFile",
                                            "SocketKeyStore",
                                            "SSLCertificate",
                                            "CertificationAuthoritiesFile",
                                            "CertificationAuthoritiesDirectory",
                                            "SocketCAFile",
                                            "SocketTrustStore",
                                            "SSLCACertificate",
                                            "CertificateRevocationListFile",
                                            "CertificateRevocationListDirectory"};

// Whether a value is neither empty nor a no.
bool asks_for_tls(std::string_view value) { return !value.empty() && read_bool(value) != false; }

class TlsBuilder {
 public:
  TlsBuilder(const MergedSection& keys, TlsRole role, SettingsReport& report)
      : keys_{keys}, is_acceptor_{role == TlsRole::Acceptor}, report_{report} {
    result_.settings.role = role;
  }

  [[nodiscard]] std::shared_ptr<const SessionTls> build() {
    if (!is_wanted()) return nullptr;
    build_identity();
    build_authorities();
    if (is_acceptor_) build_client_certificate();
    build_versions();
    build_ciphers();
    build_name();
    return std::make_shared<const SessionTls>(std::move(result_));
  }

 private:
  struct Found {
    Key key{};
    Given given;
    bool is_own = false;
  };

  void error(const Found& found, const std::string& text) {
    report_.error(found.given.line, std::string{found.key.name()} + ": " + text);
  }

  // The given one of several keys with one meaning.
  [[nodiscard]] std::optional<Found> find(std::initializer_list<Key> keys) {
    for (const bool is_own : {true, false}) {
      const Section& section = is_own ? keys_.section() : keys_.defaults();
      std::optional<Found> first;
      for (const Key key : keys) {
        const Given* const given = section.own(key);
        if (!given || !given->is_valid) continue;
        if (!first) first = Found{key, *given, is_own};
        if (first->given.value == given->value) continue;
        error({key, *given, is_own}, "means the same as " + std::string{first->key.name()} +
                                         " in line " + std::to_string(first->given.line) +
                                         ", and differs");
      }
      if (first) return first;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool says_yes(std::initializer_list<Key> keys) {
    const auto found = find(keys);
    return found && read_bool(found->given.value) == true;
  }

  // Whether the session has TLS. A key that asks for a part of it without TLS is reported.
  [[nodiscard]] bool is_wanted() {
    const auto switched = find(kSwitches);
    if (switched && is_yes(switched->given.value)) {
      origin(TlsItem::Build, *switched);
      return true;
    }
    if (!switched) {
      for (const Key key : kFiles) {
        const auto file = find({key});
        if (!file || file->given.value.empty()) continue;
        origin(TlsItem::Build, *file);
        return true;
      }
    }
    keys_.for_each_given([&](Key key, const Given&) {
      if (!is_of_tls(key)) return;
      const auto found = find({key});
      if (!found || !asks_for_tls(found->given.value)) return;
      if (!switched) {
        const bool is_asked = key == "RequireTLS";
        error(*found, "asks for TLS, and nothing turns it on: " +
                          std::string{is_asked ? "SocketUseSSL=Y does"
                                               : "add the line SocketUseSSL=Y for TLS, or the line "
                                                 "SocketUseSSL=N for a session without it"} +
                          std::string{kNotWithout});
      } else {
        without_tls(*found, *switched);
      }
    });
    return false;
  }

  // A no in the same section as the key is meant: only a warning.
  void without_tls(const Found& found, const Found& switched) {
    const std::string no =
        std::string{switched.key.name()} + "=N in line " + std::to_string(switched.given.line);
    if (found.key == "RequireTLS") {
      error(found, "asks for TLS, and " + no + " for none" + std::string{kNotWithout});
    } else if (found.is_own && !switched.is_own) {
      error(found, "asks for TLS, and " + no +
                       " for none: add the line SocketUseSSL=Y to this [SESSION] for TLS, or the "
                       "line SocketUseSSL=N for a session without it" +
                       std::string{kNotWithout});
    } else if (found.is_own == switched.is_own) {
      report_.warning(found.given.line,
                      std::string{found.key.name()} + ": not used, because of " + no);
    }
  }

  void origin(TlsItem item, const Found& found) {
    result_.origins[static_cast<std::size_t>(item)] = {found.key.name(), found.given.line};
  }

  void read(std::initializer_list<Key> keys, std::string& target) {
    if (const auto found = find(keys)) target = found->given.value;
  }
  void read(std::initializer_list<Key> keys, std::string& target, TlsItem item) {
    const auto found = find(keys);
    if (!found) return;
    target = found->given.value;
    origin(item, *found);
  }

  [[nodiscard]] Found key_that_asked() const {
    const SessionTls::Origin& asked = result_.origins[static_cast<std::size_t>(TlsItem::Build)];
    return {find_key(asked.key).rule->key, Given{{}, asked.line, true}};
  }

  void build_identity() {
    TlsSettings& settings = result_.settings;
    read(is_acceptor_ ? kServerCertificates : kClientCertificates, settings.certificate_file,
         TlsItem::Certificate);
    read(is_acceptor_ ? kServerKeys : kClientKeys, settings.key_file, TlsItem::Key);
    read(kKeyPasswords, settings.key_password);
    const Key other = is_acceptor_ ? Key{"ClientCertificateFile"} : Key{"ServerCertificateFile"};
    const auto wrong = find({other});
    if (wrong && wrong->is_own && !wrong->given.value.empty()) {
      error(*wrong, std::string{is_acceptor_ ? "an acceptor's is ServerCertificateFile"
                                             : "an initiator's is ClientCertificateFile"} +
                        std::string{kNotWithout});
    }
    if (is_acceptor_ && settings.certificate_file.empty()) {
      error(key_that_asked(),
            "an acceptor with TLS needs a certificate: ServerCertificateFile, or SocketKeyStore");
    }
    if (settings.certificate_file.empty() && !settings.key_file.empty()) {
      error(*find(is_acceptor_ ? kServerKeys : kClientKeys), "the certificate of it is missing");
    }
  }

  void build_authorities() {
    TlsSettings& settings = result_.settings;
    read({"CertificationAuthoritiesDirectory"}, settings.authorities_folder, TlsItem::Authorities);
    read(kAuthorities, settings.authorities_file, TlsItem::Authorities);
    read({"SocketTrustStorePassword"}, settings.authorities_password);
    read({"CertificateRevocationListDirectory"}, settings.revocation_folder, TlsItem::Revocation);
    read({"CertificateRevocationListFile"}, settings.revocation_file, TlsItem::Revocation);
    const bool has_lists = !settings.revocation_file.empty() || !settings.revocation_folder.empty();
    if (says_yes({"SSLCheckCertificateRevocation"}) && !has_lists) {
      error(*find({"SSLCheckCertificateRevocation"}),
            "no list is fetched from anywhere: CertificateRevocationListFile names one" +
                std::string{kNotWithout});
    }
  }

  // The strictest level of all keys applies. The authorities of an acceptor are those of its
  // clients.
  void build_client_certificate() {
    TlsSettings& settings = result_.settings;
    const bool has_authorities =
        !settings.authorities_file.empty() || !settings.authorities_folder.empty();
    const auto level = find({"CertificateVerifyLevel"});
    const auto required = find(kRequired);
    ClientCertificate& wanted = settings.client_certificate;
    if (level) wanted = static_cast<ClientCertificate>(*read_number(level->given.value));
    if (says_yes(kRequired)) wanted = ClientCertificate::Required;
    if (!level && !required && has_authorities) wanted = ClientCertificate::Required;
    if (wanted != ClientCertificate::NotAsked && !has_authorities) {
      error(level ? *level : *required,
            "who may have issued the clients' certificates is missing: "
            "CertificationAuthoritiesFile" +
                std::string{kNotWithout});
    }
    const auto go = find({"SocketCertificateFile"});
    if (go && !find(kSwitches) && !level && !required && !has_authorities) {
      error(*go,
            "without SocketUseSSL=Y QuickFIX/Go requires a certificate of clients: SocketCAFile "
            "says who issues them, SocketUseSSL=Y that none is wanted");
    }
  }

  void build_versions() {
    TlsSettings& settings = result_.settings;
    TlsVersions versions{true, true};
    const auto listed = find(kProtocols);
    if (listed && !listed->given.value.empty()) {
      versions = *read_tls_versions(listed->given.value);
    }
    const auto least = find({"SocketMinimumTLSVersion"});
    if (least && !least->given.value.empty()) {
      const TlsVersions named = *read_tls_versions(least->given.value);
      if (named.has_1_3 && !named.has_1_2) versions.has_1_2 = false;
    }
    if (!versions.has_1_2 && !versions.has_1_3) {
      return error(listed ? *listed : *least,
                   "none of these versions is spoken: there are TLSv1.2 and TLSv1.3");
    }
    if (!versions.has_1_2) settings.version_min = TlsVersion::V1_3;
    if (!versions.has_1_3) settings.version_max = TlsVersion::V1_2;
  }

  void build_ciphers() {
    read({"TLSCipherSuites"}, result_.settings.cipher_suites, TlsItem::Ciphers);
    read(kCiphers, result_.settings.ciphers, TlsItem::Ciphers);
  }

  void build_name() {
    if (is_acceptor_) return;
    read(kNames, result_.settings.server_name);
    if (const auto use = find({"UseSNI"})) {
      result_.settings.sends_server_name = is_yes(use->given.value);
    }
    const auto level = find({"CertificateVerifyLevel"});
    if (level && level->given.value == "0") {
      report_.warning(level->given.line,
                      "CertificateVerifyLevel: an acceptor's certificate is always verified");
    }
  }

  const MergedSection& keys_;
  bool is_acceptor_;
  SettingsReport& report_;
  SessionTls result_;
};

}  // namespace

std::shared_ptr<const SessionTls> build_tls(const MergedSection& keys, TlsRole role,
                                            SettingsReport& report) {
  return TlsBuilder{keys, role, report}.build();
}

void refuse_tls_of(const Section& ignored, SettingsReport& report) {
  for (const Key key : all_keys()) {
    const Given* const given = ignored.own(key);
    if (!is_of_tls(key) || given == nullptr || !asks_for_tls(given->value)) continue;
    report.error(given->line, std::string{key.name()} +
                                  ": asks for TLS in a section that is ignored" +
                                  std::string{kNotWithout});
  }
}

void check_shared_ports(const std::vector<SessionSettings>& sessions, SettingsReport& report) {
  std::map<std::pair<std::string, std::uint16_t>, const SessionSettings*> firsts;
  for (const SessionSettings& one : sessions) {
    if (!one.accept) continue;
    const auto [place, added] = firsts.emplace(std::pair{one.accept->host, one.accept->port}, &one);
    const SessionSettings& first = *place->second;
    const bool is_alike = (first.tls != nullptr) == (one.tls != nullptr) &&
                          (!one.tls || first.tls->settings == one.tls->settings);
    const bool has_same_proxies = first.accept->trusted_proxies == one.accept->trusted_proxies;
    if (added || (is_alike && has_same_proxies)) continue;
    const std::string what = is_alike
                                 ? "its proxies (UseTCPProxy, TrustedProxies) differ from those"
                                 : "its TLS differs from that";
    report.error(one.line, "[SESSION]: " + what + " of the session in line " +
                               std::to_string(first.line) + ", and both listen on the same port");
  }
}

}  // namespace nexusfix::config
