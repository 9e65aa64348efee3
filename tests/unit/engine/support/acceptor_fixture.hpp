// An acceptor on a free loopback port with a manual clock, and counterparties that send raw bytes.
#pragma once

#include <chrono>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/engine.hpp>
#include <nexusfix/statistics.hpp>
#include <nexusfix/transport/network.hpp>
#include <nexusfix/wire/encoder.hpp>

#include "config/api/settings.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/fix_text.hpp"
#include "support/manual_clock.hpp"
#include "support/network/raw_peer.hpp"
#include "support/recording_log.hpp"
#include "unit/engine/support/engine_under_test.hpp"

namespace nexusfix::testing {

// Answers every NewOrderSingle (D) with one ExecutionReport (8) that carries its ClOrdID.
struct EchoVenue {
  std::vector<std::string> orders;
  std::vector<std::string> recovered;
  std::function<void(Session&, const MessageView&)> before_answer;
  int logons = 0;
  int logouts = 0;

  void on_logon(Session&) { ++logons; }
  std::function<void(Session&)> after_logout;
  void on_logout(Session& session) {
    ++logouts;
    if (after_logout) after_logout(session);
  }
  void on_recovered(const RecoveredMessage& message) {
    recovered.push_back(bar(message.message.bytes()));
  }
  MessageReply on_message(Session& session, const MessageView& message) {
    if (message.msg_type() != "D") return engine::unsupported_message_type();
    const std::string cl_ord_id{message[11].value_or("")};
    if (before_answer) before_answer(session, message);
    answer(session, cl_ord_id);
    orders.push_back(cl_ord_id);
    return accept();
  }
  static void answer(Session& session, const std::string& cl_ord_id) {
    wire::Encoder report = session.begin("8");
    report.field(11, cl_ord_id).field(150, '0').field(39, '0');
    if (const auto sent = session.finish(report); !sent) {
      throw std::runtime_error{sent.error().what()};
    }
  }
  // Sends a message of about this number of bytes.
  static void send_text(Session& session, std::size_t bytes) {
    wire::Encoder news = session.begin("B");
    news.field(58, std::string(bytes, 'x'));
    ASSERT_TRUE(session.finish(news).has_value());
  }
};

class AcceptorTest : public ::testing::Test {
 protected:
  // Destroys the engine before the members of a derived fixture that the engine uses.
  void TearDown() override { acceptor.reset(); }

  // Keys for [DEFAULT]; set before open().
  std::string extra;
  std::string schedule = "NonStopSession=Y";
  // Most peers do not close their connection.
  std::string logout = "LogoutCloseTimeout=0";
  // Most tests do not test validation, and their messages have only the fields that they need.
  std::string dictionary = "UseDataDictionary=N";
  std::string sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n"
      "[SESSION]\nBeginString=FIX.4.2\nSenderCompID=VENUE\nTargetCompID=OTHER\n";
  // The optional parts of the program.
  engine::Parts parts{};
  // Sets what no key sets.
  std::function<void(config::Settings&)> adjust = [](config::Settings&) {};

  [[nodiscard]] std::string config(std::uint16_t port = 0) const {
    return "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=" + std::to_string(port) +
           "\nSocketAcceptAddress=127.0.0.1\nFileStorePath=" + folder.path() + "/store\n" +
           schedule + "\n" + dictionary + "\n" + extra + (extra.empty() ? "" : "\n") + logout +
           "\n" + sessions;
  }

  [[nodiscard]] EngineOptions options() {
    EngineOptions all;
    all.clock = &clock;
    all.log = &log;
    all.parts = parts;
    return all;
  }

  [[nodiscard]] EngineUnderTest under_test() {
    EngineUnderTest venue_under_test = under_test(config(), "venue.cfg");
    adjust(venue_under_test.settings);
    return venue_under_test;
  }
  [[nodiscard]] EngineUnderTest under_test(const std::string& text, const char* file) {
    return {config::parse_settings(text, file), options()};
  }
  [[nodiscard]] EngineUnderTest under_test_of_file(const std::string& path) {
    PosixDisk disk;
    return {config::load_settings(disk, path), options()};
  }
  void open() { under_test().open(acceptor, venue); }

