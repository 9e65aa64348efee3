// /healthz and /readyz.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/metrics.hpp>

namespace nexusfix::metrics {
namespace {

using engine::EngineStatistics;
using engine::SessionState;
using StoreHealth = engine::StoreStatistics::Health;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::EndsWith;

constexpr WallTime kNow{std::chrono::hours{480'000}};

EngineStatistics running() {
  return {.taken_at = kNow,
          .loops = {{.index = 0, .turned_at = kNow, .is_running = true},
                    {.index = 1, .turned_at = kNow, .is_running = true}},
          .sessions = {{.name = "FIX.4.4:A->B",
                        .is_initiator = true,
                        .state = SessionState::LoggedOn,
                        .is_expected = true}}};
}

TEST(Health, running_engine_is_healthy_and_ready) {
  EXPECT_TRUE(check_health(running()).is_ok());
  EXPECT_TRUE(check_readiness(running()).is_ok());
  EXPECT_EQ(check_readiness(running()).text(), "ok\n");
}

TEST(Health, loop_that_does_not_turn_is_not_healthy) {
  EngineStatistics engine = running();
  engine.loops[1].turned_at = kNow - seconds{10};
  EXPECT_TRUE(check_health(engine).is_ok()) << "the limit itself";
  engine.loops[1].turned_at = kNow - seconds{12};
  EXPECT_EQ(check_health(engine).text(),
            "event loop 1: it has not turned for 12 s: a callback or the disk holds it\n");
  EXPECT_TRUE(check_health(engine, {.silence_max = seconds{20}}).is_ok());
}

TEST(Health, loop_that_the_program_polls_may_rest) {
  EngineStatistics engine = running();
  engine.loops[1].turned_at = kNow - seconds{100};
  engine.loops[1].is_running = false;
  EXPECT_TRUE(check_health(engine).is_ok());
}

TEST(Health, loop_with_a_failed_store_is_not_healthy) {
  EngineStatistics engine = running();
  engine.loops[0].store.health = StoreHealth::Failed;
  EXPECT_THAT(check_health(engine).reasons,
              ElementsAre("event loop 0: its store has failed, and it has ended"));
  EXPECT_FALSE(check_readiness(engine).is_ok());
}

TEST(Readiness, store_without_room_is_healthy_and_not_ready) {
  EngineStatistics engine = running();
  engine.loops[0].store.health = StoreHealth::Full;
  EXPECT_TRUE(check_health(engine).is_ok());
  EXPECT_THAT(check_readiness(engine).reasons, ElementsAre("event loop 0: its store is full"));
}

TEST(Readiness, session_that_should_be_logged_on_and_is_not_is_named_with_its_state) {
  EngineStatistics engine = running();
  engine.sessions[0].state = SessionState::Waiting;
  engine.sessions.push_back({.name = "FIX.4.4:A->C", .state = SessionState::Listening});
  EXPECT_THAT(check_readiness(engine).reasons, ElementsAre("FIX.4.4:A->B: waiting"));
}

TEST(Readiness, engine_that_stops_is_not_ready) {
  EngineStatistics engine = running();
  engine.is_stopping = true;
  EXPECT_TRUE(check_health(engine).is_ok());
  EXPECT_EQ(check_readiness(engine).text(), "the engine is stopping\n");
}

TEST(Readiness, standby_is_healthy_and_says_for_whom_it_waits) {
  EngineStatistics engine = running();
  engine.standby = engine::EngineStatistics::Standby{
      .owner = "process 4711 on host e1", .since = kNow, .is_connected = true};
  EXPECT_TRUE(check_health(engine).is_ok());
  EXPECT_THAT(check_readiness(engine).reasons,
              ElementsAre("standby: it waits for the log, which process 4711 on host e1 owns"));
  engine.standby->owner.clear();
  EXPECT_THAT(check_readiness(engine).reasons, ElementsAre("standby: it takes the log over"));
  engine.standby->is_connected = false;
  EXPECT_THAT(check_readiness(engine).reasons,
              ElementsAre("standby: it is not connected to the database"));
}

TEST(Readiness, thousands_of_reasons_are_shown_as_twenty_and_their_count) {
  EngineStatistics engine = running();
  engine.sessions.assign(1000, engine.sessions[0]);
  for (auto& session : engine.sessions) session.state = SessionState::Connecting;
  EXPECT_THAT(check_readiness(engine).text(), EndsWith("\nand 980 more\n"));
}

}  // namespace
}  // namespace nexusfix::metrics
