// TLS through a proxy ends at the host that the proxy connects to: the certificate must have that
// host's name.
#include <functional>

#include <nexusfix/proxy.hpp>

#include "little_proxy.hpp"
#include "support/test_certificates.hpp"
#include "unit/engine/support/initiator_fixture.hpp"

namespace nexusfix::testing {
namespace {

class TlsTunnelTest : public InitiatorTest {
 protected:
  TlsTunnelTest() { parts.proxy = transport::proxy_part(); }
  void open_venue(const std::string& names) {
    const CertificateFiles files = authority.issue("venue", {.names = names});
    extra = "Store=memory\nRequireTLS=Y\nServerCertificateFile=" + files.certificate +
            "\nServerCertificateKeyFile=" + files.key + "\n";
    open();
    proxy.target_port = acceptor->accept_port();
    EngineUnderTest opening = trader_under_test(
        acceptor->accept_port(),
        "SocketConnectHost=venue.example.com\nProxyType=socks\nProxyHost=localhost\n"
        "ProxyPort=" +
            std::to_string(proxy.port()) + "\nSocketCAFile=" + authority.file() +
            "\nAllowedCertificates=san:venue.example.com\n");
    opening.settings.store = config::StoreKind::Memory;
    opening.open(initiator, trader);
  }
  bool proxy_until(const std::function<bool()>& condition) {
    return turn_until([&] {
      proxy.poll();
      return condition();
    });
  }
  void TearDown() override {
    initiator.reset();
    InitiatorTest::TearDown();
  }

  TemporaryFolder keys;
  TestAuthority authority{keys.path(), "authority"};
  LittleProxy proxy;
};

TEST_F(TlsTunnelTest, certificate_of_the_host_beyond_the_proxy_is_accepted) {
  trader.orders_at_logon = 10;
  open_venue("DNS:venue.example.com");
  ASSERT_TRUE(proxy_until([&] { return trader.reports.size() == 10; })) << trader_log.all();
  EXPECT_TRUE(trader_log.has("connected to venue.example.com:")) << trader_log.all();
  EXPECT_TRUE(trader_log.has(", TLSv1.3, ")) << trader_log.all();
  EXPECT_TRUE(trader_log.has(", by way of 127.0.0.1:") || trader_log.has(", by way of localhost:"))
      << trader_log.all();
}

TEST_F(TlsTunnelTest, certificate_of_the_proxys_host_is_refused) {
  open_venue("DNS:localhost,IP:127.0.0.1");
  ASSERT_TRUE(proxy_until([&] { return trader_log.has("certificate is refused: "); }))
      << trader_log.all();
  EXPECT_TRUE(trader_log.has("TLS with venue.example.com:")) << trader_log.all();
  EXPECT_EQ(trader.logons, 0);
}

}  // namespace
}  // namespace nexusfix::testing
