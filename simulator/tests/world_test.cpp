#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/simulator.hpp>
#include <nexusfix/statistics.hpp>
#include <nexusfix/wire/encoder.hpp>

namespace nexusfix::simulator {
namespace {

using namespace std::chrono_literals;

constexpr const char* kVenue =
    "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=5001\nFileStorePath=/journal\n"
    "NonStopSession=Y\nUseDataDictionary=N\n"
    "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n";
constexpr const char* kTrader =
    "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=venue\nSocketConnectPort=5001\n"
    "FileStorePath=/journal\nNonStopSession=Y\nUseDataDictionary=N\nReconnectInterval=1\n"
    "HeartBtInt=5\n"
    "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n";

struct Seen {
  int received = 0;
  int recovered = 0;
  int logons = 0;
};

struct Listener {
  Seen& seen;
  void on_logon(engine::Session&) { ++seen.logons; }
  void on_message(engine::Session&, const wire::MessageView&) { ++seen.received; }
  void on_recovered(const engine::RecoveredMessage&) { ++seen.recovered; }
};

struct WorldTest : ::testing::Test {
  WorldTest() {
    venue = world.add_process<Listener>("venue", kVenue, std::ref(at_venue));
    trader = world.add_process<Listener>("trader", kTrader, std::ref(at_trader));
  }
  void send(int count) {
    engine::Session& session = world.engine(trader)->session(0);
    for (int i = 0; i < count; ++i) {
      wire::Encoder encoder = session.begin("B");
      encoder.field(148, "news");
      const auto sent = session.finish(encoder);
      ASSERT_TRUE(sent);
      world.promised(session, *sent);
    }
  }

  World world{{.seed = 4, .faults = {}, .trace_lines = 500}};
  Seen at_venue;
  Seen at_trader;
  ProcessId venue = 0;
  ProcessId trader = 0;
};

// Compares TransactTime::now() of a draft, which reads wall_now(), with the engine's time.
struct Stamps {
  int& equal;
  void on_logon(engine::Session& session) { equal += wall_now() == session.now() ? 1 : 0; }
};

TEST(World, a_process_without_a_clock_of_its_own_reads_that_of_its_machine) {
  World world{{.seed = 4, .faults = {}}};
  int equal = 0;
  world.add_process<Stamps>("venue", kVenue, std::ref(equal));
  world.add_process<Stamps>("trader", kTrader, std::ref(equal));
  world.run(1s);
  EXPECT_EQ(equal, 2);
  EXPECT_GT(wall_now(), SystemClock{}.now().wall - 1min);
}

// docs/guide/simulator.md, "Test your own application".
TEST_F(WorldTest, a_users_applications_exchange_messages_in_virtual_time) {
  world.run(1s);
  send(3);
  world.run(10min);
  EXPECT_EQ(at_venue.received, 3);
  EXPECT_EQ(world.now(), 601s);
  EXPECT_TRUE(world.settle(1min));
  EXPECT_EQ(world.statistics().promised, 3U);
}

TEST_F(WorldTest, a_process_restarts_after_its_death_with_the_contents_of_its_store) {
  world.run(1s);
  send(2);
  world.run(1s);
  world.kill(trader);
  EXPECT_EQ(world.engine(trader), nullptr);
  world.run(30s);
  ASSERT_NE(world.engine(trader), nullptr);
  EXPECT_EQ(at_trader.recovered, 2);
  EXPECT_EQ(at_trader.logons, 2);
  EXPECT_TRUE(world.settle(1min));
}

TEST_F(WorldTest, a_message_sent_without_a_listener_is_delivered_later) {
  world.run(1s);
  world.kill(venue);
  send(5);
  EXPECT_TRUE(world.settle(2min)) << world.trace();
  EXPECT_EQ(at_venue.received, 5);
}

TEST_F(WorldTest, a_users_own_check_ends_the_run_and_the_first_violation_remains) {
  world.after(5s, [this] { world.found("mine", "five seconds are enough"); });
  world.run(1min);
  ASSERT_TRUE(world.violation());
  EXPECT_EQ(world.violation()->invariant, "mine");
  EXPECT_EQ(world.violation()->time, 5s);
  world.found("other", "");
  EXPECT_EQ(world.violation()->invariant, "mine");
  EXPECT_FALSE(world.settle(1min));
}

// Sends a message every ten minutes, and notes the times.
struct Clockwork {
  World& world;
  std::vector<WorldTime>& times;

