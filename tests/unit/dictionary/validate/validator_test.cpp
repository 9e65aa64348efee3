// The violations that a dictionary finds in a message, rule by rule. The numbers of test cases are
// those of "FIX Session Layer Test Cases".
#include <expected>
#include <gtest/gtest.h>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/parser.hpp>

#include "support/fix_text.hpp"
#include "unit/wire/kernels/guarded_bytes.hpp"

namespace nexusfix::dictionary {
namespace {

using Reason = wire::SessionRejectReason;
using Rule = Violation::Rule;
using testing::fix;

// Two nested groups, a required and an optional component, a tag that is in a group and in the
// message, and user-defined tags up to the largest.
constexpr std::string_view kDictionary = R"(<fix type="FIX" major="4" minor="4">
  <header>
    <field name="BeginString" required="Y"/><field name="BodyLength" required="Y"/>
    <field name="MsgType" required="Y"/><field name="SenderCompID" required="Y"/>
    <field name="TargetCompID" required="Y"/><field name="MsgSeqNum" required="Y"/>
    <field name="PossDupFlag" required="N"/>
    <group name="NoHops" required="N"><field name="HopCompID" required="N"/></group>
  </header>
  <trailer>
    <field name="SignatureLength" required="N"/><field name="CheckSum" required="Y"/>
  </trailer>
  <messages>
    <message name="Order" msgtype="D" msgcat="app">
      <field name="ClOrdID" required="Y"/>
      <component name="Must" required="Y"/>
      <component name="May" required="N"/>
      <field name="Side" required="N"/>
      <field name="Conditions" required="N"/>
      <field name="SecurityType" required="N"/>
      <group name="NoLegs" required="N">
        <field name="LegID" required="Y"/>
        <field name="LegQty" required="N"/>
        <group name="NoParties" required="N">
          <field name="PartyID" required="N"/>
          <field name="PartyRole" required="Y"/>
        </group>
        <field name="LegPrice" required="N"/>
        <field name="Text" required="N"/>
      </group>
      <field name="Text" required="N"/>
      <field name="Custom" required="N"/>
      <field name="LargeTag" required="N"/>
      <field name="LargestTag" required="N"/>
    </message>
    <message name="Other" msgtype="U1" msgcat="app"><field name="Elsewhere" required="N"/>
    </message>
  </messages>
  <components>
    <component name="Must"><field name="Symbol" required="Y"/></component>
    <component name="May"><field name="Account" required="Y"/><field name="Qty" required="N"/>
    </component>
  </components>
  <fields>
    <field number="8" name="BeginString" type="STRING"/>
    <field number="9" name="BodyLength" type="LENGTH"/>
    <field number="10" name="CheckSum" type="STRING"/>
    <field number="35" name="MsgType" type="STRING"/>
    <field number="34" name="MsgSeqNum" type="SEQNUM"/>
    <field number="43" name="PossDupFlag" type="BOOLEAN">
      <value enum="Y" description="YES"/><value enum="N" description="NO"/></field>
    <field number="49" name="SenderCompID" type="STRING"/>
    <field number="56" name="TargetCompID" type="STRING"/>
    <field number="93" name="SignatureLength" type="LENGTH"/>
    <field number="627" name="NoHops" type="NUMINGROUP"/>
    <field number="628" name="HopCompID" type="STRING"/>
    <field number="1" name="Account" type="STRING"/>
    <field number="11" name="ClOrdID" type="STRING"/>
    <field number="38" name="Qty" type="QTY"/><field number="55" name="Symbol" type="STRING"/>
    <field number="54" name="Side" type="CHAR">
      <value enum="1" description="BUY"/><value enum="2" description="SELL"/></field>
    <field number="58" name="Text" type="STRING"/>
    <field number="167" name="SecurityType" type="STRING">
      <value enum="CS" description="A"/><value enum="FUT" description="B"/>
      <value enum="EIGHT888" description="C"/><value enum="NINE99999" description="D"/>
      <value enum="X" description="E"/></field>
    <field number="277" name="Conditions" type="MULTIPLEVALUESTRING">
      <value enum="A" description="A"/><value enum="BB" description="B"/></field>
    <field number="555" name="NoLegs" type="NUMINGROUP"/>
    <field number="556" name="LegID" type="STRING"/>
    <field number="557" name="LegQty" type="QTY"/>
    <field number="558" name="LegPrice" type="PRICE"/>
    <field number="453" name="NoParties" type="NUMINGROUP"/>
    <field number="448" name="PartyID" type="STRING"/>
    <field number="452" name="PartyRole" type="INT">
      <value enum="1" description="ONE"/><value enum="12" description="TWELVE"/></field>
    <field number="600" name="Elsewhere" type="INT"/>
    <field number="5001" name="Custom" type="INT"/>
    <field number="70000" name="LargeTag" type="INT"/>
    <field number="2147483647" name="LargestTag" type="INT"/>
  </fields>
</fix>)";

Validator validator(const ValidationRules& rules = {}) {
  const auto dictionary = load_quickfix_xml(kDictionary, "order.xml");
  if (!dictionary) throw std::runtime_error(dictionary.error().what());
  return Validator::make(*dictionary, rules).value();
}

// The rule, the tag, and the value at the offset.
struct Found {
  Rule rule;
  wire::Tag tag;
  std::string at;

