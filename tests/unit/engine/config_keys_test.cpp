#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "settings_fixture.hpp"

namespace nexusfix::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ConfigKeys, an_unknown_key_is_a_warning_that_names_the_key_that_was_meant) {
  EXPECT_THAT(warnings_of("HartBtInt=10"),
              ElementsAre("t.cfg:11: HartBtInt: unknown key, ignored; did you mean HeartBtInt?"));
  EXPECT_THAT(warnings_of("ResetOnLogn=Y"), ElementsAre(HasSubstr("did you mean ResetOnLogon?")));
  EXPECT_THAT(warnings_of("SenderCompDI=Y"), ElementsAre(HasSubstr("did you mean SenderCompID?")));
  EXPECT_THAT(warnings_of("SocketConectHost1=Y"),
              ElementsAre(HasSubstr("did you mean SocketConnectHost?")));
  EXPECT_THAT(warnings_of("Stroe=memory"), ElementsAre(HasSubstr("did you mean Store?")));
  EXPECT_THAT(warnings_of("Wibble=10"), ElementsAre("t.cfg:11: Wibble: unknown key, ignored"));
  EXPECT_THAT(warnings_of("HeartBtInt1=10"), ElementsAre(HasSubstr("unknown key")));
}

TEST(ConfigKeys, keys_that_are_not_honoured_say_what_is_done_instead_unless_it_is_what_they_ask) {
  EXPECT_THAT(warnings_of("TransportDataDictionary=FIXT11.xml"),
              ElementsAre("t.cfg:11: TransportDataDictionary is not honoured: only FIXT.1.1 "
                          "sessions have one"));
  EXPECT_THAT(warnings_of("AppDataDictionary.FIX.5.0=FIX50.xml\nAppDataDictionary.FIX.4.4=b.xml"),
              SizeIs(2));
  EXPECT_THAT(warnings_of("SocketNodelay=N"), ElementsAre(HasSubstr("TCP_NODELAY is always set")));
  EXPECT_THAT(warnings_of("FileLogPath=log"), ElementsAre(HasSubstr("no log is written there")));
  EXPECT_THAT(warnings_of("LogonTag3=553=me"), ElementsAre(HasSubstr("LogonTag is not honoured")));
  for (const std::string_view line :
       {"SocketNodelay=Y", "UseDataDictionary=N", "ValidateLengthAndChecksum=Y",
        "SocketReuseAddress=true", "SocketSendBufferSize=0", "SocketAcceptProtocol=tcp"}) {
    EXPECT_THAT(warnings_of(line), IsEmpty()) << line;
  }
}

TEST(ConfigKeys, what_asks_for_security_is_refused_and_never_answered_by_plain_text) {
  for (const std::string_view line :
       {"SocketUseSSL=Y", "SSLEnable=Y", "ServerCertificateFile=a.pem", "CertificateVerifyLevel=2",
        "AllowedRemoteAddresses=10.0.0.1", "UseTCPProxy=Y", "ProxyHost=proxy", "NeedClientAuth=Y",
        "SocketKeyStorePassword=secret", "RequireTLS=Y", "SSLProtocol=TLSv1.2", "socketusessl=y"}) {
    const auto told = errors_of(line);
    EXPECT_THAT(told, ElementsAre(HasSubstr("t.cfg:11: "))) << line;
    EXPECT_THAT(told, ElementsAre(HasSubstr("does not start"))) << line;
    EXPECT_THAT(told, ElementsAre(::testing::Not(HasSubstr("secret")))) << line;
  }
  for (const std::string_view line :
       {"SocketUseSSL=N", "SSLEnable=N", "CertificateVerifyLevel=0",
        "AllowedRemoteAddresses=", "UseTCPProxy=N", "RequireTLS=false"}) {
    EXPECT_THAT(warnings_of(line), IsEmpty()) << line;
  }
}

TEST(ConfigKeys, an_unknown_key_is_named_also_when_the_file_is_refused_for_what_it_lacks) {
  const std::vector<std::string> told = errors(
      "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=5001\nNonStopSession=Y\nFileStorPath="
      "x\n"
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n");
  EXPECT_THAT(told, ElementsAre(HasSubstr("FileStorePath"),
                                "t.cfg:5: FileStorPath: unknown key, ignored; did you mean "
                                "FileStorePath?"));
}

TEST(ConfigKeys, an_unknown_key_that_sounds_like_security_is_refused_too) {
  EXPECT_THAT(errors_of("ServerCertficateFile=a.pem"),
              ElementsAre(HasSubstr("did you mean ServerCertificateFile?")));
  EXPECT_THAT(errors_of("UseTLS=Y"),
              ElementsAre(HasSubstr("UseTLS: unknown, and not to be ignored")));
  EXPECT_THAT(warnings_of("UseTLS=N"), ElementsAre(HasSubstr("unknown key, ignored")));
}

}  // namespace
}  // namespace nexusfix::engine
