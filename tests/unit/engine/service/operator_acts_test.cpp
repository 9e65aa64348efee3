// What an operator does to a session of a running engine, and what is recorded of it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "journal/api/journal_tools.hpp"
#include "store/api/journal.hpp"
#include "unit/engine/service/control_fixture.hpp"

namespace nexusfix::testing {
namespace {

using engine::OperatorAct;
using enum engine::OperatorAct;

class OperatorActsTest : public ControlTest {
 protected:
  // The texts that `nexusfix journal show --changes` has of a session.
  std::vector<std::string> recorded(std::string_view session) {
    PosixDisk disk;
    const auto check = store::verify_journal(disk, store_folder());
    EXPECT_TRUE(check.has_value());
    std::vector<std::string> texts;
    if (!check) return texts;
    for (const auto& change : check->changes) {
      if (change.session == session) texts.push_back(change.text);
    }
    return texts;
  }
  // The round trip of a TestRequest that the counterparty answers.
  std::expected<std::chrono::nanoseconds, engine::LiveError> test(
      RawPeer& peer, const std::function<void(const std::string&)>& on_test_request) {
    std::size_t seen = peer.messages().size();
    auto result = std::async(std::launch::async, [&] {
      return engine::test_running_session(store_folder(), kTrader, "anna",
                                          std::chrono::seconds{20});
    });
    while (result.wait_for(std::chrono::milliseconds{0}) != std::future_status::ready) {
      acceptor->poll(std::chrono::milliseconds{1});
      peer.poll();
      for (; seen < peer.messages().size(); ++seen) {
        if (contains(peer.messages()[seen], "|35=1|")) on_test_request(peer.messages()[seen]);
      }
    }
    return result.get();
  }
};

TEST_F(OperatorActsTest, act_is_in_the_journal_and_changes_no_number) {
  open();
  log_on("TRADER");
  const session::Numbers before = numbers();
  ASSERT_TRUE(command({.act = Disable, .session = kTrader, .reason = "anna: fat finger"}));
  EXPECT_EQ(numbers().next_inbound, before.next_inbound);
  acceptor.reset();
  const auto texts = recorded(kTrader);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_TRUE(
      texts[0].starts_with("operator: disable: anna: fat finger (given to the running "
                           "engine by user "))
      << texts[0];
}

TEST_F(OperatorActsTest, act_on_the_engine_is_recorded_for_each_connected_session) {
  open();
  log_on("OTHER");
  ASSERT_TRUE(command({.act = RotateLogs, .reason = "anna"}));
  EXPECT_EQ(recorded("FIX.4.2:VENUE->OTHER").size(), 1U);
  EXPECT_TRUE(recorded(kTrader).empty());
}

TEST_F(OperatorActsTest, disabled_acceptor_answers_a_logon_with_a_logout_that_says_why) {
  open();
  RawPeer& trader = log_on("TRADER");
  ASSERT_TRUE(command({.act = Disable, .session = kTrader, .reason = "anna"}));
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 2; }));
  EXPECT_TRUE(contains(trader.messages()[1], "|58=Session disabled by the operator|"))
      << bar(trader.messages()[1]);
  trader.send(from("TRADER", "5", 2));
  ASSERT_TRUE(run_until([&] { return trader.closed(); }));
  EXPECT_EQ(status_of(kTrader).state, engine::SessionState::Disabled);

  RawPeer& again = connect();
  again.send(from("TRADER", "A", 3, "98=0|108=30|"));
  ASSERT_TRUE(run_until([&] { return again.closed(); }));
  ASSERT_EQ(again.messages().size(), 1U);
  EXPECT_TRUE(contains(again.messages()[0], "|35=5|")) << bar(again.messages()[0]);
  EXPECT_TRUE(contains(again.messages()[0], "|58=Session disabled by the operator|"));
  EXPECT_TRUE(log.has(EventId::LogonSessionDisabled)) << log.all();

  ASSERT_TRUE(command({.act = Enable, .session = kTrader, .reason = "anna"}));
  EXPECT_EQ(status_of(kTrader).state, engine::SessionState::Listening);
  // The refusals were those of a disabled session.
  EXPECT_EQ(status_of(kTrader).why, "");
  EXPECT_EQ(status_of(kTrader).failures_in_a_row, 0U);
  log_on("TRADER", 3);
}

