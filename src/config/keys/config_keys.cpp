#include "config/keys/config_keys.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include <nexusfix/base/ascii.hpp>

#include "config/text/settings_values.hpp"

namespace nexusfix::config {
namespace {

struct HonouredKey {
  Key key;
  std::string_view name;
  TakesEffect effect;
};

using enum TakesEffect;

constexpr HonouredKey kHonoured[] = {
    {Key::BeginString, "BeginString", OtherSession},
    {Key::DefaultApplVerID, "DefaultApplVerID", NextLogon},
    {Key::SenderCompID, "SenderCompID", OtherSession},
    {Key::TargetCompID, "TargetCompID", OtherSession},
    {Key::SessionQualifier, "SessionQualifier", OtherSession},
    {Key::SenderSubID, "SenderSubID", OtherSession},
    {Key::SenderLocationID, "SenderLocationID", OtherSession},
    {Key::TargetSubID, "TargetSubID", OtherSession},
    {Key::TargetLocationID, "TargetLocationID", OtherSession},
    {Key::ConnectionType, "ConnectionType", NextStart},
    {Key::HeartBtInt, "HeartBtInt", NextLogon},
    {Key::ReconnectInterval, "ReconnectInterval", AtOnce},
    {Key::LogonTimeout, "LogonTimeout", NextLogon},
    {Key::LogoutTimeout, "LogoutTimeout", AtOnce},
    {Key::SocketConnectHost, "SocketConnectHost", NextLogon},
    {Key::SocketConnectPort, "SocketConnectPort", NextLogon},
    {Key::SocketAcceptPort, "SocketAcceptPort", AtOnce},
    {Key::SocketAcceptAddress, "SocketAcceptAddress", AtOnce},
    {Key::SocketAcceptHost, "SocketAcceptHost", AtOnce},
    {Key::SocketConnectTimeout, "SocketConnectTimeout", NextLogon},
    {Key::HostSelectionPolicy, "HostSelectionPolicy", AtOnce},
    {Key::HostSelectionPolicyPriorityStartOverInterval,
     "HostSelectionPolicyPriorityStartOverInterval", AtOnce},
    {Key::ReconnectJitter, "ReconnectJitter", AtOnce},
    {Key::SocketConnectSourceHost, "SocketConnectSourceHost", NextLogon},
    {Key::SocketConnectSourcePort, "SocketConnectSourcePort", NextLogon},
    {Key::SocketLocalHost, "SocketLocalHost", NextLogon},
    {Key::SocketLocalPort, "SocketLocalPort", NextLogon},
    {Key::AllowedRemoteAddresses, "AllowedRemoteAddresses", AtOnce},
    {Key::UseTCPProxy, "UseTCPProxy", NextLogon},
    {Key::TrustedProxies, "TrustedProxies", NextLogon},
    {Key::ProxyType, "ProxyType", NextLogon},
    {Key::ProxyVersion, "ProxyVersion", NextLogon},
    {Key::ProxyHost, "ProxyHost", NextLogon},
    {Key::ProxyPort, "ProxyPort", NextLogon},
    {Key::ProxyUser, "ProxyUser", NextLogon},
    {Key::ProxyPassword, "ProxyPassword", NextLogon},
    {Key::MaxPendingLogons, "MaxPendingLogons", AtOnce},
    {Key::MaxPendingLogonsPerAddress, "MaxPendingLogonsPerAddress", AtOnce},
    {Key::MaxQueuedBytes, "MaxQueuedBytes", AtOnce},
    {Key::MaxBufferedBytes, "MaxBufferedBytes", NextStart},
    {Key::SlowConsumerTimeout, "SlowConsumerTimeout", AtOnce},
    {Key::MaxMessageSize, "MaxMessageSize", NextLogon},
    {Key::MaxLogonSize, "MaxLogonSize", NextLogon},
    {Key::AcceptorTemplate, "AcceptorTemplate", AtOnce},
    {Key::DynamicSessions, "DynamicSessions", AtOnce},
    {Key::DynamicSessionsMax, "DynamicSessionsMax", NextStart},
    {Key::DynamicSessionsMaxPerAddress, "DynamicSessionsMaxPerAddress", NextStart},
    {Key::EventLoops, "EventLoops", NextStart},
    {Key::EventLoop, "EventLoop", NextStart},
    {Key::EventLoopCpu, "EventLoopCpu", NextStart},
    {Key::BusySpin, "BusySpin", NextStart},
    {Key::LockMemory, "LockMemory", NextStart},
    {Key::CoreDumps, "CoreDumps", NextStart},
    {Key::LogonMaxLateness, "LogonMaxLateness", NextStart},
    {Key::SocketNodelay, "SocketNodelay", NextLogon},
    {Key::SocketTcpNoDelay, "SocketTcpNoDelay", NextLogon},
    {Key::SocketKeepAlive, "SocketKeepAlive", NextLogon},
    {Key::SocketReuseAddress, "SocketReuseAddress", NextStart},
    {Key::SocketSendBufferSize, "SocketSendBufferSize", NextLogon},
    {Key::SocketReceiveBufferSize, "SocketReceiveBufferSize", NextLogon},
    {Key::SocketTrafficClass, "SocketTrafficClass", NextLogon},
    {Key::SocketUseSSL, "SocketUseSSL", NextLogon},
    {Key::SSLEnable, "SSLEnable", NextLogon},
    {Key::RequireTLS, "RequireTLS", NextLogon},
    {Key::ServerCertificateFile, "ServerCertificateFile", NextLogon},
    {Key::ServerCertificateKeyFile, "ServerCertificateKeyFile", NextLogon},
    {Key::ClientCertificateFile, "ClientCertificateFile", NextLogon},
    {Key::ClientCertificateKeyFile, "ClientCertificateKeyFile", NextLogon},
    {Key::SocketCertificateFile, "SocketCertificateFile", NextLogon},
    {Key::SocketPrivateKeyFile, "SocketPrivateKeyFile", NextLogon},
    {Key::SocketKeyStore, "SocketKeyStore", NextLogon},
    {Key::SocketKeyStorePassword, "SocketKeyStorePassword", NextLogon},
    {Key::SSLCertificate, "SSLCertificate", NextLogon},
    {Key::SSLCertificatePassword, "SSLCertificatePassword", NextLogon},
    {Key::CertificationAuthoritiesFile, "CertificationAuthoritiesFile", NextLogon},
    {Key::CertificationAuthoritiesDirectory, "CertificationAuthoritiesDirectory", NextLogon},
    {Key::SocketCAFile, "SocketCAFile", NextLogon},
    {Key::SocketTrustStore, "SocketTrustStore", NextLogon},
    {Key::SocketTrustStorePassword, "SocketTrustStorePassword", NextLogon},
    {Key::SSLCACertificate, "SSLCACertificate", NextLogon},
    {Key::CertificateRevocationListFile, "CertificateRevocationListFile", NextLogon},
    {Key::CertificateRevocationListDirectory, "CertificateRevocationListDirectory", NextLogon},
    {Key::SSLCheckCertificateRevocation, "SSLCheckCertificateRevocation", NextLogon},
    {Key::CertificateVerifyLevel, "CertificateVerifyLevel", NextLogon},
    {Key::NeedClientAuth, "NeedClientAuth", NextLogon},
    {Key::SSLRequireClientCertificate, "SSLRequireClientCertificate", NextLogon},
    {Key::SSLProtocol, "SSLProtocol", NextLogon},
    {Key::EnabledProtocols, "EnabledProtocols", NextLogon},
    {Key::SSLProtocols, "SSLProtocols", NextLogon},
    {Key::SocketMinimumTLSVersion, "SocketMinimumTLSVersion", NextLogon},
    {Key::SSLCipherSuite, "SSLCipherSuite", NextLogon},
    {Key::CipherSuites, "CipherSuites", NextLogon},
    {Key::TLSCipherSuites, "TLSCipherSuites", NextLogon},
    {Key::UseSNI, "UseSNI", NextLogon},
    {Key::SNIHostName, "SNIHostName", NextLogon},
    {Key::SocketServerName, "SocketServerName", NextLogon},
    {Key::SSLServerName, "SSLServerName", NextLogon},
    {Key::EndpointIdentificationAlgorithm, "EndpointIdentificationAlgorithm", NextLogon},
    {Key::AllowedCertificates, "AllowedCertificates", NextLogon},
    {Key::FileStorePath, "FileStorePath", NextStart},
    {Key::FileStoreSync, "FileStoreSync", NextStart},
    {Key::PersistMessages, "PersistMessages", AtOnce},
    {Key::ResetOnLogon, "ResetOnLogon", NextLogon},
    {Key::ResetOnLogout, "ResetOnLogout", AtOnce},
    {Key::ResetOnDisconnect, "ResetOnDisconnect", AtOnce},
    {Key::CheckCompID, "CheckCompID", AtOnce},
    {Key::CheckLatency, "CheckLatency", AtOnce},
    {Key::MaxLatency, "MaxLatency", AtOnce},
    {Key::SendRedundantResendRequests, "SendRedundantResendRequests", AtOnce},
    {Key::RequiresOrigSendingTime, "RequiresOrigSendingTime", AtOnce},
    {Key::MillisecondsInTimeStamp, "MillisecondsInTimeStamp", NextLogon},
    {Key::TimestampPrecision, "TimestampPrecision", NextLogon},
    {Key::TestRequestDelayMultiplier, "TestRequestDelayMultiplier", NextLogon},
    {Key::HeartBeatTimeoutMultiplier, "HeartBeatTimeoutMultiplier", NextLogon},
    {Key::MaxGarbledPerSecond, "MaxGarbledPerSecond", AtOnce},
    {Key::MaxAdminMessagesPerSecond, "MaxAdminMessagesPerSecond", AtOnce},
    {Key::MaxRejectsPerSecond, "MaxRejectsPerSecond", AtOnce},
    {Key::NonStopSession, "NonStopSession", NextLogon},
    {Key::StartTime, "StartTime", NextLogon},
    {Key::EndTime, "EndTime", NextLogon},
    {Key::StartDay, "StartDay", NextLogon},
    {Key::EndDay, "EndDay", NextLogon},
    {Key::Weekdays, "Weekdays", NextLogon},
    {Key::LogonTime, "LogonTime", NextLogon},
    {Key::LogoutTime, "LogoutTime", NextLogon},
    {Key::LogonDay, "LogonDay", NextLogon},
    {Key::LogoutDay, "LogoutDay", NextLogon},
    {Key::ResetSeqTime, "ResetSeqTime", NextLogon},
    {Key::UseLocalTime, "UseLocalTime", NextLogon},
    {Key::TimeZone, "TimeZone", NextLogon},
    {Key::Holidays, "Holidays", NextLogon},
    {Key::HolidayFile, "HolidayFile", NextLogon},
    {Key::Store, "Store", NextStart},
    {Key::JournalDurability, "JournalDurability", NextStart},
    {Key::JournalGroupMicros, "JournalGroupMicros", NextStart},
    {Key::JournalNumbersAhead, "JournalNumbersAhead", NextStart},
    {Key::JournalStallTimeout, "JournalStallTimeout", NextStart},
    {Key::JournalScrubBytesPerSecond, "JournalScrubBytesPerSecond", NextStart},
    {Key::JournalKeepBytes, "JournalKeepBytes", NextStart},
    {Key::JournalKeepDays, "JournalKeepDays", NextStart},
    {Key::JournalRetireOnReset, "JournalRetireOnReset", NextStart},
    {Key::JournalRetireCurrent, "JournalRetireCurrent", NextStart},
    {Key::JournalRetired, "JournalRetired", NextStart},
    {Key::PostgreSQLStoreConnection, "PostgreSQLStoreConnection", NextStart},
    {Key::PostgreSQLStoreHost, "PostgreSQLStoreHost", NextStart},
    {Key::PostgreSQLStorePort, "PostgreSQLStorePort", NextStart},
    {Key::PostgreSQLStoreDatabase, "PostgreSQLStoreDatabase", NextStart},
    {Key::PostgreSQLStoreUser, "PostgreSQLStoreUser", NextStart},
    {Key::PostgreSQLStorePassword, "PostgreSQLStorePassword", NextStart},
    {Key::PostgreSQLStoreSchema, "PostgreSQLStoreSchema", NextStart},
    {Key::PostgreSQLStoreStandby, "PostgreSQLStoreStandby", NextStart},
    {Key::PostgreSQLStoreKeepPosition, "PostgreSQLStoreKeepPosition", NextStart},
    {Key::PostgreSQLStoreConnectTimeout, "PostgreSQLStoreConnectTimeout", NextStart},
    {Key::PostgreSQLStoreAnswerTimeout, "PostgreSQLStoreAnswerTimeout", NextStart},
    {Key::PostgreSQLStoreOutageTimeout, "PostgreSQLStoreOutageTimeout", NextStart},
    {Key::PostgreSQLStoreLockTimeout, "PostgreSQLStoreLockTimeout", NextStart},
    {Key::PostgreSQLStorePeerTimeout, "PostgreSQLStorePeerTimeout", NextStart},
    {Key::UseDataDictionary, "UseDataDictionary", NextLogon},
    {Key::DataDictionary, "DataDictionary", NextLogon},
    {Key::TransportDataDictionary, "TransportDataDictionary", NextLogon},
    {Key::AppDataDictionary, "AppDataDictionary", NextLogon},
    {Key::DictionaryFaults, "DictionaryFaults", NextLogon},
    {Key::ValidateIncomingMessage, "ValidateIncomingMessage", NextLogon},
    {Key::ValidateFieldsOutOfOrder, "ValidateFieldsOutOfOrder", NextLogon},
    {Key::ValidateFieldsHaveValues, "ValidateFieldsHaveValues", NextLogon},
    {Key::ValidateUserDefinedFields, "ValidateUserDefinedFields", NextLogon},
    {Key::ValidateUnorderedGroupFields, "ValidateUnorderedGroupFields", NextLogon},
    {Key::AllowUnknownMsgFields, "AllowUnknownMsgFields", NextLogon},
    {Key::AllowUnknownEnumValues, "AllowUnknownEnumValues", NextLogon},
    {Key::FirstFieldInGroupIsDelimiter, "FirstFieldInGroupIsDelimiter", NextLogon},
    {Key::RejectInvalidMessage, "RejectInvalidMessage", AtOnce},
    {Key::ValidateLengthAndChecksum, "ValidateLengthAndChecksum", AtOnce},
    {Key::ValidateChecksum, "ValidateChecksum", AtOnce},
    {Key::BusinessRejectHasDefaultApplVerID, "BusinessRejectHasDefaultApplVerID", AtOnce},
    {Key::Username, "Username", NextLogon},
    {Key::Password, "Password", NextLogon},
    {Key::NewPassword, "NewPassword", NextLogon},
    {Key::LogonTag, "LogonTag", NextLogon},
    {Key::AuthenticationTimeout, "AuthenticationTimeout", AtOnce},
    {Key::PasswordFile, "PasswordFile", NextLogon},
    {Key::AllowedUsernames, "AllowedUsernames", NextLogon},
    {Key::MaxLogonFailures, "MaxLogonFailures", AtOnce},
    {Key::LogonLockout, "LogonLockout", AtOnce},
    {Key::MaxLogonFailuresPerAddress, "MaxLogonFailuresPerAddress", AtOnce},
    {Key::LogonFailuresInterval, "LogonFailuresInterval", AtOnce},
    {Key::MaxLogonsBeingChecked, "MaxLogonsBeingChecked", NextStart},
    {Key::SendNextExpectedMsgSeqNum, "SendNextExpectedMsgSeqNum", NextLogon},
    {Key::EnableNextExpectedMsgSeqNum, "EnableNextExpectedMsgSeqNum", NextLogon},
    {Key::EnableLastMsgSeqNumProcessed, "EnableLastMsgSeqNumProcessed", NextLogon},
    {Key::ResendRequestChunkSize, "ResendRequestChunkSize", AtOnce},
    {Key::MaxMessagesInResendRequest, "MaxMessagesInResendRequest", AtOnce},
    {Key::ClosedResendInterval, "ClosedResendInterval", AtOnce},
    {Key::HoldEarlyMessages, "HoldEarlyMessages", NextLogon},
    {Key::ResendTimeout, "ResendTimeout", AtOnce},
    {Key::MaxResendMessages, "MaxResendMessages", AtOnce},
    {Key::MaxResendsPerSecond, "MaxResendsPerSecond", AtOnce},
    {Key::MaxResendRepeats, "MaxResendRepeats", AtOnce},
    {Key::MaxResendAge, "MaxResendAge", AtOnce},
    {Key::MaxHeldBytes, "MaxHeldBytes", AtOnce},
    {Key::ThrottleMessages, "ThrottleMessages", AtOnce},
    {Key::ThrottleInterval, "ThrottleInterval", AtOnce},
    {Key::ThrottleAction, "ThrottleAction", AtOnce},
    {Key::InboundDelivery, "InboundDelivery", AtOnce},
    {Key::SendWhileLoggedOut, "SendWhileLoggedOut", AtOnce},
    {Key::DisconnectNoticeDelay, "DisconnectNoticeDelay", AtOnce},
    {Key::AllowResetSeqNumFlag, "AllowResetSeqNumFlag", AtOnce},
    {Key::AllowSequenceReset, "AllowSequenceReset", AtOnce},
    {Key::MaxSequenceJump, "MaxSequenceJump", AtOnce},
    {Key::HeartBtIntOverride, "HeartBtIntOverride", NextLogon},
    {Key::DisableHeartBeatCheck, "DisableHeartBeatCheck", AtOnce},
    {Key::SendLogoutBeforeDisconnectFromTimeout, "SendLogoutBeforeDisconnectFromTimeout", AtOnce},
    {Key::MinHeartBtInt, "MinHeartBtInt", NextLogon},
    {Key::MaxHeartBtInt, "MaxHeartBtInt", NextLogon},
    {Key::FileLogPath, "FileLogPath", AtOnce},
    {Key::FileLogBackupPath, "FileLogBackupPath", AtOnce},
    {Key::FileLogHeartbeats, "FileLogHeartbeats", AtOnce},
    {Key::FileIncludeMilliseconds, "FileIncludeMilliseconds", AtOnce},
    {Key::FileIncludeTimeStampForMessages, "FileIncludeTimeStampForMessages", AtOnce},
    {Key::ScreenLogShowIncoming, "ScreenLogShowIncoming", AtOnce},
    {Key::ScreenLogShowOutgoing, "ScreenLogShowOutgoing", AtOnce},
    {Key::ScreenLogShowEvents, "ScreenLogShowEvents", AtOnce},
    {Key::ScreenLogShowHeartBeats, "ScreenLogShowHeartBeats", AtOnce},
    {Key::ScreenIncludeMilliseconds, "ScreenIncludeMilliseconds", AtOnce},
    {Key::LogMessageWhenSessionNotFound, "LogMessageWhenSessionNotFound", NextStart},
    {Key::LogTimestampPrecision, "LogTimestampPrecision", AtOnce},
    {Key::LogMaxBytes, "LogMaxBytes", AtOnce},
    {Key::LogKeepFiles, "LogKeepFiles", AtOnce},
    {Key::LogDaily, "LogDaily", AtOnce},
    {Key::EventLogFormat, "EventLogFormat", AtOnce},
    {Key::LogFileMode, "LogFileMode", AtOnce},
    {Key::LogMinFreeBytes, "LogMinFreeBytes", AtOnce},
    {Key::LogQueueBytes, "LogQueueBytes", NextStart},
    {Key::LogMaskedTags, "LogMaskedTags", AtOnce},
    {Key::StoreMaskedTags, "StoreMaskedTags", AtOnce},
    {Key::ExpandVariables, "ExpandVariables", AtOnce},
    {Key::ApplicationKeys, "ApplicationKeys", AtOnce},
};
static_assert(std::size(kHonoured) + 1 == kKeyCount);
static_assert([] {
  for (std::size_t i = 0; i < std::size(kHonoured); ++i) {
    if (static_cast<std::size_t>(kHonoured[i].key) != i + 1) return false;
  }
  return true;
}());
static_assert(std::ranges::none_of(kHonoured,
                                   [](const HonouredKey& one) { return one.effect == Unset; }),
              "of each key it is said when a reload takes it over");

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

// Names that no engine has, and what somebody who writes them wants.
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

std::string_view key_name(Key key) noexcept {
  return key == Key::None ? std::string_view{} : kHonoured[static_cast<std::size_t>(key) - 1].name;
}

TakesEffect takes_effect(Key key) noexcept {
  return key == Key::None ? NextStart : kHonoured[static_cast<std::size_t>(key) - 1].effect;
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

bool has_key_beginning_with(std::string_view prefix) {
  const std::string lower_prefix = lower(prefix);
  return std::ranges::any_of(table().rules(), [&](const auto& entry) {
    return entry.first.starts_with(lower_prefix) && entry.second.handling != Handling::Instead;
  });
}

const KeyRule* nearest_key(std::string_view name) {
  constexpr std::size_t kNameMax = 64;
  if (name.size() > kNameMax) return nullptr;
  const std::string lower_name = lower(name);
  for (const Meant& meant : kMeant) {
    if (lower_name == meant.name) return table().find(lower(meant.key));
  }
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

}  // namespace nexusfix::config
