// What the suites performance and soak are made of: docs/guide/test.md.
#include <gtest/gtest.h>
#include <unistd.h>

#include "support/fix_text.hpp"
#include "tester/load/measured.hpp"
#include "tester/load/message_template.hpp"
#include "tester/load/process_memory.hpp"
#include "tester/play/received_message.hpp"

namespace nexusfix::tester {
namespace {

using std::chrono::nanoseconds;

TEST(Times, percentiles_are_by_nearest_rank) {
  Times times;
  EXPECT_EQ(times.percentile(0.5), nanoseconds{0});
  for (int i = 100; i >= 1; --i) times.add(nanoseconds{i});
  EXPECT_EQ(times.percentile(0.0), nanoseconds{1});
  EXPECT_EQ(times.percentile(0.5), nanoseconds{50});
  EXPECT_EQ(times.percentile(0.99), nanoseconds{99});
  EXPECT_EQ(times.percentile(0.999), nanoseconds{100});
  EXPECT_EQ(times.percentile(1.0), nanoseconds{100});
  std::vector<Measurement> measurements;
  times.append_to(measurements);
  ASSERT_EQ(measurements.size(), 5U);
  EXPECT_EQ(measurements[0].name, "p50");
  EXPECT_DOUBLE_EQ(measurements[0].value, 0.05);
}

TEST(Times, a_time_is_shown_in_its_unit) {
  EXPECT_EQ(duration_text(nanoseconds{820}), "820 ns");
  EXPECT_EQ(duration_text(nanoseconds{41'250}), "41.2 us");
  EXPECT_EQ(duration_text(nanoseconds{3'510'000}), "3.51 ms");
  EXPECT_EQ(duration_text(nanoseconds{2'130'000'000}), "2.13 s");
}

class MessageTemplateTest : public ::testing::Test {
 protected:
  MessageTemplate order(std::string_view text) {
    auto made = MessageTemplate::make(text, "11", "R", {"TESTER", "ENGINE", 0}, meaning_);
    EXPECT_TRUE(made) << made.error();
    return std::move(*made);
  }

  Meaning meaning_{.version = 4, .now = {}, .lets = {}, .values = {}, .random = nullptr};
  const Standing standing_{.begin_string = "FIX.4.4",
                           .sender_comp_id = "TESTER",
                           .target_comp_id = "ENGINE",
                           .msg_seq_num = 12};
};

TEST_F(MessageTemplateTest, each_message_is_whole_and_has_its_number_and_its_count) {
  MessageTemplate message = order("35=D|55=X|11=A|54=1");
  const std::string first{message.bytes({.msg_seq_num = 12, .count = 7, .now = {}})};
  EXPECT_EQ(breach_of(first, standing_), std::nullopt);
  EXPECT_EQ(with_bars(first),
            "8=FIX.4.4|9=73|35=D|34=12|49=TESTER|52=19700101-00:00:00.000|56=ENGINE|55=X|11=R-7|"
            "54=1|10=" +
                first.substr(first.size() - 4, 3) + "|");
  const std::string other{message.bytes({.msg_seq_num = 12, .count = 1'000'000, .now = {}})};
  EXPECT_EQ(breach_of(other, standing_), std::nullopt);
  EXPECT_EQ(value_of(fields_of(other), "11"), "R-1000000");
}

TEST_F(MessageTemplateTest, a_message_that_is_sent_again_is_a_possible_duplicate) {
  MessageTemplate message = order("35=D|11=A");
  const WallTime later{std::chrono::seconds{5}};
  const std::string bytes{
      message.bytes({.msg_seq_num = 3, .count = 7, .now = later, .orig_sending_time = WallTime{}})};
  EXPECT_EQ(breach_of(bytes, standing_), std::nullopt);
  const auto fields = fields_of(bytes);
  EXPECT_EQ(value_of(fields, "43"), "Y");
  EXPECT_EQ(value_of(fields, "52"), "19700101-00:00:05.000");
  EXPECT_EQ(value_of(fields, "122"), "19700101-00:00:00.000");
}

TEST_F(MessageTemplateTest, a_count_is_read_from_an_answer_of_this_run_alone) {
  const MessageTemplate message = order("35=D|11=A");
  EXPECT_EQ(message.count_in("R-17"), 17U);
  for (const std::string_view other : {"17", "Q-17", "R-", "R-1x", "R--1", ""}) {
    EXPECT_EQ(message.count_in(other), std::nullopt) << other;
  }
}

TEST_F(MessageTemplateTest, a_line_without_the_field_that_counts_is_refused) {
  const auto made = MessageTemplate::make("35=D|55=X", "11", "R", {"A", "B", 0}, meaning_);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error(), "the field 11 is missing");
}

TEST(ProcessMemory, growth_beyond_the_limit_is_an_error) {
  PosixDisk disk;
  const auto own = static_cast<std::uint64_t>(::getpid());
  ASSERT_GT(resident_mebibytes(own, disk).value_or(0), 0.0);
  std::vector<Measurement> measurements;
  ProcessMemory memory{own, disk};
  memory.sample(0.1);
  constexpr std::size_t kBytes = 64U << 20U;
  const std::string held(kBytes, 'x');
  memory.sample(0.9);
  EXPECT_EQ(memory.growth(1000, measurements), std::nullopt);
  EXPECT_EQ(measurements.size(), 2U);
  EXPECT_NE(memory.growth(16, measurements).value_or("").find("--max-growth is 16 MiB"),
            std::string::npos);
  EXPECT_EQ(held.back(), 'x');
}

TEST(ProcessMemory, a_process_that_does_not_run_is_an_error) {
  PosixDisk disk;
  EXPECT_EQ(resident_mebibytes(0, disk), std::nullopt);
  std::vector<Measurement> measurements;
  ProcessMemory memory{999'999'999, disk};
  memory.sample(0.1);
  EXPECT_EQ(memory.growth(16, measurements), "the memory of process 999999999 cannot be read");
}

}  // namespace
}  // namespace nexusfix::tester
