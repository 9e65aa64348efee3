// What a network and the peers at its other end can do while ten sessions trade: the sessions lose
// nothing. The latencies of their answers, in calm and during the fault, are printed; a busy
// machine fails no test. N1 to N15 are the cases of the fault catalogue.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nexusfix/base/clock.hpp>

#include "network_faults_fixture.hpp"
#include "support/sanitized.hpp"

namespace nexusfix::testing {
namespace {

// 0 with sanitizers, because they keep freed memory.
std::size_t resident_bytes() {
  if (kIsSanitized) return 0;
  std::ifstream statm{"/proc/self/statm"};
  std::size_t all = 0;
  std::size_t resident = 0;
  statm >> all >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// A connection that can be reset.
class BlockingPeer {
 public:
  explicit BlockingPeer(std::uint16_t port) : socket_{::socket(AF_INET, SOCK_STREAM, 0)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~BlockingPeer() { close(); }
  BlockingPeer(const BlockingPeer&) = delete;
  BlockingPeer& operator=(const BlockingPeer&) = delete;

  void send(std::string_view bytes) const {
    ASSERT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ASSERT_EQ(::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    close();
  }
  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

 private:
  int socket_;
};

// The answers without the parts that differ between two sessions.
std::vector<std::string> answers(const RawPeer& peer, const std::string& who) {
  std::vector<std::string> texts;
  for (const std::string& message : peer.messages()) {
    std::string text = bar(message);
    text.resize(text.rfind("10="));
    for (std::size_t at; (at = text.find("56=" + who)) != std::string::npos;) {
      text.replace(at, 3 + who.size(), "56=ONE");
    }
    texts.push_back(text.substr(text.find("35=")));
  }
  return texts;
}

TEST_F(NetworkFaultTest, N1_any_split_of_the_bytes_gives_the_same_answers) {
  sessions +=
      session_text("WHOLE") + session_text("BYTES") + session_text("PARTS") + session_text("FRAME");
  begin();
  const auto stream = [&](std::string_view who) {
    std::string bytes = logon(who, 1);
    for (std::uint64_t n = 2; n <= 41; ++n) bytes += order(who, n, std::to_string(n));
    return bytes + "garbled" + from(who, "1", 42, "112=LAST|") + order(who, 44, "a gap");
  };
  // One message at a time, as most arrive, and some with a neighbour, or torn.
  const auto piece = [](std::string_view bytes, std::size_t at, SeededRandom& random) {
    const std::size_t end = bytes.find("8=FIX", at + 1);
    const std::size_t frame = (end == std::string_view::npos ? bytes.size() : end) - at;
    return random.below(8) == 0 ? 1 + random.below(300) : frame;
  };
  RawPeer& whole = connect();
  whole.send(stream("WHOLE"));
  ASSERT_TRUE(trade_until([&] { return whole.messages().size() >= 43; })) << log.all();
  SeededRandom random{20261121};
  for (const std::string who : {"BYTES", "PARTS", "FRAME"}) {
    RawPeer& peer = connect();
    const std::string bytes = stream(who);
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t count = who == "BYTES"   ? 1
                                : who == "FRAME" ? piece(bytes, at, random)
                                                 : 1 + random.below(300);
      peer.send(std::string_view{bytes}.substr(at, count));
      at += count;
      trade(1);
    }
    ASSERT_TRUE(trade_until([&] { return peer.messages().size() == whole.messages().size(); }));
    EXPECT_EQ(answers(peer, who), answers(whole, "WHOLE"));
  }
  expect_unharmed("a stream in single bytes");
}

TEST_F(NetworkFaultTest, N2_heartbeat_is_never_sent_inside_a_partly_sent_message) {
  begin();
  RawPeer& peer = log_on("TRADER");
  peer.pause(true);
  constexpr std::size_t kMessages = 60;
  for (std::size_t i = 0; i < kMessages; ++i) EchoVenue::send_text(session("TRADER"), 90'000);
  trade(20);  // the socket is full in the middle of a message
  peer.send(from("TRADER", "1", 2, "112=MEANWHILE|"));
  trade(20);
  peer.pause(false);
  ASSERT_TRUE(trade_until([&] { return peer.messages().size() == kMessages + 2; })) << log.all();
  for (std::size_t i = 0; i < peer.messages().size(); ++i) {
    EXPECT_TRUE(contains(peer.messages()[i], "|34=" + std::to_string(i + 1) + "|"));
  }
  EXPECT_TRUE(contains(peer.messages().back(), "|112=MEANWHILE|"));
  expect_unharmed("a peer that takes parts");
}

TEST_F(NetworkFaultTest, N3_connection_reset_at_any_byte_changes_no_number) {
  begin();
  Session& trader = session("TRADER");
  const std::size_t orders = venue.orders.size();
  std::uint64_t number = 1;
  for (std::size_t length = 0;; ++length, ++number) {
    const std::string cut = order("TRADER", number + 1, "CUT");
    if (length == cut.size()) break;
    BlockingPeer peer{acceptor->accept_port()};
    peer.send(logon("TRADER", number));
    ASSERT_TRUE(trade_until([&] { return trader.is_logged_on(); })) << log.all();
    peer.send(std::string_view{cut}.substr(0, length));
    trade(2);
    peer.reset();
    ASSERT_TRUE(trade_until([&] { return !trader.is_logged_on(); })) << length;
    ASSERT_EQ(trader.numbers().next_inbound, number + 1) << length;
  }
  EXPECT_EQ(std::ranges::count(venue.orders, "CUT"), 0);
  EXPECT_GT(venue.orders.size(), orders);
  expect_unharmed("resets");
}

TEST_F(NetworkFaultTest, N4_silent_peer_gets_one_test_request_and_is_disconnected) {
  begin();
  RawPeer& gone = log_on("TRADER");
  bool was_asked = false;
  for (int second = 0; second < 120 && session("TRADER").is_logged_on(); ++second) {
    clock.advance(std::chrono::seconds{1});
    // The other sessions trade, so the engine hears from them.
    trade(3);
    was_asked = was_asked || std::ranges::any_of(gone.messages(), [](const std::string& message) {
                  return contains(message, "|35=1|");
                });
  }
  EXPECT_TRUE(was_asked);
  EXPECT_FALSE(session("TRADER").is_logged_on());
  EXPECT_EQ(std::ranges::count_if(gone.messages(),
                                  [](const std::string& m) { return contains(m, "|35=1|"); }),
            1);
  expect_unharmed("a peer that is gone");
}

TEST_F(NetworkFaultTest, N5_peer_that_sends_but_does_not_read_is_disconnected) {
  begin();
  RawPeer& peer = log_on("TRADER");
  std::uint64_t number = 1;
  const auto seconds = [&](int count) {
    for (; count > 0; --count) {
      clock.advance(std::chrono::seconds{1});
      if (count % 10 == 0) peer.send(from("TRADER", "0", ++number));
      trade(3);
    }
  };
  // More bytes than the operating system's buffers hold.
  const auto fill = [&] {
    peer.pause(true);
    for (int i = 0; i < 100; ++i) EchoVenue::send_text(session("TRADER"), 200'000);
  };
  fill();
  seconds(50);
  // A peer that reads something, however slowly, may stay.
  peer.pause(false);
  ASSERT_TRUE(trade_until([&] { return peer.messages().size() > 30; }));
  fill();
  seconds(50);
  EXPECT_TRUE(session("TRADER").is_logged_on()) << log.all();
  seconds(20);
  EXPECT_FALSE(session("TRADER").is_logged_on());
  EXPECT_TRUE(log.has(observe::Severity::Warning, "it has taken none of")) << log.all();
  expect_unharmed("a peer that takes nothing");
}

TEST_F(NetworkFaultTest, N6_peer_that_does_not_read_is_disconnected_and_resent_everything) {
  begin();
  RawPeer& peer = log_on("TRADER");
  peer.pause(true);
  const std::size_t memory = resident_bytes();
  std::uint64_t sent = 0;
  ASSERT_TRUE(trade_until([&] {
    for (int i = 0; i < 20 && session("TRADER").is_logged_on(); ++i, ++sent) {
      EchoVenue::send_text(session("TRADER"), 50'000);
    }
    return !session("TRADER").is_logged_on();
  }));
  EXPECT_TRUE(log.has(observe::Severity::Warning, "slow consumer: ")) << log.all();
  // The engine uses its limit, not the number of bytes that were written.
  EXPECT_LT(resident_bytes(), memory + (128U << 20U));
  EXPECT_EQ(session("TRADER").numbers().next_outbound, sent + 2);
  RawPeer& again = connect();
  again.send(logon("TRADER", 2) + from("TRADER", "2", 3, "7=1|16=0|"));
  ASSERT_TRUE(trade_until([&] { return again.messages().size() == sent + 3; }))
      << again.messages().size() << " of " << sent << log.all();
  // Besides these there are the Logon and the gap fills over both Logons.
  std::uint64_t texts = 0;
  for (const std::string& message : again.messages()) texts += contains(message, "|35=B|") ? 1 : 0;
  EXPECT_EQ(texts, sent);
  expect_unharmed("a peer that reads nothing");
}

TEST_F(NetworkFaultTest, N7_resend_to_a_stalled_peer_takes_no_memory) {
  begin();
  constexpr std::size_t kMessages = 30'000;
  for (std::size_t i = 0; i < kMessages; ++i) EchoVenue::send_text(session("TRADER"), 1'000);
  RawPeer& peer = log_on("TRADER");
  peer.send(from("TRADER", "2", 2, "7=1|16=0|"));
  ASSERT_TRUE(trade_until([&] { return peer.messages().size() >= 10; }));
  peer.pause(true);
  const std::size_t memory = resident_bytes();
  trade(500);
  EXPECT_LT(resident_bytes(), memory + (8U << 20U)) << "of 30 MB that were asked for";
  EXPECT_TRUE(session("TRADER").is_logged_on());
  peer.pause(false);
  // The messages, and a gap fill over the Logon.
  EXPECT_TRUE(trade_until([&] { return peer.messages().size() == kMessages + 2; }))
      << peer.messages().size();
  expect_unharmed("a resend that stalls");
}

TEST_F(NetworkFaultTest, N12_messages_before_the_end_of_a_connection_are_delivered) {
  begin();
  for (std::uint64_t round = 0; round < 20; ++round) {
    BlockingPeer peer{acceptor->accept_port()};
    peer.send(logon("TRADER", 2 * round + 1) +
              order("TRADER", 2 * round + 2, "LAST" + std::to_string(round)));
    peer.close();
    ASSERT_TRUE(trade_until([&] {
      return std::ranges::count(venue.orders, "LAST" + std::to_string(round)) == 1 &&
             !session("TRADER").is_logged_on();
    })) << log.all();
  }
  expect_unharmed("peers that leave");
}

TEST_F(NetworkFaultTest, N13_peer_can_log_on_while_its_old_connection_ends) {
  begin();
  std::uint64_t number = 1;
  const auto old_logons = venue.logons;
  std::optional<BlockingPeer> peer;
  for (int round = 0; round < 100; ++round) {
    // In one turn the engine sees the reset of the old connection and the new one with its Logon,
    // in any order. A new connection that comes too early is refused and tries again.
    if (peer) peer->reset();
    const auto is_on = [&] { return venue.logons == old_logons + round + 1; };
    for (int attempt = 0; attempt < 20 && !is_on(); ++attempt) {
      peer.emplace(acceptor->accept_port());
      peer->send(logon("TRADER", number));
      trade(4);
    }
    ASSERT_TRUE(is_on()) << log.all();
    ASSERT_EQ(session("TRADER").numbers().next_inbound, number + 1);
    ++number;
  }
  EXPECT_EQ(venue.logouts, 99);
  expect_unharmed("fast reconnects");
}

TEST_F(NetworkFaultTest, N15_initiators_without_an_answer_reduce_their_attempts) {
  std::uint16_t refusing = 0;
  {
    // A port that was free a moment ago: no process listens there.
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    ASSERT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
    refusing = ntohs(address.sin_port);
    ::close(socket);
  }
  constexpr int kStorm = 50;
  for (int i = 0; i < kStorm; ++i) {
    sessions += "[SESSION]\nConnectionType=initiator\nBeginString=FIX.4.4\nSenderCompID=STORM" +
                std::to_string(i) +
                "\nTargetCompID=UNKNOWN\nHeartBtInt=30\nReconnectInterval=1\n"
                "SocketConnectHost=127.0.0.1\nSocketConnectPort=" +
                std::to_string(refusing) + "\n";
  }
  begin();
  std::array<std::size_t, 3> attempts{};
  std::size_t before = 0;
  for (std::size_t& one : attempts) {
    for (int second = 0; second < 20; ++second) {
      clock.advance(std::chrono::seconds{1});
      trade(3);
    }
    one =
        static_cast<std::size_t>(std::ranges::count_if(
            log.lines, [](const auto& line) { return line.find("STORM") != std::string::npos; })) -
        before;
    before += one;
  }
  EXPECT_GT(attempts[0], static_cast<std::size_t>(kStorm));
  EXPECT_LT(attempts[2], attempts[0]);
  expect_unharmed("a storm of refused connections");
}

TEST_F(NetworkFaultTest, C15_without_descriptors_existing_sessions_continue_to_trade) {
  begin();
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  // The peers belong to this process: they take their descriptors before the limit is lowered.
  std::vector<std::unique_ptr<RawPeer>> waiting;
  for (int i = 0; i < 20; ++i)
    waiting.push_back(std::make_unique<RawPeer>(acceptor->accept_port()));
  const int lowest_free = ::dup(0);
  ASSERT_GE(lowest_free, 0);
  ::close(lowest_free);
  const rlimit lower{.rlim_cur = static_cast<rlim_t>(lowest_free), .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &lower), 0);
  trade(200);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_TRUE(log.has("descriptor") || log.has("Too many open files")) << log.all();
  waiting.clear();
  clock.advance(std::chrono::seconds{2});
  trade(20);
  expect_unharmed("no descriptors left");
  log_on("TRADER");
  EXPECT_TRUE(session("TRADER").is_logged_on());
}

// Silent connections from three addresses take every descriptor, long before MaxPendingLogons is
// reached. A client from a fourth address still logs on.
TEST_F(NetworkFaultTest, C15_silent_connections_on_all_descriptors_do_not_block_a_logon) {
  begin();
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  std::vector<std::unique_ptr<RawPeer>> silent;
  for (int i = 0; i < 200; ++i) {
    silent.push_back(std::make_unique<RawPeer>(acceptor->accept_port(),
                                               "127.0.0." + std::to_string(11 + i % 3)));
  }
  RawPeer honest{acceptor->accept_port(), "127.0.0.9"};
  honest.send(logon("TRADER", 1));
  const int lowest_free = ::dup(0);
  ASSERT_GE(lowest_free, 0);
  ::close(lowest_free);
  constexpr rlim_t kRoom = 80;  // 16 of them for files
  const rlimit lower{.rlim_cur = static_cast<rlim_t>(lowest_free) + kRoom,
                     .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &lower), 0);
  const bool logs_on = trade_until([&] {
    honest.poll();
    return session("TRADER").is_logged_on();
  });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_TRUE(logs_on) << log.all();
  expect_unharmed("silent connections that take every descriptor");
}

TEST_F(NetworkFaultTest, C13_while_the_loop_is_late_logons_wait_and_sessions_are_served) {
  begin();
  std::vector<std::unique_ptr<RawPeer>> peers;
  const auto poll_peers = [&] {
    for (const auto& peer : peers) peer->poll();
  };
  // The LogonTimeout (10 s) of each unauthenticated peer is a separate timer. The timers of the
  // next step fall due in the middle of that step.
  for (int i = 0; i < 4; ++i) {
    peers.push_back(std::make_unique<RawPeer>(acceptor->accept_port()));
    trade(3);
    poll_peers();
    clock.advance(std::chrono::seconds{2});
  }
  clock.advance(std::chrono::seconds{1});
  for (int i = 0; i < 4; ++i) {
    clock.advance(std::chrono::seconds{2});
    trade(3);
  }
  peers.clear();
  RawPeer& coming = connect();
  coming.send(logon("TRADER", 1));
  ASSERT_TRUE(trade_until([&] { return log.has("Logons wait until it is in time again"); }))
      << log.all();
  expect_unharmed("a loop that is late");
  EXPECT_TRUE(coming.messages().empty() && !coming.closed());
  for (int i = 0; i < 10; ++i) {
    clock.advance(std::chrono::milliseconds{100});
    trade(2);
  }
  EXPECT_TRUE(trade_until([&] { return coming.messages().size() == 1; })) << log.all();
  expect_unharmed("a loop that is in time again");
}

TEST_F(NetworkFaultTest, C16_truncated_or_damaged_configuration_changes_nothing) {
  for (std::size_t i = 0; i < kLive; ++i) sessions += session_text(live_name(i));
  const std::string path = folder.path() + "/venue.cfg";
  std::ofstream{path} << config();
  begin_with_file(path);
  const std::string whole = config() + session_text("NEWCOMER");
  for (std::size_t at = 0; at < whole.size(); at += 3 * case_step(8)) {
    std::string damaged = whole;
    damaged[at] = '\x02';
    const std::string cut = whole.substr(0, at) + "\n[SESSION]\nBeginString";
    const std::size_t lines = log.lines.size();
    for (const std::string& text : {damaged, cut}) {
      std::ofstream{path} << text;
      const auto done = acceptor->reload();
      ASSERT_FALSE(done.has_value()) << "at " << at;
      EXPECT_EQ(done.error().what().find(path + ":"), 0U) << done.error().what();
      EXPECT_EQ(log.lines.size(), lines) << "something was done: " << log.lines.back();
    }
    trade(1);
  }
  expect_unharmed("configurations that are wrong");
  std::ofstream{path} << whole;
  EXPECT_EQ(acceptor->reload()->added.size(), 1U);
  log_on("NEWCOMER");
  expect_unharmed("a session that was added");
}

TEST_F(NetworkFaultTest, C17_numbers_set_by_mistake_are_recorded_and_can_be_set_back) {
  begin();
  Session& session = this->session("TRADER");
  for (int i = 0; i < 20; ++i) {
    RawPeer& peer = log_on("TRADER", static_cast<std::uint64_t>(2 * i + 1));
    const session::Numbers before = session.numbers();
    const auto refused = session.set_next_numbers({1, 1}, "by mistake");
    EXPECT_FALSE(refused.has_value()) << "while it is connected";
    EXPECT_EQ(session.numbers(), before);
    peer.send(from("TRADER", "5", static_cast<std::uint64_t>(2 * i + 2)));
    ASSERT_TRUE(trade_until([&] { return peer.closed() && !session.is_logged_on(); }));
    const session::Numbers right = session.numbers();
    const session::Numbers wrong{.next_inbound = 1, .next_outbound = right.next_outbound + 900};
    ASSERT_TRUE(session.set_next_numbers(wrong, "by mistake"));
    EXPECT_EQ(session.numbers(), wrong);
    ASSERT_TRUE(session.set_next_numbers(right, "set back"));
    EXPECT_EQ(session.numbers(), right);
    trade(2);
  }
  EXPECT_TRUE(log.has(": by mistake") && log.has(": set back")) << log.all();
  expect_unharmed("numbers set by hand");
}

}  // namespace
}  // namespace nexusfix::testing
