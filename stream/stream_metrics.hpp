// The metrics of a stream, in the text format of Prometheus.
#pragma once

#include <span>
#include <string>

#include <nexusfix/metrics.hpp>

#include "stream/followed_log.hpp"

namespace nexusfix::stream {

struct JournalState {
  std::string folder;
  Lag lag;
  StreamCounts counts;
  std::uint64_t cursor = 0;  // log position
};

struct StreamState {
  std::vector<JournalState> journals;
  bool has_brokers = true;
};

// All texts have static lifetime.
[[nodiscard]] std::span<const metrics::MetricDescription> stream_metrics() noexcept;
[[nodiscard]] std::string to_prometheus(const StreamState& state);

}  // namespace nexusfix::stream
