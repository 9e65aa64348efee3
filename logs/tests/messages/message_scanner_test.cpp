#include "logs/messages/message_scanner.hpp"

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
      result.messages.emplace_back(message->bytes);
      result.prefixes.emplace_back(message->prefix);
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

// The messages do not depend on the pieces in which the bytes arrive.
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

TEST(MessageScanner, keeps_the_text_before_a_message_in_its_line) {
  const Scan found =
      scan("first line\n12:00 in: " + bar(kOrder) + " then " + bar(kReport) + " done\nlast\n");
  EXPECT_EQ(found.messages, (Messages{kOrder, kReport}));
  EXPECT_EQ(found.prefixes, (Messages{"12:00 in: ", " then "}));
}

TEST(MessageScanner, does_not_take_the_end_of_a_tag_for_a_begin_string) {
  EXPECT_TRUE(scan("108=FIX.4.4|35=0|10=000|\n").messages.empty());
}

// The message with this text between the fields.
std::string with(std::string_view bytes, std::string_view separator) {
  std::string text;
  for (const char c : bytes) text += c == '\x01' ? std::string{separator} : std::string{c};
  return text;
}

TEST(MessageScanner, finds_a_message_directly_after_a_digit) {
  EXPECT_EQ(scan("10:00:00.123" + bar(kOrder) + "\n10:00:01" + kReport + "\n").messages,
            (Messages{kOrder, kReport}));
  for (const std::string_view separator : {"\x01", "|", "^A", ";", " "}) {
    std::string text;
    for (const std::string_view front : {"0", "10:00 12", "7|8"}) {
      text.append(front).append(with(kOrder, separator)).append("\n");
    }
    EXPECT_EQ(scan(text).messages, (Messages{kOrder, kOrder, kOrder})) << separator;
  }
}

TEST(MessageScanner, does_not_take_a_tag_that_ends_in_8_for_a_begin) {
  EXPECT_TRUE(scan("x|58=FIX.4.4|9=5|56=V|10=161|\n").messages.empty());
  EXPECT_TRUE(scan(soh("34=2|108=FIX.4.4|95=5|35=0|10=161|") + "\n").messages.empty());
}

TEST(MessageScanner, ends_a_check_sum_before_a_message_without_a_separator) {
  for (const std::string_view separator : {"\x01", "|", ";"}) {
    std::string text = with(kOrder, separator);
    text.pop_back();
    EXPECT_EQ(scan(text + text + with(kReport, separator) + "\n").messages,
              (Messages{kOrder, kOrder, kReport}))
        << separator;
  }
}

TEST(MessageScanner, ends_a_message_that_is_cut_off_in_a_value_before_the_next) {
  const std::string cut = soh("8=FIX.4.4|9=300|35=D|34=2");
  EXPECT_EQ(scan(cut + kOrder).messages, (Messages{cut + '\x01', kOrder}));
  EXPECT_EQ(scan(bar(cut) + "|55=AA" + bar(kOrder) + "\n").messages,
            (Messages{cut + soh("|55=AA|"), kOrder}));
}

// Every byte that cannot be part of a tag or a number.
TEST(MessageScanner, recognises_any_single_byte_as_separator) {
  for (int byte = 0; byte < 256; ++byte) {
    const char separator = static_cast<char>(byte);
    if (separator == '=' || (separator >= '0' && separator <= '9')) continue;
    const std::string_view text{&separator, 1};
    EXPECT_EQ(scan("in: " + with(kOrder, text) + "\nout: " + with(kReport, text) + "\n").messages,
              (Messages{kOrder, kReport}))
        << byte;
  }
}

TEST(MessageScanner, recognises_a_longer_separator_that_repeats) {
  for (const std::string_view separator :
       {"^A", "; ", ", ", " | ", "<SOH>", "[SOH]", "\\x01", "\\u0001", "\xE2\x90\x81", "\r\n"}) {
    EXPECT_EQ(scan("in: " + with(kOrder, separator) + "\n" + with(kReport, separator)).messages,
              (Messages{kOrder, kReport}))
        << separator;
  }
}

TEST(MessageScanner, recognises_separators_in_every_version) {
  for (const std::string version : {"FIX.4.0", "FIX.5.0", "FIX.5.0SP1", "FIX.5.0SP2", "FIXT.1.1"}) {
    const std::string message = fix(version, "35=0|34=2|");
    for (const std::string_view separator : {";", "S", "P", "T", ".", "_", "x"}) {
      EXPECT_EQ(scan(with(message, separator)).messages, (Messages{message}))
          << version << separator;
    }
  }
}

