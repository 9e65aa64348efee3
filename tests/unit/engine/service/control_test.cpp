// An operator sets the numbers of a running engine through the control socket in its store folder.
#include "engine/service/operator/control.hpp"

#include <filesystem>
#include <future>
#include <sys/stat.h>

#include "control/api/running_engine.hpp"
#include "support/network/fake_network.hpp"
#include "transport/api/local_socket.hpp"
#include "unit/engine/service/control_fixture.hpp"

namespace nexusfix::testing {
namespace {

TEST_F(ControlTest, numbers_set_in_a_running_engine_survive_a_restart) {
  open();
  RawPeer& other = log_on("OTHER");
  const auto done = set({.session = kTrader,
                         .expected = {},
                         .wanted = {.next_inbound = 7, .next_outbound = 40},
                         .reason = "anna@host: agreed by phone"});
  ASSERT_TRUE(done.has_value()) << done.error().text;
  EXPECT_EQ(numbers(), (session::Numbers{.next_inbound = 7, .next_outbound = 40}));
  EXPECT_TRUE(log.has("anna@host: agreed by phone (given to the running engine by user "))
      << log.all();
  other.send(order("OTHER", 2, "STILL"));
  ASSERT_TRUE(run_until([&] { return other.messages().size() == 2; })) << "others go on";
  reopen();
  RawPeer& peer = log_on("TRADER", 7);
  EXPECT_TRUE(contains(peer.messages()[0], "|34=40|")) << bar(peer.messages()[0]);
}

TEST_F(ControlTest, refused_request_has_a_reason_and_sets_nothing) {
  open();
  const engine::LiveNumbers good{.session = kTrader,
                                 .expected = {},
                                 .wanted = {.next_inbound = 9, .next_outbound = 9},
                                 .reason = "why"};
  const auto refused = [&](auto change, std::string_view text) {
    engine::LiveNumbers request = good;
    change(request);
    const auto done = set(request);
    ASSERT_FALSE(done.has_value()) << text;
    EXPECT_FALSE(done.error().is_absent);
    EXPECT_NE(done.error().text.find(text), std::string::npos) << done.error().text;
    EXPECT_EQ(numbers().next_inbound, 1U);
  };
  using Request = engine::LiveNumbers;
  refused([](Request& one) { one.session = "FIX.4.4:VENUE->UNKNOWN"; }, "no session");
  refused([](Request& one) { one.expected.next_outbound = 2; }, "in 1, out 1");
  refused([](Request& one) { one.wanted.next_inbound = 0; }, "1 to 1000000000000000000");
  refused([](Request& one) { one.wanted.next_outbound = 1'000'000'000'000'000'001; },
          "1 to 1000000000000000000");
  refused([](Request& one) { one.reason = "two\nlines"; }, "printable");
  refused([](Request& one) { one.reason = std::string(2'000, 'x'); }, "1500 bytes");
  log_on("TRADER");
  const auto connected = set({.session = kTrader,
                              .expected = numbers(),
                              .wanted = {.next_inbound = 9, .next_outbound = 9},
                              .reason = "why"});
  ASSERT_FALSE(connected.has_value());
  EXPECT_NE(connected.error().text.find("log it out first"), std::string::npos);
}

TEST_F(ControlTest, invalid_command_is_answered_and_changes_nothing) {
  open();
  const auto set = [](std::string_view wanted) {
    return R"({"version":8,"request":"set-numbers","session":"FIX.4.4:VENUE->TRADER",)"
           R"("expected":{"in":1,"out":1},"wanted":)" +
           std::string{wanted} + R"(,"reason":"why"})";
  };
  const std::string good = set(R"({"in":9,"out":9})");
  for (const std::string& line :
       {std::string{}, std::string{"stop"}, good + '}', good.substr(0, good.size() - 1),
        '[' + good + ']', good + '\x1b', set("9"), set(R"({"in":-9,"out":9})"),
        set(R"({"in":9.5,"out":9})"), set(R"({"in":"9","out":9})"), set(R"({"in":9})"),
        set(R"({"in":99999999999999999999,"out":9})"), std::string(4'000, '['),
        std::string(60'000, '['), std::string{"set-numbers\t1\t1\t9\t9\tx\ty"}}) {
    const auto answer = say(line);
    ASSERT_TRUE(answer.has_value()) << answer.error().text;
    EXPECT_TRUE(answer->starts_with(R"({"version":8,"error":")")) << *answer;
    EXPECT_NE(answer->find("nothing was done"), std::string::npos) << *answer;
  }
  EXPECT_EQ(numbers().next_inbound, 1U);
  EXPECT_EQ(say(good).value_or("none"), R"({"version":8,"done":""})");
}

TEST_F(ControlTest, socket_is_only_for_the_owner_and_is_removed_with_the_engine) {
  open();
  const std::string path = store_folder() + "/control";
  struct stat found{};
  ASSERT_EQ(::lstat(path.c_str(), &found), 0);
  EXPECT_TRUE(S_ISSOCK(found.st_mode));
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
  acceptor.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
  const auto done = engine::set_live_numbers(store_folder(), {.session = kTrader, .reason = "x"});
  ASSERT_FALSE(done.has_value());
  EXPECT_TRUE(done.error().is_absent) << done.error().text;
}

TEST_F(ControlTest, engine_serves_without_a_socket_if_none_can_be_created) {
  std::filesystem::create_directories(store_folder() + "/control");
  open();
  EXPECT_TRUE(log.has(EventId::CommandsUnavailable)) << log.all();
  expect_still_serving();
  EXPECT_TRUE(std::filesystem::is_directory(store_folder() + "/control"));
}

TEST_F(ControlTest, folder_of_the_socket_is_created) {
  extra = "Store=memory\nControlSocket=" + folder.path() + "/run/venue/control";
  open();
  EXPECT_FALSE(log.has(EventId::CommandsUnavailable)) << log.all();
  EXPECT_TRUE(std::filesystem::exists(folder.path() + "/run/venue/control"));
}

TEST_F(ControlTest, engine_that_has_ended_sets_nothing) {
  open();
  acceptor->stop();
  while (acceptor->poll(std::chrono::milliseconds{1})) {
  }
  const auto done = engine::set_live_numbers(
      store_folder(),
      {.session = kTrader, .wanted = {.next_inbound = 9, .next_outbound = 9}, .reason = "x"});
  ASSERT_FALSE(done.has_value());
  EXPECT_NE(done.error().text.find("the engine has ended"), std::string::npos) << done.error().text;
}

TEST_F(ControlTest, command_that_no_loop_reads_is_withdrawn) {
  transport::FakeInternet internet;
  transport::FakeNetwork network{internet};
  engine::OperatorCommands commands{{std::make_shared<engine::TaskInbox>(network)},
                                    {},
                                    std::make_shared<engine::DisabledSessions>(),
                                    std::make_shared<engine::StandbyStatus>(),
                                    std::chrono::milliseconds{1}};
  const auto control = engine::Control::open({folder.path() + "/control"}, commands);
  ASSERT_TRUE(control.has_value()) << control.error();
  const auto done = engine::set_live_numbers(folder.path(), {.session = kTrader, .reason = "x"});
  ASSERT_FALSE(done.has_value());
  EXPECT_NE(done.error().text.find("did not look at it in time"), std::string::npos);
}

TEST_F(ControlTest, engine_ends_at_once_while_a_command_waits) {
  open();
  auto asked = std::async(std::launch::async, [&] {
    return engine::set_live_numbers(store_folder(), {.session = kTrader, .reason = "x"});
  });
  acceptor.reset();  // before, during or after the request
  const auto done = asked.get();
  EXPECT_FALSE(done.has_value());
}

TEST_F(ControlTest, each_event_loop_has_a_socket_in_its_own_folder) {
  extra = "EventLoops=2";
  sessions += "EventLoop=1\n";
  open();
  EXPECT_TRUE(std::filesystem::exists(store_folder() + "/control"));
  acceptor->start();
  const engine::LiveNumbers request{.session = "FIX.4.2:VENUE->OTHER",
                                    .wanted = {.next_inbound = 5, .next_outbound = 6},
                                    .reason = "x"};
  const auto elsewhere =
      engine::set_live_numbers(store_folder() + "/loop-1", {.session = kTrader, .reason = "x"});
  ASSERT_FALSE(elsewhere.has_value());
  EXPECT_NE(elsewhere.error().text.find("from here"), std::string::npos);
  const auto done = engine::set_live_numbers(store_folder() + "/loop-1", request);
  EXPECT_TRUE(done.has_value()) << done.error().text;
  const auto by_first = engine::set_live_numbers(
      store_folder(), {.session = request.session,
                       .expected = request.wanted,
                       .wanted = {.next_inbound = 7, .next_outbound = 8},
                       .reason = "the first socket answers for all loops"});
  EXPECT_TRUE(by_first.has_value()) << by_first.error().text;
  acceptor->stop();
  EXPECT_EQ(acceptor->join(), 0);
}

// The test reads trader_log only after the thread of the initiator has ended.
class HaltedInitiatorTest : public ControlTest {
 protected:
  struct Quiet {
    void on_message(Session&, const MessageView&) {}
  };

  void begin() {
    open();
    ASSERT_TRUE(acceptor->session(0).set_next_numbers({.next_inbound = 10, .next_outbound = 1},
                                                      "anna: knows more than the trader"));
    EngineUnderTest opening = under_test(
        "[DEFAULT]\nConnectionType=initiator\nHeartBtInt=30\nReconnectInterval=1\n"
        "UseDataDictionary=N\nNonStopSession=Y\nSocketConnectHost=127.0.0.1\n"
        "SocketConnectPort=" +
            std::to_string(acceptor->accept_port()) + "\nFileStorePath=" + trader_folder.path() +
            "\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n",
        "trader.cfg");
    opening.options.log = &trader_log;
    opening.open(initiator, trader);
  }
  // Repeats the request: it is refused while the session is connected, and until the acceptor has
  // refused the Logon.
  std::expected<void, engine::LiveError> set_until_taken(const engine::LiveNumbers& request) {
    std::expected<void, engine::LiveError> done;
    for (int i = 0; i < 1'000; ++i) {
      done = while_serving([&] { return engine::set_live_numbers(trader_folder.path(), request); });
      if (done) break;
    }
    return done;
  }

  TemporaryFolder trader_folder;
  RecordingLog trader_log;
  Quiet trader;
  std::optional<Engine> initiator;
};

TEST_F(HaltedInitiatorTest, engine_with_a_halted_initiator_waits_for_an_operator) {
  begin();
  auto ended = std::async(std::launch::async, [&] { return initiator->run(); });
  const auto done = set_until_taken({.session = "FIX.4.4:TRADER->VENUE",
                                     .expected = {.next_inbound = 2, .next_outbound = 2},
                                     .wanted = {.next_inbound = 2, .next_outbound = 10},
                                     .reason = "anna: agreed by phone"});
  EXPECT_TRUE(done.has_value()) << done.error().text;
  EXPECT_TRUE(run_until([&] { return venue.logons == 1; })) << log.all();
  initiator->stop();
  while (ended.wait_for(std::chrono::milliseconds{0}) != std::future_status::ready) {
    acceptor->poll(std::chrono::milliseconds{1});
  }
  EXPECT_EQ(ended.get(), 0);
  EXPECT_TRUE(trader_log.has("which this engine accepts while it runs")) << trader_log.all();
}

TEST_F(HaltedInitiatorTest, engine_that_waits_for_an_operator_can_be_stopped) {
  begin();
  auto ended = std::async(std::launch::async, [&] { return initiator->run(); });
  EXPECT_TRUE(run_until([&] { return log.has("MsgSeqNum too low"); })) << log.all();
  turn(50);
  initiator->stop();
  while (ended.wait_for(std::chrono::milliseconds{0}) != std::future_status::ready) {
    acceptor->poll(std::chrono::milliseconds{1});
  }
  EXPECT_EQ(ended.get(), 0);
}

}  // namespace
}  // namespace nexusfix::testing
