// Tests your own application in the simulator. A venue numbers its reports and is killed
// repeatedly; the test checks that no ExecID is used twice. With --forgetful the venue does not
// recover its last ExecID, and the first world shows the fault.
//
// Usage: example_06_simulate [--forgetful]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/simulator.hpp>

namespace fix44 = nexusfix::fix44;
namespace simulator = nexusfix::simulator;
using nexusfix::MessageReply;
using nexusfix::Session;
using namespace nexusfix::literals;
using namespace std::chrono_literals;

namespace {

// [venue]
struct Venue {
  bool is_forgetful = false;
  unsigned reports = 0;

  MessageReply on_message(Session& session, const fix44::NewOrderSingle& order) {
    const std::string id = std::to_string(++reports);
    auto sent = session.send<fix44::ExecutionReport>(
        fix44::OrderID{id}, fix44::ExecID{id}, fix44::ExecType::New, fix44::OrdStatus::New,
        order.cl_ord_id(), order.symbol(), order.side(), fix44::LeavesQty{100_d},
        fix44::CumQty{0_d}, fix44::AvgPx{0_d});
    return sent ? nexusfix::accept() : nexusfix::business_reject(0, 0, "cannot report");
  }
  // The engine calls this before it opens a port, for each message that earlier runs stored.
  void on_recovered(const nexusfix::RecoveredMessage& stored) {
    const auto report = fix44::ExecutionReport::from(stored.message);
    if (!report || is_forgetful) return;
    reports =
        std::max(reports, static_cast<unsigned>(std::stoul(std::string{report->exec_id().value})));
  }
};
// [end]

// [trader]
// The reports that the trader's desk has received. The desk survives a crash of the trader.
struct Desk {
  simulator::World& world;
  std::set<std::string> exec_ids;
};

struct Trader {
  Desk& desk;

  void on_message(Session&, const fix44::ExecutionReport& report) {
    const std::string order{report.cl_ord_id() ? report.cl_ord_id()->value : "?"};
    const std::string id{report.exec_id().value};
    // The desk already knows the ExecID and the ClOrdID of a report that was resent.
    if (desk.exec_ids.contains(id + " for " + order)) return;
    for (const std::string& known : desk.exec_ids) {
      if (known.starts_with(id + " for ")) {
        desk.world.found("exec-id-reused", id + " is of " + order + " and was " + known);
      }
    }
    desk.exec_ids.insert(id + " for " + order);
  }
};
// [end]

constexpr const char* kVenueConfiguration = R"([DEFAULT]
ConnectionType=acceptor
SocketAcceptPort=5001
FileStorePath=/journal
NonStopSession=Y
[SESSION]
BeginString=FIX.4.4
SenderCompID=VENUE
TargetCompID=TRADER
)";
constexpr const char* kTraderConfiguration = R"([DEFAULT]
ConnectionType=initiator
SocketConnectHost=venue
SocketConnectPort=5001
ReconnectInterval=2
HeartBtInt=5
FileStorePath=/journal
NonStopSession=Y
[SESSION]
BeginString=FIX.4.4
SenderCompID=TRADER
TargetCompID=VENUE
)";

// [world]
// Returns true if the world of this seed had no violation.
bool run(std::uint64_t seed, bool is_forgetful) {
  simulator::World world{{.seed = seed,
                          .faults = {simulator::Fault::Kill, simulator::Fault::Drop},
                          .trace_lines = 12}};
  Desk desk{world, {}};
  world.add_process<Venue>("venue", kVenueConfiguration, is_forgetful);
  const auto trader = world.add_process<Trader>("trader", kTraderConfiguration, std::ref(desk));
  for (unsigned i = 1; i <= 200; ++i) {
    world.after(i * 300ms, [&world, trader, i] {
      auto* engine = world.engine(trader);  // null while the process is down
      if (engine == nullptr) return;
      Session& session = engine->session(0);
      auto sent = session.send<fix44::NewOrderSingle>(
          fix44::ClOrdID{std::to_string(i)}, fix44::Symbol{"AAPL"}, fix44::Side::Buy,
          fix44::TransactTime{session.now()}, fix44::OrderQty{100_d}, fix44::OrdType::Market);
      if (sent) world.promised(session, *sent);
    });
  }
  world.run(60s);
  if (world.settle(5min)) return true;
  std::printf("seed %llu: %s: %s\n%s", static_cast<unsigned long long>(seed),
              world.violation()->invariant.c_str(), world.violation()->what.c_str(),
              world.trace().c_str());
  return false;
}
// [end]

}  // namespace

int main(int argc, char** argv) {
  const bool is_forgetful = argc > 1 && std::string_view{argv[1]} == "--forgetful";
  constexpr std::uint64_t kSeeds = 50;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    if (!run(seed, is_forgetful)) return 1;
  }
  std::printf("%llu worlds, and every report had a number of its own\n",
              static_cast<unsigned long long>(kSeeds));
}
