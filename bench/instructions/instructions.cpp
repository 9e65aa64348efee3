// Takes one path of the engine many times, for callgrind: tools/instructions.py counts the
// instructions within nexusfix_counted().
//
//   nexusfix_instructions PATH BATCHES
//
// PATH is order, order-one-shape, requests, order-burst, order-inbound, order-logs, heartbeat, send
// or idle. A batch is 64 messages.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>

#include "bench/engine/inside_engine.hpp"

extern "C" [[gnu::noinline]] void nexusfix_counted(nexusfix::FunctionRef<void()> work) {
  work();
  asm volatile("" ::: "memory");  // no tail call: callgrind sees the return
}

namespace nexusfix::bench {
namespace {

// Time passes by turns, however slow the machine is: each run executes the same instructions.
class SteppedClock final : public Clock {
 public:
  Now now() noexcept override {
    constexpr std::chrono::nanoseconds kStep{500};
    passed_ += kStep;
    return {WallTime{std::chrono::hours{480'000}} + passed_,
            MonoTime{std::chrono::hours{1}} + passed_};
  }

 private:
  std::chrono::nanoseconds passed_{};
};

void count(InsideEngine& engine, unsigned batches, FunctionRef<void(std::size_t)> operation) {
  const auto batch = [&] {
    for (std::size_t i = 0; i < ReceivedTexts::kMessages; ++i) operation(i);
  };
  constexpr std::size_t kWarmUp = kFlowInputs / ReceivedTexts::kMessages;  // each message once
  for (std::size_t i = 0; i < kWarmUp; ++i) {
    engine.prepare();
    batch();
  }
  for (unsigned i = 0; i < batches; ++i) {
    engine.prepare();
    nexusfix_counted(batch);
  }
}

void receive(ReceivedTexts texts, std::uint64_t answers, unsigned batches,
             const std::string& more_keys = {}) {
  SteppedClock clock;
  InsideEngine engine{false, std::move(texts), &clock, more_keys};
  count(engine, batches, [&](std::size_t) {
    if (engine.receive() != answers) std::abort();
  });
}

// Each time that the loop receives, it gets as many orders as a burst has.
void receive_burst(unsigned batches) {
  constexpr std::size_t kBurst = 16;
  static_assert(ReceivedTexts::kMessages % kBurst == 0);
  SteppedClock clock;
  InsideEngine engine{false, ReceivedTexts::orders(), &clock};
  count(engine, batches, [&](std::size_t i) {
    if (i % kBurst == 0 && engine.receive_together(kBurst) != 1) std::abort();
  });
}

void send(unsigned batches) {
  SteppedClock clock;
  InsideEngine engine{false, ReceivedTexts::orders(), &clock};
  count(engine, batches, [&](std::size_t) {
    using namespace nexusfix::literals;
    const auto sent = engine.session().send<fix44::ExecutionReport>(
        fix44::OrderID{"O1"}, fix44::ExecID{"E1"}, fix44::ExecType::Trade, fix44::OrdStatus::Filled,
        fix44::ClOrdID{"A1"}, fix44::Symbol{"AAPL"}, fix44::Side::Buy, fix44::LeavesQty{0_d},
        fix44::CumQty{100_d}, fix44::AvgPx{150.25_d});
    if (!sent) std::abort();
    engine.turn();
  });
}

void idle(unsigned batches) {
  SteppedClock clock;
  InsideEngine engine{false, ReceivedTexts::orders(), &clock};
  count(engine, batches, [&](std::size_t) { engine.turn(); });
}

bool run(std::string_view path, unsigned batches) {
  if (path == "order") {
    receive(ReceivedTexts::orders(), 1, batches);
  } else if (path == "order-one-shape") {
    receive(ReceivedTexts::orders(Traffic::OneShape), 1, batches);
  } else if (path == "requests") {
    receive(ReceivedTexts::requests(), 1, batches);
  } else if (path == "order-burst") {
    receive_burst(batches);
  } else if (path == "order-inbound") {
    receive(ReceivedTexts::orders(), 1, batches, "JournalInbound=Y\n");
  } else if (path == "order-logs") {
    const BenchFolder folder;
    receive(ReceivedTexts::orders(), 1, batches, "FileLogPath=" + folder.file("log") + "\n");
  } else if (path == "heartbeat") {
    receive(ReceivedTexts::heartbeats(), 0, batches);
  } else if (path == "send") {
    send(batches);
  } else if (path == "idle") {
    idle(batches);
  } else {
    return false;
  }
  return true;
}

}  // namespace
}  // namespace nexusfix::bench

int main(int count, char** words) {
  constexpr int kWords = 3;
  try {
    if (count == kWords && nexusfix::bench::run(words[1], static_cast<unsigned>(std::strtoul(
                                                              words[2], nullptr, 10)))) {
      return 0;
    }
    std::fputs(
        "usage: nexusfix_instructions order|order-one-shape|requests|order-burst|order-inbound|"
        "order-logs|heartbeat|send|idle BATCHES\n",
        stderr);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nexusfix_instructions: %s\n", error.what());
    return 1;
  }
}
