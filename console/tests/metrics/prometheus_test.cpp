// The text for Prometheus.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/metrics.hpp>

namespace nexusfix::metrics {
namespace {

using engine::EngineStatistics;
using engine::LatencyHistogram;
using engine::SessionState;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr WallTime kScrapedAt{seconds{1'800'000'000}};

EngineStatistics trading() {
  EngineStatistics engine{.started = kScrapedAt - seconds{60},
                          .taken_at = kScrapedAt,
                          .loops = {{.index = 0, .turned_at = kScrapedAt, .is_running = true}},
                          .sessions = {{.name = "FIX.4.4:VENUE->TRADER",
                                        .state = SessionState::LoggedOn,
                                        .next = {.next_inbound = 4, .next_outbound = 7}}}};
  auto& session = engine.sessions.front();
  session.in.messages = 3;
  session.in.last_at = kScrapedAt - milliseconds{1500};
  session.in.by_type = {{"A", 1}, {"D", 2}};
  session.out.rejects = {{.is_business = false, .reason = 5, .count = 2},
                         {.is_business = true, .reason = std::nullopt, .count = 1}};
  session.unsent_bytes = 100;
  session.unsent_since = kScrapedAt - seconds{2};
  engine.loops[0].receive_to_sent = LatencyHistogram{
      {{nanoseconds{480}, nanoseconds{512}, 3}, {nanoseconds{1024}, nanoseconds{1088}, 1}}};
  return engine;
}

TEST(Prometheus, each_metric_has_its_help_and_type_before_its_samples) {
  EXPECT_THAT(to_prometheus(trading()),
              HasSubstr("# HELP nexusfix_session_gaps_total Times that received MsgSeqNums were "
                        "missing.\n"
                        "# TYPE nexusfix_session_gaps_total counter\n"
                        "nexusfix_session_gaps_total{session=\"FIX.4.4:VENUE->TRADER\"} 0\n"));
}

TEST(Prometheus, samples_have_their_labels_and_values) {
  const std::string text = to_prometheus(trading());
  for (const std::string sample :
       {"nexusfix_start_time_seconds 1799999940\n", "nexusfix_ready 1\n",
        "nexusfix_session_logged_on{session=\"FIX.4.4:VENUE->TRADER\"} 1\n",
        "nexusfix_session_state{session=\"FIX.4.4:VENUE->TRADER\",role=\"acceptor\",loop=\"0\","
        "state=\"logged on\"} 1\n",
        "nexusfix_session_next_msg_seq_num{session=\"FIX.4.4:VENUE->TRADER\",direction=\"out\"} "
        "7\n",
        "{session=\"FIX.4.4:VENUE->TRADER\",direction=\"in\",msg_type=\"D\"} 2\n",
        "direction=\"out\",kind=\"session\",reason=\"5\"} 2\n",
        "direction=\"out\",kind=\"business\",reason=\"none\"} 1\n",
        "nexusfix_session_last_message_timestamp_seconds{session=\"FIX.4.4:VENUE->TRADER\","
        "direction=\"in\"} 1799999998.5\n",
        "nexusfix_session_unsent_seconds{session=\"FIX.4.4:VENUE->TRADER\"} 2\n",
        "nexusfix_store_health{loop=\"0\",health=\"ok\"} 1\n"}) {
    EXPECT_THAT(text, HasSubstr(sample));
  }
}

TEST(Prometheus, value_that_does_not_exist_is_absent) {
  EXPECT_THAT(to_prometheus(trading()),
              Not(HasSubstr("nexusfix_session_last_message_timestamp_seconds{session="
                            "\"FIX.4.4:VENUE->TRADER\",direction=\"out\"}")));
}

TEST(Prometheus, buckets_of_a_histogram_are_cumulative_and_end_at_powers_of_two) {
  const std::string text = to_prometheus(trading());
  const std::string name = "nexusfix_loop_receive_to_sent_seconds";
  for (const std::string sample :
       {"_bucket{loop=\"0\",le=\"0.000000256\"} 0\n", "_bucket{loop=\"0\",le=\"0.000000512\"} 3\n",
        "_bucket{loop=\"0\",le=\"0.000001024\"} 3\n", "_bucket{loop=\"0\",le=\"0.000002048\"} 4\n",
        "_bucket{loop=\"0\",le=\"34.359738368\"} 4\n", "_bucket{loop=\"0\",le=\"+Inf\"} 4\n",
        "_sum{loop=\"0\"} 0.000002544\n", "_count{loop=\"0\"} 4\n"}) {
    EXPECT_THAT(text, HasSubstr(name + sample));
  }
}

// A CompID is chosen by people, and an unknown MsgType by a counterparty.
TEST(Prometheus, hostile_labels_are_escaped) {
  EngineStatistics engine = trading();
  engine.sessions[0].name = "a\"b\\c\nd\xff\x1b";
  EXPECT_THAT(to_prometheus(engine),
              HasSubstr("nexusfix_session_logged_on{session=\"a\\\"b\\\\c\\nd??\"} 1\n"));
}

TEST(Prometheus, with_many_sessions_each_has_only_its_essential_metrics) {
  EngineStatistics engine = trading();
  engine.sessions.resize(3, engine.sessions[0]);
  const std::string text = to_prometheus(engine, {.detailed_sessions_max = 2});
  EXPECT_THAT(text, HasSubstr("nexusfix_session_logged_on{"));
  EXPECT_THAT(text, HasSubstr("nexusfix_session_messages_total{"));
  EXPECT_THAT(text, Not(HasSubstr("nexusfix_session_gaps_total{")));
  EXPECT_THAT(text, Not(HasSubstr("nexusfix_session_messages_by_type_total{")));
}

}  // namespace
}  // namespace nexusfix::metrics
