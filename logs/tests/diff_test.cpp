#include "logs/diff/diff.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "logs/diff/log_diff.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"

namespace nexusfix::command {
namespace {

using testing::FakeDisk;
using testing::fix;
using ::testing::HasSubstr;
using testing::soh;

std::string message(int number, const std::string& more, const std::string& second = "") {
  const std::string time =
      "20240115-10:30:" + (second.empty() ? std::to_string(10 + number) : second);
  return fix("FIX.4.4", "35=D|34=" + std::to_string(number) + "|49=T|52=" + time + "|56=V|" + more);
}
std::string heartbeat(int number) {
  return fix("FIX.4.4", "35=0|34=" + std::to_string(number) +
                            "|49=T|52=20240115-10:30:" + std::to_string(10 + number) + "|56=V|");
}

class Diff : public ::testing::Test {
 protected:
  std::string diff(const std::string& first, const std::string& second, bool is_json = false) {
    disk_.set_contents("/a", first);
    disk_.set_contents("/b", second);
    std::FILE* const out = std::tmpfile();
    status_ = diff_files({.input = {.files = {"/a", "/b"}}, .is_json = is_json}, disk_, {out, out});
    std::string text(static_cast<std::size_t>(std::ftell(out)), '\0');
    std::rewind(out);
    text.resize(std::fread(text.data(), 1, text.size(), out));
    std::fclose(out);
    return text;
  }

