// The limit of all bytes in the buffers of all sessions.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <malloc.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/ground/connection/connection.hpp"
#include "support/sanitized.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class BufferLimitsTest : public AcceptorTest {
 protected:
  BufferLimitsTest() {
    sessions.clear();
    for (const char* who : {"TRADER", "SECOND", "THIRD"}) {
      sessions += std::string{"[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID="} +
                  who + "\n";
    }
    extra = "MaxBufferedBytes=1048576\nCheckLatency=N";
  }
  // Sends messages after a gap, so that the engine keeps them.
  void send_early(RawPeer& peer, std::string_view who, std::size_t count, std::size_t bytes) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) {
      all += from(who, "B", next_early_++, "58=" + std::string(bytes, 'x') + "|");
    }
    peer.send(all);
    ASSERT_TRUE(run_until([&] { return peer.all_sent(); }));
    turn(20);
  }
  [[nodiscard]] bool is_cut(const std::string& who) const {
    return std::ranges::any_of(log.lines, [&](const std::string& line) {
      return line.contains("VENUE->" + who) && line.contains("(MaxBufferedBytes)");
    });
  }

  std::uint64_t next_early_ = 100;
};

TEST_F(BufferLimitsTest, largest_session_is_disconnected_with_an_event_and_others_continue) {
  open();
  RawPeer& small = log_on("TRADER");
  RawPeer& large = log_on("SECOND");
  RawPeer& growing = log_on("THIRD");
  send_early(large, "SECOND", 60, 10'000);
  send_early(growing, "THIRD", 35, 10'000);
  EXPECT_FALSE(log.has("(MaxBufferedBytes)")) << log.all();
  send_early(growing, "THIRD", 15, 10'000);
  ASSERT_TRUE(run_until([&] { return large.closed(); })) << log.all();
  EXPECT_TRUE(is_cut("SECOND")) << log.all();
  EXPECT_TRUE(log.has(observe::Severity::Warning,
                      "bytes in buffers, the most of all, and all together may have 1048576"))
      << log.all();
  EXPECT_FALSE(is_cut("TRADER") || is_cut("THIRD")) << log.all();
  small.send(order("TRADER", 2, "GOES-ON"));
  EXPECT_TRUE(run_until([&] { return small.messages().size() == 2; })) << log.all();
  EXPECT_FALSE(growing.closed());
}

TEST_F(BufferLimitsTest, largest_session_is_disconnected_when_it_needs_more) {
  open();
  RawPeer& other = log_on("SECOND");
  send_early(other, "SECOND", 20, 10'000);
  RawPeer& peer = log_on("TRADER");
  peer.send(from("TRADER", "B", 100, "58=" + std::string(900'000, 'x') + "|"));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_TRUE(is_cut("TRADER")) << log.all();
  EXPECT_FALSE(is_cut("SECOND")) << log.all();
}

TEST_F(BufferLimitsTest, messages_queued_at_the_disconnection_are_resent_after_the_next_logon) {
  extra += "\nSocketSendBufferSize=8192";
  open();
  RawPeer& deaf = log_on("TRADER");
  deaf.pause(true);
  std::size_t sent = 0;
  while (!is_cut("TRADER") && sent < 1'000) {
    EchoVenue::send_text(acceptor->session(0), 20'000);
    ++sent;
    acceptor->poll(std::chrono::nanoseconds{0});
  }
  EXPECT_TRUE(is_cut("TRADER")) << log.all();
  EXPECT_EQ(acceptor->session(0).numbers().next_outbound, 2 + sent);
  RawPeer& back = connect();
  back.send(logon("TRADER", 2));
  ASSERT_TRUE(run_until([&] { return !back.messages().empty(); })) << log.all();
  back.send(from("TRADER", "2", 3, "7=2|16=0|"));
  EXPECT_TRUE(run_until([&] { return back.messages().size() >= 1 + sent; })) << log.all();
}

TEST_F(BufferLimitsTest, callback_that_sends_above_the_limit_is_completed_by_a_resend) {
  open();
  venue.before_answer = [](Session& session, const MessageView&) {
    for (int i = 0; i < 40; ++i) EchoVenue::send_text(session, 60'000);
  };
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A"));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_TRUE(is_cut("TRADER")) << log.all();
  EXPECT_EQ(acceptor->session(0).numbers().next_outbound, 2U + 41U);
  venue.before_answer = nullptr;
  EXPECT_FALSE(log_on("SECOND").closed());
}

TEST_F(BufferLimitsTest, freed_bytes_can_be_used_by_others) {
  open();
  for (const char* who : {"TRADER", "SECOND", "THIRD"}) {
    RawPeer& peer = log_on(who);
    send_early(peer, who, 60, 10'000);
    EXPECT_FALSE(is_cut(who)) << log.all();
    peer.close();
    turn(10);
  }
  EXPECT_FALSE(log.has("(MaxBufferedBytes)")) << log.all();
}

TEST(OutboundQueue, empty_queue_frees_large_storage_and_keeps_small_storage) {
  engine::BufferBudget budget{1U << 30U};
  engine::OutboundQueue queue;
  queue.count_in(budget);
  queue.push(std::string(1'000'000, 'x'));
  EXPECT_GE(budget.used(), 1'000'000U);
  EXPECT_TRUE(queue.give_back()) << "it is still large";
  queue.take(queue.size());
  EXPECT_FALSE(queue.give_back());
  EXPECT_EQ(budget.used(), 0U);
  queue.push(std::string(1'000, 'x'));
  queue.take(queue.size());
  EXPECT_FALSE(queue.give_back());
  EXPECT_GE(budget.used(), 1'000U);
  queue.release();
  EXPECT_EQ(budget.used(), 0U);
}

TEST(BufferBudget, loop_with_a_larger_connection_is_asked_and_the_reserve_is_used) {
  engine::BufferBudget budget{800, 2};
  EXPECT_TRUE(budget.has_room(700));
  EXPECT_FALSE(budget.has_room(701));
  EXPECT_TRUE(budget.has_reserve(800));
  EXPECT_FALSE(budget.has_reserve(801));
  budget.raise_largest(1, 300);
  EXPECT_FALSE(budget.ask_for_larger(0, 300));
  EXPECT_TRUE(budget.ask_for_larger(0, 299));
  EXPECT_FALSE(budget.consume_request(0));
  EXPECT_TRUE(budget.consume_request(1));
  EXPECT_FALSE(budget.consume_request(1));
  budget.set_largest(1, 100);
  EXPECT_FALSE(budget.ask_for_larger(0, 299));
}

// Hostile sessions of every kind, and an honest one, within one total.
class HostileSessionsTest : public AcceptorTest {
 protected:
  static constexpr std::size_t kHostile = 1'000;
  static constexpr std::size_t kTotal = 16U << 20U;

  HostileSessionsTest() {
    sessions.clear();
    for (std::size_t i = 0; i < kHostile; ++i) add("HOSTILE" + std::to_string(i));
    add("HONEST");
    extra = "MaxBufferedBytes=" + std::to_string(kTotal) +
            "\nCheckLatency=N\nSocketSendBufferSize=4096\nMaxPendingLogons=0\n"
            "MaxMessageSize=8388608";
  }
  ~HostileSessionsTest() override {
    for (const int one : sockets_) ::close(one);
  }
  void add(const std::string& who) {
    sessions += "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=" + who + "\n";
  }
  // The peers use sockets of the operating system, so that only the heap of the engine is measured.
  int connect_raw() {
    const int one = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    constexpr int kSmall = 4'096;
    ::setsockopt(one, SOL_SOCKET, SO_RCVBUF, &kSmall, sizeof kSmall);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(acceptor->accept_port());
    EXPECT_EQ(::connect(one, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    sockets_.push_back(one);
    return one;
  }
  // Sends all bytes, or as many as the engine reads before it disconnects; the engine runs its
  // turns meanwhile.
  void send_all(int one, std::string_view bytes) {
    for (int idle = 0; !bytes.empty() && idle < 2'000;) {
      const ssize_t sent = ::send(one, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent < 0 && errno != EAGAIN) return;
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
      idle = sent > 0 ? 0 : idle + 1;
      turn_measured();
    }
  }
  void turn_measured() {
    acceptor->poll(std::chrono::nanoseconds{0});
    most_ = std::max(most_, heap());
  }
  static std::size_t heap() {
    const struct mallinfo2 info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
  }
  static std::size_t resident() {
    std::size_t pages = 0;
    std::size_t resident_pages = 0;
    std::ifstream{"/proc/self/statm"} >> pages >> resident_pages;
    return resident_pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  }
  static bool has_descriptors() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 4 * kHostile;
  }
  std::string who(std::size_t i) { return "HOSTILE" + std::to_string(i); }

  // The texts that the hostile sessions send, made before the measurement begins.
  std::vector<std::string> hostile_texts() {
    const std::string text(9'000, 'x');
    const std::string half =
        "8=FIX.4.4\x01"
        "9=8000000\x01"
        "35=B\x01"
        "58=" +
        std::string(400'000, 'y');
    const std::string dribbled =
        "8=FIX.4.4\x01"
        "9=3900\x01"
        "35=A\x01"
        "58=" +
        std::string(3'800, 'z');
    std::vector<std::string> sent(kHostile);
    for (std::size_t i = 0; i < kHostile; ++i) {
      switch (i % 4) {
        case 0:  // a gap, and messages after it
          for (std::uint64_t n = 100; n < 130; ++n) {
            sent[i] += from(who(i), "B", n, "58=" + text + "|");
          }
          break;
        case 1:  // an unfinished message
          sent[i] = half;
          break;
        case 2:  // orders whose answers the peer never reads
          for (std::uint64_t n = 2; n < 42; ++n) sent[i] += order(who(i), n, "O");
          break;
        default:  // an unfinished Logon
          sent[i] = dribbled;
      }
    }
    return sent;
  }

  std::vector<int> sockets_;
  std::size_t most_ = 0;
};

TEST_F(HostileSessionsTest, thousand_hostile_sessions_use_at_most_the_limit) {
  if constexpr (kIsSanitized) GTEST_SKIP() << "a sanitizer's heap is not this one";
  if (!has_descriptors()) GTEST_SKIP() << "too few descriptors (ulimit -Hn)";
  open();
  RawPeer& honest = log_on("HONEST");
  std::vector<int> peers;
  for (std::size_t i = 0; i < kHostile; ++i) {
    peers.push_back(connect_raw());
    if (i % 4 != 3) send_all(peers.back(), logon(who(i), 1));
    for (int j = 0; j < 4; ++j) turn_measured();
  }
  std::array<char, 4'096> scratch{};
  for (const int one : peers) static_cast<void>(::recv(one, scratch.data(), 4'096, MSG_DONTWAIT));
  const std::vector<std::string> sent = hostile_texts();
  venue.before_answer = [&](Session& session, const MessageView&) {
    if (session.name().contains("HOSTILE")) EchoVenue::send_text(session, 9'000);
  };
  venue.orders.reserve(kHostile * 50);
  turn(5);
  const std::size_t base = heap();
  const std::size_t resident_base = resident();
  most_ = base;
  std::uint64_t number = 2;
  for (std::size_t i = 0; i < kHostile; ++i) {
    send_all(peers[i], sent[i]);
    if (i % 100 != 0) continue;
    const std::size_t answers = honest.messages().size();
    honest.send(order("HONEST", number++, "H"));
    ASSERT_TRUE(run_until([&] { return honest.messages().size() > answers; })) << log.all();
  }
  // Events, the journal's index of sent messages, and the loop's own buffers, in bytes.
  constexpr std::size_t kBeside = 4U << 20U;
  EXPECT_LE(most_ - base, kTotal + kBeside);
  EXPECT_TRUE(log.has("(MaxBufferedBytes)")) << log.all();
  EXPECT_FALSE(honest.closed());
  const std::size_t resident_most = resident();
  for (const int one : peers) ::close(one);
  sockets_.clear();
  turn(200);
  clock.advance(std::chrono::seconds{2});
  // Another thread returns it to the operating system.
  const auto is_back = [&] { return resident() <= resident_base + kBeside; };
  EXPECT_TRUE(run_until(is_back)) << resident() - resident_base;
  const std::size_t after = heap();
  EXPECT_LE(after, base + kBeside);
  std::printf(
      "heap of 1,000 hostile sessions: at most %.1f MiB of a total of %.0f, %.1f MiB after "
      "them; resident %+.1f and %+.1f MiB\n",
      static_cast<double>(most_ - base) / (1U << 20U), static_cast<double>(kTotal) / (1U << 20U),
      (static_cast<double>(after) - static_cast<double>(base)) / (1U << 20U),
      (static_cast<double>(resident_most) - static_cast<double>(resident_base)) / (1U << 20U),
      (static_cast<double>(resident()) - static_cast<double>(resident_base)) / (1U << 20U));
}

}  // namespace
}  // namespace nexusfix::testing
