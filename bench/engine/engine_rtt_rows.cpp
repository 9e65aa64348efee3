// An order and its report over loopback TCP: one at a time, many at once, and orders alone. The
// trader's engine runs on the measured core, the venue's on another one.
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

#include <nexusfix/transport/network.hpp>

#include "bench/engine/bare_tcp.hpp"
#include "bench/engine/engine_pair.hpp"
#include "bench/engine/watched_network.hpp"
#include "bench/row.hpp"

namespace nexusfix::bench {
namespace {

// A message that is no report of an order: the trader does not count it.
const fix44::ExecutionReport::Draft& further_message() {
  static const auto message = [] {
    using namespace nexusfix::literals;
    fix44::ExecutionReport::Draft draft;
    const auto set =
        draft.set(fix44::OrderID{"10000000"}, fix44::ExecID{"10000000"}, fix44::ExecType::New,
                  fix44::OrdStatus::New, fix44::ClOrdID{"10000000"}, fix44::Symbol{"AAPL"},
                  fix44::Side::Buy, fix44::LeavesQty{100_d}, fix44::CumQty{0_d}, fix44::AvgPx{0_d});
    if (!set) throw std::runtime_error{set.error().what()};
    return draft;
  }();
  return message;
}

void send_further_message(Session& session) {
  if (!session.send(further_message())) std::abort();
}

// A thread that serves no loop of the venue's engine, and sends on the venue's session.
class Desk {
 public:
  explicit Desk(Engine& venue) {
    auto remote = venue.remote("FIX.4.4:VENUE->T1");
    if (!remote) throw std::runtime_error{remote.error().what()};
    remote_.emplace(std::move(*remote));
  }
  void send() {
    if (!remote_->send(further_message())) std::abort();
  }

 private:
  std::optional<Remote> remote_;
};

// A round trip. Only one part in the venue is measured, and the venue recorded it.
struct LivePair {
  std::unique_ptr<WatchedNetwork> network;
  Pair pair;
  std::unique_ptr<Desk> desk{};

  LivePair(std::unique_ptr<transport::Network> inner, bool has_desk, Traffic traffic)
      : network{std::make_unique<WatchedNetwork>(std::move(inner))},
        pair{{.traffic = traffic, .venue_network = network.get()}} {
    if (has_desk) desk = std::make_unique<Desk>(pair.venue());
  }

  void round_trip() {
    Trader& trader = pair.trader();
    const std::uint64_t before = trader.reports;
    if (desk) desk->send();
    trader.send_order();
    while (trader.reports == before) pair.poll();
  }
};

class LivePart final : public Contestant {
 public:
  LivePart(std::shared_ptr<LivePair> live, const std::atomic<std::uint64_t> LiveTicks::* part)
      : live_{std::move(live)}, part_{part} {}

  std::string check() override {
    prepare();
    const std::uint64_t ticks = one();
    settle();
    return ticks != 0 ? "" : "nothing was recorded";
  }
  [[nodiscard]] std::size_t inputs() const override { return 1; }
  void prepare() override { live_->pair.resume(); }
  void settle() override { live_->pair.pause(); }
  void run(std::size_t calls) override { (void)timed_run(calls); }
  std::uint64_t timed_run(std::size_t calls) override {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < calls; ++i) sum += one();
    return sum;
  }
  void time_each(std::uint32_t* ticks, std::size_t calls) override {
    for (std::size_t i = 0; i < calls; ++i) {
      ticks[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(one(), UINT32_MAX));
    }
  }

 private:
  std::uint64_t one() {
    live_->round_trip();
    return (live_->network->ticks().*part_).load(std::memory_order_relaxed);
  }

  std::shared_ptr<LivePair> live_;
  const std::atomic<std::uint64_t> LiveTicks::* part_;
};

std::shared_ptr<LivePair> make_live(bool has_desk, Traffic traffic = Traffic::Flow) {
  auto network = transport::make_epoll_network();
  if (!network) throw std::runtime_error{network.error().text};
  return std::make_shared<LivePair>(std::move(*network), has_desk, traffic);
}

Plan plan_live(Traffic traffic) {
  const auto live = make_live(false, traffic);
  Plan plan{.owner = nullptr, .contestants = {}};
  plan.contestants.emplace_back("NexusFIX", std::make_unique<LivePart>(live, &LiveTicks::inside));
  plan.contestants.emplace_back("its receive",
                                std::make_unique<LivePart>(live, &LiveTicks::receive));
  plan.contestants.emplace_back("its send", std::make_unique<LivePart>(live, &LiveTicks::send));
  return plan;
}

Plan plan_live_remote(Subjects) {
  Plan plan{.owner = nullptr, .contestants = {}};
  plan.contestants.emplace_back("NexusFIX",
                                std::make_unique<LivePart>(make_live(true), &LiveTicks::inside));
  plan.contestants.emplace_back("no remote",
                                std::make_unique<LivePart>(make_live(false), &LiveTicks::inside));
  return plan;
}

// A round trip, with a message of another thread's Remote in the venue's queue at its beginning.
struct RemoteRoundTrip {
  RoundTrip round;
  std::unique_ptr<Desk> desk;

