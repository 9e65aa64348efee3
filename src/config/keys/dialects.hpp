// Which other engines know a honoured key by the same name.
#pragma once

#include <cstddef>
#include <string_view>

#include "config/api/explain_settings.hpp"

namespace nexusfix::config {

// The keys that just these engines know; separated by blanks.
struct DialectRow {
  Dialects engines;
  std::string_view keys;
};

inline constexpr Dialects kCpp{.quickfix = true};
inline constexpr Dialects kJava{.quickfixj = true};
inline constexpr Dialects kGo{.quickfixgo = true};
inline constexpr Dialects kNet{.quickfixn = true};

inline constexpr DialectRow kDialectRows[] = {
    {kCpp | kJava | kGo | kNet,
     "BeginString SenderCompID TargetCompID SessionQualifier DefaultApplVerID HeartBtInt "
     "LogonTimeout LogoutTimeout ReconnectInterval SocketAcceptPort SocketConnectHost "
     "SocketConnectPort StartTime EndTime StartDay EndDay ResetOnLogon ResetOnLogout "
     "ResetOnDisconnect RefreshOnLogon PersistMessages FileStorePath FileLogPath CheckLatency "
     "MaxLatency TimestampPrecision DataDictionary TransportDataDictionary AppDataDictionary "
     "AllowUnknownMsgFields ValidateFieldsOutOfOrder ValidateUserDefinedFields"},
    {kCpp | kJava | kNet,
     "ConnectionType NonStopSession ScreenLogShowEvents ScreenLogShowIncoming "
     "ScreenLogShowOutgoing SendRedundantResendRequests SocketReceiveBufferSize "
     "SocketSendBufferSize UseDataDictionary ValidateFieldsHaveValues"},
    {kCpp | kJava, "AllowedRemoteAddresses CheckCompID SocketReuseAddress"},
    {kCpp | kNet, "MillisecondsInTimeStamp SocketNodelay UseLocalTime ValidateLengthAndChecksum"},
    {kJava | kGo | kNet,
     "EnableLastMsgSeqNumProcessed SenderSubID SenderLocationID TargetSubID TargetLocationID "
     "TimeZone Weekdays"},
    {kJava | kGo,
     "EnableNextExpectedMsgSeqNum FileStoreSync ProxyHost ProxyPassword ProxyPort ProxyType "
     "ProxyUser RejectInvalidMessage ResendRequestChunkSize SocketUseSSL"},
    {kJava | kNet, "AllowUnknownEnumValues RequiresOrigSendingTime"},
    {kGo | kNet, "SocketAcceptHost"},
    {kCpp,
     "CertificateRevocationListDirectory CertificateRevocationListFile CertificateVerifyLevel "
     "CertificationAuthoritiesDirectory CertificationAuthoritiesFile ClientCertificateFile "
     "ClientCertificateKeyFile FileLogBackupPath HostSelectionPolicy HttpAcceptPort "
     "HostSelectionPolicyPriorityStartOverInterval LogonDay LogonTime LogoutDay LogoutTime "
     "PostgreSQLStoreDatabase PostgreSQLStoreHost PostgreSQLStorePassword PostgreSQLStorePort "
     "PostgreSQLStoreUser SSLCipherSuite SSLProtocol SendNextExpectedMsgSeqNum "
     "ServerCertificateFile ServerCertificateKeyFile SocketConnectSourceHost "
     "SocketConnectSourcePort TLSCipherSuites"},
    {kJava,
     "AcceptorTemplate CipherSuites ClosedResendInterval "
     "DisableHeartBeatCheck EnabledProtocols EndpointIdentificationAlgorithm "
     "FileIncludeMilliseconds FileIncludeTimeStampForMessages FileLogHeartbeats "
     "FirstFieldInGroupIsDelimiter HeartBeatTimeoutMultiplier LogMessageWhenSessionNotFound "
     "LogonTag NeedClientAuth ProxyVersion SNIHostName ScreenIncludeMilliseconds "
     "ScreenLogShowHeartBeats SocketAcceptAddress SocketConnectTimeout SocketKeepAlive "
     "SocketKeyStore SocketKeyStorePassword SocketLocalHost SocketLocalPort SocketTcpNoDelay "
     "SocketTrafficClass SocketTrustStore SocketTrustStorePassword TestRequestDelayMultiplier "
     "UseSNI ValidateChecksum ValidateIncomingMessage ValidateUnorderedGroupFields"},
    {kGo,
     "DynamicSessions HeartBtIntOverride ResetSeqTime SocketCAFile SocketCertificateFile "
     "SocketMinimumTLSVersion SocketPrivateKeyFile SocketServerName UseTCPProxy"},
    {kNet,
     "MaxMessagesInResendRequest SSLCACertificate SSLCertificate SSLCertificatePassword "
     "SSLCheckCertificateRevocation SSLEnable SSLProtocols SSLRequireClientCertificate "
     "SSLServerName SendLogoutBeforeDisconnectFromTimeout"},
};

// The key that a row of the table is another name of; empty: none.
constexpr std::string_view same_as(std::string_view meaning) {
  constexpr std::string_view kAnotherName = "another name of ";
  return meaning.starts_with(kAnotherName) ? meaning.substr(kAnotherName.size())
                                           : std::string_view{};
}

// The dialects of a key in its usual spelling.
constexpr Dialects dialects_of(std::string_view key) {
  for (const DialectRow& row : kDialectRows) {
    for (std::size_t begin = 0; begin < row.keys.size();) {
      const std::size_t end = row.keys.find(' ', begin);
      const std::size_t stop = end == std::string_view::npos ? row.keys.size() : end;
      if (row.keys.substr(begin, stop - begin) == key) return row.engines;
      begin = stop + 1;
    }
  }
  return {};
}

}  // namespace nexusfix::config
