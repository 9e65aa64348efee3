// Connections with TLS that migrate to the event loop of their session.
#include <functional>
#include <thread>

#include "support/test_certificates.hpp"
#include "unit/engine/support/initiator_fixture.hpp"

namespace nexusfix::testing {
namespace {

class TlsEventLoopsTest : public InitiatorTest {};

TEST_F(TlsEventLoopsTest, connection_keeps_its_tls_when_it_migrates_to_another_loop) {
  TemporaryFolder keys;
  TestAuthority authority{keys.path(), "authority"};
  const CertificateFiles files = authority.issue("venue");
  extra = "EventLoops=2\nServerCertificateFile=" + files.certificate +
          "\nServerCertificateKeyFile=" + files.key;
  // The first loop with a session has the listener.
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=NEAR\nEventLoop=0\n"
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\nEventLoop=1\n";
  open();
  ASSERT_EQ(acceptor->session(1).handle().loop, 1U);
  acceptor->start();
  trader_under_test(acceptor->accept_port(), "SocketCAFile=" + authority.file())
      .open(initiator, trader);
  const auto poll_until = [&](const std::function<bool()>& condition) {
    for (int turn = 0; turn < 10'000 && !condition(); ++turn) {
      initiator->poll(std::chrono::milliseconds{1});
    }
    return condition();
  };
  ASSERT_TRUE(poll_until([&] { return trader.logons == 1; })) << trader_log.all();
  Trader::send(initiator->session(0), "ELSEWHERE");
  EXPECT_TRUE(poll_until([&] { return trader.reports.size() == 1; })) << trader_log.all();
  initiator.reset();
  acceptor->stop();
  EXPECT_EQ(acceptor->join(), 0);
}

}  // namespace
}  // namespace nexusfix::testing
