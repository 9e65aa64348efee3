#include "console/tui/engine_view.hpp"

#include <gmock/gmock.h>

namespace nexusfix::tui {
namespace {

using engine::SessionState;
using engine::SessionStatistics;
using std::chrono::seconds;

Now at(int second) {
  return {.wall = WallTime{seconds{1'700'000'000 + second}}, .mono = MonoTime{seconds{second}}};
}

Look look_of(SessionStatistics session) {
  Look look;
  look.status.process = 7;
  look.status.sessions.push_back(std::move(session));
  return look;
}

SessionStatistics logged_on() { return {.name = "VENUE->BROKER", .state = SessionState::LoggedOn}; }

std::vector<std::string> texts(const EngineView& view) {
  std::vector<std::string> found;
  for (const Change& one : view.changes()) found.push_back(one.text);
  return found;
}

TEST(EngineView, rates_are_the_difference_of_two_looks) {
  EngineView view{"store"};
  SessionStatistics session = logged_on();
  session.in.messages = 100;
  view.add(look_of(session), at(0));
  EXPECT_EQ(view.sessions()[0].in_rate, std::nullopt);
  session.in.messages = 300;
  session.out.messages = 50;
  view.add(look_of(session), at(2));
  EXPECT_DOUBLE_EQ(view.sessions()[0].in_rate.value(), 100);
  EXPECT_DOUBLE_EQ(view.sessions()[0].out_rate.value(), 25);
  EXPECT_TRUE(view.changes().empty());
}

TEST(EngineView, a_new_state_is_a_change_with_its_reason) {
  EngineView view{"store"};
  view.add(look_of(logged_on()), at(0));
  SessionStatistics session = logged_on();
  session.state = SessionState::Disabled;
  session.why = "disabled by anna";
  view.add(look_of(session), at(1));
  EXPECT_THAT(texts(view), testing::ElementsAre("disabled: disabled by anna"));
  ASSERT_TRUE(view.sessions()[0].last.has_value());
  EXPECT_EQ(view.sessions()[0].last->seen_at, at(1).wall);
  EXPECT_EQ(view.attention_count(), 1U);
}

TEST(EngineView, a_disconnect_between_two_looks_is_seen) {
  EngineView view{"store"};
  view.add(look_of(logged_on()), at(0));
  SessionStatistics session = logged_on();
  session.disconnects = 1;
  view.add(look_of(session), at(1));
  EXPECT_THAT(texts(view), testing::ElementsAre("disconnected, and logged on again"));
}

TEST(EngineView, a_resend_begins_and_ends) {
  EngineView view{"store"};
  SessionStatistics session = logged_on();
  session.resent = 4;
  view.add(look_of(session), at(0));
  session.resent = 10;
  view.add(look_of(session), at(1));
  EXPECT_EQ(view.sessions()[0].resent_now, 6U);
  session.resent = 15;
  view.add(look_of(session), at(2));
  view.add(look_of(session), at(3));
  EXPECT_EQ(view.sessions()[0].resent_now, 0U);
  EXPECT_THAT(texts(view), testing::ElementsAre("resends messages", "11 messages resent"));
}

TEST(EngineView, gaps_and_numbers_that_were_set_back_are_changes) {
  EngineView view{"store"};
  SessionStatistics session = logged_on();
  session.next = {.next_inbound = 40, .next_outbound = 50};
  view.add(look_of(session), at(0));
  session.gaps = 1;
  session.next = {.next_inbound = 1, .next_outbound = 50};
  view.add(look_of(session), at(1));
  EXPECT_THAT(texts(view), testing::ElementsAre("1 gap in the received MsgSeqNums",
                                                "MsgSeqNums were set back: next in 1, out 50"));
}

TEST(EngineView, a_lost_engine_keeps_its_sessions_without_rates) {
  EngineView view{"store"};
  view.add(look_of(logged_on()), at(0));
  view.add(look_of(logged_on()), at(1));
  view.lose("no engine runs", at(2));
  view.lose("no engine runs", at(3));
  EXPECT_EQ(view.loss(), "no engine runs");
  EXPECT_EQ(view.lost_since(), at(2).wall);
  ASSERT_EQ(view.sessions().size(), 1U);
  EXPECT_EQ(view.sessions()[0].in_rate, std::nullopt);
  Look again = look_of(logged_on());
  again.status.process = 8;
  view.add(std::move(again), at(4));
  EXPECT_EQ(view.loss(), "");
  EXPECT_THAT(texts(view),
              testing::ElementsAre("no answer: no engine runs", "the engine has started again"));
}

TEST(EngineView, sessions_of_a_reload_come_and_go) {
  EngineView view{"store"};
  view.add(look_of(logged_on()), at(0));
  view.add(look_of({.name = "VENUE->NEW", .state = SessionState::Listening}), at(1));
  ASSERT_EQ(view.changes().size(), 2U);
  EXPECT_EQ(view.changes()[0].session, "VENUE->NEW");
  EXPECT_EQ(view.changes()[1].session, "VENUE->BROKER");
}

TEST(EngineView, keeps_the_newest_changes) {
  EngineView view{"store"};
  SessionStatistics session = logged_on();
  for (std::size_t i = 0; i < EngineView::kChangesMax + 9; ++i) {
    session.gaps = i;
    view.add(look_of(session), at(static_cast<int>(i)));
  }
  EXPECT_EQ(view.changes().size(), EngineView::kChangesMax);
}

TEST(EngineView, an_event_of_a_file_belongs_to_the_session_of_this_name) {
  EngineView view{"store"};
  Look look;
  look.status.sessions = {{.name = "FIX.4.4:VENUE/DESK->BRO-KER"}, {.name = "FIX.4.4:VENUE->X"}};
  view.add(std::move(look), at(0));
  view.add_events({{.session = "FIX.4.4-VENUE--DESK-BRO%2DKER", .text = "INFO NXF-1001 : on"},
                   {.text = "INFO NXF-3001 : listening"},
                   {.session = "FIX.4.4-GONE-Y", .text = "INFO NXF-1002 : out"}});
  std::vector<std::string> sessions;
  for (const Change& one : view.events()) sessions.push_back(one.session);
  EXPECT_THAT(sessions, testing::ElementsAre("FIX.4.4:VENUE/DESK->BRO-KER", "", "FIX.4.4-GONE-Y"));
}

}  // namespace
}  // namespace nexusfix::tui