  friend bool operator==(const Found&, const Found&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Found& found) {
    return out << "rule " << static_cast<int>(found.rule) << ", tag " << found.tag << ", at \""
               << found.at << '"';
  }
};

constexpr std::string_view kHeader = "35=D|49=S|56=T|34=2|";

std::optional<Violation> violation(const Validator& by, std::string_view body,
                                   std::string_view begin_string = "FIX.4.4") {
  static wire::Parser parser;
  static std::string bytes;
  bytes = fix(begin_string, body);
  const auto message = parser.parse(bytes);
  if (!message) throw std::runtime_error("garbled: " + std::string{body});
  return by.validate(*message);
}

std::optional<Found> found(const Validator& by, std::string_view body,
                           std::string_view begin_string = "FIX.4.4") {
  const std::optional<Violation> wrong = violation(by, body, begin_string);
  if (!wrong) return std::nullopt;
  const std::string bytes = testing::bar(fix(begin_string, body));
  const std::string rest = bytes.substr(wrong->offset);
  return Found{wrong->rule, wrong->tag, rest.substr(0, rest.find('|'))};
}

std::optional<Found> in_order(std::string_view fields, const ValidationRules& rules = {}) {
  return found(validator(rules), std::string{kHeader} + "11=A|55=B|" + std::string{fields});
}

TEST(ValidatorTest, a_message_with_all_required_fields_is_valid) {
  EXPECT_EQ(in_order(""), std::nullopt);
  EXPECT_EQ(in_order("43=Y|"), (Found{Rule::TagOutOfSection, 43, "Y"}));
  EXPECT_EQ(found(validator(), "35=D|34=2|43=Y|56=T|49=S|55=B|58=C|54=1|11=A|"), std::nullopt);
}

TEST(ValidatorTest, an_unknown_msg_type_is_reported_without_a_tag) {  // TC 2q
  EXPECT_EQ(found(validator(), "35=*|49=S|"), (Found{Rule::MsgTypeUnknown, 0, "*"}));
  EXPECT_EQ(found(validator(), "35=U2|49=S|"), (Found{Rule::MsgTypeUnknown, 0, "U2"}));
  EXPECT_EQ(found(validator(), "35=DD|49=S|"), (Found{Rule::MsgTypeUnknown, 0, "DD"}));
  EXPECT_EQ(found(validator(), "35=\xC4|49=S|"), (Found{Rule::MsgTypeUnknown, 0, "\xC4"}));
  EXPECT_EQ(found(validator(), "35=U1|49=S|56=T|34=1|"), std::nullopt);
}

TEST(ValidatorTest, tags_that_no_dictionary_has_are_unknown) {  // TC 14a
  EXPECT_EQ(in_order("999=HI|"), (Found{Rule::TagUnknown, 999, "HI"}));
  EXPECT_EQ(in_order("5000=HI|"), (Found{Rule::TagUnknown, 5000, "HI"}));
  EXPECT_EQ(in_order("70001=HI|"), (Found{Rule::TagUnknown, 70001, "HI"}));
  EXPECT_EQ(in_order("65535=HI|"), (Found{Rule::TagUnknown, 65535, "HI"}));
  EXPECT_EQ(reject_reason(Rule::TagUnknown), Reason::InvalidTagNumber);
}

TEST(ValidatorTest, only_fields_with_an_uncertain_begin_or_end_make_a_message_unreadable) {
  for (std::size_t i = 0; i < kViolationRules; ++i) {
    const Rule rule = static_cast<Rule>(i);
    const bool is_lost = rule == Rule::TagMalformed || rule == Rule::TagWithoutValue ||
                         rule == Rule::DataLengthWrong || rule == Rule::LengthMissing ||
                         rule == Rule::DataOutOfOrder;
    EXPECT_EQ(is_readable(rule), !is_lost) << i;
  }
}

TEST(ValidatorTest, tags_of_every_size_are_found) {
  EXPECT_EQ(in_order("5001=1|70000=2|2147483647=3|"), std::nullopt);
  EXPECT_EQ(in_order("2147483647=x|"), (Found{Rule::TypeWrong, 2147483647, "x"}));
  EXPECT_EQ(in_order("70000=1|70000=1|"), (Found{Rule::TagRepeated, 70000, "1"}));
}

TEST(ValidatorTest, a_field_of_another_message_is_not_defined_for_this_one) {  // TC 14c
  EXPECT_EQ(in_order("600=1|"), (Found{Rule::TagNotInMessage, 600, "1"}));
  EXPECT_EQ(found(validator(), "35=U1|49=S|56=T|34=1|55=B|"),
            (Found{Rule::TagNotInMessage, 55, "B"}));
}

TEST(ValidatorTest, unknown_fields_may_be_allowed_below_and_above_5000) {
  const ValidationRules below{.allow_unknown_msg_fields = true};
  EXPECT_EQ(in_order("999=HI|600=1|4999=x|", below), std::nullopt);
  EXPECT_EQ(in_order("5000=HI|", below), (Found{Rule::TagUnknown, 5000, "HI"}));
  // A field that the dictionary knows still has its type.
  EXPECT_EQ(in_order("600=x|", below), (Found{Rule::TypeWrong, 600, "x"}));
  const ValidationRules above{.validate_user_defined_fields = false};
  EXPECT_EQ(in_order("5000=HI|70001=x|", above), std::nullopt);
  EXPECT_EQ(in_order("4999=HI|", above), (Found{Rule::TagUnknown, 4999, "HI"}));
}

TEST(ValidatorTest, a_field_that_is_allowed_though_unknown_does_not_end_a_group) {
  const ValidationRules rules{.validate_user_defined_fields = false};
  EXPECT_EQ(in_order("555=2|556=a|9001=x|557=1|556=b|9001=y|54=1|", rules), std::nullopt);
  EXPECT_EQ(in_order("555=2|556=a|9001=x|556=b|557=x|", rules), (Found{Rule::TypeWrong, 557, "x"}));
}

TEST(ValidatorTest, missing_fields_are_named_header_first_and_by_ascending_tag) {  // TC 14b
  EXPECT_EQ(found(validator(), "35=D|49=S|34=2|11=A|55=B|"),
            (Found{Rule::RequiredTagMissing, 56, "D"}));
  EXPECT_EQ(found(validator(), "35=D|49=S|"), (Found{Rule::RequiredTagMissing, 34, "D"}));
  EXPECT_EQ(found(validator(), "35=D|34=1|49=S|56=T|"), (Found{Rule::RequiredTagMissing, 11, "D"}));
  EXPECT_EQ(found(validator(), "35=D|34=1|49=S|56=T|11=A|"),
            (Found{Rule::RequiredTagMissing, 55, "D"}));
}

TEST(ValidatorTest, an_optional_component_requires_nothing) {
  EXPECT_EQ(in_order("38=1|"), std::nullopt);
}

TEST(ValidatorTest, the_parsers_fault_comes_first) {  // TC 14d, 14a
  const auto empty = violation(validator(), "35=D|49=S|56=|34=2|11=A|55=B|");
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->rule, Rule::ValueEmpty);
  EXPECT_EQ(empty->tag, 56U);
  EXPECT_EQ(empty->tag_text, "56");
  EXPECT_EQ(empty->reason(), Reason::TagWithoutValue);
  const auto negative = violation(validator(), "35=*|49=S|-1=HI|");
  ASSERT_TRUE(negative);
  EXPECT_EQ(negative->rule, Rule::TagMalformed);
  EXPECT_EQ(negative->tag, 0U);
  EXPECT_EQ(negative->tag_text, "-1");
  EXPECT_EQ(negative->reason(), Reason::InvalidTagNumber);
  EXPECT_EQ(testing::bar(fix("FIX.4.4", "35=*|49=S|-1=HI|")).substr(negative->offset, 5), "-1=HI");
}

