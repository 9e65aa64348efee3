#include "console/http/http_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "support/manual_clock.hpp"
#include "support/network/fake_network.hpp"

namespace nexusfix::web {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::ManualClock;
using ::testing::StartsWith;
using transport::SocketId;

// Counts the ticks.
class TickStream final : public Stream {
 public:
  std::shared_ptr<const std::string> next(MonoTime) override {
    return std::make_shared<const std::string>("tick " + std::to_string(++ticks_) + '\n');
  }

 private:
  int ticks_ = 0;
};

class TestSite final : public Site {
 public:
  void answer(Request request, Reply reply) override {
    requests.push_back(request);
    if (request.path == "/late") {
      late.push_back(std::move(reply));
    } else if (request.path == "/stream") {
      Response response{.content_type = "text/event-stream", .body = "begin\n"};
      response.stream = std::make_unique<TickStream>();
      reply.send(std::move(response));
    } else if (request.path == "/large") {
      reply.send({.body = std::string(1U << 20U, 'x')});
    } else {
      reply.send(text_response(200, request.path));
    }
  }
  std::vector<Request> requests;
  std::vector<Reply> late;
};

class HttpServerTest : public ::testing::Test {
 protected:
  HttpServerTest() { port = server.listen({.host = "", .port = 8080}, site).value(); }
  SocketId connect() {
    const SocketId socket = clients.connect({.host = "server", .port = port}).value();
    turn();
    return socket;
  }
  void send(SocketId socket, std::string_view bytes) {
    ASSERT_EQ(clients.send(socket, bytes).bytes, bytes.size());
    turn();
  }
  // The server, and then what clients receive.
  void turn() {
    server.turn();
    server.turn();
    std::array<transport::Ready, 64> events;
    std::array<char, 65'536> buffer;
    while (const std::size_t count = clients.wait(events, std::chrono::nanoseconds{0})) {
      bool moved = false;
      for (const transport::Ready& ready : std::span{events}.first(count)) {
        const auto got = clients.receive(ready.socket, buffer);
        if (got.status == transport::IoResult::Status::Ok && got.bytes > 0) {
          received[ready.socket].append(buffer.data(), got.bytes);
          moved = true;
        } else if (got.status != transport::IoResult::Status::WouldBlock) {
          ended.insert(ready.socket);
          clients.close(ready.socket);
          moved = true;
        }
      }
      if (!moved) break;
    }
  }
  void advance(std::chrono::milliseconds by) {
    clock.advance(by);
    turn();
  }

