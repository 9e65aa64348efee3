#include "config/build/session_settings.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/field.hpp>

#include "config/build/tls_settings.hpp"
#include "config/keys/find_key.hpp"
#include "config/text/settings_values.hpp"
#include "session/api/config.hpp"

namespace nexusfix::config {
namespace {

// Builds one session from its section and the defaults under it.
class SessionBuilder {
 public:
  SessionBuilder(const MergedSection& keys, SettingsReport& report, Calendars& calendars)
      : keys_{keys}, report_{report}, calendars_{calendars} {}

  [[nodiscard]] SessionSettings build() {
    result_.line = keys_.line();
    keys_.set_all(result_);
    derive_limits();
    build_identity();
    build_connection();
    check_timers();
    check_silence();
    build_logon_tags();
    build_logon_signature();
    check_logon();
    check_limits();
    build_dictionary();
    for (const auto& [name, value] : keys_.application()) {
      result_.application.emplace(name, value.given.value);
    }
    result_.schedule = build_schedule(keys_, report_, calendars_);
    return std::move(result_);
  }

 private:
  [[nodiscard]] const Given* find(Key key) const { return keys_.find(key); }
  [[nodiscard]] const Given* valid(Key key) const { return keys_.valid(key); }

  void missing(std::string_view what) {
    report_.error(keys_.line(), "[SESSION]: " + std::string{what});
  }

  void require(Key key) {
    if (find(key) == nullptr) missing(std::string{key.name()} + " is missing");
  }

  void build_identity() {
    session::SessionConfig& config = result_.session;
    require("BeginString");
    require("SenderCompID");
    require("TargetCompID");
    is_fixt_ = config.id.begin_string == "FIXT.1.1";
    if (!is_fixt_) {
      warn_of_unused("DefaultApplVerID");
    } else if (find("DefaultApplVerID") == nullptr) {
      missing(
          "DefaultApplVerID is missing: the version of a FIXT.1.1 session's messages, such as "
          "FIX.5.0SP2");
    } else if (const Given* given = valid("DefaultApplVerID")) {
      // "10" is sent to the counterparty unchanged, though its messages are read as those of "9".
      const bool is_number = !wire::application_version(given->value).empty();
      config.fixt.default_appl_ver_id =
          is_number ? std::string{given->value} : std::string{*read_appl_ver_id(given->value)};
    }
  }

  // Limits and timeouts without a key of their own.
  void derive_limits() {
    session::LogonConfig& logon = result_.session.logon;
    logon.authentication_timeout = logon.timeout;
    logon.logout_gap_timeout = logon.logout_timeout;

    constexpr int kLockouts = 10;
    result_.credentials.failures_interval = kLockouts * result_.credentials.lockout;
    AdmissionSettings& admission = result_.admission;
    admission.pending_logons_per_address_max = (admission.pending_logons_max + 1) / 2;

    SessionLimits& limits = result_.limits;
    limits.garbled_per_second_max = limits.admin_messages_per_second_max;
    limits.rejects_per_second_max = limits.admin_messages_per_second_max;
    limits.out_of_order_bytes_max = limits.queued_bytes_max / 4;
  }

  // In [DEFAULT] a key may be for other sessions.
  void warn_of_unused(Key key) {
    if (const Given* const given = keys_.section().own(key)) warn_of_unused(*given, key.name());
  }
  void warn_of_unused(const Given& given, std::string_view name) {
    report_.warning(given.line, std::string{name} + ": not used; " +
                                    (is_fixt_ ? "a FIXT.1.1 session has TransportDataDictionary "
                                                "and AppDataDictionary"
                                              : "only FIXT.1.1 sessions have one"));
  }

