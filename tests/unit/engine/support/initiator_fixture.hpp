// An initiator and our own acceptor, both driven by the test's thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {

struct Trader {
  std::vector<std::string> reports;
  std::vector<std::string> recovered;
  int logons = 0;
  int logouts = 0;
  std::size_t orders_at_logon = 0;
  bool log_out_after_report = false;

  void on_logon(Session& session) {
    ++logons;
    for (std::size_t i = 0; i < orders_at_logon; ++i) send(session, "A" + std::to_string(i));
  }
  void on_logout(Session&) { ++logouts; }
  void on_recovered(const RecoveredMessage& message) {
    recovered.emplace_back(message.message[11].value_or(""));
  }
  void on_message(Session& session, const MessageView& message) {
    reports.emplace_back(message[11].value_or(""));
    if (log_out_after_report) session.log_out("done");
  }
  static void send(Session& session, const std::string& cl_ord_id) {
    wire::Encoder order = session.begin("D");
    order.field(11, cl_ord_id).field(55, "AAPL").field(54, '1').field(38, 100).field(40, '1');
    ASSERT_TRUE(session.finish(order).has_value());
  }
};

class InitiatorTest : public AcceptorTest {
 protected:
  [[nodiscard]] std::string trader_config(std::uint16_t port) const {
    return "[DEFAULT]\nConnectionType=initiator\nHeartBtInt=30\nReconnectInterval=1\n"
           "UseDataDictionary=N\nSocketConnectHost=127.0.0.1\n" +
           schedule + "\nSocketConnectPort=" + std::to_string(port) +
           "\nFileStorePath=" + trader_folder.path() +
           "/store\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n";
  }

  // keys: more of its configuration.
  [[nodiscard]] EngineUnderTest trader_under_test(std::uint16_t port,
                                                  const std::string& keys = {}) {
    EngineUnderTest opening = under_test(trader_config(port) + keys, "trader.cfg");
    opening.settings.sessions.front().reconnect.jitter = trader_jitter;
    opening.options.log = &trader_log;
    return opening;
  }
  void open_trader(std::uint16_t port) { trader_under_test(port).open(initiator, trader); }

  bool turn_until(const std::function<bool()>& condition) {
    return run_until([&] {
      if (initiator) running = initiator->poll(std::chrono::nanoseconds{0});
      return condition();
    });
  }

  [[nodiscard]] bool numbers_agree() {
    const auto ours = initiator->session(0).numbers();
    const auto theirs = acceptor->session(0).numbers();
    return ours.next_outbound == theirs.next_inbound && ours.next_inbound == theirs.next_outbound;
  }

  std::uint32_t trader_jitter = 10;  // of ReconnectInterval
  TemporaryFolder trader_folder;
  RecordingLog trader_log;
  Trader trader;
  std::optional<Engine> initiator;
  bool running = true;
};

}  // namespace nexusfix::testing
