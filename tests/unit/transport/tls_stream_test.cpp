// Bytes, ends and waits of a connection with TLS.
#include <arpa/inet.h>
#include <fcntl.h>
#include <filesystem>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "support/network/fake_network.hpp"
#include "support/network/raw_peer.hpp"
#include "tls_fixture.hpp"

namespace nexusfix::transport {
namespace {

std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>((i * 31 + (i >> 8U)) & 0x7F);
  return bytes;
}

// A client with OpenSSL only, which does what no engine would do.
class BareTlsClient {
 public:
  explicit BareTlsClient(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const int on = 1;  // Otherwise the network would merge small writes.
    EXPECT_EQ(::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), 0);
    EXPECT_EQ(::fcntl(socket_, F_SETFL, O_NONBLOCK), 0);
    SSL_set_fd(ssl_, socket_);
    SSL_set_connect_state(ssl_);
  }
  BareTlsClient(const BareTlsClient&) = delete;
  BareTlsClient& operator=(const BareTlsClient&) = delete;
  ~BareTlsClient() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
    ::close(socket_);
  }
  bool shake_hands() { return SSL_do_handshake(ssl_) == 1; }
  bool update_keys() {
    return SSL_key_update(ssl_, SSL_KEY_UPDATE_NOT_REQUESTED) == 1 && shake_hands();
  }
  bool send(std::string_view bytes) {
    return SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())) ==
           static_cast<int>(bytes.size());
  }

  // Sends close_notify. The connection below stays open.
  bool end() { return SSL_shutdown(ssl_) >= 0; }

 private:
  SSL_CTX* context_ = SSL_CTX_new(TLS_client_method());
  SSL* ssl_ = SSL_new(context_);
  int socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

class OwnRecordsTest : public TlsTest {
 protected:
  // Turns of the acceptor until it has received that number of bytes.
  int turns_until(std::size_t bytes) {
    int turns = 0;
    EXPECT_TRUE(run_until([&] {
      ++turns;
      return acceptor.received.size() >= bytes;
    }));
    return turns;
  }
};

TEST_F(OwnRecordsTest, key_updates_without_end_leave_turns_to_others) {
  constexpr int kUpdates = 1'000;
  listen();
  BareTlsClient client{port};
  ASSERT_TRUE(run_until([&] { return client.shake_hands() && acceptor.socket != 0; }));
  for (int i = 0; i < kUpdates; ++i) ASSERT_TRUE(client.update_keys()) << i;
  ASSERT_TRUE(client.send("at last"));
  EXPECT_GT(turns_until(7), kUpdates / 10);
  EXPECT_EQ(acceptor.received, "at last");
}