  // Unset: the reason is reported.
  [[nodiscard]] std::optional<session::Role> role_of_session() {
    if (const Given* type = valid("ConnectionType")) {
      const bool is_acceptor = equals_ignoring_case(type->value, "acceptor");
      return is_acceptor ? session::Role::Acceptor : session::Role::Initiator;
    }
    if (find("ConnectionType") != nullptr) return std::nullopt;
    const std::string missing_type = "ConnectionType is missing: initiator or acceptor; ";
    if (keys_.defaults().has_lost_role) {
      missing(missing_type + "what the file says of it is misspelt, or ignored");
      return std::nullopt;
    }
    const auto implied = implied_role(keys_);
    if (!implied) {
      const bool is_both = find("SocketAcceptPort") != nullptr;
      missing(missing_type + (is_both
                                  ? "there are both a SocketAcceptPort and an address to connect to"
                                  : "there is neither a SocketAcceptPort nor a SocketConnectHost"));
      return std::nullopt;
    }
    report_.warning(keys_.line(),
                    std::string{"[SESSION]: ConnectionType is missing: taken as "} +
                        (implied->role == session::Role::Acceptor ? "acceptor" : "initiator") +
                        ", because of " + std::string{implied->key} + " in line " +
                        std::to_string(implied->line));
    return implied->role;
  }

  void build_connection() {
    const std::optional<session::Role> role = role_of_session();
    if (!role) return;
    result_.session.role = *role;
    if (*role == session::Role::Acceptor) {
      result_.tls = build_tls(keys_, transport::TlsRole::Acceptor, report_);
      refuse_proxy_of(keys_.section(), report_);
      return build_acceptor();
    }
    result_.tls = build_tls(keys_, transport::TlsRole::Initiator, report_);
    if (const Given* given = keys_.section().own("AcceptorTemplate"); result_.is_template) {
      report_.error(given != nullptr ? given->line : keys_.line(),
                    "AcceptorTemplate: an initiator's session cannot be a template");
    }
    if (find("HeartBtInt") == nullptr) missing("HeartBtInt is missing: an initiator proposes it");
    build_connect_list();
    build_certificates();
  }

  void build_acceptor() {
    if (!result_.session.id.qualifier.empty()) {
      report_.error(find("SessionQualifier")->line,
                    "SessionQualifier: an acceptor cannot have one, because nothing in a Logon "
                    "would tell such sessions apart");
    }
    if (find("SocketAcceptPort") == nullptr) {
      missing("SocketAcceptPort is missing: an acceptor listens on it; 0 takes any free one");
    }
    const Given* port = valid("SocketAcceptPort");
    if (port == nullptr) return;
    transport::Endpoint endpoint;
    endpoint.options = socket_options();
    endpoint.port = static_cast<std::uint16_t>(*read_number(port->value));
    result_.accept_port_line = port->line;
    if (const Given* const host = accept_host()) {
      endpoint.host = transport::without_brackets(host->value);
      result_.accept_host_line = host->line;
    }
    const Given* allowed = valid("AllowedRemoteAddresses");
    if (allowed != nullptr && !allowed->value.empty()) {
      result_.admission.allowed_remote_addresses = *read_addresses(allowed->value);
    }
    build_proxies(endpoint);
    result_.accept = endpoint;
    build_passwords();
    build_certificates();
  }

  // Without a certificate of the counterparty there is nothing to compare.
  void build_certificates() {
    const Given* allowed = valid("AllowedCertificates");
    if (allowed == nullptr || allowed->value.empty()) return;
    result_.admission.allowed_certificates = *read_certificates(allowed->value);
    if (result_.session.role == session::Role::Initiator) {
      if (result_.tls) return;
      report_.error(allowed->line,
                    "AllowedCertificates: this session's acceptor shows no certificate without "
                    "TLS: SocketUseSSL=Y turns it on" +
                        std::string{kNotWithout});
      return;
    }
    const bool has_certificate = result_.tls && result_.tls->settings.client_certificate !=
                                                    transport::ClientCertificate::NotAsked;
    if (has_certificate) return;
    report_.error(allowed->line,
                  "AllowedCertificates: no certificate is asked of this session's counterparty: "
                  "CertificationAuthoritiesFile and NeedClientAuth=Y do, with TLS" +
                      std::string{kNotWithout});
  }

