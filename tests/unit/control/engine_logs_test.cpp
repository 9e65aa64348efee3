// Where the events go that come before the logs are open, without an engine.
#include "control/api/engine_logs.hpp"

#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "support/disks/fake_disk.hpp"

namespace nexusfix::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kSessions =
    "[DEFAULT]\nConnectionType=acceptor\nBeginString=FIX.4.4\nSenderCompID=VENUE\n"
    "SocketAcceptPort=1\nStore=memory\n[SESSION]\nTargetCompID=A\n[SESSION]\nTargetCompID=B\n";

class Lines final : public observe::EventLog {
 public:
  void write(const observe::Event& event) override {
    all.push_back(std::string{event.session} + ": " + std::string{event.text});
  }
  std::vector<std::string> all;
};

class EngineLogsTest : public ::testing::Test {
 protected:
  EngineLogsTest() {
    settings.values().sessions[0].log.has_standard_error = true;
    settings.values().sessions[1].log.has_standard_error = false;
  }
  static void log_both(engine::EngineLogs& logs) {
    logs.event(EventId::LoggedOn, "FIX.4.4:VENUE->A", "early", {});
    logs.event(EventId::LoggedOn, "FIX.4.4:VENUE->B", "early", {});
  }
  [[nodiscard]] bool open(engine::EngineLogs& logs) {
    return logs.open(disk, settings.values(), wire::DataFieldTable::standard(), {}, 0, {})
        .has_value();
  }

  Settings settings = *parse_settings(kSessions, "venue.cfg");
  FakeDisk disk;
  Lines lines;
};

TEST_F(EngineLogsTest, standard_error_gets_early_events_of_the_sessions_that_show_theirs) {
  engine::EngineLogs logs{lines, /*is_standard_error=*/true, nullptr, 0};
  log_both(logs);
  EXPECT_THAT(lines.all, IsEmpty());
  ASSERT_TRUE(open(logs));
  EXPECT_THAT(lines.all, ElementsAre("FIX.4.4:VENUE->A: early"));
  logs.event(EventId::LoggedOn, "FIX.4.4:VENUE->B", "late", {});
  EXPECT_EQ(lines.all.size(), 1U);
}

TEST_F(EngineLogsTest, start_that_fails_shows_all_early_events_on_standard_error) {
  {
    engine::EngineLogs logs{lines, /*is_standard_error=*/true, nullptr, 0};
    log_both(logs);
  }
  EXPECT_THAT(lines.all, ElementsAre("FIX.4.4:VENUE->A: early", "FIX.4.4:VENUE->B: early"));
}

TEST_F(EngineLogsTest, log_of_the_program_gets_every_event_at_once) {
  engine::EngineLogs logs{lines, /*is_standard_error=*/false, nullptr, 0};
  log_both(logs);
  EXPECT_EQ(lines.all.size(), 2U);
  ASSERT_TRUE(open(logs));
  EXPECT_EQ(lines.all.size(), 2U);
}

}  // namespace
}  // namespace nexusfix::testing
