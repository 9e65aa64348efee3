#include <algorithm>
#include <chrono>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <string_view>

#include "config/api/explain_settings.hpp"
#include "config/keys/find_key.hpp"
#include "settings_fixture.hpp"

namespace nexusfix::config {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST(ConfigKeys, an_unknown_key_is_a_warning_that_names_the_key_that_was_meant) {
  EXPECT_THAT(
      warnings_of("HartBtInt=10"),
      ElementsAre("t.cfg:11: HartBtInt: unknown key, ignored; did you mean HeartBtInt? List "
                  "a key of the program's own in ApplicationKeys"));
  EXPECT_THAT(warnings_of("ResetOnLogn=Y"), ElementsAre(HasSubstr("did you mean ResetOnLogon?")));
  EXPECT_THAT(warnings_of("SenderCompDI=Y"), ElementsAre(HasSubstr("did you mean SenderCompID?")));
  EXPECT_THAT(warnings_of("SocketConectHost1=Y"),
              ElementsAre(HasSubstr("did you mean SocketConnectHost?")));
  EXPECT_THAT(warnings_of("Stroe=memory"), ElementsAre(HasSubstr("did you mean Store?")));
  EXPECT_THAT(
      warnings_of("Wibble=10"),
      ElementsAre("t.cfg:11: Wibble: unknown key, ignored; a key of the program's own is to "
                  "be listed in ApplicationKeys"));
  // Named for what their writers want, and near to another key.
  EXPECT_THAT(warnings_of("ResetSeqNumFlag=Y"),
              ElementsAre(HasSubstr("did you mean ResetOnLogon?")));
  EXPECT_THAT(warnings_of("HeartbeatInterval=30"),
              ElementsAre(HasSubstr("did you mean HeartBtInt?")));
  EXPECT_THAT(warnings_of("HeartBtInt1=10"), ElementsAre(HasSubstr("unknown key")));
}

TEST(ConfigKeys, keys_that_are_not_honoured_say_what_is_done_instead_unless_it_is_what_they_ask) {
  EXPECT_THAT(warnings_of("SocketOobInline=Y"),
              ElementsAre(HasSubstr("the operating system's own value is used")));
  EXPECT_THAT(warnings_of("MySQLLogHost=db"), ElementsAre(HasSubstr("no log is written there")));
  EXPECT_THAT(warnings_of("RedactFieldsInLogs=448"), ElementsAre(HasSubstr("LogMaskedTags")));
  for (const std::string_view line :
       {"SocketNodelay=Y", "UseDataDictionary=N", "ValidateLengthAndChecksum=Y",
        "SocketReuseAddress=Y", "SocketSendBufferSize=0", "SocketAcceptProtocol=tcp",
        "SocketIgnoreProxy=Y"}) {
    EXPECT_THAT(warnings_of(line), IsEmpty()) << line;
  }
}

TEST(ConfigKeys, an_exception_is_always_answered_by_a_reject_so_that_only_no_is_reported) {
  EXPECT_THAT(warnings_of("RejectMessageOnUnhandledException=Y"), IsEmpty());
  EXPECT_THAT(warnings_of("RejectMessageOnUnhandledException=N"),
              ElementsAre(HasSubstr("an exception is always answered by a BusinessMessageReject")));
}

TEST(ConfigKeys, keys_of_fixt_sessions_are_reported_as_unused_where_a_session_of_fix_4_has_them) {
  // What QuickFIX does: FIXT.1.1 sessions have these keys, FIX.4 sessions have DataDictionary.
  EXPECT_THAT(warnings_of("TransportDataDictionary=FIXT11.xml"),
              ElementsAre("t.cfg:11: TransportDataDictionary: not used; only FIXT.1.1 sessions "
                          "have one"));
  EXPECT_THAT(warnings_of("AppDataDictionary.FIX.5.0=FIX50.xml\nAppDataDictionary.FIX.4.4=b.xml\n"
                          "DefaultApplVerID=9\nAppDataDictionary=c.xml"),
              ElementsAre(HasSubstr("AppDataDictionary: not used; only FIXT.1.1 sessions have one "
                                    "(and the same of 2 other lines"),
                          HasSubstr("DefaultApplVerID: not used")));
  EXPECT_THAT(warnings_of("BeginString=FIXT.1.1\nDefaultApplVerID=9\nDataDictionary=FIX44.xml"),
              Contains("t.cfg:13: DataDictionary: not used; a FIXT.1.1 session has "
                       "TransportDataDictionary and AppDataDictionary"));
}

TEST(ConfigKeys, a_dictionary_of_a_version_that_does_not_exist_is_an_error) {
  EXPECT_THAT(errors_of("AppDataDictionary.FIX.6.0=FIX60.xml"),
              ElementsAre("t.cfg:11: AppDataDictionary.FIX.6.0: an application version, such as "
                          "AppDataDictionary.FIX.5.0SP2, was expected"));
  EXPECT_THAT(errors_of("AppDataDictionary.=FIX60.xml"), SizeIs(1));
}

TEST(ConfigKeys, what_asks_for_security_is_refused_and_never_answered_by_plain_text) {
  for (const std::string_view line :
       {"ServerCertificateFile=a.pem", "CertificateVerifyLevel=2", "ProxyType=http",
        "ProxyHost=proxy", "ProxyPassword=secret", "ProxyDomain=CORP", "NeedClientAuth=Y",
        "SocketKeyStorePassword=secret", "RequireTLS=Y", "SSLProtocol=TLSv1.2", "requiretls=y",
        "SocketInsecureSkipVerify=Y", "SSLValidateCertificates=N", "SocketCABytes=secret",
        "KeyStoreType=JKS"}) {
    const auto reported = errors_of(line);
    EXPECT_THAT(reported, ElementsAre(HasSubstr("t.cfg:11: "))) << line;
    EXPECT_THAT(reported, ElementsAre(HasSubstr("does not start"))) << line;
    EXPECT_THAT(reported, ElementsAre(Not(HasSubstr("secret")))) << line;
  }
  for (const std::string_view line : {"SocketUseSSL=N", "SSLEnable=N", "CertificateVerifyLevel=0",
                                      "AllowedRemoteAddresses=", "UseTCPProxy=N", "RequireTLS=N"}) {
    EXPECT_THAT(warnings_of(line), IsEmpty()) << line;
  }
}

TEST(ConfigKeys, an_unknown_key_is_named_also_when_the_file_is_refused_for_what_it_lacks) {
  const std::vector<std::string> reported = errors(
      "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=5001\nNonStopSession=Y\nFileStorPath="
      "x\n"
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n");
  EXPECT_THAT(reported, ElementsAre(HasSubstr("FileStorePath"),
                                    "t.cfg:5: FileStorPath: unknown key, ignored; did you mean "
                                    "FileStorePath? List a key of the program's own in "
                                    "ApplicationKeys"));
}

TEST(ConfigKeys, an_unknown_key_that_sounds_like_security_is_refused_too) {
  EXPECT_THAT(errors_of("ServerCertficateFile=a.pem"),
              ElementsAre(HasSubstr("did you mean ServerCertificateFile?")));
  EXPECT_THAT(errors_of("AllowedRemoteAdresses=10.0.0.1"),
              ElementsAre(HasSubstr("did you mean AllowedRemoteAddresses?")));
  EXPECT_THAT(errors_of("UseTLS=Y"),
              ElementsAre(HasSubstr("UseTLS: unknown, and not to be ignored")));
  EXPECT_THAT(warnings_of("UseTLS=N"), ElementsAre(HasSubstr("unknown key, ignored")));
}

TEST(RemovedKeys, a_file_with_one_loads_with_a_warning_that_says_what_holds_now) {
  for (const KeyRule& key : removed_keys()) {
    const std::string value{key.harmless.empty() ? "7" : key.harmless};
    const Settings settings = accepted(joined(kInitiator, std::string{key.name} + "=" + value));
    EXPECT_THAT(texts(settings.warnings), ElementsAre("t.cfg:11: " + std::string{key.name} +
                                                      " was removed: " + std::string{key.instead}));
    EXPECT_TRUE(is_unknown_key(settings.warnings.front())) << "--strict refuses " << key.name;
  }
}

TEST(RemovedKeys, they_are_no_keys_of_the_engine) {
  EXPECT_THAT(warnings_of("MaxHeldByts=7"), ElementsAre(AllOf(HasSubstr("MaxHeldByts: unknown key"),
                                                              Not(HasSubstr("did you mean")))));
  const Settings settings =
      accepted(joined(kInitiator, "ApplicationKeys=MaxHeldBytes\nMaxHeldBytes=7"));
  EXPECT_THAT(settings.warnings, IsEmpty());
  EXPECT_EQ(settings.sessions.front().application.at("maxheldbytes"), "7");
}

TEST(RemovedKeys, the_document_says_of_each_what_holds_now) {
  std::ifstream file{NEXUSFIX_CONFIGURATION_DOCUMENT};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  text.erase(0, text.find("## Removed keys\n"));
  text.erase(std::min(text.find("\n## "), text.size()));
  std::erase(text, '`');
  for (const KeyRule& key : removed_keys()) {
    EXPECT_THAT(text, HasSubstr("\n| " + std::string{key.name} + " | " + std::string{key.instead} +
                                " |\n"));
  }
}

// A key is NexusFIX's own if no other engine knows it, or another name of it.
// Those of a later capability are named here, so that each new one is a decision.
constexpr std::string_view kLaterKeys[] = {"LogonSignature",    "LogonKey",
                                           "LogonNonce",        "OutboundMessages",
                                           "OutboundInterval",  "OutboundMessagesByType",
                                           "OutboundLimitRule", "OutboundQueueMessages"};

TEST(OwnKeys, there_are_at_most_90_and_those_of_later_capabilities) {
  const auto main_name = [](const KeyDescription& key) {
    return key.same_as.empty() ? key.name : key.same_as;
  };
  const auto is_own = [&](const KeyDescription& key) {
    return std::ranges::none_of(described_keys(), [&](const KeyDescription& other) {
      return main_name(other) == main_name(key) && other.dialects != Dialects{};
    });
  };
  EXPECT_LE(std::ranges::count_if(described_keys(), is_own), 90 + std::ssize(kLaterKeys));
  for (const std::string_view name : kLaterKeys) {
    EXPECT_NE(find_key(name).rule, nullptr) << name;
  }
}

TEST(DerivedLimits, are_the_defaults_unless_the_keys_that_they_follow_are_set) {
  const Settings settings = accepted(kAcceptor);
  const SessionSettings& session = settings.sessions.front();
  const session::LogonConfig logon;
  EXPECT_EQ(session.session.logon.authentication_timeout, logon.authentication_timeout);
  EXPECT_EQ(session.session.logon.logout_gap_timeout, logon.logout_gap_timeout);
  const AdmissionSettings admission;
  EXPECT_EQ(session.admission.pending_logons_per_address_max,
            admission.pending_logons_per_address_max);
  const CredentialSettings credentials;
  EXPECT_EQ(session.credentials.failures_interval, credentials.failures_interval);
  const SessionLimits limits;
  EXPECT_EQ(session.limits.garbled_per_second_max, limits.garbled_per_second_max);
  EXPECT_EQ(session.limits.rejects_per_second_max, limits.rejects_per_second_max);
  EXPECT_EQ(session.limits.out_of_order_bytes_max, limits.out_of_order_bytes_max);
  EXPECT_EQ(session.log.files, observe::LogFileOptions{});
  const store::PostgresOptions postgres;
  EXPECT_EQ(settings.postgres.answer_timeout, postgres.answer_timeout);
}

TEST(DerivedLimits, follow_the_keys_of_the_session) {
  const SessionSettings session =
      accepted(joined(kAcceptor,
                      "LogonTimeout=31\nLogoutTimeout=7\nMaxPendingLogons=5\n"
                      "LogonLockout=90\nMaxAdminMessagesPerSecond=40\nMaxQueuedBytes=100000\n"))
          .sessions.front();
  EXPECT_EQ(session.session.logon.authentication_timeout, seconds{31});
  EXPECT_EQ(session.session.logon.logout_gap_timeout, seconds{7});
  EXPECT_EQ(session.admission.pending_logons_per_address_max, 3U);
  EXPECT_EQ(session.credentials.failures_interval, seconds{900});
  EXPECT_EQ(session.limits.garbled_per_second_max, 40U);
  EXPECT_EQ(session.limits.rejects_per_second_max, 40U);
  EXPECT_EQ(session.limits.out_of_order_bytes_max, 25'000U);
}

TEST(DerivedLimits, without_spinning_a_thread_polls_for_a_moment_unless_the_file_says_no) {
  const auto threads = [](std::string_view key) {
    return accepted(joined(kInitiator, key)).threads;
  };
  EXPECT_EQ(threads("").busy_poll, std::chrono::microseconds{50});
  EXPECT_EQ(threads("BusySpin=N\n").busy_poll, std::chrono::microseconds{0});
  EXPECT_FALSE(threads("BusySpin=N\n").busy_spin);
  EXPECT_TRUE(threads("BusySpin=Y\n").busy_spin);
}

TEST(DerivedLimits, without_a_limit_there_is_none_of_an_address) {
  const SessionSettings session =
      accepted(joined(kAcceptor, "MaxPendingLogons=0\n")).sessions.front();
  EXPECT_EQ(session.admission.pending_logons_per_address_max, 0U);
}

TEST(DerivedLimits, the_room_that_logs_leave_follows_the_size_of_a_file) {
  const auto free_bytes = [](const std::string& bytes_max) {
    return session_with("FileLogPath=log\nLogMaxBytes=" + bytes_max + "\n")
        .log.files.free_bytes_min;
  };
  EXPECT_EQ(free_bytes("1000000"), 4'000'000U);
  EXPECT_EQ(free_bytes("1000000000"), 256U << 20U);
  EXPECT_EQ(free_bytes("0"), 256U << 20U) << "no size";
}

TEST(DerivedLimits, an_answer_of_the_database_may_take_a_third_of_its_outage) {
  const auto postgres = [](const std::string& outage) {
    return accepted(joined(kInitiator,
                           "Store=postgresql\nPostgreSQLStoreOutageTimeout=" + outage + "\n"))
        .postgres;
  };
  EXPECT_EQ(postgres("3").answer_timeout, seconds{1});
  EXPECT_EQ(postgres("12").answer_timeout, seconds{4});
  EXPECT_EQ(postgres("86400").answer_timeout, seconds{10});
}

}  // namespace
}  // namespace nexusfix::config
