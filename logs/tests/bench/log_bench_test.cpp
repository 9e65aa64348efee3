#include "logs/bench/log_bench.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "nexusfix/command.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"
#include "support/output_text.hpp"

namespace nexusfix::logs {
namespace {

using testing::bar;
using testing::fix;
using ::testing::HasSubstr;
using ::testing::Not;

std::string order(int number, std::string_view more = {}, std::string_view begin_string = "FIX.4.4",
                  std::string_view symbol = "AAPL") {
  return fix(begin_string, "35=D|34=" + std::to_string(number) +
                               "|49=T|56=V|52=20240115-10:30:00|" + std::string{more} + "11=A" +
                               std::to_string(number) + "|55=" + std::string{symbol} +
                               "|54=1|60=20240115-10:30:00|38=100|40=1|");
}
std::string heartbeat() { return fix("FIX.4.4", "35=0|34=9|49=T|56=V|52=20240115-10:30:00|"); }

class LogBenchTest : public ::testing::Test {
 protected:
  int run_on(std::string_view text, SampleLimits limits = {}) {
    disk_.set_contents("log", text);
    request_.files = {"log"};
    request_.quick = true;
    return bench_log(request_, disk_, limits, {out_.stream(), err_.stream()});
  }

  command::BenchOfLog request_;
  testing::FakeDisk disk_;
  testing::OutputText out_;
  testing::OutputText err_;
};

TEST_F(LogBenchTest, measures_every_row_with_the_messages_of_a_log_with_times) {
  std::string log;
  for (int i = 1; i <= 50; ++i) log += "20240115-10:30:00.5 IN : " + bar(order(i)) + "\n";
  EXPECT_EQ(run_on(log), command::kSuccess) << err_.text();
  EXPECT_THAT(out_.text(), HasSubstr("50 messages of FIX.4.4, "));
  EXPECT_THAT(out_.text(), HasSubstr("MsgType D 100.0 %\n1 sequence of tags; "));
  EXPECT_THAT(out_.text(), Not(HasSubstr("not measured")));
  for (const char* const row : {"\nparse ", "\nvalidate ", "\ninside/receive ", "\ninside "}) {
    EXPECT_THAT(out_.text(), HasSubstr(row));
  }
}

TEST_F(LogBenchTest, a_message_goes_through_the_engine_with_every_field_it_may_have) {
  EXPECT_EQ(run_on(order(1, "43=Y|122=20240115-10:00:00|97=Y|50=S|57=R|115=ON|128=TO|") +
                   order(2,
                         "95=5|96=a=b\x01"
                         "c|")),
            command::kSuccess)
      << err_.text();
  EXPECT_THAT(out_.text(), Not(HasSubstr("not measured")));
  EXPECT_THAT(out_.text(), Not(HasSubstr("not in inside")));
}

TEST_F(LogBenchTest, the_application_version_is_that_of_the_logon) {
  const std::string logon =
      fix("FIXT.1.1", "35=A|34=1|49=T|56=V|52=20240115-10:30:00|98=0|108=30|1137=7|");
  EXPECT_EQ(run_on(logon + order(2, {}, "FIXT.1.1")), command::kSuccess) << err_.text();
  EXPECT_THAT(out_.text(), HasSubstr("1 message not in inside: of the session layer"));
  EXPECT_THAT(out_.text(), Not(HasSubstr("not measured")));
}

TEST_F(LogBenchTest, garbled_messages_are_counted_and_left_out) {
  std::string cut = order(3);
  cut.resize(cut.size() - 30);
  EXPECT_EQ(run_on(order(1) + "\n8=FIX.4.4 is no message\n" + cut + "\n" + order(2) + "\n"),
            command::kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("2 messages of FIX.4.4, "));
  EXPECT_THAT(out_.text(), HasSubstr("2 messages left out: garbled\n"));
}

TEST_F(LogBenchTest, a_masked_message_gets_the_length_and_the_sum_of_its_bytes) {
  std::string masked = order(1, {}, "FIX.4.4", "SECRET");
  masked.replace(masked.find("SECRET"), 6, "***");
  EXPECT_EQ(run_on(masked + "\n" + order(2)), command::kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("2 messages of FIX.4.4, "));
  EXPECT_THAT(out_.text(), HasSubstr("1 message repaired: "));
}

TEST_F(LogBenchTest, invalid_messages_are_parsed_only) {
  EXPECT_EQ(run_on(order(1) + order(2, "20001=x|")), command::kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("1 message only in parse: invalid by the dictionary"));
  EXPECT_THAT(out_.text(), HasSubstr("20001"));
}

TEST_F(LogBenchTest, the_version_of_most_messages_is_measured) {
  EXPECT_EQ(run_on(order(1, {}, "FIX.4.2") + order(2) + order(3)), command::kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("2 messages of FIX.4.4, "));
  EXPECT_THAT(out_.text(), HasSubstr("1 message left out: of another version\n"));
}

TEST_F(LogBenchTest, a_version_without_a_dictionary_is_parsed_only) {
  EXPECT_EQ(run_on(order(1, {}, "FIX.9.9")), command::kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("\nparse "));
  EXPECT_THAT(out_.text(), HasSubstr("FIX.9.9 is no version of FIX (--dict)"));
}

TEST_F(LogBenchTest, session_messages_alone_have_no_row_of_the_engine) {
  EXPECT_EQ(run_on(heartbeat()), command::kSuccess);
  EXPECT_THAT(out_.text(),
              HasSubstr("inside          not measured: no valid message is the application's"));
}

TEST_F(LogBenchTest, a_long_log_is_read_up_to_the_limits) {
  std::string log;
  for (int i = 1; i <= 40; ++i) log += order(i) + "\n";
  EXPECT_EQ(run_on(log, {.messages_max = 40}), command::kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("40 messages of FIX.4.4, "));
  EXPECT_THAT(out_.text(), Not(HasSubstr("the first of the log")));
  EXPECT_EQ(run_on(log, {.messages_max = 39}), command::kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("39 messages of FIX.4.4, the first of the log, "));
  EXPECT_EQ(run_on(log, {.bytes_max = 3 * order(1).size()}), command::kSuccess);
  EXPECT_THAT(out_.text(), HasSubstr("\n3 messages of FIX.4.4, the first of the log, "));
}

TEST_F(LogBenchTest, a_log_without_a_message_is_an_error) {
  EXPECT_EQ(run_on("nothing\n"), command::kFailure);
  EXPECT_THAT(err_.text(), HasSubstr("no message: nothing begins with 8=FIX"));
  EXPECT_EQ(run_on("8=FIX.4.4 is none\n"), command::kFailure);
  EXPECT_THAT(err_.text(), HasSubstr("1 message is garbled, none is valid"));
}

TEST_F(LogBenchTest, a_missing_log_a_missing_dictionary_and_a_missing_core_are_usage_errors) {
  request_.files = {"absent"};
  EXPECT_EQ(bench_log(request_, disk_, {}, {out_.stream(), err_.stream()}), command::kUsage);
  EXPECT_THAT(err_.text(), HasSubstr("absent"));
  request_.dictionary = "absent.xml";
  EXPECT_EQ(run_on(order(1)), command::kUsage);
  EXPECT_THAT(err_.text(), HasSubstr("absent.xml"));
  request_.cpu = 100'000;
  EXPECT_EQ(run_on(order(1)), command::kUsage);
  EXPECT_THAT(err_.text(), HasSubstr("core 100000"));
}

TEST_F(LogBenchTest, the_json_has_every_figure) {
  ASSERT_TRUE(disk_.make_directories("/d"));
  request_.json = "/d/figures.json";
  EXPECT_EQ(run_on(order(1) + order(2) + heartbeat()), command::kSuccess) << err_.text();
  const std::string json = disk_.contents("/d/figures.json");
  for (const char* const part :
       {"\"messages\": 3", "\"kernel\": \"", "\"of_session\": 1", "\"sequences\": 2",
        "\"name\": \"inside/receive\"", "\"messages_per_s\": ", "\"p99\": "}) {
    EXPECT_THAT(json, HasSubstr(part));
  }
}

TEST(LogSample, the_shape_counts_sizes_types_and_sequences) {
  const std::vector<std::string> messages{order(1), order(2), order(3, "97=Y|"), heartbeat()};
  const SampleShape shape = shape_of(messages, wire::DataFieldTable::standard());
  EXPECT_EQ(shape.bytes, messages[0].size() * 2 + messages[2].size() + messages[3].size());
  EXPECT_EQ(shape.p50_bytes, messages[0].size());
  EXPECT_EQ(shape.max_bytes, messages[2].size());
  EXPECT_EQ(shape.sequences, 3U);
  EXPECT_EQ(shape.of_frequent_sequences, 4U);
  ASSERT_EQ(shape.types.size(), 2U);
  EXPECT_EQ(shape.types[0].msg_type, "D");
  EXPECT_EQ(shape.types[0].messages, 3U);
}

TEST(TimeBlocks, each_message_is_prepared_and_called_in_each_pass) {
  std::vector<int> calls(1500);
  std::size_t begin = 0;
  const LogFigures figures = time_blocks(
      calls.size(), {.of_block = 3, .single = 2}, 1,
      [&](std::size_t first, std::size_t) { begin = first; },
      [&](std::size_t i) -> std::uint64_t {
        return static_cast<std::uint64_t>(++calls[begin + i]);
      });
  EXPECT_EQ(figures.messages, 1500U);
  EXPECT_THAT(calls, ::testing::Each(5));
  EXPECT_GT(figures.ns, 0);
  EXPECT_LE(figures.min, figures.p50);
  EXPECT_LE(figures.p50, figures.p99);
  EXPECT_LE(figures.p99, figures.max);
}

}  // namespace
}  // namespace nexusfix::logs
