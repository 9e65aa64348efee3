// The table of events, the page, the enumeration and the sources say the same.
#include "nexusfix/events/explain.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <nexusfix/observe/logs.hpp>

#include "observe/api/logs.hpp"

namespace nexusfix::command {
namespace {

using observe::event_table;
using observe::EventRow;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string read(const std::filesystem::path& path) {
  std::ifstream stream{path, std::ios::binary};
  EXPECT_TRUE(stream) << path;
  return {std::istreambuf_iterator<char>{stream}, {}};
}

const std::filesystem::path kRoot{NEXUSFIX_ROOT};

std::vector<std::string> all_matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator at{text.begin(), text.end(), pattern}, end; at != end; ++at) {
    found.push_back(at->str(1));
  }
  return found;
}

// "NAME NUMBER" of each row, or of each enumerator.
std::vector<std::string> rows() {
  std::vector<std::string> all;
  for (const EventRow& row : event_table()) {
    all.push_back(std::string{row.name} + " = " + std::to_string(static_cast<int>(row.id)));
  }
  return all;
}

TEST(EventTable, has_each_event_of_the_enumeration_by_its_name_and_in_order) {
  const std::string header = read(kRoot / "include/nexusfix/base/event_id.hpp");
  EXPECT_EQ(all_matches(header, std::regex{"\\n  (\\w+ = \\d+),"}), rows());
}

TEST(EventTable, has_numbers_that_are_unique_and_ascend_within_a_known_category) {
  EXPECT_EQ(std::ranges::adjacent_find(event_table(), std::ranges::greater_equal{}, &EventRow::id),
            event_table().end());
  for (const EventRow& row : event_table()) {
    EXPECT_NE(observe::to_string(observe::category_of(row.id)), "?") << row.name;
    EXPECT_EQ(observe::find_event(static_cast<std::uint16_t>(row.id)), &row);
  }
}

TEST(EventTable, says_in_whole_sentences_what_each_event_is_and_what_to_do) {
  for (const EventRow& row : event_table()) {
    for (const std::string_view text : {row.meaning, row.cause, row.action}) {
      EXPECT_TRUE(text.ends_with('.')) << row.name << ": " << text;
      EXPECT_FALSE(text.contains('|')) << row.name << ": " << text;
    }
  }
}

// No event of the table is unused: a source reports each.
TEST(EventTable, has_only_events_that_a_source_reports) {
  const std::string prefix = "EventId::";
  std::set<std::string> used;
  for (const char* const folder : {"src", "apps", "cluster", "console", "gateway", "logs",
                                   "simulator", "stream", "venue", "venues"}) {
    if (!std::filesystem::exists(kRoot / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{kRoot / folder}) {
      const std::string path = entry.path().string();
      if (!entry.is_regular_file() || path.contains("/observe/events/")) continue;
      const std::string text = read(path);
      for (auto at = text.find(prefix); at != text.npos; at = text.find(prefix, at)) {
        at += prefix.size();
        const auto end = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                                      [](char c) { return c != '_' && !std::isalnum(c); });
        used.emplace(text.begin() + static_cast<std::ptrdiff_t>(at), end);
      }
    }
  }
  std::vector<std::string> unused;
  for (const EventRow& row : event_table()) {
    if (!used.contains(std::string{row.name})) unused.emplace_back(row.name);
  }
  EXPECT_THAT(unused, IsEmpty());
}

TEST(EventsPage, is_what_the_table_says) {
  const std::string page = read(kRoot / "docs/reference/events.md");
  for (const EventRow& row : event_table()) {
    const std::string number = std::to_string(static_cast<int>(row.id));
    const std::string line =
        "| <a id=\"nxf-" + number + "\"></a>NXF-" + number + " `" + std::string{row.name} + "` | " +
        std::string{observe::to_string(row.severity)} + " | " + std::string{row.meaning} + " | " +
        std::string{row.cause} + " | " + std::string{row.action} + " |\n";
    EXPECT_THAT(page, HasSubstr(line));
  }
  EXPECT_EQ(all_matches(page, std::regex{"\\n\\| <a id=\"nxf-\\d+\"></a>(NXF-\\d+) "}).size(),
            event_table().size());
  EXPECT_EQ(page, events_page()) << "nexusfix explain --markdown > docs/reference/events.md";
}

