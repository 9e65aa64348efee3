// Every honoured key by name: a right value counts and is shown, a wrong one is told.
#include <algorithm>
#include <string>
#include <string_view>

#include <nexusfix/engine/explain_settings.hpp>

#include "engine/config_keys.hpp"
#include "engine/settings_section.hpp"
#include "settings_fixture.hpp"
#include "support/fake_disk.hpp"

namespace nexusfix::engine {
namespace {

using session::Role;

// Longer than a name, and than a path, may be.
const std::string kLong(256, 'x');
const std::string kLongPath(3'001, 'x');

struct HonouredKey {
  std::string_view name;
  std::string_view right;
  std::string wrong;
  std::string_view expected;  // what the answer to the wrong one says
  std::string_view beside{};  // lines that it needs
  Role role = Role::Initiator;
};

const HonouredKey kRows[] = {
    {"BeginString", "FIX.4.2", "FIX.9", "FIX.4.0, FIX.4.1"},
    {"DefaultApplVerID", "FIX.5.0SP2", "FIX.7", "another application version",
     "BeginString=FIXT.1.1\n"},
    {"SenderCompID", "one", "", "a name of 1 to 255 bytes"},
    {"TargetCompID", "one", "", "a name of 1 to 255 bytes"},
    {"SessionQualifier", "one", kLong, "at most 255 bytes"},
    {"SenderSubID", "one", "", "a name of 1 to 255 bytes"},
    {"SenderLocationID", "one", "", "a name of 1 to 255 bytes"},
    {"TargetSubID", "one", "", "a name of 1 to 255 bytes"},
    {"TargetLocationID", "one", "", "a name of 1 to 255 bytes"},
    {"ConnectionType", "initiator", "both", "initiator or acceptor"},
    {"HeartBtInt", "3600", "3601", "from 0 to 3600"},
    {"ReconnectInterval", "5;30;60", "5;", "a whole number of seconds from 1 to 86400"},
    {"LogonTimeout", "3600", "3601", "from 1 to 3600"},
    {"LogoutTimeout", "3600", "3601", "from 1 to 3600"},
    {"SocketConnectHost", "venue.example.com", "a b", "a host name or an address"},
    {"SocketConnectPort", "65535", "65536", "from 1 to 65535"},
    {"SocketAcceptPort", "65535", "65536", "from 0 to 65535", "", Role::Acceptor},
    {"SocketAcceptAddress", "10.0.0.1", "999.1.1.1", "a host name or an address", "",
     Role::Acceptor},
    {"SocketAcceptHost", "10.0.0.1", "999.1.1.1", "a host name or an address", "", Role::Acceptor},
    {"SocketConnectTimeout", "3600", "3601", "from 0 to 3600"},
    {"HostSelectionPolicy", "PRIORITY", "RANDOM", "ROUNDROBIN or PRIORITY"},
    {"HostSelectionPolicyPriorityStartOverInterval", "86400", "86401", "from 0 to 86400",
     "HostSelectionPolicy=PRIORITY\n"},
    {"ReconnectJitter", "90", "91", "from 0 to 90"},
    {"SocketConnectSourceHost", "10.0.0.1", "here", "an address of this machine"},
    {"SocketConnectSourcePort", "65535", "65536", "from 0 to 65535",
     "SocketConnectSourceHost=10.0.0.1\n"},
    {"SocketLocalHost", "10.0.0.1", "here", "an address of this machine"},
    {"SocketLocalPort", "65535", "65536", "from 0 to 65535", "SocketLocalHost=10.0.0.1\n"},
    {"AllowedRemoteAddresses", "10.0.0.0/8", "ten", "addresses and networks", "", Role::Acceptor},
    {"UseTCPProxy", "Y", "perhaps", "Y or N", "TrustedProxies=10.0.0.9\n", Role::Acceptor},
    {"TrustedProxies", "10.0.0.9", "proxy", "addresses and networks", "UseTCPProxy=Y\n",
     Role::Acceptor},
    {"ProxyType", "socks", "ftp", "http or socks", "ProxyHost=10.0.0.9\nProxyPort=3128\n"},
    {"ProxyVersion", "1.1", "9", "1.0 or 1.1 of http",
     "ProxyType=http\nProxyHost=10.0.0.9\nProxyPort=3128\n"},
    {"ProxyHost", "10.0.0.9", "a b", "a host name or an address",
     "ProxyType=http\nProxyPort=3128\n"},
    {"ProxyPort", "65535", "65536", "from 1 to 65535", "ProxyType=http\nProxyHost=10.0.0.9\n"},
    {"ProxyUser", "me", kLong, "at most 255 bytes",
     "ProxyType=http\nProxyHost=10.0.0.9\nProxyPort=3128\nProxyPassword=x\n"},
    {"ProxyPassword", "pass", kLong, "at most 255 bytes",
     "ProxyType=http\nProxyHost=10.0.0.9\nProxyPort=3128\nProxyUser=x\n"},
    {"MaxPendingLogons", "1000000", "1000001", "from 0 to 1000000"},
    {"MaxPendingLogonsPerAddress", "1000000", "1000001", "from 0 to 1000000"},
    {"MaxQueuedBytes", "4000000000", "4000000001", "from 65536 to 4000000000"},
    {"MaxBufferedBytes", "1000000000000", "1000000000001", "from 1048576 to 1000000000000"},
    {"SlowConsumerTimeout", "3600", "3601", "from 1 to 3600"},
    {"MaxMessageSize", "67108864", "67108865", "from 1024 to 67108864"},
    {"MaxLogonSize", "1048576", "1048577", "from 256 to 1048576"},
    {"AcceptorTemplate", "Y", "perhaps", "Y or N", "", Role::Acceptor},
    {"DynamicSessions", "Y", "perhaps", "Y or N", "", Role::Acceptor},
    {"DynamicSessionsMax", "50000", "50001", "from 0 to 50000"},
    {"DynamicSessionsMaxPerAddress", "50000", "50001", "from 0 to 50000"},
    {"EventLoops", "64", "65", "from 1 to 64"},
    {"EventLoop", "63", "64", "from 0 to 63", "EventLoops=64\n"},
    {"EventLoopCpu", "2", "two", "the number of a CPU"},
    {"BusySpin", "Y", "perhaps", "Y or N"},
    {"LockMemory", "Y", "perhaps", "Y or N"},
    {"CoreDumps", "Y", "perhaps", "Y or N"},
    {"LogonMaxLateness", "60000", "60001", "from 0 to 60000"},
    {"SocketNodelay", "N", "perhaps", "Y or N"},
    {"SocketTcpNoDelay", "N", "perhaps", "Y or N"},
    {"SocketKeepAlive", "N", "perhaps", "Y or N"},
    {"SocketReuseAddress", "N", "perhaps", "Y or N"},
    {"SocketSendBufferSize", "1000000000", "1000000001", "from 0 to 1000000000"},
    {"SocketReceiveBufferSize", "1000000000", "1000000001", "from 0 to 1000000000"},
    {"SocketTrafficClass", "255", "256", "from 0 to 255"},
    {"SocketUseSSL", "Y", "perhaps", "Y or N"},
    {"SSLEnable", "Y", "perhaps", "Y or N"},
    {"RequireTLS", "Y", "perhaps", "Y or N", "SocketUseSSL=Y\n"},
    {"ServerCertificateFile", "c.pem", kLongPath, "a shorter text", "", Role::Acceptor},
    {"ServerCertificateKeyFile", "k.pem", kLongPath, "a shorter text",
     "ServerCertificateFile=c.pem\n", Role::Acceptor},
    {"ClientCertificateFile", "c.pem", kLongPath, "a shorter text"},
    {"ClientCertificateKeyFile", "k.pem", kLongPath, "a shorter text",
     "ClientCertificateFile=c.pem\n"},
    {"SocketCertificateFile", "c.pem", kLongPath, "a shorter text"},
    {"SocketPrivateKeyFile", "k.pem", kLongPath, "a shorter text", "SocketCertificateFile=c.pem\n"},
    {"SocketKeyStore", "c.pem", kLongPath, "a shorter text"},
    {"SocketKeyStorePassword", "pass", kLongPath, "a shorter text", "SocketKeyStore=c.p12\n"},
    {"SSLCertificate", "c.pem", kLongPath, "a shorter text"},
    {"SSLCertificatePassword", "pass", kLongPath, "a shorter text", "SSLCertificate=c.p12\n"},
    {"CertificationAuthoritiesFile", "a.pem", kLongPath, "a shorter text"},
    {"CertificationAuthoritiesDirectory", "a.pem", kLongPath, "a shorter text"},
    {"SocketCAFile", "a.pem", kLongPath, "a shorter text"},
    {"SocketTrustStore", "a.pem", kLongPath, "a shorter text"},
    {"SocketTrustStorePassword", "pass", kLongPath, "a shorter text", "SocketTrustStore=a.p12\n"},
    {"SSLCACertificate", "a.pem", kLongPath, "a shorter text"},
    {"CertificateRevocationListFile", "r.pem", kLongPath, "a shorter text",
     "CertificationAuthoritiesFile=a.pem\n"},
    {"CertificateRevocationListDirectory", "r.pem", kLongPath, "a shorter text",
     "CertificationAuthoritiesFile=a.pem\n"},
    {"SSLCheckCertificateRevocation", "Y", "perhaps", "Y or N",
     "CertificationAuthoritiesFile=a.pem\nCertificateRevocationListFile=r.pem\n"},
    {"CertificateVerifyLevel", "2", "3", "from 0 to 2",
     "ServerCertificateFile=c.pem\nCertificationAuthoritiesFile=a.pem\n", Role::Acceptor},
    {"NeedClientAuth", "Y", "perhaps", "Y or N",
     "ServerCertificateFile=c.pem\nCertificationAuthoritiesFile=a.pem\n", Role::Acceptor},
    {"SSLRequireClientCertificate", "Y", "perhaps", "Y or N",
     "ServerCertificateFile=c.pem\nCertificationAuthoritiesFile=a.pem\n", Role::Acceptor},
    {"SSLProtocol", "TLSv1.3", "SSLv9", "TLSv1.2, TLSv1.3 or both", "SocketUseSSL=Y\n"},
    {"EnabledProtocols", "TLSv1.3", "SSLv9", "TLSv1.2, TLSv1.3 or both", "SocketUseSSL=Y\n"},
    {"SSLProtocols", "TLSv1.3", "SSLv9", "TLSv1.2, TLSv1.3 or both", "SocketUseSSL=Y\n"},
    {"SocketMinimumTLSVersion", "TLS13", "SSLv9", "TLSv1.2, TLSv1.3 or both", "SocketUseSSL=Y\n"},
    {"SSLCipherSuite", "ECDHE-RSA-AES256-GCM-SHA384", kLongPath, "a shorter text",
     "SocketUseSSL=Y\n"},
    {"CipherSuites", "TLS_AES_256_GCM_SHA384", kLongPath, "a shorter text", "SocketUseSSL=Y\n"},
    {"TLSCipherSuites", "TLS_AES_256_GCM_SHA384", kLongPath, "a shorter text", "SocketUseSSL=Y\n"},
    {"UseSNI", "Y", "perhaps", "Y or N", "SocketUseSSL=Y\n"},
    {"SNIHostName", "venue.example.com", kLong, "at most 255 bytes", "SocketUseSSL=Y\n"},
    {"SocketServerName", "venue.example.com", kLong, "at most 255 bytes", "SocketUseSSL=Y\n"},
    {"SSLServerName", "venue.example.com", kLong, "at most 255 bytes", "SocketUseSSL=Y\n"},
    {"EndpointIdentificationAlgorithm", "HTTPS", "DNS", "HTTPS or LDAPS", "SocketUseSSL=Y\n"},
    {"AllowedCertificates", "san:broker.example.com", "broker",
     "certificates, such as san:", "SocketUseSSL=Y\n"},
    {"FileStorePath", "folder", "", "the path of a folder"},
    {"FileStoreSync", "Y", "perhaps", "Y or N"},
    {"PersistMessages", "N", "perhaps", "Y or N"},
    {"ResetOnLogon", "Y", "perhaps", "Y or N"},
    {"ResetOnLogout", "Y", "perhaps", "Y or N"},
    {"ResetOnDisconnect", "Y", "perhaps", "Y or N"},
    {"CheckCompID", "N", "perhaps", "Y or N"},
    {"CheckLatency", "N", "perhaps", "Y or N"},
    {"MaxLatency", "86400", "86401", "from 1 to 86400"},
    {"SendRedundantResendRequests", "Y", "perhaps", "Y or N"},
    {"RequiresOrigSendingTime", "N", "perhaps", "Y or N"},
    {"MillisecondsInTimeStamp", "N", "perhaps", "Y or N"},
    {"TimestampPrecision", "MICROS", "PICOS", "a number from 0 to 9"},
    {"TestRequestDelayMultiplier", "0.5", "0", "a decimal number above 0"},
    {"HeartBeatTimeoutMultiplier", "2.5", "101", "a decimal number above 0"},
    {"MaxGarbledPerSecond", "1000000", "1000001", "from 1 to 1000000"},
    {"MaxAdminMessagesPerSecond", "1000000", "1000001", "from 1 to 1000000"},
    {"MaxRejectsPerSecond", "1000000", "1000001", "from 1 to 1000000"},
    {"NonStopSession", "Y", "perhaps", "Y or N"},
    {"StartTime", "08:00:00", "8:00", "a time HH:MM:SS", "EndTime=17:00:00\n"},
    {"EndTime", "17:00:00 Europe/London", "25:00:00", "a time HH:MM:SS", "StartTime=08:00:00\n"},
    {"StartDay", "Monday", "Funday", "a day of the week",
     "StartTime=08:00:00\nEndTime=17:00:00\nEndDay=Fri\n"},
    {"EndDay", "fr", "Funday", "a day of the week",
     "StartTime=08:00:00\nEndTime=17:00:00\nStartDay=Mon\n"},
    {"Weekdays", "Mon,Tue", "Mon,Xyz", "days of the week",
     "StartTime=08:00:00\nEndTime=17:00:00\n"},
    {"LogonTime", "12:00:00", "noon", "a time HH:MM:SS", "StartTime=08:00:00\nEndTime=17:00:00\n"},
    {"LogoutTime", "12:00:00", "noon", "a time HH:MM:SS", "StartTime=08:00:00\nEndTime=17:00:00\n"},
    {"LogonDay", "Tue", "Funday", "a day of the week",
     "StartTime=08:00:00\nEndTime=17:00:00\nStartDay=Mon\nEndDay=Fri\n"},
    {"LogoutDay", "Tue", "Funday", "a day of the week",
     "StartTime=08:00:00\nEndTime=17:00:00\nStartDay=Mon\nEndDay=Fri\n"},
    {"ResetSeqTime", "12:00:00", "noon", "a time HH:MM:SS",
     "StartTime=08:00:00\nEndTime=17:00:00\n"},
    {"UseLocalTime", "Y", "perhaps", "Y or N", "StartTime=08:00:00\nEndTime=17:00:00\n"},
    {"TimeZone", "Europe/London", "Europe/Londn", "a time zone of the tz database",
     "StartTime=08:00:00\nEndTime=17:00:00\n"},
    {"Holidays", "2026-12-25", "2026-02-30", "dates, such as",
     "StartTime=08:00:00\nEndTime=17:00:00\n"},
    {"HolidayFile", "days.txt", "", "the path of a file of dates",
     "StartTime=08:00:00\nEndTime=17:00:00\n"},
    {"Store", "memory", "disk", "journal, memory or postgresql"},
    {"JournalDurability", "group", "most", "none, process, group or sync"},
    {"JournalGroupMicros", "1000000", "1000001", "from 0 to 1000000"},
    {"JournalNumbersAhead", "1000000000", "1000000001", "from 1 to 1000000000"},
    {"JournalStallTimeout", "3600", "3601", "from 1 to 3600"},
    {"JournalScrubBytesPerSecond", "100000000000", "100000000001", "from 0 to 100000000000"},
    {"JournalKeepBytes", "1000000000000000", "1000000000000001", "from 0 to 1000000000000000"},
    {"JournalKeepDays", "36500", "36501", "from 0 to 36500"},
    {"JournalRetireOnReset", "Y", "perhaps", "Y or N"},
    {"JournalRetireCurrent", "Y", "perhaps", "Y or N", "JournalKeepDays=1\n"},
    {"JournalRetired", "keep", "burn", "delete or keep"},
    {"PostgreSQLStoreConnection", "one", kLongPath, "a shorter text", "Store=postgresql\n"},
    {"PostgreSQLStoreHost", "one", kLongPath, "a shorter text", "Store=postgresql\n"},
    {"PostgreSQLStorePort", "65535", "65536", "from 0 to 65535", "Store=postgresql\n"},
    {"PostgreSQLStoreDatabase", "one", kLongPath, "a shorter text", "Store=postgresql\n"},
    {"PostgreSQLStoreUser", "one", kLongPath, "a shorter text", "Store=postgresql\n"},
    {"PostgreSQLStorePassword", "one", kLongPath, "a shorter text", "Store=postgresql\n"},
    {"PostgreSQLStoreSchema", "one", kLongPath, "a shorter text", "Store=postgresql\n"},
    {"PostgreSQLStoreKeepPosition", "N", "perhaps", "Y or N", "Store=postgresql\n"},
    {"PostgreSQLStoreStandby", "strict", "perhaps", "available or strict", "Store=postgresql\n"},
    {"UseDataDictionary", "N", "perhaps", "Y or N"},
    {"DataDictionary", "d.xml", "", "the path of a dictionary file"},
    {"TransportDataDictionary", "d.xml", "", "the path of a dictionary file",
     "BeginString=FIXT.1.1\nDefaultApplVerID=9\n"},
    {"AppDataDictionary", "d.xml", "", "the path of a dictionary file",
     "BeginString=FIXT.1.1\nDefaultApplVerID=9\n"},
    {"DictionaryFaults", "Warn", "Ignore", "Refuse or Warn"},
    {"ValidateIncomingMessage", "N", "perhaps", "Y or N"},
    {"ValidateFieldsOutOfOrder", "N", "perhaps", "Y or N"},
    {"ValidateFieldsHaveValues", "N", "perhaps", "Y or N"},
    {"ValidateUserDefinedFields", "N", "perhaps", "Y or N"},
    {"ValidateUnorderedGroupFields", "Y", "perhaps", "Y or N"},
    {"AllowUnknownMsgFields", "Y", "perhaps", "Y or N"},
    {"AllowUnknownEnumValues", "Y", "perhaps", "Y or N"},
    {"FirstFieldInGroupIsDelimiter", "Y", "perhaps", "Y or N"},
    {"RejectInvalidMessage", "N", "perhaps", "Y or N"},
    {"BusinessRejectHasDefaultApplVerID", "Y", "perhaps", "Y or N",
     "BeginString=FIXT.1.1\nDefaultApplVerID=9\n"},
    {"Username", "one", "", "a name of 1 to 255 bytes"},
    {"Password", "one", "", "a name of 1 to 255 bytes"},
    {"NewPassword", "one", "", "a name of 1 to 255 bytes"},
    {"LogonTag", "553=me", "35=A", "a field to add to the Logon"},
    {"AuthenticationTimeout", "3600", "3601", "from 1 to 3600"},
    {"PasswordFile", "p.txt", kLongPath, "a shorter text"},
    {"AllowedUsernames", "alice,*", "alice,,", "users between commas", "PasswordFile=p.txt\n",
     Role::Acceptor},
    {"MaxLogonFailures", "1000", "1001", "from 0 to 1000"},
    {"LogonLockout", "3600", "3601", "from 1 to 3600"},
    {"MaxLogonFailuresPerAddress", "1000000", "1000001", "from 0 to 1000000"},
    {"LogonFailuresInterval", "86400", "86401", "from 1 to 86400"},
    {"MaxLogonsBeingChecked", "10000", "10001", "from 1 to 10000"},
    {"SendNextExpectedMsgSeqNum", "Y", "perhaps", "Y or N"},
    {"EnableNextExpectedMsgSeqNum", "Y", "perhaps", "Y or N"},
    {"EnableLastMsgSeqNumProcessed", "Y", "perhaps", "Y or N"},
    {"ResendRequestChunkSize", "1000000000", "1000000001", "from 0 to 1000000000"},
    {"MaxMessagesInResendRequest", "1000000000", "1000000001", "from 0 to 1000000000"},
    {"ClosedResendInterval", "Y", "perhaps", "Y or N"},
    {"HoldEarlyMessages", "N", "perhaps", "Y or N"},
    {"ResendTimeout", "3600", "3601", "from 1 to 3600"},
    {"MaxResendMessages", "1000000000", "1000000001", "from 0 to 1000000000"},
    {"MaxResendsPerSecond", "1000000000", "1000000001", "from 0 to 1000000000"},
    {"MaxResendRepeats", "1000000000", "1000000001", "from 0 to 1000000000"},
    {"MaxResendAge", "31536000", "31536001", "from 0 to 31536000"},
    {"MaxHeldBytes", "1000000000", "1000000001", "from 0 to 1000000000"},
    {"ThrottleMessages", "1000000", "1000001", "from 0 to 1000000"},
    {"ThrottleInterval", "3600", "3601", "from 1 to 3600"},
    {"ThrottleAction", "LogOut", "Kick", "Delay, Reject or LogOut"},
    {"InboundDelivery", "AtMostOnce", "Twice", "AtLeastOnce or AtMostOnce"},
    {"SendWhileLoggedOut", "N", "perhaps", "Y or N"},
    {"DisconnectNoticeDelay", "86400", "86401", "from 0 to 86400"},
    {"AllowResetSeqNumFlag", "N", "perhaps", "Y or N"},
    {"AllowSequenceReset", "N", "perhaps", "Y or N"},
    {"MaxSequenceJump", "1000000000", "1000000001", "from 1 to 1000000000"},
    {"HeartBtIntOverride", "Y", "perhaps", "Y or N", "HeartBtInt=30\n", Role::Acceptor},
    {"DisableHeartBeatCheck", "Y", "perhaps", "Y or N"},
    {"SendLogoutBeforeDisconnectFromTimeout", "Y", "perhaps", "Y or N"},
    {"MinHeartBtInt", "3600", "3601", "from 0 to 3600"},
    {"MaxHeartBtInt", "3600", "3601", "from 0 to 3600"},
    {"FileLogPath", "folder", "", "the path of a folder"},
    {"FileLogBackupPath", "folder", "", "the path of a folder", "FileLogPath=log\n"},
    {"FileLogHeartbeats", "N", "perhaps", "Y or N", "FileLogPath=log\n"},
    {"FileIncludeMilliseconds", "Y", "perhaps", "Y or N", "FileLogPath=log\n"},
    {"FileIncludeTimeStampForMessages", "N", "perhaps", "Y or N", "FileLogPath=log\n"},
    {"ScreenLogShowIncoming", "Y", "perhaps", "Y or N"},
    {"ScreenLogShowOutgoing", "Y", "perhaps", "Y or N"},
    {"ScreenLogShowEvents", "Y", "perhaps", "Y or N"},
    {"ScreenLogShowHeartBeats", "N", "perhaps", "Y or N"},
    {"ScreenIncludeMilliseconds", "N", "perhaps", "Y or N"},
    {"LogMessageWhenSessionNotFound", "N", "perhaps", "Y or N"},
    {"LogTimestampPrecision", "6", "10", "a number from 0 to 9", "FileLogPath=log\n"},
    {"LogMaxBytes", "1000000000000000", "1000000000000001", "from 0 to 1000000000000000",
     "FileLogPath=log\n"},
    {"LogKeepFiles", "1000000", "1000001", "from 0 to 1000000", "FileLogPath=log\n"},
    {"LogDaily", "Y", "perhaps", "Y or N", "FileLogPath=log\n"},
    {"LogMinFreeBytes", "1000000000000000", "1000000000000001", "from 0 to 1000000000000000",
     "FileLogPath=log\n"},
    {"LogQueueBytes", "1073741824", "1073741825", "from 65536 to 1073741824"},
    {"LogMaskedTags", "448,1", "35", "tags, such as"},
    {"StoreMaskedTags", "Y", "perhaps", "Y or N", "LogMaskedTags=448\n"},
    {"ExpandVariables", "Y", "perhaps", "Y or N"},
};

struct Written {
  std::string text;
  std::size_t line = 0;  // of the key
};

Written config_with(const HonouredKey& row, std::string_view value) {
  const std::string key = std::string{row.name} + "=" + std::string{value} + "\n";
  const std::string_view base = row.role == Role::Acceptor ? kAcceptor : kInitiator;
  constexpr std::string_view kDefault = "[DEFAULT]\n";
  if (row.name == key_name(Key::ExpandVariables)) {  // of the whole file
    return {std::string{kDefault} + key + std::string{base.substr(kDefault.size())}, 2};
  }
  const std::string text = joined(base, row.beside) + key;
  return {text, static_cast<std::size_t>(std::ranges::count(text, '\n'))};
}

TEST(HonouredKeys, each_has_one_row_here) {
  for (std::size_t i = 1; i < kKeyCount; ++i) {
    const std::string_view name = key_name(static_cast<Key>(i));
    EXPECT_EQ(std::ranges::count(kRows, name, &HonouredKey::name), 1) << name;
  }
}

TEST(HonouredKeys, a_right_value_counts_and_is_shown_with_its_line) {
  for (const HonouredKey& row : kRows) {
    const auto [text, line] = config_with(row, row.right);
    nexusfix::testing::FakeDisk disk;
    disk.set_contents("t.cfg", text);
    disk.set_contents("days.txt", "2026-12-25\n");
    const auto explained = explain_settings(disk, "t.cfg");
    ASSERT_TRUE(explained) << explained.error().front().what();
    const auto is_it = [&, line = line](const EffectiveValue& one) {
      return one.key->name == row.name && one.line == line;
    };
    const auto& values = explained->sessions.front().values;
    const auto shown_value = std::ranges::find_if(values, is_it);
    ASSERT_NE(shown_value, values.end()) << row.name;
    const bool is_hidden = is_secret(find_key(row.name).rule->key);
    const std::string_view expected = row.name == "LogonTag" ? "553=..." : "...";
    EXPECT_EQ(shown_value->value, is_hidden ? expected : row.right) << row.name;
    for (const std::string& warning : texts(explained->settings.warnings)) {
      EXPECT_EQ(warning.find(std::string{row.name} + ": not used"), std::string::npos) << warning;
    }
  }
}

TEST(HonouredKeys, a_wrong_value_is_told_with_its_line_and_what_was_expected) {
  for (const HonouredKey& row : kRows) {
    const auto [text, line] = config_with(row, row.wrong);
    const std::string where = "t.cfg:" + std::to_string(line) + ": " + std::string{row.name} + "=";
    const auto is_told = [&](const std::string& error) {
      return error.starts_with(where) && error.find(row.expected) != std::string::npos &&
             error.find(" was expected") != std::string::npos;
    };
    const std::vector<std::string> told = errors(text);
    EXPECT_TRUE(std::ranges::any_of(told, is_told))
        << where << row.wrong.substr(0, 20) << ": "
        << (told.empty() ? std::string{"no error"} : told.front());
  }
}

}  // namespace
}  // namespace nexusfix::engine
