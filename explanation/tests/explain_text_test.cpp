// The complete texts of explain(), as a person reads them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/explanation.hpp>
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
// Without the message, whose sums would only hide the text.
std::string said(std::string_view body, const ValidationRules& rules = {}) {
  const Explanation result = explained(body, rules);
  return result.problem + "\n" + result.definition + "\n" + result.nearest;
}

TEST(ExplainText, a_member_outside_of_its_group) {
  EXPECT_EQ(said(kOrder + "447=D|"),
            "PartyIDSource (447) is outside of NoPartyIDs (453), where it belongs\n"
            "447 PartyIDSource, CHAR: 1 KOREAN_INVESTOR_ID, "
            "2 TAIWANESE_QUALIFIED_FOREIGN_INVESTOR_ID_QFII_FID, ... (18 values)\n"
            "in an entry of NoPartyIDs (453), after its PartyID (448), after 453=1");
  EXPECT_EQ(explained(kOrder + "447=D|453=1|448=P|").nearest,
            "in an entry of NoPartyIDs (453), after its PartyID (448)");
  EXPECT_EQ(explained(kOrder + "448=P|453=1|448=P|").nearest,
            "directly after NoPartyIDs (453), or after the previous entry");
}

TEST(ExplainText, a_member_of_a_group_of_the_header) {
  EXPECT_EQ(said(kOrder + "628=HUB|"),
            "HopCompID (628) is outside of NoHops (627), where it belongs\n"
            "628 HopCompID, STRING\n"
            "directly after NoHops (627), or after the previous entry, after 627=1");
  EXPECT_EQ(said("35=0|" + kHeader + "627=1|628=H|630=7|629=20240115-10:30:00|",
                 {.validate_unordered_group_fields = true}),
            "HopSendingTime (629) comes too late in its entry of NoHops (627)\n"
            "629 HopSendingTime, UTCTIMESTAMP\n"
            "before HopRefID (630)");
}

TEST(ExplainText, a_field_of_another_message_within_an_entry) {
  EXPECT_EQ(said(kOrder + "453=2|448=P|554=x|448=Q|"),
            "Password (554) is neither a field of an entry of NoPartyIDs (453) nor of "
            "NewOrderSingle (D)\n"
            "554 Password, STRING\n"
            "it is a field of Logon, UserRequest");
  EXPECT_EQ(explained(kOrder + "453=2|448=P|523=x|448=Q|").nearest,
            "directly after NoPartySubIDs (802), or after the previous entry, after 802=1")
      << "of the group within";
}

TEST(ExplainText, a_further_entry_without_its_first_field) {
  EXPECT_EQ(said(kOrder + "453=2|448=P|447=D|452=1|447=D|452=3|"),
            "entry 2 of NoPartyIDs (453) begins with PartyIDSource (447), not with PartyID (448)\n"
            "448 PartyID, STRING\n"
            "PartyID (448) here, before it");
  EXPECT_EQ(explained(kOrder + "453=2|448=P|447=D|").problem,
            "NoPartyIDs (453) is '2', but there is 1 entry");
  EXPECT_EQ(explained(kOrder + "453=2|448=P|447=D|").nearest,
            "453=1, or PartyID (448) at the beginning of each entry");
}

TEST(ExplainText, the_word_of_a_list_that_is_not_a_value) {
  const Explanation result = explained(kOrder + "18=1 ZZ 2|");
  EXPECT_EQ(result.problem, "ExecInst (18) is '1 ZZ 2', and 'ZZ' in it is not one of its values");
  EXPECT_EQ(result.message_line.substr(result.marks_line.find('^'), 2), "ZZ");
  EXPECT_EQ(result.size, 2U);
  EXPECT_EQ(explained(kOrder + "18=1 g|").nearest, "18=G (ALL_OR_NONE)");
}

TEST(ExplainText, a_tag_of_other_versions_and_of_none) {
  EXPECT_EQ(said(kOrder + "1138=5|"),
            "the dictionary has no field 1138\n\n"
            "it is DisplayQty in FIX.5.0 to FIX.5.0SP2");
  EXPECT_EQ(explained(kOrder + "4444=5|").nearest, "no version of FIX has it");
  EXPECT_EQ(explained(kOrder + "20001=5|").nearest,
            "user-defined: your own dictionary can define it");
}

TEST(ExplainText, separated_pairs) {
  EXPECT_EQ(said(kOrder + "355=abc|"),
            "EncodedText (355) has no EncodedTextLen (354) directly before it\n"
            "354 EncodedTextLen, LENGTH\n"
            "354=3 before it, if the data contains no SOH");
  EXPECT_EQ(said(kOrder + "354=3|58=x|"),
            "EncodedTextLen (354) announces EncodedText (355), which does not directly "
            "follow it\n"
            "355 EncodedText, DATA\n"
            "355= and that number of bytes after it, or neither field");
  EXPECT_EQ(said(kOrder + "354=3|58=x|355=abc|"),
            "EncodedText (355) does not directly follow EncodedTextLen (354)\n"
            "355 EncodedText, DATA\n"
            "EncodedTextLen (354), directly followed by EncodedText (355)");
}

TEST(ExplainText, values_of_any_length_are_explained_in_a_few_lines) {
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
