// The front door over a network in memory: which engine gets a connection, and what is refused.
#include "cluster/front_door/front_door.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include <nexusfix/transport/network.hpp>

#include "cluster/front_door/proxy_line.hpp"
#include "support/fix_text.hpp"
#include "support/manual_clock.hpp"
#include "support/network/fake_network.hpp"
#include "support/recording_log.hpp"

namespace nexusfix::front_door {
namespace {

using namespace std::chrono_literals;
using testing::fix;
using transport::FakeNetwork;
using IoStatus = transport::IoResult::Status;
using transport::Ready;
using ReadyKind = transport::Ready::Kind;
using transport::SocketId;

constexpr std::uint16_t kPortA = 5001;
constexpr std::uint16_t kPortB = 5002;

config::Settings settings_of(std::string_view sessions) {
  std::string text = "[DEFAULT]\nConnectionType=acceptor\nBeginString=FIX.4.4\nStore=memory\n";
  auto settings = config::parse_settings(text.append(sessions), "shard.cfg");
  EXPECT_TRUE(settings) << settings.error().front().what();
  return std::move(*settings);
}

std::string logon(std::string_view target, std::string_view sender, std::string_view more = {}) {
  return fix("FIX.4.4", "35=A|34=1|49=" + std::string{sender} + "|52=20240115-10:30:00|56=" +
                            std::string{target} + "|98=0|108=30|" + std::string{more});
}

// A party of the network, with one connection at a time.
struct Party {
  explicit Party(transport::FakeInternet& internet, std::string address)
      : network{internet, std::move(address)} {}

  void look() {
    std::array<Ready, 16> events;
    const std::size_t count = network.wait(events, 0ns);
    for (std::size_t at = 0; at < count; ++at) {
      const Ready& ready = events[at];
      if (ready.kind == ReadyKind::Accepted) socket = ready.accepted;
      if (ready.kind == ReadyKind::Readable) read();
    }
  }
  void read() {
    std::array<char, 4096> buffer;
    const transport::IoResult got = network.receive(socket, buffer);
    if (got.status == IoStatus::Ok)
      received.append(buffer.data(), got.bytes);
    else if (got.status != IoStatus::WouldBlock)
      has_ended = true;
  }
  void send(std::string_view bytes) { EXPECT_EQ(network.send(socket, bytes).bytes, bytes.size()); }

  FakeNetwork network;
  SocketId socket = 0;
  std::string received;
  bool has_ended = false;
};

class FrontDoorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(shards_.add(settings_of("SocketAcceptPort=5001\n[SESSION]\nSenderCompID=VENUE\n"
                                        "TargetCompID=ALICE\n"),
                            {"node1", "node2"}));
    ASSERT_TRUE(shards_.add(settings_of("SocketAcceptPort=5002\nUseTCPProxy=Y\n"
                                        "TrustedProxies=10.0.0.1\n[SESSION]\nSenderCompID=VENUE\n"
                                        "TargetCompID=BOB\n"),
                            {"node1", "node2"}));
    ASSERT_TRUE(door_.open());
  }

  void connect() {
    client_.socket = client_.network.connect({"door", door_.port()}).value();
    turn();
  }
  void turn() {
    for (int round = 0; round < 8; ++round) {
      client_.look();
      door_.serve(0ns);
      owner_.look();
    }
  }
  void pass(std::chrono::nanoseconds time) {
    clock_.advance(time);
    turn();
  }
  void own(std::uint16_t port) { ASSERT_TRUE(owner_.network.listen({"", port})); }

  transport::FakeInternet internet_;
  Party client_{internet_, "10.0.0.9"};
  Party owner_{internet_, "10.0.0.2"};
  FakeNetwork network_{internet_, "10.0.0.1"};
  testing::ManualClock clock_;
  testing::RecordingLog events_;
  ShardDirectory shards_;
  FrontDoor door_{network_, clock_, events_, shards_, {}};
};

TEST_F(FrontDoorTest, hands_a_connection_to_the_owner_of_its_session_and_moves_both_sides) {
  own(kPortA);
  connect();
  const std::string first = logon("VENUE", "ALICE");
  client_.send(first.substr(0, 20));
  turn();
  EXPECT_EQ(owner_.socket, 0U);
  client_.send(first.substr(20) + "next");
  turn();
  EXPECT_EQ(owner_.received, first + "next");
  owner_.send("answer");
  client_.send("more");
  turn();
  EXPECT_EQ(client_.received, "answer");
  EXPECT_EQ(owner_.received, first + "nextmore");
  EXPECT_TRUE(events_.has(EventId::FrontDoorHandedOver, "FIX.4.4:VENUE->ALICE"));
  EXPECT_EQ(door_.open_count(), 1U);
}

