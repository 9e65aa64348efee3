// Changed keys of sessions that stay: they take effect at once or at the next Logon, or are
// reported as pending.
#include <nexusfix/proxy.hpp>

#include "config/keys/find_key.hpp"
#include "reload_fixture.hpp"
#include "support/sanitized.hpp"
#include "unit/config/honoured_keys.hpp"
#include "unit/engine/support/initiator_fixture.hpp"

namespace nexusfix::testing {
namespace {

using config::Key;
using config::TakesEffect;
using engine::PendingChange;

constexpr const char* kTrader = "FIX.4.4:VENUE->TRADER";
constexpr const char* kOther = "FIX.4.2:VENUE->OTHER";

class ReloadKeysTest : public ReloadTest {
 protected:
  // The pending keys of the session; empty if there are none.
  static std::string waiting(const std::vector<PendingChange>& all, std::string_view session,
                             std::vector<std::string> engine::PendingKeys::* which) {
    std::string text;
    for (const PendingChange& one : all) {
      if (one.session != session) continue;
      for (const std::string& key : one.keys.*which) text += (text.empty() ? "" : ",") + key;
    }
    return text;
  }
  std::string until_logon(std::string_view session) {
    return waiting(acceptor->pending_changes(), session, &engine::PendingKeys::until_logon);
  }
  std::string until_start(std::string_view session) {
    return waiting(acceptor->pending_changes(), session, &engine::PendingKeys::until_start);
  }
  void log_off(RawPeer& peer, std::string_view who, std::uint64_t number) {
    peer.send(from(who, "5", number));
    EXPECT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
    turn(3);
  }
  // True if an order with this SendingTime is delivered, false if it is rejected.
  bool is_taken(RawPeer& peer, std::uint64_t number, std::string_view sending_time) {
    const std::size_t orders = venue.orders.size();
    const std::size_t messages = peer.messages().size();
    peer.send(fix("FIX.4.4", "35=D|49=TRADER|56=VENUE|34=" + std::to_string(number) +
                                 "|52=" + std::string{sending_time} + "|11=A|55=X|54=1|"));
    EXPECT_TRUE(run_until([&] { return peer.messages().size() > messages || peer.closed(); }));
    return venue.orders.size() > orders;
  }
};

TEST_F(ReloadKeysTest, rule_takes_effect_at_once_for_a_logged_on_session) {
  open_file();
  RawPeer& peer = log_on("TRADER");
  ASSERT_TRUE(is_taken(peer, 2, "20240115-10:28:30.000")) << "120 s are allowed";
  extra = "MaxLatency=60\n";
  const auto done = reload();
  EXPECT_EQ(done.changed, (Names{kTrader, kOther}));
  EXPECT_TRUE(done.pending.empty());
  EXPECT_TRUE(
      log.has(path() + " changed; values now in effect: MaxLatency; of " + kTrader + ", " + kOther))
      << log.all();
  EXPECT_FALSE(is_taken(peer, 3, "20240115-10:28:30.000"));
}

TEST_F(ReloadKeysTest, removed_key_is_a_warning_at_the_start_and_at_each_reload) {
  constexpr std::string_view kWarning =
      ":8: MaxHeldBytes was removed: messages after a gap are held, up to a quarter of "
      "MaxQueuedBytes";
  extra = "MaxHeldBytes=7000\n";
  open_file();
  EXPECT_TRUE(log.has(path() + std::string{kWarning})) << log.all();
  log.clear();
  extra = "MaxHeldBytes=8000\n";
  const auto done = reload();
  EXPECT_TRUE(done.changed.empty());
  EXPECT_TRUE(log.has(path() + std::string{kWarning})) << log.all();
}

TEST_F(ReloadKeysTest, keys_agreed_in_the_logon_take_effect_at_the_next_logon) {
  open_file();
  RawPeer& peer = log_on("TRADER");
  extra = "MaxHeartBtInt=20\nMaxLatency=60\n";
  const auto done = reload();
  EXPECT_EQ(waiting(done.pending, kTrader, &engine::PendingKeys::until_logon), "MaxHeartBtInt");
  EXPECT_EQ(waiting(done.pending, kOther, &engine::PendingKeys::until_logon), "")
      << "no client is logged on there";
  EXPECT_EQ(acceptor->find_session(kTrader)->pending_keys().until_logon, Names{"MaxHeartBtInt"});
  EXPECT_TRUE(log.has(std::string{kTrader} + " " + path() +
                      " changed; values that take effect at the next Logon: MaxHeartBtInt"))
      << log.all();
  EXPECT_FALSE(is_taken(peer, 2, "20240115-10:28:30.000")) << "MaxLatency counts";
  log_off(peer, "TRADER", 3);
  EXPECT_TRUE(acceptor->pending_changes().empty());
  EXPECT_TRUE(log.has("values of " + path() + " that now take effect: MaxHeartBtInt")) << log.all();
  RawPeer& again = connect();
  again.send(logon("TRADER", 4));
  EXPECT_TRUE(run_until([&] { return again.closed(); })) << "its 30 s are too many now";
}

TEST_F(ReloadKeysTest, pending_keys_are_named_in_each_reload_until_they_take_effect) {
  open_file();
  RawPeer& peer = log_on("TRADER");
  extra = "ResetOnLogon=Y\nJournalStallTimeout=7\n";
  static_cast<void>(reload());
  for (int i = 0; i < 3; ++i) {
    log.clear();
    if (i == 2) extra += "MaxResendMessages=7\n";
    const auto done = reload();
    EXPECT_EQ(done.changed.size(), i == 2 ? 2U : 0U);
    EXPECT_EQ(waiting(done.pending, kTrader, &engine::PendingKeys::until_logon), "ResetOnLogon");
    EXPECT_EQ(waiting(done.pending, kTrader, &engine::PendingKeys::until_start),
              "JournalStallTimeout");
    EXPECT_TRUE(log.has("take effect at the next Logon: ResetOnLogon")) << log.all();
    EXPECT_TRUE(log.has("take effect at the next start: JournalStallTimeout; of ")) << log.all();
  }
  log_off(peer, "TRADER", 2);
  EXPECT_EQ(until_logon(kTrader), "");
  EXPECT_EQ(until_start(kTrader), "JournalStallTimeout");
  RawPeer& again = log_on("TRADER", 1);
  EXPECT_TRUE(contains(again.messages()[0], "|34=1|")) << "ResetOnLogon: " << log.all();
  acceptor.reset();
  peers.clear();
  open_file();
  EXPECT_TRUE(acceptor->pending_changes().empty()) << "the start has taken it over";
}

TEST_F(ReloadKeysTest, restored_file_cancels_pending_keys) {
  open_file();
  RawPeer& peer = log_on("TRADER");
  extra = "ResetOnLogon=Y\nJournalStallTimeout=7\n";
  static_cast<void>(reload());
  ASSERT_FALSE(acceptor->pending_changes().empty());
  extra.clear();
  EXPECT_TRUE(reload().pending.empty());
  log_off(peer, "TRADER", 2);
  RawPeer& again = log_on("TRADER", 3);
  EXPECT_TRUE(contains(again.messages()[0], "|34=3|"));
}

TEST_F(ReloadKeysTest, session_that_is_removed_and_added_again_has_all_new_keys) {
  open_file();
  const std::string before = sessions;
  const std::string trader = sessions.substr(0, sessions.find("[SESSION]", 1));
  remove_trader();
  const std::string others = sessions;
  static_cast<void>(reload());
  sessions = trader + "MaxHeartBtInt=20\nMaxLatency=60\n" + others;
  EXPECT_TRUE(reload().pending.empty());
  RawPeer& refused = connect();
  refused.send(logon("TRADER", 1));
  EXPECT_TRUE(run_until([&] { return refused.closed(); })) << log.all();
  sessions = before;
  static_cast<void>(reload());
  RawPeer& peer = log_on("TRADER", 1);
  EXPECT_FALSE(peer.closed());
}

TEST_F(ReloadKeysTest, engine_keys_are_pending_for_a_session_that_is_added_again) {
  open_file();
  const std::string before = sessions;
  remove_trader();
  static_cast<void>(reload());
  sessions = before;
  extra = "JournalStallTimeout=7\nMaxLatency=60\n";
  const auto done = reload();
  EXPECT_EQ(waiting(done.pending, kTrader, &engine::PendingKeys::until_start),
            "JournalStallTimeout");
  EXPECT_FALSE(log.has("values now in effect: JournalStallTimeout")) << log.all();
  EXPECT_FALSE(log.has("values now in effect: MaxLatency, JournalStallTimeout")) << log.all();
  extra.clear();
  EXPECT_TRUE(reload().pending.empty()) << "as it was at the start";
}

TEST_F(ReloadKeysTest, removed_session_has_no_pending_keys) {
  open_file();
  RawPeer& peer = log_on("TRADER");
  extra = "MaxHeartBtInt=20\n";
  ASSERT_FALSE(reload().pending.empty());
  remove_trader();
  log.clear();
  EXPECT_TRUE(reload().pending.empty());
  EXPECT_FALSE(log.has("take effect at the next Logon")) << log.all();
  peer.send(from("TRADER", "5", 2));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  turn(3);
  EXPECT_FALSE(log.has("that now take effect")) << log.all();
}

TEST_F(ReloadKeysTest, changed_password_is_named_but_not_shown) {
  open_file();
  sessions += "Password=secret\n";
  EXPECT_EQ(reload().changed, Names{kOther});
  EXPECT_TRUE(log.has("values now in effect: Password")) << log.all();
  EXPECT_FALSE(log.has("secret")) << log.all();
}

TEST_F(ReloadKeysTest, application_keys_take_effect_at_once_and_are_not_shown) {
  extra = "ApplicationKeys=Desk,Token\nDesk=NY";
  open_file();
  log_on("TRADER");
  extra = "ApplicationKeys=Desk,Token\nDesk=LDN\nToken=secret";
  static_cast<void>(reload());
  EXPECT_EQ(acceptor->session(0).setting("Desk"), "LDN");
  EXPECT_EQ(acceptor->session(0).setting("Token"), "secret");
  EXPECT_TRUE(log.has("values now in effect: ") && log.has("Desk, Token")) << log.all();
  EXPECT_FALSE(log.has("secret")) << log.all();
}

TEST_F(ReloadKeysTest, port_moves_at_once_and_logged_on_sessions_stay) {
  sessions = "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n";
  open_file();
  const std::uint16_t before = acceptor->accept_port();
  RawPeer& peer = log_on("TRADER");
  const std::string as_before = sessions;
  sessions += "SocketAcceptAddress=127.0.0.2\n";
  static_cast<void>(reload());
  const std::uint16_t port = port_at("127.0.0.2");
  ASSERT_NE(port, 0) << log.all();
  EXPECT_TRUE(log.has("port " + std::to_string(before) + " is closed")) << log.all();
  peer.send(order("TRADER", 2, "A"));
  ASSERT_TRUE(run_until([&] { return venue.orders.size() == 1; })) << log.all();
  log_off(peer, "TRADER", 3);
  auto network = transport::make_epoll_network();
  const auto socket = (*network)->connect({"127.0.0.2", port});
  ASSERT_TRUE(socket.has_value());
  EXPECT_TRUE(run_until([&] {
    std::array<transport::Ready, 4> ready;
    const std::size_t count = (*network)->wait(ready, std::chrono::nanoseconds{0});
    return count > 0 && ready[0].kind == transport::Ready::Kind::Connected;
  })) << log.all();
}

TEST_F(ReloadKeysTest, allowed_addresses_take_effect_at_once) {
  open_file();
  extra = "AllowedRemoteAddresses=10.0.0.0/8\n";
  static_cast<void>(reload());
  refuse("TRADER", 1);
  extra = "AllowedRemoteAddresses=127.0.0.0/8\n";
  static_cast<void>(reload());
  log_on("TRADER");
}

TEST_F(ReloadKeysTest, addresses_that_no_session_allows_any_more_are_refused_at_the_port) {
  // Before a byte of them is read: they may not even wait for their Logon.
  open_file();
  extra = "AllowedRemoteAddresses=127.0.0.0/8\n";
  static_cast<void>(reload());
  RawPeer& before = connect();
  turn(5);
  EXPECT_FALSE(before.closed());
  before.close();
  extra = "AllowedRemoteAddresses=10.0.0.0/8\n";
  static_cast<void>(reload());
  RawPeer& after = connect();
  EXPECT_TRUE(run_until([&] { return after.closed(); })) << log.all();
  EXPECT_TRUE(log.has("closed: no session of this port is allowed from this address")) << log.all();
  // One session more, and its address is enough for the port.
  extra.clear();
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n"
      "AllowedRemoteAddresses=10.0.0.0/8\n"
      "[SESSION]\nBeginString=FIX.4.2\nSenderCompID=VENUE\nTargetCompID=OTHER\n"
      "AllowedRemoteAddresses=127.0.0.0/8\n";
  static_cast<void>(reload());
  log_on("OTHER");
  refuse("TRADER", 1);
}

TEST_F(ReloadKeysTest, limits_of_a_port_grow_and_shrink_with_its_sessions) {
  open_file();
  const std::string large = "58=" + std::string(5'000, 'x') + "|";
  const auto is_taken_with = [&](std::uint64_t number) {
    RawPeer& peer = connect();
    peer.send(logon("TRADER", number, large));
    EXPECT_TRUE(run_until([&] { return peer.closed() || !peer.messages().empty(); }));
    const bool is_in = !peer.closed();
    if (is_in) log_off(peer, "TRADER", number + 1);
    return is_in;
  };
  EXPECT_FALSE(is_taken_with(1));
  extra = "MaxLogonSize=9000\n";
  static_cast<void>(reload());
  EXPECT_TRUE(is_taken_with(1)) << log.all();
  extra.clear();
  static_cast<void>(reload());
  EXPECT_FALSE(is_taken_with(3));
}

TEST_F(ReloadKeysTest, throttle_takes_effect_at_once) {
  open_file();
  RawPeer& peer = log_on("TRADER");
  extra = "ThrottleMessages=1\nThrottleInterval=60\nThrottleAction=Reject\n";
  static_cast<void>(reload());
  peer.send(order("TRADER", 2, "A") + order("TRADER", 3, "B"));
  EXPECT_TRUE(run_until([&] { return peer.messages().size() == 3; })) << log.all();
  EXPECT_EQ(venue.orders, Names{"A"});
  EXPECT_TRUE(contains(peer.messages()[2], "|35=j|"));
}

TEST_F(ReloadKeysTest, log_masks_and_folders_take_effect_at_once) {
  extra = "FileLogPath=" + folder.path() + "/log\n";
  open_file();
  RawPeer& peer = log_on("TRADER");
  extra += "LogMaskedTags=11\n";
  static_cast<void>(reload());
  peer.send(order("TRADER", 2, "HIDDEN"));
  ASSERT_TRUE(run_until([&] { return venue.orders.size() == 1; })) << log.all();
  acceptor.reset();
  std::ifstream file{folder.path() + "/log/FIX.4.4-VENUE-TRADER.messages.current.log"};
  const std::string lines{std::istreambuf_iterator<char>{file}, {}};
  EXPECT_NE(lines.find("IN MASKED"), std::string::npos) << lines;
  EXPECT_EQ(lines.find("HIDDEN"), std::string::npos);
}

TEST_F(ReloadKeysTest, closed_session_follows_its_new_schedule) {
  schedule = "StartTime=12:00:00\nEndTime=13:00:00";  // It is 10:30.
  open_file();
  refuse("TRADER", 1);
  schedule = "StartTime=10:00:00\nEndTime=13:00:00";
  static_cast<void>(reload());
  RawPeer& peer = log_on("TRADER");
  schedule = "NonStopSession=Y";
  static_cast<void>(reload());
  EXPECT_NE(until_logon(kTrader).find("NonStopSession"), std::string::npos);
  log_off(peer, "TRADER", 2);
  log_on("TRADER", 3);
}

TEST_F(ReloadKeysTest, template_keys_apply_to_sessions_created_from_it) {
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=*\nAcceptorTemplate=Y\n";
  open_file();
  RawPeer& peer = log_on("TRADER");
  extra = "MaxLatency=60\nMaxHeartBtInt=20\n";
  static_cast<void>(reload());
  EXPECT_FALSE(is_taken(peer, 2, "20240115-10:28:30.000"));
  EXPECT_EQ(until_logon(kTrader), "MaxHeartBtInt");
  refuse("STRANGER", 1);
  log_off(peer, "TRADER", 3);
  refuse("TRADER", 4);
}

TEST_F(ReloadKeysTest, keys_of_a_missing_part_wait_for_the_next_start) {
  parts.proxy = transport::proxy_part();
  open_file();
  extra = "UseTCPProxy=Y\nTrustedProxies=10.0.0.9\nMaxLatency=60\n";
  const auto done = reload();
  EXPECT_EQ(waiting(done.pending, kTrader, &engine::PendingKeys::until_start),
            "UseTCPProxy,TrustedProxies");
  RawPeer& peer = log_on("TRADER");
  EXPECT_FALSE(is_taken(peer, 2, "20240115-10:28:30.000")) << "MaxLatency still counts";
}

TEST_F(ReloadKeysTest, refused_reload_changes_nothing) {
  open_file();
  RawPeer& peer = log_on("TRADER");
  extra = "MaxLatency=60\nSocketAcceptAddress=192.0.2.1\n";
  write();
  EXPECT_NE(reload_error().find("SocketAcceptAddress=192.0.2.1: "), std::string::npos);
  EXPECT_TRUE(acceptor->pending_changes().empty());
  EXPECT_TRUE(is_taken(peer, 2, "20240115-10:28:30.000"));
  expect_still_serving();
}

// Values that exist on this machine, for keys whose table values do not.
std::string value_here(const config::HonouredKey& row, const std::string& folder) {
  if (row.name == "SocketAcceptAddress" || row.name == "SocketAcceptHost") return "127.0.0.2";
  if (row.name == "SocketAcceptPort") return "0";
  if (row.name == "EventLoopCpu") return "0";
  if (row.name == "FileStorePath" || row.name == "FileLogPath" || row.name == "FileLogBackupPath") {
    return folder + "/" + std::string{row.name};
  }
  if (row.name == "HolidayFile") {
    std::ofstream{folder + "/days"} << "2026-12-25\n";
    return folder + "/days";
  }
  if (row.name.ends_with("DataDictionary") && row.name != "UseDataDictionary") return "FIX44.xml";
  return std::string{row.right};
}

// Each key of the table, for a session that is logged on and for one that is not.
TEST_F(ReloadKeysTest, each_key_takes_effect_or_waits_as_its_class_says) {
  open_file();
  log_on("TRADER");
  std::size_t tried = 0;
  std::size_t position = 0;
  for (const config::HonouredKey& row : config::kHonouredKeys) {
    const Key key = config::find_key(row.name).rule->key;
    const TakesEffect effect = key.row().effect;
    // Not covered here: keys whose change makes another session; a role, a template and the alias
    // of an address, which have their own tests; keys for parts and certificate files, which other
    // tests cover; and the signature of a Logon, which an acceptor does not have.
    const bool is_apart = effect == TakesEffect::OtherSession || config::is_of_tls(key) ||
                          row.name == "ConnectionType" || row.name == "AcceptorTemplate" ||
                          row.name == "SocketAcceptHost" || row.name == "AllowedCertificates" ||
                          row.name == "UseTCPProxy" || row.name == "TrustedProxies" ||
                          row.name == "PasswordFile" || row.name == "AllowedUsernames" ||
                          row.name == "LogCompress" || row.name.starts_with("Proxy") ||
                          row.name.starts_with("Console") || row.name.starts_with("Metrics") ||
                          row.name == "HttpAcceptPort" || row.name == "LogonSignature" ||
                          row.name == "LogonKey" || row.name == "LogonNonce";
    if (is_apart || position++ % case_step(3) != 0) continue;
    const std::string beside =
        row.name == "EventLoopCpu" ? ""  // the table's example has two CPUs
        : row.name == "FileLogBackupPath" || row.beside == "FileLogPath=log\n"
            ? "FileLogPath=" + folder.path() + "/FileLogPath\n"
            : std::string{row.beside};
    if (beside.find("BeginString") != std::string::npos) continue;
    extra = row.name.starts_with("Cluster") ? "" : beside;  // those need one another
    static_cast<void>(reload());
    extra = beside + std::string{row.name} + "=" + value_here(row, folder.path()) + "\n";
    const auto done = reload();
    const std::string name{row.name};
    const auto names = [&](std::string_view session,
                           std::vector<std::string> engine::PendingKeys::* which) {
      return ("," + waiting(acceptor->pending_changes(), session, which) + ",")
                 .find("," + name + ",") != std::string::npos;
    };
    const bool is_unchanged = done.changed.empty();  // for instance SocketAcceptPort=0
    const bool waits_for_logon = effect == TakesEffect::NextLogon && !is_unchanged;
    const bool waits_for_start = effect == TakesEffect::NextStart && !is_unchanged;
    EXPECT_EQ(names(kTrader, &engine::PendingKeys::until_logon), waits_for_logon) << name;
    EXPECT_FALSE(names(kOther, &engine::PendingKeys::until_logon)) << name;
    EXPECT_EQ(names(kTrader, &engine::PendingKeys::until_start), waits_for_start) << name;
    EXPECT_EQ(names(kOther, &engine::PendingKeys::until_start), waits_for_start) << name;
    EXPECT_EQ(reload().pending.size(), done.pending.size()) << name << " is named again";
    ++tried;
    log.clear();
  }
  EXPECT_GT(tried, 150U / case_step(4));
  extra.clear();
  EXPECT_TRUE(reload().pending.empty()) << "as it was at the start";
}

class ReloadInitiatorTest : public InitiatorTest {
 protected:
  [[nodiscard]] std::string path() const { return trader_folder.path() + "/trader.cfg"; }
  void write_trader(std::uint16_t port, const std::string& more = {}) {
    std::ofstream{path()} << trader_config(port) + more;
  }
  void open_trader_file(std::uint16_t port) {
    write_trader(port);
    EngineUnderTest opening = under_test_of_file(path());
    opening.options.log = &trader_log;
    opening.open(initiator, trader);
  }
  bool is_logged_on() { return initiator->session(0).is_logged_on(); }
};

TEST_F(ReloadInitiatorTest, initiator_without_a_connection_tries_its_new_address_at_once) {
  open();
  open_trader_file(1);  // No process listens there.
  turn_until([&] { return trader_log.has("Connection refused"); });
  write_trader(acceptor->accept_port());
  ASSERT_TRUE(initiator->reload().has_value());
  EXPECT_TRUE(turn_until([&] { return is_logged_on(); })) << trader_log.all();
}

TEST_F(ReloadInitiatorTest, logged_on_initiator_uses_the_new_address_for_the_next_connection) {
  open();
  open_trader_file(acceptor->accept_port());
  ASSERT_TRUE(turn_until([&] { return is_logged_on(); })) << trader_log.all();
  write_trader(1, "HeartBtInt=7\n");
  const auto done = initiator->reload();
  ASSERT_TRUE(done.has_value());
  ASSERT_EQ(done->pending.size(), 1U);
  EXPECT_EQ(done->pending[0].keys.until_logon.size(), 2U) << "HeartBtInt, SocketConnectPort";
  EXPECT_TRUE(is_logged_on());
  initiator->session(0).disconnect("test");
  EXPECT_TRUE(turn_until([&] { return initiator->pending_changes().empty(); })) << trader_log.all();
  write_trader(acceptor->accept_port(), "HeartBtInt=7\n");
  ASSERT_TRUE(initiator->reload().has_value());
  EXPECT_TRUE(turn_until([&] { return is_logged_on(); })) << trader_log.all();
}

}  // namespace
}  // namespace nexusfix::testing
