#include "nexusfix/message_scanner.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "support/fix_text.hpp"

namespace nexusfix::printing {
namespace {

using testing::bar;
using testing::fix;
using testing::soh;

const std::string kOrder = fix("FIX.4.4", "35=D|34=2|11=A1|108=8|");
const std::string kReport = fix("FIX.4.2", "35=8|34=3|37=X|");

std::string carets(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += c == '\x01' ? std::string{"^A"} : std::string{c};
  return text;
}

struct Scan {
  std::vector<std::string> messages;
  std::vector<std::string> prefixes;
};

Scan scan(std::string_view text, std::size_t chunk_bytes) {
  Scan result;
  MessageScanner scanner;
  const auto drain = [&] {
    while (auto message = scanner.next()) {
      result.messages.push_back(message->bytes);
      result.prefixes.push_back(message->prefix);
    }
  };
  for (; !text.empty(); text.remove_prefix(std::min(chunk_bytes, text.size()))) {
    scanner.feed(text.substr(0, chunk_bytes));
    drain();
  }
  scanner.finish();
  drain();
  return result;
}

// However the bytes arrive, the messages are the same.
Scan scan(std::string_view text) {
  const Scan whole = scan(text, std::max<std::size_t>(text.size(), 1));
  for (const std::size_t chunk_bytes : {1U, 2U, 7U}) {
    const Scan parts = scan(text, chunk_bytes);
    EXPECT_EQ(parts.messages, whole.messages) << chunk_bytes;
    EXPECT_EQ(parts.prefixes, whole.prefixes) << chunk_bytes;
  }
  return whole;
}

using Messages = std::vector<std::string>;

TEST(MessageScanner, finds_messages_in_a_stream_without_lines) {
  EXPECT_EQ(scan(kOrder + kReport + kOrder).messages, (Messages{kOrder, kReport, kOrder}));
}

TEST(MessageScanner, converts_every_separator_to_soh) {
  EXPECT_EQ(scan(bar(kOrder) + "\n" + carets(kReport) + "\n" + kOrder + "\n").messages,
            (Messages{kOrder, kReport, kOrder}));
}

TEST(MessageScanner, keeps_what_stands_in_front_of_a_message_in_its_line) {
  const Scan found =
      scan("first line\n12:00 in: " + bar(kOrder) + " then " + bar(kReport) + " done\nlast\n");
  EXPECT_EQ(found.messages, (Messages{kOrder, kReport}));
  EXPECT_EQ(found.prefixes, (Messages{"12:00 in: ", " then "}));
}

TEST(MessageScanner, does_not_take_the_end_of_a_tag_for_a_begin_string) {
  EXPECT_TRUE(scan("108=FIX.4.4|35=0|10=000|\n").messages.empty());
}

TEST(MessageScanner, passes_over_a_begin_string_without_a_separator) {
  EXPECT_EQ(scan("8=FIX.4.4 is what begins one: " + bar(kOrder) + "\n8=FIX").messages,
            (Messages{kOrder}));
}

TEST(MessageScanner, accepts_a_last_field_without_separator) {
  for (const std::string end : {"", "\n", "\r\n", " "}) {
    std::string text = bar(kOrder);
    text.pop_back();
    EXPECT_EQ(scan(text + end).messages, (Messages{kOrder}));
  }
}

TEST(MessageScanner, follows_body_length_over_a_data_field_that_looks_like_the_end) {
  const std::string data = fix("FIX.4.4", "35=B|34=3|95=9|96=a|b|10=00|58=x|");
  EXPECT_EQ(scan(data + kOrder).messages, (Messages{data, kOrder}));
  EXPECT_EQ(scan(bar(data) + "\n" + bar(kOrder)).messages, (Messages{data, kOrder}));
}

TEST(MessageScanner, follows_body_length_over_a_line_break_in_a_value) {
  const std::string text = fix("FIX.4.4", "35=B|34=3|58=two\nlines|");
  EXPECT_EQ(scan(text + kOrder).messages, (Messages{text, kOrder}));
}

// What log_fuzz found: whether the next line had arrived decided where the message ends.
TEST(MessageScanner, follows_no_body_length_out_of_the_line_of_a_converted_message) {
  const std::string text = "8=FIX.4.4|9=19|35=0|52=20\n8=4|9=1|10=126|\n";
  EXPECT_EQ(scan(text).messages, std::vector{soh("8=FIX.4.4|9=19|35=0|52=20|")});
}

TEST(MessageScanner, finds_the_end_when_body_length_is_wrong) {
  for (const char* length : {"1", "20", "5000", "99999999999999999999", "x", ""}) {
    const std::string wrong = soh("8=FIX.4.4|9=" + std::string{length} + "|35=0|34=2|10=000|");
    EXPECT_EQ(scan(wrong + kOrder).messages, (Messages{wrong, kOrder})) << length;
    EXPECT_EQ(scan(bar(wrong) + "\n" + bar(kOrder)).messages, (Messages{wrong, kOrder})) << length;
  }
}

TEST(MessageScanner, ends_a_message_that_is_cut_off_with_its_line) {
  const std::string cut = "8=FIX.4.4|9=30|35=D|34=2";
  EXPECT_EQ(scan(cut + "\r\nnext " + bar(kOrder) + "\n").messages,
            (Messages{soh(cut + "|"), kOrder}));
}

TEST(MessageScanner, ends_a_message_that_is_cut_off_in_front_of_the_next) {
  const std::string cut = soh("8=FIX.4.4|9=300|35=D|34=2|");
  EXPECT_EQ(scan(cut + kOrder).messages, (Messages{cut, kOrder}));
}

TEST(MessageScanner, gives_up_a_message_at_the_limit) {
  const std::string endless =
      soh("8=FIX.4.4|9=5|35=D|58=") + std::string(MessageScanner::kMessageBytesMax, 'x');
  const Scan found = scan(endless + soh("|10=000|") + kOrder, 1U << 16U);
  ASSERT_EQ(found.messages.size(), 2U);
  EXPECT_EQ(found.messages[0].size(), MessageScanner::kMessageBytesMax + 1);
  EXPECT_EQ(found.messages[1], kOrder);
}

TEST(MessageScanner, shortens_a_prefix_that_is_no_line) {
  const Scan found = scan(std::string(100'000, 'x') + kOrder, 1000);
  ASSERT_EQ(found.messages, (Messages{kOrder}));
  EXPECT_EQ(found.prefixes[0], std::string(4096, 'x'));
}

TEST(MessageScanner, finds_nothing_in_nothing) {
  EXPECT_TRUE(scan("").messages.empty());
  EXPECT_TRUE(scan("\n\n\x01\x01").messages.empty());
}

}  // namespace
}  // namespace nexusfix::printing
