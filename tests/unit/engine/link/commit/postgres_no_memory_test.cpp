// Catalogue C14 with a database as the store: one allocation of the event loop fails, then many in
// a row. The engine does not crash, each message is in the database once, and the other sessions
// trade.
#include <algorithm>

#include <nexusfix/store/postgres.hpp>

#include "support/failing_new.hpp"
#include "support/postgres_server.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class PostgresNoMemory : public AcceptorTest {
 protected:
  void SetUp() override {
    server = PostgresServer::shared();
    if (server == nullptr) GTEST_SKIP() << PostgresServer::why();
  }
  // Opens an engine with a new schema, and logs on a live session beside the tested one.
  void begin() {
    static int count = 0;
    extra = "Store=postgresql\nPostgreSQLStoreHost=" + server->host() +
            "\nPostgreSQLStoreUser=nexusfix\nPostgreSQLStoreDatabase=postgres\n"
            "PostgreSQLStoreSchema=starved_" +
            std::to_string(++count);
    log.clear();
    open_here();
    live = &log_on("OTHER");
    live_number = 1;
  }
  void open_here() {
    peers.clear();
    acceptor.reset();
    venue = {};
    EngineUnderTest opening = under_test();
    opening.options.parts.postgres = store::postgres_part();
    opening.open(acceptor, venue);
  }
  // From the nth allocation on, this count in a row fails, over as many turns as needed. True if
  // the first of them was reached.
  bool starve_in_turns(std::size_t nth, std::size_t count) {
    constexpr int kTurns = 40;
    bool has_failed = false;
    for (int turn = 0; turn < kTurns; ++turn) {
      if (count > 0) test::fail_at(nth, count);
      acceptor->poll(std::chrono::milliseconds{turn < kTurns / 2 ? 0 : 1});
      if (count > 0) {
        const std::size_t used = test::stop_failing();
        has_failed = has_failed || test::has_failed();
        count -= used < nth ? 0 : std::min(count, used - nth + 1);
        nth = used < nth ? nth - used : 1;
      }
      for (const auto& peer : peers) peer->poll();
    }
    return has_failed;
  }
  void expect_others_unharmed() {
    ASSERT_FALSE(live->closed()) << log.all();
    const std::size_t before = live->messages().size();
    ++live_number;
    live->send(order("OTHER", live_number, "LIVE" + std::to_string(live_number)));
    EXPECT_TRUE(run_until([&] { return live->messages().size() == before + 1; })) << log.all();
  }
  bool is_reported(const std::string& part) {
    return std::ranges::any_of(peers, [&](const auto& peer) {
      return std::ranges::any_of(peer->messages(),
                                 [&](const auto& text) { return contains(text, part); });
    });
  }
  [[nodiscard]] std::uint64_t expected() { return acceptor->session(0).numbers().next_inbound; }
  RawPeer& ensure_logged_on(RawPeer& peer) {
    Session& trader = acceptor->session(0);
    run_until([&] { return peer.closed() || trader.is_logged_on(); });
    if (!peer.closed() && trader.is_logged_on()) return peer;
    peer.close();
    EXPECT_TRUE(run_until([&] { return !trader.is_logged_on(); })) << log.all();
    turn(5);
    RawPeer& again = connect();
    again.send(logon("TRADER", expected()));
    EXPECT_TRUE(run_until([&] { return !again.messages().empty(); })) << log.all();
    return again;
  }
  // Checks that the database has each message once, and the sequence numbers.
  void expect_in_database(const std::vector<std::string>& ids) {
    const session::Numbers numbers = acceptor->session(0).numbers();
    open_here();
    EXPECT_EQ(acceptor->session(0).numbers(), numbers);
    for (const std::string& id : ids) {
      const auto has_it = [&](const std::string& text) {
        return contains(text, "|11=" + id + "|");
      };
      EXPECT_EQ(std::ranges::count_if(venue.recovered, has_it), 1) << id;
    }
  }

  PostgresServer* server = nullptr;
  RawPeer* live = nullptr;
  std::uint64_t live_number = 1;
};

// Numbers of failing allocations: a moment, a few turns, and longer than the engine retries.
constexpr std::size_t kStarvedFor[] = {1, 4, 40, 300};

TEST_F(PostgresNoMemory, orders_are_reported_or_rejected_after_a_time_without_memory) {
  std::size_t tried = 0;
  for (const std::size_t count : kStarvedFor) {
    std::size_t nth = 1;
    for (bool has_failed = true; has_failed && !HasFailure(); ++tried) {
      begin();
      RawPeer& peer = log_on("TRADER");
      peer.send(order("TRADER", 2, "A") + order("TRADER", 3, "B"));
      has_failed = starve_in_turns(nth, count);
      turn(5);
      expect_others_unharmed();
      RawPeer& on = ensure_logged_on(peer);
      // The answer to this TestRequest follows the resend: then all of it has arrived.
      const std::uint64_t next = expected();
      on.send(from("TRADER", "2", next, "7=1|16=0|") + from("TRADER", "1", next + 1, "112=ALL|"));
      EXPECT_TRUE(run_until([&] { return is_reported("|112=ALL|"); })) << log.all();
      std::vector<std::string> reported;
      for (const auto& [id, number] : {std::pair{"A", "2"}, std::pair{"B", "3"}}) {
        const std::string report = std::string{"|11="} + id + "|";
        if (!is_reported(report) && !is_reported(std::string{"|45="} + number + "|")) {
          on.send(order("TRADER", expected(), id));
          EXPECT_TRUE(run_until([&] { return is_reported(report); })) << log.all();
        }
        if (is_reported(report)) reported.emplace_back(id);
      }
      expect_in_database(reported);
      EXPECT_FALSE(HasFailure()) << count << " from allocation " << nth << " on";
      nth += std::max<std::size_t>(count / 2, 1);
    }
  }
  std::printf("%zu times without memory for a while\n", tried);
  EXPECT_GT(tried, 8U);
}

TEST_F(PostgresNoMemory, logon_is_answered_at_once_or_at_the_next_attempt) {
  for (const std::size_t count : kStarvedFor) {
    std::size_t nth = 1;
    for (bool has_failed = true; has_failed && !HasFailure();) {
      begin();
      RawPeer& peer = connect();
      peer.send(logon("TRADER", 1));
      has_failed = starve_in_turns(nth, count);
      expect_others_unharmed();
      RawPeer& on = ensure_logged_on(peer);
      on.send(order("TRADER", expected(), "FIRST"));
      EXPECT_TRUE(run_until([&] { return is_reported("|11=FIRST|"); })) << log.all();
      expect_in_database({"FIRST"});
      EXPECT_FALSE(HasFailure()) << count << " from allocation " << nth << " on";
      nth += std::max<std::size_t>(count / 2, 1);
    }
  }
}

}  // namespace
}  // namespace nexusfix::testing