  std::uint64_t operator()(std::size_t input) {
    desk->send();
    return round(input);
  }
  void prepare() { round.prepare(); }
  void settle() { round.settle(); }
  [[nodiscard]] CallLimits limits() const { return {}; }
};

// An atomic counter in place of the remote: what two messages in two turns cost.
struct RequestedRoundTrip {
  RoundTrip round;

  std::uint64_t operator()(std::size_t input) {
    round.pair->requested_sends.fetch_add(1, std::memory_order_release);  // pairs with Pair::Turn
    return round(input);
  }
  void prepare() { round.prepare(); }
  void settle() { round.settle(); }
  [[nodiscard]] CallLimits limits() const { return {}; }
};

Plan plan_timestamps(Subjects) {
  Plan plan{.owner = nullptr, .contestants = {}};
  const auto add = [&](const char* name, const std::string& keys) {
    plan.contestants.emplace_back(name, two_sided(RoundTrip{std::make_unique<Pair>(PairOptions{
                                                      .venue_keys = keys, .trader_keys = keys})},
                                                  1));
  };
  add("NexusFIX", "ReceiveTimestamps=software\n");
  add("without", "");
  return plan;
}

Plan plan_remote_round_trip(Subjects) {
  Plan plan{.owner = nullptr, .contestants = {}};
  RoundTrip busy{std::make_unique<Pair>(PairOptions{})};
  auto desk = std::make_unique<Desk>(busy.pair->venue());
  plan.contestants.emplace_back("NexusFIX",
                                two_sided(RemoteRoundTrip{std::move(busy), std::move(desk)}, 1));
  plan.contestants.emplace_back("two turns, no remote",
                                two_sided(RequestedRoundTrip{{std::make_unique<Pair>(
                                              PairOptions{.on_request = &further_message()})}},
                                          1));
  plan.contestants.emplace_back(
      "same messages, no remote",
      two_sided(
          RoundTrip{std::make_unique<Pair>(PairOptions{.before_report = send_further_message})},
          1));
  plan.contestants.emplace_back("one message, no remote",
                                two_sided(RoundTrip{std::make_unique<Pair>(PairOptions{})}, 1));
  return plan;
}

// Many orders. The number of unanswered orders is limited; of untaken ones, if the venue does not
// answer.
struct Burst {
  static constexpr std::uint64_t kOrders = 4'096;
  static constexpr std::uint64_t kTogether = 32;  // sent between two turns of the event loop
  std::unique_ptr<Pair> pair;
  std::uint64_t open_max;
  bool answers;

  std::uint64_t operator()(std::size_t) {
    Trader& trader = pair->trader();
    const std::uint64_t end = trader.orders + kOrders;
    for (std::uint64_t done = done_now(); done < end; done = done_now()) {
      const std::uint64_t until = std::min({end, done + open_max, trader.orders + kTogether});
      while (trader.orders < until) trader.send_order();
      pair->poll();
    }
    return kOrders;
  }
  void prepare() { pair->resume(); }
  void settle() { pair->pause(); }
  [[nodiscard]] CallLimits limits() const { return {}; }

 private:
  [[nodiscard]] std::uint64_t done_now() const {
    return answers ? pair->trader().reports : pair->orders_taken();
  }
};

Plan plan_round_trip(WaitMode mode, Subjects subjects, Traffic traffic = Traffic::Flow,
                     const std::string& keys = {}) {
  const WireSizes sizes = wire_sizes(traffic);
  Plan plan{.owner = nullptr,
            .bytes = static_cast<double>(sizes.order + sizes.report),
            .contestants = {}};
  plan.contestants.emplace_back(
      "NexusFIX",
      two_sided(RoundTrip{std::make_unique<Pair>(PairOptions{
                    .mode = mode, .traffic = traffic, .venue_keys = keys, .trader_keys = keys})},
                1));
  plan.contestants.emplace_back(
      "bare TCP", two_sided(BareRoundTrip<BarePair<BareEnd>>{std::make_unique<BarePair<BareEnd>>(
                                mode, sizes.order, sizes.report)},
                            1));
  add_contestants(plan, subjects,
                  [&](Subject& subject) { return subject.round_trip(trade_job(mode, traffic)); });
  return plan;
}

constexpr std::uint64_t kUntakenMax = 16'384;
constexpr double kNsPerSecond = 1e9;

Plan plan_throughput(bool answers, Subjects subjects, Traffic traffic = Traffic::Flow) {
  const WireSizes sizes = wire_sizes(traffic);
  Plan plan{.owner = nullptr,
            .bytes = static_cast<double>(sizes.order + (answers ? sizes.report : 0)),
            .operations_per_call = static_cast<double>(Burst::kOrders),
            .contestants = {}};
  plan.bytes *= plan.operations_per_call;
  Burst burst{std::make_unique<Pair>(PairOptions{.traffic = traffic, .answers = answers}),
              answers ? kUnansweredMax : kUntakenMax, answers};
  plan.contestants.emplace_back("NexusFIX", two_sided(std::move(burst), Burst::kOrders));
  if (answers) {
    add_contestants(plan, subjects, [&](Subject& subject) {
      return subject.trade_burst(trade_job(WaitMode::Spin, traffic), Burst::kOrders);
    });
  }
  return plan;
}

void add_one_shape_rows(std::vector<Row>& rows) {
  rows.push_back({{.name = "inside/live-one-shape",
                   .purpose = "inside/live for orders of one shape",
                   .published = {},
                   .budget = 210},
                  [](Subjects) { return plan_live(Traffic::OneShape); }});
  rows.push_back({{.name = "rtt/one-shape",
                   .purpose = "rtt/spin for orders of one shape",
                   .published = {},
                   .budget = {},
                   .ratios = {{"bare TCP", 1.1, 1.3}, {"QuickFIX", 0.2}, {"bare io_uring"}}},
                  [](Subjects subjects) {
                    return plan_round_trip(WaitMode::Spin, subjects, Traffic::OneShape);
                  }});
  rows.push_back(
      {{.name = "throughput/one-shape",
        .purpose = "throughput/orders for orders of one shape",
        .published = {},
        .budget = kNsPerSecond / 1.8e6},
       [](Subjects subjects) { return plan_throughput(true, subjects, Traffic::OneShape); }});
}

}  // namespace

