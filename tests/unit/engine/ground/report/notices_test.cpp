// A flood of event log lines: only the lines of its source are limited.
#include <algorithm>

#include "control/api/notice_limiter.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using engine::NoticeLimiter;

class NoticesTest : public AcceptorTest {
 protected:
  [[nodiscard]] std::ptrdiff_t lines_with(std::string_view part) const {
    return std::ranges::count_if(
        log.lines, [&](const std::string& line) { return line.find(part) != line.npos; });
  }
  // Garbled messages, each of which makes one line, while the clock is stopped.
  void storm(RawPeer& peer, std::uint64_t count) {
    std::string bad = order("TRADER", 2, "A1");
    bad[bad.size() - 2] = bad[bad.size() - 2] == '0' ? '1' : '0';
    const std::uint64_t before = acceptor->statistics().loops[0].garbled;
    for (std::uint64_t i = 0; i < count; ++i) peer.send(bad);
    ASSERT_TRUE(
        run_until([&] { return acceptor->statistics().loops[0].garbled == before + count; }));
  }
  // Connections that send no valid Logon.
  void knock(int count, const std::string& from, const std::string& bytes) {
    for (int i = 0; i < count; ++i) {
      RawPeer& peer = connect(from);
      peer.send(bytes);
      ASSERT_TRUE(run_until([&] { return peer.closed(); }));
    }
  }
};

TEST_F(NoticesTest, flooding_session_uses_no_lines_of_another) {
  open();
  storm(log_on("TRADER"), 900);
  EXPECT_LE(lines_with("VENUE->TRADER"),
            static_cast<std::ptrdiff_t>(NoticeLimiter::kSessionLinesMax) + 5);
  log_on("OTHER");
  EXPECT_EQ(lines_with("VENUE->OTHER logged on"), 1) << log.all();
  clock.advance(std::chrono::seconds{2});
  EXPECT_TRUE(run_until([&] { return log.has(EventId::EventsSuppressed); })) << log.all();
}

TEST_F(NoticesTest, unauthenticated_peers_use_no_lines_of_a_session_or_another_address) {
  open();
  RawPeer& trader = log_on("TRADER");
  knock(200, "127.0.0.2", "rubbish that is none|");
  EXPECT_LE(lines_with("connection from 127.0.0.2"),
            static_cast<std::ptrdiff_t>(NoticeLimiter::kSourceLinesMax));
  storm(trader, 1);
  EXPECT_EQ(lines_with("VENUE->TRADER garbled"), 1) << log.all();
  knock(1, "127.0.0.3", "rubbish that is none|");
  EXPECT_EQ(lines_with("connection from 127.0.0.3"), 1) << log.all();
}

TEST_F(NoticesTest, peer_that_only_names_a_session_uses_none_of_its_lines) {
  open();
  // HeartBtInt is invalid: a connection with the session's name that never logs on.
  knock(60, "127.0.0.2", from("TRADER", "A", 1, "98=0|108=-5|"));
  EXPECT_LE(lines_with("VENUE->TRADER connection from 127.0.0.2"),
            static_cast<std::ptrdiff_t>(NoticeLimiter::kSourceLinesMax));
  RawPeer& trader = log_on("TRADER", 1);
  EXPECT_EQ(lines_with("VENUE->TRADER logged on"), 1) << log.all();
  storm(trader, 1);
  EXPECT_EQ(lines_with("VENUE->TRADER garbled"), 1) << log.all();
}

}  // namespace
}  // namespace nexusfix::testing
