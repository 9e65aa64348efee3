// A flood of event log lines: only the lines of its source are limited.
#include "engine/ground/report/notice_limiter.hpp"

#include <algorithm>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using engine::NoticeLimiter;
using engine::SecondLimit;
using std::chrono::milliseconds;

constexpr MonoTime kLimiterStart{std::chrono::seconds{100}};

unsigned allowed_of(NoticeLimiter& limiter, transport::Source source, MonoTime now,
                    unsigned tries = 1'000) {
  unsigned count = 0;
  for (unsigned i = 0; i < tries; ++i) count += limiter.allow(source, now) ? 1U : 0U;
  return count;
}

TEST(NoticeLimiter, one_address_gets_a_quarter_of_the_lines_of_unauthenticated_peers) {
  NoticeLimiter limiter;
  EXPECT_EQ(allowed_of(limiter, 1, kLimiterStart), NoticeLimiter::kSourceLinesMax);
  EXPECT_EQ(allowed_of(limiter, 2, kLimiterStart, 3), 3U);
  unsigned all = NoticeLimiter::kSourceLinesMax + 3;
  for (transport::Source source = 3; source < 300; ++source) {
    all += allowed_of(limiter, source, kLimiterStart, 2);
  }
  EXPECT_EQ(all, NoticeLimiter::kUnauthenticatedLinesMax);
  EXPECT_EQ(allowed_of(limiter, 1, kLimiterStart + milliseconds{999}), 0U);
  EXPECT_EQ(allowed_of(limiter, 1, kLimiterStart + milliseconds{1'000}),
            NoticeLimiter::kSourceLinesMax);
}

TEST(NoticeLimiter, hundred_addresses_have_one_line_each) {
  NoticeLimiter limiter;
  for (transport::Source source = 1; source <= NoticeLimiter::kUnauthenticatedLinesMax; ++source) {
    EXPECT_TRUE(limiter.allow(source, kLimiterStart)) << source;
  }
  EXPECT_FALSE(limiter.allow(transport::Source{1}, kLimiterStart));
  EXPECT_FALSE(limiter.allow(transport::Source{9'999}, kLimiterStart));
}

TEST(NoticeLimiter, share_of_one_session_is_independent_of_others) {
  NoticeLimiter limiter;
  SecondLimit one;
  SecondLimit other;
  static_cast<void>(allowed_of(limiter, 1, kLimiterStart));
  for (unsigned i = 0; i < NoticeLimiter::kSessionLinesMax; ++i) {
    EXPECT_TRUE(limiter.allow(one, kLimiterStart));
  }
  EXPECT_FALSE(limiter.allow(one, kLimiterStart + milliseconds{999}));
  EXPECT_TRUE(limiter.allow(other, kLimiterStart + milliseconds{999}));
  EXPECT_TRUE(limiter.allow(one, kLimiterStart + milliseconds{1'000}));
}

TEST(NoticeLimiter, suppressed_lines_are_reported_once_after_a_second) {
  NoticeLimiter limiter;
  EXPECT_EQ(limiter.consume_suppressed(kLimiterStart), 0U);
  static_cast<void>(allowed_of(limiter, 1, kLimiterStart, NoticeLimiter::kSourceLinesMax + 7));
  EXPECT_EQ(limiter.consume_suppressed(kLimiterStart + milliseconds{999}), 0U);
  EXPECT_EQ(limiter.consume_suppressed(kLimiterStart + milliseconds{1'000}), 7U);
  EXPECT_EQ(limiter.consume_suppressed(kLimiterStart + milliseconds{5'000}), 0U);
}

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