  // A header states the address of the client, so only the listed proxies are trusted.
  void build_proxies(transport::Endpoint& endpoint) {
    const Given* use = valid("UseTCPProxy");
    const Given* trusted = valid("TrustedProxies");
    const bool is_given = trusted != nullptr && !trusted->value.empty();
    if (use == nullptr || !is_yes(use->value)) {
      if (is_given && find("UseTCPProxy") == nullptr) {
        report_.error(trusted->line,
                      "TrustedProxies: nothing asks for headers of proxies: "
                      "UseTCPProxy=Y does" +
                          std::string{kNotWithout});
      }
      return;
    }
    if (!is_given) {
      if (trusted == nullptr && find("TrustedProxies") != nullptr) return;  // Reported as invalid.
      report_.error(use->line,
                    "UseTCPProxy: TrustedProxies is missing: the addresses of the trusted "
                    "proxies" +
                        std::string{kNotWithout});
      return;
    }
    endpoint.trusted_proxies = *read_addresses(trusted->value);
    result_.proxy_line = use->line;
    for (const transport::AllowList::Range& range : endpoint.trusted_proxies->ranges()) {
      const std::string text = range.to_string();
      if (!text.ends_with("/0")) continue;
      report_.warning(trusted->line,
                      "TrustedProxies: " + text +
                          " is every address: each client states its own address, and evades "
                          "AllowedRemoteAddresses, lock-outs and the limits of one address");
    }
  }

  void build_passwords() {
    if (const Given* given = valid("PasswordFile")) {
      result_.credentials.password_file = given->value;
      result_.credentials.password_file_line = given->line;
    }
    const Given* users = valid("AllowedUsernames");
    if (users != nullptr && !users->value.empty()) {
      result_.credentials.allowed_usernames = *read_usernames(users->value);
      if (const Given* own = keys_.section().own("AllowedUsernames");
          own != nullptr && result_.credentials.password_file.empty()) {
        report_.error(own->line, "AllowedUsernames: there is no PasswordFile to check them with");
      }
    }
  }

  [[nodiscard]] transport::SocketOptions socket_options() const {
    transport::SocketOptions options;
    keys_.set_all(options);
    // The operating system must not end a connection that may still wait.
    options.user_timeout = std::max(options.user_timeout, result_.limits.slow_consumer_timeout);
    options.source_host = std::string{transport::without_brackets(options.source_host)};
    return options;
  }

  void build_host_selection() {
    const Given* policy = valid("HostSelectionPolicy");
    if (policy == nullptr || !equals_ignoring_case(policy->value, "PRIORITY")) return;
    constexpr std::chrono::seconds kStartOver{120};  // QuickFIX's
    const Given* const given = valid("HostSelectionPolicyPriorityStartOverInterval");
    result_.reconnect.priority_start_over =
        given == nullptr ? kStartOver : std::chrono::seconds{*read_number(given->value)};
  }

  // SocketAcceptAddress and SocketAcceptHost are one key with two names. Null: neither is given.
  [[nodiscard]] const Given* accept_host() {
    for (const Section* section : {&keys_.section(), &keys_.defaults()}) {
      const Given* const address = section->own("SocketAcceptAddress");
      const Given* const host = section->own("SocketAcceptHost");
      if (address != nullptr && host != nullptr && address->value != host->value) {
        report_.error(std::max(address->line, host->line),
                      "SocketAcceptAddress and SocketAcceptHost mean the same, and differ");
      }
      if (address != nullptr) return address;
      if (host != nullptr) return host;
    }
    return nullptr;
  }

