// The console and the metrics of a configuration.
#include "settings_fixture.hpp"

namespace nexusfix::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(WebSettings, console_port_counts_beside_http_accept_port) {
  const Settings settings = accepted(joined(kAcceptor, "HttpAcceptPort=8080\nConsolePort=9000\n"));
  EXPECT_EQ(settings.web.console_port, 9000);
  EXPECT_THAT(texts(settings.warnings),
              ElementsAre(HasSubstr("t.cfg:9: HttpAcceptPort: not used with ConsolePort")));
}

TEST(WebSettings, key_and_authorities_of_a_console_need_its_certificate) {
  for (const std::string key : {"ConsoleCertificateKeyFile", "ConsoleAuthoritiesFile"}) {
    EXPECT_THAT(errors(joined(kAcceptor, "ConsolePort=9000\n" + key + "=a.pem\n")),
                ElementsAre(HasSubstr("t.cfg:10: " + key + ": needs ConsoleCertificateFile")));
  }
}

}  // namespace
}  // namespace nexusfix::config
