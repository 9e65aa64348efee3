// An operator looks at a running engine, and gives it commands.
#include "control/api/running_engine.hpp"

#include <algorithm>
#include <set>

#include "unit/engine/service/control_fixture.hpp"

namespace nexusfix::testing {
namespace {

using engine::EngineStatus;
using engine::OperatorCommand;
using engine::SessionStatistics;
using enum engine::OperatorAct;

using RunningEngineTest = ControlTest;

TEST_F(RunningEngineTest, status_has_the_state_numbers_and_counts_of_each_session) {
  open();
  RawPeer& trader = log_on("TRADER");
  trader.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 2; }));
  const EngineStatus engine = status();
  EXPECT_EQ(engine.process, ::getpid());
  EXPECT_EQ(engine.loops, 1U);
  ASSERT_EQ(engine.sessions.size(), acceptor->session_count());
  const SessionStatistics& on = engine.sessions[0];
  EXPECT_EQ(on.name, kTrader);
  EXPECT_FALSE(on.is_initiator);
  EXPECT_EQ(on.state, engine::SessionState::LoggedOn);
  EXPECT_TRUE(on.logon_changed_at && on.in.last_at);
  EXPECT_EQ(on.next, (session::Numbers{.next_inbound = 3, .next_outbound = 3}));
  EXPECT_EQ(on.in.messages, 2U);
  EXPECT_EQ(on.out.messages, 2U);
  EXPECT_EQ(on.unsent_bytes, 0U);
  const SessionStatistics& off = engine.sessions[1];
  EXPECT_EQ(off.state, engine::SessionState::Listening);
  EXPECT_FALSE(off.logon_changed_at || off.in.last_at);
  EXPECT_EQ(off.next, (session::Numbers{.next_inbound = 1, .next_outbound = 1}));
}

TEST_F(RunningEngineTest, status_lists_more_sessions_than_one_turn_reads) {
  constexpr int kMore = 100;
  for (int i = 0; i < kMore; ++i) {
    sessions +=
        "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=" + std::string(40, 'N') +
        std::to_string(i) + "\n";
  }
  open();
  const EngineStatus engine = status();
  ASSERT_EQ(engine.sessions.size(), acceptor->session_count());
  std::set<std::string> names;
  for (const SessionStatistics& one : engine.sessions) names.insert(one.name);
  EXPECT_EQ(names.size(), engine.sessions.size());
}

TEST_F(RunningEngineTest, log_out_sends_a_logout_with_the_text_and_the_event_log_has_the_reason) {
  open();
  RawPeer& trader = log_on("TRADER");
  const auto done = command(
      {.act = LogOut, .session = kTrader, .text = "end of day", .reason = "anna@host: by phone"});
  ASSERT_TRUE(done.has_value()) << done.error().text;
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 2; }));
  EXPECT_TRUE(contains(trader.messages()[1], "|35=5|")) << bar(trader.messages()[1]);
  EXPECT_TRUE(contains(trader.messages()[1], "|58=end of day|")) << bar(trader.messages()[1]);
  EXPECT_EQ(status_of(kTrader).state, engine::SessionState::LoggingOut);
  EXPECT_TRUE(log.has(EventId::OperatorCommand)) << log.all();
  EXPECT_TRUE(log.has("log-out: anna@host: by phone (given to the running engine by user "))
      << log.all();
}

TEST_F(RunningEngineTest, disconnect_ends_the_connection_without_a_logout) {
  open();
  RawPeer& trader = log_on("TRADER");
  ASSERT_TRUE(command({.act = Disconnect, .session = kTrader, .reason = "anna: stuck"}));
  ASSERT_TRUE(run_until([&] { return trader.closed(); }));
  EXPECT_EQ(trader.messages().size(), 1U);
  EXPECT_EQ(status_of(kTrader).state, engine::SessionState::Listening);
  EXPECT_TRUE(log.has("disconnected by an operator: anna: stuck")) << log.all();
}

TEST_F(RunningEngineTest, reset_sets_both_sequence_numbers_to_1) {
  open();
  ASSERT_TRUE(acceptor->session(0).set_next_numbers({.next_inbound = 5, .next_outbound = 6}, "x"));
  ASSERT_TRUE(command({.act = Reset, .session = kTrader, .reason = "anna: agreed"}));
  EXPECT_EQ(numbers(), (session::Numbers{.next_inbound = 1, .next_outbound = 1}));
}

