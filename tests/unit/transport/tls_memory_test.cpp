// The memory of connections in wrapping networks, and that only one connection fails when there is
// none. It is a program of its own because it replaces operator new.
#include <algorithm>
#include <malloc.h>
#include <netinet/in.h>
#include <openssl/crypto.h>
#include <sys/socket.h>

#include <nexusfix/transport/network.hpp>

#include "proxy/proxied_network.hpp"
#include "support/failing_new.hpp"
#include "tls_fixture.hpp"
#include "transport/api/tls.hpp"
#include "transport/tcp/descriptor.hpp"

namespace nexusfix::transport {
namespace {

constexpr std::size_t kAnswerBytes = 64U << 10U;

// OpenSSL allocates with malloc(), which operator new does not see. Set before its first
// allocation.
std::size_t openssl_allocations = 0;
std::size_t openssl_frees = 0;
std::size_t openssl_bytes_max = 0;

void* counted_malloc(std::size_t size, const char*, int) {
  ++openssl_allocations;
  openssl_bytes_max = std::max(openssl_bytes_max, size);
  return std::malloc(size);
}
void* counted_realloc(void* memory, std::size_t size, const char*, int) {
  openssl_frees += memory != nullptr ? 1 : 0;
  ++openssl_allocations;
  openssl_bytes_max = std::max(openssl_bytes_max, size);
  return std::realloc(memory, size);
}
void counted_free(void* memory, const char*, int) {
  openssl_frees += memory != nullptr ? 1 : 0;
  std::free(memory);
}

const bool counts_openssl =
    CRYPTO_set_mem_functions(counted_malloc, counted_realloc, counted_free) == 1;

class TlsMemoryTest : public TlsTest {
 protected:
  // An acceptor's turn, as an engine does it. The nth allocation of the network from here on fails.
  // Allocations of this test always succeed.
  void turn(std::size_t& nth) {
    std::array<Ready, 16> events;
    std::size_t count = 0;
    within(nth, [&] { count = acceptor.tls->wait(events, std::chrono::nanoseconds{0}); });
    for (const Ready& ready : std::span{events}.first(count)) {
      if (ready.kind == Ready::Kind::Accepted) {
        accepted_ = ready.accepted;
      } else if (ready.kind == Ready::Kind::Readable && ready.socket == accepted_) {
        receive_request(nth);
      } else if (ready.kind == Ready::Kind::Readable && ready.socket == acceptor.socket) {
        acceptor.receive(ready.socket);
      } else if (ready.kind == Ready::Kind::Writable && ready.socket == accepted_) {
        send_answer(nth);
      }
    }
  }
  void receive_request(std::size_t& nth) {
    std::array<char, 4'096> buffer;
    IoResult result{};
    within(nth, [&] { result = acceptor.tls->receive(accepted_, buffer); });
    if (result.status == IoResult::Status::Failed) return end_connection(nth, result.error_number);
    if (result.status == IoResult::Status::Ok) send_answer(nth);
  }
  // More bytes than the peer, which does not read yet, has room for.
  void send_answer(std::size_t& nth) {
    const std::string answer(kAnswerBytes, 'x');
    for (int i = 0; i < 200; ++i) {
      IoResult result{};
      within(nth, [&] { result = acceptor.tls->send(accepted_, answer); });
      if (result.status == IoResult::Status::Failed)
        return end_connection(nth, result.error_number);
      if (result.status == IoResult::Status::WouldBlock) break;
    }
    is_answered_ = true;
  }
  void end_connection(std::size_t& nth, int error_number) {
    if (error_number == ENOMEM) {
      EXPECT_NE(acceptor.tls->last_error(accepted_).find("memory"), std::string::npos);
    }
    within(nth, [&] { acceptor.tls->close(accepted_); });
    is_ended_ = true;
  }
  template <class Step>
  void within(std::size_t& nth, Step&& step) {
    if (!has_failed_) test::fail_at(nth);
    step();
    if (has_failed_) return;
    nth -= std::min(nth - 1, test::stop_failing());
    has_failed_ = test::has_failed();
  }

