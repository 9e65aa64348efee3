// Sessions whose connections have TLS: our own engine on both sides, and the openssl command.
#include <array>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test_certificates.hpp"
#include "unit/engine/support/initiator_fixture.hpp"

namespace nexusfix::testing {
namespace {

using ::testing::HasSubstr;

class TlsSessionTest : public InitiatorTest {
 protected:
  TlsSessionTest() {
    const CertificateFiles files = authority.issue("venue");
    extra = "SocketUseSSL=Y\nServerCertificateFile=" + files.certificate +
            "\nServerCertificateKeyFile=" + files.key;
    trader_keys = "SocketUseSSL=Y\nSocketCAFile=" + authority.file() + "\n";
  }

  void TearDown() override {
    initiator.reset();
    InitiatorTest::TearDown();
  }

  void require_client_certificates() {
    extra += "\nNeedClientAuth=Y\nSocketTrustStore=" + authority.file();
    const CertificateFiles files = authority.issue("trader");
    trader_keys +=
        "SocketCertificateFile=" + files.certificate + "\nSocketPrivateKeyFile=" + files.key + "\n";
  }

  void open_protected_trader(std::uint16_t port) {
    trader_under_test(port, trader_keys).open(initiator, trader);
  }
  void expect_trade(const std::string& cl_ord_id) {
    Trader::send(initiator->session(0), cl_ord_id);
    EXPECT_TRUE(turn_until([&] {
      return !trader.reports.empty() && trader.reports.back() == cl_ord_id;
    })) << log.all()
        << trader_log.all();
  }
  std::string error_of_opening() {
    auto settings = config::parse_settings(config(), "venue.cfg");
    if (!settings) return settings.error().front().what();
    auto opened = Engine::open(std::move(*settings), venue, options());
    return opened ? "opened" : opened.error().what();
  }

  TemporaryFolder keys;
  TestAuthority authority{keys.path(), "authority"};
  std::string trader_keys;
};

TEST_F(TlsSessionTest, venue_and_trader_trade_over_tls) {
  require_client_certificates();
  open();
  open_protected_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return trader.logons == 1 && venue.logons == 1; }))
      << log.all() << trader_log.all();
  expect_trade("ONE");
  EXPECT_TRUE(log.has(", TLSv1.3, TLS_AES_256_GCM_SHA384, CN=trader")) << log.all();
  EXPECT_TRUE(trader_log.has(", TLSv1.3, TLS_AES_256_GCM_SHA384, CN=venue")) << trader_log.all();
}

TEST_F(TlsSessionTest, large_messages_cross_both_ways) {
  open();
  open_protected_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return trader.logons == 1 && venue.logons == 1; }));
  for (int i = 0; i < 20; ++i) EchoVenue::send_text(acceptor->session(0), 500'000);
  expect_trade("AFTER");
  EXPECT_TRUE(turn_until([&] { return numbers_agree(); }));
}

TEST_F(TlsSessionTest, spinning_engine_trades_with_tls) {
  extra += "\nBusySpin=Y";
  open();
  open_protected_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return trader.logons == 1 && venue.logons == 1; }))
      << log.all() << trader_log.all();
  expect_trade("SPUN");
}

TEST_F(TlsSessionTest, counterparty_without_tls_is_closed_with_an_event) {
  open();
  RawPeer& plain = connect();
  plain.send(logon("TRADER", 1));
  ASSERT_TRUE(run_until([&] { return plain.closed(); }));
  EXPECT_TRUE(log.has("the peer does not use TLS")) << log.all();
  EXPECT_EQ(venue.logons, 0);
}

TEST_F(TlsSessionTest, unfinished_handshake_ends_with_logon_timeout) {
  open();
  RawPeer& stalled = connect();
  stalled.send(std::string{"\x16\x03\x01\x02\x00\x01", 6});
  ASSERT_TRUE(run_until([&] { return stalled.all_sent(); }));
  turn(20);
  EXPECT_FALSE(stalled.closed());
  clock.advance(std::chrono::seconds{11});
  ASSERT_TRUE(run_until([&] { return stalled.closed(); }));
  EXPECT_TRUE(log.has("no Logon came in time, TLS handshake not finished")) << log.all();
}

