// Reporter without an EventLoop.
#include "engine/ground/report/reporter.hpp"

#include <chrono>
#include <gtest/gtest.h>

#include "support/manual_clock.hpp"
#include "support/recording_log.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;

class ReporterComponent : public ::testing::Test {
 protected:
  testing::RecordingLog log_;
  testing::ManualClock clock_;
  LoopClock time_{clock_};
  Reporter report_{log_, false, nullptr, 0, time_};
};

TEST_F(ReporterComponent, connections_without_room_are_one_line_a_second) {
  report_.count(NoRoom::Port, 2, "10.0.0.1");
  report_.count(NoRoom::Port, 3, "10.0.0.2");
  report_.report_counted();
  ASSERT_EQ(log_.lines.size(), 1U);
  EXPECT_TRUE(log_.has("5 ")) << log_.all();
  EXPECT_TRUE(log_.has("10.0.0.2")) << log_.all();
  report_.count(NoRoom::Port, 1);
  report_.report_counted();
  EXPECT_EQ(log_.lines.size(), 1U) << log_.all();
  clock_.advance(1s);
  time_.update();
  report_.report_counted();
  EXPECT_EQ(log_.lines.size(), 2U) << log_.all();
}

TEST_F(ReporterComponent, events_without_memory_are_reported_when_there_is_memory_again) {
  report_.memory_failed();
  report_.memory_failed();
  report_.report_memory();
  ASSERT_EQ(log_.lines.size(), 1U);
  EXPECT_TRUE(log_.has("2")) << log_.all();
  report_.report_memory();
  EXPECT_EQ(log_.lines.size(), 1U) << log_.all();
}

}  // namespace
}  // namespace nexusfix::engine