  void on_logon(engine::Session& session) {
    if (session.data<engine::TimerHandle>() != nullptr) return;  // a later Logon
    session.attach<engine::TimerHandle>(set_timer(session));
  }
  engine::TimerHandle set_timer(engine::Session& session) {
    return session.call_after(10min, [this](engine::Session& s) { tick(s); });
  }
  void tick(engine::Session& session) {
    times.push_back(world.now());
    wire::Encoder encoder = session.begin("B");
    encoder.field(148, "news");
    const auto sent = session.finish(encoder);
    if (sent) world.promised(session, *sent);
    set_timer(session);
  }
};

TEST(World, timers_of_an_application_run_in_virtual_time) {
  World world{{.seed = 4, .faults = {}}};
  Seen at_venue;
  std::vector<WorldTime> times;
  world.add_process<Listener>("venue", kVenue, std::ref(at_venue));
  world.add_process<Clockwork>("trader", kTrader, std::ref(world), std::ref(times));
  world.run(24h);
  ASSERT_GE(times.size(), 143U);
  for (std::size_t i = 1; i < times.size(); ++i) {
    EXPECT_GE(times[i] - times[i - 1], 10min);
    EXPECT_LT(times[i] - times[i - 1], 10min + 1s);
  }
  EXPECT_EQ(at_venue.received, static_cast<int>(times.size()));
}

TEST(World, timers_of_a_process_end_with_it) {
  World world{{.seed = 4, .faults = {}}};
  Seen at_venue;
  std::vector<WorldTime> times;
  world.add_process<Listener>("venue", kVenue, std::ref(at_venue));
  const ProcessId trader =
      world.add_process<Clockwork>("trader", kTrader, std::ref(world), std::ref(times));
  world.run(15min);
  ASSERT_EQ(times.size(), 1U);
  world.kill(trader);
  const WorldTime killed = world.now();
  world.run(30min);
  ASSERT_GE(times.size(), 2U);
  EXPECT_GE(times[1], killed + 10min) << "the timer of its next run, not that of the dead one";
  EXPECT_TRUE(world.settle(5min)) << world.violation()->what;
}

TEST(World, a_session_without_a_counterparty_does_not_settle) {
  World other{{.seed = 1, .faults = {}}};
  Seen unused;
  other.add_process<Listener>("trader", kTrader, std::ref(unused));
  other.run(1s);
  EXPECT_FALSE(other.settle(5s));
  EXPECT_EQ(other.violation()->invariant, "not-settled");
}

TEST_F(WorldTest, the_trace_shows_what_happened) {
  world.run(2s);
  EXPECT_NE(world.trace().find("trader     > A 34=1"), std::string::npos);
  EXPECT_NE(world.trace().find("logged on"), std::string::npos);
}

// One message in each second of the world, under these faults.
WorldStatistics news_with(FaultSet faults, std::uint64_t seed) {
  World rough{{.seed = seed, .faults = faults}};
  Seen here;
  Seen there;
  rough.add_process<Listener>("venue", kVenue, std::ref(here));
  const ProcessId sender = rough.add_process<Listener>("trader", kTrader, std::ref(there));
  for (int i = 0; i < 240; ++i) {
    rough.after(std::chrono::seconds{i}, [&rough, sender] {
      if (rough.engine(sender) == nullptr) return;
      engine::Session& session = rough.engine(sender)->session(0);
      wire::Encoder encoder = session.begin("B");
      encoder.field(148, "news");
      if (const auto sent = session.finish(encoder)) rough.promised(session, *sent);
    });
  }
  rough.run(4min);
  EXPECT_TRUE(rough.settle(5min)) << seed << ' ' << rough.violation()->what;
  return rough.statistics();
}

TEST(World, altered_messages_are_requested_again) {
  const FaultSet faults{Fault::Alter};
  const WorldStatistics counts = news_with(faults, 3);
  EXPECT_GT(counts.faults[static_cast<std::size_t>(Fault::Alter)], 5U);
  EXPECT_GE(counts.delivered, counts.promised);
}

TEST(World, a_process_that_dies_in_a_roll_of_its_journal_forgets_nothing) {
  const FaultSet faults{Fault::DieInRoll};
  std::uint64_t deaths = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const WorldStatistics counts = news_with(faults, seed);
    deaths += counts.faults[static_cast<std::size_t>(Fault::DieInRoll)];
    EXPECT_GE(counts.rolls, counts.faults[static_cast<std::size_t>(Fault::DieInRoll)]);
  }
  EXPECT_GT(deaths, 3U);
}

TEST(World, a_process_that_dies_in_a_reset_agrees_with_its_peer_in_the_end) {
  const FaultSet faults{Fault::DieInReset};
  std::uint64_t deaths = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const WorldStatistics counts = news_with(faults, seed);
    deaths += counts.faults[static_cast<std::size_t>(Fault::DieInReset)];
  }
  EXPECT_GT(deaths, 3U);
}

TEST(World, sides_that_reset_within_a_session_continue_it) {
  const WorldStatistics counts = news_with({Fault::ResetWithin}, 3);
  const std::uint64_t resets = counts.faults[static_cast<std::size_t>(Fault::ResetWithin)];
  EXPECT_GT(resets, 10U);
  EXPECT_GT(counts.resets_in_resend, 0U);
  EXPECT_GE(counts.epochs, 2 * resets);  // one of each direction
  EXPECT_EQ(counts.starts, 2U) << "no operator was needed";
}

TEST(World, requests_that_come_while_one_is_answered_are_answered_too) {
  const WorldStatistics counts = news_with({Fault::AskAgain}, 3);
  EXPECT_GT(counts.faults[static_cast<std::size_t>(Fault::AskAgain)], 5U);
  EXPECT_EQ(counts.delivered, counts.promised);
  EXPECT_EQ(counts.delivered_again, 0U);
}

// An application that answers every message and is not idempotent: the world must not make it lose
// or repeat one.
TEST_F(WorldTest, every_kind_of_fault_leaves_a_users_session_complete) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    World rough{{.seed = seed, .faults = FaultSet::all()}};
    Seen here;
    Seen there;
    rough.add_process<Listener>("venue", kVenue, std::ref(here));
    const ProcessId sender = rough.add_process<Listener>("trader", kTrader, std::ref(there));
    for (int i = 0; i < 60; ++i) {
      rough.after(std::chrono::seconds{i}, [&] {
        if (rough.engine(sender) == nullptr) return;
        engine::Session& session = rough.engine(sender)->session(0);
        wire::Encoder encoder = session.begin("B");
        encoder.field(148, "news");
        if (const auto sent = session.finish(encoder)) rough.promised(session, *sent);
      });
    }
    rough.run(2min);
    EXPECT_TRUE(rough.settle(5min)) << seed << ' ' << rough.violation()->what;
  }
}

}  // namespace
}  // namespace nexusfix::simulator
