// Whole engines that keep a schedule over days, weeks and changes of clocks, in virtual time.
#include <algorithm>
#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/simulator.hpp>
#include <nexusfix/store.hpp>
#include <nexusfix/wire/encoder.hpp>

#include "base/api/utc_text.hpp"
#include "support/sanitized.hpp"

namespace nexusfix::simulator {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

constexpr std::chrono::seconds kHeartBtInt{120};

WallTime utc(int year, unsigned month, unsigned day, std::chrono::seconds time = {}) {
  return std::chrono::sys_days{std::chrono::year{year} / std::chrono::month{month} /
                               std::chrono::day{day}} +
         time;
}

std::string to_text(WallTime time) {
  return utc_text(std::chrono::floor<std::chrono::seconds>(time), UtcForm::Plain);
}

// "2026-03-08 21:00:00.005"
std::string precise(WallTime time) {
  std::string text;
  append_utc(text, time, UtcForm::Plain, 3);
  return text;
}

// The events of one side. It outlives the side's process.
struct Diary {
  Texts logons;
  Texts logouts;
  Texts resets;
  Texts sent;
  Texts received;
  std::uint64_t epoch = 0;
  WallTime heard{};
  std::chrono::nanoseconds longest_silence{};
  unsigned test_requests = 0;

  void hears(WallTime now) {
    longest_silence = std::max(longest_silence, now - heard);
    heard = now;
  }
};

struct Member {
  Diary& diary;

  void on_logon(engine::Session& session) {
    diary.logons.push_back(to_text(session.now()));
    diary.heard = session.now();
  }
  void on_logout(engine::Session& session) { diary.logouts.push_back(to_text(session.now())); }
  void on_message(engine::Session& session, const wire::MessageView& message) {
    diary.hears(session.now());
    diary.received.emplace_back(message[148].value_or("?"));
  }
  void on_admin(engine::Session& session, const wire::MessageView& message) {
    if (message.msg_type() == "0") diary.hears(session.now());
    if (message.msg_type() == "1") ++diary.test_requests;
  }
};

std::string configuration(bool is_trader, std::string_view schedule) {
  std::string text = "[DEFAULT]\nFileStorePath=/journal\nUseDataDictionary=N\n";
  text += is_trader ? "ConnectionType=initiator\nSocketConnectHost=venue\nSocketConnectPort=5001\n"
                      "ReconnectInterval=1\nHeartBtInt=" +
                          std::to_string(kHeartBtInt.count()) + "\n"
                    : "ConnectionType=acceptor\nSocketAcceptPort=5001\n";
  text += schedule;
  text += is_trader ? "\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n"
                    : "\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n";
  return text;
}

// Both sides keep the same schedule, and send something every few minutes, open or not.
class ScheduledPair {
 public:
  ScheduledPair(WallTime begin, std::string_view schedule, FaultSet faults = {},
                std::uint64_t seed = 1)
      : world{{.seed = seed, .faults = faults, .begin = begin, .trace_lines = 100}}, begin_{begin} {
    venue = world.add_process<Member>("venue", configuration(false, schedule), std::ref(at_venue));
    trader =
        world.add_process<Member>("trader", configuration(true, schedule), std::ref(at_trader));
    every_minute(0);
  }

  void run_until(WallTime end) { world.run(end - (begin_ + world.now())); }
  void at(WallTime time, std::function<void()> action) {
    world.after(time - (begin_ + world.now()), std::move(action));
  }
  // Both sides send repeatedly while a session ends or begins.
  void send_around(WallTime time) {
    for (auto moment = time - 50ms; moment < time + 50ms; moment += 1ms) {
      at(moment, [this] { both_send(); });
    }
  }

