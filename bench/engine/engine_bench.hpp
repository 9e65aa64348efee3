// The shared parts of the engine rows: a venue that fills each order, a trader that sends orders,
// and the functions that open an engine for each.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/fix44/order_cancel_replace_request.hpp>
#include <nexusfix/fix44/order_cancel_request.hpp>

#include "bench/measure/background.hpp"
#include "bench/store/bench_folder.hpp"
#include "bench/subject.hpp"
#include "bench/traffic/inputs.hpp"
#include "config/api/settings.hpp"

namespace nexusfix::bench {

// An order of one shape has 9 fields besides the session's, and its report 10. Each request is
// answered with one report.
struct Venue {
  std::atomic<std::uint64_t> orders{0};
  bool answers = true;
  void (*before_report)(Session&) = nullptr;

  MessageReply on_message(Session& session, const fix44::NewOrderSingle& order) {
    using namespace nexusfix::literals;
    // Only one thread writes it.
    const std::uint64_t count = orders.load(std::memory_order_relaxed) + 1;
    orders.store(count, std::memory_order_release);  // pairs with the acquire of the waiting thread
    if (!answers) return accept();
    const auto quantity = order.order_qty();
    const auto price = order.price();
    if (!quantity || !price) return session_reject(0, 0, "no quantity or no price");
    const auto id = order.cl_ord_id();
    if (before_report != nullptr) before_report(session);
    const auto sent = session.send<fix44::ExecutionReport>(
        fix44::OrderID{id.value}, fix44::ExecID{id.value}, fix44::ExecType::Trade,
        fix44::OrdStatus::Filled, id, order.symbol(), order.side(), fix44::LeavesQty{0_d},
        fix44::CumQty{quantity->value}, fix44::AvgPx{price->value});
    if (!sent) std::abort();
    return accept();
  }
  MessageReply on_message(Session& session, const fix44::OrderCancelReplaceRequest& request) {
    using namespace nexusfix::literals;
    const auto quantity = request.order_qty();
    if (!quantity) return session_reject(0, 0, "no quantity");
    const auto id = request.cl_ord_id();
    const auto sent = session.send<fix44::ExecutionReport>(
        fix44::OrderID{id.value}, fix44::ExecID{id.value}, fix44::ExecType::Replace,
        fix44::OrdStatus::New, id, request.orig_cl_ord_id(), request.symbol(), request.side(),
        fix44::LeavesQty{quantity->value}, fix44::CumQty{0_d}, fix44::AvgPx{0_d});
    if (!sent) std::abort();
    return accept();
  }
  MessageReply on_message(Session& session, const fix44::OrderCancelRequest& request) {
    using namespace nexusfix::literals;
    const auto id = request.cl_ord_id();
    const auto sent = session.send<fix44::ExecutionReport>(
        fix44::OrderID{id.value}, fix44::ExecID{id.value}, fix44::ExecType::Canceled,
        fix44::OrdStatus::Canceled, id, request.orig_cl_ord_id(), request.symbol(), request.side(),
        fix44::LeavesQty{0_d}, fix44::CumQty{0_d}, fix44::AvgPx{0_d});
    if (!sent) std::abort();
    return accept();
  }
};

struct Trader {
  Session* session = nullptr;                   // when it is logged on
  std::vector<DeskOrder> desk = desk_orders();  // sent in turn
  std::uint64_t orders = 0;
  std::uint64_t reports = 0;

  void on_logon(Session& logged_on) { session = &logged_on; }
  void on_message(Session&, const fix44::ExecutionReport& report) {
    if (report.exec_type() == fix44::ExecType::Trade) ++reports;
  }

  void send_order() {
    const DeskOrder& order = desk[orders++ % desk.size()];
    const auto sent = session->send<fix44::NewOrderSingle>(
        fix44::ClOrdID{order.cl_ord_id},
        group<fix44::NewOrderSingle::NoPartyIDs>(
            order.parties,
            [](const std::string& party) {
              return entry(fix44::PartyID{party}, fix44::PartyIDSource::ProprietaryCustomCode,
                           fix44::PartyRole::ExecutingTrader);
            }),
        given<fix44::Account>(order.account), fix44::HandlInst{'1'}, fix44::Symbol{order.symbol},
        static_cast<fix44::Side>(order.side), fix44::TransactTime{session->now()},
        fix44::OrderQty{Decimal{order.order_qty, 0}}, fix44::OrdType::Limit,
        fix44::Price{Decimal{order.price.mantissa, static_cast<std::uint8_t>(order.price.scale)}},
        fix44::TimeInForce::Day, given<fix44::Text>(order.text));
    if (!sent) std::abort();
  }