// The CheckSum decides between two readings.
TEST(MessageScanner, leaves_a_separator_in_a_value_where_the_check_sum_says_so) {
  const std::string text = fix("FIX.4.4", "35=B|34=3|44=10.5|58=two words; (a#b) x|60=1|");
  for (const std::string_view separator : {" ", ";", "#", ".", "|", "; "}) {
    EXPECT_EQ(scan(with(text, separator) + "\n").messages, (Messages{text})) << separator;
  }
}

TEST(MessageScanner, ends_a_cut_off_message_of_lines_with_the_first_other_line) {
  const std::string cut = "8=FIX.4.4\n9=70\n35=D\n34=2\n";
  const std::string expected = soh("8=FIX.4.4|9=70|35=D|34=2|");
  EXPECT_EQ(scan(cut + "next line\n" + kOrder).messages, (Messages{expected, kOrder}));
}

TEST(MessageScanner, accepts_only_the_separator_that_is_forced) {
  const std::string text = with(kOrder, ";") + "\n" + kReport + "\n" + bar(kOrder) + "\n";
  const auto forced = [&](std::string separator) {
    MessageScanner scanner{std::move(separator)};
    scanner.feed(text);
    scanner.finish();
    Messages found;
    while (const auto message = scanner.next()) found.emplace_back(message->bytes);
    return std::pair{found, scanner.skipped().count};
  };
  EXPECT_EQ(forced(";"), (std::pair{Messages{kOrder}, std::uint64_t{2}}));
  EXPECT_EQ(forced("\x01"), (std::pair{Messages{kReport}, std::uint64_t{2}}));
  EXPECT_EQ(forced("|"), (std::pair{Messages{kOrder}, std::uint64_t{2}}));
  EXPECT_EQ(forced("^A"), (std::pair{Messages{}, std::uint64_t{3}}));
}

TEST(MessageScanner, forces_a_separator_on_messages_that_do_not_show_theirs) {
  MessageScanner scanner{";"};
  scanner.feed("8=FIX.4.4;35=D;34=2;10=000;\n8=FIX.9.Z;9=;35=D;10=000;\n");
  scanner.finish();
  Messages found;
  while (const auto message = scanner.next()) found.emplace_back(message->bytes);
  EXPECT_EQ(found,
            (Messages{soh("8=FIX.4.4|35=D|34=2|10=000|"), soh("8=FIX.9.Z|9=|35=D|10=000|")}));
}

TEST(MessageScanner, counts_places_that_begin_like_a_message_and_are_none) {
  const std::string text = "\n8=FIX.4.4 begins one: " + bar(kOrder) + "\n108=FIX.4.4|35=0|\n8=FIX";
  for (const std::size_t chunk_bytes : {1U, 7U, 1000U}) {
    MessageScanner scanner;
    for (std::string_view rest = text; !rest.empty();
         rest.remove_prefix(std::min(chunk_bytes, rest.size()))) {
      scanner.feed(rest.substr(0, chunk_bytes));
      while (scanner.next()) {
      }
    }
    scanner.finish();
    while (scanner.next()) {
    }
    EXPECT_EQ(scanner.skipped().count, 3U);
    EXPECT_EQ(scanner.skipped().first_offset, 1U);
  }
}

// The form of our own log.
TEST(MessageScanner, decodes_a_line_of_our_log_that_is_escaped) {
  const std::string text = fix("FIX.4.4", "35=B|34=3|58=two\nlines, a \\ and \x1b[m|");
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\\\";
    } else if (c == '\n' || c == '\x1b') {
      escaped += c == '\n' ? "\\x0A" : "\\x1B";
    } else {
      escaped += c;
    }
  }
  for (const std::string mark :
       {"20240115-10:30:00.123456789 IN ESCAPED : ", "20240115-10:30:00 OUT MASKED ESCAPED : ",
        "IN ESCAPED : ", "OUT MASKED ESCAPED : ", "IN GARBLED ESCAPED : ",
        "venue.log:7:20240115-10:30:00 IN ESCAPED : ", "host1 OUT GARBLED MASKED ESCAPED : "}) {
    const Scan found =
        scan(kOrder + "\n" + mark + escaped + "\n" + mark + escaped + "\n" + kReport);
    EXPECT_EQ(found.messages, (Messages{kOrder, text, text, kReport})) << mark;
    ASSERT_EQ(found.prefixes.size(), 4U);
    std::string without_word = mark;
    without_word.erase(mark.find(" ESCAPED"), std::string_view{" ESCAPED"}.size());
    EXPECT_EQ(found.prefixes[1], without_word);
    EXPECT_EQ(found.prefixes[2], without_word);
  }
}

