// Reads the text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nexusfix::stream {

struct ExposedSample {
  std::string suffix{};  // "_bucket", "_sum", "_count" of a histogram; otherwise empty
  std::vector<std::pair<std::string, std::string>> labels{};
  double value = 0;  // finite
};
struct ExposedMetric {
  std::string name{};
  std::string help{};
  std::string type{};  // "gauge", "counter", "histogram"
  std::vector<ExposedSample> samples{};
};

// The metrics of the format 0.0.4 in their order. A metric of another type is left out, and so is a
// value that is not finite. The error is one line, and names the line that is not of this format.
[[nodiscard]] std::expected<std::vector<ExposedMetric>, std::string> read_exposition(
    std::string_view text);

}  // namespace nexusfix::stream
