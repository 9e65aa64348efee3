// A venue's engine whose bytes come from memory: it is measured without a kernel.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/statistics.hpp>

#include "bench/engine/engine_bench.hpp"
#include "bench/engine/memory_network.hpp"

namespace nexusfix::bench {

// A venue with one session, which is logged on.
class InsideEngine {
 public:
  // clock: null is the system's. Must outlive the engine.
  explicit InsideEngine(bool is_in_memory, ReceivedTexts received = ReceivedTexts::orders(),
                        Clock* clock = nullptr, const std::string& more_keys = {})
      : venue_{{.is_in_memory = is_in_memory,
                .more = "MaxAdminMessagesPerSecond=1000000\nJournalStallTimeout=600\n" + more_keys},
               {.clock = clock, .network = &network_, .busy_spin = true}},
        clock_{clock},
        received_{std::move(received)} {
    const auto set = session().set_next_numbers({.next_inbound = ReceivedTexts::kFirstNumber - 1,
                                                 .next_outbound = ReceivedTexts::kFirstNumber - 1},
                                                "benchmark");
    if (!set) throw std::runtime_error{set.error()};
    turn();
    const std::string logon = ReceivedTexts::logon(wall_now());
    network_.deliver(logon);
    // The answer waits for the disk, which may be busy.
    while (network_.sends() == 0 && !network_.is_closed()) turn();
    if (!session().is_logged_on()) throw std::runtime_error{"the venue refused the Logon"};
    prepare();
  }

  // Numbers the messages to receive, before each ReceivedTexts::kMessages of them.
  void prepare() {
    // A session that is logged out would be very fast.
    if (!session().is_logged_on()) throw std::runtime_error{"the venue was disconnected"};
    received_.number_from(session().numbers().next_inbound, wall_now());
  }
  // Receives the next message and answers it. Returns the number of sent messages.
  std::uint64_t receive() {
    const std::uint64_t before = network_.sends();
    network_.deliver(received_.next());
    turn();
    return network_.sends() - before;
  }
  // Receives that many messages at once and answers them. Returns the number of writes to the
  // socket.
  std::uint64_t receive_together(std::size_t count) {
    const std::uint64_t before = network_.sends();
    together_.clear();
    for (std::size_t i = 0; i != count; ++i) together_ += received_.next();
    receive(together_);
    return network_.sends() - before;
  }
  // Bytes that need not be a message, or whole: at most what the engine receives at once.
  void receive(std::string_view bytes) {
    network_.deliver(bytes);
    turn();
  }
  [[nodiscard]] bool is_closed() const { return network_.is_closed(); }
  // One turn of the loop. Without a message to receive it is idle.
  void turn() {
    if (!venue_.engine.poll(std::chrono::nanoseconds{0})) std::abort();
  }
  // Gives the log writer time for the lines of kMessages orders and their reports. A writer that
  // lags loses lines, which costs less than to log them.
  void await_logs() {
    constexpr std::chrono::microseconds kWriterTime{200};
    const MonoTime begin = SystemClock{}.now().mono;
    while (SystemClock{}.now().mono - begin < kWriterTime) continue;
    if (venue_.engine.statistics().logs.lost_in_queue != 0) {
      throw std::runtime_error{"the log writer did not keep up"};
    }
  }
  [[nodiscard]] Venue& application() { return venue_.application; }
  [[nodiscard]] Session& session() { return venue_.engine.session(0); }
  // The mean of all messages and their answers.
  [[nodiscard]] WireSizes sizes() {
    WireSizes sum;
    for (std::size_t i = 0; i < received_.size(); ++i) {
      if (i % ReceivedTexts::kMessages == 0) prepare();
      const std::string_view text = received_.next();
      network_.deliver(text);
      turn();
      sum.order += text.size();
      sum.report += network_.sent().size();
    }
    return {sum.order / received_.size(), sum.report / received_.size()};
  }

 private:
  WallTime wall_now() { return clock_ == nullptr ? SystemClock{}.now().wall : clock_->now().wall; }

  MemoryNetwork network_;
  OpenEngine<Venue> venue_;
  Clock* clock_;
  ReceivedTexts received_;
  std::string together_;
};

}  // namespace nexusfix::bench
