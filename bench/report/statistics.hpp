// Quantiles of measured times.
#pragma once

#include <cstddef>
#include <vector>

namespace nexusfix::bench {

// The smallest value that at least this share of all values does not exceed (nearest rank: always a
// measured value, never one between two). sorted is ascending; 0 if it is empty.
template <class Value>
[[nodiscard]] Value quantile_of_sorted(const std::vector<Value>& sorted, double share) {
  if (sorted.empty()) return Value{};
  const double exact = share * static_cast<double>(sorted.size());
  auto rank = static_cast<std::size_t>(exact);
  if (static_cast<double>(rank) < exact) ++rank;
  if (rank == 0) rank = 1;
  if (rank > sorted.size()) rank = sorted.size();
  return sorted[rank - 1];
}

}  // namespace nexusfix::bench