TEST_F(TlsSessionTest, initiator_that_does_not_trust_the_acceptor_sends_nothing) {
  TestAuthority unknown{keys.path(), "unknown"};
  trader_keys = "SocketUseSSL=Y\nSocketCAFile=" + unknown.file() + "\n";
  open();
  open_protected_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return trader_log.has("its certificate is refused"); }));
  EXPECT_TRUE(turn_until([&] { return log.has("closed: TLS with 127.0.0.1"); })) << log.all();
  EXPECT_EQ(venue.logons, 0);
}

TEST_F(TlsSessionTest, certificates_are_read_again_while_sessions_continue) {
  open();
  open_protected_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return trader.logons == 1 && venue.logons == 1; }));
  static_cast<void>(authority.issue("venue", {.last_day = 200}));
  acceptor->reload_certificates();
  ASSERT_TRUE(turn_until([&] { return log.has("certificates read again: TLS 1.2 to 1.3"); }));
  expect_trade("AFTER");
  std::ofstream{keys.file("venue.pem")} << "rubbish";
  acceptor->reload_certificates();
  ASSERT_TRUE(turn_until([&] { return log.has("certificates stay as they were: "); }));
  expect_trade("STILL");
  EXPECT_EQ(trader.logons, 1);
}

TEST_F(TlsSessionTest, reloaded_certificates_apply_to_new_connections) {
  const std::string path = keys.path() + "/venue.cfg";
  std::ofstream{path} << config();
  under_test_of_file(path).open(acceptor, venue);
  open_protected_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return trader.logons == 1; })) << trader_log.all();
  TestAuthority other{keys.path(), "other"};
  const CertificateFiles files = other.issue("second");
  const std::string before = config();
  extra = "SocketUseSSL=Y\nServerCertificateFile=" + files.certificate +
          "\nServerCertificateKeyFile=" + files.key;
  std::ofstream{path} << config();
  auto done = acceptor->reload();
  ASSERT_TRUE(done.has_value()) << done.error().what();
  EXPECT_EQ(done->pending.size(), 1U) << "of the session that is logged on";
  expect_trade("ON");
  initiator.reset();
  ASSERT_TRUE(turn_until([&] { return acceptor->pending_changes().empty(); })) << log.all();
  open_protected_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return trader_log.has("its certificate is refused"); }))
      << trader_log.all();
  initiator.reset();
  // A certificate that cannot be read changes nothing.
  extra = "SocketUseSSL=Y\nServerCertificateFile=none.pem\nServerCertificateKeyFile=" + files.key;
  std::ofstream{path} << config();
  done = acceptor->reload();
  ASSERT_FALSE(done.has_value());
  EXPECT_THAT(done.error().what(), HasSubstr("ServerCertificateFile"));
  std::ofstream{path} << before;
  ASSERT_TRUE(acceptor->reload().has_value());
  trader_log.clear();
  open_protected_trader(acceptor->accept_port());
  EXPECT_TRUE(turn_until([&] { return trader.logons == 2; })) << trader_log.all();
}

TEST_F(TlsSessionTest, certificate_that_ends_soon_is_logged_at_the_start) {
  // The certificate ends in 365 days of the real calendar; the engine's clock is set close to that.
  const auto today = std::chrono::system_clock::now();
  clock.advance(today + std::chrono::days{345} -
                std::chrono::time_point_cast<std::chrono::nanoseconds>(clock.now().wall));
  open();
  turn(2);
  EXPECT_TRUE(log.has("certificate CN=venue in " + keys.file("venue.pem") + " ends in "))
      << log.all();
  clock.advance(std::chrono::hours{24 * 40});
  turn(2);
  EXPECT_TRUE(log.has(" has ended, at ")) << log.all();
}

TEST_F(TlsSessionTest, expired_revocation_list_is_logged_and_can_be_renewed) {
  require_client_certificates();
  static_cast<void>(authority.issue("gone"));
  extra += "\nCertificateRevocationListFile=" + authority.revoke("gone", -1);
  const auto today = std::chrono::system_clock::now();
  clock.advance(today - std::chrono::time_point_cast<std::chrono::nanoseconds>(clock.now().wall));
  open();
  turn(2);
  EXPECT_TRUE(log.has("list of revoked certificates of CN=authority has ended, at ")) << log.all();
  open_protected_trader(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return log.has("its certificate is refused: CRL has expired"); }))
      << log.all();
  EXPECT_EQ(venue.logons, 0);
  static_cast<void>(authority.revoke("gone", 3));
  acceptor->reload_certificates();
  ASSERT_TRUE(turn_until([&] { return log.has("certificates read again: "); })) << log.all();
  EXPECT_TRUE(log.has("list of revoked certificates of CN=authority ends in ")) << log.all();
  clock.advance(std::chrono::minutes{1});
  ASSERT_TRUE(turn_until([&] { return trader.logons == 1; })) << log.all() << trader_log.all();
  expect_trade("AFTER");
}