  void build_connect_list() {
    build_host_selection();
    const transport::SocketOptions options = socket_options();
    const auto proxy = build_proxy(keys_, report_);
    if (proxy) result_.proxy_line = find("ProxyType")->line;
    for (unsigned number = 0; number <= kKeyNumberMax; ++number) {
      const Given* const host = keys_.find("SocketConnectHost", number);
      const Given* const port = keys_.find("SocketConnectPort", number);
      const std::string suffix = number == 0 ? std::string{} : std::to_string(number);
      if (host != nullptr && port != nullptr) {
        if (!host->is_valid || !port->is_valid) continue;
        transport::Endpoint& endpoint = result_.connect.emplace_back(
            std::string{transport::without_brackets(host->value)},
            static_cast<std::uint16_t>(*read_number(port->value)), options);
        if (!proxy) continue;
        endpoint.proxy = proxy;
        check_target(*proxy, "SocketConnectHost" + suffix, *host, report_);
      } else if (host != nullptr) {
        report_.error(host->line, "SocketConnectHost" + suffix + ": SocketConnectPort" + suffix +
                                      " is missing");
      } else if (port != nullptr) {
        report_.error(port->line, "SocketConnectPort" + suffix + ": SocketConnectHost" + suffix +
                                      " is missing");
      } else if (number == 0) {
        missing("SocketConnectHost and SocketConnectPort are missing: an initiator connects there");
      }
    }
  }

  void check_timers() {
    const session::SessionConfig& config = result_.session;
    if (config.heartbeat.heart_bt_int_min > config.heartbeat.heart_bt_int_max) {
      report_.error(keys_.line(), "[SESSION]: MinHeartBtInt is above MaxHeartBtInt");
    }
    if (config.heartbeat.timeout <= config.heartbeat.test_request_delay) {
      report_.error(keys_.line(),
                    "[SESSION]: HeartBeatTimeoutMultiplier must be larger than "
                    "TestRequestDelayMultiplier, or a counterparty is disconnected without a "
                    "TestRequest");
    }
  }

  void check_silence() {
    const session::SessionConfig& config = result_.session;
    if (!config.heartbeat.imposes_heart_bt_int) return;
    const std::size_t line = find("HeartBtIntOverride")->line;
    if (config.role == session::Role::Initiator) {
      report_.error(line,
                    "HeartBtIntOverride: an initiator proposes its HeartBtInt anyway; it is a key "
                    "of acceptors");
    } else if (find("HeartBtInt") == nullptr) {
      report_.error(line, "HeartBtIntOverride: HeartBtInt is missing: it is what counts then");
    }
  }

  void build_logon_tags() {
    session::SessionConfig& config = result_.session;
    for (const auto& [number, given] : keys_.numbered("LogonTag")) {
      if (!given.is_valid) continue;
      const LogonTag field = *read_logon_tag(given.value);
      if (is_in_logon(field.tag)) {
        report_.error(given.line, "LogonTag: field " + std::to_string(field.tag) +
                                      " is given twice, here and by another key");
      }
      config.logon.fields.push_back({field.tag, std::string{field.value}});
    }
    order_logon_tags();
  }

  // A Length goes directly before its data, and is added if it is missing.
  void order_logon_tags() {
    static const wire::DataFieldTable kPairs = wire::DataFieldTable::standard();
    std::vector<session::LogonField>& fields = result_.session.logon.fields;
    std::vector<session::LogonField> ordered;
    std::size_t bytes = 0;
    const auto error = [&](const std::string& text) {
      report_.error(keys_.line(), "LogonTag: " + text);
    };
    for (session::LogonField& field : fields) {
      bytes += field.value.size();
      if (const auto data = kPairs.data_tag_for(field.tag)) {
        const auto with_data = std::ranges::find(fields, *data, &session::LogonField::tag);
        if (with_data != fields.end()) continue;
        error("field " + std::to_string(field.tag) + " is the length of field " +
              std::to_string(*data) + ", which is missing");
      } else if (const auto length = kPairs.length_tag_for(field.tag)) {
        const auto given = std::ranges::find(fields, *length, &session::LogonField::tag);
        if (given != fields.end() && wire::to_uint(given->value) != field.value.size()) {
          error("field " + std::to_string(*length) + " is not the number of bytes of field " +
                std::to_string(field.tag));
        }
        ordered.push_back({*length, std::to_string(field.value.size())});
      }
      ordered.push_back(std::move(field));
    }
    if (bytes > session::kLogonFieldsBytesMax) {
      error("all fields together have more than " + std::to_string(session::kLogonFieldsBytesMax) +
            " bytes");
    }
    fields = std::move(ordered);
  }

