#include "bench/options.hpp"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace nexusfix::bench {
namespace {

TEST(PatternTest, a_name_matches_itself_and_a_folder_all_that_is_in_it) {
  EXPECT_TRUE(matches("frame", "frame"));
  EXPECT_TRUE(matches("parse", "parse/Heartbeat"));
  EXPECT_TRUE(matches("kernel/avx2", "kernel/avx2/ExecutionReport"));
  EXPECT_FALSE(matches("parse", "parse-and-read-4/ExecutionReport"));
  EXPECT_FALSE(matches("frame", "framer"));
  EXPECT_FALSE(matches("ladder/1", "ladder/10"));
  EXPECT_FALSE(matches("Heartbeat", "parse/Heartbeat"));
}

TEST(PatternTest, a_star_stands_for_any_text_also_for_none) {
  EXPECT_TRUE(matches("*", "frame"));
  EXPECT_TRUE(matches("parse*", "parse-and-read-4/ExecutionReport"));
  EXPECT_TRUE(matches("*/ExecutionReport", "encode/ExecutionReport"));
  EXPECT_TRUE(matches("*Report*", "parse/ExecutionReport"));
  EXPECT_TRUE(matches("ladder/*", "ladder/0"));
  EXPECT_FALSE(matches("*Reports", "parse/ExecutionReport"));
  EXPECT_FALSE(matches("x*", "frame"));
}

TEST(OptionsTest, all_options_are_read) {
  CLI::App app;
  Options options;
  add_options(app, options);
  app.parse("--quick --cpu 3 --json a --html b --list --rows frame 'parse/*'", false);
  EXPECT_TRUE(options.quick);
  EXPECT_TRUE(options.list);
  EXPECT_EQ(options.cpu, 3);
  EXPECT_EQ(options.json + options.html, "ab");
  EXPECT_EQ(options.patterns, (std::vector<std::string>{"frame", "parse/*"}));
}

TEST(OptionsTest, without_options_every_row_is_measured_in_full_and_no_file_written) {
  CLI::App app;
  Options options;
  add_options(app, options);
  app.parse("", false);
  EXPECT_TRUE(options.patterns.empty());
  EXPECT_FALSE(options.quick || options.list || options.cpu);
  EXPECT_EQ(options.json + options.html, "");
}

}  // namespace
}  // namespace nexusfix::bench
