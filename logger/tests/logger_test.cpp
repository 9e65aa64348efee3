#include <atomic>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/deferred/logger.hpp>

#include "unit/deferred/thread_state.hpp"

namespace nexusfix::deferred {
namespace {

using test::wait_until;
constexpr WallTime kTime{std::chrono::sys_days{std::chrono::year{2024} / 1 / 15} +
                         std::chrono::hours{10} + std::chrono::nanoseconds{123}};
const std::string kStamp = "2024-01-15T10:00:00.000000123Z ";

enum class Side : char { Buy = '1' };
enum class State : std::uint8_t { Open = 7 };

// The text of a logger for the records of `write`.
template <class Write>
[[nodiscard]] std::string lines_of(Write&& write) {
  std::string text;
  Logger logger;
  EXPECT_TRUE(logger.start([&](std::string_view lines) { text += lines; }));
  write(logger);
  logger.stop();
  EXPECT_EQ(logger.stats().lost, 0U);
  EXPECT_EQ(logger.stats().failed, 0U);
  return text;
}

TEST(Logger, a_record_is_a_line_with_its_time) {
  EXPECT_EQ(lines_of([](Logger& logger) {
              logger.write<"started">(kTime);
              logger.write<"order {} filled at {}, {{{:.1f} us}}">(kTime, 17, "150.25", 2.25);
            }),
            kStamp + "started\n" + kStamp + "order 17 filled at 150.25, {2.2 us}\n");
}

TEST(Logger, every_type_of_argument_is_written) {
  const std::string text = "text";
  const int* const pointer = reinterpret_cast<const int*>(std::uintptr_t{0x1234});
  EXPECT_EQ(lines_of([&](Logger& logger) {
              logger.write<"{} {} {} {}">(kTime, std::numeric_limits<std::int64_t>::min(),
                                          std::numeric_limits<std::uint64_t>::max(), -1,
                                          std::uint8_t{200});
              logger.write<"{} {} {} {}">(kTime, true, 'c', 0.5F, -1e300);
              logger.write<"{} {} {}">(kTime, text, std::string_view{}, "literal");
              logger.write<"{} {} {}">(kTime, Side::Buy, State::Open, pointer);
              logger.write<"{} {}">(kTime, Decimal{15025, 2}, static_cast<const char*>(nullptr));
              logger.write<"{:05} {:#x} {:>6} {:.2}|">(kTime, -42, 255U, "ab", "abc");
            }),
            kStamp + "-9223372036854775808 18446744073709551615 -1 200\n" + kStamp +
                "true c 0.5 -1e+300\n" + kStamp + "text  literal\n" + kStamp + "1 7 0x1234\n" +
                kStamp + "150.25 (null)\n" + kStamp + "-0042 0xff     ab ab|\n");
}

TEST(Logger, texts_are_copied_when_written) {
  std::string text = "before";
  EXPECT_EQ(lines_of([&](Logger& logger) {
              logger.write<"{}">(kTime, text);
              text = "after_";
            }),
            kStamp + "before\n");
}

TEST(Logger, a_text_from_outside_cannot_forge_a_line) {
  EXPECT_EQ(lines_of([](Logger& logger) {
              logger.write<"text '{}' {}">(kTime, "x\n2024-01-15T10:00:00Z forged {}", '\n');
            }),
            kStamp + "text 'x\\x0a2024-01-15T10:00:00Z forged {}' \\x0a\n");
}

TEST(Logger, times_before_the_epoch_are_written_correctly) {
  EXPECT_EQ(
      lines_of([](Logger& logger) { logger.write<"x">(WallTime{std::chrono::nanoseconds{-1}}); }),
      "1969-12-31T23:59:59.999999999Z x\n");
}

TEST(Logger, records_without_room_are_counted_and_reported_in_their_place) {
  std::atomic<bool> open{false};
  std::atomic<bool> entered{false};
  std::string text;
  Logger logger{{.capacity_bytes = 256}};
  ASSERT_TRUE(logger.start([&](std::string_view lines) {
    entered = true;
    wait_until([&] { return open.load(); });
    text += lines;
  }));
  ASSERT_TRUE(logger.write<"first">(kTime));
  wait_until([&] { return entered.load(); });
  int written = 0;
  while (logger.write<"{}">(kTime, written)) ++written;
  EXPECT_FALSE(logger.write<"{}">(kTime, 99));
  EXPECT_EQ(logger.stats().lost, 2U);
  open = true;
  wait_until([&] { return logger.stats().written == static_cast<std::uint64_t>(written) + 1; });
  // Only now can there be room: it is released before the sink is called.
  wait_until([&] { return logger.write<"last">(kTime); });
  logger.stop();
  std::string expected = kStamp + "first\n";
  for (int i = 0; i < written; ++i) expected += kStamp + std::to_string(i) + "\n";
  EXPECT_EQ(text, expected + kStamp + "2 records lost\n" + kStamp + "last\n");
}

TEST(Logger, the_last_losses_are_reported_at_stop) {
  std::string text;
  Logger logger{{.capacity_bytes = 256}};
  EXPECT_FALSE(logger.write<"not running">(kTime));
  ASSERT_TRUE(logger.start([&](std::string_view lines) { text += lines; }));
  logger.stop();
  EXPECT_EQ(text, kStamp + "1 record lost\n");
  ASSERT_TRUE(logger.start([&](std::string_view lines) { text += lines; }));
  EXPECT_FALSE(logger.write<"{}">(kTime, std::string(300, 'x')));  // never fits
  ASSERT_TRUE(logger.write<"fits">(kTime));
  logger.stop();
  EXPECT_EQ(text, kStamp + "1 record lost\n" + kStamp + "1 record lost\n" + kStamp + "fits\n");
  EXPECT_EQ(logger.stats().lost, 2U);
  EXPECT_EQ(logger.stats().written, 1U);
}

TEST(Logger, a_sink_that_throws_is_counted_and_called_again) {
  int calls = 0;
  Logger logger;
  ASSERT_TRUE(logger.start([&](std::string_view) {
    if (++calls == 1) throw std::runtime_error{"no disk"};
  }));
  ASSERT_TRUE(logger.write<"one">(kTime));
  wait_until([&] { return logger.stats().failed == 1; });
  ASSERT_TRUE(logger.write<"two">(kTime));
  logger.stop();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(logger.stats().failed, 1U);
}

TEST(Logger, lines_stay_whole_and_in_order_under_load) {
  std::uint64_t next = 0;
  bool in_order = true;
  Logger logger{{.capacity_bytes = 4096, .idle = Idle::Yield}};
  ASSERT_TRUE(logger.start([&](std::string_view lines) {
    while (!lines.empty()) {
      const std::string_view line = lines.substr(0, lines.find('\n'));
      lines.remove_prefix(line.size() + 1);
      if (!line.ends_with("lost")) {
        in_order = in_order && line == kStamp + "record " + std::to_string(next) + " of many";
        ++next;
      }
    }
  }));
  for (std::uint64_t i = 0; i < 50'000;) i += logger.write<"record {} of {}">(kTime, i, "many");
  logger.stop();
  EXPECT_TRUE(in_order);
  EXPECT_EQ(next, 50'000U);
}

TEST(Logger, a_full_log_writes_every_line_that_it_took_and_the_number_of_the_others) {
  std::atomic<bool> open{false};
  std::string text;
  Logger logger{{.capacity_bytes = 1024}};
  ASSERT_TRUE(logger.start([&](std::string_view lines) {
    wait_until([&] { return open.load(); });
    text += lines;
  }));
  std::vector<std::uint64_t> taken;
  std::uint64_t lost = 0;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    if (logger.write<"record {}">(WallTime{}, i)) {
      taken.push_back(i);
    } else {
      ++lost;
    }
    if (i == 2000) {
      open = true;
      wait_until([&] { return logger.write<"room">(WallTime{}); });
    }
  }
  EXPECT_GT(lost, 1000U);
  logger.stop();
  std::size_t at = 0;
  for (const std::uint64_t number : taken) {
    const std::size_t found = text.find("record " + std::to_string(number) + "\n", at);
    ASSERT_NE(found, std::string::npos) << number;
    at = found;
  }
  EXPECT_GE(logger.stats().lost, lost);
  // Each loss is reported once, in its place.
  std::uint64_t reported = 0;
  for (std::size_t end = text.find(" lost\n"); end != std::string::npos;
       end = text.find(" lost\n", end + 1)) {
    const std::size_t words = text.rfind(" record", end);
    const std::size_t digits = text.find_last_not_of("0123456789", words - 1) + 1;
    reported += std::stoull(text.substr(digits, words - digits));
  }
  EXPECT_EQ(reported, logger.stats().lost);
}

}  // namespace
}  // namespace nexusfix::deferred