// An initiator of this test, in an engine of its own, that connects to the fixture's acceptor.
class OperatedInitiator : public OperatorActsTest {
 protected:
  void open_both() {
    open();
    under_test(
        "[DEFAULT]\nConnectionType=initiator\nHeartBtInt=30\nReconnectInterval=1\n"
        "UseDataDictionary=N\nNonStopSession=Y\nSocketConnectHost=127.0.0.1\nSocketConnectPort=" +
            std::to_string(acceptor->accept_port()) + "\nFileStorePath=" + trader_folder_.path() +
            "\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n",
        "trader.cfg")
        .open(trader_, application_);
    ASSERT_TRUE(reaches("logged on"));
  }
  bool reaches(std::string_view state) {
    return run_until([&] {
      serves_ = trader_->poll(std::chrono::milliseconds{0});
      return to_string(trader_->statistics().sessions[0].state) == state;
    });
  }
  LiveResult act(OperatorAct what) {
    auto done = std::async(std::launch::async, [&] {
      return engine::command_running_engine(
          trader_folder_.path(),
          {.act = what, .session = "FIX.4.4:TRADER->VENUE", .reason = "anna"});
    });
    while (done.wait_for(std::chrono::milliseconds{0}) != std::future_status::ready) {
      serves_ = trader_->poll(std::chrono::milliseconds{1});
    }
    return done.get();
  }

  const TemporaryFolder trader_folder_;
  EchoVenue application_;
  std::optional<Engine> trader_;
  bool serves_ = true;  // poll() has not said that no work is left
};

TEST_F(OperatedInitiator, that_is_logged_out_waits_for_its_operator_and_logs_on_again) {
  open_both();
  ASSERT_TRUE(act(LogOut).has_value());
  ASSERT_TRUE(reaches("logged out"));
  clock.advance(std::chrono::seconds{60});
  for (int i = 0; i < 20; ++i) {
    acceptor->poll(std::chrono::milliseconds{0});
    serves_ = trader_->poll(std::chrono::milliseconds{1});
    ASSERT_TRUE(serves_) << "the engine has ended";
  }
  ASSERT_TRUE(act(LogOn).has_value());
  EXPECT_TRUE(reaches("logged on")) << log.all();
  trader_->stop();
  EXPECT_TRUE(run_until([&] { return !trader_->poll(std::chrono::milliseconds{0}); }));
}

TEST_F(OperatedInitiator, that_is_disabled_does_not_connect_until_it_is_enabled) {
  open_both();
  ASSERT_TRUE(act(Disable).has_value());
  ASSERT_TRUE(reaches("disabled"));
  clock.advance(std::chrono::seconds{60});
  for (int i = 0; i < 20; ++i) trader_->poll(std::chrono::milliseconds{1});
  EXPECT_EQ(trader_->statistics().sessions[0].state, engine::SessionState::Disabled);
  const auto refused = act(LogOn);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().text, "the session is disabled: enable it first");
  ASSERT_TRUE(act(Enable).has_value());
  EXPECT_TRUE(reaches("logged on")) << log.all();
}

TEST_F(OperatorActsTest, disabled_session_stays_disabled_after_a_restart) {
  open();
  ASSERT_TRUE(command({.act = Disable, .session = kTrader, .reason = "anna"}));
  reopen();
  EXPECT_EQ(status_of(kTrader).state, engine::SessionState::Disabled);
  RawPeer& peer = connect();
  peer.send(from("TRADER", "A", 1, "98=0|108=30|"));
  ASSERT_TRUE(run_until([&] { return peer.closed(); }));
  ASSERT_TRUE(command({.act = Enable, .session = kTrader, .reason = "anna"}));
  reopen();
  EXPECT_EQ(status_of(kTrader).state, engine::SessionState::Listening);
}

TEST_F(OperatorActsTest, list_of_disabled_sessions_may_be_written_by_an_editor) {
  std::filesystem::create_directories(store_folder());
  std::ofstream{store_folder() + "/control.disabled"} << "\xEF\xBB\xBF" << kTrader << "\r\n";
  open();
  EXPECT_EQ(status_of(kTrader).state, engine::SessionState::Disabled);
}