  // The configuration as a file.
  [[nodiscard]] std::string path() const { return folder.path() + "/venue.cfg"; }
  void write() { std::ofstream{path()} << config(); }

  // Restarts as after kill -9: without Logout and flush, with only the contents of the store.
  void reopen() {
    acceptor.reset();
    peers.clear();
    open();
  }

  RawPeer& connect(const std::string& from = {}) {
    return *peers.emplace_back(std::make_unique<RawPeer>(acceptor->accept_port(), from));
  }

  void turn(int turns) {
    run_until([&] { return turns-- == 0; });
  }

  // Runs turns of the loop, of at most a millisecond, until condition holds. False: it hangs. The
  // limit is a time, not a number of turns: a fake network never blocks, and the turns of a minute
  // would pass before a thread of the disk has worked.
  bool run_until(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    for (int turn = 0; std::chrono::steady_clock::now() < end; ++turn) {
      if (condition()) return true;
      acceptor->poll(std::chrono::milliseconds{turn < 50 ? 0 : 1});
      for (const auto& peer : peers) peer->poll();
    }
    return condition();
  }

  [[nodiscard]] std::string time_text() {
    char text[wire::kUtcTimestampBytesMax];
    const std::size_t size =
        wire::from_utc_timestamp(clock.now().wall, wire::TimePrecision::Millis, text);
    return {text, size};
  }

  // A message from TRADER (FIX.4.4), OTHER (FIX.4.2) or FIXT (FIXT.1.1) with the clock's
  // SendingTime.
  [[nodiscard]] std::string from(std::string_view who, std::string_view msg_type,
                                 std::uint64_t msg_seq_num, std::string_view body = {}) {
    const std::string_view version = who == "OTHER"  ? "FIX.4.2"
                                     : who == "FIXT" ? "FIXT.1.1"
                                                     : "FIX.4.4";
    return fix(version, "35=" + std::string{msg_type} + "|49=" + std::string{who} +
                            "|56=VENUE|34=" + std::to_string(msg_seq_num) + "|52=" + time_text() +
                            "|" + std::string{body});
  }
  [[nodiscard]] std::string logon(std::string_view who, std::uint64_t msg_seq_num,
                                  std::string_view body = {}) {
    return from(who, "A", msg_seq_num, "98=0|108=30|" + std::string{body});
  }
  [[nodiscard]] std::string order(std::string_view who, std::uint64_t msg_seq_num,
                                  std::string_view cl_ord_id) {
    return from(who, "D", msg_seq_num,
                "11=" + std::string{cl_ord_id} + "|55=AAPL|54=1|38=100|40=2|44=10.5|");
  }

  // Logs on and waits for the answer.
  RawPeer& log_on(std::string_view who, std::uint64_t msg_seq_num = 1) {
    RawPeer& peer = connect();
    peer.send(logon(who, msg_seq_num));
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
    return peer;
  }

  // Checks that a counterparty that did nothing wrong can still trade.
  void expect_still_serving(std::string_view who = "OTHER") {
    RawPeer& peer = log_on(who);
    peer.send(order(who, 2, "STILL-SERVING"));
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
    EXPECT_NE(bar(peer.messages().back()).find("|11=STILL-SERVING|"), std::string::npos);
  }

  TemporaryFolder folder;
  ManualClock clock;
  RecordingLog log;
  EchoVenue venue;
  std::optional<Engine> acceptor;
  std::vector<std::unique_ptr<RawPeer>> peers;
};

// True if the message has this part; the part has "|" in place of SOH, as in "|35=8|".
inline bool contains(std::string_view message, std::string_view part) {
  return bar(message).find(part) != std::string::npos;
}

}  // namespace nexusfix::testing