TEST(ValidatorTest, empty_values_of_any_type_may_be_allowed) {
  const ValidationRules rules{.validate_fields_have_values = false};
  EXPECT_EQ(in_order("38=|54=|43=|", rules), (Found{Rule::TagOutOfSection, 43, ""}));
  EXPECT_EQ(in_order("38=|54=|277=|58=|", rules), std::nullopt);
  EXPECT_EQ(in_order("555=|54=1|", rules), std::nullopt);
  EXPECT_EQ(in_order("38=|54=3|", rules), (Found{Rule::ValueNotInEnumeration, 54, "3"}));
}

TEST(ValidatorTest, sections_follow_each_other) {  // TC 14g
  EXPECT_EQ(found(validator(), "35=D|55=B|34=2|49=S|56=T|11=A|"),
            (Found{Rule::TagOutOfSection, 34, "2"}));
  EXPECT_EQ(in_order("93=5|54=1|"), (Found{Rule::TagOutOfSection, 54, "1"}));
  const ValidationRules rules{.validate_fields_out_of_order = false};
  EXPECT_EQ(found(validator(rules), "35=D|55=B|34=2|49=S|93=5|56=T|11=A|"), std::nullopt);
  EXPECT_EQ(found(validator(rules), "35=D|55=B|34=2|49=S|56=T|11=A|34=2|"),
            (Found{Rule::TagRepeated, 34, "2"}));
}