  void expect_resets(const Texts& times) {
    EXPECT_EQ(at_venue.resets, times);
    EXPECT_EQ(at_trader.resets, times);
  }
  void expect_logons(const Texts& times) {
    EXPECT_EQ(at_venue.logons, times);
    EXPECT_EQ(at_trader.logons, times);
  }
  void expect_logouts(const Texts& times) {
    EXPECT_EQ(at_venue.logouts, times);
    EXPECT_EQ(at_trader.logouts, times);
  }
  // While they are logged on, each receives something every HeartBtInt, and no TestRequest is
  // needed.
  void expect_heartbeats() {
    for (const Diary* diary : {&at_venue, &at_trader}) {
      EXPECT_GE(diary->longest_silence, kHeartBtInt);
      EXPECT_LT(diary->longest_silence, kHeartBtInt + 1s);
      EXPECT_EQ(diary->test_requests, 0U);
    }
  }
  // Everything is delivered, once, in its order.
  void expect_nothing_is_lost() {
    EXPECT_FALSE(world.violation()) << world.violation()->what << '\n' << world.trace();
    EXPECT_GT(at_trader.sent.size(), 20U);
    expect_same(at_venue.received, at_trader.sent);
    expect_same(at_trader.received, at_venue.sent);
  }

  static void expect_same(const Texts& received, const Texts& sent) {
    const auto [one, other] = std::ranges::mismatch(received, sent);
    EXPECT_TRUE(one == received.end() && other == sent.end())
        << "received: " << (one == received.end() ? "nothing" : *one)
        << ", sent: " << (other == sent.end() ? "nothing" : *other);
  }

  Diary at_venue;
  Diary at_trader;
  World world;
  ProcessId venue = 0;
  ProcessId trader = 0;

 private:
  void every_minute(unsigned minute) {
    record_reset(venue, at_venue);
    record_reset(trader, at_trader);
    if (minute % 7 == 3) both_send();
    world.after(1min, [this, minute] { every_minute(minute + 1); });
  }
  void record_reset(ProcessId process, Diary& diary) {
    engine::Engine* const engine = world.engine(process);
    if (engine == nullptr) return;
    const store::SessionRecord& record = engine->store().session(0);
    if (diary.epoch != 0 && record.epoch > diary.epoch) {
      EXPECT_EQ(record.epoch, diary.epoch + 1);
      diary.resets.push_back(to_text(record.created));
    }
    diary.epoch = record.epoch;
  }
  void both_send() {
    send(venue, at_venue);
    send(trader, at_trader);
  }
  void send(ProcessId process, Diary& diary) {
    engine::Engine* const engine = world.engine(process);
    if (engine == nullptr) return;
    engine::Session& session = engine->session(0);
    const std::string text = std::to_string(diary.sent.size()) + " of " + precise(session.now());
    wire::Encoder encoder = session.begin("B");
    encoder.field(148, text);
    const auto sent = session.finish(encoder);
    if (!sent) {
      EXPECT_EQ(sent.error().failure, engine::SendFailure::SessionEnding);
      return;
    }
    diary.sent.push_back(text);
    world.promised(session, *sent);
  }