TEST_F(TlsSessionTest, invalid_file_refuses_the_start_with_the_line_of_its_key) {
  std::filesystem::permissions(keys.file("venue.key"), std::filesystem::perms{0644});
  EXPECT_THAT(error_of_opening(),
              HasSubstr("venue.cfg:10: ServerCertificateKeyFile: " + keys.file("venue.key") +
                        ": has a private key and is readable by other users: chmod 600"));
  std::filesystem::remove(keys.file("venue.pem"));
  EXPECT_THAT(error_of_opening(), HasSubstr("venue.cfg:9: ServerCertificateFile: cannot be read"));
}

TEST_F(TlsSessionTest, sessions_with_tls_are_added_only_if_there_was_tls_at_the_start) {
  const std::string with_tls = extra;
  extra.clear();
  open();
  turn(1);
  extra = with_tls;
  sessions = "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=LATE\n";
  auto settings = config::parse_settings(config(), "more.cfg");
  ASSERT_TRUE(settings);
  const auto added = acceptor->add_sessions(std::move(*settings));
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().what(), HasSubstr("TLS, in an engine that had none at its start"));
}

// The openssl command, connected by pipes.
class OpenSslCommand {
 public:
  explicit OpenSslCommand(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "openssl");
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
      throw std::runtime_error{"pipe"};
    }
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(out[1], STDERR_FILENO);
      std::vector<char*> words;
      for (std::string& one : arguments) words.push_back(one.data());
      words.push_back(nullptr);
      ::execvp("openssl", words.data());
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    in_ = in[1];
    out_ = out[0];
  }
  ~OpenSslCommand() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    ::close(in_);
    ::close(out_);
  }
  OpenSslCommand(const OpenSslCommand&) = delete;
  OpenSslCommand& operator=(const OpenSslCommand&) = delete;

  void send(std::string_view bytes) const {
    ASSERT_EQ(::write(in_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  const std::string& output() {
    std::array<char, 4'096> buffer;
    ssize_t count = 0;
    while ((count = ::read(out_, buffer.data(), buffer.size())) > 0) {
      output_.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return output_;
  }

 private:
  pid_t child_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::string output_;
};

TEST_F(TlsSessionTest, openssl_s_client_logs_on) {
  for (const std::string version : {"-tls1_2", "-tls1_3"}) {
    open();
    OpenSslCommand client{{"s_client", "-quiet", "-connect",
                           "127.0.0.1:" + std::to_string(acceptor->accept_port()), version,
                           "-CAfile", authority.file(), "-verify_return_error", "-verify_hostname",
                           "localhost"}};
    client.send(logon("TRADER", version == "-tls1_2" ? 1 : 2));
    EXPECT_TRUE(run_until([&] {
      return client.output().find("\00135=A\001") != std::string::npos;
    })) << client.output()
        << log.all();
    acceptor.reset();
  }
}

TEST_F(TlsSessionTest, openssl_s_client_may_not_renegotiate) {
  open();
  OpenSslCommand client{{"s_client", "-connect",
                         "127.0.0.1:" + std::to_string(acceptor->accept_port()), "-tls1_2",
                         "-CAfile", authority.file()}};
  client.send(logon("TRADER", 1));
  ASSERT_TRUE(run_until([&] { return client.output().find("\00135=A\001") != std::string::npos; }))
      << client.output() << log.all();
  client.send("R\n");  // a command of its own
  EXPECT_TRUE(run_until([&] {
    return client.output().find("no renegotiation") != std::string::npos;
  })) << client.output();
  EXPECT_NE(client.output().find("RENEGOTIATING"), std::string::npos) << client.output();
}

// An attacker can replay data that is sent before the handshake is complete.
TEST_F(TlsSessionTest, early_data_of_openssl_s_client_is_rejected) {
  const std::string session = keys.file("session");
  {
    // Another server with our certificate, which issues tickets for early data.
    OpenSslCommand server{{"s_server", "-accept", "127.0.0.1:0", "-cert", keys.file("venue.pem"),
                           "-key", keys.file("venue.key"), "-tls1_3", "-early_data"}};
    constexpr std::string_view kAccept = "ACCEPT 127.0.0.1:";
    open();  // run_until() needs an open engine
    ASSERT_TRUE(run_until([&] {
      const std::size_t at = server.output().find(kAccept);
      return at != std::string::npos && server.output().find('\n', at) != std::string::npos;
    })) << server.output();
    const std::size_t at = server.output().find(kAccept) + kAccept.size();
    const int port = std::stoi(server.output().substr(at));
    OpenSslCommand client{{"s_client", "-connect", "127.0.0.1:" + std::to_string(port), "-tls1_3",
                           "-sess_out", keys.file("ticket")}};
    // Each new ticket overwrites the file, so the test copies it when it is complete.
    std::string ticket;
    ASSERT_TRUE(run_until([&] {
      std::ifstream file{keys.file("ticket")};
      ticket.assign(std::istreambuf_iterator<char>{file}, {});
      return ticket.find("END SSL SESSION PARAMETERS") != std::string::npos;
    })) << client.output();
    std::ofstream{session} << ticket;
  }
  std::ofstream{keys.file("early")} << logon("TRADER", 1);
  OpenSslCommand client{
      {"s_client", "-connect", "127.0.0.1:" + std::to_string(acceptor->accept_port()), "-tls1_3",
       "-CAfile", authority.file(), "-sess_in", session, "-early_data", keys.file("early")}};
  ASSERT_TRUE(run_until([&] {
    return client.output().find("Early data was rejected") != std::string::npos;
  })) << client.output()
      << log.all();
  turn(20);
  EXPECT_EQ(venue.logons, 0) << log.all();
  client.send(logon("TRADER", 1));
  EXPECT_TRUE(run_until([&] { return client.output().find("\00135=A\001") != std::string::npos; }))
      << client.output() << log.all();
}

// Without a ticket from us a client cannot send us early data. Tickets are sent before the engine's
// data, and a client that gets one writes it to the file.
TEST_F(TlsSessionTest, openssl_s_client_gets_no_session_ticket) {
  open();
  const std::string ticket = keys.file("ticket-of-ours");
  OpenSslCommand client{{"s_client", "-connect",
                         "127.0.0.1:" + std::to_string(acceptor->accept_port()), "-tls1_3",
                         "-CAfile", authority.file(), "-sess_out", ticket}};
  client.send(logon("TRADER", 1));
  ASSERT_TRUE(run_until([&] { return client.output().find("\00135=A\001") != std::string::npos; }))
      << client.output() << log.all();
  EXPECT_FALSE(std::ifstream{ticket}.is_open()) << client.output();
}

TEST_F(TlsSessionTest, older_versions_of_openssl_s_client_are_refused) {
  open();
  OpenSslCommand client{{"s_client", "-connect",
                         "127.0.0.1:" + std::to_string(acceptor->accept_port()), "-tls1_1",
                         "-cipher", "ALL:@SECLEVEL=0"}};
  EXPECT_TRUE(run_until([&] { return log.has("unsupported protocol"); }))
      << client.output() << log.all();
}

// A key exchange in this group takes 100 ms of the event loop.
TEST_F(TlsSessionTest, costly_groups_of_openssl_s_client_are_refused) {
  open();
  OpenSslCommand client{{"s_client", "-connect",
                         "127.0.0.1:" + std::to_string(acceptor->accept_port()), "-groups",
                         "ffdhe8192"}};
  EXPECT_TRUE(run_until([&] { return log.has("no suitable key share"); }))
      << client.output() << log.all();
}

TEST_F(TlsSessionTest, initiator_logs_on_to_openssl_s_server) {
  OpenSslCommand server{{"s_server", "-accept", "127.0.0.1:0", "-cert", keys.file("venue.pem"),
                         "-key", keys.file("venue.key"), "-naccept", "1"}};
  open();  // turn_until() needs an open engine
  constexpr std::string_view kAccept = "ACCEPT 127.0.0.1:";
  ASSERT_TRUE(run_until([&] {
    const std::size_t at = server.output().find(kAccept);
    return at != std::string::npos && server.output().find('\n', at) != std::string::npos;
  })) << server.output();
  const std::size_t at = server.output().find(kAccept) + kAccept.size();
  open_protected_trader(static_cast<std::uint16_t>(std::stoi(server.output().substr(at))));
  EXPECT_TRUE(turn_until([&] { return server.output().find("\00135=A\001") != std::string::npos; }))
      << server.output() << trader_log.all();
}

}  // namespace
}  // namespace nexusfix::testing
