// What a network and those at its other end can do, while ten sessions trade: these lose nothing.
// How long their answers took, in calm and meanwhile, is printed; a machine that is busy fails
// nothing. N1 to N15 are the cases of the fault catalogue.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nexusfix/base/random.hpp>

#include "network_faults_fixture.hpp"
#include "support/sanitized.hpp"

namespace nexusfix::testing {
namespace {

// Sanitizers keep what was freed.
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

// What was answered, without what differs between two sessions.
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

TEST_F(NetworkFaultTest, N1_however_the_bytes_are_cut_the_answers_are_the_same) {
  sessions += session_text("WHOLE") + session_text("BYTES") + session_text("PARTS");
  begin();
  const auto stream = [&](std::string_view who) {
    std::string bytes = logon(who, 1);
    for (std::uint64_t n = 2; n <= 41; ++n) bytes += order(who, n, std::to_string(n));
    return bytes + "garbled" + from(who, "1", 42, "112=LAST|") + order(who, 44, "a gap");
  };
  RawPeer& whole = connect();
  whole.send(stream("WHOLE"));
  ASSERT_TRUE(trade_until([&] { return whole.messages().size() >= 43; })) << log.all();
  SeededRandom random{20261121};
  for (const std::string who : {"BYTES", "PARTS"}) {
    RawPeer& peer = connect();
    const std::string bytes = stream(who);
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t count = who == "BYTES" ? 1 : 1 + random.below(300);
      peer.send(std::string_view{bytes}.substr(at, count));
      at += count;
      trade(1);
    }
    ASSERT_TRUE(trade_until([&] { return peer.messages().size() == whole.messages().size(); }));
    EXPECT_EQ(answers(peer, who), answers(whole, "WHOLE"));
  }
  expect_unharmed("a stream in single bytes");
}

TEST_F(NetworkFaultTest, N2_a_heartbeat_never_stands_inside_a_message_that_is_half_sent) {
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

TEST_F(NetworkFaultTest, N3_a_reset_at_any_byte_of_a_message_moves_no_number) {
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

TEST_F(NetworkFaultTest, N4_a_peer_that_is_gone_without_a_word_is_asked_once_and_cut) {
  begin();
  RawPeer& gone = log_on("TRADER");
  bool was_asked = false;
  for (int second = 0; second < 120 && session("TRADER").is_logged_on(); ++second) {
    clock.advance(std::chrono::seconds{1});
    // The others trade, and so are heard.
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

TEST_F(NetworkFaultTest, N5_a_peer_that_is_heard_and_takes_nothing_is_cut) {
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
  // More than the operating system's buffers hold.
  const auto fill = [&] {
    peer.pause(true);
    for (int i = 0; i < 100; ++i) EchoVenue::send_text(session("TRADER"), 200'000);
  };
  fill();
  seconds(50);
  // Whoever takes something, however slowly, may stay.
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

TEST_F(NetworkFaultTest, N6_a_peer_that_reads_nothing_is_cut_and_gets_all_of_it_later) {
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
  // What it was allowed, and not what was written.
  EXPECT_LT(resident_bytes(), memory + (128U << 20U));
  EXPECT_EQ(session("TRADER").numbers().next_outbound, sent + 2);
  RawPeer& again = connect();
  again.send(logon("TRADER", 2) + from("TRADER", "2", 3, "7=1|16=0|"));
  ASSERT_TRUE(trade_until([&] { return again.messages().size() == sent + 3; }))
      << again.messages().size() << " of " << sent << log.all();
  // Beside the Logon and the gap fills over both Logons.
  std::uint64_t texts = 0;
  for (const std::string& message : again.messages()) texts += contains(message, "|35=B|") ? 1 : 0;
  EXPECT_EQ(texts, sent);
  expect_unharmed("a peer that reads nothing");
}

TEST_F(NetworkFaultTest, N7_a_resend_to_a_peer_that_stalls_takes_no_memory) {
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

TEST_F(NetworkFaultTest, N12_what_stands_in_front_of_the_end_is_delivered) {
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

TEST_F(NetworkFaultTest, N13_a_peer_that_is_back_before_its_old_connection_is_gone_gets_on) {
  begin();
  std::uint64_t number = 1;
  const auto old_logons = venue.logons;
  std::optional<BlockingPeer> peer;
  for (int round = 0; round < 100; ++round) {
    // In one turn the engine sees the old connection reset and the new one with its Logon, in
    // whatever order; one that comes too early is refused and tries again.
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

TEST_F(NetworkFaultTest, N15_initiators_whom_nobody_answers_try_ever_more_rarely) {
  std::uint16_t refusing = 0;
  {
    // A port that was free a moment ago: nobody listens there.
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
                "\nTargetCompID=NOBODY\nHeartBtInt=30\nReconnectInterval=1\n"
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

TEST_F(NetworkFaultTest, C15_without_descriptors_those_who_are_there_trade_on) {
  begin();
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  // The peers are of this process: they take their descriptors before the limit falls.
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

// Silent connections of three addresses take every descriptor, long before there are
// MaxPendingLogons of them: somebody of a fourth one logs on all the same.
TEST_F(NetworkFaultTest, C15_silent_connections_that_take_every_descriptor_keep_nobody_out) {
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
  constexpr rlim_t kRoom = 80;  // 16 of it for files
  const rlimit lower{.rlim_cur = static_cast<rlim_t>(lowest_free) + kRoom,
                     .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &lower), 0);
  const bool is_let_in = trade_until([&] {
    honest.poll();
    return session("TRADER").is_logged_on();
  });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_TRUE(is_let_in) << log.all();
  expect_unharmed("silent connections that take every descriptor");
}

TEST_F(NetworkFaultTest, C13_while_the_loop_is_late_logons_wait_and_the_others_are_served) {
  begin();
  std::vector<std::unique_ptr<RawPeer>> strangers;
  const auto poll_strangers = [&] {
    for (const auto& peer : strangers) peer->poll();
  };
  // Each stranger's LogonTimeout, 10 s, is a timer of its own: those of the next step are due in
  // its middle.
  for (int i = 0; i < 4; ++i) {
    strangers.push_back(std::make_unique<RawPeer>(acceptor->accept_port()));
    trade(3);
    poll_strangers();
    clock.advance(std::chrono::seconds{2});
  }
  clock.advance(std::chrono::seconds{1});
  for (int i = 0; i < 4; ++i) {
    clock.advance(std::chrono::seconds{2});
    trade(3);
  }
  strangers.clear();
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

TEST_F(NetworkFaultTest, C16_a_configuration_cut_or_damaged_anywhere_changes_nothing) {
  for (std::size_t i = 0; i < kLive; ++i) sessions += session_text(live_name(i));
  const std::string path = folder.path() + "/venue.cfg";
  std::ofstream{path} << config();
  begin_with_file(path);
  const std::string whole = config() + session_text("NEWCOMER");
  for (std::size_t at = 0; at < whole.size(); at += 3) {
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