  WallTime begin_;
};

// A night in which clocks change, within a session from 22:00 to 05:00.
struct Night {
  const char* name;
  const char* zone;
  WallTime noon_before;  // roughly
  const char* opens;
  const char* ends;
};

class NightTest : public ::testing::TestWithParam<Night> {};

TEST_P(NightTest, a_session_continues_while_clocks_change_and_ends_once) {
  const Night& night = GetParam();
  ScheduledPair sides{night.noon_before,
                      "StartTime=22:00:00\nEndTime=05:00:00\nTimeZone=" + std::string{night.zone}};
  sides.run_until(night.noon_before + 23h);
  sides.expect_logons({night.opens});
  sides.expect_logouts({night.ends});
  sides.expect_resets({night.ends});
  sides.expect_heartbeats();
}

INSTANTIATE_TEST_SUITE_P(
    Clocks, NightTest,
    ::testing::Values(Night{"london_forward_a_night_of_6_hours", "Europe/London",
                            utc(2026, 3, 28, 12h), "2026-03-28 22:00:00", "2026-03-29 04:00:00"},
                      Night{"london_back_a_night_of_8_hours", "Europe/London",
                            utc(2026, 10, 24, 12h), "2026-10-24 21:00:00", "2026-10-25 05:00:00"},
                      Night{"new_york_forward", "America/New_York", utc(2026, 3, 7, 16h),
                            "2026-03-08 03:00:00", "2026-03-08 09:00:00"},
                      Night{"new_york_back", "America/New_York", utc(2026, 10, 31, 16h),
                            "2026-11-01 02:00:00", "2026-11-01 10:00:00"},
                      Night{"sydney_back_in_april", "Australia/Sydney", utc(2026, 4, 4, 2h),
                            "2026-04-04 11:00:00", "2026-04-04 19:00:00"},
                      Night{"sydney_forward_in_october", "Australia/Sydney", utc(2026, 10, 3, 2h),
                            "2026-10-03 12:00:00", "2026-10-03 18:00:00"}),
    [](const auto& info) { return std::string{info.param.name}; });

TEST(Schedules, consecutive_days_of_24_hours_follow_a_change_of_clocks) {
  ScheduledPair spring{utc(2026, 3, 7),
                       "StartTime=17:00:00\nEndTime=17:00:00\nTimeZone=America/New_York"};
  const Texts ends{"2026-03-07 22:00:00", "2026-03-08 21:00:00", "2026-03-09 21:00:00"};
  for (const WallTime end : {utc(2026, 3, 7, 22h), utc(2026, 3, 8, 21h), utc(2026, 3, 9, 21h)}) {
    spring.send_around(end);
  }
  spring.run_until(utc(2026, 3, 10));
  spring.expect_logouts(ends);
  spring.expect_resets(ends);
  spring.expect_heartbeats();
  spring.expect_nothing_is_lost();

  ScheduledPair autumn{utc(2026, 10, 31),
                       "StartTime=17:00:00\nEndTime=17:00:00\nTimeZone=America/New_York"};
  autumn.run_until(utc(2026, 11, 3));
  autumn.expect_resets({"2026-10-31 21:00:00", "2026-11-01 22:00:00", "2026-11-02 22:00:00"});
  autumn.expect_heartbeats();
  autumn.expect_nothing_is_lost();
}

TEST(Schedules, an_end_at_a_time_that_occurs_twice_is_the_first_and_no_restart_makes_it_two) {
  ScheduledPair sides{utc(2026, 4, 4, 10h),
                      "StartTime=02:30:00\nEndTime=02:30:00\nTimeZone=Australia/Sydney"};
  // Clocks go back at 16:00 UTC; it is 02:30 at 15:30 and at 16:30.
  sides.at(utc(2026, 4, 4, 15h + 59min), [&] { sides.world.kill(sides.trader); });
  sides.at(utc(2026, 4, 4, 16h + 29min), [&] { sides.world.kill(sides.venue); });
  sides.at(utc(2026, 4, 4, 16h + 31min), [&] { sides.world.kill(sides.trader); });
  sides.run_until(utc(2026, 4, 5, 20h + 30s));
  sides.expect_resets({"2026-04-04 15:30:00", "2026-04-05 16:30:00"});
  sides.expect_nothing_is_lost();
}

TEST(Schedules, a_start_at_a_time_that_clocks_skip_is_the_moment_of_the_change) {
  ScheduledPair sides{utc(2026, 3, 28),
                      "StartTime=01:30:00\nEndTime=12:00:00\nTimeZone=Europe/London"};
  sides.run_until(utc(2026, 3, 30, 12h));
  sides.expect_logons({"2026-03-28 01:30:00", "2026-03-29 01:00:00", "2026-03-30 00:30:00"});
  sides.expect_logouts({"2026-03-28 12:00:00", "2026-03-29 11:00:00", "2026-03-30 11:00:00"});
  sides.expect_resets({"2026-03-28 12:00:00", "2026-03-29 11:00:00", "2026-03-30 11:00:00"});
}

TEST(Schedules, a_leap_year_has_a_session_on_29_february_and_others_have_none) {
  constexpr std::string_view kDay =
      "StartTime=08:00:00\nEndTime=17:00:00\nTimeZone=America/New_York";
  ScheduledPair leap{utc(2028, 2, 28), kDay};
  leap.run_until(utc(2028, 3, 2));
  leap.expect_logons({"2028-02-28 13:00:00", "2028-02-29 13:00:00", "2028-03-01 13:00:00"});
  leap.expect_resets({"2028-02-28 22:00:00", "2028-02-29 22:00:00", "2028-03-01 22:00:00"});
  ScheduledPair common{utc(2027, 2, 27), kDay};
  common.run_until(utc(2027, 3, 2));
  common.expect_logons({"2027-02-27 13:00:00", "2027-02-28 13:00:00", "2027-03-01 13:00:00"});
  common.expect_resets({"2027-02-27 22:00:00", "2027-02-28 22:00:00", "2027-03-01 22:00:00"});
}

TEST(Schedules, a_session_runs_over_the_end_of_a_year_and_a_holiday_has_none) {
  ScheduledPair sides{utc(2026, 12, 30, 20h),
                      "StartTime=22:00:00\nEndTime=05:00:00\nTimeZone=Europe/London\n"
                      "Holidays=2027-01-01"};
  sides.run_until(utc(2027, 1, 3, 20h));
  sides.expect_logons({"2026-12-30 22:00:00", "2026-12-31 22:00:00", "2027-01-02 22:00:00"});
  sides.expect_resets({"2026-12-31 05:00:00", "2027-01-01 05:00:00", "2027-01-03 05:00:00"});
  sides.expect_heartbeats();
}

TEST(Schedules, a_year_ends_at_a_different_moment_in_each_time_zone) {
  ScheduledPair sides{utc(2026, 12, 31),
                      "StartTime=00:00:00\nEndTime=00:00:00\nTimeZone=Australia/Sydney"};
  sides.send_around(utc(2026, 12, 31, 13h));
  sides.run_until(utc(2027, 1, 1, 14h));
  sides.expect_resets({"2026-12-31 13:00:00", "2027-01-01 13:00:00"});
  sides.expect_nothing_is_lost();
}

// The week of currency markets: its weekend is when clocks change in London, and in New York.
TEST(Schedules, a_week_begins_and_ends_by_clocks_that_change_within_it) {
  ScheduledPair sides{utc(2026, 3, 4),
                      "StartDay=Sunday\nStartTime=17:00:00\nEndDay=Friday\nEndTime=17:00:00\n"
                      "TimeZone=America/New_York"};
  sides.at(utc(2026, 3, 10, 3h), [&] { sides.world.kill(sides.trader); });
  for (const WallTime end : {utc(2026, 3, 6, 22h), utc(2026, 3, 13, 21h)}) sides.send_around(end);
  sides.run_until(utc(2026, 3, 16));
  EXPECT_EQ(sides.at_trader.logouts, (Texts{"2026-03-06 22:00:00", "2026-03-13 21:00:00"}));
  EXPECT_EQ(sides.at_trader.logons, (Texts{"2026-03-04 00:00:00", "2026-03-08 21:00:00",
                                           "2026-03-10 03:00:00", "2026-03-15 21:00:00"}));
  sides.expect_resets({"2026-03-06 22:00:00", "2026-03-13 21:00:00"});
  sides.expect_nothing_is_lost();
}

TEST(Schedules, a_week_in_which_clocks_change_keeps_its_numbers_to_its_end) {
  ScheduledPair sides{utc(2026, 10, 23),
                      "StartDay=Saturday\nStartTime=06:00:00\nEndDay=Saturday\nEndTime=06:00:00\n"
                      "TimeZone=Europe/London"};
  sides.run_until(utc(2026, 11, 1, 30s));
  sides.expect_resets({"2026-10-24 05:00:00", "2026-10-31 06:00:00"});
  sides.expect_heartbeats();
  sides.expect_nothing_is_lost();
}

// The sides reset once at an end, whichever process dies around it, and at no other time.
TEST(Schedules, deaths_and_broken_connections_around_an_end_make_no_second_reset) {
  for (std::uint64_t seed = 1; seed <= 8; seed += case_step(4)) {
    ScheduledPair sides{utc(2026, 10, 24, 23h + 50min),
                        "StartTime=01:00:00\nEndTime=01:00:00\nTimeZone=Europe/London",
                        FaultSet{Fault::Kill, Fault::Drop, Fault::Delay}, seed};
    sides.run_until(utc(2026, 10, 25, 1h + 20min));
    EXPECT_TRUE(sides.world.settle(10min)) << seed << ' ' << sides.world.violation()->what;
    // A process that was down resets when it starts.
    for (const Diary* diary : {&sides.at_venue, &sides.at_trader}) {
      EXPECT_THAT(diary->resets,
                  ::testing::ElementsAre(::testing::StartsWith("2026-10-25 00:00:")));
    }
  }
}

}  // namespace
}  // namespace nexusfix::simulator