  void build_logon_signature() {
    const Given* const signature = valid("LogonSignature");
    if (signature == nullptr) return refuse_unsigned();
    if (result_.session.role == session::Role::Acceptor) {
      report_.error(signature->line,
                    "LogonSignature: an acceptor signs nothing: it is a key of initiators");
    }
    if (find("LogonKey") == nullptr) {
      report_.error(signature->line, "LogonSignature: LogonKey is missing");
    }
    const Given* const key = valid("LogonKey");
    if (key == nullptr) return;
    LogonSignature made = *read_logon_signature(signature->value);
    const LogonKey read = *read_logon_key(key->value);
    if (made.key.empty() == read.is_url) {
      report_.error(key->line, "LogonKey: base64url is the form of both the key and the signature");
    }
    made.key += read.place;
    made.key_form = read.form;
    made.key_line = key->line;
    if (const Given* const nonce = valid("LogonNonce")) {
      LogonNonce fields = *read_logon_nonce(nonce->value);
      made.nonce_tag = fields.tag;
      made.nonce = std::move(fields.parts);
    }
    check_signature(made, *signature);
    result_.logon_signature = std::make_shared<const LogonSignature>(std::move(made));
  }

  void refuse_unsigned() {
    if (find("LogonSignature") != nullptr) return;  // its error is reported
    for (const Key key : {Key{"LogonKey"}, Key{"LogonNonce"}}) {
      if (const Given* const given = keys_.section().own(key)) {
        report_.error(given->line, std::string{key.name()} + ": there is no LogonSignature");
      }
    }
  }

  void check_signature(const LogonSignature& made, const Given& signature) {
    using Algorithm = LogonSignature::Algorithm;
    const auto refuse = [&](const std::string& text) {
      report_.error(signature.line, "LogonSignature: " + text);
    };
    const bool has_key = std::ranges::any_of(
        made.text, [](const LogonTextPart& part) { return part.kind == LogonTextPart::Kind::Key; });
    if (has_key != (made.algorithm == Algorithm::Sha256)) {
      refuse(has_key ? "{key} is only for sha256: the other algorithms use the key themselves"
                     : "sha256 needs {key} in its text: without the key, anybody could compute it");
    }
    const bool has_private_key =
        made.algorithm == Algorithm::Ed25519 || made.algorithm == Algorithm::RsaSha256;
    if (has_private_key && made.key_form != LogonSignature::KeyForm::Plain) {
      report_.error(made.key_line, "LogonKey: a private key is in PEM: without base64: and hex:");
    }
    const auto refuse_if_taken = [&](wire::Tag tag) {
      if (is_in_logon(tag)) refuse("field " + std::to_string(tag) + " has another value already");
    };
    refuse_if_taken(made.tag);
    if (made.nonce_tag == 0) return;
    refuse_if_taken(made.nonce_tag);
    if (made.nonce_tag == made.tag) refuse("LogonNonce has the same field");
  }

  // Whether another key gives this field of our Logon a value.
  [[nodiscard]] bool is_in_logon(wire::Tag tag) const {
    const session::LogonConfig& logon = result_.session.logon;
    return (tag == tag::Username && !logon.username.empty()) ||
           (tag == tag::Password && !logon.password.empty()) ||
           (tag == tag::NewPassword && !logon.new_password.empty()) ||
           std::ranges::find(logon.fields, tag, &session::LogonField::tag) != logon.fields.end();
  }