TEST_F(OperatorActsTest, list_of_disabled_sessions_that_cannot_be_read_prevents_the_start) {
  std::filesystem::create_directories(store_folder() + "/control.disabled");
  const auto opened = under_test().try_open(venue);
  ASSERT_FALSE(opened.has_value());
  EXPECT_TRUE(contains(opened.error().what(), "the list of disabled sessions cannot be read"))
      << opened.error().what();
}

TEST_F(OperatorActsTest, refused_act_says_why_and_is_not_recorded) {
  open();
  EXPECT_EQ(refusal_of({.act = Enable, .session = kTrader}), "the session is not disabled");
  EXPECT_EQ(refusal_of({.act = TestRequest, .session = kTrader}), "the session is not logged on");
  EXPECT_EQ(refusal_of({.act = SendGapFill, .session = kTrader, .number = 9}),
            "the session is not logged on");
  EXPECT_EQ(refusal_of({.act = Disable, .session = "NONE"}), "the engine serves no session NONE");
  EXPECT_TRUE(contains(refusal_of({.act = Drain, .number = 999'999}), "at most 3600 seconds"));
  EXPECT_FALSE(log.has(EventId::OperatorCommand)) << log.all();
  EXPECT_TRUE(recorded(kTrader).empty());
  ASSERT_TRUE(command({.act = Disable, .session = kTrader}));
  EXPECT_EQ(refusal_of({.act = Disable, .session = kTrader}), "the session is disabled already");
  EXPECT_EQ(status_of(kTrader).state, engine::SessionState::Disabled);
}

TEST_F(OperatorActsTest, test_request_returns_the_time_until_its_heartbeat) {
  open();
  RawPeer& trader = log_on("TRADER");
  const auto took = test(trader, [&](const std::string& request) {
    clock.advance(std::chrono::milliseconds{3});
    const std::size_t id = request.find("112=");
    const std::string test_req_id = request.substr(id, request.find('\x01', id) - id);
    trader.send(from("TRADER", "0", 2, test_req_id + "|"));
  });
  ASSERT_TRUE(took.has_value()) << took.error().text;
  EXPECT_EQ(*took, std::chrono::milliseconds{3});
}

TEST_F(OperatorActsTest, gap_fill_skips_unused_numbers_also_after_a_restart) {
  open();
  RawPeer& trader = log_on("TRADER");
  ASSERT_EQ(numbers().next_outbound, 2U);
  EXPECT_TRUE(contains(refusal_of({.act = SendGapFill, .session = kTrader, .number = 2}),
                       "the next MsgSeqNum out is 2"));
  EXPECT_TRUE(contains(refusal_of({.act = SendGapFill, .session = kTrader, .number = 9'999'999}),
                       "at most 1000000"));
  ASSERT_TRUE(command({.act = SendGapFill, .session = kTrader, .number = 50, .reason = "anna"}));
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 2; }));
  EXPECT_TRUE(contains(trader.messages()[1], "|35=4|")) << bar(trader.messages()[1]);
  EXPECT_TRUE(contains(trader.messages()[1], "|34=2|")) << bar(trader.messages()[1]);
  EXPECT_TRUE(contains(trader.messages()[1], "|123=Y|36=50|")) << bar(trader.messages()[1]);
  trader.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 3; }));
  EXPECT_TRUE(contains(trader.messages()[2], "|34=50|")) << bar(trader.messages()[2]);
  // What was skipped is filled again when the counterparty asks for it.
  trader.send(from("TRADER", "2", 3, "7=2|16=0|"));
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 5; }));
  EXPECT_TRUE(contains(trader.messages()[3], "|36=50|")) << bar(trader.messages()[3]);
  reopen();
  EXPECT_EQ(numbers().next_outbound, 51U);
}

TEST_F(OperatorActsTest, gap_fill_skips_numbers_also_if_the_process_is_killed_at_once) {
  // The counterparty has the GapFill: with a number below NewSeqNo the next message is too low.
  for (const std::uint64_t new_seq_no : {3U, 4U, 50U}) {
    open();
    RawPeer& trader = log_on("TRADER", numbers().next_inbound);
    const std::uint64_t gap_fill = numbers().next_outbound;
    const std::uint64_t next = gap_fill - 2 + new_seq_no;
    ASSERT_TRUE(
        command({.act = SendGapFill, .session = kTrader, .number = next, .reason = "anna"}));
    ASSERT_TRUE(run_until([&] { return trader.messages().size() == 2; }));
    EXPECT_TRUE(contains(trader.messages()[1], "|36=" + std::to_string(next) + "|"));
    reopen();
    EXPECT_EQ(numbers().next_outbound, next);
    acceptor.reset();
    peers.clear();
  }
}