TEST(ValidatorTest, a_tag_occurs_once) {  // TC 14h
  EXPECT_EQ(in_order("54=1|54=2|"), (Found{Rule::TagRepeated, 54, "2"}));
  EXPECT_EQ(in_order("54=1|58=x|54=1|"), (Found{Rule::TagRepeated, 54, "1"}));
  EXPECT_EQ(found(validator(), "35=D|49=S|56=T|49=S|34=2|"), (Found{Rule::TagRepeated, 49, "S"}));
  EXPECT_EQ(found(validator(), "35=D|35=D|49=S|56=T|34=2|"), (Found{Rule::TagRepeated, 35, "D"}));
  EXPECT_EQ(reject_reason(Rule::TagRepeated), Reason::TagAppearsMoreThanOnce);
}

TEST(ValidatorTest, a_value_is_of_its_type_before_it_is_in_its_enumeration) {  // TC 14e, 14f
  EXPECT_EQ(in_order("38=+200.00|"), (Found{Rule::TypeWrong, 38, "+200.00"}));
  EXPECT_EQ(in_order("54=3|"), (Found{Rule::ValueNotInEnumeration, 54, "3"}));
  EXPECT_EQ(in_order("54=12|"), (Found{Rule::TypeWrong, 54, "12"}));
  EXPECT_EQ(in_order("54=\x80|"), (Found{Rule::ValueNotInEnumeration, 54, "\x80"}));
  EXPECT_EQ(found(validator(), "35=D|49=S|56=T|34=2|43=y|11=x|55=y|"),
            (Found{Rule::TypeWrong, 43, "y"}));
  EXPECT_EQ(reject_reason(Rule::TypeWrong), Reason::IncorrectDataFormat);
  EXPECT_EQ(reject_reason(Rule::ValueNotInEnumeration), Reason::ValueIncorrect);
}

