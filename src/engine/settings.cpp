#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <nexusfix/engine/settings.hpp>
#include <nexusfix/session/version.hpp>

#include "engine/config_keys.hpp"
#include "engine/settings_text.hpp"
#include "engine/settings_values.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::string_view kUnknownKey = ": unknown key";

constexpr std::size_t kFileBytesMax = 16U << 20U;
constexpr std::size_t kSessionsMax = 10'000;
constexpr unsigned kApplVerIdMax = 9;

// A honoured key as it stands in one section.
struct Given {
  std::string_view value;
  std::size_t line = 0;
  bool right = false;  // wrong ones are reported once, and not missed in addition
};

struct Section {
  std::size_t line = 0;
  std::array<std::optional<Given>, kKeyCount> given;
  std::map<unsigned, Given> connect_hosts;  // by <n>
  std::map<unsigned, Given> connect_ports;
  std::map<unsigned, Given> app_dictionaries;  // by ApplVerID; 0: of the session's default
};

bool harmless(const KeyRule& rule, std::string_view value) {
  if (rule.handling == Handling::Refused && value.empty()) return true;
  std::string_view rest = rule.harmless;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view harmless_value = rest.substr(0, end);
    if (equals_ignoring_case(value, harmless_value)) return true;
    const bool is_no = harmless_value == "N" || harmless_value == "Y";
    if (is_no && read_bool(value) == (harmless_value == "Y")) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// Reads the entries of one section, and says everything that there is to say about each of them
// alone. Values of keys that are not honoured are not shown: some are passwords.
class SectionReader {
 public:
  SectionReader(const SettingsSection& text, SettingsReport& report) : report_{report} {
    section_.line = text.line;
    for (const SettingsEntry& entry : text.entries) read(entry);
  }
  [[nodiscard]] Section take() { return std::move(section_); }

 private:
  void read(const SettingsEntry& entry) {
    const KeyMatch match = find_key(entry.key);
    if (match.rule == nullptr) return read_unknown(entry);
    const KeyRule& rule = *match.rule;
    const std::string name{rule.name};
    if (match.odd_case) {
      report_.warning(entry.line, shown(entry.key) + ": read, but its usual spelling is " + name);
    }
    if (!seen_.insert({&rule, match.number}).second) {
      report_.warning(entry.line,
                      shown(entry.key) + ": given before in this section; the last one counts");
    }
    switch (rule.handling) {
      case Handling::Honoured:
        return read_honoured(entry, match);
      case Handling::Refused:
        if (harmless(rule, entry.value)) return;
        return report_.error(entry.line, name + ": " + std::string{rule.instead} +
                                             "; the engine does not start without what was asked");
      case Handling::Instead:
        if (harmless(rule, entry.value)) return;
        return report_.warning(entry.line, name + " is not honoured: " + std::string{rule.instead});
    }
  }

  void read_unknown(const SettingsEntry& entry) {
    const KeyRule* nearest = nearest_key(entry.key);
    const std::string hint =
        nearest == nullptr ? std::string{} : "; did you mean " + std::string{nearest->name} + "?";
    const bool is_security = sounds_like_security(entry.key) ||
                             (nearest != nullptr && nearest->handling == Handling::Refused);
    const bool asks_for_nothing = entry.value.empty() || read_bool(entry.value) == false;
    if (is_security && !asks_for_nothing) {
      return report_.error(entry.line, shown(entry.key) +
                                           ": unknown, and not to be ignored if it asks for "
                                           "security" +
                                           hint);
    }
    report_.warning(entry.line, shown(entry.key) + std::string{kUnknownKey} + ", ignored" + hint);
  }

  void read_honoured(const SettingsEntry& entry, const KeyMatch& match) {
    const Key key = match.rule->key;
    if (match.unknown_version) {
      return report_.error(entry.line, shown(entry.key) +
                                           ": an application version, such as "
                                           "AppDataDictionary.FIX.5.0SP2, was "
                                           "expected");
    }
    const std::string expected = expected_instead(key, entry.value);
    const Given given{entry.value, entry.line, expected.empty()};
    const bool is_secret = key == Key::Password || key == Key::NewPassword ||
                           key == Key::PostgreSQLStorePassword ||
                           key == Key::PostgreSQLStoreConnection;
    const std::string what = shown(entry.key) + "=" + (is_secret ? "..." : shown(entry.value));
    if (!given.right) {
      report_.error(entry.line, what + ": " + expected + " was expected");
    } else if (const std::string words = remark(key, entry.value); !words.empty()) {
      report_.warning(entry.line, what + ": " + words);
    }
    if (key == Key::SocketConnectHost) {
      section_.connect_hosts[match.number] = given;
    } else if (key == Key::SocketConnectPort) {
      section_.connect_ports[match.number] = given;
    } else if (key == Key::AppDataDictionary) {
      section_.app_dictionaries[match.number] = given;
    } else {
      section_.given[static_cast<std::size_t>(key)] = given;
    }
  }

  SettingsReport& report_;
  Section section_;
  std::set<std::pair<const KeyRule*, unsigned>> seen_;
};

// One session, out of its section and the defaults under it.
class SessionBuilder {
 public:
  SessionBuilder(const Section& defaults, const Section& section, SettingsReport& report)
      : defaults_{defaults}, section_{section}, report_{report} {}

  [[nodiscard]] SessionSettings build() {
    result_.line = section_.line;
    build_identity();
    build_connection();
    build_timers();
    build_logon();
    build_resends();
    build_limits();
    build_rules();
    build_dictionary();
    build_precision();
    warn_of_schedule();
    return std::move(result_);
  }

  [[nodiscard]] const std::optional<Given>& find(Key key) const {
    const auto& own = section_.given[static_cast<std::size_t>(key)];
    return own ? own : defaults_.given[static_cast<std::size_t>(key)];
  }

 private:
  [[nodiscard]] const Given* right(Key key) const {
    const std::optional<Given>& given = find(key);
    return given && given->right ? &*given : nullptr;
  }

  void missing(std::string_view what) {
    report_.error(section_.line, "[SESSION]: " + std::string{what});
  }

  void require_text(Key key, std::string_view name, std::string& target) {
    if (const Given* given = right(key)) target = given->value;
    if (!find(key)) missing(std::string{name} + " is missing");
  }

  void read_into(Key key, bool& target) const {
    if (const Given* given = right(key)) target = *read_bool(given->value);
  }
  void read_into(Key key, std::uint32_t& target) const {
    if (const Given* given = right(key)) {
      target = static_cast<std::uint32_t>(*read_number(given->value));
    }
  }
  void read_into(Key key, double& target) const {
    if (const Given* given = right(key)) target = *read_factor(given->value);
  }
  void read_into(Key key, std::chrono::seconds& target) const {
    if (const Given* given = right(key)) {
      target = std::chrono::seconds{static_cast<std::int64_t>(*read_interval(given->value))};
    }
  }

  void build_identity() {
    session::SessionConfig& config = result_.session;
    require_text(Key::BeginString, "BeginString", config.id.begin_string);
    require_text(Key::SenderCompID, "SenderCompID", config.id.sender_comp_id);
    require_text(Key::TargetCompID, "TargetCompID", config.id.target_comp_id);
    if (const Given* given = right(Key::SessionQualifier)) config.id.qualifier = given->value;
    is_fixt_ = config.id.begin_string == "FIXT.1.1";
    if (!is_fixt_) {
      warn_of_unused(Key::DefaultApplVerID, "DefaultApplVerID");
    } else if (!find(Key::DefaultApplVerID)) {
      missing(
          "DefaultApplVerID is missing: the version of a FIXT.1.1 session's messages, such as "
          "FIX.5.0SP2");
    } else if (const Given* given = right(Key::DefaultApplVerID)) {
      config.default_appl_ver_id = *read_appl_ver_id(given->value);
    }
  }

  // In [DEFAULT] a key may be for other sessions.
  void warn_of_unused(Key key, std::string_view name) {
    if (const auto& given = section_.given[static_cast<std::size_t>(key)]) {
      warn_of_unused(*given, name);
    }
  }
  void warn_of_unused(const Given& given, std::string_view name) {
    report_.warning(given.line, std::string{name} + ": not used; " +
                                    (is_fixt_ ? "a FIXT.1.1 session has TransportDataDictionary "
                                                "and AppDataDictionary"
                                              : "only FIXT.1.1 sessions have one"));
  }

  void build_connection() {
    if (!find(Key::ConnectionType)) {
      return missing("ConnectionType is missing: initiator or acceptor");
    }
    const Given* type = right(Key::ConnectionType);
    if (type == nullptr) return;
    if (equals_ignoring_case(type->value, "acceptor")) {
      result_.session.role = session::Role::Acceptor;
      return build_acceptor();
    }
    result_.session.role = session::Role::Initiator;
    if (!find(Key::HeartBtInt)) missing("HeartBtInt is missing: an initiator proposes it");
    build_connect_list();
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
    endpoint.port = static_cast<std::uint16_t>(*read_number(port->value));
    if (const std::optional<Given> host = accept_host()) endpoint.host = host->value;
    result_.accept = endpoint;
  }

  // SocketAcceptAddress and SocketAcceptHost are one key by two names.
  [[nodiscard]] std::optional<Given> accept_host() {
    for (const Section* section : {&section_, &defaults_}) {
      const auto& address = section->given[static_cast<std::size_t>(Key::SocketAcceptAddress)];
      const auto& host = section->given[static_cast<std::size_t>(Key::SocketAcceptHost)];
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
    for (unsigned number = 0; number <= kKeyNumberMax; ++number) {
      const auto host = numbered(section_.connect_hosts, defaults_.connect_hosts, number);
      const auto port = numbered(section_.connect_ports, defaults_.connect_ports, number);
      const std::string suffix = number == 0 ? std::string{} : std::to_string(number);
      if (host && port) {
        if (!host->right || !port->right) continue;
        result_.connect.push_back(
            {std::string{host->value}, static_cast<std::uint16_t>(*read_number(port->value))});
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
    read_into(Key::HeartBtInt, config.heart_bt_int);
    read_into(Key::MinHeartBtInt, config.heart_bt_int_min);
    read_into(Key::MaxHeartBtInt, config.heart_bt_int_max);
    if (config.heart_bt_int_min > config.heart_bt_int_max) {
      report_.error(section_.line, "[SESSION]: MinHeartBtInt is above MaxHeartBtInt");
    }
    read_into(Key::LogonTimeout, config.logon_timeout);
    read_into(Key::LogoutTimeout, config.logout_timeout);
    read_into(Key::MaxLatency, config.max_latency);
    read_into(Key::ReconnectInterval, result_.reconnect_interval);
    read_into(Key::TestRequestDelayMultiplier, config.test_request_delay);
    read_into(Key::HeartBeatTimeoutMultiplier, config.heartbeat_timeout);
    if (config.heartbeat_timeout <= config.test_request_delay) {
      report_.error(section_.line,
                    "[SESSION]: HeartBeatTimeoutMultiplier must be larger than "
                    "TestRequestDelayMultiplier, or a counterparty is given up unasked");
    }
  }

  void read_into(Key key, std::string& target) const {
    if (const Given* given = right(key)) target = given->value;
  }

  void build_logon() {
    session::SessionConfig& config = result_.session;
    read_into(Key::Username, config.username);
    read_into(Key::Password, config.password);
    read_into(Key::NewPassword, config.new_password);
    read_into(Key::AuthenticationTimeout, config.authentication_timeout);
    read_into(Key::SendNextExpectedMsgSeqNum, config.send_next_expected_msg_seq_num);
    read_into(Key::EnableNextExpectedMsgSeqNum, config.send_next_expected_msg_seq_num);
    read_into(Key::EnableLastMsgSeqNumProcessed, config.send_last_msg_seq_num_processed);
    const auto* version = session::find_version(config.id.begin_string);
    if (version == nullptr) return;
    if (config.send_next_expected_msg_seq_num && !version->has_next_expected) {
      report_.warning(section_.line,
                      "[SESSION]: NextExpectedMsgSeqNum (789) is not sent: it came "
                      "with FIX.4.4");
    }
    if (config.send_last_msg_seq_num_processed && !version->has_last_processed) {
      report_.warning(section_.line,
                      "[SESSION]: LastMsgSeqNumProcessed (369) is not sent: it came "
                      "with FIX.4.2");
    }
  }

  void build_resends() {
    session::SessionConfig& config = result_.session;
    std::uint32_t chunk = 0;
    read_into(Key::ResendRequestChunkSize, chunk);
    read_into(Key::MaxMessagesInResendRequest, chunk);
    config.resend_request_chunk = chunk;
    read_into(Key::ClosedResendInterval, config.closed_resend_requests);
    bool holds = true;
    read_into(Key::HoldEarlyMessages, holds);
    if (!holds) config.early_messages = session::EarlyMessages::Discard;
  }

  // What a counterparty may make us do, and what is done for one that is not there.
  void build_limits() {
    session::SessionConfig& config = result_.session;
    std::uint32_t resend_messages_max = 0;
    read_into(Key::MaxResendMessages, resend_messages_max);
    config.resend_messages_max = resend_messages_max;
    read_into(Key::MaxResendRepeats, config.resend_repeats_max);
    auto sequence_jump_max = static_cast<std::uint32_t>(config.sequence_jump_max);
    read_into(Key::MaxSequenceJump, sequence_jump_max);
    config.sequence_jump_max = sequence_jump_max;
    read_into(Key::MaxResendsPerSecond, result_.resends_per_second_max);
    read_into(Key::MaxResendAge, result_.resend_age_max);
    read_into(Key::MaxHeldBytes, result_.held_bytes_max);
    read_into(Key::MaxGarbledPerSecond, result_.garbled_per_second_max);
    read_into(Key::ThrottleMessages, result_.throttle.messages_max);
    read_into(Key::ThrottleInterval, result_.throttle.interval);
    if (const Given* given = right(Key::ThrottleAction)) {
      result_.throttle.action = *read_throttle_action(given->value);
    }
    read_into(Key::SendWhileLoggedOut, result_.sends_while_logged_out);
    read_into(Key::DisconnectNoticeDelay, result_.disconnect_notice_delay);
  }

  void build_rules() {
    session::SessionConfig& config = result_.session;
    read_into(Key::PersistMessages, config.persist_messages);
    read_into(Key::ResetOnLogon, config.reset_on_logon);
    read_into(Key::ResetOnLogout, config.reset_on_logout);
    read_into(Key::ResetOnDisconnect, config.reset_on_disconnect);
    read_into(Key::AllowResetSeqNumFlag, config.allows_reset_seq_num_flag);
    read_into(Key::AllowSequenceReset, config.allows_sequence_reset);
    read_into(Key::CheckCompID, config.check_comp_id);
    read_into(Key::CheckLatency, config.check_latency);
    read_into(Key::SendRedundantResendRequests, config.send_redundant_resend_requests);
    read_into(Key::RequiresOrigSendingTime, config.requires_orig_sending_time);
    read_into(Key::BusinessRejectHasDefaultApplVerID,
              config.business_reject_has_default_appl_ver_id);
  }

  void build_dictionary() {
    DictionarySettings& dictionary = result_.dictionary;
    bool is_incoming_validated = true;
    read_into(Key::UseDataDictionary, dictionary.is_used);
    read_into(Key::ValidateIncomingMessage, is_incoming_validated);
    if (!is_incoming_validated) dictionary.is_used = false;
    build_dictionary_files();
    for (const auto& [name, rule] : dictionary::kValidationRuleKeys) {
      read_into(find_key(name).rule->key, dictionary.rules.*rule);
    }
    read_into(Key::RejectInvalidMessage, result_.session.reject_invalid_message);
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
      for (const auto& [number, given] : section_.app_dictionaries) {
        warn_of_unused(given, "AppDataDictionary");
      }
      return;
    }
    warn_of_unused(Key::DataDictionary, "DataDictionary");
    const std::string& default_version = result_.session.default_appl_ver_id;
    // The one without a version first, so that one with the version takes its place.
    for (unsigned number = 0; number <= kApplVerIdMax; ++number) {
      const auto given = numbered(section_.app_dictionaries, defaults_.app_dictionaries, number);
      if (!given || !given->right || (number == 0 && default_version.empty())) continue;
      const char version = number == 0 ? default_version.front() : static_cast<char>('0' + number);
      dictionary.applications[version] = {std::string{given->value}, given->line};
    }
  }

  // TimestampPrecision overrides MillisecondsInTimeStamp, as in QuickFIX.
  void build_precision() {
    using wire::TimePrecision;
    TimePrecision& precision = result_.session.time_precision;
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

  // Equal times are a session of 24 hours to QuickFIX, which starts with new numbers every day: not
  // the same as one that is always open.
  void warn_of_schedule() {
    bool non_stop = false;
    read_into(Key::NonStopSession, non_stop);
    if (non_stop) return;
    constexpr std::string_view kWords =
        " is not honoured: sessions are always open, and no schedule resets their sequence "
        "numbers; NonStopSession=Y says so";
    if (const Given* start = right(Key::StartTime)) {
      report_.warning(start->line, "StartTime" + std::string{kWords});
    }
    if (const Given* end = right(Key::EndTime)) {
      report_.warning(end->line, "EndTime" + std::string{kWords});
    }
  }

  const Section& defaults_;
  const Section& section_;
  SettingsReport& report_;
  SessionSettings result_;
  bool is_fixt_ = false;
};

struct PostgresKey {
  Key key;
  std::string_view name;
  std::string store::PostgresOptions::* option;
};
constexpr PostgresKey kPostgresKeys[] = {
    {Key::PostgreSQLStoreConnection, "PostgreSQLStoreConnection",
     &store::PostgresOptions::connection},
    {Key::PostgreSQLStoreHost, "PostgreSQLStoreHost", &store::PostgresOptions::host},
    {Key::PostgreSQLStorePort, "PostgreSQLStorePort", &store::PostgresOptions::port},
    {Key::PostgreSQLStoreDatabase, "PostgreSQLStoreDatabase", &store::PostgresOptions::database},
    {Key::PostgreSQLStoreUser, "PostgreSQLStoreUser", &store::PostgresOptions::user},
    {Key::PostgreSQLStorePassword, "PostgreSQLStorePassword", &store::PostgresOptions::password},
    {Key::PostgreSQLStoreSchema, "PostgreSQLStoreSchema", &store::PostgresOptions::schema},
};

// The store belongs to all sessions, but other engines give its keys to each.
class StoreBuilder {
 public:
  StoreBuilder(Settings& settings, SettingsReport& report) : settings_{settings}, report_{report} {}

  void take(const SessionBuilder& session) {
    take_one(session.find(Key::Store), store_, "Store");
    take_one(session.find(Key::JournalDurability), durability_, "JournalDurability");
    take_one(session.find(Key::JournalGroupMicros), group_micros_, "JournalGroupMicros");
    take_one(session.find(Key::JournalNumbersAhead), numbers_ahead_, "JournalNumbersAhead");
    take_one(session.find(Key::JournalStallTimeout), stall_timeout_, "JournalStallTimeout");
    for (std::size_t i = 0; i < std::size(kPostgresKeys); ++i) {
      take_one(session.find(kPostgresKeys[i].key), postgres_[i], kPostgresKeys[i].name);
    }
    const std::optional<Given>& folder = session.find(Key::FileStorePath);
    if (!folder) return;
    if (!folder_) folder_ = folder;
    if (folder_->value != folder->value) {
      report_.warning(folder->line, "FileStorePath: not used; one journal holds all sessions, in " +
                                        shown(folder_->value));
    }
  }

  void finish(std::size_t first_session_line) {
    if (store_ && equals_ignoring_case(store_->value, "memory"))
      settings_.store = StoreKind::Memory;
    if (store_ && equals_ignoring_case(store_->value, "postgresql"))
      settings_.store = StoreKind::PostgreSQL;
    finish_postgres();
    if (durability_) {
      settings_.durability = read_durability(durability_->value).value_or(settings_.durability);
    }
    if (group_micros_) {
      settings_.journal_group_wait =
          std::chrono::microseconds{read_number(group_micros_->value).value_or(0)};
    }
    if (numbers_ahead_) {
      settings_.journal_numbers_ahead =
          static_cast<std::uint32_t>(read_number(numbers_ahead_->value).value_or(1));
    }
    if (stall_timeout_) {
      settings_.journal_stall_timeout =
          std::chrono::seconds{read_number(stall_timeout_->value).value_or(1)};
    }
    if (folder_) settings_.store_folder = folder_->value;
    if (settings_.store == StoreKind::Journal && !folder_) {
      report_.error(first_session_line,
                    "[SESSION]: FileStorePath is missing: the folder of the journal. Store=memory "
                    "does without, and forgets everything at the end");
    }
  }

 private:
  void finish_postgres() {
    for (std::size_t i = 0; i < std::size(kPostgresKeys); ++i) {
      if (!postgres_[i]) continue;
      if (settings_.store == StoreKind::PostgreSQL) {
        settings_.postgres.*kPostgresKeys[i].option = postgres_[i]->value;
      } else {
        report_.warning(postgres_[i]->line,
                        std::string{kPostgresKeys[i].name} + ": not used without Store=postgresql");
      }
    }
    // As QuickFIX writes "the usual one".
    if (settings_.postgres.port == "0") settings_.postgres.port.clear();
  }

  void take_one(const std::optional<Given>& given, std::optional<Given>& chosen,
                std::string_view name) {
    if (!given || !given->right) return;
    if (!chosen) chosen = given;
    if (!equals_ignoring_case(chosen->value, given->value)) {
      report_.error(given->line, std::string{name} + ": differs from line " +
                                     std::to_string(chosen->line) +
                                     ", but all sessions share one store");
    }
  }

  Settings& settings_;
  SettingsReport& report_;
  std::optional<Given> store_;
  std::optional<Given> durability_;
  std::optional<Given> group_micros_;
  std::optional<Given> numbers_ahead_;
  std::optional<Given> stall_timeout_;
  std::optional<Given> folder_;
  std::array<std::optional<Given>, std::size(kPostgresKeys)> postgres_;
};

// Reports sessions of one identity, which could not be told apart.
void check_identities(const std::vector<SessionSettings>& sessions, SettingsReport& report) {
  std::map<session::SessionId, std::size_t> lines;
  for (const SessionSettings& settings : sessions) {
    const session::SessionId& id = settings.session.id;
    // What is missing has been reported.
    if (id.begin_string.empty() || id.sender_comp_id.empty() || id.target_comp_id.empty()) continue;
    const auto [place, added] = lines.emplace(id, settings.line);
    if (added) continue;
    report.error(settings.line,
                 "[SESSION]: the same BeginString, SenderCompID, TargetCompID and SessionQualifier "
                 "as the session in line " +
                     std::to_string(place->second));
  }
}

}  // namespace

std::string SettingsError::what() const {
  return line == 0 ? file + ": " + text : file + ":" + std::to_string(line) + ": " + text;
}

std::expected<Settings, SettingsErrors> parse_settings(std::string_view text,
                                                       std::string_view file_name) {
  SettingsReport report{file_name};
  Settings settings;
  settings.file = file_name;
  if (text.size() > kFileBytesMax) {
    report.error(0, "larger than 16 MiB; a configuration was expected");
    return std::unexpected{report.take_errors()};
  }
  Section defaults;
  std::vector<Section> sessions;
  for (const SettingsSection& section : split_settings(text, report)) {
    // Sections that are ignored are read too: one that asks for TLS is no reason to go without.
    Section read = SectionReader{section, report}.take();
    if (section.kind == SectionKind::Default) defaults = std::move(read);
    if (section.kind == SectionKind::Session) sessions.push_back(std::move(read));
    if (sessions.size() > kSessionsMax) {
      report.error(section.line, "more than 10,000 sessions");
      return std::unexpected{report.take_errors()};
    }
  }
  if (sessions.empty()) {
    report.error(0, "no [SESSION]; at least one was expected");
    return std::unexpected{report.take_errors()};
  }
  StoreBuilder store{settings, report};
  for (const Section& section : sessions) {
    SessionBuilder builder{defaults, section, report};
    settings.sessions.push_back(builder.build());
    store.take(builder);
  }
  store.finish(sessions.front().line);
  check_identities(settings.sessions, report);
  settings.warnings = report.take_warnings();
  if (report.has_errors()) {
    // A misspelt key is often why another one is missing, so it belongs to the answer.
    SettingsErrors errors = report.take_errors();
    std::copy_if(settings.warnings.begin(), settings.warnings.end(), std::back_inserter(errors),
                 [](const SettingsError& warning) {
                   return warning.text.find(kUnknownKey) != std::string::npos;
                 });
    return std::unexpected{std::move(errors)};
  }
  return settings;
}

std::expected<Settings, SettingsErrors> load_settings(Disk& disk, const std::string& path) {
  const DiskResult<std::string> text = read_file(disk, path, kFileBytesMax);
  if (text) return parse_settings(*text, path);
  return std::unexpected{
      SettingsErrors{{path, 0, "the configuration cannot be read: " + text.error().what()}}};
}

}  // namespace nexusfix::engine
