#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "settings_fixture.hpp"

namespace nexusfix::config {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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
    EXPECT_THAT(reported, ElementsAre(::testing::Not(HasSubstr("secret")))) << line;
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

}  // namespace
}  // namespace nexusfix::config
