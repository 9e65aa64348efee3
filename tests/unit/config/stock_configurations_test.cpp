// Configurations with the keys of the examples that other engines come with: each starts, or says
// which line makes it start.
#include <algorithm>

#include "settings_fixture.hpp"

namespace nexusfix::config {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string session_of(std::string_view version, std::string_view more = {}) {
  return joined("[SESSION]\nBeginString=", version) + joined("\n", more);
}

// An acceptor of QuickFIX: files of TLS are named, whatever connector the program takes.
const std::string kExecutor =
    "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=6001\nSocketReuseAddress=Y\n"
    "StartTime=00:00:00\nEndTime=00:00:00\nFileLogPath=logs\nFileStorePath=data\n"
    "ServerCertificateFile=certs/venue.crt\nServerCertificateKeyFile=certs/venue.key\n"
    "SSLProtocol = all\nTimestampPrecision=6\nPreserveMessageFieldsOrder=N\n"
    "SenderCompID=VENUE\nTargetCompID=CLIENT\n" +
    session_of("FIX.4.0") + session_of("FIX.4.4") +
    session_of("FIXT.1.1", "DefaultApplVerID=FIX.5.0\n");

TEST(StockConfigurations, quickfix_acceptor_has_tls_by_its_files_and_none_by_one_line) {
  Settings settings = accepted(kExecutor);
  for (const SessionSettings& one : settings.sessions) EXPECT_NE(one.tls, nullptr);
  const auto plain = accepted(joined("[DEFAULT]\nSocketUseSSL=N\n", kExecutor.substr(10)));
  for (const SessionSettings& one : plain.sessions) EXPECT_EQ(one.tls, nullptr);
  EXPECT_THAT(texts(plain.warnings), Contains(HasSubstr("ServerCertificateFile: not used")));
}

// An initiator of QuickFIX: a list of protocols, and nothing that turns TLS on.
const std::string kTradeClient =
    "[DEFAULT]\nConnectionType=initiator\nReconnectInterval=2\nFileStorePath=data\n"
    "FileLogPath=logs\nStartTime=00:00:00\nEndTime=00:00:00\nUseDataDictionary=Y\n"
    "HttpAcceptPort=9911\nSSLProtocol = +SSLv3 +TLSv1 -SSLv2\nTimestampPrecision=6\n"
    "PreserveMessageFieldsOrder=N\n[SESSION]\nBeginString=FIX.4.2\nSenderCompID=CLIENT\n"
    "TargetCompID=VENUE\nSocketConnectHost=127.0.0.1\nSocketConnectPort=6001\n"
    "SocketConnectHost1=127.0.0.1\nSocketConnectPort1=6002\nHeartBtInt=30 \n";

TEST(StockConfigurations, quickfix_initiator_names_the_line_for_either_meaning) {
  EXPECT_THAT(errors(kTradeClient),
              ElementsAre(HasSubstr("SSLProtocol: asks for TLS, and nothing turns it on: add the "
                                    "line SocketUseSSL=Y for TLS, or the line SocketUseSSL=N")));
  const Settings plain = accepted(joined("[DEFAULT]\nSocketUseSSL=N\n", kTradeClient.substr(10)));
  EXPECT_EQ(plain.sessions.at(0).tls, nullptr);
  EXPECT_EQ(plain.sessions.at(0).connect.size(), 2U);
  EXPECT_THAT(errors(joined("[DEFAULT]\nSocketUseSSL=Y\n", kTradeClient.substr(10))),
              ElementsAre(HasSubstr("none of these versions is spoken: there are TLSv1.2")));
}

TEST(StockConfigurations, initiators_that_nothing_distinguishes_name_the_key_that_would) {
  const std::string twice = joined(
      kInitiator, "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n");
  EXPECT_THAT(errors(twice),
              ElementsAre(HasSubstr("SessionQualifier=2 in one of them makes them different")));
  EXPECT_EQ(accepted(twice + "SessionQualifier=2\n").sessions.size(), 2U);
}

// QuickFIX/J: sections in lower case, a port a version, and keys of the program's own.
TEST(StockConfigurations,
     quickfix_j_acceptor_starts_and_its_own_keys_are_reported_with_how_to_list_them) {
  std::string text =
      "[default]\nFileStorePath=target/data\nConnectionType=acceptor\nStartTime=00:00:00\n"
      "EndTime=00:00:00\nHeartBtInt=30\nOrderKinds=1,2,F\nSenderCompID=VENUE\n"
      "TargetCompID=CLIENT\nUseDataDictionary=Y\nMarketPrice=12.30\n";
  int port = 9876;
  for (const char* const version : {"FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4"}) {
    text += "[session]\nBeginString=" + std::string{version} +
            "\nSocketAcceptPort=" + std::to_string(port++) + "\n";
  }
  const Settings settings = accepted(text);
  EXPECT_EQ(settings.sessions.size(), 5U);
  EXPECT_THAT(texts(settings.warnings), Each(HasSubstr("is to be listed in ApplicationKeys")));
  const std::string listed = "[default]\nApplicationKeys=OrderKinds,MarketPrice\n" +
                             text.substr(std::string_view{"[default]\n"}.size());
  EXPECT_THAT(texts(accepted(listed).warnings), IsEmpty());
  EXPECT_EQ(accepted(listed).sessions.at(0).application.at("marketprice"), "12.30");
}

TEST(StockConfigurations, quickfix_j_templates_start) {
  std::string text =
      "[default]\nFileStorePath=target/data\nConnectionType=acceptor\nSocketAcceptPort=9876\n"
      "StartTime=00:00:00\nEndTime=00:00:00\nSenderCompID=*\nTargetCompID=*\n";
  for (const char* const version : {"FIX.4.0", "FIX.4.4"}) {
    text += "[session]\nAcceptorTemplate=Y\nBeginString=" + std::string{version} + "\n";
  }
  const Settings settings = accepted(text);
  EXPECT_THAT(settings.warnings, IsEmpty());
  for (const SessionSettings& one : settings.sessions) EXPECT_TRUE(one.is_template);
}

TEST(StockConfigurations, sections_of_any_counterparty_may_be_alike) {
  const std::string again =
      "DynamicSessions=Y\n[SESSION]\nBeginString=FIX.4.2\nSenderCompID=VENUE\n"
      "TargetCompID=OTHER\nDynamicSessions=Y\n";
  EXPECT_EQ(accepted(joined(kAcceptor, again)).sessions.size(), 4U);
}

TEST(StockConfigurations, an_initiator_is_no_template) {
  EXPECT_THAT(errors_of("AcceptorTemplate=Y"),
              ElementsAre(HasSubstr("t.cfg:11: AcceptorTemplate: an initiator's session cannot")));
}

TEST(StockConfigurations, quickfix_go_says_neither_role_nor_store) {
  const Settings acceptor = accepted(
      "[DEFAULT]\nSocketAcceptPort=6001\nSenderCompID=VENUE\nTargetCompID=CLIENT\n"
      "ResetOnLogon=Y\nFileLogPath=tmp\n#[SESSION]\n#BeginString=FIX.4.0\n\n"
      "[SESSION]\nBeginString=FIX.4.4\n");
  EXPECT_EQ(acceptor.sessions.at(0).session.role, session::Role::Acceptor);
  const Settings initiator = accepted(
      "[DEFAULT]\nSocketConnectHost=127.0.0.1\nSocketConnectPort=6001\nHeartBtInt=30\n"
      "SenderCompID=CLIENT\nTargetCompID=VENUE\n[SESSION]\nBeginString=FIX.4.4\n"
      "[SESSION]\nBeginString=FIXT.1.1\nDefaultApplVerID=7\n");
  EXPECT_EQ(initiator.sessions.size(), 2U);
  EXPECT_THAT(texts(initiator.warnings),
              Contains(HasSubstr("ConnectionType is missing: taken as initiator, because of "
                                 "SocketConnectHost in line 2 (and the same of 1 other line: ")));
}

TEST(StockConfigurations, quickfix_n_with_tls_starts) {
  const Settings settings = accepted(
      "[DEFAULT]\nConnectionType=initiator\nReconnectInterval=2\nFileStorePath=data\n"
      "StartTime=00:00:00\nEndTime=00:00:00\nUseDataDictionary=Y\nSocketConnectHost=127.0.0.1\n"
      "SocketConnectPort=6001\nSSLEnable=Y\n\n# a note\nSSLCertificate=client.pfx\n"
      "SSLCertificatePassword=x\nSSLServerName=venue\nSSLCACertificate=ca.cer\nLogoutTimeout=5\n"
      "ResetOnLogon=Y\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=CLIENT\nTargetCompID=VENUE\n"
      "HeartBtInt=30 \n");
  EXPECT_NE(settings.sessions.at(0).tls, nullptr);
  EXPECT_THAT(settings.warnings, IsEmpty());
}

}  // namespace
}  // namespace nexusfix::config
