// Charts as SVG within a page of HTML.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nexusfix::logs {

// Text for HTML and SVG, also within an attribute. A control character becomes \x1b and the like,
// and a byte that is not UTF-8 \xff.
[[nodiscard]] std::string html_text(std::string_view text);

struct ChartBar {
  std::string label;  // what the bar is
  std::string value;  // its size, for people
  double size = 0;    // ≥ 0
};

// Horizontal bars, each with its label and value. Empty without bars.
[[nodiscard]] std::string bar_chart(const std::vector<ChartBar>& bars);

struct ChartColumn {
  std::string title;  // shown when a pointer is over it
  double size = 0;    // ≥ 0
};

// Columns without labels from left to right, the highest as high as the chart. first and last: the
// texts below its ends. top: that of the highest column.
[[nodiscard]] std::string column_chart(const std::vector<ChartColumn>& columns,
                                       std::string_view first, std::string_view last,
                                       std::string_view top);

// A part of a strip, from begin to end, which are shares of the whole from 0 to 1.
struct StripPart {
  std::string title;  // shown when a pointer is over it
  double begin = 0;
  double end = 0;
  bool is_fault = false;
};

// Parts of one time, from left to right, over each other. A part is at least two pixels wide.
[[nodiscard]] std::string time_strip(const std::vector<StripPart>& parts, std::string_view first,
                                     std::string_view last);

}  // namespace nexusfix::logs
