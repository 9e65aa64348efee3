// Settings of the engine's threads: CPU pinning, priority, and their keys.
#include "base/api/thread_setup.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <thread>

#include <nexusfix/base/disk.hpp>

#include "config/text/settings_values.hpp"
#include "unit/config/settings_fixture.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The CPUs on which the calling thread may run.
std::vector<unsigned> allowed_cpus() {
  cpu_set_t set;
  EXPECT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  std::vector<unsigned> cpus;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

// No machine has enough CPUs for the last one of a set to be online.
constexpr unsigned kNoCpu = CPU_SETSIZE - 1;

TEST(ThreadSetup, thread_is_pinned_to_its_cpu_and_restored_afterwards) {
  const std::vector<unsigned> before = allowed_cpus();
  {
    const ThreadSetup setup{before.back()};
    EXPECT_EQ(setup.failure(), "");
    EXPECT_THAT(allowed_cpus(), ElementsAre(before.back()));
  }
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(ThreadSetup, missing_cpu_is_named_and_changes_nothing) {
  const std::vector<unsigned> before = allowed_cpus();
  const ThreadSetup setup{kNoCpu};
  EXPECT_THAT(setup.failure(), HasSubstr("EventLoopCpu=1023: Invalid argument"));
  EXPECT_EQ(allowed_cpus(), before);
}

constexpr int kNiceMax = 19;

TEST(ThreadSetup, lower_priority_applies_only_to_its_thread) {
  const int before = ::getpriority(PRIO_PROCESS, 0);
  int inside = 0;
  std::thread{[&] {
    lower_thread_priority();
    inside = ::getpriority(PRIO_PROCESS, 0);
  }}.join();
  EXPECT_EQ(inside, std::min(before + 10, kNiceMax));
  EXPECT_EQ(::getpriority(PRIO_PROCESS, 0), before);
}

TEST(ThreadSetup, all_cpus_are_checked_without_moving_the_calling_thread) {
  const std::vector<unsigned> before = allowed_cpus();
  EXPECT_EQ(find_cpu_conflict(before), std::nullopt);
  EXPECT_THAT(find_cpu_conflict({before.front(), kNoCpu}).value_or(""),
              HasSubstr("EventLoopCpu=1023"));
  EXPECT_EQ(allowed_cpus(), before);
}

// Stops its engine after it has recorded its CPUs.
struct Watcher {
  engine::Engine* engine = nullptr;
  std::vector<unsigned> cpus;

  std::optional<engine::LogonAnswer> on_logon_request(Session&, const engine::LogonRequest&) {
    cpus = allowed_cpus();
    engine->stop();
    return engine::LogonAnswer::refuse("seen");
  }
};

std::string config_with(std::string_view keys) {
  return "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\nSocketAcceptAddress=127.0.0.1\n"
         "Store=memory\n" +
         std::string{keys} +
         "\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n";
}

std::expected<engine::Engine, engine::EngineError> open(Watcher& watcher, std::string_view keys) {
  auto settings = config::parse_settings(config_with(keys), "venue.cfg");
  EXPECT_TRUE(settings.has_value()) << settings.error().front().what();
  return engine::Engine::open(std::move(*settings), watcher);
}

class TraderOnce {
 public:
  explicit TraderOnce(std::uint16_t port, const std::string& name = "TRADER") {
    auto settings = config::parse_settings(
        "[SESSION]\nConnectionType=initiator\nHeartBtInt=30\nStore=memory\n"
        "SocketConnectHost=127.0.0.1\nSocketConnectPort=" +
            std::to_string(port) + "\nBeginString=FIX.4.4\nSenderCompID=" + name +
            "\nTargetCompID=VENUE\n",
        "trader.cfg");
    EXPECT_TRUE(settings.has_value());
    auto opened = engine::Engine::open(std::move(*settings), no_user_);
    EXPECT_TRUE(opened.has_value());
    engine_.emplace(std::move(*opened));
    engine_->start();
  }
  ~TraderOnce() {
    engine_->stop();
    static_cast<void>(engine_->join());
  }

 private:
  struct NoUser {};
  NoUser no_user_;
  std::optional<engine::Engine> engine_;
};

TEST(EventLoopCpu, run_pins_the_calling_thread_and_restores_it) {
  const std::vector<unsigned> before = allowed_cpus();
  Watcher watcher;
  auto engine = open(watcher, "EventLoopCpu=" + std::to_string(before.back()));
  ASSERT_TRUE(engine.has_value()) << engine.error().what();
  watcher.engine = &*engine;
  EXPECT_EQ(allowed_cpus(), before);
  const TraderOnce trader{engine->accept_port()};
  EXPECT_EQ(engine->run(), 0);
  EXPECT_THAT(watcher.cpus, ElementsAre(before.back()));
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(EventLoopCpu, start_pins_the_engines_thread_and_not_the_calling_one) {
  const std::vector<unsigned> before = allowed_cpus();
  Watcher watcher;
  auto engine = open(watcher, "BusySpin=Y\nEventLoopCpu=" + std::to_string(before.front()));
  ASSERT_TRUE(engine.has_value()) << engine.error().what();
  watcher.engine = &*engine;
  engine->start();
  {
    const TraderOnce trader{engine->accept_port()};
    EXPECT_EQ(engine->join(), 0);
  }
  EXPECT_THAT(watcher.cpus, ElementsAre(before.front()));
  EXPECT_EQ(allowed_cpus(), before);
}

// Stops its engine after it has seen both of its sessions. The callbacks come from both loops.
struct TwoWatched {
  engine::Engine* engine = nullptr;
  std::mutex mutex;
  std::map<std::string, std::vector<unsigned>> cpus;

  std::optional<engine::LogonAnswer> on_logon_request(Session& session,
                                                      const engine::LogonRequest&) {
    const std::lock_guard lock{mutex};
    cpus[std::string{session.name()}] = allowed_cpus();
    if (cpus.size() == 2) engine->stop();
    return engine::LogonAnswer::refuse("seen");
  }
};

TEST(EventLoopCpu, each_event_loop_has_the_cpu_at_its_position) {
  const std::vector<unsigned> before = allowed_cpus();
  if (before.size() < 2) GTEST_SKIP() << "one CPU only";
  const unsigned first = before.back();
  const unsigned second = before.front();
  auto settings =
      config::parse_settings(config_with("EventLoops=2\nEventLoopCpu=" + std::to_string(first) +
                                         "," + std::to_string(second)) +
                                 "EventLoop=0\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\n"
                                 "TargetCompID=OTHER\nEventLoop=1\n",
                             "venue.cfg");
  ASSERT_TRUE(settings.has_value()) << settings.error().front().what();
  TwoWatched watcher;
  auto engine = engine::Engine::open(std::move(*settings), watcher);
  ASSERT_TRUE(engine.has_value()) << engine.error().what();
  watcher.engine = &*engine;
  const TraderOnce trader{engine->accept_port()};
  const TraderOnce other{engine->accept_port(), "OTHER"};
  EXPECT_EQ(engine->run(), 0);
  EXPECT_THAT(watcher.cpus["FIX.4.4:VENUE->TRADER"], ElementsAre(first));
  EXPECT_THAT(watcher.cpus["FIX.4.4:VENUE->OTHER"], ElementsAre(second));
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(EventLoopCpu, unavailable_cpu_refuses_the_start_with_its_line) {
  Watcher watcher;
  const auto engine = open(watcher, "EventLoopCpu=1023");
  ASSERT_FALSE(engine.has_value());
  EXPECT_THAT(engine.error().what(), HasSubstr("venue.cfg:6: EventLoopCpu=1023: Invalid argument"));
}

std::string error_of(std::string_view keys) {
  const auto settings = config::parse_settings(config_with(keys), "venue.cfg");
  return settings ? "" : settings.error().front().what();
}

TEST(EventLoopCpu, one_cpu_for_each_event_loop_is_expected) {
  EXPECT_EQ(error_of("EventLoopCpu=1"), "");
  EXPECT_EQ(error_of("EventLoops=2\nEventLoopCpu=1,0"), "");
  EXPECT_THAT(error_of("EventLoops=2\nEventLoopCpu=1"), HasSubstr(":7: EventLoopCpu=1: 2 CPUs"));
  EXPECT_THAT(error_of("EventLoopCpu=1,2"), HasSubstr("1 CPU was expected"));
  EXPECT_EQ(config::read_cpus("3, 1"), (std::vector<unsigned>{3, 1}));
  EXPECT_EQ(config::read_cpus("1023"), std::vector<unsigned>{1'023});
  for (const std::string_view wrong : {"", "1024", "-1", "1,1", "1-2", "x"}) {
    EXPECT_FALSE(config::read_cpus(wrong)) << wrong;
  }
}

TEST(ThreadSettings, sessions_with_different_thread_settings_are_an_error) {
  const std::string second =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=OTHER\nBusySpin=N\n";
  const auto settings = config::parse_settings(config_with("BusySpin=Y") + second, "venue.cfg");
  ASSERT_FALSE(settings.has_value());
  EXPECT_THAT(settings.error().front().what(),
              HasSubstr("venue.cfg:15: BusySpin: differs from line 6"));
}

TEST(ThreadSettings, keys_are_read_and_defaults_are_off) {
  const auto given =
      config::parse_settings(config_with("BusySpin=Y\nLockMemory=Y\nEventLoopCpu=4"), "venue.cfg");
  ASSERT_TRUE(given.has_value());
  EXPECT_TRUE(given->threads.busy_spin);
  EXPECT_TRUE(given->threads.lock_memory);
  EXPECT_THAT(given->threads.cpus, ElementsAre(4U));
  const auto without = config::parse_settings(config_with(""), "venue.cfg");
  ASSERT_TRUE(without.has_value());
  EXPECT_FALSE(without->threads.busy_spin || without->threads.lock_memory);
  EXPECT_TRUE(without->threads.cpus.empty());
}

}  // namespace
}  // namespace nexusfix::testing
