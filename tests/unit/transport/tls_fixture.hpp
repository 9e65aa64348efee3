// Two networks with TLS, an acceptor's and an initiator's, over loopback.
#pragma once

#include <array>
#include <cerrno>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "support/disks/temporary_folder.hpp"
#include "support/test_certificates.hpp"
#include "transport/api/tls.hpp"

namespace nexusfix::transport {

using nexusfix::testing::CertificateFiles;
using nexusfix::testing::TestAuthority;

// A network and the TLS above it, as one side has them.
struct TlsSide {
  explicit TlsSide(std::unique_ptr<Network> network)
      : inner{std::move(network)}, tls{make_tls_network(*inner)} {}
  TlsSide() : TlsSide{std::move(*make_epoll_network())} {}

  // Handles the events that have come, without waiting.
  void poll() {
    std::array<Ready, 16> events;
    const std::size_t count = tls->wait(events, std::chrono::nanoseconds{0});
    for (const Ready& ready : std::span{events}.first(count)) {
      if (ready.kind == Ready::Kind::Accepted) socket = ready.accepted;
      if (ready.kind == Ready::Kind::Connected) is_connected = true;
      if (ready.kind == Ready::Kind::Failed) record_end(IoResult::Status::Failed);
      if (ready.kind == Ready::Kind::Writable) ++writables;
      if (ready.kind == Ready::Kind::Readable && reads) receive(ready.socket);
    }
  }
  void receive(SocketId from) {
    std::vector<char> buffer(receive_bytes_max);
    const IoResult result = tls->receive(from, buffer);
    if (result.status == IoResult::Status::Ok) received.append(buffer.data(), result.bytes);
    if (result.status == IoResult::Status::Failed) error_number = result.error_number;
    if (result.status == IoResult::Status::Closed || result.status == IoResult::Status::Failed) {
      record_end(result.status);
    }
  }
  void record_end(IoResult::Status status) {
    end = status;
    error = tls->last_error(socket);
  }

  std::unique_ptr<Network> inner;
  std::unique_ptr<Network> tls;
  SocketId socket = 0;
  bool is_connected = false;
  bool reads = true;
  std::size_t receive_bytes_max = 65'536;
  int writables = 0;
  std::string received;
  std::optional<IoResult::Status> end;
  int error_number = 0;
  std::string error;
};

class TlsTest : public ::testing::Test {
 protected:
  TlsTest() {
    acceptor_settings.role = TlsRole::Acceptor;
    use(acceptor_settings, authority.issue("venue"));
    initiator_settings.authorities_file = authority.file();
  }

  static void use(TlsSettings& settings, const CertificateFiles& files) {
    settings.certificate_file = files.certificate;
    settings.key_file = files.key;
  }
  void require_client_certificate() {
    acceptor_settings.client_certificate = ClientCertificate::Required;
    acceptor_settings.authorities_file = authority.file();
    use(initiator_settings, authority.issue("trader"));
  }

  std::shared_ptr<TlsContext> context(const TlsSettings& settings) {
    auto made = TlsContext::make(settings, disk);
    if (made) return *made;
    ADD_FAILURE() << made.error().text;
    return nullptr;
  }
  std::string error_of(const TlsSettings& settings) {
    const auto made = TlsContext::make(settings, disk);
    return made ? "none" : made.error().text;
  }

  void listen(const std::string& host = "127.0.0.1") {
    acceptor_context = context(acceptor_settings);
    const auto listening = acceptor.tls->listen({host, 0, {}, acceptor_context});
    ASSERT_TRUE(listening) << listening.error().text;
    port = acceptor.tls->local_port(*listening);
  }
  void connect(const std::string& host = "localhost") {
    const auto socket = initiator.tls->connect({host, port, {}, context(initiator_settings)});
    ASSERT_TRUE(socket) << socket.error().text;
    initiator.socket = *socket;
  }
  // Polls both sides in turn.
  bool run_until(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{5};
    while (std::chrono::steady_clock::now() < deadline) {
      if (condition()) return true;
      acceptor.poll();
      initiator.poll();
    }
    return condition();
  }
  void meet() {
    listen();
    connect();
    const auto have_met = [&] { return initiator.is_connected && acceptor.socket != 0; };
    run_until([&] { return have_met() || has_ended(); });
    ASSERT_TRUE(have_met()) << initiator.error << acceptor.error;
  }
  [[nodiscard]] bool has_ended() const { return initiator.end || acceptor.end; }
  // One side refuses the handshake; TLS decides whether both learn why.
  void expect_refused(const std::string& why) {
    listen();
    connect();
    run_until([&] {
      if (initiator.is_connected && !initiator.end) {
        static_cast<void>(initiator.tls->send(initiator.socket, std::string_view{"accepted"}));
      }
      return (initiator.end && acceptor.end) || !acceptor.received.empty();
    });
    ASSERT_EQ(acceptor.received, "");
    ASSERT_TRUE(initiator.end && acceptor.end);
    EXPECT_NE((initiator.error + acceptor.error).find(why), std::string::npos)
        << initiator.error << " / " << acceptor.error;
  }
  void send_all(TlsSide& side, std::string_view bytes) {
    run_until([&] {
      const IoResult result = side.tls->send(side.socket, bytes);
      if (result.status == IoResult::Status::Ok) bytes.remove_prefix(result.bytes);
      return bytes.empty() || result.status == IoResult::Status::Failed;
    });
    ASSERT_TRUE(bytes.empty());
  }
  void expect_talk() {
    send_all(initiator, "8=FIX.4.4 order");
    send_all(acceptor, "8=FIX.4.4 fill");
    run_until([&] {
      return (acceptor.received == "8=FIX.4.4 order" && initiator.received == "8=FIX.4.4 fill") ||
             has_ended();
    });
    EXPECT_EQ(acceptor.received, "8=FIX.4.4 order") << acceptor.error;
    EXPECT_EQ(initiator.received, "8=FIX.4.4 fill") << initiator.error;
  }

  nexusfix::testing::TemporaryFolder folder;
  PosixDisk disk;
  TestAuthority authority{folder.path(), "authority"};
  TlsSettings acceptor_settings;
  TlsSettings initiator_settings;
  std::shared_ptr<TlsContext> acceptor_context;
  TlsSide acceptor;
  TlsSide initiator;
  std::uint16_t port = 0;
};

}  // namespace nexusfix::transport
