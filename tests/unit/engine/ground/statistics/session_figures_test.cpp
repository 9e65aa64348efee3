// Sessions come and go while another thread reads their figures.
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>

#include "control/api/counters.hpp"

namespace nexusfix::engine {
namespace {

TEST(SessionFigures, reader_keeps_what_it_reads_while_sessions_are_removed) {
  SessionFigures session_figures;
  std::atomic<bool> ends{false};
  std::atomic<std::uint64_t> seen{0};
  std::thread reader{[&] {
    while (!ends) {
      for (const auto& counters : session_figures.copy()) {
        const SessionStatistics session = counters->read();
        EXPECT_EQ(session.name.substr(0, 7), "SESSION");
        EXPECT_EQ(session.in.bytes % 100, 0U);
        EXPECT_LE(session.receive_to_sent.count(), 200U);
        if (session.out.messages != 0) ++seen;
      }
    }
  }};
  constexpr int kTrades = 200;
  for (int i = 0; i < 400 || seen == 0; ++i) {
    const auto counters =
        std::make_shared<SessionCounters>("SESSION" + std::to_string(i), 0, /*initiator=*/true);
    session_figures.add(counters);
    counters->details.make();
    for (int trade = 0; trade < kTrades; ++trade) {
      counters->on_received(pack("D"), 100, WallTime{std::chrono::seconds{1}});
      counters->details.get()->receive_to_sent.made()->record(std::chrono::microseconds{trade});
      counters->on_sent(pack("8"), 200, WallTime{std::chrono::seconds{1}});
    }
    counters->test_request_round_trip.make();
    session_figures.remove(*counters);
  }
  ends = true;
  reader.join();
  EXPECT_TRUE(session_figures.copy().empty());
}

TEST(SessionFigures, sessions_are_in_the_order_of_their_creation) {
  SessionFigures session_figures;
  const auto second = std::make_shared<SessionCounters>("B", 0, false);
  session_figures.add(std::make_shared<SessionCounters>("A", 0, false));
  session_figures.add(second);
  session_figures.add(std::make_shared<SessionCounters>("C", 0, false));
  session_figures.remove(*second);
  ASSERT_EQ(session_figures.copy().size(), 2U);
  EXPECT_EQ(session_figures.copy()[0]->name, "A");
  EXPECT_EQ(session_figures.copy()[1]->name, "C");
}

// What docs/guide/statistics.md says about memory.
TEST(SessionCounters, take_a_few_hundred_bytes_before_the_first_connection) {
  EXPECT_LE(sizeof(SessionCounters), 384U);
  EXPECT_LE(sizeof(SessionDetails), 640U);
  EXPECT_LE(sizeof(SessionLatency), 1024U);
  EXPECT_LE(sizeof(RejectCounters), 384U);
}

}  // namespace
}  // namespace nexusfix::engine