TEST_F(OperatorActsTest, drain_lets_a_resend_finish_and_then_stops) {
  open();
  RawPeer& trader = log_on("TRADER");
  for (std::uint64_t i = 2; i < 6; ++i) trader.send(order("TRADER", i, "A" + std::to_string(i)));
  ASSERT_TRUE(run_until([&] { return trader.messages().size() == 5; }));
  trader.send(from("TRADER", "2", 6, "7=2|16=0|"));
  auto asked = std::async(std::launch::async, [&] {
    return engine::command_running_engine(store_folder(),
                                          {.act = Drain, .number = 30, .reason = "anna"});
  });
  // The drain may be requested before the engine reads the ResendRequest: then the Logout is first.
  bool is_answered = false;
  while (acceptor->poll(std::chrono::milliseconds{1})) {
    trader.poll();
    if (is_answered || std::ranges::none_of(trader.messages(), [](const std::string& message) {
          return contains(message, "|35=5|");
        })) {
      continue;
    }
    trader.send(from("TRADER", "5", 7));
    is_answered = true;
  }
  trader.poll();
  EXPECT_TRUE(asked.get().has_value());
  const auto count = [&](std::string_view field) {
    return std::ranges::count_if(
        trader.messages(), [&](const std::string& message) { return contains(message, field); });
  };
  // A resend after the Logout fills its MsgSeqNum, too.
  EXPECT_EQ(count("|35=8|"), 4 + 4) << "four reports, each of them resent";
  EXPECT_EQ(count("|35=5|"), 1);
  EXPECT_TRUE(log.has("drained: all work is done")) << log.all();
}

TEST_F(OperatorActsTest, draining_engine_refuses_new_messages_and_connections) {
  open();
  RawPeer& trader = log_on("TRADER");
  trader.pause(true);
  for (int i = 0; i < 1'500; ++i) EchoVenue::send_text(acceptor->session(0), 10'000);
  turn(3);
  ASSERT_GT(acceptor->session(0).unsent_bytes(), 0U);
  ASSERT_TRUE(command({.act = Drain, .number = 30, .reason = "anna"}));
  turn(3);
  wire::Encoder news = acceptor->session(0).begin("B");
  news.field(58, "late");
  const auto sent = acceptor->session(0).finish(news);
  ASSERT_FALSE(sent.has_value());
  EXPECT_EQ(sent.error().failure, engine::SendFailure::Draining);
  RawPeer& late = connect();
  ASSERT_TRUE(run_until([&] { return late.closed(); }));
  clock.advance(std::chrono::seconds{31});
  turn(2);
  EXPECT_TRUE(log.has("the time for the drain is over")) << log.all();
  EXPECT_TRUE(log.has("sessions with unfinished work: 1")) << log.all();
}

TEST_F(OperatorActsTest, store_in_memory_has_a_socket_where_the_configuration_says) {
  extra = "Store=memory\nControlSocket=" + folder.path() + "/venue.control";
  open();
  const auto engine = while_serving(
      [&] { return engine::status_of_running_engine(folder.path() + "/venue.control"); });
  ASSERT_TRUE(engine.has_value()) << engine.error().text;
  EXPECT_EQ(engine->sessions.size(), 2U);
  const auto found = while_serving([] { return engine::find_running_engines(); });
  EXPECT_TRUE(std::ranges::find(found, folder.path() + "/venue.control") != found.end());
  const auto disabled = while_serving([&] {
    return engine::command_running_engine(folder.path() + "/venue.control",
                                          {.act = Disable, .session = kTrader});
  });
  ASSERT_TRUE(disabled.has_value()) << disabled.error().text;
  reopen();
  RawPeer& peer = connect();
  peer.send(from("TRADER", "A", 1, "98=0|108=30|"));
  ASSERT_TRUE(run_until([&] { return peer.closed(); }));
  ASSERT_EQ(peer.messages().size(), 1U);
}

}  // namespace
}  // namespace nexusfix::testing
