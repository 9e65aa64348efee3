// Charts as SVG elements: bars of nanoseconds on a logarithmic scale. They have class names, and
// chart_style() returns the styles, which a page includes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report/report.hpp"

namespace nexusfix::bench {

struct Bar {
  std::string kind;  // class name: "ours", "quickfix", "reference" (any other peer)
  double value = 0;
  std::string text;  // after the bar
};

struct BarGroup {
  std::string label;
  std::vector<Bar> bars;
  std::optional<double> mark;  // a line across the group: a published figure
};

struct Chart {
  std::string elements;
  int width = 0;
  int height = 0;
};

[[nodiscard]] Chart bar_chart(const std::vector<BarGroup>& groups);

// The rows with a peer in this run, each with all of its subjects.
[[nodiscard]] std::vector<BarGroup> peer_groups(const Report& report);
// The rows whose name has this beginning: only our figures, with the published figure as mark.
[[nodiscard]] std::vector<BarGroup> own_groups(const Report& report, std::string_view begin);
// A line from the median to the 99.9th percentile of single calls.
[[nodiscard]] Chart tail_chart(const Report& report);

[[nodiscard]] std::string_view chart_style() noexcept;
// Three significant digits.
[[nodiscard]] std::string short_number(double value);

}  // namespace nexusfix::bench
