// What an attacker between both sides can do to a connection with TLS while ten sessions trade: N11
// of the fault catalogue.
#include <algorithm>
#include <array>
#include <charconv>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "network_faults_fixture.hpp"
#include "support/test_certificates.hpp"

namespace nexusfix::testing {
namespace {

// An OpenSSL client whose records, or parts of them, the test sends itself.
class RecordClient {
 public:
  explicit RecordClient(std::uint16_t port) {
    SSL_set_bio(ssl_, from_peer_, to_peer_);
    SSL_set_connect_state(ssl_);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~RecordClient() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
    ::close(socket_);
  }
  RecordClient(const RecordClient&) = delete;
  RecordClient& operator=(const RecordClient&) = delete;

  // One step of the handshake; true when it is complete.
  bool shake_hands() {
    receive();
    const bool is_done = SSL_do_handshake(ssl_) == 1;
    send_raw(consume_records());
    return is_done;
  }
  // Sends the bytes in one record.
  void send(std::string_view bytes) { send_raw(record_of(bytes)); }
  // Sends the record without its last byte, then neither a byte nor a close_notify.
  void send_cut(std::string_view bytes) {
    const std::string record = record_of(bytes);
    send_raw(std::string_view{record}.substr(0, record.size() - 1));
    ASSERT_EQ(::shutdown(socket_, SHUT_WR), 0);
  }

 private:
  void receive() {
    std::array<char, 16'384> buffer;
    const ssize_t count = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count > 0) BIO_write(from_peer_, buffer.data(), static_cast<int>(count));
  }
  std::string record_of(std::string_view bytes) {
    EXPECT_EQ(SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())),
              static_cast<int>(bytes.size()));
    return consume_records();
  }
  std::string consume_records() {
    std::string records(BIO_ctrl_pending(to_peer_), '\0');
    if (!records.empty()) BIO_read(to_peer_, records.data(), static_cast<int>(records.size()));
    return records;
  }
  void send_raw(std::string_view bytes) const {
    ASSERT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }

  SSL_CTX* context_ = SSL_CTX_new(TLS_client_method());
  SSL* ssl_ = SSL_new(context_);
  BIO* from_peer_ = BIO_new(BIO_s_mem());
  BIO* to_peer_ = BIO_new(BIO_s_mem());
  int socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

class NetworkTlsFaultTest : public NetworkFaultTest {
 protected:
  // The session has its own address, which no live session uses.
  void begin_with_tls() {
    const CertificateFiles files = authority.issue("venue");
    sessions += session_text("CUT") +
                "SocketAcceptAddress=127.0.0.2\nSocketUseSSL=Y\nServerCertificateFile=" +
                files.certificate + "\nServerCertificateKeyFile=" + files.key + "\n";
    // The test advances the clock, which makes the loop late.
    adjust = [](config::Settings& settings) {
      settings.threads.logon_lateness_max = std::chrono::milliseconds{0};
    };
    begin();
    constexpr std::string_view kListening = "listening on 127.0.0.2 port ";
    for (const std::string& line : log.lines) {
      const std::size_t at = line.find(kListening);
      if (at == std::string::npos) continue;
      std::from_chars(line.data() + at + kListening.size(), line.data() + line.size(), port);
    }
    ASSERT_NE(port, 0);
  }

  TemporaryFolder keys;
  TestAuthority authority{keys.path(), "authority"};
  std::uint16_t port = 0;
};

TEST_F(NetworkTlsFaultTest, N11_tls_truncated_within_a_record_is_logged_and_changes_no_number) {
  begin_with_tls();
  Session& cut = session("CUT");
  constexpr std::uint64_t kRounds = 20;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    log.clear();
    // The session's limit of log lines per second begins again.
    clock.advance(std::chrono::seconds{1});
    const std::uint64_t number = 2 * round + 1;
    RecordClient peer{port};
    ASSERT_TRUE(trade_until([&] { return peer.shake_hands(); })) << log.all();
    peer.send(logon("CUT", number));
    ASSERT_TRUE(trade_until([&] { return cut.is_logged_on(); })) << log.all();
    peer.send(order("CUT", number + 1, "WHOLE" + std::to_string(round)));
    peer.send_cut(order("CUT", number + 2, "CUT"));
    ASSERT_TRUE(trade_until([&] { return !cut.is_logged_on(); })) << log.all();
    EXPECT_TRUE(log.has("without close_notify: it was truncated")) << round << log.all();
    // The order before the truncated record counts, and nothing of that record.
    EXPECT_EQ(std::ranges::count(venue.orders, "WHOLE" + std::to_string(round)), 1);
    ASSERT_EQ(cut.numbers().next_inbound, number + 2);
  }
  EXPECT_EQ(std::ranges::count(venue.orders, "CUT"), 0);
  EXPECT_EQ(venue.logouts, static_cast<int>(kRounds));
  expect_unharmed("TLS that is cut");
}

}  // namespace
}  // namespace nexusfix::testing