TEST_F(FrontDoorTest, names_the_client_in_a_header_where_the_engine_expects_one) {
  own(kPortB);
  connect();
  client_.send(logon("VENUE", "BOB"));
  turn();
  const std::string port = std::to_string(client_.network.local_port(client_.socket));
  EXPECT_EQ(owner_.received, "PROXY TCP4 10.0.0.9 0.0.0.0 " + port + " " +
                                 std::to_string(door_.port()) + "\r\n" + logon("VENUE", "BOB"));
}

TEST_F(FrontDoorTest, waits_for_an_owner_and_then_gives_it_the_logon) {
  connect();
  client_.send(logon("VENUE", "ALICE"));
  turn();
  pass(3s);
  EXPECT_EQ(door_.waiting_count(), 1U);
  own(kPortA);
  pass(100ms);
  EXPECT_EQ(owner_.received, logon("VENUE", "ALICE"));
  EXPECT_EQ(door_.open_count(), 1U);
}

TEST_F(FrontDoorTest, tries_the_next_host_when_one_does_not_answer) {
  own(kPortA);
  internet_.swallow(kPortA, true);
  connect();
  client_.send(logon("VENUE", "ALICE"));
  turn();
  internet_.swallow(kPortA, false);
  pass(900ms);
  EXPECT_EQ(owner_.received, "");
  pass(200ms);
  EXPECT_EQ(owner_.received, logon("VENUE", "ALICE"));
}

TEST_F(FrontDoorTest, closes_a_connection_that_no_engine_accepts_in_time) {
  connect();
  client_.send(logon("VENUE", "ALICE"));
  turn();
  pass(19s);
  EXPECT_FALSE(client_.has_ended);
  pass(2s);
  EXPECT_TRUE(client_.has_ended);
  EXPECT_EQ(client_.received, "");
  EXPECT_TRUE(events_.has(EventId::FrontDoorNoOwner, "within 20 s"));
  EXPECT_EQ(network_.open_sockets(), 1U);  // the listener
}

