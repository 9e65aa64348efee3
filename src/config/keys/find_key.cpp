#include "config/keys/find_key.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/api/ascii.hpp"
#include "config/api/explain_settings.hpp"
#include "config/keys/dialects.hpp"
#include "config/text/settings_section.hpp"
#include "config/text/settings_values.hpp"
#include "dictionary/api/nearest_name.hpp"

namespace nexusfix::config {
namespace {

// The keys of the other engines: QuickFIX, QuickFIX/J, QuickFIX/Go, QuickFIX/n.
struct KeyGroup {
  std::string_view names;  // separated by blanks
  std::string_view harmless;
  std::string_view instead;
};

constexpr std::string_view kOwnStore =
    "this store is not used: Store= says which of the engine's own is";
constexpr std::string_view kOwnLog =
    "no log is written there: FileLogPath and ScreenLogShow... are the keys of the logs there are";
constexpr std::string_view kSystemSocket = "the operating system's own value is used";

constexpr KeyGroup kInstead[] = {
    {"Description", "", "nothing is done with it"},
    {"DynamicSession", "N", "the session connects when the engine starts, like any other"},
    {"DynamicQualifier", "N", "a second Logon of a session that is logged on is refused"},
    {"IgnorePossDupResendRequests", "N", "ResendRequests are answered with or without PossDupFlag"},
    {"ForceResendWhenCorruptedStore", "N", "Heartbeats never take the place of stored messages"},
    {"AllowPosDup", "N", "PossDupFlag and OrigSendingTime are set by the engine alone"},
    {"SEND_RESETSEQNUMFLAG SendResetSeqNumFlag", "",
     "ResetOnLogon alone decides whether a Logon carries ResetSeqNumFlag"},
    {"ValidateSequenceNumbers", "Y", "MsgSeqNum is always checked"},
    {"RejectGarbledMessage", "N", "garbled messages are always ignored, as the FIX rules say"},
    {"RejectMessageOnUnhandledException", "Y",
     "an exception is always answered by a BusinessMessageReject, and the message does not come "
     "again"},
    {"PreserveMessageFieldsOrder", "", "fields are always sent in the order of the application"},
    {"SocketConnectProtocol SocketAcceptProtocol", "TCP", "TCP is always used"},
    {"ContinueInitializationOnError", "N", "a mistake in one session stops the start"},
    {"SocketOobInline SocketLinger", "", kSystemSocket},
    {"SocketSynchronousWrites SocketSynchronousWriteTimeout", "N", "sending never blocks"},
    {"MaxScheduledWriteRequests InChanCapacity", "0",
     "MaxQueuedBytes limits what waits for a counterparty that does not read"},
    {"SocketTimeout SocketSendTimeout SocketReceiveTimeout", "0",
     "LogonTimeout and the heartbeats find a peer that is silent"},
    {"FileStoreMaxCachedMsgs", "", "the journal has no such cache"},
    {"PostgreSQLStoreUseConnectionPool", "N",
     "the store has one connection to write and one to read with"},
    {"MySQLStoreDatabase MySQLStoreUser MySQLStorePassword MySQLStoreHost MySQLStorePort "
     "MySQLStoreUseConnectionPool OdbcStoreUser OdbcStorePassword OdbcStoreConnectionString "
     "JdbcDataSourceName JdbcDriver JdbcURL JdbcUser JdbcPassword JdbcStoreMessagesTableName "
     "JdbcStoreSessionsTableName JdbcSessionIdDefaultPropertyValue JdbcMaxActiveConnection "
     "JdbcMinIdleConnection JdbcMaxConnectionLifeTime JdbcConnectionTimeout "
     "JdbcConnectionIdleTimeout JdbcConnectionKeepaliveTime JdbcConnectionTestQuery "
     "JdbcMaxActiveTime JdbcSimultaneousBuildThrottle "
     "SleepycatDatabaseDir SleepycatSequenceDbName SleepycatMessageDbName JndiContextFactory "
     "JndiProviderURL SQLStoreDriver SQLStoreDataSourceName SQLStoreConnMaxLifetime "
     "MongoStoreConnection MongoStoreDatabase MongoStoreReplicaSet",
     "", kOwnStore},
    {"SLF4JLogEventCategory SLF4JLogErrorEventCategory SLF4JLogIncomingMessageCategory "
     "SLF4JLogOutgoingMessageCategory SLF4JLogPrependSessionID SLF4JLogHeartbeats MySQLLogDatabase "
     "MySQLLogUser MySQLLogPassword MySQLLogHost MySQLLogPort MySQLLogUseConnectionPool "
     "MySQLLogIncomingTable MySQLLogOutgoingTable MySQLLogEventTable PostgreSQLLogDatabase "
     "PostgreSQLLogUser PostgreSQLLogPassword PostgreSQLLogHost PostgreSQLLogPort "
     "PostgreSQLLogUseConnectionPool PostgreSQLLogIncomingTable PostgreSQLLogOutgoingTable "
     "PostgreSQLLogEventTable PostgresSQLLogIncomingTable PostgresSQLLogOutgoingTable "
     "PostgresSQLLogEventTable OdbcLogUser OdbcLogPassword OdbcLogConnectionString "
     "OdbcLogIncomingTable OdbcLogOutgoingTable OdbcLogEventTable JdbcLogIncomingTable "
     "JdbcLogOutgoingTable JdbcLogEventTable SQLLogDriver SQLLogDataSourceName "
     "SQLLogConnMaxLifetime MongoLogConnection MongoLogDatabase MongoLogReplicaSet "
     "DebugLogFilePath DebugFileLogPath",
     "", kOwnLog},
    {"JdbcLogHeartBeats", "N", kOwnLog},
    {"RedactFieldsInLogs", "",
     "LogMaskedTags says which fields are *** in the logs; passwords always are"},
    {"RedactionLogText", "", "a masked value is always ***"},
    {"ResendSessionLevelRejects", "N", "a ResendRequest gets gap fills for Rejects"},
    {"CmeEnhancedResend", "N", "messages are resent as the FIX rules say"},
    {"Encoding", "", "values are the bytes of the message, and are never converted"},
    {"SocketIgnoreProxy", "Y", "a proxy is used only if ProxyType names its type"},
    {"ResetOnError DisconnectOnError", "N", "errors are answered as the FIX rules say"},
    {"ThreadModel", "", "EventLoops says how many threads serve the sessions"},
};

constexpr std::string_view kVerified =
    "the other side's certificate is always verified; SocketCAFile says who may have issued it";
constexpr std::string_view kOfFiles =
    "certificates and keys are read from files: SocketCAFile, "
    "SocketCertificateFile and SocketPrivateKeyFile";
constexpr std::string_view kStores =
    "key stores are PKCS12; a Java one is converted by keytool -importkeystore -srckeystore FILE "
    "-destkeystore FILE.p12 -deststoretype PKCS12";
constexpr std::string_view kJavaAlgorithm = "there are no algorithms to choose from";
constexpr std::string_view kNoNtlm =
    "a proxy gets a user and a password (Basic, RFC 1929); NTLM is not supported";

constexpr KeyGroup kRefused[] = {
    {"SocketInsecureSkipVerify", "N", kVerified},
    {"SSLValidateCertificates", "Y", kVerified},
    {"SocketPrivateKeyBytes SocketCertificateBytes SocketCABytes", "", kOfFiles},
    {"KeyStoreType TrustStoreType", "PKCS12 PEM", kStores},
    {"KeyManagerFactoryAlgorithm TrustManagerFactoryAlgorithm", "SunX509 NewSunX509 PKIX",
     kJavaAlgorithm},
    {"ProxyDomain ProxyWorkstation", "", kNoNtlm},
};

// Keys that earlier versions honoured, and what holds now. docs/reference/configuration.md has this
// table, too.
constexpr KeyGroup kRemoved[] = {
    {"ReconnectJitter", "", "up to 10 % of ReconnectInterval is left out, at random"},
    {"MaxPendingLogonsPerAddress", "", "one address may have half of MaxPendingLogons"},
    {"DynamicSessionsMaxPerAddress", "", "one address may create half of DynamicSessionsMax"},
    {"BusyPollMicros", "",
     "BusySpin=N sleeps at once; without it a thread polls for 50 microseconds in dense traffic"},
    {"LogonMaxLateness", "", "Logons wait while timers are more than 200 milliseconds late"},
    {"LogoutGapTimeout", "", "a Logout waits LogoutTimeout for the next message that is missing"},
    {"AuthenticationTimeout", "", "a Logon waits LogonTimeout for the application's answer"},
    {"LogonFailuresInterval", "",
     "wrong passwords of an address count for 10 x LogonLockout, and lock it out for as long"},
    {"MaxLogonsBeingChecked", "", "64 Logons may wait for the check of their passwords"},
    {"MaxSequenceJump", "", "a SequenceReset may jump by 1,000,000,000"},
    {"HoldEarlyMessages MaxHeldBytes", "",
     "messages after a gap are held, up to a quarter of MaxQueuedBytes"},
    {"ResendTimeout", "", "a gap is requested again after 30 seconds without progress"},
    {"MaxResendRepeats", "", "more than 100 ResendRequests for the same messages end the session"},
    {"MaxGarbledPerSecond MaxRejectsPerSecond", "",
     "MaxAdminMessagesPerSecond also limits garbled messages, and our Rejects"},
    {"BusinessRejectHasDefaultApplVerID", "",
     "a BusinessMessageReject never has DefaultApplVerID (1137)"},
    {"JournalGroupMicros", "",
     "a sync of JournalDurability=group begins when the one before has ended"},
    {"JournalNumbersAhead", "",
     "65,536 sequence numbers may be used before the disk has earlier ones"},
    {"JournalScrubBytesPerSecond", "", "1 MiB of old segments is verified per second"},
    {"JournalRetireOnReset", "", "JournalKeepBytes=1 does what Y did"},
    {"PostgreSQLStoreConnectTimeout", "",
     "connect_timeout in PostgreSQLStoreConnection, or 5 seconds"},
    {"PostgreSQLStoreAnswerTimeout", "",
     "a third of PostgreSQLStoreOutageTimeout, at most 10 seconds"},
    {"PostgreSQLStoreLockTimeout", "",
     "a start waits 2 seconds for another engine to release the log"},
    {"PostgreSQLStoreTakeoverMillis", "",
     "a standby takes over a log that has been free for 300 milliseconds"},
    {"ClusterRenewMillis", "",
     "the lease is renewed five times in ClusterLeaseSeconds, and at least once a second"},
    {"ClusterRequestMillis", "",
     "a renewal that no member of etcd answers ends within half of ClusterLeaseSeconds"},
    {"LogTimestampPrecision", "",
     "9 digits after the second, or what FileIncludeMilliseconds says"},
    {"LogMinFreeBytes", "",
     "messages are not logged while less than 4 x LogMaxBytes, at most 256 MiB, is free on the "
     "disk"},
    {"ConsoleTokenFile", "",
     "the token of the web console is in console.token, in FileStorePath with a journal"},
    {"LogQueueBytes", "", "8 MiB may wait to be logged"},
    {"JournalReplica", "none",
     "Store=postgresql takes its place: docs/operations/from-journal-replica.md says how to move"},
    {"JournalReplicaNumbersAhead", "", "a journal has no replica"},
};

constexpr std::string_view kDictionaryPrefix = "appdatadictionary.";

// Names that no engine has, and the keys that they most likely mean.
struct Meant {
  std::string_view name;  // in lower case
  std::string_view key;
};
constexpr Meant kMeant[] = {
    {"resetseqnumflag", "ResetOnLogon"},
    {"resetseqnum", "ResetOnLogon"},
    {"resetsequencenumbers", "ResetOnLogon"},
    {"resetsequencenumbersonlogon", "ResetOnLogon"},
    {"heartbeatinterval", "HeartBtInt"},
    {"heartbeat", "HeartBtInt"},
    {"reconnecttimeout", "ReconnectInterval"},
    {"logpath", "FileLogPath"},
    {"logdir", "FileLogPath"},
    {"logdirectory", "FileLogPath"},
    {"dictionary", "DataDictionary"},
    {"dictionaryfile", "DataDictionary"},
    {"timezoneid", "TimeZone"},
};

std::string lower(std::string_view text) {
  std::string result{text};
  std::ranges::transform(result, result.begin(), to_lower);
  return result;
}

// All rules, by their names in lower case.
class KeyTable {
 public:
  KeyTable() {
    for (const Key key : all_keys()) add({key.name(), Handling::Honoured, key, {}, {}});
    for (const KeyGroup& group : kInstead) add(group, Handling::Instead);
    for (const KeyGroup& group : kRefused) add(group, Handling::Refused);
    for (const auto& [name, rule] : rules_) names_.push_back(rule.name);
    std::ranges::sort(names_);  // so that the first of equally near names is always the same
    for (const KeyGroup& group : kRemoved) add(group, Handling::Removed);
  }

