// A trader's engine and a venue's, connected over loopback TCP.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include <nexusfix/transport/network.hpp>

#include "bench/engine/engine_bench.hpp"

namespace nexusfix::bench {

struct PairOptions {
  WaitMode mode = WaitMode::Spin;
  Traffic traffic = Traffic::Flow;
  bool answers = true;  // the venue answers each order
  // What the venue does before each report; null: nothing.
  void (*before_report)(Session&) = nullptr;
  // A further message, sent by a turn of its own when requested_sends grows; a spinning venue only.
  const fix44::ExecutionReport::Draft* on_request = nullptr;
  transport::Network* venue_network = nullptr;  // null: the venue creates its own
  std::string venue_keys{};                     // further lines of the configuration
  std::string trader_keys{};
  observe::EventLog* log = nullptr;  // for both engines; null: none
};

// A trader's engine and a venue's, logged on to each other, journals on. The venue's thread spins
// between resume() and pause(), or waits in the kernel all the time.
class Pair {
 public:
  explicit Pair(const PairOptions& options)
      : timeout_{options.mode == WaitMode::Spin ? Duration{0} : Duration{std::chrono::seconds{1}}},
        venue_{{.more = options.venue_keys}, options_of(options, options.venue_network)},
        trader_{
            {.is_venue = false, .port = venue_.engine.accept_port(), .more = options.trader_keys},
            options_of(options, nullptr)} {
    trader_.application.desk = desk_orders_of(options.traffic);
    venue_.application.answers = options.answers;
    venue_.application.before_report = options.before_report;
    if (options.mode == WaitMode::Spin) {
      spinning_ = std::make_unique<BackgroundLoop<Turn>>(
          Turn{&venue_.engine, options.on_request, &requested_sends});
    } else {
      const StartElsewhere elsewhere;
      venue_.engine.start();
    }
    resume();
    while (trader_.application.session == nullptr) poll();
    pause();
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    if (spinning_ != nullptr) return;
    venue_.engine.stop();
    // The venue waits for the answer to its Logout.
    trader_.engine.stop();
    while (trader_.engine.poll(std::chrono::milliseconds{1})) continue;
    venue_.engine.join();
  }

  void resume() {
    if (spinning_ != nullptr) spinning_->resume();
  }
  void pause() {
    if (spinning_ != nullptr) spinning_->pause();
  }
  void poll() {
    if (!trader_.engine.poll(timeout_)) std::abort();
  }
  [[nodiscard]] Trader& trader() { return trader_.application; }
  // Its engine is at work while it is not paused.
  [[nodiscard]] Engine& venue() { return venue_.engine; }
  // Any thread may add to it: see PairOptions::on_request.
  std::atomic<std::uint64_t> requested_sends{0};
  [[nodiscard]] std::uint64_t orders_taken() const {
    return venue_.application.orders.load(std::memory_order_acquire);
  }

 private:
  using Duration = std::chrono::nanoseconds;
  struct Turn {
    Engine* engine;
    const fix44::ExecutionReport::Draft* message;
    const std::atomic<std::uint64_t>* requested;
    std::uint64_t sent = 0;
    void operator()() {
      if (message != nullptr && requested->load(std::memory_order_acquire) != sent) {
        ++sent;
        Session* const session = engine->find_session("FIX.4.4:VENUE->T1");
        if (session == nullptr || !session->send(*message)) std::abort();
      }
      (void)engine->poll(Duration{0});
    }
  };
  static EngineOptions options_of(const PairOptions& options, transport::Network* network) {
    return {.network = network, .log = options.log, .busy_spin = options.mode == WaitMode::Spin};
  }

  Duration timeout_;
  OpenEngine<Venue> venue_;
  OpenEngine<Trader> trader_;
  std::unique_ptr<BackgroundLoop<Turn>> spinning_;
};

// An order and its report, one at a time.
struct RoundTrip {
  std::unique_ptr<Pair> pair;

  std::uint64_t operator()(std::size_t) {
    Trader& trader = pair->trader();
    const std::uint64_t before = trader.reports;
    trader.send_order();
    while (trader.reports == before) pair->poll();
    return trader.reports - before;
  }
  void prepare() { pair->resume(); }
  void settle() { pair->pause(); }
  [[nodiscard]] CallLimits limits() const { return {}; }
};

}  // namespace nexusfix::bench
