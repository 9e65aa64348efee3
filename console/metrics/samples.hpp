// Writes samples in the text format of Prometheus.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/metrics.hpp>
#include <nexusfix/statistics.hpp>

namespace nexusfix::metrics {

struct Label {
  std::string_view name;
  std::string_view value;  // any bytes; those that are no UTF-8 are shown as '?'
};
using Labels = std::initializer_list<Label>;

class Samples {
 public:
  // The samples that follow are of this metric. Its head is written before the first one: a metric
  // without samples is absent.
  void begin(const MetricDescription& metric) noexcept {
    metric_ = &metric;
    has_head_ = false;
  }
  void add(Labels labels, std::uint64_t value);
  void add(Labels labels, bool value) { add(labels, std::uint64_t{value}); }
  // In seconds.
  void add(Labels labels, std::chrono::nanoseconds value);
  // In seconds since 1970.
  void add(Labels labels, WallTime value) { add(labels, value.time_since_epoch()); }
  // The buckets of all histograms have the same ends, so that they can be added.
  void add(Labels labels, const engine::LatencyHistogram& value);

  [[nodiscard]] std::string release_text() noexcept { return std::move(text_); }

 private:
  // `suffix`, the labels and a space; the value follows.
  void begin_line(std::string_view suffix, Labels labels, Label last = {});
  void append_label(const Label& label);

  const MetricDescription* metric_ = nullptr;
  bool has_head_ = false;
  std::string text_;
};

}  // namespace nexusfix::metrics
