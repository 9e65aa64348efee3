// Keys that need a part with which the program was not linked: one error, and its remedy.
#include <algorithm>
#include <gmock/gmock.h>

#include "config/api/preflight.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kNoProxies =
    ": this program was built without proxies. Link nexusfix::proxy, include <nexusfix/proxy.hpp>, "
    "and open the engine with EngineOptions that have: options.parts.proxy = "
    "nexusfix::transport::proxy_part();";
constexpr std::string_view kNoPasswords =
    "PasswordFile: this program was built without the password service. Link "
    "nexusfix::passwords, include <nexusfix/passwords.hpp>, and open the engine with EngineOptions "
    "that have: options.parts.passwords = nexusfix::engine::password_part();";
constexpr std::string_view kInitiator =
    "[SESSION]\nConnectionType=initiator\nBeginString=FIX.4.4\nSenderCompID=VENUE\n"
    "TargetCompID=AWAY\nHeartBtInt=30\nSocketConnectHost=127.0.0.1\nSocketConnectPort=1\n"
    "ProxyType=http\nProxyHost=127.0.0.1\nProxyPort=1\n";

class MissingParts : public AcceptorTest {
 protected:
  [[nodiscard]] EngineUnderTest bare() {
    EngineUnderTest opening = under_test();
    opening.options.parts = {};
    return opening;
  }
  [[nodiscard]] std::vector<std::string> errors() {
    EngineUnderTest opening = bare();
    PosixDisk disk;
    std::vector<std::string> all;
    const auto found = config::preflight(opening.settings, disk);
    if (found) return all;
    for (const auto& error : found.error()) all.push_back(error.what());
    const auto opened = opening.try_open(venue);
    EXPECT_FALSE(opened.has_value());
    EXPECT_EQ(opened ? "" : opened.error().what(), joined(all));
    return all;
  }
  [[nodiscard]] static std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
    return text;
  }
  // "venue.cfg:9: " for the first line that begins with this text.
  [[nodiscard]] std::string line_of(const std::string& begin) const {
    const std::string text = "\n" + config();
    const std::size_t at = text.find("\n" + begin) + 1;
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(at);
    return "venue.cfg:" + std::to_string(std::count(text.begin(), end, '\n')) + ": ";
  }
};

TEST_F(MissingParts, configuration_without_optional_parts_opens) {
  EXPECT_THAT(errors(), ElementsAre());
  EXPECT_TRUE(bare().try_open(venue).has_value());
}

TEST_F(MissingParts, missing_proxies_are_reported_once) {
  extra = "UseTCPProxy=Y\nTrustedProxies=127.0.0.1";
  EXPECT_THAT(errors(),
              ElementsAre(line_of("UseTCPProxy") + "UseTCPProxy" + std::string{kNoProxies}));
}

TEST_F(MissingParts, missing_log_compression_is_reported_once) {
  extra = "LogCompress=Y\nFileLogPath=" + folder.path() + "/log";
  EXPECT_THAT(
      errors(),
      ElementsAre(line_of("LogCompress") +
                  "LogCompress: this program was built without the compression of logs. Link "
                  "nexusfix::log_compression, include <nexusfix/observe/logs.hpp>, and open the "
                  "engine with EngineOptions that have: options.parts.log_compression = "
                  "nexusfix::observe::log_compression_part();"));
}

TEST_F(MissingParts, missing_password_service_is_reported_and_the_file_is_not_read) {
  extra = "PasswordFile=" + folder.path() + "/none";
  EXPECT_THAT(errors(), ElementsAre(line_of("PasswordFile") + std::string{kNoPasswords}));
}

TEST_F(MissingParts, each_missing_part_of_a_configuration_is_named) {
  extra = "UseTCPProxy=Y\nTrustedProxies=127.0.0.1\nPasswordFile=none";
  sessions += kInitiator;
  EXPECT_THAT(errors(),
              ElementsAre(line_of("UseTCPProxy") + "UseTCPProxy" + std::string{kNoProxies},
                          line_of("PasswordFile") + std::string{kNoPasswords},
                          line_of("ProxyType") + "ProxyType" + std::string{kNoProxies}));
}

TEST_F(MissingParts, missing_web_part_is_reported_for_each_port) {
  extra = "ConsolePort=0\nMetricsPort=0";
  constexpr std::string_view kNoWeb =
      ": this program was built without the web console and metrics. Link nexusfix::web, include "
      "<nexusfix/web.hpp>, and open the engine with EngineOptions that have: options.parts.web = "
      "nexusfix::web::web_part();";
  EXPECT_THAT(errors(), ElementsAre(line_of("ConsolePort") + "ConsolePort" + std::string{kNoWeb},
                                    line_of("MetricsPort") + "MetricsPort" + std::string{kNoWeb}));
}

// The examples of QuickFIX have it, and programs that were ported need no console.
TEST_F(MissingParts, http_accept_port_alone_is_a_warning) {
  extra = "HttpAcceptPort=9911";
  EXPECT_THAT(errors(), ElementsAre());
  ASSERT_TRUE(bare().try_open(venue).has_value());
  EXPECT_TRUE(log.has("HttpAcceptPort: no web page is served"));
}

TEST_F(MissingParts, missing_part_of_an_added_session_is_named) {
  bare().open(acceptor, venue);
  auto more = config::parse_settings("[DEFAULT]\n" + std::string{kInitiator}, "more.cfg");
  ASSERT_TRUE(more.has_value()) << more.error().front().what();
  const auto added = acceptor->add_sessions(std::move(*more));
  ASSERT_FALSE(added.has_value());
  EXPECT_EQ(added.error().what(),
            "more.cfg:10: FIX.4.4:VENUE->AWAY: ProxyType" + std::string{kNoProxies});
}

}  // namespace
}  // namespace nexusfix::testing
