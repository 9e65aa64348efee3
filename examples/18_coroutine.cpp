// A desk whose orders are coroutines. Each order is sent, improved if it does not trade, and
// cancelled, from top to bottom in one function, with a time limit for each answer. All of them run
// at the same time on one session and one thread.
// Usage: example_18_coroutine trader.cfg
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/coroutine.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/fix44/order_cancel_reject.hpp>
#include <nexusfix/fix44/order_cancel_replace_request.hpp>
#include <nexusfix/fix44/order_cancel_request.hpp>

namespace fix44 = nexusfix::fix44;
using fix44::ExecType;
using nexusfix::Session;
using namespace std::chrono_literals;

class Desk : public nexusfix::Conversations<Desk> {
 public:
  void on_logon(Session& session) {
    work(session, "A", fix44::Price{"10.10"}, fix44::Price{"10.20"}).start();
    work(session, "B", fix44::Price{"9.50"}, fix44::Price{"9.75"}).start();
  }

  // Messages that no order waits for, such as an answer after its time limit.
  void on_message(Session&, const fix44::ExecutionReport& report) {
    print("not awaited: report", report.cl_ord_id().value_or(""));
  }
  void on_message(Session&, const fix44::OrderCancelReject& reject) {
    print("not awaited: cancel reject", reject.cl_ord_id().value);
  }

 private:
  // [work]
  // The next report or cancel reject with this ClOrdID, within the time limit.
  static auto answer_to(std::string id, std::chrono::nanoseconds time_limit) {
    return next<fix44::ExecutionReport, fix44::OrderCancelReject>(
        time_limit, [id = std::move(id)](const auto& answer) { return answer.cl_ord_id() == id; });
  }

  // The life of one order. Its arguments are values, because it lives longer than the call.
  nexusfix::Conversation work(Session& session, std::string name, fix44::Price price,
                              fix44::Price better) {
    ++open_;
    const std::string first = name + "1";
    const std::string second = name + "2";
    const std::string third = name + "3";

    fix44::NewOrderSingle::Draft order;
    if (!order.set(fix44::ClOrdID{first}, fix44::Symbol{"AAPL"}, fix44::Side::Buy,
                   fix44::OrderQty{100}, fix44::OrdType::Limit, price,
                   fix44::TransactTime{session.now()}) ||
        !session.send(order)) {
      co_return end(session, name, "not sent");
    }
    const auto taken = co_await answer_to(first, 5s);
    if (!is_report(taken, ExecType::New)) co_return end(session, name, "not taken", taken.end());

    const auto fill = co_await answer_to(first, 100ms);
    if (fill) co_return end(session, name, "traded");

    auto replacement = fix44::OrderCancelReplaceRequest::Draft::with_fields_of(order);
    if (!replacement.set(fix44::OrigClOrdID{first}, fix44::ClOrdID{second}, better) ||
        !session.send(replacement)) {
      co_return end(session, name, "not amended");
    }
    const auto amended = co_await answer_to(second, 5s);
    if (!is_report(amended, ExecType::Replace)) {
      co_return end(session, name, "not amended", amended.end());
    }

    auto cancel = fix44::OrderCancelRequest::Draft::with_fields_of(order);
    if (!cancel.set(fix44::OrigClOrdID{second}, fix44::ClOrdID{third}) || !session.send(cancel)) {
      co_return end(session, name, "not cancelled");
    }
    const auto cancelled = co_await answer_to(third, 5s);
    const bool is_done = is_report(cancelled, ExecType::Canceled);
    end(session, name, is_done ? "taken, amended, cancelled" : "not cancelled", cancelled.end());
  }
  // [end]

  template <class Answer>
  static bool is_report(const Answer& answer, ExecType type) {
    const auto* const report = answer.template get<fix44::ExecutionReport>();
    return report != nullptr && report->exec_type() == type;
  }

  void end(Session& session, std::string_view name, std::string_view result,
           nexusfix::WaitEnd last = nexusfix::WaitEnd::Message) {
    const std::string text{last == nexusfix::WaitEnd::Message ? result : to_string(last)};
    print("order " + std::string{name} + ":", text);
    if (--open_ == 0) session.log_out("done");  // then run() returns
  }
  static void print(const std::string& what, std::string_view text) {
    std::printf("%s %s\n", what.c_str(), std::string{text}.c_str());
  }

  int open_ = 0;  // orders
};

int main(int argc, char** argv) {
  Desk desk;
  return nexusfix::run(argc > 1 ? argv[1] : "trader.cfg", desk);
}
