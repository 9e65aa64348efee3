// `nexusfix explain` for metrics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include <nexusfix/metrics.hpp>

#include "nexusfix/events/explain.hpp"

namespace nexusfix::command {

// This program has no streams.
std::span<const metrics::MetricDescription> stream_metrics() noexcept { return {}; }

namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ExplainMetrics, one_metric_with_its_type_unit_labels_and_meaning) {
  const auto text = explain_metrics({"nexusfix_session_rejects_total"}, ExplainForm::Text);
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, HasSubstr("type     counter\n"));
  EXPECT_THAT(*text, HasSubstr("unit     messages\n"));
  EXPECT_THAT(*text, HasSubstr("labels   session,direction,kind,reason\n"));
  EXPECT_THAT(*text, HasSubstr("SessionRejectReason"));
}

TEST(ExplainMetrics, unknown_name_is_answered_with_the_nearest_one) {
  const auto text = explain_metrics({"nexusfix_session_gap_total"}, ExplainForm::Text);
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error(),
            "there is no metric \"nexusfix_session_gap_total\". Did you mean "
            "nexusfix_session_gaps_total?");
}

TEST(ExplainMetrics, list_has_each_metric_once) {
  const auto text = explain_metrics({}, ExplainForm::Text);
  ASSERT_TRUE(text.has_value());
  std::set<std::string_view> names;
  for (const auto& metric : metrics::described_metrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_THAT(*text, HasSubstr(std::string{metric.name} + " "));
  }
}

TEST(ExplainMetrics, json_is_one_object_a_line) {
  const auto text = explain_metrics({"nexusfix_ready"}, ExplainForm::Json);
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, StartsWith(R"({"name":"nexusfix_ready","type":"gauge",)"));
}

}  // namespace
}  // namespace nexusfix::command
