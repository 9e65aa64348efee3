// A strategy on a thread of its own: it sends orders from drafts while the engine's thread serves
// the session. Usage: example_14_remote trader.cfg
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>

namespace fix44 = nexusfix::fix44;
using nexusfix::Session;

// The engine's thread calls on_message(), the strategy's thread wait_for().
class Fills {
 public:
  void on_message(Session&, const fix44::ExecutionReport& report) {
    if (report.ord_status() != fix44::OrdStatus::Filled) return;
    const std::lock_guard lock{mutex_};
    ++count_;
    changed_.notify_one();
  }
  // False: a stop was requested first.
  bool wait_for(int count, const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    return changed_.wait(lock, stop, [&] { return count_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  int count_ = 0;
};

class Strategy {
 public:
  Strategy(nexusfix::Remote venue, Fills& fills) : venue_{std::move(venue)}, fills_{fills} {}

  void run(const std::stop_token& stop) {
    using namespace std::chrono_literals;
    constexpr int kOrders = 3;
    if (const auto end = venue_.wait_logged_on(30s); end != nexusfix::LogonWait::LoggedOn) {
      return complain(to_string(end));
    }
    fix44::NewOrderSingle::Draft order;
    for (int number = 1; number <= kOrders; ++number) {
      const auto set =
          order.set(fix44::ClOrdID{"S" + std::to_string(number)}, fix44::Symbol{"AAPL"},
                    fix44::Side::Buy, fix44::OrderQty{100}, fix44::OrdType::Limit,
                    fix44::Price{"150.25"}, fix44::TransactTime{clock_.now().wall});
      if (!set) return complain(set.error().what());
      // Returns at once. A draft that is no valid message, a full queue or an ended engine is an
      // error here; what the session refuses later goes to the callback, on the engine's thread.
      const auto accepted = venue_.send(order, [](const nexusfix::PostResult& result) {
        if (result.outcome != nexusfix::PostResult::Outcome::Done) complain(result.text);
      });
      if (!accepted) return complain(accepted.error().what());
      if (!fills_.wait_for(number, stop)) return complain("stopped");
    }
    std::printf("%d orders filled\n", kOrders);
    static_cast<void>(venue_.log_out("done"));
  }

 private:
  static void complain(std::string_view text) {
    std::fprintf(stderr, "%s\n", std::string{text}.c_str());
  }

  nexusfix::Remote venue_;
  nexusfix::SystemClock clock_;
  Fills& fills_;
};

int main(int argc, char** argv) {
  Fills fills;
  auto engine = nexusfix::Engine::open(argc > 1 ? argv[1] : "trader.cfg", fills);
  if (!engine) {
    std::fprintf(stderr, "%s\n", engine.error().what().c_str());
    return 1;
  }
  const nexusfix::StopSignals signals{*engine};
  auto venue = engine->remote("FIX.4.4:TRADER->VENUE");
  if (!venue) {
    std::fprintf(stderr, "%s\n", venue.error().what().c_str());
    return 1;
  }
  engine->start();
  // Its destructor requests the stop and joins the thread: after Ctrl-C, too, which ends join().
  const std::jthread thread{[&, venue = std::move(*venue)](const std::stop_token& stop) {
    Strategy{venue, fills}.run(stop);
    engine->stop();
  }};
  return engine->join();
}
