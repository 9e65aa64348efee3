// The trader in an engine, with a counterparty that a test controls.
#include "venue/trader/trader.hpp"

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>
#include <string>

#include <nexusfix/engine.hpp>
#include <nexusfix/wire/encoder.hpp>

#include "config/api/settings.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/manual_clock.hpp"
#include "support/recording_log.hpp"

namespace nexusfix::trader {
namespace {

// Accepts orders. Acknowledges them only when the test asks for it.
struct Counterparty {
  bool answers = false;
  std::uint64_t orders = 0;

  void on_message(engine::Session& session, const wire::MessageView& message) {
    ++orders;
    if (!answers) return;
    wire::Encoder report = session.begin("8");
    report.field(37, "O1").field(11, message[11].value_or("")).field(17, "E1");
    report.field(150, '2').field(39, '2').field(55, "AAPL").field(54, '1');
    report.field(151, 0).field(14, 1).field(6, 1);
    ASSERT_TRUE(session.finish(report).has_value());
  }
};

class TraderTest : public ::testing::Test {
 protected:
  template <class Application>
  engine::Engine open(const std::string& role, Application& application) {
    auto settings = config::parse_settings(
        "[DEFAULT]\nStore=memory\nHeartBtInt=30\n" + role + "\n[SESSION]\nBeginString=FIX.4.4\n",
        "test.cfg");
    if (!settings) throw std::runtime_error{settings.error().front().what()};
    engine::EngineOptions options;
    options.clock = &clock_;
    options.log = &log_;
    auto opened = engine::Engine::open(std::move(*settings), application, options);
    if (!opened) throw std::runtime_error{opened.error().what()};
    return std::move(*opened);
  }

  void start(const TraderPlan& plan) {
    venue_.emplace(
        open("ConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
             "SocketAcceptPort=0\nSenderCompID=VENUE\nTargetCompID=TRADER",
             counterparty_));
    trader_.emplace(plan, clock_);
    engine_.emplace(open(
        "ConnectionType=initiator\nSocketConnectHost=127.0.0.1\n"
        "SocketConnectPort=" +
            std::to_string(venue_->accept_port()) + "\nSenderCompID=TRADER\nTargetCompID=VENUE",
        *trader_));
  }

  bool run_until(const std::function<bool()>& condition) {
    for (int turn = 0; turn < 5'000; ++turn) {
      if (condition()) return true;
      venue_->poll(std::chrono::nanoseconds{0});
      engine_->poll(std::chrono::milliseconds{turn < 50 ? 0 : 1});
    }
    return condition();
  }

  testing::ManualClock clock_;
  testing::RecordingLog log_;
  Counterparty counterparty_;
  std::optional<Trader> trader_;
  std::optional<engine::Engine> venue_;
  std::optional<engine::Engine> engine_;
};

TEST_F(TraderTest, one_callback_sends_no_more_than_a_thousand_orders_of_a_wide_window) {
  start({.orders = 10'000, .window = 2500});
  ASSERT_TRUE(run_until([&] { return trader_->counts().sent > 0; })) << log_.all();
  EXPECT_EQ(trader_->counts().sent, 1000U);
  EXPECT_TRUE(trader_->go_on(engine_->session(0)));
  EXPECT_EQ(trader_->counts().sent, 2000U);
  EXPECT_FALSE(trader_->go_on(engine_->session(0)));
  EXPECT_EQ(trader_->counts().sent, 2500U);
  EXPECT_TRUE(run_until([&] { return counterparty_.orders == 2500; })) << log_.all();
}

struct Unwritable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

TEST_F(TraderTest, report_whose_line_cannot_be_written_does_not_count) {
  testing::FakeDisk disk;
  ASSERT_TRUE(disk.make_directories("/trader"));
  auto file = ReportFile::open(disk, "/trader/reports", [](const ReportLine&) {});
  ASSERT_TRUE(file) << file.error().what();
  counterparty_.answers = true;
  start({.orders = 2, .one_at_a_time = 2});
  trader_->record_to(*file, [](const DiskError& error) { throw Unwritable{error.what()}; });
  disk.fail(testing::DiskCall::Write, 1, 28);
  ASSERT_TRUE(run_until([&] { return log_.has("No space left on device"); })) << log_.all();
  EXPECT_EQ(trader_->counts().reports, 0U);
  EXPECT_EQ(trader_->counts().acknowledged, 0U);
  EXPECT_EQ(trader_->counts().finished, 0U);
}

}  // namespace
}  // namespace nexusfix::trader
