#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "observe/message_line.hpp"
#include "support/fix_text.hpp"

namespace nexusfix::observe {
namespace {

using testing::bar;
using testing::fix;
using testing::soh;

// The message in a file, without its time; | for SOH.
std::string line_of(const std::string& message, std::vector<MaskedField> more = {}) {
  MessageLine line{Masking{more}};
  std::string text;
  line.take({.direction = Direction::In, .bytes = message});
  line.append_to_file(text, nullptr);
  return bar(text);
}
// One line for each piece.
std::string garbled_lines_of(const std::vector<std::string_view>& pieces) {
  MessageLine line{Masking{{}}};
  std::string text;
  for (const std::string_view piece : pieces) {
    line.take({.is_garbled = true, .bytes = piece});
    line.append_to_file(text, nullptr);
  }
  return bar(text);
}
// "IN MASKED : " and a message whose BodyLength and CheckSum are right, as fix() makes it.
std::string masked(std::string_view body) {
  return "IN MASKED : " + bar(fix("FIX.4.4", body)) + "\n";
}

constexpr std::string_view kHead = "35=A|49=T|56=V|34=1|52=20240115-10:30:00|";

std::string logon(std::string_view body) {
  return fix("FIX.4.4", std::string{kHead} + std::string{body});
}
std::string masked_logon(std::string_view body) {
  return masked(std::string{kHead} + std::string{body});
}

TEST(Masking, passwords_become_three_stars_and_lengths_are_adapted) {
  EXPECT_EQ(line_of(logon("98=0|553=me|554=secret|925=newer secret|")),
            masked_logon("98=0|553=me|554=***|925=***|"));
  EXPECT_EQ(line_of(logon("1400=1|1401=6|1402=sec|et|1403=2|1404=ab|")),
            masked_logon("1400=1|1401=3|1402=***|1403=3|1404=***|"));
}

TEST(Masking, a_line_is_the_same_whatever_the_password) {
  EXPECT_EQ(line_of(logon("554=a|")), line_of(logon("554=" + std::string(200, 'b') + "|")));
  EXPECT_EQ(line_of(logon("95=1|96=a|")),
            line_of(logon("95=200|96=" + std::string(200, 'b') + "|")));
}

TEST(Masking, raw_data_is_masked_in_messages_with_credentials) {
  EXPECT_EQ(line_of(logon("95=8|96=ab|10=cd|108=30|")), masked_logon("95=3|96=***|108=30|"));
  const std::string user_request = fix("FIX.4.4", "35=BE|95=2|96=ab|554=x|");
  EXPECT_EQ(line_of(user_request), masked("35=BE|95=3|96=***|554=***|"));
  const std::string two_types = fix("FIX.4.4", "35=A|35=B|95=2|96=ab|");
  EXPECT_EQ(line_of(two_types), masked("35=A|35=B|95=3|96=***|")) << "the first MsgType counts";
  const std::string news = fix("FIX.4.4", "35=B|95=2|96=ab|");
  EXPECT_EQ(line_of(news), "IN : " + bar(news) + "\n");
  EXPECT_EQ(line_of(news, {{96, 95}}), masked("35=B|95=3|96=***|"));
}

TEST(Masking, a_wrong_length_reveals_nothing_of_the_value) {
  for (const std::string_view length : {"1", "2", "5", "6", "999999", "-1", "x", ""}) {
    const std::string line = line_of(logon("95=" + std::string{length} + "|96=secret|108=30|"));
    EXPECT_EQ(line.find("secret"), std::string::npos) << line;
    EXPECT_EQ(line.find("cret"), std::string::npos) << line;
  }
}

TEST(Masking, tags_can_be_added) {
  EXPECT_EQ(
      line_of(fix("FIX.4.4", "35=D|1=ACCOUNT|355=x|354=3|355=a|b|58=t|"), {{1, 0}, {355, 354}}),
      masked("35=D|1=***|355=***|354=3|355=***|58=t|"));
}

TEST(Masking, a_message_without_secrets_is_logged_byte_for_byte) {
  const std::string order = fix("FIX.4.4", "35=D|55=554=secret|58=1554=x|15541=y|");
  EXPECT_EQ(line_of(order), "IN : " + bar(order) + "\n");
  EXPECT_EQ(line_of(logon("554=|")), "IN : " + bar(logon("554=|")) + "\n");
}

TEST(Masking, garbled_bytes_hide_passwords_and_their_lengths) {
  EXPECT_EQ(garbled_lines_of({"8=FIX.4.4\x01"
                              "9=20\x01"
                              "35=A\x01"
                              "554=secret\x01"
                              "10=123\x01"}),
            "IN GARBLED MASKED : 8=FIX.4.4|9=***|35=A|554=***|10=***|\n");
  EXPECT_EQ(garbled_lines_of({"GET / HTTP", "8=FIX.4.4\x01", "9=2\x01"}),
            "IN GARBLED : GET / HTTP\nIN GARBLED : 8=FIX.4.4|\nIN GARBLED : 9=2|\n");
}

TEST(Masking, a_new_message_is_not_the_rest_of_a_cut_password) {
  EXPECT_EQ(garbled_lines_of({"554=sec", "ret", "8=FIX.4.4\x01", "35=0\x01"}),
            "IN GARBLED MASKED : 554=***\nIN GARBLED MASKED : ***\n"
            "IN GARBLED : 8=FIX.4.4|\nIN GARBLED : 35=0|\n");
}

TEST(Masking, a_password_in_pieces_is_masked_in_each_piece) {
  const std::string bytes = soh("8=FIX.4.4|35=A|554=secret|95=9|96=sec|ret-2|108=30|");
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    for (std::size_t second = first; second <= bytes.size(); ++second) {
      const std::string_view all{bytes};
      const std::string lines = garbled_lines_of(
          {all.substr(0, first), all.substr(first, second - first), all.substr(second)});
      for (const char* secret : {"s", "c", "e", "t", "-2"}) {
        ASSERT_EQ(lines.find(secret), std::string::npos) << first << ' ' << second << '\n' << lines;
      }
    }
  }
}

}  // namespace
}  // namespace nexusfix::observe