// A text that refers to another event refers to an existing one.
TEST(EventsPage, names_no_event_that_is_not_in_the_table) {
  for (const std::string& number : all_matches(events_page(), std::regex{"NXF-([0-9]+)"})) {
    EXPECT_NE(observe::find_event(static_cast<std::uint16_t>(std::stoul(number))), nullptr)
        << number;
  }
}

TEST(Explain, says_meaning_cause_and_what_to_do) {
  const auto text = explain_events({"NXF-1042"}, ExplainForm::Text);
  ASSERT_TRUE(text);
  EXPECT_EQ(
      *text,
      "NXF-1042 RejectReceived, WARN, session\n"
      "  meaning     The counterparty rejected one of our messages with a Reject (3), or with a\n"
      "              BusinessMessageReject (j) that the application does not process. The "
      "event has its\n"
      "              Text (58) and its reason, and of our message, if the store has it on "
      "this machine,\n"
      "              MsgType, ClOrdID, OrigClOrdID and the value of the field that the "
      "Reject names.\n"
      "  cause       Our message breaks a rule of the counterparty.\n"
      "  what to do  Compare the message with the rules of engagement. The message log has "
      "it with\n"
      "              RefSeqNum (45) as its MsgSeqNum (34).\n");
}

TEST(Explain, takes_a_number_small_letters_or_a_name) {
  const auto whole = explain_events({"NXF-1042"}, ExplainForm::Text);
  for (const char* const form : {"1042", "nxf-1042", "RejectReceived", "rejectreceived"}) {
    EXPECT_EQ(explain_events({form}, ExplainForm::Text), whole) << form;
  }
  const auto two = explain_events({"1042", "5010"}, ExplainForm::Text);
  ASSERT_TRUE(two);
  EXPECT_THAT(*two, StartsWith(*whole + "\nNXF-5010 StoreFailed, ERROR, store\n"));
}

TEST(Explain, lists_all_with_a_line_each) {
  const auto list = explain_events({}, ExplainForm::Text);
  ASSERT_TRUE(list);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(*list, '\n')), event_table().size());
  EXPECT_THAT(*list, StartsWith("NXF-1001  INFO   session        LoggedOn\n"));
  const auto json = explain_events({}, ExplainForm::Json);
  ASSERT_TRUE(json);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(*json, '\n')), event_table().size());
  EXPECT_THAT(*json, StartsWith(R"({"id":"NXF-1001","severity":"INFO","category":"session",)"
                                R"("name":"LoggedOn","meaning":")"));
}

TEST(Explain, names_the_nearest_event_for_an_unknown_one) {
  const auto error_of = [](const std::string& text) {
    const auto done = explain_events({text}, ExplainForm::Text);
    return done ? "" : done.error();
  };
  EXPECT_EQ(error_of("RejectRecieved"),
            "there is no event \"RejectRecieved\". Did you mean RejectReceived?");
  EXPECT_EQ(error_of("NXF-1049"), "there is no event \"NXF-1049\". Did you mean NXF-1048?");
  EXPECT_EQ(error_of("8100"), "there is no event \"8100\". Did you mean NXF-8011?");
  EXPECT_THAT(error_of("9999"), HasSubstr("lists all"));
  EXPECT_THAT(error_of("99999"), HasSubstr("lists all"));
  EXPECT_EQ(error_of("what is that"),
            "there is no event \"what is that\"; `nexusfix explain` lists all");
  EXPECT_THAT(error_of(""), HasSubstr("lists all"));
}

}  // namespace
}  // namespace nexusfix::command
