// Listens, and fills every order at once, at its price.
// Usage: example_03_acceptor venue.cfg
#include <string>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>

namespace fix44 = nexusfix::fix44;
using namespace nexusfix::literals;

// [venue]
struct Venue {
  unsigned orders = 0;

  // A callback is a transaction: the receipt of the order and its report are one record of the
  // journal. A crash never keeps one and loses the other.
  nexusfix::MessageReply on_message(nexusfix::Session& session,
                                    const fix44::NewOrderSingle& order) {
    const auto quantity = order.order_qty();
    const auto price = order.price();
    // The dictionary makes both optional. The reject names the field that is missing or malformed.
    if (!quantity) return nexusfix::reject_for(quantity.error());
    if (!price) return nexusfix::reject_for(price.error());
    const std::string id = std::to_string(++orders);
    auto sent = session.send<fix44::ExecutionReport>(
        fix44::OrderID{id}, fix44::ExecID{id}, fix44::ExecType::Trade, fix44::OrdStatus::Filled,
        order.cl_ord_id(), order.symbol(), order.side(), fix44::LeavesQty{0_d},
        fix44::CumQty{quantity->value}, fix44::AvgPx{price->value});
    return sent ? nexusfix::accept() : nexusfix::business_reject(0, 0, "no report can be sent");
  }
};

int main(int argc, char** argv) {
  Venue venue;
  return nexusfix::run(argc > 1 ? argv[1] : "venue.cfg", venue);
}
// [end]