TEST(ValidatorTest, enumerations_have_values_of_any_length) {
  for (const std::string_view right : {"CS", "FUT", "EIGHT888", "NINE99999", "X"}) {
    EXPECT_EQ(in_order("167=" + std::string{right} + "|"), std::nullopt) << right;
  }
  for (const std::string_view wrong : {"C", "S", "CSS", "BOO", "FU", "EIGHT88", "EIGHT8888",
                                       "NINE9999", "NINE999999", "XX", "cs"}) {
    EXPECT_EQ(in_order("167=" + std::string{wrong} + "|"),
              (Found{Rule::ValueNotInEnumeration, 167, std::string{wrong}}));
  }
  EXPECT_EQ(in_order(std::string_view{"167=CS\0|", 8}),
            (Found{Rule::ValueNotInEnumeration, 167, std::string{"CS\0", 3}}));
}

TEST(ValidatorTest, each_value_of_a_list_is_in_the_enumeration) {
  EXPECT_EQ(in_order("277=A|"), std::nullopt);
  EXPECT_EQ(in_order("277=BB A BB|"), std::nullopt);
  EXPECT_EQ(in_order("277=A C|"), (Found{Rule::ValueNotInEnumeration, 277, "A C"}));
  EXPECT_EQ(in_order("277=A  BB|"), (Found{Rule::TypeWrong, 277, "A  BB"}));
  EXPECT_EQ(in_order("277=A |"), (Found{Rule::TypeWrong, 277, "A "}));
}

TEST(ValidatorTest, unknown_enumeration_values_may_be_allowed_if_their_type_is_right) {
  const ValidationRules rules{.allow_unknown_enum_values = true};
  EXPECT_EQ(in_order("54=3|167=BOO|277=Q|", rules), std::nullopt);
  EXPECT_EQ(in_order("54=12|", rules), (Found{Rule::TypeWrong, 54, "12"}));
}

TEST(ValidatorTest, groups_within_groups_are_walked) {
  EXPECT_EQ(in_order("555=2|556=a|557=1|453=2|448=p|452=1|448=q|452=12|558=1.5|556=b|54=1|"),
            std::nullopt);
  EXPECT_EQ(in_order("555=0|54=1|"), std::nullopt);  // TC 21
  EXPECT_EQ(in_order("555=02|556=a|556=b|"), std::nullopt);
  EXPECT_EQ(in_order("555=1|556=a|453=1|448=p|452=2|"),
            (Found{Rule::ValueNotInEnumeration, 452, "2"}));
  EXPECT_EQ(found(validator(), "35=D|49=S|56=T|34=2|627=2|628=h|628=i|11=A|55=B|"), std::nullopt);
}

