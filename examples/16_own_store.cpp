// A store of your own: the MsgSeqNums and messages of the sessions are in a database of SQLite
// (parts/16_sqlite_store.hpp). The venue fills every order.
//
// Usage: example_16_own_store 16_own_store.cfg fix.db
#include <string>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>

#include "parts/16_sqlite_store.hpp"

namespace fix44 = nexusfix::fix44;
using namespace nexusfix::literals;

namespace {

struct Venue {
  // The reports of earlier runs: no ExecID is used twice.
  void on_recovered(const nexusfix::RecoveredMessage&) { ++reports; }
  void on_message(nexusfix::Session& session, const fix44::NewOrderSingle& order) {
    const std::string id = std::to_string(++reports);
    const auto sent = session.send<fix44::ExecutionReport>(
        fix44::OrderID{id}, fix44::ExecID{id}, fix44::ExecType::New, fix44::OrdStatus::New,
        order.cl_ord_id(), order.symbol(), order.side(), fix44::LeavesQty{100_d},
        fix44::CumQty{0_d}, fix44::AvgPx{0_d});
    if (!sent) throw std::runtime_error{sent.error().what()};  // a BusinessMessageReject
  }
  unsigned reports = 0;
};

}  // namespace

int main(int argc, char** argv) {
  // [main]
  SqliteStores stores{argc > 2 ? argv[2] : "fix.db"};
  nexusfix::EngineOptions options;
  options.store_factory = &stores;  // and Store=program in the configuration
  // [end]
  Venue venue;
  return nexusfix::run(argc > 1 ? argv[1] : "16_own_store.cfg", venue, options);
}