  void expect_other_unharmed() {
    acceptor.received.clear();
    initiator.received.clear();
    expect_talk();
  }

  SocketId accepted_ = 0;
  bool is_answered_ = false;
  bool is_ended_ = false;
  bool has_failed_ = false;
};

TEST_F(TlsMemoryTest, when_any_allocation_fails_one_connection_ends_and_the_others_continue) {
  meet();
  expect_talk();
  std::size_t nth = 1;
  std::size_t refused = 0;
  const auto initiator_context = context(initiator_settings);
  for (has_failed_ = true; has_failed_ && !HasFailure(); ++nth) {
    TlsSide initiator;
    accepted_ = 0;
    is_answered_ = is_ended_ = has_failed_ = false;
    const std::uint64_t refused_before = acceptor.tls->connections_refused();
    initiator.socket = initiator.tls->connect({"localhost", port, {}, initiator_context}).value();
    std::size_t left = nth;
    bool has_asked = false;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{5};
    while (!is_answered_ && !is_ended_ && !initiator.end &&
           std::chrono::steady_clock::now() < deadline) {
      turn(left);
      if (!has_asked) initiator.poll();
      if (initiator.is_connected && !has_asked) {
        has_asked = initiator.tls->send(initiator.socket, std::string_view{"8=FIX"}).bytes > 0;
      }
    }
    ASSERT_TRUE(is_answered_ || is_ended_ || initiator.end) << "allocation " << nth;
    EXPECT_TRUE(has_failed_ || is_answered_);
    refused += acceptor.tls->connections_refused() - refused_before;
    if (accepted_ != 0 && !is_ended_) acceptor.tls->close(accepted_);
    expect_other_unharmed();
  }
  EXPECT_GT(nth, 5U);
  EXPECT_GT(refused, 0U) << "connections that were not even started";
  std::printf("%zu allocations failed, each alone\n", nth - 1);
}

// The memory of a message over TLS, as docs/guide/low-latency.md states it. The numbers are those
// of OpenSSL 3.0; another version may need less.
struct TlsCost {
  std::optional<TlsVersion> version;
  std::size_t to_send = 0;
  std::size_t to_receive = 0;
};

class TlsAllocationTest : public TlsTest, public ::testing::WithParamInterface<TlsCost> {};

TEST_P(TlsAllocationTest, a_message_takes_memory_of_openssl_alone_and_no_more_than_stated) {
  ASSERT_TRUE(counts_openssl);
  if (GetParam().version) acceptor_settings.version_max = *GetParam().version;
  meet();
  const std::string message(250, 'm');
  std::array<char, 4'096> buffer;
  constexpr std::size_t kWarmUp = 16;
  constexpr std::size_t kMessages = 1'000;
  std::size_t own = 0;
  std::size_t kept = 0;  // after the call
  std::size_t to_send = 0;
  std::size_t to_receive = 0;
  const auto count = [&](std::size_t& of_openssl, auto&& call) {
    const std::size_t own_before = test::allocations;
    const std::size_t before = openssl_allocations;
    const std::size_t frees_before = openssl_frees;
    const IoResult result = call();
    of_openssl += openssl_allocations - before;
    kept += (openssl_allocations - before) - (openssl_frees - frees_before);
    own += test::allocations - own_before;
    return result;
  };
  for (std::size_t i = 0; i < kWarmUp + kMessages; ++i) {
    if (i == kWarmUp) own = to_send = to_receive = kept = openssl_bytes_max = 0;
    const IoResult out =
        count(to_send, [&] { return initiator.tls->send(initiator.socket, message); });
    ASSERT_EQ(out.bytes, message.size());
    IoResult in{.status = IoResult::Status::WouldBlock};
    while (in.status == IoResult::Status::WouldBlock) {
      std::array<Ready, 4> events;
      static_cast<void>(acceptor.tls->wait(events, std::chrono::seconds{1}));
      in = count(to_receive, [&] { return acceptor.tls->receive(acceptor.socket, buffer); });
    }
    ASSERT_EQ(in.status, IoResult::Status::Ok);
    ASSERT_EQ(in.bytes, message.size());
  }
  std::printf(
      "%zu messages: %zu allocations of OpenSSL to send, %zu to receive, %zu bytes at most\n",
      kMessages, to_send, to_receive, openssl_bytes_max);
  EXPECT_EQ(own, 0U);
  EXPECT_EQ(kept, 0U);
  EXPECT_LE(openssl_bytes_max, 1'000U) << "kept by malloc() for the thread";
  EXPECT_LE(to_send, GetParam().to_send * kMessages);
  EXPECT_LE(to_receive, GetParam().to_receive * kMessages);
}

INSTANTIATE_TEST_SUITE_P(Versions, TlsAllocationTest,
                         ::testing::Values(TlsCost{std::nullopt, 3, 1},
                                           TlsCost{TlsVersion::V1_2, 2, 0}),
                         [](const auto& info) {
                           return info.param.version ? "tls_1_2" : "tls_1_3";
                         });

// A silent flood costs the attacker more than the acceptor.
TEST_F(TlsMemoryTest, silent_connection_has_no_buffer_to_read_into) {
  listen();
  constexpr std::size_t kSilent = 64;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::vector<Descriptor> silent(kSilent);
  const std::size_t before = mallinfo2().uordblks;
  std::size_t accepted = 0;
  std::array<Ready, 16> events;
  for (Descriptor& one : silent) {
    one = Descriptor{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    ASSERT_EQ(::connect(one.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    accepted += acceptor.tls->wait(events, std::chrono::nanoseconds{0});
  }
  while (accepted < kSilent) accepted += acceptor.tls->wait(events, std::chrono::seconds{1});
  const std::size_t each = (mallinfo2().uordblks - before) / kSilent;
  std::printf("a silent connection: %zu bytes\n", each);
  EXPECT_LT(each, 16U << 10U);

  // The cost of a connection without a Logon, as docs/operations/security.md states it.
  constexpr char kHandshake = 22;
  for (const Descriptor& one : silent) ASSERT_EQ(::send(one.get(), &kHandshake, 1, 0), 1);
  for (std::size_t turn = 0; turn < 2 * kSilent; ++turn) {
    static_cast<void>(acceptor.tls->wait(events, std::chrono::milliseconds{1}));
  }
  const std::size_t begun = (mallinfo2().uordblks - before) / kSilent;
  std::printf("with a byte of a handshake: %zu bytes\n", begun);
  EXPECT_GE(begun, each);
  EXPECT_LT(begun, 96U << 10U);
}

// Otherwise it would stay open and unknown.
TEST(ProxiedMemory, connection_without_memory_for_it_is_closed_when_it_is_attached) {
  bool is_attached = false;
  std::size_t refused = 0;
  for (std::size_t nth = 1; !is_attached && nth < 100; ++nth) {
    const auto inner = std::move(*make_epoll_network());
    const auto proxied = make_proxied_network(*inner);
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    const Descriptor far{ends[1]};
    Detached detached{.descriptor = ends[0], .announced = "[2001:db8:1234:5678::9abc]:40112"};
    test::fail_at(nth);
    try {
      is_attached = proxied->attach(std::move(detached)).has_value();
      static_cast<void>(test::stop_failing());
    } catch (const std::bad_alloc&) {
      static_cast<void>(test::stop_failing());
      ++refused;
      char byte = 0;
      EXPECT_EQ(::recv(far.get(), &byte, 1, 0), 0) << "allocation " << nth;
    }
  }
  EXPECT_TRUE(is_attached);
  EXPECT_GT(refused, 0U);
}

}  // namespace
}  // namespace nexusfix::transport
