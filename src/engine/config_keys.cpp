#include "engine/config_keys.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/settings_values.hpp"

namespace nexusfix::engine {
namespace {

struct HonouredKey {
  Key key;
  std::string_view name;
};

constexpr HonouredKey kHonoured[] = {
    {Key::BeginString, "BeginString"},
    {Key::DefaultApplVerID, "DefaultApplVerID"},
    {Key::SenderCompID, "SenderCompID"},
    {Key::TargetCompID, "TargetCompID"},
    {Key::SessionQualifier, "SessionQualifier"},
    {Key::SenderSubID, "SenderSubID"},
    {Key::SenderLocationID, "SenderLocationID"},
    {Key::TargetSubID, "TargetSubID"},
    {Key::TargetLocationID, "TargetLocationID"},
    {Key::ConnectionType, "ConnectionType"},
    {Key::HeartBtInt, "HeartBtInt"},
    {Key::ReconnectInterval, "ReconnectInterval"},
    {Key::LogonTimeout, "LogonTimeout"},
    {Key::LogoutTimeout, "LogoutTimeout"},
    {Key::SocketConnectHost, "SocketConnectHost"},
    {Key::SocketConnectPort, "SocketConnectPort"},
    {Key::SocketAcceptPort, "SocketAcceptPort"},
    {Key::SocketAcceptAddress, "SocketAcceptAddress"},
    {Key::SocketAcceptHost, "SocketAcceptHost"},
    {Key::SocketConnectTimeout, "SocketConnectTimeout"},
    {Key::HostSelectionPolicy, "HostSelectionPolicy"},
    {Key::HostSelectionPolicyPriorityStartOverInterval,
     "HostSelectionPolicyPriorityStartOverInterval"},
    {Key::ReconnectJitter, "ReconnectJitter"},
    {Key::SocketConnectSourceHost, "SocketConnectSourceHost"},
    {Key::SocketConnectSourcePort, "SocketConnectSourcePort"},
    {Key::SocketLocalHost, "SocketLocalHost"},
    {Key::SocketLocalPort, "SocketLocalPort"},
    {Key::AllowedRemoteAddresses, "AllowedRemoteAddresses"},
    {Key::UseTCPProxy, "UseTCPProxy"},
    {Key::TrustedProxies, "TrustedProxies"},
    {Key::ProxyType, "ProxyType"},
    {Key::ProxyVersion, "ProxyVersion"},
    {Key::ProxyHost, "ProxyHost"},
    {Key::ProxyPort, "ProxyPort"},
    {Key::ProxyUser, "ProxyUser"},
    {Key::ProxyPassword, "ProxyPassword"},
    {Key::MaxPendingLogons, "MaxPendingLogons"},
    {Key::MaxPendingLogonsPerAddress, "MaxPendingLogonsPerAddress"},
    {Key::MaxQueuedBytes, "MaxQueuedBytes"},
    {Key::MaxBufferedBytes, "MaxBufferedBytes"},
    {Key::SlowConsumerTimeout, "SlowConsumerTimeout"},
    {Key::MaxMessageSize, "MaxMessageSize"},
    {Key::MaxLogonSize, "MaxLogonSize"},
    {Key::AcceptorTemplate, "AcceptorTemplate"},
    {Key::DynamicSessions, "DynamicSessions"},
    {Key::DynamicSessionsMax, "DynamicSessionsMax"},
    {Key::DynamicSessionsMaxPerAddress, "DynamicSessionsMaxPerAddress"},
    {Key::EventLoops, "EventLoops"},
    {Key::EventLoop, "EventLoop"},
    {Key::EventLoopCpu, "EventLoopCpu"},
    {Key::BusySpin, "BusySpin"},
    {Key::LockMemory, "LockMemory"},
    {Key::CoreDumps, "CoreDumps"},
    {Key::LogonMaxLateness, "LogonMaxLateness"},
    {Key::SocketNodelay, "SocketNodelay"},
    {Key::SocketTcpNoDelay, "SocketTcpNoDelay"},
    {Key::SocketKeepAlive, "SocketKeepAlive"},
    {Key::SocketReuseAddress, "SocketReuseAddress"},
    {Key::SocketSendBufferSize, "SocketSendBufferSize"},
    {Key::SocketReceiveBufferSize, "SocketReceiveBufferSize"},
    {Key::SocketTrafficClass, "SocketTrafficClass"},
    {Key::SocketUseSSL, "SocketUseSSL"},
    {Key::SSLEnable, "SSLEnable"},
    {Key::RequireTLS, "RequireTLS"},
    {Key::ServerCertificateFile, "ServerCertificateFile"},
    {Key::ServerCertificateKeyFile, "ServerCertificateKeyFile"},
    {Key::ClientCertificateFile, "ClientCertificateFile"},
    {Key::ClientCertificateKeyFile, "ClientCertificateKeyFile"},
    {Key::SocketCertificateFile, "SocketCertificateFile"},
    {Key::SocketPrivateKeyFile, "SocketPrivateKeyFile"},
    {Key::SocketKeyStore, "SocketKeyStore"},
    {Key::SocketKeyStorePassword, "SocketKeyStorePassword"},
    {Key::SSLCertificate, "SSLCertificate"},
    {Key::SSLCertificatePassword, "SSLCertificatePassword"},
    {Key::CertificationAuthoritiesFile, "CertificationAuthoritiesFile"},
    {Key::CertificationAuthoritiesDirectory, "CertificationAuthoritiesDirectory"},
    {Key::SocketCAFile, "SocketCAFile"},
    {Key::SocketTrustStore, "SocketTrustStore"},
    {Key::SocketTrustStorePassword, "SocketTrustStorePassword"},
    {Key::SSLCACertificate, "SSLCACertificate"},
    {Key::CertificateRevocationListFile, "CertificateRevocationListFile"},
    {Key::CertificateRevocationListDirectory, "CertificateRevocationListDirectory"},
    {Key::SSLCheckCertificateRevocation, "SSLCheckCertificateRevocation"},
    {Key::CertificateVerifyLevel, "CertificateVerifyLevel"},
    {Key::NeedClientAuth, "NeedClientAuth"},
    {Key::SSLRequireClientCertificate, "SSLRequireClientCertificate"},
    {Key::SSLProtocol, "SSLProtocol"},
    {Key::EnabledProtocols, "EnabledProtocols"},
    {Key::SSLProtocols, "SSLProtocols"},
    {Key::SocketMinimumTLSVersion, "SocketMinimumTLSVersion"},
    {Key::SSLCipherSuite, "SSLCipherSuite"},
    {Key::CipherSuites, "CipherSuites"},
    {Key::TLSCipherSuites, "TLSCipherSuites"},
    {Key::UseSNI, "UseSNI"},
    {Key::SNIHostName, "SNIHostName"},
    {Key::SocketServerName, "SocketServerName"},
    {Key::SSLServerName, "SSLServerName"},
    {Key::EndpointIdentificationAlgorithm, "EndpointIdentificationAlgorithm"},
    {Key::AllowedCertificates, "AllowedCertificates"},
    {Key::FileStorePath, "FileStorePath"},
    {Key::FileStoreSync, "FileStoreSync"},
    {Key::PersistMessages, "PersistMessages"},
    {Key::ResetOnLogon, "ResetOnLogon"},
    {Key::ResetOnLogout, "ResetOnLogout"},
    {Key::ResetOnDisconnect, "ResetOnDisconnect"},
    {Key::CheckCompID, "CheckCompID"},
    {Key::CheckLatency, "CheckLatency"},
    {Key::MaxLatency, "MaxLatency"},
    {Key::SendRedundantResendRequests, "SendRedundantResendRequests"},
    {Key::RequiresOrigSendingTime, "RequiresOrigSendingTime"},
    {Key::MillisecondsInTimeStamp, "MillisecondsInTimeStamp"},
    {Key::TimestampPrecision, "TimestampPrecision"},
    {Key::TestRequestDelayMultiplier, "TestRequestDelayMultiplier"},
    {Key::HeartBeatTimeoutMultiplier, "HeartBeatTimeoutMultiplier"},
    {Key::MaxGarbledPerSecond, "MaxGarbledPerSecond"},
    {Key::MaxAdminMessagesPerSecond, "MaxAdminMessagesPerSecond"},
    {Key::MaxRejectsPerSecond, "MaxRejectsPerSecond"},
    {Key::NonStopSession, "NonStopSession"},
    {Key::StartTime, "StartTime"},
    {Key::EndTime, "EndTime"},
    {Key::StartDay, "StartDay"},
    {Key::EndDay, "EndDay"},
    {Key::Weekdays, "Weekdays"},
    {Key::LogonTime, "LogonTime"},
    {Key::LogoutTime, "LogoutTime"},
    {Key::LogonDay, "LogonDay"},
    {Key::LogoutDay, "LogoutDay"},
    {Key::ResetSeqTime, "ResetSeqTime"},
    {Key::UseLocalTime, "UseLocalTime"},
    {Key::TimeZone, "TimeZone"},
    {Key::Holidays, "Holidays"},
    {Key::HolidayFile, "HolidayFile"},
    {Key::Store, "Store"},
    {Key::JournalDurability, "JournalDurability"},
    {Key::JournalGroupMicros, "JournalGroupMicros"},
    {Key::JournalNumbersAhead, "JournalNumbersAhead"},
    {Key::JournalStallTimeout, "JournalStallTimeout"},
    {Key::JournalScrubBytesPerSecond, "JournalScrubBytesPerSecond"},
    {Key::JournalKeepBytes, "JournalKeepBytes"},
    {Key::JournalKeepDays, "JournalKeepDays"},
    {Key::JournalRetireOnReset, "JournalRetireOnReset"},
    {Key::JournalRetireCurrent, "JournalRetireCurrent"},
    {Key::JournalRetired, "JournalRetired"},
    {Key::PostgreSQLStoreConnection, "PostgreSQLStoreConnection"},
    {Key::PostgreSQLStoreHost, "PostgreSQLStoreHost"},
    {Key::PostgreSQLStorePort, "PostgreSQLStorePort"},
    {Key::PostgreSQLStoreDatabase, "PostgreSQLStoreDatabase"},
    {Key::PostgreSQLStoreUser, "PostgreSQLStoreUser"},
    {Key::PostgreSQLStorePassword, "PostgreSQLStorePassword"},
    {Key::PostgreSQLStoreSchema, "PostgreSQLStoreSchema"},
    {Key::PostgreSQLStoreStandby, "PostgreSQLStoreStandby"},
    {Key::PostgreSQLStoreKeepPosition, "PostgreSQLStoreKeepPosition"},
    {Key::UseDataDictionary, "UseDataDictionary"},
    {Key::DataDictionary, "DataDictionary"},
    {Key::TransportDataDictionary, "TransportDataDictionary"},
    {Key::AppDataDictionary, "AppDataDictionary"},
    {Key::DictionaryFaults, "DictionaryFaults"},
    {Key::ValidateIncomingMessage, "ValidateIncomingMessage"},
    {Key::ValidateFieldsOutOfOrder, "ValidateFieldsOutOfOrder"},
    {Key::ValidateFieldsHaveValues, "ValidateFieldsHaveValues"},
    {Key::ValidateUserDefinedFields, "ValidateUserDefinedFields"},
    {Key::ValidateUnorderedGroupFields, "ValidateUnorderedGroupFields"},
    {Key::AllowUnknownMsgFields, "AllowUnknownMsgFields"},
    {Key::AllowUnknownEnumValues, "AllowUnknownEnumValues"},
    {Key::FirstFieldInGroupIsDelimiter, "FirstFieldInGroupIsDelimiter"},
    {Key::RejectInvalidMessage, "RejectInvalidMessage"},
    {Key::BusinessRejectHasDefaultApplVerID, "BusinessRejectHasDefaultApplVerID"},
    {Key::Username, "Username"},
    {Key::Password, "Password"},
    {Key::NewPassword, "NewPassword"},
    {Key::LogonTag, "LogonTag"},
    {Key::AuthenticationTimeout, "AuthenticationTimeout"},
    {Key::PasswordFile, "PasswordFile"},
    {Key::AllowedUsernames, "AllowedUsernames"},
    {Key::MaxLogonFailures, "MaxLogonFailures"},
    {Key::LogonLockout, "LogonLockout"},
    {Key::MaxLogonFailuresPerAddress, "MaxLogonFailuresPerAddress"},
    {Key::LogonFailuresInterval, "LogonFailuresInterval"},
    {Key::MaxLogonsBeingChecked, "MaxLogonsBeingChecked"},
    {Key::SendNextExpectedMsgSeqNum, "SendNextExpectedMsgSeqNum"},
    {Key::EnableNextExpectedMsgSeqNum, "EnableNextExpectedMsgSeqNum"},
    {Key::EnableLastMsgSeqNumProcessed, "EnableLastMsgSeqNumProcessed"},
    {Key::ResendRequestChunkSize, "ResendRequestChunkSize"},
    {Key::MaxMessagesInResendRequest, "MaxMessagesInResendRequest"},
    {Key::ClosedResendInterval, "ClosedResendInterval"},
    {Key::HoldEarlyMessages, "HoldEarlyMessages"},
    {Key::ResendTimeout, "ResendTimeout"},
    {Key::MaxResendMessages, "MaxResendMessages"},
    {Key::MaxResendsPerSecond, "MaxResendsPerSecond"},
    {Key::MaxResendRepeats, "MaxResendRepeats"},
    {Key::MaxResendAge, "MaxResendAge"},
    {Key::MaxHeldBytes, "MaxHeldBytes"},
    {Key::ThrottleMessages, "ThrottleMessages"},
    {Key::ThrottleInterval, "ThrottleInterval"},
    {Key::ThrottleAction, "ThrottleAction"},
    {Key::InboundDelivery, "InboundDelivery"},
    {Key::SendWhileLoggedOut, "SendWhileLoggedOut"},
    {Key::DisconnectNoticeDelay, "DisconnectNoticeDelay"},
    {Key::AllowResetSeqNumFlag, "AllowResetSeqNumFlag"},
    {Key::AllowSequenceReset, "AllowSequenceReset"},
    {Key::MaxSequenceJump, "MaxSequenceJump"},
    {Key::HeartBtIntOverride, "HeartBtIntOverride"},
    {Key::DisableHeartBeatCheck, "DisableHeartBeatCheck"},
    {Key::SendLogoutBeforeDisconnectFromTimeout, "SendLogoutBeforeDisconnectFromTimeout"},
    {Key::MinHeartBtInt, "MinHeartBtInt"},
    {Key::MaxHeartBtInt, "MaxHeartBtInt"},
    {Key::FileLogPath, "FileLogPath"},
    {Key::FileLogBackupPath, "FileLogBackupPath"},
    {Key::FileLogHeartbeats, "FileLogHeartbeats"},
    {Key::FileIncludeMilliseconds, "FileIncludeMilliseconds"},
    {Key::FileIncludeTimeStampForMessages, "FileIncludeTimeStampForMessages"},
    {Key::ScreenLogShowIncoming, "ScreenLogShowIncoming"},
    {Key::ScreenLogShowOutgoing, "ScreenLogShowOutgoing"},
    {Key::ScreenLogShowEvents, "ScreenLogShowEvents"},
    {Key::ScreenLogShowHeartBeats, "ScreenLogShowHeartBeats"},
    {Key::ScreenIncludeMilliseconds, "ScreenIncludeMilliseconds"},
    {Key::LogMessageWhenSessionNotFound, "LogMessageWhenSessionNotFound"},
    {Key::LogTimestampPrecision, "LogTimestampPrecision"},
    {Key::LogMaxBytes, "LogMaxBytes"},
    {Key::LogKeepFiles, "LogKeepFiles"},
    {Key::LogDaily, "LogDaily"},
    {Key::LogMinFreeBytes, "LogMinFreeBytes"},
    {Key::LogQueueBytes, "LogQueueBytes"},
    {Key::LogMaskedTags, "LogMaskedTags"},
    {Key::StoreMaskedTags, "StoreMaskedTags"},
    {Key::ExpandVariables, "ExpandVariables"},
};
static_assert(std::size(kHonoured) + 1 == kKeyCount);
static_assert([] {
  for (std::size_t i = 0; i < std::size(kHonoured); ++i) {
    if (static_cast<std::size_t>(kHonoured[i].key) != i + 1) return false;
  }
  return true;
}());

// The keys of the other engines: QuickFIX, QuickFIX/J, QuickFIX/Go, QuickFIX/N.
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
    {"RefreshOnLogon", "N",
     "the store is read at start-up only; while it is open no other process can write it"},
    {"IgnorePossDupResendRequests", "N", "ResendRequests are answered with or without PossDupFlag"},
    {"ForceResendWhenCorruptedStore", "N", "Heartbeats never take the place of stored messages"},
    {"AllowPosDup", "N", "PossDupFlag and OrigSendingTime are set by the engine alone"},
    {"SEND_RESETSEQNUMFLAG SendResetSeqNumFlag", "",
     "ResetOnLogon alone decides whether a Logon carries ResetSeqNumFlag"},
    {"ValidateLengthAndChecksum ValidateChecksum", "Y",
     "BodyLength and CheckSum are always verified"},
    {"ValidateSequenceNumbers", "Y", "MsgSeqNum is always checked"},
    {"RejectGarbledMessage", "N", "garbled messages are always ignored, as the FIX rules say"},
    {"RejectMessageOnUnhandledException", "N",
     "an exception is always answered by a BusinessMessageReject"},
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
     "DebugLogFilePath",
     "", kOwnLog},
    {"JdbcLogHeartBeats", "N", kOwnLog},
    {"HttpAcceptPort", "0", "no web page is served"},
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
    "a proxy is told a user and a password (Basic, RFC 1929), and NTLM is not spoken";

constexpr KeyGroup kRefused[] = {
    {"SocketInsecureSkipVerify", "N", kVerified},
    {"SSLValidateCertificates", "Y", kVerified},
    {"SocketPrivateKeyBytes SocketCertificateBytes SocketCABytes", "", kOfFiles},
    {"KeyStoreType TrustStoreType", "PKCS12 PEM", kStores},
    {"KeyManagerFactoryAlgorithm TrustManagerFactoryAlgorithm", "SunX509 NewSunX509 PKIX",
     kJavaAlgorithm},
    {"ProxyDomain ProxyWorkstation", "", kNoNtlm},
};

constexpr std::string_view kNumbered[] = {"socketconnecthost", "socketconnectport",
                                          "socketconnectprotocol", "logontag"};
constexpr std::string_view kDictionaryPrefix = "appdatadictionary.";

constexpr char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

std::string lower(std::string_view text) {
  std::string result{text};
  std::ranges::transform(result, result.begin(), to_lower);
  return result;
}

// All rules, by their names in lower case.
class KeyTable {
 public:
  KeyTable() {
    for (const HonouredKey& honoured : kHonoured) {
      add({honoured.name, Handling::Honoured, honoured.key, {}, {}});
    }
    for (const KeyGroup& group : kInstead) add(group, Handling::Instead);
    for (const KeyGroup& group : kRefused) add(group, Handling::Refused);
  }