TEST_F(FrontDoorTest, refuses_what_is_no_logon_of_a_known_session_without_an_answer) {
  const std::pair<std::string, std::string> cases[] = {
      {logon("VENUE", "EVE"), "no shard has the session FIX.4.4:VENUE->EVE"},
      {fix("FIX.4.4", "35=0|34=1|49=ALICE|52=20240115-10:30:00|56=VENUE|"), "not a Logon"},
      {logon("VENUE", "ALICE").replace(23, 1, "2"), "garbled"},
      {fix("FIX.4.4", "35=A|34=1|49=ALICE|52=20240115-10:30:00|"), "no TargetCompID"},
      {"GET / HTTP/1.1\r\n\r\n", "no FIX message"},
      {logon("VENUE", "ALICE", "58=" + std::string(5'000, 'x') + "|"), "no FIX message"},
  };
  own(kPortA);
  for (const auto& [bytes, why] : cases) {
    client_.has_ended = false;
    events_.clear();
    connect();
    client_.send(bytes);
    turn();
    EXPECT_TRUE(client_.has_ended) << why;
    EXPECT_EQ(client_.received, "");
    EXPECT_TRUE(events_.has(EventId::FrontDoorRefused, why)) << events_.all();
  }
  EXPECT_EQ(owner_.socket, 0U);
}

TEST_F(FrontDoorTest, closes_a_connection_without_a_logon_after_its_time) {
  connect();
  client_.send("8=FIX.4.4\x01");
  pass(11s);
  EXPECT_TRUE(client_.has_ended);
  EXPECT_TRUE(events_.has(EventId::FrontDoorRefused, "did not come in time"));
}

TEST_F(FrontDoorTest, a_balancer_that_looks_whether_the_port_is_open_is_not_reported) {
  connect();
  client_.network.close(client_.socket);
  turn();
  EXPECT_EQ(door_.waiting_count(), 0U);
  EXPECT_FALSE(events_.has(EventId::FrontDoorRefused, "")) << events_.all();
  connect();
  client_.send("8=FIX");
  client_.network.close(client_.socket);
  turn();
  EXPECT_TRUE(events_.has(EventId::FrontDoorRefused, "ended the connection before a Logon"))
      << events_.all();
}

TEST_F(FrontDoorTest, gives_the_last_bytes_of_an_owner_to_a_slow_client) {
  own(kPortA);
  connect();
  client_.send(logon("VENUE", "ALICE"));
  turn();
  const std::string answer(1'000, 'a');
  owner_.send(answer);
  internet_.limits.send_bytes_max = 10;  // the client takes no more at once
  door_.serve(0ns);
  owner_.network.close(owner_.socket);
  for (int i = 0; i < 100; ++i) turn();
  EXPECT_EQ(client_.received, answer);
  EXPECT_TRUE(client_.has_ended);
  EXPECT_TRUE(events_.has(EventId::FrontDoorEnded, "the owner: it closed the connection"));
  EXPECT_EQ(network_.open_sockets(), 1U);
}

TEST_F(FrontDoorTest, a_reader_that_is_slow_stops_the_other_side_and_loses_nothing) {
  own(kPortA);
  connect();
  client_.send(logon("VENUE", "ALICE"));
  turn();
  std::string all;
  internet_.limits.send_bytes_max = 7;  // of the front door, too
  for (int i = 0; i < 200; ++i) {
    const std::string part = std::to_string(i) + ";";
    owner_.send(part);
    all += part;
    if (i % 50 == 49) turn();
  }
  for (int i = 0; i < 200; ++i) turn();
  EXPECT_EQ(client_.received, all);
  client_.network.close(client_.socket);
  turn();
  EXPECT_TRUE(owner_.has_ended);
}

TEST_F(FrontDoorTest, closes_the_oldest_connection_when_too_many_wait) {
  FrontDoor small{network_, clock_, events_, shards_, {.waiting_max = 2}};
  ASSERT_TRUE(small.open());
  SocketId sockets[3];
  for (SocketId& socket : sockets) {
    socket = client_.network.connect({"door", small.port()}).value();
    small.serve(0ns);
    client_.look();  // it is connected
  }
  EXPECT_EQ(small.waiting_count(), 2U);
  std::array<char, 8> buffer;
  EXPECT_EQ(client_.network.receive(sockets[0], buffer).status, IoStatus::Closed);
  EXPECT_EQ(client_.network.receive(sockets[1], buffer).status, IoStatus::WouldBlock);
}

TEST_F(FrontDoorTest, connections_without_a_logon_do_not_displace_a_client_that_waits) {
  FrontDoor small{network_, clock_, events_, shards_, {.waiting_max = 3}};
  ASSERT_TRUE(small.open());
  const auto serve = [&] {
    for (int round = 0; round < 8; ++round) {
      client_.look();
      small.serve(0ns);
      owner_.look();
    }
  };
  client_.socket = client_.network.connect({"door", small.port()}).value();
  serve();
  client_.send(logon("VENUE", "ALICE"));
  serve();
  Party stranger{internet_, "10.0.0.66"};
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(stranger.network.connect({"door", small.port()}));
    stranger.look();
    serve();
  }
  EXPECT_FALSE(client_.has_ended);
  EXPECT_EQ(small.waiting_count(), 3U);
  own(kPortA);
  clock_.advance(100ms);
  serve();
  EXPECT_EQ(owner_.received, logon("VENUE", "ALICE"));
}

TEST_F(FrontDoorTest, an_engine_does_not_get_the_logon_of_a_client_that_has_left) {
  connect();
  client_.send(logon("VENUE", "ALICE") + "more");
  turn();
  client_.network.close(client_.socket);
  turn();
  EXPECT_EQ(door_.waiting_count(), 0U);
  EXPECT_TRUE(events_.has(EventId::FrontDoorRefused, "ended the connection before an engine"));
  own(kPortA);
  pass(200ms);
  EXPECT_EQ(owner_.received, "");
  EXPECT_EQ(network_.open_sockets(), 1U);
}

TEST_F(FrontDoorTest, a_client_that_sends_much_while_it_waits_is_stopped_and_loses_nothing) {
  connect();
  const std::string all = logon("VENUE", "ALICE") + std::string(1'000'000, 'x');
  std::size_t sent = 0;
  const auto send = [&] {
    for (int i = 0; i < 40; ++i) {
      sent += client_.network.send(client_.socket, std::string_view{all}.substr(sent)).bytes;
      turn();
    }
  };
  send();
  EXPECT_LT(sent, 400'000U);
  EXPECT_EQ(door_.waiting_count(), 1U);
  own(kPortA);
  pass(100ms);
  send();
  ASSERT_EQ(sent, all.size());
  for (int i = 0; i < 40; ++i) turn();
  EXPECT_TRUE(owner_.received == all) << owner_.received.size();
}

TEST_F(FrontDoorTest, asks_the_host_first_that_accepted_last) {
  own(kPortA);
  internet_.swallow(kPortA, true);
  connect();
  client_.send(logon("VENUE", "ALICE"));
  turn();
  internet_.swallow(kPortA, false);
  pass(1100ms);
  EXPECT_TRUE(events_.has(EventId::FrontDoorHandedOver, "goes to node2:5001"));
  client_.network.close(client_.socket);
  turn();
  events_.clear();
  connect();
  client_.send(logon("VENUE", "ALICE"));
  turn();
  EXPECT_TRUE(events_.has(EventId::FrontDoorHandedOver, "goes to node2:5001")) << events_.all();
}

TEST_F(FrontDoorTest, one_of_the_clients_that_wait_for_an_engine_asks_for_all) {
  constexpr std::size_t kClients = 10;
  internet_.swallow(kPortA, true);
  for (std::size_t i = 0; i < kClients; ++i) {
    connect();
    client_.send(logon("VENUE", "ALICE"));
    turn();
  }
  pass(1s);
  pass(1s);
  pass(100ms);
  EXPECT_EQ(door_.waiting_count(), kClients);
  EXPECT_EQ(network_.open_sockets(), 1 + kClients + 1);  // the listener, the clients, the one
  own(kPortA);
  internet_.swallow(kPortA, false);
  for (int i = 0; i < 4; ++i) pass(1s);
  EXPECT_EQ(door_.open_count(), kClients);
}

TEST_F(FrontDoorTest, another_client_asks_when_the_one_that_asked_has_left) {
  Party first{internet_, "10.0.0.7"};
  first.socket = first.network.connect({"door", door_.port()}).value();
  first.look();
  turn();
  first.send(logon("VENUE", "ALICE"));
  pass(100ms);
  pass(100ms);
  connect();
  client_.send(logon("VENUE", "ALICE"));
  pass(100ms);
  first.network.close(first.socket);
  own(kPortA);
  pass(100ms);
  pass(100ms);
  EXPECT_EQ(owner_.received, logon("VENUE", "ALICE"));
}

TEST_F(FrontDoorTest, says_why_no_engine_accepted_the_session) {
  internet_.refuse(kPortA, EHOSTUNREACH);
  connect();
  client_.send(logon("VENUE", "ALICE"));
  turn();
  for (int i = 0; i < 21; ++i) pass(1s);
  EXPECT_TRUE(events_.has(EventId::FrontDoorNoOwner, "lastly: connect node")) << events_.all();
  EXPECT_TRUE(events_.has(EventId::FrontDoorNoOwner, "No route to host")) << events_.all();
}

TEST_F(FrontDoorTest, a_flood_of_refused_connections_does_not_flood_the_log) {
  for (int i = 0; i < 100; ++i) {
    connect();
    client_.send("GET / HTTP/1.1\r\n\r\n");
    turn();
  }
  EXPECT_LE(events_.lines.size(), 22U);
  pass(2s);
  EXPECT_TRUE(events_.has(EventId::EventsSuppressed, "80 more connections"));
}

TEST_F(FrontDoorTest, a_flood_of_clients_that_come_and_go_hides_no_refusal) {
  own(kPortA);
  for (int i = 0; i < 100; ++i) {
    connect();
    client_.send(logon("VENUE", "ALICE"));
    turn();
    client_.network.close(client_.socket);
    turn();
  }
  EXPECT_EQ(std::ranges::count(events_.ids, EventId::FrontDoorHandedOver), 20);
  EXPECT_EQ(std::ranges::count(events_.ids, EventId::FrontDoorEnded), 20);
  connect();
  client_.send("GET / HTTP/1.1\r\n\r\n");
  turn();
  EXPECT_TRUE(events_.has(EventId::FrontDoorRefused, "no FIX message"));
  pass(2s);
  EXPECT_TRUE(events_.has(EventId::EventsSuppressed, "80 more connections were handed over"));
  EXPECT_TRUE(events_.has(EventId::EventsSuppressed, "80 more connections are over"));
  connect();
  client_.send(logon("VENUE", "ALICE"));
  turn();
  EXPECT_EQ(std::ranges::count(events_.ids, EventId::FrontDoorHandedOver), 21);
}

// Over the sockets of this machine: only they have an end after bytes that are not read.
TEST(FrontDoorSockets, the_end_of_a_client_that_is_paused_is_noticed) {
  const auto network = transport::make_epoll_network().value();
  const auto clients = transport::make_epoll_network().value();
  testing::ManualClock clock;
  testing::RecordingLog events;
  ShardDirectory shards;
  // No engine listens on port 1, and the front door gets another one.
  ASSERT_TRUE(shards.add(settings_of("SocketAcceptPort=1\n[SESSION]\nSenderCompID=VENUE\n"
                                     "TargetCompID=ALICE\n"),
                         {"127.0.0.1"}));
  FrontDoor door{*network, clock, events, shards, {.listen = {"127.0.0.1", 0}}};
  ASSERT_TRUE(door.open());
  const SocketId client = clients->connect({"127.0.0.1", door.port()}).value();
  std::array<Ready, 4> ready;
  const auto turns = [&](int count) {
    for (int i = 0; i < count && door.waiting_count() > 0; ++i) {
      static_cast<void>(clients->wait(ready, 0ns));
      clock.advance(1ms);
      door.serve(0ns);
    }
  };
  while (door.waiting_count() == 0) door.serve(1ms);
  turns(10);
  // The first part stops the client, and the second one is not read.
  for (const std::string& part :
       {logon("VENUE", "ALICE"), std::string(10'000, 'x'), std::string(10'000, 'y')}) {
    ASSERT_EQ(clients->send(client, part).bytes, part.size());
    turns(200);
  }
  turns(2'000);
  ASSERT_EQ(door.waiting_count(), 1U) << "it was asked a few times, and is still there";
  clients->close(client);
  turns(2'000);
  EXPECT_EQ(door.waiting_count(), 0U);
  EXPECT_TRUE(events.has(EventId::FrontDoorRefused, "before an engine accepted it"))
      << events.all();
}

TEST(ShardDirectory, finds_sessions_with_sub_ids_without_them_and_by_template) {
  ShardDirectory shards;
  ASSERT_TRUE(shards.add(settings_of("SocketAcceptPort=5001\n"
                                     "[SESSION]\nSenderCompID=V\nTargetCompID=A\nTargetSubID=DESK\n"
                                     "[SESSION]\nSenderCompID=V\nTargetCompID=B\n"
                                     "[SESSION]\nSenderCompID=X\nTargetCompID=*\n"
                                     "AcceptorTemplate=Y\n"),
                         {"node1"}));
  const auto has = [&](session::SessionId id) {
    id.begin_string = "FIX.4.4";
    return shards.find(id) != nullptr;
  };
  EXPECT_TRUE(has({.sender_comp_id = "V", .target_comp_id = "A", .target_sub_id = "DESK"}));
  EXPECT_FALSE(has({.sender_comp_id = "V", .target_comp_id = "A"}));
  EXPECT_TRUE(has({.sender_comp_id = "V", .target_comp_id = "B", .target_sub_id = "ANY"}));
  EXPECT_TRUE(has({.sender_comp_id = "X", .target_comp_id = "NEW"}));
  EXPECT_FALSE(has({.sender_comp_id = "Y", .target_comp_id = "NEW"}));
}

TEST(ShardDirectory, refuses_what_it_cannot_serve) {
  ShardDirectory shards;
  const std::string session = "[SESSION]\nSenderCompID=V\nTargetCompID=A\n";
  ASSERT_TRUE(shards.add(settings_of("SocketAcceptPort=5001\n" + session), {"node1"}));
  EXPECT_EQ(shards.add(settings_of("SocketAcceptPort=5002\n" + session), {"node1"}).error(),
            "shard.cfg:6: FIX.4.4:V->A: another shard has this session");
  EXPECT_EQ(shards
                .add(settings_of("SocketAcceptPort=0\n[SESSION]\nSenderCompID=V\n"
                                 "TargetCompID=C\n"),
                     {"node1"})
                .error(),
            "shard.cfg:6: FIX.4.4:V->C: its SocketAcceptPort is 0");
  EXPECT_EQ(shards
                .add(settings_of("[SESSION]\nConnectionType=initiator\nSenderCompID=V\n"
                                 "TargetCompID=D\nSocketConnectHost=h\nSocketConnectPort=1\n"
                                 "HeartBtInt=30\n"),
                     {"node1"})
                .error(),
            "shard.cfg: it has no acceptor");
}

TEST(ProxyLine, has_the_address_and_port_of_the_client) {
  EXPECT_EQ(proxy_line("192.0.2.7:40112", 9878), "PROXY TCP4 192.0.2.7 0.0.0.0 40112 9878\r\n");
  EXPECT_EQ(proxy_line("[2001:db8::1]:40112", 9878), "PROXY TCP6 2001:db8::1 :: 40112 9878\r\n");
  EXPECT_EQ(proxy_line("[fe80::1%eth0]:40112", 9878), "PROXY TCP6 fe80::1 :: 40112 9878\r\n");
  EXPECT_EQ(proxy_line("", 9878), "PROXY UNKNOWN\r\n");
}

}  // namespace
}  // namespace nexusfix::front_door