 private:
  template <class Field>
  static std::optional<Field> given(const std::string& value) {
    return value.empty() ? std::nullopt : std::optional<Field>{Field{value}};
  }
};

// The configuration of an engine with this number of sessions. The traders are T1, T2, ...
struct EngineText {
  bool is_venue = true;
  std::uint16_t port = 0;
  std::size_t sessions = 1;
  bool is_in_memory = false;
  std::string more{};  // lines of [DEFAULT]

  [[nodiscard]] std::string with(const BenchFolder& folder) const {
    std::string text = fmt::format(
        "[DEFAULT]\nBeginString=FIX.4.4\nNonStopSession=Y\nHeartBtInt=30\nReconnectInterval=1\n"
        "{}FileStorePath={}\n{}",
        is_in_memory ? "Store=memory\nPersistMessages=N\n" : "", folder.file("journal"), more);
    text += is_venue ? fmt::format(
                           "ConnectionType=acceptor\nSocketAcceptAddress=127.0.0.1\n"
                           "SocketAcceptPort={}\nSenderCompID=VENUE\n",
                           port)
                     : fmt::format(
                           "ConnectionType=initiator\nSocketConnectHost=127.0.0.1\n"
                           "SocketConnectPort={}\nTargetCompID=VENUE\n",
                           port);
    for (std::size_t i = 1; i <= sessions; ++i) {
      text += fmt::format("[SESSION]\n{}=T{}\n", is_venue ? "TargetCompID" : "SenderCompID", i);
    }
    return text;
  }
};

// An engine and its application. Not movable.
template <class Application>
struct OpenEngine {
  BenchFolder folder;
  observe::NullEventLog log;
  Application application;
  Engine engine;

  OpenEngine(const EngineText& text, EngineOptions options)
      : engine{opened(text.with(folder), options)} {}

 private:
  Engine opened(const std::string& text, EngineOptions options) {
    if (options.log == nullptr) options.log = &log;
    auto settings = config::parse_settings(text, "bench");
    if (!settings) throw std::runtime_error{settings.error().front().what()};
    // The journal's threads run on other cores than the measured thread.
    const StartElsewhere elsewhere;
    auto result = Engine::open(std::move(*settings), application, options);
    if (!result) throw std::runtime_error{result.error().what()};
    return std::move(*result);
  }
};

// The mean sizes of an order and of its report on the wire, for the bare connection.
struct WireSizes {
  std::size_t order = 0;
  std::size_t report = 0;
};

// Messages of one session's counterparty as wire bytes, in turn, with increasing MsgSeqNum.
class ReceivedTexts {
 public:
  static constexpr std::size_t kMessages = 64;  // that are numbered at once
  static constexpr std::uint64_t kFirstNumber = 10'000'000;

  [[nodiscard]] static ReceivedTexts orders(Traffic traffic = Traffic::Flow);
  // Orders, replaces and cancels of the flow.
  [[nodiscard]] static ReceivedTexts requests();
  [[nodiscard]] static ReceivedTexts heartbeats();
  // Fills of orders.
  [[nodiscard]] static ReceivedTexts fills();
  [[nodiscard]] static std::string logon(WallTime now);
  // How many there are: a multiple of kMessages.
  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  // Numbers the next kMessages messages, beginning with first.
  void number_from(std::uint64_t first, WallTime now);
  // Valid until the next call of number_from().
  [[nodiscard]] std::string_view next() { return texts_[next_++ % texts_.size()]; }

 private:
  void add(std::string_view msg_type, std::string_view body);
  static ReceivedTexts from(std::initializer_list<FlowKind> kinds);

  std::vector<std::string> texts_;
  std::size_t next_ = 0;
};

[[nodiscard]] WireSizes wire_sizes(Traffic traffic = Traffic::Flow);
[[nodiscard]] std::vector<DeskOrder> desk_orders_of(Traffic traffic);
// This job for the peers.
[[nodiscard]] TradeJob trade_job(WaitMode mode, Traffic traffic);

}  // namespace nexusfix::bench
