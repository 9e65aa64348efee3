// Two of our engines, one in each role, over loopback in every version.
#include <array>
#include <functional>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

struct Version {
  std::string_view begin_string;
  std::string_view default_appl_ver_id;  // for FIXT sessions
};

constexpr std::array kVersions{
    Version{"FIX.4.0", ""},
    Version{"FIX.4.1", ""},
    Version{"FIX.4.2", ""},
    Version{"FIX.4.3", ""},
    Version{"FIX.4.4", ""},
    Version{"FIXT.1.1", "FIX.5.0"},
    Version{"FIXT.1.1", "FIX.5.0SP1"},
    Version{"FIXT.1.1", "FIX.5.0SP2"},
};

// Sends an order at each Logon.
struct Trader {
  std::vector<std::string> reports;
  int logouts = 0;

  void on_logon(Session& session) {
    wire::Encoder order = session.begin("D");
    order.field(11, "A1");
    EXPECT_TRUE(session.finish(order).has_value());
  }
  void on_logout(Session&) { ++logouts; }
  void on_message(Session&, const MessageView& message) { reports.push_back(bar(message.bytes())); }
};

class VersionsTest : public AcceptorTest {
 protected:
  static std::string identity(const Version& version, std::string_view us, std::string_view them) {
    std::string text = "[SESSION]\nBeginString=" + std::string{version.begin_string} +
                       "\nSenderCompID=" + std::string{us} + "\nTargetCompID=" + std::string{them} +
                       "\n";
    if (!version.default_appl_ver_id.empty()) {
      text += "DefaultApplVerID=" + std::string{version.default_appl_ver_id} + "\n";
    }
    return text;
  }
};

// FIX Session Layer test cases 1B and 1S, 13: an order is answered between Logon and Logout.
TEST_F(VersionsTest, initiator_and_acceptor_speak_every_version) {
  for (const Version& version : kVersions) {
    sessions = identity(version, "VENUE", "TRADER");
    extra = "Store=memory";
    open();
    Trader trader;
    std::optional<Engine> initiator;
    under_test(
        "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\nHeartBtInt=30\n"
        "NonStopSession=Y\nStore=memory\nUseDataDictionary=N\nSocketConnectPort=" +
            std::to_string(acceptor->accept_port()) + "\n" + identity(version, "TRADER", "VENUE"),
        "trader.cfg")
        .open(initiator, trader);
    ASSERT_TRUE(initiator.has_value());
    const auto run_both_until = [&](const std::function<bool()>& condition) {
      return run_until([&] {
        initiator->poll(std::chrono::nanoseconds{0});
        return condition();
      });
    };
    ASSERT_TRUE(run_both_until([&] { return trader.reports.size() == 1; })) << log.all();
    // SendingTime has a fraction since FIX 4.2.
    const bool is_old = version.begin_string < "FIX.4.2";
    const std::string& report = trader.reports.front();
    EXPECT_TRUE(report.starts_with("8=" + std::string{version.begin_string} + "|")) << report;
    EXPECT_EQ(contains(report, "|52=" + time_text().substr(0, 17) + "|"), is_old) << report;
    initiator->session(0).log_out();
    ASSERT_TRUE(run_both_until([&] { return trader.logouts == 1 && venue.logouts == 1; }))
        << log.all();
    EXPECT_EQ(initiator->session(0).numbers().next_inbound,
              acceptor->session(0).numbers().next_outbound);
    acceptor.reset();
    venue = {};
  }
}

}  // namespace
}  // namespace nexusfix::testing