TEST(ValidatorTest, a_wrong_number_of_entries_is_reported_with_both_numbers) {  // TC 14i
  const auto wrong = violation(validator(), std::string{kHeader} + "11=A|55=B|555=3|556=a|556=b|");
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->rule, Rule::GroupCountWrong);
  EXPECT_EQ(wrong->tag, 555U);
  EXPECT_EQ(wrong->expected_entries, 3U);
  EXPECT_EQ(wrong->found_entries, 2U);
  EXPECT_EQ(wrong->reason(), Reason::IncorrectNumInGroupCount);
  EXPECT_EQ(in_order("555=1|556=a|556=b|"), (Found{Rule::GroupCountWrong, 555, "1"}));
  EXPECT_EQ(in_order("555=1|54=1|"), (Found{Rule::GroupCountWrong, 555, "1"}));
  EXPECT_EQ(in_order("555=0|556=a|"), (Found{Rule::GroupCountWrong, 555, "0"}));
  EXPECT_EQ(in_order("555=1|"), (Found{Rule::GroupCountWrong, 555, "1"}));
  EXPECT_EQ(in_order("555=99999999999999999999999|556=a|"),
            (Found{Rule::GroupCountWrong, 555, "99999999999999999999999"}));
  EXPECT_EQ(in_order("555=1|556=a|453=2|448=p|452=1|558=1|"),
            (Found{Rule::GroupCountWrong, 453, "2"}));
  EXPECT_EQ(in_order("555=-1|556=a|"), (Found{Rule::TypeWrong, 555, "-1"}));
}

TEST(ValidatorTest, an_entry_begins_with_the_groups_first_field) {
  const auto wrong = violation(validator(), std::string{kHeader} + "11=A|55=B|555=1|557=1|556=a|");
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->rule, Rule::DelimiterMissing);
  EXPECT_EQ(wrong->tag, 557U);
  EXPECT_EQ(wrong->group, 555U);
  EXPECT_EQ(wrong->expected_tag, 556U);
  EXPECT_EQ(wrong->reason(), Reason::GroupFieldsOutOfOrder);
}

// QuickFIX/J reports this, too (373=15): the second entry does not begin.
TEST(ValidatorTest, each_further_entry_begins_with_the_groups_first_field) {
  EXPECT_EQ(in_order("555=2|556=a|557=1|557=2|"), (Found{Rule::DelimiterMissing, 557, "2"}));
  const auto late = violation(
      validator(), std::string{kHeader} + "11=A|55=B|555=2|556=a|557=1|558=1|557=2|556=b|");
  ASSERT_TRUE(late);
  EXPECT_EQ(late->rule, Rule::DelimiterMissing);
  EXPECT_EQ(late->tag, 557U);
  EXPECT_EQ(late->expected_tag, 556U);
  const ValidationRules rules{.first_field_in_group_is_delimiter = true};
  const auto first = violation(validator(rules),
                               std::string{kHeader} + "11=A|55=B|555=2|557=1|556=a|558=1|556=b|");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->rule, Rule::DelimiterMissing);
  EXPECT_EQ(first->expected_tag, 557U);
}

TEST(ValidatorTest, a_field_twice_in_an_entry_is_a_repetition_if_no_delimiter_is_missing) {
  EXPECT_EQ(in_order("555=1|556=a|557=1|557=2|"), (Found{Rule::TagRepeated, 557, "2"}));
  EXPECT_EQ(in_order("555=2|556=a|557=1|557=2|556=b|"), (Found{Rule::TagRepeated, 557, "2"}));
  EXPECT_EQ(in_order("555=2|556=a|557=1|558=1|557=2|556=b|557=3|"),
            (Found{Rule::TagRepeated, 557, "2"}));
}

TEST(ValidatorTest, the_first_field_of_a_group_may_be_its_delimiter) {
  const ValidationRules rules{.first_field_in_group_is_delimiter = true};
  EXPECT_EQ(in_order("555=2|557=1|556=a|557=2|556=b|54=1|", rules), std::nullopt);
  EXPECT_EQ(in_order("555=2|556=a|557=1|556=b|", rules), std::nullopt);
  EXPECT_EQ(in_order("555=2|557=1|556=a|557=2|54=1|", rules),
            (Found{Rule::RequiredTagMissing, 556, "2"}));
}