TEST_F(OwnRecordsTest, records_of_one_byte_leave_turns_to_others) {
  constexpr int kRecords = 4'000;
  listen();
  BareTlsClient client{port};
  ASSERT_TRUE(run_until([&] { return client.shake_hands() && acceptor.socket != 0; }));
  for (int i = 0; i < kRecords; ++i) ASSERT_TRUE(client.send("x")) << i;
  EXPECT_GT(turns_until(kRecords), kRecords / 1'000);
  EXPECT_EQ(acceptor.received, std::string(kRecords, 'x'));
}

TEST_F(TlsTest, end_that_comes_with_the_last_bytes_is_reported) {
  listen();
  BareTlsClient client{port};
  ASSERT_TRUE(run_until([&] { return client.shake_hands() && acceptor.socket != 0; }));
  ASSERT_TRUE(client.send("the last word") && client.end());
  ASSERT_TRUE(run_until([&] { return acceptor.end.has_value(); }));
  EXPECT_EQ(acceptor.end, IoResult::Status::Closed);
  EXPECT_EQ(acceptor.received, "the last word");
}

TEST_F(TlsTest, endpoints_without_tls_are_not_changed) {
  const auto listening = acceptor.tls->listen({"127.0.0.1", 0});
  ASSERT_TRUE(listening);
  const auto socket = initiator.tls->connect({"127.0.0.1", acceptor.tls->local_port(*listening)});
  ASSERT_TRUE(socket);
  initiator.socket = *socket;
  ASSERT_TRUE(run_until([&] { return initiator.is_connected && acceptor.socket != 0; }));
  expect_talk();
  EXPECT_EQ(initiator.tls->protection(initiator.socket), "");
  initiator.tls->close(initiator.socket);
  ASSERT_TRUE(run_until([&] { return acceptor.end.has_value(); }));
  EXPECT_EQ(acceptor.end, IoResult::Status::Closed);
}

TEST_F(TlsTest, network_without_tls_refuses_an_endpoint_with_tls) {
  const auto made = context(acceptor_settings);
  const auto listening = acceptor.inner->listen({"127.0.0.1", 0, {}, made});
  ASSERT_FALSE(listening);
  EXPECT_NE(listening.error().text.find("TLS is required"), std::string::npos);
  EXPECT_FALSE(acceptor.inner->connect({"127.0.0.1", 5001, {}, made}));
}

TEST_F(TlsTest, end_with_close_notify_is_a_close) {
  meet();
  expect_talk();
  initiator.tls->close(initiator.socket);
  ASSERT_TRUE(run_until([&] { return acceptor.end.has_value(); }));
  EXPECT_EQ(acceptor.end, IoResult::Status::Closed);
}

TEST_F(TlsTest, end_without_close_notify_is_a_failure_that_says_so) {
  meet();
  send_all(initiator, "the last word");
  initiator.inner->close(initiator.socket);  // As if the connection had been cut on its way.
  ASSERT_TRUE(run_until([&] { return acceptor.end.has_value(); }));
  EXPECT_EQ(acceptor.received, "the last word");
  EXPECT_EQ(acceptor.end, IoResult::Status::Failed);
  EXPECT_EQ(acceptor.error_number, EPROTO);
  EXPECT_NE(acceptor.error.find("without close_notify: it was truncated"), std::string::npos)
      << acceptor.error;
}

TEST_F(TlsTest, bytes_that_were_taken_before_close_are_still_delivered) {
  meet();
  const std::string bytes = pattern(8U << 20U);
  acceptor.reads = false;
  std::size_t taken = 0;
  while (true) {
    const IoResult result =
        initiator.tls->send(initiator.socket, std::string_view{bytes}.substr(taken));
    if (result.status != IoResult::Status::Ok) break;
    taken += result.bytes;
  }
  ASSERT_GT(taken, 0U);
  ASSERT_LT(taken, bytes.size());
  initiator.tls->close(initiator.socket);
  EXPECT_EQ(initiator.tls->send(initiator.socket, bytes).status, IoResult::Status::Failed);
  EXPECT_EQ(initiator.tls->peer_name(initiator.socket), "");
  acceptor.reads = true;
  ASSERT_TRUE(run_until([&] { return acceptor.end.has_value(); }));
  EXPECT_EQ(acceptor.end, IoResult::Status::Closed) << acceptor.error;
  EXPECT_TRUE(acceptor.received == bytes.substr(0, taken));
}

TEST_F(TlsTest, slow_reader_gets_everything_and_the_writer_is_notified_when_there_is_room) {
  meet();
  const std::string bytes = pattern(16U << 20U);
  std::string_view rest = bytes;
  int sends = 0;
  acceptor.receive_bytes_max = 30'011;
  initiator.writables = 1;
  ASSERT_TRUE(run_until([&] {
    if (initiator.writables > 0) {  // not before there is room again
      const IoResult result = initiator.tls->send(initiator.socket, rest);
      if (result.status == IoResult::Status::Ok) rest.remove_prefix(result.bytes);
      initiator.writables = 0;
      ++sends;
    }
    return acceptor.received.size() == bytes.size();
  }));
  EXPECT_TRUE(acceptor.received == bytes);
  EXPECT_GT(sends, 1);
}

TEST_F(TlsTest, writable_is_reported_again_until_something_is_sent) {
  meet();
  acceptor.reads = false;
  const std::string block(1U << 20U, 'x');
  while (initiator.tls->send(initiator.socket, block).status == IoResult::Status::Ok) {
  }
  acceptor.reads = true;
  ASSERT_TRUE(run_until([&] { return initiator.writables > 0; }));
  const int before = initiator.writables;
  ASSERT_TRUE(run_until([&] { return initiator.writables > before + 2; }));
  EXPECT_EQ(initiator.tls->send(initiator.socket, {}).status,
            IoResult::Status::Ok);  // Ends Writable.
  initiator.poll();
  const int at_last = initiator.writables;
  for (int turn = 0; turn < 20; ++turn) initiator.poll();
  EXPECT_EQ(initiator.writables, at_last);
}

// OpenSSL may have read more than the caller has room for, and the network below does not know of
// it.
TEST_F(TlsTest, bytes_that_are_decrypted_already_are_reported_at_once) {
  meet();
  send_all(initiator, pattern(20'000));
  acceptor.receive_bytes_max = 1;
  ASSERT_TRUE(run_until([&] { return !acceptor.received.empty(); }));
  for (int turn = 0; turn < 200 && acceptor.received.size() < 100; ++turn) acceptor.poll();
  EXPECT_EQ(acceptor.received.substr(0, 100), pattern(20'000).substr(0, 100));
}

TEST_F(TlsTest, paused_socket_reports_nothing_until_it_is_resumed) {
  meet();
  send_all(initiator, "before");
  ASSERT_TRUE(run_until([&] { return acceptor.received == "before"; }));
  acceptor.tls->pause(acceptor.socket, true);
  send_all(initiator, pattern(40'000));
  for (int turn = 0; turn < 50; ++turn) acceptor.poll();
  EXPECT_EQ(acceptor.received, "before");
  acceptor.tls->pause(acceptor.socket, false);
  EXPECT_TRUE(run_until([&] { return acceptor.received.size() == 6 + 40'000; }));
}

TEST_F(TlsTest, connection_continues_in_another_network) {
  meet();
  expect_talk();
  send_all(initiator, "on its way");
  Detached moving = acceptor.tls->detach(acceptor.socket);
  ASSERT_GE(moving.descriptor, 0);
  ASSERT_NE(moving.state, nullptr);
  TlsSide other;
  std::thread elsewhere{[&] {
    const auto attached = other.tls->attach(std::move(moving));
    if (attached) other.socket = *attached;
  }};
  elsewhere.join();
  ASSERT_NE(other.socket, 0U);
  ASSERT_TRUE(run_until([&] {
    other.poll();
    return other.received == "on its way";
  }));
  EXPECT_EQ(other.tls->send(other.socket, std::string_view{" and back"}).status,
            IoResult::Status::Ok);
  EXPECT_TRUE(run_until([&] { return initiator.received == "8=FIX.4.4 fill and back"; }));
}

TEST_F(TlsTest, connection_with_tls_is_not_attached_to_a_network_without_tls) {
  meet();
  const auto plain = std::move(*make_epoll_network());
  EXPECT_FALSE(plain->attach(acceptor.tls->detach(acceptor.socket)));
}

TEST_F(TlsTest, new_key_is_for_new_connections_and_open_ones_continue) {
  meet();
  expect_talk();
  acceptor.received.clear();
  initiator.received.clear();
  static_cast<void>(authority.issue("venue", {.last_day = 20}));
  ASSERT_TRUE(acceptor_context->reload(disk));
  expect_talk();
  const std::string before = acceptor_context->description();
  TlsSide second;
  const auto socket = second.tls->connect({"localhost", port, {}, context(initiator_settings)});
  ASSERT_TRUE(socket);
  second.socket = *socket;
  ASSERT_TRUE(run_until([&] {
    second.poll();
    return second.is_connected;
  })) << second.error;
  // All or nothing: a wrong file changes nothing.
  TestAuthority unknown{folder.path(), "unknown"};
  const CertificateFiles wrong = unknown.issue("wrong");
  std::filesystem::copy_file(wrong.key, acceptor_settings.key_file,
                             std::filesystem::copy_options::overwrite_existing);
  const auto reloaded = acceptor_context->reload(disk);
  ASSERT_FALSE(reloaded);
  EXPECT_EQ(reloaded.error().item, TlsItem::Key);
  EXPECT_EQ(acceptor_context->description(), before);
}

// Over a network that moves one byte at a time, also in the handshake.
class TlsBytesTest : public TlsTest {
 protected:
  TlsBytesTest() {
    internet.limits.receive_bytes_max = 1;
    internet.limits.send_bytes_max = 1;
    for (TlsSide* const side : {&acceptor, &initiator}) {
      side->tls.reset();
      side->inner = std::make_unique<FakeNetwork>(internet);
      side->tls = make_tls_network(*side->inner);
    }
  }
  ~TlsBytesTest() override {
    for (TlsSide* const side : {&acceptor, &initiator}) {
      side->tls.reset();
      side->inner.reset();
    }
  }
  FakeInternet internet;
};

TEST_F(TlsBytesTest, one_byte_at_a_time_is_enough) {
  meet();
  expect_talk();
  initiator.tls->close(initiator.socket);
  ASSERT_TRUE(run_until([&] { return acceptor.end.has_value(); }));
  EXPECT_EQ(acceptor.end, IoResult::Status::Closed) << acceptor.error;
}

}  // namespace
}  // namespace nexusfix::transport
