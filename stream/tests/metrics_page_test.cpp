// The page of the metrics is made of the tables of the engine and of `nexusfix stream`.
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "nexusfix/events/explain.hpp"
#include "stream/stream_metrics.hpp"

namespace nexusfix::command {

std::span<const metrics::MetricDescription> stream_metrics() noexcept {
  return stream::stream_metrics();
}

namespace {

TEST(MetricsPage, is_what_the_table_says) {
  const std::ifstream file{NEXUSFIX_ROOT "/docs/reference/metrics.md"};
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_EQ(page.str(), metrics_page())
      << "nexusfix explain --metrics --markdown > docs/reference/metrics.md";
}

}  // namespace
}  // namespace nexusfix::command
