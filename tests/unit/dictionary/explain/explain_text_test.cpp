// What explain() says in full: each text is what a person reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/dictionary/builtin.hpp>
#include <nexusfix/dictionary/explain.hpp>
#include <nexusfix/wire/parser.hpp>

#include "unit/wire/message_text.hpp"

namespace nexusfix::dictionary {
namespace {

using ::testing::HasSubstr;

const std::string kHeader = "49=A|56=B|34=1|52=20240115-10:30:00|";
const std::string kOrder =
    "35=D|" + kHeader + "11=A1|55=AAPL|54=1|60=20240115-10:30:00|38=100|40=1|";

Explanation explained(std::string_view body, const ValidationRules& rules = {}) {
  const Dictionary& dictionary = builtin_dictionary(Version::Fix44);
  static std::string frame;
  frame = test::message_of(body);
  wire::Parser parser;
  const auto message = parser.parse(frame);
  const auto violation = Validator::make(dictionary, rules)->validate(*message);
  EXPECT_TRUE(violation.has_value()) << body;
  return violation ? explain(*violation, *message, dictionary) : Explanation{};
}
// Without the message, whose sums would only hide what is said.
std::string said(std::string_view body, const ValidationRules& rules = {}) {
  const Explanation told = explained(body, rules);
  return told.problem + "\n" + told.definition + "\n" + told.nearest;
}

TEST(ExplainText, a_member_outside_of_its_group) {
  EXPECT_EQ(said(kOrder + "447=D|"),
            "PartyIDSource (447) stands outside of NoPartyIDs (453), whose entries it is of\n"
            "447 PartyIDSource, CHAR: 1 KOREAN_INVESTOR_ID, "
            "2 TAIWANESE_QUALIFIED_FOREIGN_INVESTOR_ID_QFII_FID, ... (18 values)\n"
            "in an entry of NoPartyIDs (453), behind its PartyID (448), with 453=1 in front");
  EXPECT_EQ(explained(kOrder + "447=D|453=1|448=P|").nearest,
            "in an entry of NoPartyIDs (453), behind its PartyID (448)");
  EXPECT_EQ(explained(kOrder + "448=P|453=1|448=P|").nearest,
            "directly behind NoPartyIDs (453), or behind the entry before");
}

TEST(ExplainText, a_member_of_a_group_of_the_header) {
  EXPECT_EQ(said(kOrder + "628=HUB|"),
            "HopCompID (628) stands outside of NoHops (627), whose entries it is of\n"
            "628 HopCompID, STRING\n"
            "directly behind NoHops (627), or behind the entry before, with 627=1 in front");
  EXPECT_EQ(said("35=0|" + kHeader + "627=1|628=H|630=7|629=20240115-10:30:00|",
                 {.validate_unordered_group_fields = true}),
            "HopSendingTime (629) stands too late in its entry of NoHops (627)\n"
            "629 HopSendingTime, UTCTIMESTAMP\n"
            "in front of HopRefID (630)");
}

TEST(ExplainText, a_foreign_field_within_an_entry) {
  EXPECT_EQ(said(kOrder + "453=2|448=P|554=x|448=Q|"),
            "Password (554) is a field neither of an entry of NoPartyIDs (453) nor of "
            "NewOrderSingle (D)\n"
            "554 Password, STRING\n"
            "it is a field of Logon, UserRequest");
  EXPECT_EQ(explained(kOrder + "453=2|448=P|523=x|448=Q|").nearest,
            "directly behind NoPartySubIDs (802), or behind the entry before, with 802=1 in front")
      << "of the group within";
}

TEST(ExplainText, a_further_entry_without_its_first_field) {
  EXPECT_EQ(said(kOrder + "453=2|448=P|447=D|452=1|447=D|452=3|"),
            "entry 2 of NoPartyIDs (453) begins with PartyIDSource (447), not with PartyID (448)\n"
            "448 PartyID, STRING\n"
            "PartyID (448) here, in front of it");
  EXPECT_EQ(explained(kOrder + "453=2|448=P|447=D|").problem,
            "NoPartyIDs (453) says '2', but there is 1 entry");
  EXPECT_EQ(explained(kOrder + "453=2|448=P|447=D|").nearest,
            "453=1, or PartyID (448) in front of each entry");
}

TEST(ExplainText, the_word_of_a_list_that_is_none_of_the_values) {
  const Explanation told = explained(kOrder + "18=1 ZZ 2|");
  EXPECT_EQ(told.problem, "ExecInst (18) is '1 ZZ 2', and 'ZZ' in it is none of its values");
  EXPECT_EQ(told.message_line.substr(told.marks_line.find('^'), 2), "ZZ");
  EXPECT_EQ(told.size, 2U);
  EXPECT_EQ(explained(kOrder + "18=1 g|").nearest, "18=G (ALL_OR_NONE)");
}

TEST(ExplainText, a_tag_of_other_versions_and_of_none) {
  EXPECT_EQ(said(kOrder + "1138=5|"),
            "the dictionary has no field 1138\n\n"
            "it is DisplayQty in FIX.5.0 to FIX.5.0SP2");
  EXPECT_EQ(explained(kOrder + "4444=5|").nearest, "no version of FIX has it");
  EXPECT_EQ(explained(kOrder + "20001=5|").nearest,
            "user-defined: a dictionary of your own can have it");
}

TEST(ExplainText, pairs_that_are_torn_apart) {
  EXPECT_EQ(said(kOrder + "355=abc|"),
            "EncodedText (355) has no EncodedTextLen (354) directly in front of it\n"
            "354 EncodedTextLen, LENGTH\n"
            "354=3 in front of it, if the data holds no SOH");
  EXPECT_EQ(said(kOrder + "354=3|58=x|"),
            "EncodedTextLen (354) announces EncodedText (355), which does not stand directly "
            "behind it\n"
            "355 EncodedText, DATA\n"
            "355= and as many bytes behind it, or neither");
  EXPECT_EQ(said(kOrder + "354=3|58=x|355=abc|"),
            "EncodedText (355) does not stand directly behind EncodedTextLen (354)\n"
            "355 EncodedText, DATA\n"
            "EncodedTextLen (354) and EncodedText (355) one behind the other");
}

TEST(ExplainText, values_of_any_length_are_told_in_a_few_lines) {
  const std::string longest(100'000, 'x');
  const std::string digits(100'000, '1');
  for (const std::string& body :
       {kOrder + "59=" + longest + '|', kOrder + "18=1 " + longest + '|',
        kOrder + "453=" + digits + "|448=P|", kOrder + longest + "=1|", kOrder + longest + '|',
        "35=" + longest + '|' + kHeader, kOrder + "99=+" + digits + '|',
        kOrder + "355=" + longest + '|', "35=0|" + kHeader + "49=" + longest + '|'}) {
    const std::string text = explained(body).text();
    EXPECT_LT(text.size(), 2'000U) << text;
  }
  EXPECT_THAT(explained(kOrder + "59=" + longest + '|').problem,
              HasSubstr("xxx'... (100000 bytes), which is no"));
}

}  // namespace
}  // namespace nexusfix::dictionary
