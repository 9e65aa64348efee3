#include "engine/ground/connection/buffer_budget.hpp"

namespace nexusfix::engine {

bool BufferBudget::ask_for_larger(std::size_t loop, std::uint64_t bytes) noexcept {
  std::size_t largest = loop;
  for (std::size_t other = 0; other < loops_.size(); ++other) {
    const std::uint64_t has = loops_[other].largest.load(std::memory_order_relaxed);
    if (other == loop || has <= bytes) continue;
    bytes = has;
    largest = other;
  }
  if (largest == loop) return false;
  loops_[largest].is_asked.store(true, std::memory_order_release);  // Pairs with consume_request().
  return true;
}

}  // namespace nexusfix::engine
