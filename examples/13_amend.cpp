// A desk that keeps its order and amends it: 35=D, then 35=G from the kept draft.
// Usage: example_13_amend trader.cfg
#include <cstdio>
#include <string>

#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/fix44/order_cancel_reject.hpp>
#include <nexusfix/fix44/order_cancel_replace_request.hpp>

namespace fix44 = nexusfix::fix44;
using nexusfix::Session;
using Parties = fix44::NewOrderSingle::NoPartyIDs;

class Desk {
 public:
  // The ticket is filled in field by field, in any order, long before there is a session.
  bool fill_in_ticket() {
    const auto set =
        order_.set(fix44::ClOrdID{"A1"}, fix44::Symbol{"AAPL"}, fix44::Side::Buy,
                   fix44::OrderQty{100}, fix44::OrdType::Limit, fix44::Price{"150.25"});
    const auto added = order_.group<Parties>().add(fix44::PartyID{"DESK7"},
                                                   fix44::PartyRole::OrderOriginationTrader);
    return is_done(set) && is_done(added);
  }

  void on_logon(Session& session) {
    const bool is_good = is_done(order_.set(fix44::TransactTime{session.now()})) &&
                         is_done(order_.validate());  // "Side (54): the required field is missing"
    if (is_good) send(session, order_);
  }

  void on_message(Session& session, const fix44::ExecutionReport& report) {
    if (report.exec_type() == fix44::ExecType::New) return amend(session);
    std::printf("order %s is %s\n", std::string{report.cl_ord_id()->value}.c_str(),
                report.exec_type() == fix44::ExecType::Replace ? "replaced" : "not replaced");
    session.log_out("done");  // then run() returns
  }
  void on_message(Session& session, const fix44::OrderCancelReject&) {
    std::puts("the venue refuses the new price");
    session.log_out("done");
  }

 private:
  // The replacement repeats all fields of the order that its message has, with its group.
  void amend(Session& session) {
    auto replacement = fix44::OrderCancelReplaceRequest::Draft::with_fields_of(order_);
    const auto set =
        replacement.set(fix44::OrigClOrdID{order_.cl_ord_id()->value}, fix44::ClOrdID{"A2"},
                        fix44::Price{"150.20"}, fix44::TransactTime{session.now()});
    if (is_done(set)) send(session, replacement);
  }

  template <class Draft>
  void send(Session& session, const Draft& draft) {
    if (const auto sent = session.send(draft); !sent) {
      std::fprintf(stderr, "not sent: %s\n", sent.error().what().c_str());
    }
  }

  static bool is_done(const nexusfix::wire::DraftResult& result) {
    if (!result) std::fprintf(stderr, "%s\n", result.error().what().c_str());
    return result.has_value();
  }

  fix44::NewOrderSingle::Draft order_;
};

int main(int argc, char** argv) {
  Desk desk;
  if (!desk.fill_in_ticket()) return 1;
  return nexusfix::run(argc > 1 ? argv[1] : "trader.cfg", desk);
}
