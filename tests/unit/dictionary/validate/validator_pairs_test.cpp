// Length and data fields, and the forms of values of special types. FIX TagValue Encoding, "Data
// fields"; FIX 5.0 SP2 volume 1, "FIX Datatypes".
#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/parser.hpp>

#include "support/fix_text.hpp"

namespace nexusfix::dictionary {
namespace {

using Reason = wire::SessionRejectReason;
using Rule = Violation::Rule;

std::optional<Violation> violation(std::string_view fields, Version version = Version::Fix44,
                                   const ValidationRules& rules = {}) {
  static wire::Parser parser;
  static std::string bytes;
  const Dictionary& dictionary = builtin_dictionary(version);
  bytes = testing::fix(dictionary.begin_string, fields);
  const auto message = parser.parse(bytes);
  if (!message) throw std::runtime_error("garbled: " + std::string{fields});
  return Validator::make(dictionary, rules)->validate(*message);
}

std::string news(std::string_view fields) {
  return "35=B|49=S|56=T|34=2|52=20240115-10:30:00|148=Head|" + std::string{fields};
}
constexpr std::string_view kLine = "33=1|58=x|";

void expect(const std::optional<Violation>& found, Rule rule, wire::Tag tag, Reason reason) {
  ASSERT_TRUE(found);
  EXPECT_EQ(static_cast<int>(found->rule), static_cast<int>(rule));
  EXPECT_EQ(found->tag, tag);
  EXPECT_EQ(found->reason(), reason);
}

TEST(ValidatorPairs, a_data_field_directly_after_its_length_is_valid) {
  EXPECT_FALSE(
      violation(news("33=1|58=x|354=3|355=a\x01"
                     "b|")));
  EXPECT_FALSE(violation(news("33=2|58=x|354=3|355=abc|58=y|354=1|355=z|95=2|96=ab|")));
  EXPECT_FALSE(violation("35=0|49=S|56=T|34=2|52=20240115-10:30:00|93=2|89=ab|"));
}

TEST(ValidatorPairs, a_data_field_needs_its_length_field) {
  expect(violation(news("33=1|58=x|95=2|96=ab|355=a|")), Rule::TagNotInMessage, 355,
         Reason::TagNotDefinedForMsgType);
  expect(violation(news("33=1|58=x|355=abc|")), Rule::LengthMissing, 354,
         Reason::RequiredTagMissing);
  const auto found = violation(news(std::string{kLine} + "96=ab|"));
  expect(found, Rule::LengthMissing, 95, Reason::RequiredTagMissing);
  EXPECT_FALSE(is_readable(found->rule)) << "the end of the data is unknown";
  // In the trailer.
  expect(violation("35=0|49=S|56=T|34=2|52=20240115-10:30:00|89=ab|"), Rule::LengthMissing, 93,
         Reason::RequiredTagMissing);
  // A pair of another entry does not count in this one.
  expect(violation(news("33=2|58=x|354=3|355=abc|58=y|355=z|")), Rule::LengthMissing, 354,
         Reason::RequiredTagMissing);
}

TEST(ValidatorPairs, a_length_field_needs_its_data_field) {
  expect(violation(news("33=1|58=x|354=3|")), Rule::DataMissing, 355, Reason::RequiredTagMissing);
  expect(violation(news(std::string{kLine} + "95=3|")), Rule::DataMissing, 96,
         Reason::RequiredTagMissing);
  EXPECT_TRUE(is_readable(Rule::DataMissing));
  expect(violation(news(std::string{kLine} + "95=x|")), Rule::TypeWrong, 95,
         Reason::IncorrectDataFormat);
}

TEST(ValidatorPairs, a_length_of_zero_needs_no_data_field) {
  // A data field must not be empty, so a sender omits an empty one this way.
  EXPECT_FALSE(violation(news(std::string{kLine} + "95=0|")));
  EXPECT_FALSE(violation(news("33=1|58=x|354=000|")));
}

TEST(ValidatorPairs, a_separated_pair_is_out_of_order) {
  const auto torn = violation(news("95=3|33=1|58=x|96=abc|"));
  expect(torn, Rule::DataOutOfOrder, 96, Reason::TagOutOfRequiredOrder);
  EXPECT_EQ(torn->offset, testing::fix("FIX.4.4", news("95=3|33=1|58=x|96=abc|"))
                                  .find("\x01"
                                        "96=") +
                              4);
  expect(violation(news("96=abc|95=3|33=1|58=x|")), Rule::DataOutOfOrder, 96,
         Reason::TagOutOfRequiredOrder);
}

TEST(ValidatorPairs, a_venues_own_pair_with_large_tags_is_checked_too) {
  constexpr std::string_view kDictionary = R"(<fix type="FIX" major="4" minor="4">
    <messages><message name="Order" msgtype="D" msgcat="app">
      <field name="BlobLen" required="N"/><field name="Blob" required="N"/>
      <field name="Text" required="N"/></message></messages>
    <fields><field number="100001" name="BlobLen" type="LENGTH"/>
      <field number="100002" name="Blob" type="DATA"/>
      <field number="58" name="Text" type="STRING"/></fields></fix>)";
  const auto dictionary = load_dictionary(kDictionary, "venue.xml");
  ASSERT_TRUE(dictionary);
  const Validator by = Validator::make(*dictionary, {}).value();
  wire::Parser parser{data_fields(*dictionary)};
  const auto check = [&](std::string_view fields) {
    const std::string bytes = testing::fix("FIX.4.4", fields);
    return by.validate(parser.parse(bytes).value());
  };
  EXPECT_FALSE(check("35=D|100001=3|100002=abc|"));
  expect(check("35=D|100002=abc|"), Rule::LengthMissing, 100001, Reason::RequiredTagMissing);
  expect(check("35=D|100001=3|58=x|"), Rule::DataMissing, 100002, Reason::RequiredTagMissing);
}

TEST(ValidatorPairs, an_empty_data_field_may_be_allowed) {
  EXPECT_FALSE(violation(news("33=1|58=x|95=0|96=|"), Version::Fix44,
                         {.validate_fields_have_values = false}));
}

TEST(ValidatorSeqNum, zero_is_a_sequence_number_only_where_it_has_a_meaning) {
  // "SeqNum: value must be positive", FIX 4.4 volume 1, "FIX Datatypes".
  const std::string head = "|49=S|56=T|34=2|52=20240115-10:30:00|";
  expect(violation("35=2" + head + "7=0|16=0|"), Rule::ValueOutOfRange, 7, Reason::ValueIncorrect);
  expect(violation("35=A" + head + "98=0|108=30|789=0|"), Rule::ValueOutOfRange, 789,
         Reason::ValueIncorrect);
  expect(violation("35=4" + head + "36=00|"), Rule::ValueOutOfRange, 36, Reason::ValueIncorrect);
  for (const char* no_number : {"7=-1|", "7=1.0|", "7=x|"}) {
    expect(violation("35=2" + head + no_number + "16=0|"), Rule::TypeWrong, 7,
           Reason::IncorrectDataFormat);
  }
  EXPECT_FALSE(violation("35=2" + head + "7=1|16=0|")) << "EndSeqNo 0 is infinity";
  EXPECT_FALSE(violation("35=3" + head + "45=0|")) << "it refers to a message with 34=0";
  EXPECT_FALSE(violation("35=0" + head.substr(0, head.size() - 1) + "|369=0|")) << "none yet";
  // The MsgSeqNum of a SequenceReset-Reset is ignored, and the session rejects any other 0 as too
  // low.
  for (const char* zero : {"0", "00", "000"}) {
    EXPECT_FALSE(
        violation("35=4|49=S|56=T|34=" + std::string{zero} + "|52=20240115-10:30:00|36=25|"))
        << zero;
    EXPECT_FALSE(violation("35=2" + head + "7=1|16=" + zero + "|")) << zero;
    EXPECT_FALSE(violation("35=3" + head + "45=" + zero + "|")) << zero;
  }
}

TEST(ValidatorCodes, codes_of_other_standards_have_their_form) {
  const auto order = [](std::string_view field) {
    return violation(
        "35=D|49=S|56=T|34=2|52=20240115-10:30:00|11=A|55=B|54=1|60=20240115-10:30:00|38=1|40=1|" +
        std::string{field});
  };
  for (const char* right : {"15=USD|", "15=GBp|", "15=USDT|", "470=CH|", "207=XNYS|", "207=O|"}) {
    EXPECT_FALSE(order(right)) << right;
  }
  for (const char* wrong : {"15=US|", "15=U$D|", "15=US D|", "470=CHE|", "470=C1|", "207=X Y|"}) {
    const auto found = order(wrong);
    ASSERT_TRUE(found) << wrong;
    EXPECT_EQ(found->rule, Rule::TypeWrong) << wrong;
  }
}

}  // namespace
}  // namespace nexusfix::dictionary