// A line that is printed with its original bytes must not be unescaped again.
TEST(MessageScanner, reads_an_escaped_line_that_was_printed_again) {
  const std::string text = fix("FIX.4.4", "35=B|34=3|58=C:\\x41\\new\n|");
  std::string escaped = text;
  escaped.replace(escaped.find("C:"), 11, "C:\\\\x41\\\\new\\x0A");
  const Scan first = scan("IN ESCAPED : " + escaped + "\n");
  ASSERT_EQ(first.messages, (Messages{text}));
  EXPECT_EQ(scan(first.prefixes[0] + first.messages[0] + "\n").messages, (Messages{text}));
}

TEST(MessageScanner, keeps_the_line_feeds_of_an_escaped_message_with_a_wrong_body_length) {
  const std::string mark = "20240115-10:30:00 IN GARBLED ESCAPED : ";
  for (const std::string end : {"", "10=000|"}) {
    const std::string garbled = "8=FIX.4.4|9=5|35=B|58=a\nb\nc|" + end;
    const std::string escaped = "8=FIX.4.4|9=5|35=B|58=a\\x0Ab\\x0Ac|" + end;
    for (const bool is_converted : {false, true}) {
      const std::string line = mark + (is_converted ? escaped : soh(escaped));
      EXPECT_EQ(scan(line + "\n" + kOrder).messages, (Messages{soh(garbled), kOrder})) << line;
    }
  }
}

TEST(MessageScanner, follows_body_length_over_an_escaped_line_feed_with_any_separator) {
  const std::string text = fix("FIX.4.4", "35=B|34=3|95=9|96=a|b|10=\n0|58=x|");
  std::string escaped = bar(text);
  escaped.replace(escaped.find('\n'), 1, "\\x0A");
  EXPECT_EQ(scan("IN ESCAPED : " + escaped + "\n" + kOrder).messages, (Messages{text, kOrder}));
}

TEST(MessageScanner, does_not_change_backslashes_of_other_lines) {
  const std::string text = fix("FIX.4.4", "35=B|34=3|58=\\x0A \\\\|");
  for (const std::string mark : {"20240115-10:30:00.123 IN : ", "an ESCAPED : ", "ESCAPED : "}) {
    EXPECT_EQ(scan(mark + text + "\n").messages, (Messages{text})) << mark;
  }
}

TEST(MessageScanner, finds_each_message_of_an_escaped_line) {
  const Scan found = scan("IN GARBLED ESCAPED : a\\x0Ab" + kOrder + "\\x0A" + kReport + "\n");
  EXPECT_EQ(found.messages, (Messages{kOrder, kReport}));
  EXPECT_EQ(found.prefixes, (Messages{"IN GARBLED : b", ""}));
}

TEST(MessageScanner, skips_a_begin_string_without_a_separator) {
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

// Found by log_fuzz: the end of the message depended on whether the next line had arrived.
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

TEST(MessageScanner, ends_a_message_that_is_cut_off_before_the_next) {
  const std::string cut = soh("8=FIX.4.4|9=300|35=D|34=2|");
  EXPECT_EQ(scan(cut + kOrder).messages, (Messages{cut, kOrder}));
}

TEST(MessageScanner, ends_a_message_at_the_limit) {
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

// A run of equal beginnings is read without recognising each: the result is the same.
TEST(MessageScanner, reads_usual_and_unusual_messages_in_turn) {
  const std::string wrong_length =
      "8=FIX.4.4\x01"
      "9=7000\x01"
      "35=0\x01"
      "34=2\x01"
      "10=000\x01";
  std::string text;
  Messages expected;
  for (int i = 0; i < 40; ++i) {
    const std::string& message = i % 5 == 3 ? kReport : i % 7 == 6 ? wrong_length : kOrder;
    text += i % 3 == 0 ? "10:00:00 IN : " : "10:00:00 Event ";
    text += i % 4 == 0 ? bar(message) : message;
    if (i % 11 != 10) text += '\n';
    expected.push_back(message);
  }
  EXPECT_EQ(scan(text).messages, expected);
}

TEST(MessageScanner, reports_the_place_of_each_message) {
  MessageScanner scanner;
  scanner.feed("x " + kOrder + "\n12 " + kOrder);
  scanner.finish();
  EXPECT_EQ(scanner.next()->offset, 2U);
  EXPECT_EQ(scanner.next()->offset, 6U + kOrder.size());
}

TEST(MessageScanner, finds_nothing_in_nothing) {
  EXPECT_TRUE(scan("").messages.empty());
  EXPECT_TRUE(scan("\n\n\x01\x01").messages.empty());
}

}  // namespace
}  // namespace nexusfix::printing