  [[nodiscard]] const KeyRule* find(const std::string& lower_name) const {
    const auto place = rules_.find(lower_name);
    return place == rules_.end() ? nullptr : &place->second;
  }
  [[nodiscard]] const std::unordered_map<std::string, KeyRule>& rules() const { return rules_; }

 private:
  void add(const KeyRule& rule) { rules_.emplace(lower(rule.name), rule); }
  void add(const KeyGroup& group, Handling handling) {
    std::string_view rest = group.names;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      add({rest.substr(0, end), handling, Key::None, group.instead, group.harmless});
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  std::unordered_map<std::string, KeyRule> rules_;
};

const KeyTable& table() {
  static const KeyTable kTable;
  return kTable;
}

// Typing errors between two names: letters left out, added, exchanged, or two swapped (the optimal
// string alignment distance).
unsigned distance(std::string_view left, std::string_view right) {
  const std::size_t width = right.size() + 1;
  std::vector<unsigned> before_last(width);
  std::vector<unsigned> last(width);
  std::vector<unsigned> row(width);
  for (std::size_t j = 0; j < width; ++j) last[j] = static_cast<unsigned>(j);
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = static_cast<unsigned>(i);
    for (std::size_t j = 1; j < width; ++j) {
      const bool same = left[i - 1] == right[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[right.size()];
}

}  // namespace

bool equals_ignoring_case(std::string_view left, std::string_view right) noexcept {
  return std::ranges::equal(left, right, {}, to_lower, to_lower);
}

std::string_view key_name(Key key) noexcept {
  return key == Key::None ? std::string_view{} : kHonoured[static_cast<std::size_t>(key) - 1].name;
}

KeyMatch find_key(std::string_view name) {
  // Longer than every key there is: a line of a megabyte is not worth a copy.
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
  while (digits < name.size() && name[name.size() - 1 - digits] >= '0' &&
         name[name.size() - 1 - digits] <= '9') {
    ++digits;
  }
  const std::string base = lower_name.substr(0, name.size() - digits);
  if (digits == 0 || digits > 2 || std::ranges::find(kNumbered, base) == std::end(kNumbered)) {
    return {};
  }
  match.rule = table().find(base);
  for (const char digit : name.substr(base.size())) {
    match.number = match.number * 10 + static_cast<unsigned>(digit - '0');
  }
  match.odd_case = name.substr(0, base.size()) != match.rule->name;
  return match;
}

const KeyRule* nearest_key(std::string_view name) {
  constexpr std::size_t kNameMax = 64;
  if (name.size() > kNameMax) return nullptr;
  const std::string lower_name = lower(name);
  // A third of the letters wrong, and it is another word.
  const std::size_t limit = std::max<std::size_t>(1, std::min<std::size_t>(4, name.size() / 3));
  const KeyRule* nearest = nullptr;
  std::size_t least = limit + 1;
  for (const auto& [candidate, rule] : table().rules()) {
    const std::size_t far = distance(lower_name, candidate);
    // Of two keys that are as near the one first in the alphabet, so that the answer is always the
    // same.
    if (far < least || (far == least && nearest != nullptr && rule.name < nearest->name)) {
      least = far;
      nearest = &rule;
    }
  }
  return nearest;
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
                                         "cipher", "passw",   "revoc",     "crl"};
  const std::string lower_name = lower(name.substr(0, 256));
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return lower_name.find(part) != std::string::npos; });
}

}  // namespace nexusfix::engine