TEST_F(RunningEngineTest, stop_ends_the_engine) {
  open();
  std::future<LiveResult> asked = std::async(std::launch::async, [&] {
    return engine::command_running_engine(store_folder(), {.act = Stop, .reason = "anna"});
  });
  while (acceptor->poll(std::chrono::milliseconds{1})) {
  }
  EXPECT_TRUE(asked.get().has_value());
}

TEST_F(RunningEngineTest, command_that_cannot_be_carried_out_says_why_and_changes_nothing) {
  open();
  EXPECT_EQ(refusal_of({.act = LogOut, .session = "FIX.4.4:VENUE->NONE"}),
            "the engine serves no session FIX.4.4:VENUE->NONE");
  EXPECT_EQ(refusal_of({.act = LogOn, .session = kTrader}),
            "the session is an acceptor: its counterparty logs on");
  EXPECT_EQ(refusal_of({.act = LogOut, .session = kTrader}), "the session is not connected");
  EXPECT_EQ(refusal_of({.act = Disconnect, .session = kTrader}), "the session is not connected");
  EXPECT_EQ(refusal_of({.act = ReloadCertificates}), "no session of the engine has TLS");
  EXPECT_TRUE(contains(refusal_of({.act = LogOut, .session = kTrader, .text = "two\nlines"}),
                       "printable characters"));
  EXPECT_FALSE(log.has(EventId::OperatorCommand)) << log.all();
  expect_still_serving();
}

TEST_F(RunningEngineTest, program_of_another_language_speaks_json_lines) {
  open();
  const std::string status = say(R"({"request":"status","version":8})").value_or("");
  EXPECT_TRUE(contains(status, R"("sessions":[{"name":"FIX.4.4:VENUE->TRADER",)")) << status;
  EXPECT_TRUE(contains(status, R"("next_page":{"loop":1,"first":0})")) << status;
  EXPECT_EQ(say(R"({"version":8,"request":"disable","session":"FIX.4.4:VENUE->TRADER"})"),
            R"({"version":8,"done":""})");
  EXPECT_EQ(status_of(kTrader).state, engine::SessionState::Disabled);
  EXPECT_TRUE(
      contains(say(R"({"version":8,"request":"status","loop":7})").value_or(""), "no event loop"));
  EXPECT_TRUE(contains(say(R"({"version":8,"request":"status","first":99999})").value_or(""),
                       R"("sessions":[])"));
  EXPECT_TRUE(contains(say(R"({"version":8,"request":"tail-read","tail":7})").value_or(""),
                       "begin another"));
  EXPECT_TRUE(contains(say("ctl\t7\tstatus\t0\t0").value_or(""), R"({"version":8,"error":)"));
  expect_still_serving();
}

TEST_F(RunningEngineTest, socket_of_the_first_loop_answers_for_all_loops) {
  extra = "EventLoops=2";
  sessions += "EventLoop=1\n";
  open();
  acceptor->start();
  const auto engine = engine::status_of_running_engine(store_folder());
  ASSERT_TRUE(engine.has_value()) << engine.error().text;
  EXPECT_EQ(engine->loops, 2U);
  EXPECT_EQ(engine->sessions.size(), acceptor->session_count());
  const auto reset = engine::command_running_engine(
      store_folder(), {.act = Reset, .session = "FIX.4.2:VENUE->OTHER", .reason = "anna"});
  EXPECT_TRUE(reset.has_value()) << reset.error().text;
  const auto stop = engine::command_running_engine(store_folder(), {.act = Stop, .reason = "anna"});
  EXPECT_TRUE(stop.has_value()) << stop.error().text;
  EXPECT_EQ(acceptor->join(), 0);
}

TEST_F(RunningEngineTest, running_engines_are_found_by_their_sockets) {
  open();
  const auto found = while_serving([] { return engine::find_running_engines(); });
  EXPECT_TRUE(std::ranges::find(found, store_folder()) != found.end());
  const std::string gone = store_folder();
  acceptor.reset();
  const auto left = engine::find_running_engines();
  EXPECT_TRUE(std::ranges::find(left, gone) == left.end());
}

TEST_F(RunningEngineTest, engine_that_does_not_run_is_reported_as_absent) {
  const auto status = engine::status_of_running_engine(store_folder());
  ASSERT_FALSE(status.has_value());
  EXPECT_TRUE(status.error().is_absent);
}

}  // namespace
}  // namespace nexusfix::testing
