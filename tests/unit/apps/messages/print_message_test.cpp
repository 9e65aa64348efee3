#include "nexusfix/messages/print_message.hpp"

#include <cstdio>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>

#include "nexusfix/messages/decoded_message.hpp"
#include "support/fix_text.hpp"
#include "support/output_text.hpp"

namespace nexusfix::printing {
namespace {

using ::testing::ElementsAre;
using testing::fix;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::OutputText;
using testing::soh;

std::string print(std::string_view bytes, const PrintOptions& options = {}) {
  OutputText out;
  print_message(out.stream(), bytes, options);
  return out.text();
}

TEST(PrintMessage, shows_a_heading_and_aligned_fields_with_their_meanings) {
  EXPECT_EQ(print(fix("FIX.4.4",
                      "35=D|34=2|49=TRADER|56=VENUE|52=20240115-10:30:00|11=A1|54=1|44=10.5|")),
            "NewOrderSingle (D)  34=2  TRADER -> VENUE  20240115-10:30:00\n"
            "     8  BeginString   FIX.4.4\n"
            "     9  BodyLength    69\n"
            "    35  MsgType       D (NewOrderSingle)\n"
            "    34  MsgSeqNum     2\n"
            "    49  SenderCompID  TRADER\n"
            "    56  TargetCompID  VENUE\n"
            "    52  SendingTime   20240115-10:30:00\n"
            "    11  ClOrdID       A1\n"
            "    54  Side          1 (BUY)\n"
            "    44  Price         10.5\n"
            "    10  CheckSum      174\n");
}

TEST(PrintMessage, explains_each_of_several_values) {
  EXPECT_THAT(print(fix("FIX.4.4", "35=D|34=2|18=1 G|")), HasSubstr("1 G (NOT_HELD, ALL_OR_NONE)"));
  // One of them is unknown: no partial explanation.
  EXPECT_THAT(print(fix("FIX.4.4", "35=D|34=2|18=1 ?|")), HasSubstr("ExecInst     1 ?\n"));
}

TEST(PrintMessage, chooses_the_names_of_the_version) {
  EXPECT_THAT(print(fix("FIX.4.2", "35=8|34=2|20=0|31=1|")), HasSubstr("ExecTransType  0 (NEW)"));
  // Removed in FIX 4.3.
  EXPECT_THAT(print(fix("FIX.4.4", "35=8|34=2|20=0|31=1|")), HasSubstr("ExecTransType  0 (NEW)"));
  EXPECT_THAT(print(fix("FIX.4.2", "35=8|34=2|32=1|")), HasSubstr("LastShares "));
  EXPECT_THAT(print(fix("FIX.4.4", "35=8|34=2|32=1|")), HasSubstr("LastQty "));
}

TEST(PrintMessage, chooses_the_names_of_the_application_version_over_fixt) {
  const std::string body = "35=8|34=2|1128=9|1003=T|";
  EXPECT_THAT(print(fix("FIXT.1.1", body)), HasSubstr("TradeID"));
  EXPECT_THAT(print(fix("FIXT.1.1", "35=8|34=2|1128=4|32=5|")), HasSubstr("LastShares"));
  PrintOptions options;
  options.default_application = dictionary::Version::Fix42;
  EXPECT_THAT(print(fix("FIXT.1.1", "35=8|34=2|32=5|"), options), HasSubstr("LastShares"));
  EXPECT_THAT(print(fix("FIXT.1.1", "35=8|34=2|32=5|")), HasSubstr("LastQty"));
}

// FIXT.1.1 has the header of these versions. Some logs name them in BeginString.
TEST(PrintMessage, names_the_header_of_fix_5) {
  for (const std::string version : {"FIX.5.0", "FIX.5.0SP1", "FIX.5.0SP2"}) {
    const std::string text = print(fix(version, "35=A|34=2|49=T|1128=9|11=A1|"));
    EXPECT_THAT(text, HasSubstr("Logon (A)"));
    for (const char* const name :
         {"BeginString", "MsgSeqNum", "SenderCompID", "ApplVerID", "ClOrdID", "CheckSum"}) {
      EXPECT_THAT(text, HasSubstr(name)) << version;
    }
  }
}

TEST(PrintMessage, prints_many_messages_as_it_prints_each_alone) {
  const std::vector<std::string> messages{
      fix("FIX.4.4", "35=D|34=2|54=1|5001=x|"),  fix("FIX.4.2", "35=8|34=3|20=0|32=1|"),
      fix("FIXT.1.1", "35=8|34=4|1128=4|32=5|"), fix("FIX.4.4", "35=D|34=5|58=\x1b|"),
      soh("8=FIX.4.4|9=1|35=D|x|10=000|"),       fix("FIX.9.9", "35=D|34=6|")};
  MessagePrinter printer{{}};
  for (int round = 0; round < 2; ++round) {
    for (const std::string& bytes : messages) {
      std::string text;
      printer.append(text, bytes, bytes, {});
      EXPECT_EQ(text, print(bytes));
    }
  }
}

TEST(PrintMessage, uses_the_dictionary_of_the_user_first) {
  dictionary::Dictionary own;
  own.fields.push_back({.tag = 58, .name = "Motto", .values = {{"x", "SPOT"}}});
  own.messages.push_back({"MyOrder", "D", false, {}});
  const dictionary::LoadedNames names{own};
  const dictionary::NameTable table = names.table();
  PrintOptions options;
  options.own_names = &table;
  const std::string text = print(fix("FIX.4.4", "35=D|34=2|58=x|"), options);
  EXPECT_THAT(text, HasSubstr("MyOrder (D)"));
  EXPECT_THAT(text, HasSubstr("Motto        x (SPOT)"));
  EXPECT_THAT(text, HasSubstr("MsgSeqNum"));
}

// A counterparty that sends it means the same by it.
TEST(PrintMessage, names_the_fields_values_and_messages_of_other_versions) {
  const std::string text = print(fix("FIX.4.2", "35=AE|453=1|447=D|"));
  EXPECT_THAT(text, HasSubstr("TradeCaptureReport (AE)"));
  EXPECT_THAT(text, HasSubstr("453  NoPartyIDs"));
  EXPECT_THAT(text, HasSubstr("447  PartyIDSource  D (PROPRIETARY"));
}

TEST(PrintMessage, shows_an_unknown_field_by_its_tag) {
  EXPECT_THAT(print(fix("FIX.4.4", "35=zz|34=2|7777=x|")), HasSubstr("  7777               x\n"));
  EXPECT_THAT(print(fix("FIX.4.4", "35=zz|34=2|")), HasSubstr("unknown message (zz)"));
}

TEST(PrintMessage, shows_only_the_heading_on_request) {
  PrintOptions options;
  options.detail = Detail::HeadingOnly;
  options.prefix = "12:00 ";
  EXPECT_EQ(print(fix("FIX.4.4", "35=0|34=2|"), options), "12:00 Heartbeat (0)  34=2  ? -> ?  ?\n");
}

// Within the message and at its end, where fewer bytes follow than a fast copy reads.
TEST(PrintMessage, shows_values_of_any_size_in_the_heading) {
  PrintOptions options;
  options.detail = Detail::HeadingOnly;
  for (std::size_t size = 1; size < 70; ++size) {
    const std::string name(size, 'x');
    for (const std::string& more : {std::string{}, "58=" + std::string(40, 'y') + "|"}) {
      EXPECT_EQ(print(fix("FIX.4.4", "35=0|34=2|49=A|52=20240115-10:30:00|56=" + name + "|" + more),
                      options),
                "Heartbeat (0)  34=2  A -> " + name + "  20240115-10:30:00\n");
    }
  }
  EXPECT_EQ(print(fix("FIX.4.4", "35=0|34=2|49=\x1b|56=Z\xc3\xbc|52=\xc3|"), options),
            "Heartbeat (0)  34=2  \\x1b -> Z\xc3\xbc  \\xc3\n");
}

TEST(PrintMessage, colours_only_on_request) {
  PrintOptions options;
  EXPECT_THAT(print(fix("FIX.4.4", "35=0|34=2|"), options), Not(HasSubstr("\x1b")));
  options.colour = Colour::Always;
  EXPECT_THAT(print(fix("FIX.4.4", "35=0|34=2|"), options), HasSubstr("\x1b[1mHeartbeat"));
}

TEST(PrintMessage, never_lets_a_value_control_the_terminal) {
  PrintOptions options;
  options.prefix = "\x1b[2J";
  const std::string text =
      print(fix("FIX.4.4", "35=\x1b[0m|34=\x07|49=\r|58=a\nb\x1b]0;x|x\x1bx=\x1b|"), options);
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << text;
  EXPECT_THAT(text, HasSubstr("a\\x0ab\\x1b]0;x"));
}

TEST(Printable, keeps_utf8_and_escapes_other_bytes) {
  EXPECT_EQ(printable("Zürich 株 😀"), "Zürich 株 😀");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc3("), "\\xc3(");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");           // a control character of 8 bits
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\x7f\xff"), "\\x7f\\xff");
}

TEST(DecodeMessage, finds_no_fault_in_a_sound_message) {
  const std::string bytes = fix("FIX.4.4", "35=0|34=2|");
  EXPECT_THAT(decode_message(bytes).faults, IsEmpty());
}

TEST(DecodeMessage, compares_body_length_and_check_sum) {
  EXPECT_THAT(decode_message(testing::with_checksum(soh("8=FIX.4.4|9=11|35=0|34=2|"))).faults,
              ElementsAre("BodyLength is 11, the body has 10 bytes"));
  EXPECT_THAT(decode_message(soh("8=FIX.4.4|9=10|35=0|34=2|10=000|")).faults,
              ElementsAre("CheckSum is 000, the bytes add up to 166"));
}

TEST(DecodeMessage, wants_a_check_sum_of_three_digits) {
  EXPECT_THAT(decode_message(soh("8=FIX.4.4|9=12|35=0|34=103|10=10|")).faults,
              ElementsAre("CheckSum is 10, the bytes add up to 010"));
}

TEST(DecodeMessage, says_when_the_end_is_missing) {
  EXPECT_THAT(decode_message(soh("8=FIX.4.4|9=10|35=0|34=2|")).faults,
              ElementsAre("the message is cut off: it has no CheckSum"));
}

TEST(DecodeMessage, says_when_the_first_fields_are_others) {
  const std::string bytes = testing::with_checksum(soh("8=FIX.4.4|35=0|9=5|34=2|"));
  EXPECT_THAT(decode_message(bytes).faults,
              ElementsAre("field 2 is not 9: a message begins with 8, 9, 35"));
}

TEST(DecodeMessage, continues_after_a_malformed_field) {
  const std::string bytes = fix("FIX.4.4", "35=0|text|=1|034=1|x=1|55=|2147483648=1|58=last|");
  const DecodedMessage message = decode_message(bytes);
  EXPECT_THAT(
      message.faults,
      ElementsAre("field 4 has no `=`", "field 5 has no tag of 1 to 2147483647",
                  "field 6 has no tag of 1 to 2147483647", "field 7 has no tag of 1 to 2147483647",
                  "55 has no value", "field 9 has no tag of 1 to 2147483647"));
  EXPECT_EQ(message.value(58), "last");
}

TEST(DecodeMessage, takes_a_data_field_as_long_as_its_length_says) {
  const std::string bytes = fix("FIX.4.4", "35=B|34=3|95=9|96=a|b|10=00|58=x|");
  const DecodedMessage message = decode_message(bytes);
  EXPECT_THAT(message.faults, IsEmpty());
  EXPECT_EQ(message.value(96), soh("a|b|10=00"));
  EXPECT_EQ(message.value(58), "x");
}

TEST(DecodeMessage, says_when_a_length_does_not_fit_its_data) {
  for (const char* length : {"2", "4", "9999", "18446744073709551615", "x", "-1"}) {
    const std::string bytes =
        fix("FIX.4.4", "35=B|34=3|95=" + std::string{length} + "|96=abc|58=x|");
    const DecodedMessage message = decode_message(bytes);
    EXPECT_THAT(message.faults,
                ElementsAre("95 is " + std::string{length} + ", but 96 does not end there"));
    EXPECT_EQ(message.value(96), "abc");
    EXPECT_EQ(message.value(58), "x");
  }
}

TEST(DecodeMessage, survives_empty_and_invalid_input) {
  EXPECT_FALSE(decode_message("").faults.empty());
  EXPECT_FALSE(decode_message("\x01\x01=\x01").faults.empty());
  EXPECT_FALSE(decode_message("10=").faults.empty());
}

}  // namespace
}  // namespace nexusfix::printing