TEST(ValidatorTest, a_group_within_an_entry_ends_where_the_next_entry_begins) {
  // An entry of the inner group also has LegQty.
  std::string text{kDictionary};
  const std::string_view last = R"(<field name="PartyRole" required="Y"/>)";
  text.insert(text.find(last) + last.size(), R"(<field name="LegQty" required="N"/>)");
  const auto dictionary = load_quickfix_xml(text, "order.xml");
  ASSERT_TRUE(dictionary);
  const auto by = [&](bool first_field_is_delimiter) {
    return Validator::make(*dictionary,
                           {.validate_unordered_group_fields = false,
                            .first_field_in_group_is_delimiter = first_field_is_delimiter})
        .value();
  };
  const std::string begin = std::string{kHeader} + "11=A|55=B|";
  const std::string entry = "557=1|556=a|453=1|448=p|452=1|557=2|";
  EXPECT_EQ(found(by(true), begin + "555=2|" + entry + "557=3|556=b|"), std::nullopt);
  EXPECT_EQ(found(by(false), begin + "555=2|556=a|557=1|" + entry.substr(12) + "557=3|556=b|"),
            (Found{Rule::TagRepeated, 557, "3"}));
}

// FIX TagValue Encoding, "Repeating groups": in the order of the definition. QuickFIX does not
// require it, and its dictionaries and those of QuickFIX/J have different orders.
TEST(ValidatorTest, fields_of_an_entry_may_be_in_any_order_unless_their_order_is_validated) {
  EXPECT_EQ(in_order("555=1|556=a|558=1|453=1|448=p|452=1|557=1|"), std::nullopt);
  EXPECT_EQ(in_order("555=1|556=a|558=1|557=1|558=1|"), (Found{Rule::TagRepeated, 558, "1"}));
  const ValidationRules rules{.validate_unordered_group_fields = true};
  EXPECT_EQ(in_order("555=1|556=a|558=1|557=1|", rules), (Found{Rule::GroupOrderWrong, 557, "1"}));
  EXPECT_EQ(in_order("555=1|556=a|558=1|453=1|448=p|452=1|", rules),
            (Found{Rule::GroupOrderWrong, 453, "1"}));
  EXPECT_EQ(in_order("555=1|556=a|557=1|558=1|", rules), std::nullopt);
}

TEST(ValidatorTest, each_entry_has_its_required_fields) {
  EXPECT_EQ(in_order("555=1|556=a|453=2|448=p|452=1|448=q|"),
            (Found{Rule::RequiredTagMissing, 452, "q"}));
  EXPECT_EQ(in_order("555=1|556=a|453=2|448=p|448=q|452=1|"),
            (Found{Rule::RequiredTagMissing, 452, "p"}));
}

TEST(ValidatorTest, a_field_of_group_and_message_belongs_to_the_group_while_it_fits_there) {
  EXPECT_EQ(in_order("555=1|556=a|58=x|58=y|"), std::nullopt);
  EXPECT_EQ(in_order("555=1|556=a|58=x|58=y|58=z|"), (Found{Rule::TagRepeated, 58, "z"}));
  EXPECT_EQ(in_order("555=0|58=x|"), std::nullopt);
  EXPECT_EQ(in_order("58=x|555=1|556=a|58=y|"), std::nullopt);
}

TEST(ValidatorTest, an_unknown_field_within_a_group_is_reported_before_the_groups_count) {
  EXPECT_EQ(in_order("555=2|556=a|999=x|556=b|"), (Found{Rule::TagUnknown, 999, "x"}));
  EXPECT_EQ(in_order("555=2|556=a|600=1|556=b|"), (Found{Rule::TagNotInMessage, 600, "1"}));
}

