// What an event loop counts, readable from every thread.
#pragma once

#include <atomic>
#include <cstdint>

#include <nexusfix/deferred/cache_line.hpp>
#include <nexusfix/engine/engine.hpp>

namespace nexusfix::engine {

// A count that one thread changes and every thread reads. Relaxed, as it orders no other memory: a
// reader sees some recent value, and never a smaller one later. One writer needs no locked
// instruction.
class LoopCounter {
 public:
  // The loop's thread.
  LoopCounter& operator+=(std::uint64_t more) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
    return *this;
  }
  LoopCounter& operator++() noexcept { return *this += 1; }
  // Any thread.
  [[nodiscard]] std::uint64_t read() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// Apart from the loop's other data, so that a reader on another core takes no cache line that the
// loop needs for anything else.
struct alignas(deferred::kApartBytes) LoopCounters {
  LoopCounter messages_in;
  LoopCounter messages_out;
  LoopCounter garbled;
  LoopCounter connections_refused;
  LoopCounter out_of_order_discarded;

  // Any thread.
  [[nodiscard]] EngineStats read() const noexcept {
    return {.messages_in = messages_in.read(),
            .messages_out = messages_out.read(),
            .garbled = garbled.read(),
            .connections_refused = connections_refused.read(),
            .out_of_order_discarded = out_of_order_discarded.read()};
  }
};

}  // namespace nexusfix::engine