  void check_logon() {
    const session::SessionConfig& config = result_.session;
    const auto* version = session::find_version(config.id.begin_string);
    if (version == nullptr) return;
    if (config.logon.send_next_expected_msg_seq_num && !version->has_next_expected) {
      report_.warning(keys_.line(),
                      "[SESSION]: NextExpectedMsgSeqNum (789) is not sent: it came with FIX.4.4");
    }
    if (config.header.send_last_msg_seq_num_processed && !version->has_last_processed) {
      report_.warning(keys_.line(),
                      "[SESSION]: LastMsgSeqNumProcessed (369) is not sent: it came with FIX.4.2");
    }
  }

  void check_limits() {
    if (result_.limits.logon_bytes_max > result_.limits.message_bytes_max) {
      if (const Given* logon = valid("MaxLogonSize")) {
        report_.error(logon->line, "MaxLogonSize: is above MaxMessageSize, which is " +
                                       std::to_string(result_.limits.message_bytes_max));
      }
      result_.limits.logon_bytes_max = result_.limits.message_bytes_max;
    }
  }

  void build_dictionary() {
    if (const Given* incoming = valid("ValidateIncomingMessage");
        incoming != nullptr && !is_yes(incoming->value)) {
      result_.dictionary.is_used = false;
    }
    if (!result_.validates_length) result_.validates_check_sum = false;
    build_dictionary_files();
  }

  void build_dictionary_files() {
    DictionarySettings& dictionary = result_.dictionary;
    const Key key = is_fixt_ ? Key{"TransportDataDictionary"} : Key{"DataDictionary"};
    if (const Given* given = valid(key)) {
      dictionary.file = given->value;
      dictionary.line = given->line;
    }
    if (!is_fixt_) {
      warn_of_unused("TransportDataDictionary");
      for (const auto& [place, given] : keys_.section().given) {
        if (place.first == "AppDataDictionary") warn_of_unused(given, "AppDataDictionary");
      }
      return;
    }
    warn_of_unused("DataDictionary");
    const std::string& default_version = result_.session.fixt.default_appl_ver_id;
    // The one without a version comes first, so that one with the version replaces it.
    for (const auto& [number, given] : keys_.numbered("AppDataDictionary")) {
      if (!given.is_valid || (number == 0 && default_version.empty())) continue;
      const char version =
          number == 0 ? wire::known_appl_ver_id(default_version) : static_cast<char>('0' + number);
      dictionary.applications[version] = {std::string{given.value}, given.line};
    }
  }

  const MergedSection& keys_;
  SettingsReport& report_;
  Calendars& calendars_;
  SessionSettings result_;
  bool is_fixt_ = false;
};

}  // namespace

std::optional<ImpliedRole> implied_role(const MergedSection& keys) {
  const auto hosts = keys.numbered("SocketConnectHost");
  const auto ports = keys.numbered("SocketConnectPort");
  const Given* const accept = keys.find("SocketAcceptPort");
  const bool connects = !hosts.empty() || !ports.empty();
  if (connects == (accept != nullptr)) return std::nullopt;
  const auto initiator = [](Key key, const std::map<unsigned, Given>& given) {
    return ImpliedRole{session::Role::Initiator, key.name(), given.begin()->second.line};
  };
  if (accept != nullptr) {
    return ImpliedRole{session::Role::Acceptor, "SocketAcceptPort", accept->line};
  }
  return hosts.empty() ? initiator("SocketConnectPort", ports)
                       : initiator("SocketConnectHost", hosts);
}

SessionSettings build_session(const MergedSection& keys, SettingsReport& report,
                              Calendars& calendars) {
  return SessionBuilder{keys, report, calendars}.build();
}

}  // namespace nexusfix::config
