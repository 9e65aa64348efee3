// Certificates to which CompIDs are bound (AllowedCertificates).
#include <algorithm>

#include "support/test_certificates.hpp"
#include "unit/engine/support/initiator_fixture.hpp"

namespace nexusfix::testing {
namespace {

constexpr const char* kName = "URI:spiffe://example.com/trader,DNS:Trader.example.com,IP:10.0.0.7";

class TlsIdentityTest : public InitiatorTest {
 protected:
  TlsIdentityTest() {
    const CertificateFiles venue_files = authority.issue("venue");
    extra = "Store=memory\nRequireTLS=Y\nServerCertificateFile=" + venue_files.certificate +
            "\nServerCertificateKeyFile=" + venue_files.key +
            "\nCertificationAuthoritiesFile=" + authority.file() + "\n";
    use(authority.issue("trader", {.names = kName}));
  }
  void TearDown() override {
    initiator.reset();
    InitiatorTest::TearDown();
  }
  void use(const CertificateFiles& files) {
    trader_keys = "SocketCAFile=" + authority.file() +
                  "\nSocketCertificateFile=" + files.certificate +
                  "\nSocketPrivateKeyFile=" + files.key + "\n";
  }
  void open_protected_trader() {
    initiator.reset();
    EngineUnderTest opening = trader_under_test(acceptor->accept_port(), trader_keys);
    opening.settings.store = config::StoreKind::Memory;
    opening.open(initiator, trader);
  }
  // True if the venue has called on_logon() again.
  bool logs_on() {
    const int before = venue.logons;
    const std::size_t lines = log.lines.size();
    open_protected_trader();
    static_cast<void>(turn_until([&] {
      return venue.logons > before ||
             std::any_of(log.lines.begin() + static_cast<std::ptrdiff_t>(lines), log.lines.end(),
                         [](const std::string& line) {
                           return line.find(" closed: ") != std::string::npos;
                         });
    }));
    const bool is_in = venue.logons > before;
    if (is_in) {
      initiator->session(0).log_out();
      EXPECT_TRUE(turn_until([&] { return venue.logouts == venue.logons; })) << log.all();
    }
    return is_in;
  }
  void open_again(const std::string& allowed) {
    acceptor.reset();
    const std::string before = extra;
    extra += "AllowedCertificates=" + allowed + "\n";
    open();
    extra = before;
  }