  transport::FakeInternet internet;
  transport::FakeNetwork network{internet};
  transport::FakeNetwork clients{internet, "10.0.0.2"};
  ManualClock clock;
  TestSite site;
  HttpServer server{network, clock, {.connections_max = 250, .per_source_max = 220}};
  std::uint16_t port = 0;
  std::map<SocketId, std::string> received;
  std::set<SocketId> ended;
};

TEST_F(HttpServerTest, answer_has_its_length_and_the_headers_that_protect_a_page) {
  const SocketId client = connect();
  send(client, "GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(received[client], StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(received[client], EndsWith("\r\n\r\n/a\n"));
  for (const char* const field :
       {"Content-Length: 3\r\n", "X-Content-Type-Options: nosniff\r\n", "X-Frame-Options: DENY\r\n",
        "Cache-Control: no-store\r\n", "frame-ancestors 'none'", "default-src 'none'"}) {
    EXPECT_THAT(received[client], HasSubstr(field));
  }
  EXPECT_EQ(received[client].find("unsafe"), std::string::npos);
  EXPECT_FALSE(ended.contains(client));
}

TEST_F(HttpServerTest, requests_that_come_together_are_answered_in_order) {
  const SocketId client = connect();
  send(client, "GET /a HTTP/1.1\r\n\r\nGET /late HTTP/1.1\r\n\r\nGET /c HTTP/1.1\r\n\r\n");
  turn();
  EXPECT_EQ(site.requests.size(), 2U) << "the third waits for the answer to the second";
  site.late.at(0).send(text_response(200, "late"));
  turn();
  turn();
  EXPECT_THAT(received[client], EndsWith("\r\n\r\n/c\n"));
  EXPECT_LT(received[client].find("late\n"), received[client].find("/c\n"));
}

TEST_F(HttpServerTest, head_has_no_body_and_old_clients_are_closed) {
  const SocketId client = connect();
  send(client, "HEAD /a HTTP/1.0\r\n\r\n");
  EXPECT_THAT(received[client], EndsWith("\r\n\r\n"));
  EXPECT_TRUE(ended.contains(client));
}

// A slow loris sends a header byte by byte, and never ends it.
TEST_F(HttpServerTest, half_request_is_cut_off_although_bytes_still_come) {
  const SocketId client = connect();
  send(client, "GET / HTTP/1.1\r\n");
  for (int second = 0; second < 9; ++second) {
    advance(std::chrono::seconds{1});
    send(client, "X: y\r\n");
  }
  EXPECT_FALSE(ended.contains(client));
  advance(std::chrono::seconds{2});
  EXPECT_TRUE(ended.contains(client));
  EXPECT_EQ(server.cut_off(), 1U);
}

TEST_F(HttpServerTest, silent_connections_are_closed) {
  const SocketId never = connect();
  const SocketId idle = connect();
  send(idle, "GET / HTTP/1.1\r\n\r\n");
  advance(std::chrono::seconds{11});
  EXPECT_TRUE(ended.contains(never));
  EXPECT_FALSE(ended.contains(idle));
  advance(std::chrono::seconds{20});
  EXPECT_TRUE(ended.contains(idle));
}

TEST_F(HttpServerTest, client_that_does_not_read_its_answer_is_cut_off) {
  const SocketId client = connect();
  ASSERT_EQ(clients.send(client, std::string_view{"GET /large HTTP/1.1\r\n\r\n"}).bytes, 23U);
  for (int i = 0; i < 3; ++i) server.turn();
  clock.advance(std::chrono::seconds{31});
  server.turn();
  EXPECT_EQ(server.cut_off(), 1U);
}

TEST_F(HttpServerTest, oversized_header_is_refused_in_one_line) {
  const SocketId client = connect();
  send(client, "GET / HTTP/1.1\r\nX: " + std::string(9'000, 'x'));
  EXPECT_THAT(received[client], StartsWith("HTTP/1.1 431 "));
  EXPECT_TRUE(ended.contains(client));
}

TEST_F(HttpServerTest, two_hundred_streams_each_get_every_tick) {
  std::vector<SocketId> sockets;
  for (int i = 0; i < 200; ++i) {
    sockets.push_back(connect());
    send(sockets.back(), "GET /stream HTTP/1.1\r\n\r\n");
  }
  for (int second = 0; second < 3; ++second) {
    advance(std::chrono::seconds{1});
    for (int i = 0; i < 5; ++i) turn();
  }
  for (const SocketId socket : sockets) {
    EXPECT_THAT(received[socket], EndsWith("begin\ntick 1\ntick 2\ntick 3\n"));
  }
  EXPECT_EQ(server.cut_off(), 0U);
}

TEST_F(HttpServerTest, slow_stream_misses_ticks_and_is_cut_off_when_it_reads_nothing) {
  internet.limits.send_bytes_max = 2'000;
  const SocketId client = connect();
  send(client, "GET /stream HTTP/1.1\r\n\r\n");
  internet.limits.send_bytes_max = 1;
  clock.advance(std::chrono::seconds{1});
  server.turn();  // one byte of "tick 1" leaves
  internet.limits.send_bytes_max = 0;
  for (int second = 0; second < 29; ++second) {
    clock.advance(std::chrono::seconds{1});
    server.turn();
  }
  EXPECT_EQ(server.cut_off(), 0U);
  clock.advance(std::chrono::seconds{2});
  server.turn();
  EXPECT_EQ(server.cut_off(), 1U);
}

// Clients of several addresses, and a server with small limits.
class FullServerTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kMax = 8;
  static constexpr std::size_t kPerSource = 5;
  FullServerTest() { static_cast<void>(server.listen({.host = "", .port = 8080}, site).value()); }

  transport::FakeNetwork& client(const std::string& address) {
    auto& found = clients[address];
    if (!found) found = std::make_unique<transport::FakeNetwork>(internet, address);
    return *found;
  }
  SocketId connect(const std::string& address, std::string_view bytes = {}) {
    return connect_to(8080, address, bytes);
  }
  SocketId connect_to(std::uint16_t port, const std::string& address, std::string_view bytes) {
    const SocketId socket = client(address).connect({.host = "server", .port = port}).value();
    std::array<transport::Ready, 64> events;
    static_cast<void>(client(address).wait(events, std::chrono::nanoseconds{0}));
    server.turn();
    if (!bytes.empty()) {
      static_cast<void>(client(address).send(socket, bytes));
      server.turn();
    }
    clock.advance(std::chrono::milliseconds{1});
    return socket;
  }
  // What each connection of the address has received, and which have ended.
  void read(const std::string& address) {
    std::array<transport::Ready, 64> events;
    std::array<char, 4'096> buffer;
    const std::size_t count = client(address).wait(events, std::chrono::nanoseconds{0});
    for (const transport::Ready& ready : std::span{events}.first(count)) {
      for (;;) {
        const auto got = client(address).receive(ready.socket, buffer);
        if (got.status == transport::IoResult::Status::WouldBlock) break;
        if (got.status == transport::IoResult::Status::Ok) {
          received[{address, ready.socket}].append(buffer.data(), got.bytes);
          continue;
        }
        ended.insert({address, ready.socket});
        client(address).close(ready.socket);
        break;
      }
    }
  }
  bool has_ended(const std::string& address, SocketId socket) {
    server.turn();
    read(address);
    return ended.contains({address, socket});
  }
  std::string answer(const std::string& address, SocketId socket) {
    server.turn();
    read(address);
    return received[{address, socket}];
  }

  transport::FakeInternet internet{4'096};
  transport::FakeNetwork network{internet};
  std::map<std::string, std::unique_ptr<transport::FakeNetwork>> clients;
  ManualClock clock;
  TestSite site;
  HttpServer server{
      network,
      clock,
      {.connections_max = kMax, .per_source_max = kPerSource, .unread_bytes_max = 3U << 20U}};
  std::map<std::pair<std::string, SocketId>, std::string> received;
  std::set<std::pair<std::string, SocketId>> ended;
};

constexpr std::string_view kGetHealth = "GET /healthz HTTP/1.1\r\n\r\n";

TEST_F(FullServerTest, address_with_its_share_loses_its_own_longest_waiting_connection) {
  const SocketId other = connect("10.0.0.3");
  std::vector<SocketId> idle;
  for (std::size_t i = 0; i < kPerSource; ++i) idle.push_back(connect("10.0.0.2"));
  EXPECT_FALSE(has_ended("10.0.0.2", idle[0]));
  const SocketId next = connect("10.0.0.2", kGetHealth);
  EXPECT_THAT(answer("10.0.0.2", next), EndsWith("/healthz\n"));
  EXPECT_TRUE(has_ended("10.0.0.2", idle[0]));
  EXPECT_FALSE(has_ended("10.0.0.2", idle[1]));
  EXPECT_FALSE(has_ended("10.0.0.3", other));
}

TEST_F(FullServerTest, full_port_takes_a_place_of_the_address_that_waits_most) {
  std::vector<SocketId> idle;
  for (std::size_t i = 0; i < kPerSource; ++i) idle.push_back(connect("10.0.0.2"));
  const SocketId first = connect("10.0.0.3", "GET /");
  while (server.cut_off() == 0) static_cast<void>(connect("10.0.0.4"));
  EXPECT_TRUE(has_ended("10.0.0.2", idle[0]));
  EXPECT_FALSE(has_ended("10.0.0.3", first));
  const SocketId health = connect("10.0.0.5", kGetHealth);
  EXPECT_THAT(answer("10.0.0.5", health), EndsWith("/healthz\n"));
}

// A flood of connections that send nothing, half requests, or read no answer.
TEST_F(FullServerTest, client_that_acts_is_answered_whatever_others_of_its_address_do) {
  for (const std::string_view bytes : {std::string_view{}, std::string_view{"GET / HT"},
                                       std::string_view{"GET /large HTTP/1.1\r\n\r\n"}}) {
    for (std::size_t i = 0; i < 3 * kMax; ++i) static_cast<void>(connect("10.0.0.2", bytes));
    const SocketId health = connect("10.0.0.2", kGetHealth);
    std::array<char, 4'096> buffer;
    const auto got = client("10.0.0.2").receive(health, buffer);
    ASSERT_EQ(got.status, transport::IoResult::Status::Ok) << bytes;
    EXPECT_THAT(std::string(buffer.data(), got.bytes), EndsWith("/healthz\n"));
  }
}

TEST_F(FullServerTest, port_whose_clients_all_wait_for_it_answers_503) {
  for (std::size_t i = 0; i < kMax; ++i) {
    static_cast<void>(connect("10.0.0." + std::to_string(20 + i), "GET /late HTTP/1.1\r\n\r\n"));
  }
  const SocketId last = connect("10.0.0.2");
  EXPECT_THAT(answer("10.0.0.2", last), StartsWith("HTTP/1.1 503 "));
  EXPECT_TRUE(has_ended("10.0.0.2", last));
  EXPECT_EQ(site.late.size(), kMax);
}

TEST_F(FullServerTest, unread_answers_have_a_bound_and_the_oldest_gives_way) {
  std::vector<SocketId> deaf;
  for (int i = 0; i < 2; ++i) deaf.push_back(connect("10.0.0.2", "GET /large HTTP/1.1\r\n\r\n"));
  EXPECT_EQ(server.cut_off(), 0U);
  static_cast<void>(connect("10.0.0.3", "GET /large HTTP/1.1\r\n\r\n"));
  EXPECT_EQ(server.cut_off(), 1U);
  EXPECT_TRUE(has_ended("10.0.0.2", deaf[0]));
}

TEST_F(FullServerTest, other_port_has_its_own_places) {
  TestSite other;
  static_cast<void>(server.listen({.host = "", .port = 8081}, other).value());
  for (std::size_t i = 0; i < kMax; ++i) {
    static_cast<void>(connect("10.0.0." + std::to_string(20 + i), "GET /late HTTP/1.1\r\n\r\n"));
  }
  const SocketId socket = connect_to(8081, "10.0.0.2", kGetHealth);
  EXPECT_THAT(answer("10.0.0.2", socket), EndsWith("/healthz\n"));
}

TEST_F(HttpServerTest, delayed_answer_comes_when_its_time_has_passed) {
  const SocketId client = connect();
  send(client, "GET /late HTTP/1.1\r\n\r\n");
  Response response = text_response(200, "late");
  response.delay = std::chrono::seconds{2};
  site.late.at(0).send(std::move(response));
  advance(std::chrono::milliseconds{1'000});
  advance(std::chrono::milliseconds{900});
  EXPECT_EQ(received[client], "");
  advance(std::chrono::milliseconds{1'100});
  EXPECT_THAT(received[client], EndsWith("\r\n\r\nlate\n"));
  send(client, "GET /a HTTP/1.1\r\n\r\n");
  EXPECT_THAT(received[client], EndsWith("/a\n"));
}

TEST_F(HttpServerTest, answer_is_wanted_until_its_client_has_gone) {
  const SocketId client = connect();
  send(client, "GET /late HTTP/1.1\r\n\r\n");
  ASSERT_EQ(site.late.size(), 1U);
  EXPECT_TRUE(site.late[0].is_wanted());
  clients.close(client);
  turn();
  EXPECT_FALSE(site.late[0].is_wanted());
}

// A client may end its side after its last request (RFC 9112, section 9.6).
TEST_F(HttpServerTest, half_closed_client_gets_the_whole_of_an_answer_that_has_begun) {
  internet.limits.send_bytes_max = 100'000;
  const SocketId client = connect();
  ASSERT_EQ(clients.send(client, std::string_view{"GET /large HTTP/1.1\r\n\r\n"}).bytes, 23U);
  for (int i = 0; i < 30; ++i) turn();
  EXPECT_GT(received[client].size(), std::size_t{1} << 20U);
}

TEST_F(HttpServerTest, late_answer_to_a_client_that_has_gone_is_dropped) {
  const SocketId client = connect();
  send(client, "GET /late HTTP/1.1\r\n\r\n");
  clients.close(client);
  turn();
  clock.advance(std::chrono::seconds{1});
  turn();
  site.late.at(0).send(text_response(200, "late"));
  turn();
  EXPECT_EQ(received[client], "");
}

TEST(HttpServerEnd, reply_may_outlive_the_server) {
  transport::FakeInternet internet;
  transport::FakeNetwork network{internet};
  transport::FakeNetwork clients{internet};
  ManualClock clock;
  TestSite site;
  {
    HttpServer server{network, clock};
    const auto port = server.listen({.host = "", .port = 0}, site).value();
    const SocketId client = clients.connect({.host = "server", .port = port}).value();
    server.turn();
    std::array<transport::Ready, 4> events;
    ASSERT_GT(clients.wait(events, std::chrono::nanoseconds{0}), 0U);
    ASSERT_EQ(clients.send(client, std::string_view{"GET /late HTTP/1.1\r\n\r\n"}).bytes, 22U);
    server.turn();
  }
  site.late.at(0).send(text_response(200, "late"));
  EXPECT_EQ(network.open_sockets(), 0U);
}

}  // namespace
}  // namespace nexusfix::web