  FakeDisk disk_;
  int status_ = -1;
};

TEST_F(Diff, is_empty_for_the_logs_of_both_sides) {
  // Each side has its own clock and words before a message.
  const std::string first =
      "09:00:00 OUT " + message(1, "11=A|") + "\n09:00:01 OUT " + heartbeat(2);
  const std::string second =
      "20240115-11:30:00 IN : " + message(1, "11=A|") + "\n20240115-11:30:01 IN : " + heartbeat(2);
  EXPECT_EQ(diff(first, second),
            "2 messages equal, 0 came by a resend, 0 gap-filled, 0 only in /a, 0 only in /b, 0 "
            "different\n");
  EXPECT_EQ(status_, 0);
}

TEST_F(Diff, names_what_one_side_sent_and_the_other_did_not_get) {
  const std::string text = diff("OUT " + message(1, "11=A|") + "\nOUT " + message(2, "11=B|"),
                                "IN " + message(2, "11=B|") + "\nIN " + message(3, "11=C|"));
  EXPECT_EQ(status_, 1);
  EXPECT_THAT(text, HasSubstr("T->V 34=1 NewOrderSingle: sent, and not in /b\n< /a:4: 8=FIX.4.4|"));
  EXPECT_THAT(text, HasSubstr("T->V 34=3 NewOrderSingle: received, and not in /a\n> /b:"));
  EXPECT_THAT(text, HasSubstr("1 message equal, "));
}

TEST_F(Diff, names_the_first_field_that_differs) {
  EXPECT_THAT(diff(message(1, "11=A|44=1|"), message(1, "11=A|44=10|")),
              HasSubstr("differs in Price (44): 44=1 and 44=10\n"));
  EXPECT_THAT(diff(message(1, "11=A|44=1|"), message(1, "11=A|55=X|")),
              HasSubstr("differs in the order of its fields: 44=1 and 55=X\n"));
  EXPECT_THAT(diff(message(1, "11=A|44=1|"), message(1, "11=A|")),
              HasSubstr("44=1 and no field\n"));
  const std::string good = message(1, "11=A|");
  EXPECT_THAT(diff(good, good.substr(0, good.size() - 4) + soh("999|")),
              HasSubstr("differs in CheckSum (10): 10="));
  EXPECT_EQ(status_, 1);
}

TEST_F(Diff, takes_a_resend_for_the_lost_message) {
  const std::string lost = message(1, "11=A|");
  const std::string again = message(1, "43=Y|122=20240115-10:30:11|11=A|", "40");
  const std::string later = message(2, "11=B|");
  // The sender logs both, or only the message that it sent first.
  for (const std::string& sender : {lost + later + again, lost + later}) {
    EXPECT_THAT(diff(sender, later + again), HasSubstr("1 came by a resend, 0 gap-filled, 0 only"));
    EXPECT_EQ(status_, 0);
  }
  const std::string other = message(1, "43=Y|122=20240115-10:30:11|11=Z|", "40");
  diff(lost + later, later + other);
  EXPECT_EQ(status_, 1);
}

TEST_F(Diff, takes_a_gap_fill_for_session_messages_and_not_for_orders) {
  const std::string fill = fix(
      "FIX.4.4", "35=4|34=1|49=T|52=20240115-10:30:40|56=V|43=Y|122=20240115-10:30:40|123=Y|36=3|");
  EXPECT_THAT(diff(heartbeat(1) + heartbeat(2) + fill, fill), HasSubstr("2 gap-filled"));
  EXPECT_EQ(status_, 0);
  EXPECT_THAT(diff(message(1, "11=A|") + heartbeat(2) + fill, fill),
              HasSubstr("1 gap-filled, 1 only in /a"));
  EXPECT_EQ(status_, 1);
}

TEST_F(Diff, has_the_status_2_if_a_log_cannot_be_read) {
  disk_.set_contents("/a", message(1, "11=A|"));
  std::FILE* const out = std::tmpfile();
  EXPECT_EQ(diff_files({.input = {.files = {"/a", "/none"}}}, disk_, {out, out}), 2);
  std::fclose(out);
}

TEST_F(Diff, prints_one_json_object) {
  const std::string text = diff(message(1, "11=A|44=1|"), message(1, "11=A|44=2|"), true);
  EXPECT_THAT(text, HasSubstr(R"("kind":"different")"));
  EXPECT_THAT(text, HasSubstr(R"("fields":["44=1","44=2"])"));
  EXPECT_THAT(text, HasSubstr(R"("counts":{"equal":0)"));
}

TEST(LogDiffLimits, names_the_oldest_message_when_too_many_wait) {
  std::uint64_t found = 0;
  logs::LogDiff diff{[&](const logs::LogDifference&) { ++found; }};
  const int count = 200'010;
  for (int number = 1; number <= count; ++number) {
    const std::string bytes = fix("FIX.4.4", "35=D|34=" + std::to_string(number) + "|49=T|56=V|");
    diff.add(0, {.bytes = bytes});
  }
  EXPECT_EQ(found, 10U);
  diff.finish();
  EXPECT_EQ(diff.counts().only[0], static_cast<std::uint64_t>(count));
  EXPECT_TRUE(diff.counts().is_limited);
}

// A log may have a message's bytes again after their resend. No message of equal logs is a
// difference.
TEST_F(Diff, finds_no_difference_between_a_log_and_itself) {
  const std::string original = message(1, "11=A|", "30");
  const std::string resend = message(1, "43=Y|122=20240115-10:30:30|11=A|", "20");
  EXPECT_THAT(
      diff(original + resend + original, original + resend + original),
      HasSubstr("3 messages equal, 0 came by a resend, 0 gap-filled, 0 only in /a, 0 only"));
  EXPECT_EQ(status_, 0);
}

TEST_F(Diff, finds_no_difference_in_gap_fills_that_come_twice) {
  const std::string fill =
      fix("FIX.4.4", "35=4|34=3|43=Y|49=T|52=20240115-10:30:00|56=V|123=Y|36=6|");
  const std::string log = message(1, "11=A|", "30") + fill + fill;
  EXPECT_THAT(diff(log, log), HasSubstr("3 messages equal, 0 came by a resend, 0 gap-filled"));
  EXPECT_EQ(status_, 0);
}

logs::LogMessage of_bytes(const std::string& bytes) { return {.bytes = bytes}; }

TEST(LogDiff, ends_with_any_number_of_messages_that_have_the_same_number) {
  logs::LogDiff diff{[](const logs::LogDifference&) {}};
  const std::string bytes = message(1, "11=A|");
  constexpr int kMessages = 400'002;  // more than twice what may wait
  for (int i = 0; i < kMessages; ++i) {
    diff.add(0, of_bytes(bytes));
    if (i + 1 < kMessages) diff.add(1, of_bytes(bytes));
  }
  EXPECT_EQ(diff.counts().equal, static_cast<std::uint64_t>(kMessages - 1));
  diff.finish();
  EXPECT_EQ(diff.counts().only[0], 1U);
  EXPECT_FALSE(diff.counts().is_limited);
}

TEST(LogDiff, compares_a_message_with_at_most_1000_others_of_its_number) {
  logs::LogDiff diff{[](const logs::LogDifference&) {}};
  for (int i = 0; i < 1000; ++i)
    diff.add(0, of_bytes(message(1, "11=A" + std::to_string(i) + "|")));
  EXPECT_EQ(diff.counts().only[0], 0U);
  EXPECT_FALSE(diff.counts().is_limited);
  diff.add(0, of_bytes(message(1, "11=B|")));
  EXPECT_TRUE(diff.counts().is_limited);
  EXPECT_EQ(diff.counts().only[0], 1001U);
}

}  // namespace
}  // namespace nexusfix::command
