// Mistakes with coroutines of a session, which the compiler must refuse. NEXUSFIX_MISTAKE selects
// one; with 0 there is none, and the file compiles.
#include <chrono>
#include <coroutine>
#include <string>
#include <string_view>

#include <nexusfix/coroutine.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/fix44/order_cancel_reject.hpp>

namespace nexusfix {

using fix44::ExecutionReport;
using fix44::NewOrderSingle;
using fix44::OrderCancelReject;
using namespace std::chrono_literals;

#if NEXUSFIX_MISTAKE == 0
struct Desk : Conversations<Desk> {
  void on_message(Session&, const ExecutionReport&) {}
  void on_message(Session&, const OrderCancelReject&) {}
  void on_logon(Session& session) {
    trade(session, "A1", NewOrderSingle::Draft{}, 5s).start();
    ConversationHandle other = look(session).start();
    static_cast<void>(other.cancel());
  }
  Conversation trade(Session&, std::string id, NewOrderSingle::Draft, std::chrono::seconds limit) {
    const auto is_own = [&](const auto& answer) { return answer.cl_ord_id() == id; };
    const auto answer = co_await next<ExecutionReport, OrderCancelReject>(limit, is_own);
    if (answer.get<OrderCancelReject>() != nullptr) co_return;
    while (const auto report = co_await next<ExecutionReport>()) id = report->order_id().value;
  }
  Conversation look(Session&) const { co_return; }
};
#elif NEXUSFIX_MISTAKE == 1
// error: the awaited message needs a public on_message\(Session&, const M&\)
struct Desk : Conversations<Desk> {
  void on_message(Session&, const ExecutionReport&) {}
  Conversation trade(Session&) { const auto reject = co_await next<OrderCancelReject>(5s); }
};
#elif NEXUSFIX_MISTAKE == 2
// error: the awaited message needs a public on_message\(Session&, const M&\)
struct Desk : Conversations<Desk> {
  void on_message(Session&, const MessageView&) {}
  Conversation trade(Session&) { const auto report = co_await next<ExecutionReport>(); }
};
#elif NEXUSFIX_MISTAKE == 3
// error: a parameter of a conversation must outlive its first co_await
struct Desk : Conversations<Desk> {
  Conversation trade(Session&, std::string_view) { co_return; }
};
#elif NEXUSFIX_MISTAKE == 4
// error: a parameter of a conversation must outlive its first co_await
struct Desk : Conversations<Desk> {
  Conversation trade(Session&, const std::string&) { co_return; }
};
#elif NEXUSFIX_MISTAKE == 5
// error: a parameter of a conversation must outlive its first co_await
struct Desk : Conversations<Desk> {
  Conversation trade(Session&, ExecutionReport) { co_return; }
};
#elif NEXUSFIX_MISTAKE == 6
// error: a parameter of a conversation must outlive its first co_await
struct Desk : Conversations<Desk> {
  void on_logon(Session& session) {
    [this](Session&) -> Conversation {
      orders = 1;
      co_return;
    }(session)
                            .start();
  }
  int orders = 0;
};
#elif NEXUSFIX_MISTAKE == 7
// error: a conversation has one parameter of the type Session&
struct Desk : Conversations<Desk> {
  Conversation trade(std::string) { co_return; }
};
#elif NEXUSFIX_MISTAKE == 8
// error: no matching (member )?function
struct Desk : Conversations<Desk> {
  Conversation trade(Session&) { co_await std::suspend_always{}; }
};
#elif NEXUSFIX_MISTAKE == 9
// error: a conversation begins with start\(\)
struct Desk : Conversations<Desk> {
  void on_logon(Session& session) { trade(session); }
  Conversation trade(Session&) { co_return; }
};
#elif NEXUSFIX_MISTAKE == 10
// error: a message is awaited by co_await next<M>\(\)
struct Desk : Conversations<Desk> {
  void on_message(Session&, const ExecutionReport&) {}
  Conversation trade(Session&) {
    next<ExecutionReport>(5s);
    co_return;
  }
};
#elif NEXUSFIX_MISTAKE == 11
// error: next\(\) takes a time, and a function: bool where\(const M&\)
struct Desk : Conversations<Desk> {
  void on_message(Session&, const ExecutionReport&) {}
  Conversation trade(Session&) { const auto report = co_await next<ExecutionReport>(5); }
};
#elif NEXUSFIX_MISTAKE == 12
// error: .*deleted
struct Desk : Conversations<Desk> {
  void on_message(Session&, const ExecutionReport&) {}
  Conversation trade(Session&) {
    auto report = co_await next<ExecutionReport>(5s);
    const auto kept = std::move(report);
  }
};
#elif NEXUSFIX_MISTAKE == 13
// error: an application with conversations is: struct A : nexusfix::Conversations<A>
struct Other {};
struct Desk : Conversations<Other> {
  void on_message(Session&, const ExecutionReport&) {}
  Conversation trade(Session&) { const auto report = co_await next<ExecutionReport>(5s); }
};
#elif NEXUSFIX_MISTAKE == 14
// error: .*deleted
struct Desk : Conversations<Desk> {
  void on_message(Session&, const ExecutionReport&) {}
  Conversation trade(Session&) {
    const std::string_view id = (co_await next<ExecutionReport>())->order_id().value;
    static_cast<void>(id);
  }
};
#endif

int main_of(Desk& desk) { return run("desk.cfg", desk); }

}  // namespace nexusfix
