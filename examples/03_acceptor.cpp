// Listens, and fills every order at its price, at once.
// Usage: example_03_acceptor venue.cfg
#include <cstdio>
#include <string>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>

namespace fix44 = nexusfix::fix44;
using nexusfix::Session;
using nexusfix::Verdict;
using namespace nexusfix::literals;

namespace {

struct Venue {
  using Handles = nexusfix::Messages<fix44::NewOrderSingle>;

  // A callback is a transaction: that the order was taken and the report to it are one record of
  // the journal, so no crash can keep one and lose the other.
  Verdict on_message(Session& session, const fix44::NewOrderSingle& order) {
    const auto quantity = order.order_qty();
    const auto price = order.price();
    // Both are optional in the dictionary. What is missing or malformed is rejected by its tag.
    if (!quantity) return nexusfix::engine::reject_for(quantity.error());
    if (!price) return nexusfix::engine::reject_for(price.error());
    const std::string id = std::to_string(++orders_);
    auto sent = session.send<fix44::ExecutionReport>(
        fix44::OrderID{id}, fix44::ExecID{id}, fix44::ExecType::Trade, fix44::OrdStatus::Filled,
        order.cl_ord_id(), order.symbol(), order.side(), fix44::LeavesQty{0_d},
        fix44::CumQty{quantity->value}, fix44::AvgPx{price->value});
    if (!sent) return nexusfix::business_reject(0, 0, "the report cannot be sent");
    return nexusfix::accept();
  }

 private:
  unsigned orders_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Venue venue;
  auto engine = nexusfix::Engine::open(argc > 1 ? argv[1] : "venue.cfg", venue);
  if (!engine) {
    std::fprintf(stderr, "%s\n", engine.error().what().c_str());
    return 1;
  }
  std::printf("listening on port %u\n", engine->accept_port());
  std::fflush(stdout);
  return engine->run();
}
