// Every key that a user of this engine or of another one may bring, and what is done with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nexusfix::config {

enum class Handling : std::uint8_t {
  Honoured,
  Instead,  // accepted, and answered with what is done instead
  Refused,  // asks for security that is not there: never plain text in place of it
};

// The honoured keys.
enum class Key : std::uint8_t {
  None,
  BeginString,
  DefaultApplVerID,
  SenderCompID,
  TargetCompID,
  SessionQualifier,
  SenderSubID,
  SenderLocationID,
  TargetSubID,
  TargetLocationID,
  ConnectionType,
  HeartBtInt,
  ReconnectInterval,
  LogonTimeout,
  LogoutTimeout,
  SocketConnectHost,
  SocketConnectPort,
  SocketAcceptPort,
  SocketAcceptAddress,
  SocketAcceptHost,
  SocketConnectTimeout,
  HostSelectionPolicy,
  HostSelectionPolicyPriorityStartOverInterval,
  ReconnectJitter,
  SocketConnectSourceHost,
  SocketConnectSourcePort,
  SocketLocalHost,
  SocketLocalPort,
  AllowedRemoteAddresses,
  UseTCPProxy,
  TrustedProxies,
  ProxyType,
  ProxyVersion,
  ProxyHost,
  ProxyPort,
  ProxyUser,
  ProxyPassword,
  MaxPendingLogons,
  MaxPendingLogonsPerAddress,
  MaxQueuedBytes,
  MaxBufferedBytes,
  SlowConsumerTimeout,
  MaxMessageSize,
  MaxLogonSize,
  AcceptorTemplate,
  DynamicSessions,
  DynamicSessionsMax,
  DynamicSessionsMaxPerAddress,
  EventLoops,
  EventLoop,
  EventLoopCpu,
  BusySpin,
  LockMemory,
  CoreDumps,
  LogonMaxLateness,
  SocketNodelay,
  SocketTcpNoDelay,
  SocketKeepAlive,
  SocketReuseAddress,
  SocketSendBufferSize,
  SocketReceiveBufferSize,
  SocketTrafficClass,
  SocketUseSSL,
  SSLEnable,
  RequireTLS,
  ServerCertificateFile,
  ServerCertificateKeyFile,
  ClientCertificateFile,
  ClientCertificateKeyFile,
  SocketCertificateFile,
  SocketPrivateKeyFile,
  SocketKeyStore,
  SocketKeyStorePassword,
  SSLCertificate,
  SSLCertificatePassword,
  CertificationAuthoritiesFile,
  CertificationAuthoritiesDirectory,
  SocketCAFile,
  SocketTrustStore,
  SocketTrustStorePassword,
  SSLCACertificate,
  CertificateRevocationListFile,
  CertificateRevocationListDirectory,
  SSLCheckCertificateRevocation,
  CertificateVerifyLevel,
  NeedClientAuth,
  SSLRequireClientCertificate,
  SSLProtocol,
  EnabledProtocols,
  SSLProtocols,
  SocketMinimumTLSVersion,
  SSLCipherSuite,
  CipherSuites,
  TLSCipherSuites,
  UseSNI,
  SNIHostName,
  SocketServerName,
  SSLServerName,
  EndpointIdentificationAlgorithm,
  AllowedCertificates,
  FileStorePath,
  FileStoreSync,
  PersistMessages,
  ResetOnLogon,
  ResetOnLogout,
  ResetOnDisconnect,
  CheckCompID,
  CheckLatency,
  MaxLatency,
  SendRedundantResendRequests,
  RequiresOrigSendingTime,
  MillisecondsInTimeStamp,
  TimestampPrecision,
  TestRequestDelayMultiplier,
  HeartBeatTimeoutMultiplier,
  MaxGarbledPerSecond,
  MaxAdminMessagesPerSecond,
  MaxRejectsPerSecond,
  NonStopSession,
  StartTime,
  EndTime,
  StartDay,
  EndDay,
  Weekdays,
  LogonTime,
  LogoutTime,
  LogonDay,
  LogoutDay,
  ResetSeqTime,
  UseLocalTime,
  TimeZone,
  Holidays,
  HolidayFile,
  Store,
  JournalDurability,
  JournalGroupMicros,
  JournalNumbersAhead,
  JournalStallTimeout,
  JournalScrubBytesPerSecond,
  JournalKeepBytes,
  JournalKeepDays,
  JournalRetireOnReset,
  JournalRetireCurrent,
  JournalRetired,
  PostgreSQLStoreConnection,
  PostgreSQLStoreHost,
  PostgreSQLStorePort,
  PostgreSQLStoreDatabase,
  PostgreSQLStoreUser,
  PostgreSQLStorePassword,
  PostgreSQLStoreSchema,
  PostgreSQLStoreStandby,
  PostgreSQLStoreKeepPosition,
  PostgreSQLStoreConnectTimeout,
  PostgreSQLStoreAnswerTimeout,
  PostgreSQLStoreOutageTimeout,
  PostgreSQLStoreLockTimeout,
  PostgreSQLStorePeerTimeout,
  UseDataDictionary,
  DataDictionary,
  TransportDataDictionary,
  AppDataDictionary,
  DictionaryFaults,
  ValidateIncomingMessage,
  ValidateFieldsOutOfOrder,
  ValidateFieldsHaveValues,
  ValidateUserDefinedFields,
  ValidateUnorderedGroupFields,
  AllowUnknownMsgFields,
  AllowUnknownEnumValues,
  FirstFieldInGroupIsDelimiter,
  RejectInvalidMessage,
  ValidateLengthAndChecksum,
  ValidateChecksum,
  BusinessRejectHasDefaultApplVerID,
  Username,
  Password,
  NewPassword,
  LogonTag,
  AuthenticationTimeout,
  PasswordFile,
  AllowedUsernames,
  MaxLogonFailures,
  LogonLockout,
  MaxLogonFailuresPerAddress,
  LogonFailuresInterval,
  MaxLogonsBeingChecked,
  SendNextExpectedMsgSeqNum,
  EnableNextExpectedMsgSeqNum,
  EnableLastMsgSeqNumProcessed,
  ResendRequestChunkSize,
  MaxMessagesInResendRequest,
  ClosedResendInterval,
  HoldEarlyMessages,
  ResendTimeout,
  MaxResendMessages,
  MaxResendsPerSecond,
  MaxResendRepeats,
  MaxResendAge,
  MaxHeldBytes,
  ThrottleMessages,
  ThrottleInterval,
  ThrottleAction,
  InboundDelivery,
  SendWhileLoggedOut,
  DisconnectNoticeDelay,
  AllowResetSeqNumFlag,
  AllowSequenceReset,
  MaxSequenceJump,
  HeartBtIntOverride,
  DisableHeartBeatCheck,
  SendLogoutBeforeDisconnectFromTimeout,
  MinHeartBtInt,
  MaxHeartBtInt,
  FileLogPath,
  FileLogBackupPath,
  FileLogHeartbeats,
  FileIncludeMilliseconds,
  FileIncludeTimeStampForMessages,
  ScreenLogShowIncoming,
  ScreenLogShowOutgoing,
  ScreenLogShowEvents,
  ScreenLogShowHeartBeats,
  ScreenIncludeMilliseconds,
  LogMessageWhenSessionNotFound,
  LogTimestampPrecision,
  LogMaxBytes,
  LogKeepFiles,
  LogDaily,
  EventLogFormat,
  LogFileMode,
  LogMinFreeBytes,
  LogQueueBytes,
  LogMaskedTags,
  StoreMaskedTags,
  ExpandVariables,
  ApplicationKeys,
  Count,
};
inline constexpr std::size_t kKeyCount = static_cast<std::size_t>(Key::Count);