std::vector<DeskOrder> desk_orders_of(Traffic traffic) {
  return traffic == Traffic::Flow ? desk_orders() : one_shape_desk_orders();
}

TradeJob trade_job(WaitMode mode, Traffic traffic) {
  return {mode, traffic,
          [](std::function<void()> run) {
            const StartElsewhere elsewhere;
            return std::thread{std::move(run)};
          },
          desk_orders_of(traffic)};
}

void add_round_trip_rows(std::vector<Row>& rows) {
  rows.push_back({{.name = "inside/live",
                   .purpose = "from the order's receive to its report's send, within rtt/spin",
                   .published = {},
                   .budget = 210},
                  [](Subjects) { return plan_live(Traffic::Flow); }});
  rows.push_back({{.name = "inside/remote",
                   .purpose = "inside/live, while a Remote sends as many messages on the same "
                              "session as there are orders",
                   .published = {},
                   .budget = {},
                   .ratios = {{"no remote", 1.2}}},
                  plan_live_remote});
  rows.push_back({{.name = "rtt/spin",
                   .purpose = "an order to its report over loopback TCP, both sides spinning",
                   .published = {},
                   .budget = {},
                   .ratios = {{"bare TCP", 1.1, 1.3}, {"QuickFIX", 0.2}, {"bare io_uring"}}},
                  [](Subjects subjects) { return plan_round_trip(WaitMode::Spin, subjects); }});
  rows.push_back({{.name = "rtt/block",
                   .purpose = "the same without BusySpin: both engines poll for 50 µs, then "
                              "sleep; the others sleep at once",
                   .published = {},
                   .budget = {},
                   .ratios = {{"bare TCP", 0.5}, {"bare io_uring"}}},
                  [](Subjects subjects) { return plan_round_trip(WaitMode::Block, subjects); }});
  rows.push_back({{.name = "rtt/sleep",
                   .purpose = "rtt/block with BusySpin=N: all sleep at once",
                   .published = {},
                   .budget = {},
                   .ratios = {{"bare TCP", 1.06}}},
                  [](Subjects) {
                    return plan_round_trip(WaitMode::Block, {}, Traffic::Flow, "BusySpin=N\n");
                  }});
  rows.push_back({{.name = "rtt/timestamps",
                   .purpose = "rtt/spin with ReceiveTimestamps=software on both sides",
                   .published = {},
                   .budget = {},
                   .ratios = {{"without"}}},
                  plan_timestamps});
  rows.push_back({{.name = "rtt/remote",
                   .purpose = "rtt/spin, while a Remote sends as many messages on the same session "
                              "as there are orders",
                   .published = {},
                   .budget = {},
                   .ratios = {{"two turns, no remote", 1.2},
                              {"same messages, no remote", 1.2},
                              {"one message, no remote"}}},
                  plan_remote_round_trip});
  rows.push_back({{.name = "throughput/one-way",
                   .purpose = "an order of one session, sent until it is taken",
                   .published = {},
                   .budget = kNsPerSecond / 3e6},
                  [](Subjects subjects) { return plan_throughput(false, subjects); }});
  rows.push_back({{.name = "throughput/orders",
                   .purpose = "an order of one session and its report, many being under way",
                   .published = {},
                   .budget = kNsPerSecond / 1.8e6},
                  [](Subjects subjects) { return plan_throughput(true, subjects); }});
  add_one_shape_rows(rows);
}

}  // namespace nexusfix::bench