TEST(ValidatorTest, fixt_messages_are_validated_by_their_own_dictionary) {
  const Validator by = Validator::make(FixtDictionaries{builtin_dictionary(Version::Fixt11),
                                                        builtin_dictionary(Version::Fix50Sp2)},
                                       {})
                           .value();
  const std::string head = "49=S|56=T|34=2|52=20240115-10:30:00|";
  EXPECT_EQ(found(by, "35=0|" + head, "FIXT.1.1"), std::nullopt);
  EXPECT_EQ(found(by, "35=0|" + head + "999=1|", "FIXT.1.1"), (Found{Rule::TagUnknown, 999, "1"}));
  EXPECT_EQ(found(by, "35=0|" + head + "58=x|", "FIXT.1.1"),
            (Found{Rule::TagNotInMessage, 58, "x"}));
  const std::string order = "35=D|" + head + "11=A|55=B|54=1|60=20240115-10:30:00|40=1|38=1|";
  EXPECT_EQ(found(by, order, "FIXT.1.1"), std::nullopt);
  EXPECT_EQ(found(by, order + "34=2|", "FIXT.1.1"), (Found{Rule::TagOutOfSection, 34, "2"}));
  EXPECT_EQ(found(by, "35=D|" + head + "11=A|55=B|60=20240115-10:30:00|40=1|", "FIXT.1.1"),
            (Found{Rule::RequiredTagMissing, 54, "D"}));
}

TEST(ValidatorTest, tables_of_every_version_are_small) {
  constexpr std::size_t kBytesMax = 4U << 20U;
  for (const Version version : {Version::Fix40, Version::Fix44, Version::Fix50Sp2}) {
    EXPECT_LE(Validator::make(builtin_dictionary(version), {})->size_bytes(), kBytesMax);
  }
}

TEST(ValidatorTest, a_message_too_large_for_the_stack_is_refused) {
  Dictionary dictionary;
  for (wire::Tag tag = 1; tag <= 16'384; ++tag) {
    dictionary.fields.push_back({.tag = tag, .name = "F" + std::to_string(tag), .values = {}});
  }
  MessageDefinition message{.name = "Large", .msg_type = "L", .members = {}};
  for (Index i = 0; i < dictionary.fields.size(); ++i) {
    message.members.push_back({Member::Kind::Field, i, false});
  }
  dictionary.messages = {message};
  EXPECT_TRUE(Validator::make(dictionary, {}));
  dictionary.fields.push_back({.tag = 20'000, .name = "One more", .values = {}});
  dictionary.messages[0].members.push_back({Member::Kind::Field, 16'384, false});
  const auto refused = Validator::make(dictionary, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("16384"), std::string::npos) << refused.error();
}

// A value so close to the beginning of the message that a scan's first load would start before it.
TEST(Validator, no_byte_before_a_message_without_begin_string_is_read) {
  // Without required fields, because those would be reported first.
  Dictionary dictionary = builtin_dictionary(Version::Fix44);
  for (Member& member : dictionary.header) member.required = false;
  for (MessageDefinition& message : dictionary.messages) {
    for (Member& member : message.members) member.required = false;
  }
  const std::expected<Validator, std::string> validator =
      Validator::make(dictionary, {.validate_fields_have_values = false});
  ASSERT_TRUE(validator.has_value());
  constexpr std::size_t kBytesMax = 100;
  test::GuardedBytes guarded{kBytesMax};
  for (const std::string_view begin_string : {"", "X"}) {
    for (const auto& [value, is_valid] : {std::pair{"1", true}, {"x", false}, {"", true}}) {
      const std::string message = fix(begin_string, "35=2|7=" + std::string{value} + '|');
      wire::Parser parser;
      const auto parsed = parser.parse(guarded.at_begin(message));
      ASSERT_TRUE(parsed.has_value()) << message;
      const std::optional<Violation> wrong = validator->validate(*parsed);
      ASSERT_EQ(wrong.has_value(), !is_valid) << message;
      EXPECT_TRUE(!wrong || wrong->rule == Rule::TypeWrong) << message;
    }
  }
}

}  // namespace
}  // namespace nexusfix::dictionary
