// A configuration file that is read again while sessions trade.
#include <future>

#include "control/api/running_engine.hpp"
#include "reload_fixture.hpp"

namespace nexusfix::testing {
namespace {

constexpr const char* kElsewhere =
    "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=NEWCOMER\n"
    "SocketAcceptAddress=0.0.0.0\n";

TEST_F(ReloadTest, added_session_trades_and_existing_ones_continue) {
  open_file();
  RawPeer& peer = log_on("TRADER");
  refuse("NEWCOMER", 1);
  sessions += kNewcomer;
  const auto done = reload();
  EXPECT_EQ(done.added, Names{"FIX.4.4:VENUE->NEWCOMER"});
  EXPECT_TRUE(done.removed.empty() && done.changed.empty());
  RawPeer& newcomer = log_on("NEWCOMER");
  newcomer.send(order("NEWCOMER", 2, "N"));
  peer.send(order("TRADER", 2, "T"));
  EXPECT_TRUE(run_until([&] { return venue.orders.size() == 2; })) << log.all();
}

TEST_F(ReloadTest, removed_session_logs_out_and_refuses_its_counterparty) {
  open_file();
  RawPeer& peer = log_on("TRADER");
  RawPeer& other = log_on("OTHER");
  remove_trader();
  EXPECT_EQ(reload().removed, Names{"FIX.4.4:VENUE->TRADER"});
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|35=5|"));
  peer.send(from("TRADER", "5", 2));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_EQ(venue.logouts, 1);
  refuse("TRADER", 3);
  other.send(order("OTHER", 2, "O"));
  EXPECT_TRUE(run_until([&] { return venue.orders.size() == 1; })) << log.all();
}

TEST_F(ReloadTest, configuration_that_the_program_refuses_changes_nothing) {
  std::string wrong;
  write();
  EngineOptions checking = options();
  checking.check_settings = {
      .call = [](void* context,
                 const nexusfix::Settings& fresh) -> std::expected<void, std::string> {
        const auto& refusal = *static_cast<const std::string*>(context);
        if (refusal.empty()) return {};
        return std::unexpected{refusal + ", " + std::to_string(fresh.sessions().size()) +
                               " sessions"};
      },
      .context = &wrong};
  auto opened = Engine::open(path(), venue, checking);
  ASSERT_TRUE(opened.has_value()) << opened.error().what();
  acceptor.emplace(std::move(*opened));
  sessions += kNewcomer;
  write();
  wrong = "not this one";
  EXPECT_EQ(reload_error(), "not this one, 3 sessions");
  EXPECT_EQ(acceptor->session_count(), 2U);
  wrong.clear();
  EXPECT_EQ(reload().added, Names{"FIX.4.4:VENUE->NEWCOMER"});
  acceptor.reset();
  wrong = "not at the start";
  const auto refused = Engine::open(path(), venue, checking);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().text, "not at the start, 3 sessions");
}

TEST_F(ReloadTest, removed_session_is_not_in_the_status_of_the_engine) {
  open_file();
  remove_trader();
  static_cast<void>(reload());
  auto asked = std::async(std::launch::async, [this] {
    return engine::status_of_running_engine(folder.path() + "/store");
  });
  while (asked.wait_for(std::chrono::milliseconds{0}) != std::future_status::ready) turn(1);
  const auto status = asked.get();
  ASSERT_TRUE(status.has_value()) << status.error().text;
  ASSERT_EQ(status->sessions.size(), 1U);
  EXPECT_EQ(status->sessions.front().name, "FIX.4.2:VENUE->OTHER");
  EXPECT_EQ(acceptor->statistics().sessions.size(), 1U);
  auto act = std::async(std::launch::async, [this] {
    return engine::command_running_engine(
        folder.path() + "/store",
        {.act = engine::OperatorAct::Disable, .session = "FIX.4.4:VENUE->TRADER"});
  });
  while (act.wait_for(std::chrono::milliseconds{0}) != std::future_status::ready) turn(1);
  const auto done = act.get();
  ASSERT_FALSE(done.has_value());
  EXPECT_TRUE(contains(done.error().text, "no session")) << done.error().text;
}

TEST_F(ReloadTest, session_that_comes_back_is_in_the_statistics_again) {
  open_file();
  const std::string all = sessions;
  remove_trader();
  static_cast<void>(reload());
  ASSERT_EQ(acceptor->statistics().sessions.size(), 1U);
  sessions = all;
  static_cast<void>(reload());
  EXPECT_EQ(acceptor->statistics().sessions.size(), 2U);
}

TEST_F(ReloadTest, application_may_send_to_a_removed_session) {
  open_file();
  Session& session = acceptor->session(0);
  remove_trader();
  static_cast<void>(reload());
  turn(5);
  EchoVenue::answer(session, "LATE");
  EXPECT_EQ(session.numbers().next_outbound, 2U);
}

TEST_F(ReloadTest, session_that_is_added_again_continues_its_numbers) {
  open_file();
  RawPeer& peer = log_on("TRADER");
  const std::string all = sessions;
  remove_trader();
  static_cast<void>(reload());
  peer.send(from("TRADER", "5", 2));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  sessions = all;
  EXPECT_EQ(reload().added, Names{"FIX.4.4:VENUE->TRADER"});
  RawPeer& back = log_on("TRADER", 3);
  EXPECT_TRUE(contains(back.messages()[0], "|34=3|")) << bar(back.messages()[0]);
  EXPECT_EQ(acceptor->session_count(), 2U);
}

TEST_F(ReloadTest, sessions_are_added_and_removed_in_one_reload) {
  open_file();
  remove_trader();
  sessions += kNewcomer;
  const auto done = reload();
  EXPECT_EQ(done.added, Names{"FIX.4.4:VENUE->NEWCOMER"});
  EXPECT_EQ(done.removed, Names{"FIX.4.4:VENUE->TRADER"});
  log_on("NEWCOMER");
  refuse("TRADER", 1);
  expect_still_serving();
}

TEST_F(ReloadTest, error_is_reported_with_its_line_and_nothing_changes) {
  open_file();
  RawPeer& peer = log_on("TRADER");
  remove_trader();
  sessions += std::string{kNewcomer} + "LogonTimeout=soon\n";
  write();
  const std::string error = reload_error();
  EXPECT_TRUE(error.starts_with(path() + ":")) << error;
  EXPECT_NE(error.find("LogonTimeout=soon: a whole number of seconds"), std::string::npos) << error;
  EXPECT_EQ(acceptor->session_count(), 2U);
  refuse("NEWCOMER", 1);
  peer.send(order("TRADER", 2, "T"));
  EXPECT_TRUE(run_until([&] { return venue.orders.size() == 1; })) << log.all();
}

TEST_F(ReloadTest, missing_dictionary_adds_nothing) {
  open_file();
  sessions += std::string{kNewcomer} + "UseDataDictionary=Y\nDataDictionary=nowhere.xml\n";
  write();
  EXPECT_NE(reload_error().find("nowhere.xml"), std::string::npos);
  EXPECT_EQ(acceptor->session_count(), 2U);
}

TEST_F(ReloadTest, unavailable_port_adds_nothing_and_removes_nothing) {
  open_file();
  RawPeer& peer = log_on("TRADER");
  remove_trader();
  sessions += std::string{kNewcomer} +
              "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=SECOND\n"
              "SocketAcceptAddress=192.0.2.1\n";
  write();
  const std::string error = reload_error();
  EXPECT_NE(error.find("SocketAcceptAddress=192.0.2.1: "), std::string::npos) << error;
  EXPECT_EQ(acceptor->session_count(), 2U);
  peer.send(order("TRADER", 2, "T"));
  EXPECT_TRUE(run_until([&] { return venue.orders.size() == 1; })) << log.all();
}

TEST_F(ReloadTest, missing_file_changes_nothing) {
  open_file();
  ASSERT_EQ(std::remove(path().c_str()), 0);
  const std::string error = reload_error();
  EXPECT_TRUE(error.starts_with(path() + ": the configuration cannot be read: ")) << error;
  expect_still_serving();
}

TEST_F(ReloadTest, unchanged_file_has_no_effect) {
  open_file();
  RawPeer& peer = log_on("TRADER");
  const std::size_t lines = log.lines.size();
  const auto done = reload();
  EXPECT_TRUE(done.added.empty() && done.removed.empty() && done.changed.empty());
  turn(5);
  EXPECT_EQ(log.lines.size(), lines) << log.all();
  EXPECT_FALSE(peer.closed());
}

TEST_F(ReloadTest, changes_are_reported_once) {
  open_file();
  sessions += "MaxLatency=60\n";
  EXPECT_EQ(reload().changed.size(), 1U);
  EXPECT_TRUE(reload().changed.empty());
}

TEST_F(ReloadTest, sessions_added_by_the_program_stay) {
  open_file();
  auto more = config::parse_settings(
      "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\nSocketAcceptAddress=127.0.0.1\n"
      "Store=memory\nNonStopSession=Y\nUseDataDictionary=N\n" +
          std::string{kNewcomer},
      "more.cfg");
  ASSERT_TRUE(more.has_value());
  ASSERT_TRUE(acceptor->add_sessions(std::move(*more)));
  remove_trader();
  EXPECT_EQ(reload().removed, Names{"FIX.4.4:VENUE->TRADER"});
  log_on("NEWCOMER");
}

TEST_F(ReloadTest, port_of_a_new_session_is_opened_and_closed_with_its_last_one) {
  open_file();
  RawPeer& peer = log_on("TRADER");
  const std::string before = sessions;
  sessions += kElsewhere;
  static_cast<void>(reload());
  const std::uint16_t port = port_at("0.0.0.0");
  ASSERT_NE(port, 0) << log.all();
  ASSERT_NE(port, acceptor->accept_port());
  EXPECT_TRUE(is_taken_at(port));
  sessions = before;
  static_cast<void>(reload());
  EXPECT_TRUE(log.has("port " + std::to_string(port) + " is closed: no session is left for it"));
  EXPECT_FALSE(is_taken_at(port));
  EXPECT_FALSE(log.has("port " + std::to_string(acceptor->accept_port()) + " is closed"));
  peer.send(order("TRADER", 2, "T"));
  EXPECT_TRUE(run_until([&] { return venue.orders.size() == 1; })) << log.all();
}

TEST_F(ReloadTest, port_of_a_session_that_is_added_again_is_opened_again) {
  const std::string before = sessions;
  sessions += kElsewhere;
  open_file();
  sessions = before;
  static_cast<void>(reload());
  sessions += kElsewhere;
  EXPECT_EQ(reload().added, Names{"FIX.4.4:VENUE->NEWCOMER"});
  EXPECT_TRUE(is_taken_at(port_at("0.0.0.0"))) << log.all();
}

TEST_F(ReloadTest, session_whose_port_is_in_use_is_not_added_again) {
  const std::string before = sessions;
  sessions += kElsewhere;
  open_file();
  const std::uint16_t port = port_at("0.0.0.0");
  acceptor.reset();
  log.clear();
  const std::string there =
      std::string{kElsewhere} + "SocketAcceptPort=" + std::to_string(port) + "\n";
  sessions = before + there;
  open_file();
  sessions = before;
  static_cast<void>(reload());
  auto network = transport::make_epoll_network();
  ASSERT_TRUE(network.has_value());
  ASSERT_TRUE((*network)->listen({"127.0.0.1", port}).has_value());
  sessions += there;
  write();
  EXPECT_NE(reload_error().find("SocketAcceptPort=" + std::to_string(port) + ": "),
            std::string::npos);
  expect_still_serving();
}

TEST_F(ReloadTest, session_moves_to_one_address_of_its_port_and_an_error_moves_it_back) {
  const std::string before = sessions;
  sessions += kElsewhere;
  open_file();
  const std::string port_text = std::to_string(port_at("0.0.0.0"));
  acceptor.reset();
  log.clear();
  sessions = before + kElsewhere + "SocketAcceptPort=" + port_text + "\n";
  open_file();
  const std::uint16_t port = port_at("0.0.0.0");
  const std::string moved = before +
                            "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\n"
                            "TargetCompID=MOVED\nSocketAcceptPort=" +
                            port_text + "\n";
  sessions = moved +
             "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=SECOND\n"
             "SocketAcceptAddress=192.0.2.1\n";
  write();
  EXPECT_NE(reload_error().find("SocketAcceptAddress=192.0.2.1: "), std::string::npos);
  EXPECT_TRUE(is_taken_at(port)) << log.all();
  sessions = moved;
  EXPECT_EQ(reload().added, Names{"FIX.4.4:VENUE->MOVED"});
  RawPeer& peer = *peers.emplace_back(std::make_unique<RawPeer>(port));
  peer.send(logon("MOVED", 1));
  EXPECT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
}

TEST_F(ReloadTest, port_of_a_session_that_cannot_be_added_is_closed_again) {
  open_file();
  sessions += std::string{kElsewhere} +
              "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=SECOND\n"
              "SocketAcceptAddress=192.0.2.1\n";
  write();
  EXPECT_NE(reload_error().find("SocketAcceptAddress=192.0.2.1: "), std::string::npos);
  const std::uint16_t port = port_at("0.0.0.0");
  ASSERT_NE(port, 0) << log.all();
  EXPECT_FALSE(is_taken_at(port));
}

TEST_F(ReloadTest, template_port_stays_open_until_its_last_session_is_removed) {
  const std::string before = sessions;
  sessions +=
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=*\nAcceptorTemplate=Y\n"
      "SocketAcceptAddress=0.0.0.0\n";
  open_file();
  const std::uint16_t port = port_at("0.0.0.0");
  ASSERT_TRUE(is_taken_at(port)) << log.all();
  sessions = before;
  static_cast<void>(reload());
  EXPECT_FALSE(log.has("port " + std::to_string(port) + " is closed")) << log.all();
  acceptor->find_session("FIX.4.4:VENUE->NEWCOMER")->remove({});
  peers.clear();
  EXPECT_TRUE(run_until([&] { return log.has("port " + std::to_string(port) + " is closed"); }))
      << log.all();
}

TEST_F(ReloadTest, removed_template_keeps_its_sessions) {
  open_file();
  const std::string before = sessions;
  sessions +=
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=*\nAcceptorTemplate=Y\n";
  static_cast<void>(reload());
  RawPeer& unknown = log_on("STRANGER");
  sessions = before;
  static_cast<void>(reload());
  refuse("SECOND", 1);
  unknown.send(order("STRANGER", 2, "S"));
  EXPECT_TRUE(run_until([&] { return venue.orders.size() == 1; })) << log.all();
}

TEST_F(ReloadTest, removed_session_is_not_created_again_from_a_template) {
  sessions +=
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=*\nAcceptorTemplate=Y\n";
  open_file();
  remove_trader();
  static_cast<void>(reload());
  refuse("TRADER", 1);
}

TEST_F(ReloadTest, request_is_served_by_the_loop_and_answered_in_the_log) {
  open_file();
  sessions += kNewcomer;
  write();
  acceptor->request_reload();
  EXPECT_TRUE(run_until([&] { return log.has(" was read again: 1 session added, 0 removed"); }))
      << log.all();
  log_on("NEWCOMER");
  std::ofstream{path()} << "[SESSION]\nHeartBtInt=never\n";
  acceptor->request_reload();
  EXPECT_TRUE(run_until([&] { return log.has("HeartBtInt=never"); })) << log.all();
  EXPECT_TRUE(log.has(path() + " was read again and rejected; nothing has changed"));
  expect_still_serving();
}

TEST_F(ReloadTest, engine_without_a_file_refuses_a_reload) {
  open();
  EXPECT_EQ(reload_error(), "the engine was not opened with a file");
  const std::size_t lines = log.lines.size();
  acceptor->request_reload();
  turn(5);
  EXPECT_EQ(log.lines.size(), lines) << log.all();
}

TEST_F(ReloadTest, reload_is_refused_within_a_callback) {
  open_file();
  std::string refused;
  venue.before_answer = [&](Session&, const MessageView&) { refused = reload_error(); };
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A"));
  ASSERT_TRUE(run_until([&] { return !refused.empty(); }));
  EXPECT_EQ(refused, "not from within a callback");
}

}  // namespace
}  // namespace nexusfix::testing
