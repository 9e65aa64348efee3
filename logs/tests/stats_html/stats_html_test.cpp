#include "logs/stats/stats_html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pugixml.hpp>
#include <string>

#include "logs/stats/stats.hpp"
#include "logs/stats/svg_chart.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"
#include "support/output_text.hpp"

namespace nexusfix::command {
namespace {

using testing::fix;
using ::testing::HasSubstr;
using ::testing::Not;

std::string page_of(const std::string& log, int status = kSuccess,
                    const std::string& name = "log") {
  testing::FakeDisk disk;
  testing::OutputText out;
  testing::OutputText err;
  disk.set_contents(name, log);
  StatsOptions options{.is_html = true};
  options.input.files = {name};
  EXPECT_EQ(stats_files(options, disk, {out.stream(), err.stream()}), status);
  return out.text();
}

std::string order(const std::string& time, const std::string& sender, const std::string& body) {
  return time + " : " +
         fix("FIX.4.4", "35=" + body + "34=1|49=" + sender + "|52=" + time +
                            "|56=" + (sender == "V" ? "T" : "V") + "|") +
         "\n";
}

// The page without its first line and the tags that have no end, which XML forbids.
std::string as_xml(std::string page) {
  for (const std::string tag : {"<!DOCTYPE html>", "<meta "}) {
    for (std::size_t at = page.find(tag); at != page.npos; at = page.find(tag)) {
      page.erase(at, page.find('>', at) + 1 - at);
    }
  }
  return page;
}

TEST(StatsHtml, has_a_time_line_of_each_session) {
  const std::string page =
      page_of(order("20240115-10:30:00", "T", "A|108=30|") +
              order("20240115-10:30:01", "V", "A|108=30|") + order("20240115-10:40:01", "T", "0|"));
  for (const char* const text :
       {"<h2>Time line of T and V</h2>", "connected: Logon of T with MsgSeqNum 1",
        "logged on: V answers after 1.00 s", "silent: no message of T for 601 s",
        "<rect class=\"fault\"", "last message; the session is logged on"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(as_xml(page).c_str()));
}

TEST(StatsHtml, has_charts_of_rates_types_orders_and_latencies) {
  const std::string log = order("20240115-10:30:00.000", "T", "D|11=A1|") +
                          order("20240115-10:30:00.020", "V", "8|11=A1|39=2|150=F|37=X|") +
                          order("20240115-10:30:09.000", "T", "D|11=A2|");
  const std::string page = page_of(log);
  for (const char* const text :
       {"<title>Statistics of log</title>", "Messages over time", "NewOrderSingle (D)",
        "From a new order to its first report", "20.0 ms", "at most 2 messages in 1 second",
        "<title>2024-01-15 10:30:09: 1 message</title>", "prefers-color-scheme: dark"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
  pugi::xml_document document;
  const auto parsed = document.load_string(as_xml(page).c_str());
  EXPECT_TRUE(parsed) << parsed.description();
  EXPECT_EQ(document.select_nodes("//svg").size(), 4U);
}

TEST(StatsHtml, is_one_file_without_scripts_and_links) {
  const std::string page = page_of(order("20240115-10:30:00.000", "T", "D|11=A1|"));
  for (const char* const text : {"<script", "http:", "https:", "href", "src=", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(text)));
  }
}

TEST(StatsHtml, texts_of_the_log_are_escaped) {
  const std::string hostile = "<script>\"'&\x1b\xff";
  const std::string page =
      page_of(order("20240115-10:30:00.000", hostile, "8|11=A1|39=8|58=" + hostile + "|"), kSuccess,
              "<b>.log");
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;&quot;&#39;&amp;\\x1b\\xff"));
  EXPECT_THAT(page, HasSubstr("Statistics of &lt;b&gt;.log"));
}

TEST(StatsHtml, a_log_without_messages_is_a_page_and_status_1) {
  EXPECT_THAT(page_of("nothing", kFailure), HasSubstr("0 messages"));
}

TEST(StatsHtml, a_day_has_at_most_240_columns) {
  std::string log;
  for (const char* const hour : {"00", "06", "12", "18", "23"}) {
    log += order("20240115-" + std::string{hour} + ":59:59.000", "T", "D|11=A1|");
  }
  const std::string page = page_of(log);
  EXPECT_THAT(page, HasSubstr("at most 1 message in 346 seconds"));
}

}  // namespace
}  // namespace nexusfix::command
