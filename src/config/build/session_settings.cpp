#include "config/build/session_settings.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <nexusfix/session/version.hpp>
#include <nexusfix/wire/application_version.hpp>
#include <nexusfix/wire/session_tags.hpp>

#include "config/build/proxy_settings.hpp"
#include "config/build/tls_settings.hpp"
#include "config/text/settings_values.hpp"

namespace nexusfix::config {
namespace {

constexpr unsigned kApplVerIdMax = 9;
constexpr std::string_view kNotWithout = "; the engine does not start without what was asked";

// One session, out of its section and the defaults under it.
class SessionBuilder {
 public:
  SessionBuilder(const MergedSection& keys, SettingsReport& report, Calendars& calendars)
      : keys_{keys}, report_{report}, calendars_{calendars} {}

  [[nodiscard]] SessionSettings build() {
    result_.line = keys_.line();
    build_identity();
    build_connection();
    build_timers();
    build_logon();
    build_resends();
    build_limits();
    build_rules();
    build_dictionary();
    build_precision();
    if (const Given* loop = right(Key::EventLoop)) {
      result_.event_loop = static_cast<std::uint32_t>(*read_number(loop->value));
    }
    for (const auto& [name, value] : keys_.application()) {
      result_.application.emplace(name, value.given.value);
    }
    result_.schedule = build_schedule(keys_, report_, calendars_);
    return std::move(result_);
  }

 private:
  [[nodiscard]] const std::optional<Given>& find(Key key) const { return keys_.find(key); }
  [[nodiscard]] const Given* right(Key key) const { return keys_.right(key); }
  template <class T>
  void read_into(Key key, T& target) const {
    keys_.read_into(key, target);
  }

  void missing(std::string_view what) {
    report_.error(keys_.line(), "[SESSION]: " + std::string{what});
  }

  void require_text(Key key, std::string_view name, std::string& target) {
    if (const Given* given = right(key)) target = given->value;
    if (!find(key)) missing(std::string{name} + " is missing");
  }

  void build_identity() {
    session::SessionConfig& config = result_.session;
    require_text(Key::BeginString, "BeginString", config.id.begin_string);
    require_text(Key::SenderCompID, "SenderCompID", config.id.sender_comp_id);
    require_text(Key::TargetCompID, "TargetCompID", config.id.target_comp_id);
    if (const Given* given = right(Key::SessionQualifier)) config.id.qualifier = given->value;
    read_into(Key::SenderSubID, config.id.sender_sub_id);
    read_into(Key::SenderLocationID, config.id.sender_location_id);
    read_into(Key::TargetSubID, config.id.target_sub_id);
    read_into(Key::TargetLocationID, config.id.target_location_id);
    is_fixt_ = config.id.begin_string == "FIXT.1.1";
    if (!is_fixt_) {
      warn_of_unused(Key::DefaultApplVerID, "DefaultApplVerID");
    } else if (!find(Key::DefaultApplVerID)) {
      missing(
          "DefaultApplVerID is missing: the version of a FIXT.1.1 session's messages, such as "
          "FIX.5.0SP2");
    } else if (const Given* given = right(Key::DefaultApplVerID)) {
      // "10" is said to the counterparty as it is, though its messages are read as those of "9".
      const bool is_number = !wire::application_version(given->value).empty();
      config.fixt.default_appl_ver_id =
          is_number ? std::string{given->value} : std::string{*read_appl_ver_id(given->value)};
    }
  }

  // In [DEFAULT] a key may be for other sessions.
  void warn_of_unused(Key key, std::string_view name) {
    if (const auto& given = keys_.section().own(key)) {
      warn_of_unused(*given, name);
    }
  }
  void warn_of_unused(const Given& given, std::string_view name) {
    report_.warning(given.line, std::string{name} + ": not used; " +
                                    (is_fixt_ ? "a FIXT.1.1 session has TransportDataDictionary "
                                                "and AppDataDictionary"
                                              : "only FIXT.1.1 sessions have one"));
  }