  TemporaryFolder keys;
  TestAuthority authority{keys.path(), "authority"};
  std::string trader_keys;
};

TEST_F(TlsIdentityTest, certificate_with_an_allowed_name_is_admitted) {
  for (const char* allowed : {"san:spiffe://example.com/trader", "san:trader.EXAMPLE.com",
                              "san:10.0.0.7", "san:other.example.com,san:trader.example.com"}) {
    open_again(allowed);
    EXPECT_TRUE(logs_on()) << allowed << "\n" << log.all() << trader_log.all();
  }
}

TEST_F(TlsIdentityTest, other_names_of_the_same_authority_are_closed_without_an_answer) {
  for (const char* allowed :
       {"san:spiffe://example.com/trader2", "san:SPIFFE://example.com/trader", "san:example.com",
        "san:trader", "san:10.0.0.8", "pin:sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}) {
    open_again(allowed);
    EXPECT_FALSE(logs_on()) << allowed;
    EXPECT_EQ(acceptor->session(0).numbers().next_inbound, 1U);
    EXPECT_EQ(trader.logouts, 0);
  }
  EXPECT_TRUE(
      log.has("8=FIX.4.4 49=TRADER 56=VENUE: its certificate is none of "
              "AllowedCertificates: pin:sha256/"))
      << log.all();
  EXPECT_TRUE(log.has(" uri:spiffe://example.com/trader dns:trader.example.com ip:10.0.0.7"))
      << log.all();
}

TEST_F(TlsIdentityTest, pin_identifies_the_key_and_the_event_names_the_actual_pin) {
  open_again("pin:sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
  EXPECT_FALSE(logs_on());
  const std::string all = log.all();
  const std::size_t at = all.find(" pin:sha256/") + 1;
  const std::string pin = all.substr(at, all.find_first_of(" \n", at) - at);
  open_again("san:other.example.com," + pin);
  EXPECT_TRUE(logs_on()) << pin << "\n" << log.all();
  use(authority.issue("trader", {.names = kName}));  // These names, another key.
  EXPECT_FALSE(logs_on());
}

TEST_F(TlsIdentityTest, initiator_logs_on_to_an_acceptor_with_an_allowed_certificate) {
  const std::string before = trader_keys;
  for (const char* allowed : {"san:localhost", "san:127.0.0.1", "san:other,san:LOCALHOST"}) {
    open_again("san:trader.example.com");
    trader_keys = before + "AllowedCertificates=" + allowed + "\n";
    EXPECT_TRUE(logs_on()) << allowed << "\n" << trader_log.all();
  }
}

TEST_F(TlsIdentityTest, initiator_sends_no_logon_to_another_certificate_of_the_same_host) {
  open_again("san:trader.example.com");
  trader_keys +=
      "AllowedCertificates=pin:sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
      "Password=TopSecret\n";
  open_protected_trader();
  ASSERT_TRUE(turn_until([&] { return trader_log.has(" closed: its certificate is none of "); }))
      << trader_log.all();
  EXPECT_TRUE(trader_log.has("connection to 127.0.0.1:")) << trader_log.all();
  EXPECT_TRUE(trader_log.has(" dns:localhost")) << trader_log.all();
  EXPECT_EQ(initiator->session(0).numbers(), (session::Numbers{1, 1}));
  EXPECT_EQ(trader.logons, 0);
  EXPECT_EQ(acceptor->statistics().loops[0].messages_in, 0U);
  // The operator can correct AllowedCertificates, so the initiator tries again at its interval.
  const std::string all = trader_log.all();
  const std::size_t at = all.find("pin:sha256/", all.find("none of AllowedCertificates"));
  const std::string pin = all.substr(at, all.find_first_of(" \n", at) - at);
  const std::size_t lines = trader_log.lines.size();
  clock.advance(std::chrono::seconds{2});
  EXPECT_TRUE(turn_until([&] { return trader_log.lines.size() > lines; })) << trader_log.all();
  trader_keys.replace(trader_keys.find("pin:"), pin.size(), pin);
  EXPECT_TRUE(logs_on()) << pin << trader_log.all();
}

TEST_F(TlsIdentityTest, subject_is_not_matched_as_a_name) {
  use(authority.issue("trader.example.com", {.names = ""}));
  open_again("san:trader.example.com");
  EXPECT_FALSE(logs_on());
}

TEST_F(TlsIdentityTest, session_refuses_a_counterparty_without_a_certificate) {
  extra += "CertificateVerifyLevel=1\n";
  trader_keys = "SocketCAFile=" + authority.file() + "\n";
  open_again("san:trader.example.com");
  EXPECT_FALSE(logs_on());
  EXPECT_TRUE(log.has("it has shown no certificate, and AllowedCertificates asks for one"))
      << log.all();
}

TEST_F(TlsIdentityTest, template_creates_a_session_only_for_an_allowed_certificate) {
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=*\nAcceptorTemplate=Y\n";
  open_again("san:other.example.com");
  EXPECT_FALSE(logs_on());
  EXPECT_EQ(acceptor->session_count(), 0U);
  EXPECT_TRUE(log.has("its certificate is none of AllowedCertificates")) << log.all();
}

TEST_F(TlsIdentityTest, session_on_another_event_loop_makes_the_same_check) {
  extra += "EventLoops=2\n";
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=NEAR\nEventLoop=0\n"
      "AllowedCertificates=san:near.example.com\n"
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\nEventLoop=1\n"
      "AllowedCertificates=san:trader.example.com\n";
  open();
  open_protected_trader();
  for (int turn = 0; turn < 20'000 && trader.logons == 0; ++turn) {
    acceptor->poll(std::chrono::nanoseconds{0}, 0);
    acceptor->poll(std::chrono::nanoseconds{0}, 1);
    initiator->poll(std::chrono::microseconds{100});
  }
  EXPECT_EQ(trader.logons, 1) << log.all() << trader_log.all();
}

}  // namespace
}  // namespace nexusfix::testing
