// TLS through a proxy, which sends its header before the handshake.
#include <algorithm>
#include <array>
#include <fcntl.h>
#include <memory>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include <nexusfix/proxy.hpp>

#include "support/test_certificates.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class ProxiedTlsTest : public AcceptorTest {
 protected:
  ProxiedTlsTest() {
    parts.proxy = transport::proxy_part();
    const CertificateFiles files = authority.issue("venue");
    extra = "RequireTLS=Y\nServerCertificateFile=" + files.certificate +
            "\nServerCertificateKeyFile=" + files.key +
            "\nUseTCPProxy=Y\nTrustedProxies=127.0.0.0/8\nAllowedRemoteAddresses=192.0.2.7, "
            "192.0.2.9\n";
  }

  TemporaryFolder keys;
  TestAuthority authority{keys.path(), "authority"};
};

// An OpenSSL client that sends the header of a proxy first, on a non-blocking socket.
class ProxiedTlsPeer {
 public:
  ProxiedTlsPeer(std::uint16_t port, std::string_view header) {
    ssl_.reset(SSL_new(context_.get()));
    descriptor_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::write(descriptor_, header.data(), header.size()) != static_cast<ssize_t>(header.size())) {
      throw std::runtime_error{"connect"};
    }
    static_cast<void>(::fcntl(descriptor_, F_SETFL, O_NONBLOCK));
    SSL_set_fd(ssl_.get(), descriptor_);
    SSL_set_connect_state(ssl_.get());
  }
  ~ProxiedTlsPeer() { ::close(descriptor_); }
  ProxiedTlsPeer(const ProxiedTlsPeer&) = delete;
  ProxiedTlsPeer& operator=(const ProxiedTlsPeer&) = delete;

  [[nodiscard]] bool shake_hands() { return SSL_do_handshake(ssl_.get()) == 1; }
  void send(std::string_view bytes) {
    ASSERT_EQ(SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())),
              static_cast<int>(bytes.size()));
  }
  const std::string& received() {
    std::array<char, 4'096> buffer;
    for (int count = 0; (count = SSL_read(ssl_.get(), buffer.data(), buffer.size())) > 0;) {
      received_.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return received_;
  }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
    void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
  };
  std::unique_ptr<SSL_CTX, Free> context_{SSL_CTX_new(TLS_client_method())};
  std::unique_ptr<SSL, Free> ssl_;
  int descriptor_ = -1;
  std::string received_;
};

TEST_F(ProxiedTlsTest, header_of_the_proxy_comes_before_tls) {
  open();
  ProxiedTlsPeer peer{acceptor->accept_port(), "PROXY TCP4 192.0.2.7 10.0.0.1 40112 5001\r\n"};
  ASSERT_TRUE(run_until([&] { return peer.shake_hands(); })) << log.all();
  peer.send(logon("TRADER", 1));
  EXPECT_TRUE(run_until([&] { return peer.received().find("\00135=A\001") != std::string::npos; }))
      << log.all();
  EXPECT_TRUE(log.has("connection from 192.0.2.7:40112, TLSv1.3, ")) << log.all();
  EXPECT_TRUE(log.has(", by way of 127.0.0.1:")) << log.all();
}

TEST_F(ProxiedTlsTest, address_that_is_not_allowed_is_closed_before_a_byte_of_tls) {
  open();
  RawPeer& peer = connect();
  peer.send("PROXY TCP4 192.0.2.8 10.0.0.1 40112 5001\r\nthis is no TLS");
  ASSERT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_TRUE(log.has("connection from 192.0.2.8:40112 closed: no session of this port"))
      << log.all();
  EXPECT_FALSE(log.has("not TLS")) << log.all();
}

TEST_F(ProxiedTlsTest, tls_without_a_header_is_refused) {
  open();
  RawPeer& peer = connect();
  peer.send(std::string{"\x16\x03\x01\x02\x00\x01", 6});
  ASSERT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_TRUE(log.has("closed: no PROXY header")) << log.all();
}

TEST_F(ProxiedTlsTest, header_and_handshake_share_logon_timeout) {
  open();
  RawPeer& peer = connect();
  peer.send("PROXY TCP4 192.0.2.7 10.0.0.1 40112 5001\r\n\x16\x03");
  ASSERT_TRUE(run_until([&] { return peer.all_sent(); }));
  turn(20);
  EXPECT_FALSE(peer.closed());
  clock.advance(std::chrono::seconds{11});
  ASSERT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_TRUE(log.has("no Logon came in time, TLS handshake not finished, by way of 127.0.0.1:"))
      << log.all();
}

// An address that floods through the proxy waits for its own handshakes and does not delay other
// addresses.
TEST_F(ProxiedTlsTest, flood_of_one_announced_address_does_not_delay_another) {
  open();
  constexpr std::size_t kFlood = 150;
  std::vector<RawPeer*> flood;
  for (std::size_t i = 0; i < kFlood; ++i) {
    flood.push_back(&connect());
    flood.back()->send("PROXY TCP4 192.0.2.9 10.0.0.1 40112 5001\r\nno TLS");
  }
  const auto all_sent = [&] {
    return std::ranges::all_of(flood, [](const RawPeer* peer) { return peer->all_sent(); });
  };
  ASSERT_TRUE(run_until(all_sent));
  const auto closed = [&] {
    return std::ranges::count_if(flood, [](const RawPeer* peer) { return peer->closed(); });
  };
  const auto before = closed();
  ProxiedTlsPeer peer{acceptor->accept_port(), "PROXY TCP4 192.0.2.7 10.0.0.1 40112 5001\r\n"};
  ASSERT_TRUE(run_until([&] { return peer.shake_hands(); })) << log.all();
  // Each turn ends one connection of the flood and reads some bytes of each that waits.
  EXPECT_LT(closed() - before, 40);
}

}  // namespace
}  // namespace nexusfix::testing