  // Nothing: it is reported why.
  [[nodiscard]] std::optional<session::Role> role_of_session() {
    if (const Given* type = right(Key::ConnectionType)) {
      const bool is_acceptor = equals_ignoring_case(type->value, "acceptor");
      return is_acceptor ? session::Role::Acceptor : session::Role::Initiator;
    }
    if (find(Key::ConnectionType)) return std::nullopt;
    const std::string missing_type = "ConnectionType is missing: initiator or acceptor; ";
    if (keys_.defaults().has_lost_role) {
      missing(missing_type + "what the file says of it is misspelt, or ignored");
      return std::nullopt;
    }
    const auto implied = implied_role(keys_);
    if (!implied) {
      const bool is_both = find(Key::SocketAcceptPort).has_value();
      missing(missing_type +
              (is_both ? "there are both a SocketAcceptPort and an address to connect to"
                       : "neither a SocketAcceptPort nor a SocketConnectHost tells which"));
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
    read_into(Key::AcceptorTemplate, result_.is_template);
    if (*role == session::Role::Acceptor) {
      result_.tls = build_tls(keys_, transport::TlsRole::Acceptor, report_);
      refuse_proxy_of(keys_.section(), report_);
      return build_acceptor();
    }
    result_.tls = build_tls(keys_, transport::TlsRole::Initiator, report_);
    if (const auto& given = keys_.section().own(Key::AcceptorTemplate); result_.is_template) {
      report_.error(given ? given->line : keys_.line(),
                    "AcceptorTemplate: an initiator's session cannot be a template");
    }
    if (!find(Key::HeartBtInt)) missing("HeartBtInt is missing: an initiator proposes it");
    build_connect_list();
    build_certificates();
  }

  void build_acceptor() {
    if (!result_.session.id.qualifier.empty()) {
      report_.error(find(Key::SessionQualifier)->line,
                    "SessionQualifier: an acceptor cannot have one, because nothing in a Logon "
                    "would tell such sessions apart");
    }
    if (!find(Key::SocketAcceptPort)) {
      missing("SocketAcceptPort is missing: an acceptor listens on it; 0 takes any free one");
    }
    const Given* port = right(Key::SocketAcceptPort);
    if (port == nullptr) return;
    transport::Endpoint endpoint;
    endpoint.options = socket_options();
    endpoint.port = static_cast<std::uint16_t>(*read_number(port->value));
    result_.accept_port_line = port->line;
    if (const std::optional<Given> host = accept_host()) {
      endpoint.host = transport::without_brackets(host->value);
      result_.accept_host_line = host->line;
    }
    const Given* allowed = right(Key::AllowedRemoteAddresses);
    if (allowed != nullptr && !allowed->value.empty()) {
      result_.allowed_remote_addresses = *read_addresses(allowed->value);
    }
    build_proxies(endpoint);
    read_into(Key::MaxPendingLogons, result_.pending_logons_max);
    read_into(Key::MaxPendingLogonsPerAddress, result_.pending_logons_per_address_max);
    result_.accept = endpoint;
    build_passwords();
    build_certificates();
  }

  // A session whose counterparties show no certificate would have none of them, or all.
  void build_certificates() {
    const Given* allowed = right(Key::AllowedCertificates);
    if (allowed == nullptr || allowed->value.empty()) return;
    result_.allowed_certificates = *read_certificates(allowed->value);
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

  // Whoever could say anything of itself would be let in from anywhere: only who is named is
  // believed.
  void build_proxies(transport::Endpoint& endpoint) {
    const Given* use = right(Key::UseTCPProxy);
    const Given* trusted = right(Key::TrustedProxies);
    const bool is_given = trusted != nullptr && !trusted->value.empty();
    if (use == nullptr || !*read_bool(use->value)) {
      if (use == nullptr && is_given && !find(Key::UseTCPProxy)) {
        report_.error(trusted->line,
                      "TrustedProxies: nothing asks for headers of proxies: "
                      "UseTCPProxy=Y does" +
                          std::string{kNotWithout});
      }
      return;
    }
    if (!is_given) {
      if (trusted == nullptr && find(Key::TrustedProxies)) return;  // It is wrong, which was said.
      report_.error(use->line,
                    "UseTCPProxy: TrustedProxies is missing: the addresses of the proxies whose "
                    "word is taken" +
                        std::string{kNotWithout});
      return;
    }
    endpoint.trusted_proxies = *read_addresses(trusted->value);
    for (const transport::AddressRange& range : endpoint.trusted_proxies->ranges()) {
      const std::string text = range.to_string();
      if (!text.ends_with("/0")) continue;
      report_.warning(trusted->line,
                      "TrustedProxies: " + text +
                          " is everybody: whoever connects says what address it has, and passes "
                          "by AllowedRemoteAddresses, lock-outs and the limits of one address");
    }
  }

  void build_passwords() {
    if (const Given* given = right(Key::PasswordFile)) {
      result_.password_file = given->value;
      result_.password_file_line = given->line;
    }
    const Given* users = right(Key::AllowedUsernames);
    if (users != nullptr && !users->value.empty()) {
      result_.allowed_usernames = *read_usernames(users->value);
      if (const auto& own = keys_.section().own(Key::AllowedUsernames);
          own && result_.password_file.empty()) {
        report_.error(own->line, "AllowedUsernames: there is no PasswordFile to check them with");
      }
    }
    read_into(Key::MaxLogonFailures, result_.logon_failures_max);
    read_into(Key::LogonLockout, result_.logon_lockout);
    read_into(Key::MaxLogonFailuresPerAddress, result_.logon_failures_per_address_max);
    read_into(Key::LogonFailuresInterval, result_.logon_failures_interval);
  }

  [[nodiscard]] transport::SocketOptions socket_options() const {
    transport::SocketOptions options;
    read_into(Key::SocketTcpNoDelay, options.no_delay);
    read_into(Key::SocketNodelay, options.no_delay);
    read_into(Key::SocketKeepAlive, options.keep_alive);
    read_into(Key::SocketReuseAddress, options.reuse_address);
    read_into(Key::SocketSendBufferSize, options.send_buffer_bytes);
    read_into(Key::SocketReceiveBufferSize, options.receive_buffer_bytes);
    // The operating system must not end a connection that may still wait.
    std::chrono::seconds slow_consumer_timeout = result_.slow_consumer_timeout;
    read_into(Key::SlowConsumerTimeout, slow_consumer_timeout);
    options.user_timeout = std::max(options.user_timeout, slow_consumer_timeout);
    std::uint32_t number = 0;
    read_into(Key::SocketTrafficClass, number);
    options.traffic_class = static_cast<std::uint8_t>(number);
    read_into(Key::SocketLocalHost, options.source_host);
    read_into(Key::SocketConnectSourceHost, options.source_host);
    options.source_host = std::string{transport::without_brackets(options.source_host)};
    number = 0;
    read_into(Key::SocketLocalPort, number);
    read_into(Key::SocketConnectSourcePort, number);
    options.source_port = static_cast<std::uint16_t>(number);
    return options;
  }

  void build_reconnecting() {
    if (const Given* given = right(Key::ReconnectInterval)) {
      result_.reconnect_intervals = *read_intervals(given->value);
    }
    read_into(Key::ReconnectJitter, result_.reconnect_jitter);
    read_into(Key::SocketConnectTimeout, result_.connect_timeout);
    const Given* policy = right(Key::HostSelectionPolicy);
    if (policy == nullptr || !equals_ignoring_case(policy->value, "PRIORITY")) return;
    constexpr std::chrono::seconds kStartOver{120};  // QuickFIX's
    std::chrono::seconds start_over = kStartOver;
    read_into(Key::HostSelectionPolicyPriorityStartOverInterval, start_over);
    result_.priority_start_over = start_over;
  }

  // SocketAcceptAddress and SocketAcceptHost are one key by two names.
  [[nodiscard]] std::optional<Given> accept_host() {
    for (const Section* section : {&keys_.section(), &keys_.defaults()}) {
      const auto& address = section->own(Key::SocketAcceptAddress);
      const auto& host = section->own(Key::SocketAcceptHost);
      if (address && host && address->value != host->value) {
        report_.error(std::max(address->line, host->line),
                      "SocketAcceptAddress and SocketAcceptHost mean the same, and differ");
      }
      if (address) return address;
      if (host) return host;
    }
    return std::nullopt;
  }

  static std::optional<Given> numbered(const std::map<unsigned, Given>& own,
                                       const std::map<unsigned, Given>& defaults, unsigned number) {
    if (const auto place = own.find(number); place != own.end()) return place->second;
    if (const auto place = defaults.find(number); place != defaults.end()) return place->second;
    return std::nullopt;
  }

  void build_connect_list() {
    build_reconnecting();
    const transport::SocketOptions options = socket_options();
    const auto proxy = build_proxy(keys_, report_);
    for (unsigned number = 0; number <= kKeyNumberMax; ++number) {
      const auto host =
          numbered(keys_.section().connect_hosts, keys_.defaults().connect_hosts, number);
      const auto port =
          numbered(keys_.section().connect_ports, keys_.defaults().connect_ports, number);
      const std::string suffix = number == 0 ? std::string{} : std::to_string(number);
      if (host && port) {
        if (!host->right || !port->right) continue;
        transport::Endpoint& endpoint = result_.connect.emplace_back(
            std::string{transport::without_brackets(host->value)},
            static_cast<std::uint16_t>(*read_number(port->value)), options);
        if (!proxy) continue;
        endpoint.proxy = proxy;
        check_target(*proxy, "SocketConnectHost" + suffix, *host, report_);
      } else if (host) {
        report_.error(host->line, "SocketConnectHost" + suffix + ": SocketConnectPort" + suffix +
                                      " is missing");
      } else if (port) {
        report_.error(port->line, "SocketConnectPort" + suffix + ": SocketConnectHost" + suffix +
                                      " is missing");
      } else if (number == 0) {
        missing("SocketConnectHost and SocketConnectPort are missing: an initiator connects there");
      }
    }
  }

  void build_timers() {
    session::SessionConfig& config = result_.session;
    read_into(Key::HeartBtInt, config.heartbeat.heart_bt_int);
    build_silence();
    read_into(Key::MinHeartBtInt, config.heartbeat.heart_bt_int_min);
    read_into(Key::MaxHeartBtInt, config.heartbeat.heart_bt_int_max);
    if (config.heartbeat.heart_bt_int_min > config.heartbeat.heart_bt_int_max) {
      report_.error(keys_.line(), "[SESSION]: MinHeartBtInt is above MaxHeartBtInt");
    }
    read_into(Key::LogonTimeout, config.logon.timeout);
    read_into(Key::LogoutTimeout, config.logon.logout_timeout);
    read_into(Key::MaxLatency, config.header.max_latency);
    read_into(Key::TestRequestDelayMultiplier, config.heartbeat.test_request_delay);
    read_into(Key::HeartBeatTimeoutMultiplier, config.heartbeat.timeout);
    if (config.heartbeat.timeout <= config.heartbeat.test_request_delay) {
      report_.error(keys_.line(),
                    "[SESSION]: HeartBeatTimeoutMultiplier must be larger than "
                    "TestRequestDelayMultiplier, or a counterparty is given up unasked");
    }
  }

  // Whose HeartBtInt counts, and what becomes of a counterparty that keeps silent.
  void build_silence() {
    session::SessionConfig& config = result_.session;
    read_into(Key::HeartBtIntOverride, config.heartbeat.imposes_heart_bt_int);
    if (config.heartbeat.imposes_heart_bt_int) {
      const std::size_t line = find(Key::HeartBtIntOverride)->line;
      if (config.role == session::Role::Initiator) {
        report_.error(
            line,
            "HeartBtIntOverride: an initiator proposes its HeartBtInt anyway; it is a key "
            "of acceptors");
      } else if (!find(Key::HeartBtInt)) {
        report_.error(line, "HeartBtIntOverride: HeartBtInt is missing: it is what counts then");
      }
    }
    bool is_disabled = false;
    read_into(Key::DisableHeartBeatCheck, is_disabled);
    config.heartbeat.disconnects_on_silence = !is_disabled;
    read_into(Key::SendLogoutBeforeDisconnectFromTimeout, config.heartbeat.says_logout_on_silence);
  }

  void build_logon_tags() {
    session::SessionConfig& config = result_.session;
    for (unsigned number = 0; number <= kKeyNumberMax; ++number) {
      const auto given = numbered(keys_.section().logon_tags, keys_.defaults().logon_tags, number);
      if (!given || !given->right) continue;
      const LogonTag field = *read_logon_tag(given->value);
      const bool is_taken = (field.tag == tag::Username && !config.logon.username.empty()) ||
                            (field.tag == tag::Password && !config.logon.password.empty()) ||
                            (field.tag == tag::NewPassword && !config.logon.new_password.empty()) ||
                            std::ranges::any_of(config.logon.fields, [&](const auto& other) {
                              return other.tag == field.tag;
                            });
      if (is_taken) {
        report_.error(given->line, "LogonTag: field " + std::to_string(field.tag) +
                                       " is given twice, here and by another key");
      }
      config.logon.fields.push_back({field.tag, std::string{field.value}});
    }
  }

  void build_logon() {
    session::SessionConfig& config = result_.session;
    read_into(Key::Username, config.logon.username);
    read_into(Key::Password, config.logon.password);
    read_into(Key::NewPassword, config.logon.new_password);
    build_logon_tags();
    read_into(Key::AuthenticationTimeout, config.logon.authentication_timeout);
    read_into(Key::SendNextExpectedMsgSeqNum, config.logon.send_next_expected_msg_seq_num);
    read_into(Key::EnableNextExpectedMsgSeqNum, config.logon.send_next_expected_msg_seq_num);
    read_into(Key::EnableLastMsgSeqNumProcessed, config.header.send_last_msg_seq_num_processed);
    const auto* version = session::find_version(config.id.begin_string);
    if (version == nullptr) return;
    if (config.logon.send_next_expected_msg_seq_num && !version->has_next_expected) {
      report_.warning(keys_.line(),
                      "[SESSION]: NextExpectedMsgSeqNum (789) is not sent: it came "
                      "with FIX.4.4");
    }
    if (config.header.send_last_msg_seq_num_processed && !version->has_last_processed) {
      report_.warning(keys_.line(),
                      "[SESSION]: LastMsgSeqNumProcessed (369) is not sent: it came "
                      "with FIX.4.2");
    }
  }

  void build_resends() {
    session::SessionConfig& config = result_.session;
    std::uint32_t chunk = 0;
    read_into(Key::ResendRequestChunkSize, chunk);
    read_into(Key::MaxMessagesInResendRequest, chunk);
    config.gap.resend_request_chunk = chunk;
    if (right(Key::ClosedResendInterval) != nullptr) {
      bool is_closed = false;
      read_into(Key::ClosedResendInterval, is_closed);
      config.gap.closed_resend_requests = is_closed;
    }
    bool holds = true;
    read_into(Key::HoldEarlyMessages, holds);
    if (!holds) config.gap.out_of_order = session::OutOfOrder::Discard;
    read_into(Key::ResendTimeout, config.gap.resend_timeout);
  }

  // What a counterparty may make us do, and what is done for one that is not there.
  void build_limits() {
    session::SessionConfig& config = result_.session;
    std::uint32_t resend_messages_max = 0;
    read_into(Key::MaxResendMessages, resend_messages_max);
    config.resend.messages_max = resend_messages_max;
    read_into(Key::MaxResendRepeats, config.resend.repeats_max);
    auto sequence_jump_max = static_cast<std::uint32_t>(config.reset.sequence_jump_max);
    read_into(Key::MaxSequenceJump, sequence_jump_max);
    config.reset.sequence_jump_max = sequence_jump_max;
    read_into(Key::MaxResendsPerSecond, result_.resends_per_second_max);
    read_into(Key::MaxResendAge, result_.resend_age_max);
    read_into(Key::MaxHeldBytes, result_.held_bytes_max);
    read_into(Key::MaxGarbledPerSecond, result_.garbled_per_second_max);
    read_into(Key::MaxAdminMessagesPerSecond, result_.admin_messages_per_second_max);
    read_into(Key::MaxRejectsPerSecond, result_.rejects_per_second_max);
    read_into(Key::MaxQueuedBytes, result_.queued_bytes_max);
    read_into(Key::SlowConsumerTimeout, result_.slow_consumer_timeout);
    read_into(Key::MaxMessageSize, result_.message_bytes_max);
    read_into(Key::MaxLogonSize, result_.logon_bytes_max);
    if (result_.logon_bytes_max > result_.message_bytes_max) {
      if (const Given* logon = right(Key::MaxLogonSize)) {
        report_.error(logon->line, "MaxLogonSize: is above MaxMessageSize, which is " +
                                       std::to_string(result_.message_bytes_max));
      }
      result_.logon_bytes_max = result_.message_bytes_max;
    }
    read_into(Key::ThrottleMessages, result_.throttle.messages_max);
    read_into(Key::ThrottleInterval, result_.throttle.interval);
    if (const Given* given = right(Key::ThrottleAction)) {
      result_.throttle.action = *read_throttle_action(given->value);
    }
    if (const Given* given = right(Key::InboundDelivery)) {
      result_.inbound_delivery = *read_inbound_delivery(given->value);
    }
    read_into(Key::SendWhileLoggedOut, result_.sends_while_logged_out);
    read_into(Key::DisconnectNoticeDelay, result_.disconnect_notice_delay);
  }

  void build_rules() {
    session::SessionConfig& config = result_.session;
    read_into(Key::PersistMessages, config.resend.persist_messages);
    read_into(Key::ResetOnLogon, config.reset.on_logon);
    read_into(Key::ResetOnLogout, config.reset.on_logout);
    read_into(Key::ResetOnDisconnect, config.reset.on_disconnect);
    read_into(Key::AllowResetSeqNumFlag, config.reset.allows_reset_seq_num_flag);
    read_into(Key::AllowSequenceReset, config.reset.allows_sequence_reset);
    read_into(Key::CheckCompID, config.header.check_comp_id);
    read_into(Key::CheckLatency, config.header.check_latency);
    read_into(Key::SendRedundantResendRequests, config.gap.send_redundant_resend_requests);
    read_into(Key::RequiresOrigSendingTime, config.header.requires_orig_sending_time);
    read_into(Key::BusinessRejectHasDefaultApplVerID,
              config.fixt.business_reject_has_default_appl_ver_id);
  }

  void build_dictionary() {
    DictionarySettings& dictionary = result_.dictionary;
    bool is_incoming_validated = true;
    read_into(Key::UseDataDictionary, dictionary.is_used);
    read_into(Key::ValidateIncomingMessage, is_incoming_validated);
    if (!is_incoming_validated) dictionary.is_used = false;
    build_dictionary_files();
    if (const Given* given = right(Key::DictionaryFaults)) {
      dictionary.faults = *read_dictionary_faults(given->value);
    }
    for (const auto& [name, rule] : dictionary::kValidationRuleKeys) {
      read_into(find_key(name).rule->key, dictionary.rules.*rule);
    }
    read_into(Key::RejectInvalidMessage, result_.session.validation.reject_invalid_message);
    read_into(Key::ValidateChecksum, result_.validates_check_sum);
    read_into(Key::ValidateLengthAndChecksum, result_.validates_length);
    if (!result_.validates_length) result_.validates_check_sum = false;
  }

  void build_dictionary_files() {
    DictionarySettings& dictionary = result_.dictionary;
    const Key key = is_fixt_ ? Key::TransportDataDictionary : Key::DataDictionary;
    if (const Given* given = right(key)) {
      dictionary.file = given->value;
      dictionary.line = given->line;
    }
    if (!is_fixt_) {
      warn_of_unused(Key::TransportDataDictionary, "TransportDataDictionary");
      for (const auto& [number, given] : keys_.section().app_dictionaries) {
        warn_of_unused(given, "AppDataDictionary");
      }
      return;
    }
    warn_of_unused(Key::DataDictionary, "DataDictionary");
    const std::string& default_version = result_.session.fixt.default_appl_ver_id;
    // The one without a version first, so that one with the version takes its place.
    for (unsigned number = 0; number <= kApplVerIdMax; ++number) {
      const auto given =
          numbered(keys_.section().app_dictionaries, keys_.defaults().app_dictionaries, number);
      if (!given || !given->right || (number == 0 && default_version.empty())) continue;
      const char version =
          number == 0 ? wire::known_appl_ver_id(default_version) : static_cast<char>('0' + number);
      dictionary.applications[version] = {std::string{given->value}, given->line};
    }
  }

  // TimestampPrecision overrides MillisecondsInTimeStamp, as in QuickFIX.
  void build_precision() {
    using wire::TimePrecision;
    TimePrecision& precision = result_.session.header.time_precision;
    bool millis = true;
    read_into(Key::MillisecondsInTimeStamp, millis);
    if (!millis) precision = TimePrecision::Seconds;
    const Given* given = right(Key::TimestampPrecision);
    if (given == nullptr) return;
    const unsigned digits = *read_precision(given->value);
    for (const TimePrecision candidate : {TimePrecision::Nanos, TimePrecision::Micros,
                                          TimePrecision::Millis, TimePrecision::Seconds}) {
      if (digits <= static_cast<unsigned>(candidate)) precision = candidate;
    }
  }

  const MergedSection& keys_;
  SettingsReport& report_;
  Calendars& calendars_;
  SessionSettings result_;
  bool is_fixt_ = false;
};

// The first of a key with numbers; null: not given.
const Given* first_of(const std::map<unsigned, Given>& own,
                      const std::map<unsigned, Given>& defaults) {
  if (!own.empty()) return &own.begin()->second;
  return defaults.empty() ? nullptr : &defaults.begin()->second;
}

}  // namespace

std::optional<ImpliedRole> implied_role(const MergedSection& keys) {
  const Section& own = keys.section();
  const Section& defaults = keys.defaults();
  const Given* const host = first_of(own.connect_hosts, defaults.connect_hosts);
  const Given* const port = first_of(own.connect_ports, defaults.connect_ports);
  const std::optional<Given>& accept = keys.find(Key::SocketAcceptPort);
  const bool connects = host != nullptr || port != nullptr;
  if (connects == accept.has_value()) return std::nullopt;
  if (accept) return ImpliedRole{session::Role::Acceptor, "SocketAcceptPort", accept->line};
  return host != nullptr ? ImpliedRole{session::Role::Initiator, "SocketConnectHost", host->line}
                         : ImpliedRole{session::Role::Initiator, "SocketConnectPort", port->line};
}

SessionSettings build_session(const MergedSection& keys, SettingsReport& report,
                              Calendars& calendars) {
  return SessionBuilder{keys, report, calendars}.build();
}

}  // namespace nexusfix::config