// When a value counts that a reload finds changed, of a session that was there before.
enum class TakesEffect : std::uint8_t {
  Unset,
  AtOnce,
  NextLogon,     // at once without a connection
  NextStart,     // of what is made at the start; ConnectionType also when the session comes back
  OtherSession,  // part of the identity
};

// Whether a key says something of TLS: those follow each other above.
constexpr bool is_of_tls(Key key) noexcept {
  return key >= Key::SocketUseSSL && key <= Key::EndpointIdentificationAlgorithm;
}

struct KeyRule {
  std::string_view name;
  Handling handling = Handling::Instead;
  Key key = Key::None;
  std::string_view instead;   // what is done instead; or what is missing
  std::string_view harmless;  // values, separated by blanks, that ask for nothing else than is done
};

struct KeyMatch {
  const KeyRule* rule = nullptr;  // null: unknown
  // The <n> of SocketConnectHost<n>; of AppDataDictionary.<version>, its ApplVerID (1128).
  unsigned number = 0;
  bool unknown_version = false;  // of AppDataDictionary.<version>, where version is none
  bool odd_case = false;
};

inline constexpr unsigned kKeyNumberMax = 99;

// The usual spelling of a honoured key.
[[nodiscard]] std::string_view key_name(Key key) noexcept;

[[nodiscard]] TakesEffect takes_effect(Key key) noexcept;

// Finds a key whatever its case.
[[nodiscard]] KeyMatch find_key(std::string_view name);

// The key that was most likely meant by an unknown one; null: none is near.
[[nodiscard]] const KeyRule* nearest_key(std::string_view name);
// Whether a honoured or a refused key begins so, in any case.
[[nodiscard]] bool has_key_beginning_with(std::string_view prefix);
// An unknown key that may be meant to say where messages and numbers are kept: StoreFolder.
[[nodiscard]] bool sounds_like_store_folder(std::string_view name);

// An unknown key by whose name somebody expects encryption, certificates or a proxy.
[[nodiscard]] bool sounds_like_security(std::string_view name);

}  // namespace nexusfix::config
