// Logs on to a venue, sends one order, prints its report, and logs out.
// Usage: example_02_initiator trader.cfg
#include <cstdio>
#include <string>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>

namespace fix44 = nexusfix::fix44;
using nexusfix::Session;
using namespace nexusfix::literals;

struct Trader {
  // [order]
  void on_logon(Session& session) {
    // Without a required field, such as OrdType, it does not compile.
    auto sent = session.send<fix44::NewOrderSingle>(
        fix44::ClOrdID{"A1"}, fix44::Symbol{"AAPL"}, fix44::Side::Buy, fix44::TransactTime::now(),
        fix44::OrderQty{100_d}, fix44::OrdType::Limit, fix44::Price{150.25_d});
    if (!sent) std::fprintf(stderr, "not sent: %s\n", sent.error().what().c_str());
  }
  // [end]

  void on_message(Session& session, const fix44::ExecutionReport& report) {
    const bool filled = report.exec_type() == fix44::ExecType::Trade;
    const bool refused = report.exec_type() == fix44::ExecType::Rejected;
    std::printf("order %s %s\n", std::string{report.order_id().value}.c_str(),
                filled    ? "filled"
                : refused ? "rejected"
                          : "accepted");
    session.log_out("done");  // then run() returns
  }
};

int main(int argc, char** argv) {
  Trader trader;
  return nexusfix::run(argc > 1 ? argv[1] : "trader.cfg", trader);
}