  [[nodiscard]] const KeyRule* find(const std::string& lower_name) const {
    const auto place = rules_.find(lower_name);
    return place == rules_.end() ? nullptr : &place->second;
  }
  [[nodiscard]] const std::unordered_map<std::string, KeyRule>& rules() const { return rules_; }
  // In their usual spelling, sorted, without those of removed keys.
  [[nodiscard]] const std::vector<std::string_view>& names() const { return names_; }

 private:
  void add(const KeyRule& rule) { rules_.emplace(lower(rule.name), rule); }
  void add(const KeyGroup& group, Handling handling) {
    std::string_view rest = group.names;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      add({rest.substr(0, end), handling, Key{}, group.instead, group.harmless});
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  std::unordered_map<std::string, KeyRule> rules_;
  std::vector<std::string_view> names_;
};

const KeyTable& table() {
  static const KeyTable kTable;
  return kTable;
}

// AppDataDictionary has versions instead.
bool may_have_number(const KeyRule& rule) {
  if (rule.key.is_none()) return rule.name == "SocketConnectProtocol";
  return rule.key.row().rule.is_numbered && rule.key != "AppDataDictionary";
}

// "a whole number of seconds" has the unit of the range.
constexpr std::string_view unit_of(const ValueRule& rule) {
  constexpr std::string_view kNumberOf = "a whole number of ";
  if (rule.is_valid == is_text_in_range) return "bytes";
  return rule.expected.starts_with(kNumberOf) && rule.max != 0
             ? rule.expected.substr(kNumberOf.size())
             : std::string_view{};
}

}  // namespace

std::span<const KeyDescription> described_keys() noexcept {
  static const auto kDescribed = [] {
    std::array<KeyDescription, kKeyRows.size()> described{};
    for (std::size_t i = 0; i < kKeyRows.size(); ++i) {
      const KeyRow& row = kKeyRows[i];
      described[i] = {.group = row.group,
                      .name = row.name,
                      .fallback = row.fallback,
                      .example = row.example,
                      .meaning = row.meaning,
                      .elsewhere = row.elsewhere,
                      .dialects = dialects_of(row.name),
                      .same_as = same_as(row.meaning),
                      .is_secret = row.rule.is_secret,
                      .type = row.rule.type,
                      .expected = row.rule.expected,
                      .least = row.rule.min,
                      .most = row.rule.max,
                      .unit = unit_of(row.rule),
                      // AppDataDictionary has versions instead.
                      .is_numbered = row.rule.is_numbered && row.name != "AppDataDictionary",
                      .takes_effect = to_string(row.effect)};
    }
    return described;
  }();
  return kDescribed;
}

KeyMatch find_key(std::string_view name) {
  // No key is longer, and a line of a megabyte is not worth a copy.
  constexpr std::size_t kNameMax = 128;
  if (name.size() > kNameMax) return {};
  const std::string lower_name = lower(name);
  KeyMatch match;
  match.rule = table().find(lower_name);
  if (match.rule != nullptr) {
    // QuickFIX/J writes this one with a capital S, and both are right.
    match.odd_case = name != match.rule->name && name != "TimeStampPrecision";
    return match;
  }
  if (lower_name.starts_with(kDictionaryPrefix)) {
    match.rule = table().find("appdatadictionary");
    match.odd_case = !name.starts_with(std::string{match.rule->name} + '.');
    const std::string_view version = name.substr(kDictionaryPrefix.size());
    if (const auto appl_ver_id = read_appl_ver_id(version)) {
      match.number = static_cast<unsigned>(*appl_ver_id - '0');
    } else {
      match.unknown_version = true;
    }
    return match;
  }
  std::size_t digits = 0;
  while (digits < name.size() && is_digit(name[name.size() - 1 - digits])) ++digits;
  const std::string base = lower_name.substr(0, name.size() - digits);
  const KeyRule* const rule = table().find(base);
  if (digits == 0 || digits > 2 || rule == nullptr || !may_have_number(*rule)) return {};
  match.rule = rule;
  for (const char digit : name.substr(base.size())) {
    match.number = match.number * 10 + static_cast<unsigned>(digit - '0');
  }
  match.odd_case = name.substr(0, base.size()) != match.rule->name;
  return match;
}

std::vector<KeyRule> removed_keys() {
  std::vector<KeyRule> removed;
  for (const auto& [name, rule] : table().rules()) {
    if (rule.handling == Handling::Removed) removed.push_back(rule);
  }
  return removed;
}

std::string describe_removed_key(std::string_view name) {
  const KeyRule* const rule = table().find(lower(name));
  if (rule == nullptr || rule->handling != Handling::Removed) return {};
  return std::string{rule->name} + std::string{kRemovedKey} + std::string{rule->instead};
}

bool has_key_beginning_with(std::string_view prefix) {
  const std::string lower_prefix = lower(prefix);
  return std::ranges::any_of(table().rules(), [&](const auto& entry) {
    return entry.first.starts_with(lower_prefix) && is_ours(entry.second);
  });
}

const KeyRule* nearest_key(std::string_view name) {
  const std::string lower_name = lower(name);
  for (const Meant& meant : kMeant) {
    if (lower_name == meant.name) return table().find(lower(meant.key));
  }
  constexpr std::size_t kChangesMax = 4;
  const auto nearest = dictionary::nearest_name(name, table().names(), kChangesMax);
  return nearest ? table().find(lower(*nearest)) : nullptr;
}

bool sounds_like_store_folder(std::string_view name) {
  const std::string lower_name = lower(name.substr(0, 256));
  const auto has = [&](std::string_view part) {
    return lower_name.find(part) != std::string::npos;
  };
  return (has("store") || has("journal")) &&
         (has("path") || has("dir") || has("folder") || has("location") || has("file"));
}

bool sounds_like_security(std::string_view name) {
  constexpr std::string_view kParts[] = {"ssl",    "tls",     "certif",    "keystore",  "trusts",
                                         "proxy",  "allowed", "allowlist", "whitelist", "encrypt",
                                         "cipher", "passw",   "secret",    "revoc",     "crl"};
  const std::string lower_name = lower(name.substr(0, 256));
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return lower_name.find(part) != std::string::npos; });
}

}  // namespace nexusfix::config
