// The shared parts of the engine rows: a venue that fills each order, a trader that sends orders,
// and the functions that open an engine for each.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/config/settings.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>

#include "bench/measure/background.hpp"
#include "bench/store/bench_folder.hpp"
#include "bench/subject.hpp"

namespace nexusfix::bench {

// An order has 9 fields besides the session's, and its report 10.
struct Venue {
  std::atomic<std::uint64_t> orders{0};
  bool answers = true;
  const fix44::ExecutionReport::Draft* before_report = nullptr;  // sent before each report

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
    if (before_report != nullptr && !session.send(*before_report)) std::abort();
    const auto sent = session.send<fix44::ExecutionReport>(
        fix44::OrderID{id.value}, fix44::ExecID{id.value}, fix44::ExecType::Trade,
        fix44::OrdStatus::Filled, id, order.symbol(), order.side(), fix44::LeavesQty{0_d},
        fix44::CumQty{quantity->value}, fix44::AvgPx{price->value});
    if (!sent) std::abort();
    return accept();
  }
};

struct Trader {
  Session* session = nullptr;  // when it is logged on
  std::uint64_t orders = 0;
  std::uint64_t reports = 0;

  void on_logon(Session& logged_on) { session = &logged_on; }
  void on_message(Session&, const fix44::ExecutionReport& report) {
    if (report.exec_type() == fix44::ExecType::Trade) ++reports;
  }

  void send_order() {
    using namespace nexusfix::literals;
    constexpr std::uint64_t kFirstOrder = 10'000'000;
    char id[24];
    const auto end = fmt::format_to_n(id, sizeof id, "{}", kFirstOrder + orders++).out;
    const auto sent = session->send<fix44::NewOrderSingle>(
        fix44::ClOrdID{std::string_view{id, static_cast<std::size_t>(end - id)}},
        fix44::HandlInst{'1'}, fix44::Symbol{"AAPL"}, fix44::Side::Buy,
        fix44::TransactTime{session->now()}, fix44::OrderQty{100_d}, fix44::OrdType::Limit,
        fix44::Price{150.25_d}, fix44::TimeInForce::Day);
    if (!sent) std::abort();
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

// The sizes of an order and of its report on the wire, for the bare connection.
struct WireSizes {
  std::size_t order = 0;
  std::size_t report = 0;
};

// Messages of one session's counterparty as wire bytes, with increasing MsgSeqNum.
class ReceivedTexts {
 public:
  static constexpr std::size_t kMessages = 64;
  static constexpr std::uint64_t kFirstNumber = 10'000'000;

  [[nodiscard]] static ReceivedTexts orders();
  [[nodiscard]] static ReceivedTexts heartbeats();
  [[nodiscard]] static std::string logon(WallTime now);
  // Numbers the messages, beginning with first.
  void number_from(std::uint64_t first, WallTime now);
  [[nodiscard]] std::string_view operator[](std::size_t index) const { return texts_[index]; }

 private:
  void add(std::string_view msg_type, std::string_view body);

  std::vector<std::string> texts_;
};

[[nodiscard]] WireSizes wire_sizes();
// The same job for the peers.
[[nodiscard]] TradeJob trade_job(WaitMode mode);

}  // namespace nexusfix::bench
