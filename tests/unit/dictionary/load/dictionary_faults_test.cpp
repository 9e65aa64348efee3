// Files with faults: the error names all of them at once. If they are warnings, the file is read as
// QuickFIX reads it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>

namespace nexusfix::dictionary {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> faults_of(std::string_view text) {
  const auto loaded = load_dictionary(text, "v.xml");
  return loaded ? std::vector<std::string>{} : loaded.error().all();
}

Dictionary read(std::string_view text) {
  auto loaded = load_dictionary(text, "v.xml", DictionaryFaults::Warn);
  EXPECT_TRUE(loaded) << loaded.error().what();
  return loaded ? std::move(*loaded) : Dictionary{};
}

// Line 1 to 2, then one line each.
std::string file(const std::vector<std::string_view>& fields,
                 const std::vector<std::string_view>& messages = {},
                 const std::vector<std::string_view>& components = {}) {
  std::string text = "<fix type=\"FIX\" major=\"4\" minor=\"4\">\n<fields>\n";
  for (const std::string_view line : fields) text.append(line).append("\n");
  text += "</fields><components>\n";
  for (const std::string_view line : components) text.append(line).append("\n");
  text += "</components><messages>\n";
  for (const std::string_view line : messages) text.append(line).append("\n");
  return text + "</messages></fix>";
}

std::vector<wire::Tag> tags_of(const Dictionary& dictionary, const std::vector<Member>& members) {
  std::vector<wire::Tag> tags;
  for (const FlatMember& member : flatten(dictionary, members)) {
    tags.push_back(dictionary.fields[member.field].tag);
  }
  return tags;
}

constexpr std::string_view kSymbol = R"(<field number="55" name="Symbol" type="STRING"/>)";
constexpr std::string_view kNoLegs = R"(<field number="555" name="NoLegs" type="NUMINGROUP"/>)";
constexpr std::string_view kLegSymbol = R"(<field number="600" name="LegSymbol" type="STRING"/>)";

TEST(DictionaryFaults, all_of_them_are_listed_with_their_lines) {
  EXPECT_THAT(
      faults_of(file(
          {R"(<field number="5001" name="A" type="INT"/>)",
           R"(<field number="5001" name="B" type="STRING"/>)",
           R"(<field number="5002" name="B" type="STRING"/>)",
           R"(<field number="x" name="C" type="STRING"/>)",
           R"(<field number="5003" type="STRING"/>)"},
          {R"(<message name="M" msgtype="U1" msgcat="app">)", R"(<field name="A" required="yes"/>)",
           R"(<field name="C"/>)", R"(<field name="D"/>)", R"(<component name="E"/>)",
           R"(<group name="A"/></message>)", R"(<message name="N" msgtype="U1" msgcat="app"/>)"})),
      ElementsAre("v.xml:4: tag 5001 is defined twice: A and B",
                  "v.xml:5: field \"B\" is defined twice",
                  "v.xml:6: number is \"x\", expected a number",
                  "v.xml:7: <field> lacks the attribute \"name\"",
                  "v.xml:11: required is \"yes\", expected \"Y\" or \"N\"",
                  "v.xml:13: field \"D\" is not defined in <fields>; did you mean \"B\"?",
                  "v.xml:14: component \"E\" is not defined in <components>",
                  "v.xml:15: group \"B_5001\" has no fields: its first field begins an entry",
                  "v.xml:16: msgtype \"U1\" is defined twice: M and N"));
}

TEST(DictionaryFaults, those_beyond_the_limit_are_counted) {
  std::vector<std::string_view> fields(kDictionaryFaultsNamed + 3,
                                       R"(<field name="A" type="INT"/>)");
  const std::vector<std::string> faults = faults_of(file(fields));
  ASSERT_THAT(faults, SizeIs(kDictionaryFaultsNamed + 1));
  EXPECT_EQ(faults.back(), "v.xml: and 3 more faults");
}

TEST(DictionaryFaults, a_file_without_faults_is_read_the_same_way) {
  const std::string text = file({kSymbol}, {R"(<message name="M" msgtype="U1" msgcat="app">)",
                                            R"(<field name="Symbol" required="Y"/></message>)"});
  EXPECT_EQ(read(text), *load_dictionary(text, "v.xml"));
  EXPECT_THAT(read(text).warnings, IsEmpty());
}

// DataDictionary.h: the later type and name of a tag count, its values are merged, and its names
// are kept.
TEST(DictionaryFaults, a_tag_that_is_defined_twice_has_the_last_type_and_the_values_of_both) {
  const Dictionary dictionary = read(
      file({R"(<field number="5001" name="A" type="INT"><value enum="1" description="ONE"/>)",
            R"(<value enum="2" description="TWO"/></field>)",
            R"(<field number="5001" name="B" type="STRING"><value enum="2" description="ZWEI"/>)",
            R"(<value enum="X" description="EX"/></field>)"},
           {R"(<message name="M" msgtype="U1" msgcat="app"><field name="A"/></message>)",
            R"(<message name="N" msgtype="U2" msgcat="app"><field name="B"/></message>)"}));
  ASSERT_THAT(dictionary.fields, SizeIs(1));
  const FieldDefinition& field = dictionary.fields[0];
  EXPECT_EQ(field.name, "B");
  EXPECT_EQ(field.type, FieldType::String);
  EXPECT_THAT(field.values, ElementsAre(FieldDefinition::EnumValue{"1", "ONE"},
                                        FieldDefinition::EnumValue{"2", "ZWEI"},
                                        FieldDefinition::EnumValue{"X", "EX"}));
  EXPECT_THAT(tags_of(dictionary, dictionary.messages[0].members), ElementsAre(5001));
  EXPECT_THAT(tags_of(dictionary, dictionary.messages[1].members), ElementsAre(5001));
  EXPECT_THAT(dictionary.warnings,
              ElementsAre("v.xml:5: tag 5001 is defined twice: A and B; both names mean it, this "
                          "type counts, and the values of both"));
}

TEST(DictionaryFaults, a_name_that_is_defined_twice_means_the_last_tag) {
  const Dictionary dictionary =
      read(file({R"(<field number="5002" name="A" type="INT"/>)",
                 R"(<field number="5001" name="A" type="STRING"/>)"},
                {R"(<message name="M" msgtype="U1" msgcat="app"><field name="A"/></message>)"}));
  ASSERT_THAT(dictionary.fields, SizeIs(2));
  EXPECT_EQ(dictionary.fields[0].name, "A");
  EXPECT_EQ(dictionary.fields[1].name, "A_5002");
  EXPECT_THAT(tags_of(dictionary, dictionary.messages[0].members), ElementsAre(5001));
  EXPECT_THAT(dictionary.warnings,
              ElementsAre("v.xml:4: field \"A\" is defined twice; the name means 5001, and no "
                          "longer 5002"));
}

TEST(DictionaryFaults, two_equal_definitions_are_one_definition) {
  const Dictionary dictionary = read(file({kSymbol, kSymbol}));
  ASSERT_THAT(dictionary.fields, SizeIs(1));
  EXPECT_EQ(dictionary.fields[0].name, "Symbol");
  EXPECT_THAT(dictionary.warnings, SizeIs(1));
}

TEST(DictionaryFaults, a_number_followed_by_other_characters_is_that_number) {
  const Dictionary dictionary = read(
      file({R"(<field number=" 55x" name="Symbol" type="STRING"/>)",
            R"(<field number="x" name="A" type="STRING"/>)",
            R"(<field number="0" name="B" type="STRING"/>)", R"(<field number="600" name="C"/>)"},
           {R"(<message name="M" msgtype="U1" msgcat="app">)",
            R"(<field name="Symbol"/><field name="A"/></message>)"}));
  ASSERT_THAT(dictionary.fields, SizeIs(2));
  EXPECT_EQ(dictionary.fields[0].tag, 55U);
  EXPECT_EQ(dictionary.fields[1].type, FieldType::Unknown);
  EXPECT_THAT(tags_of(dictionary, dictionary.messages[0].members), ElementsAre(55));
  EXPECT_THAT(dictionary.warnings,
              ElementsAre("v.xml:3: number is \" 55x\", expected a number; read as 55",
                          "v.xml:4: number is \"x\", expected a number; it is left out",
                          EndsWith(":5: number is 0, expected 1 to 2147483647; it is left out"),
                          "v.xml:6: <field> lacks the attribute \"type\"; its values are text"));
}

TEST(DictionaryFaults, undefined_names_are_left_out) {
  const Dictionary dictionary = read(file(
      {kSymbol, kNoLegs, kLegSymbol},
      {R"(<message name="M" msgtype="U1" msgcat="app"><field name="Nowhere" required="Y"/>)",
       R"(<component name="None" required="Y"/><group name="NoNothing"><field name="Symbol"/>)",
       R"(</group><group name="NoLegs"><field name="Missing"/><field name="LegSymbol"/></group>)",
       R"(<legs name="Symbol"/><field required="Y"/></message><other/>)"}));
  ASSERT_THAT(dictionary.messages, SizeIs(1));
  EXPECT_THAT(tags_of(dictionary, dictionary.messages[0].members), ElementsAre(555));
  EXPECT_THAT(tags_of(dictionary, dictionary.groups[0].members), ElementsAre(600));
  EXPECT_THAT(dictionary.warnings, SizeIs(7));
  EXPECT_TRUE(Validator::make(dictionary, {}));
}

TEST(DictionaryFaults, a_component_may_be_listed_as_a_field_and_a_field_as_a_component) {
  const Dictionary dictionary =
      read(file({kSymbol, kLegSymbol},
                {R"(<message name="M" msgtype="U1" msgcat="app"><field name="Legs"/>)",
                 R"(<component name="Symbol"/></message>)"},
                {R"(<component name="Legs"><field name="LegSymbol"/></component>)"}));
  EXPECT_THAT(tags_of(dictionary, dictionary.messages[0].members), ElementsAre(600, 55));
  EXPECT_THAT(dictionary.warnings, SizeIs(2));
}

// Without a first field, QuickFIX makes no group: the count is read as an ordinary field.
TEST(DictionaryFaults, a_group_without_fields_is_its_count) {
  const Dictionary dictionary = read(
      file({kSymbol, kNoLegs, kLegSymbol},
           {R"(<message name="M" msgtype="U1" msgcat="app"><group name="NoLegs" required="Y"/>)",
            R"(</message>)",
            R"(<message name="N" msgtype="U2" msgcat="app"><group name="NoLegs" required="Y">)",
            R"(<field name="LegSymbol"/><field name="NoLegs"/></group></message>)"}));
  EXPECT_EQ(dictionary.messages[0].members, (std::vector<Member>{{Member::Kind::Field, 1, true}}));
  ASSERT_THAT(dictionary.groups, SizeIs(1));
  EXPECT_EQ(dictionary.messages[1].members, (std::vector<Member>{{Member::Kind::Group, 0, true}}));
  EXPECT_THAT(tags_of(dictionary, dictionary.groups[0].members), ElementsAre(600));
  EXPECT_THAT(dictionary.warnings, SizeIs(2));
  EXPECT_TRUE(Validator::make(dictionary, {}));
}

TEST(DictionaryFaults, a_message_that_is_defined_twice_has_the_fields_of_both) {
  const Dictionary dictionary = read(
      file({kSymbol, kNoLegs, kLegSymbol},
           {R"(<message name="M" msgtype="U1" msgcat="app"><field name="Symbol" required="Y"/>)",
            R"(<group name="NoLegs"><field name="Symbol"/></group></message>)",
            R"(<message name="N" msgtype="U1" msgcat="app"><field name="Symbol" required="N"/>)",
            R"(<group name="NoLegs"><field name="LegSymbol"/></group><field name="LegSymbol"/>)",
            R"(</message><message name="M" msgtype="U2" msgcat="app"/>)"}));
  ASSERT_THAT(dictionary.messages, SizeIs(2));
  const MessageDefinition& message = dictionary.messages[0];
  EXPECT_THAT(tags_of(dictionary, message.members), ElementsAre(55, 555, 600));
  EXPECT_TRUE(message.members[0].required);
  EXPECT_THAT(tags_of(dictionary, dictionary.groups[message.members[1].index].members),
              ElementsAre(600));
  EXPECT_EQ(dictionary.messages[1].name, "M_U2");
  EXPECT_THAT(dictionary.warnings, SizeIs(2));
}

TEST(DictionaryFaults, a_field_of_only_the_first_of_two_definitions_stays) {
  const Dictionary dictionary =
      read(file({kSymbol, kLegSymbol},
                {R"(<message name="M" msgtype="U1" msgcat="app"><field name="LegSymbol"/>)",
                 R"(</message><message name="N" msgtype="U1" msgcat="app">)",
                 R"(<field name="Symbol"/></message>)"}));
  ASSERT_THAT(dictionary.messages, SizeIs(1));
  EXPECT_THAT(tags_of(dictionary, dictionary.messages[0].members), ElementsAre(55, 600));
}

TEST(DictionaryFaults, misplaced_words_are_read_as_in_quickfix) {
  const Dictionary dictionary = read(
      "<fix type=\"fix\" major=\"4\" minor=\"4\" servicepack=\"SP1\">\n"
      "<fields><field number=\"55\" name=\"Symbol\" type=\"TEXT\"><value/></field></fields>\n"
      "<messages><message msgtype=\"U1\" msgcat=\"app\">\n"
      "<field name=\"Symbol\" required=\"C\"/></message>\n"
      "<message name=\"X\" msgtype=\"A B\"/></messages>\n"
      "<messages/></fix>");
  EXPECT_EQ(dictionary.begin_string, "FIX.4.4");
  EXPECT_EQ(dictionary.service_pack, 0U);
  ASSERT_THAT(dictionary.messages, SizeIs(1));
  EXPECT_EQ(dictionary.messages[0].name, "U1");
  EXPECT_FALSE(dictionary.messages[0].members[0].required);
  EXPECT_THAT(
      dictionary.warnings,
      ElementsAre("v.xml:1: type is \"fix\", expected \"FIX\" or \"FIXT\"; read as \"FIX\"",
                  "v.xml:1: servicepack is \"SP1\", expected a number; read as 0",
                  "v.xml:2: unknown type \"TEXT\" of Symbol, its values are text",
                  "v.xml:2: <value> lacks the attribute \"enum\"; it is left out",
                  "v.xml:3: <message> lacks the attribute \"name\"; its msgtype is its name",
                  "v.xml:4: required is \"C\", expected \"Y\" or \"N\"; read as \"N\"",
                  "v.xml:5: msgtype \"A B\" has a character that no MsgType (35) can have: a "
                  "space, '=' or an unprintable one; it is left out",
                  "v.xml:6: a second <messages>; the first counts"));
}

TEST(DictionaryFaults, a_fault_without_a_reading_stays_an_error_among_the_others) {
  const std::string text = file(
      {kSymbol}, {R"(<message name="M" msgtype="U1" msgcat="app"><field name="X"/></message>)"},
      {R"(<component name="A"><component name="B"/></component>)",
       R"(<component name="B"><component name="A"/></component>)"});
  EXPECT_THAT(faults_of(text), ElementsAre("v.xml:5: component \"A\" contains itself: A > B > A",
                                           "v.xml:8: field \"X\" is not defined in <fields>"));
  const auto loaded = load_dictionary(text, "v.xml", DictionaryFaults::Warn);
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().all(),
              ElementsAre("v.xml:5: component \"A\" contains itself: A > B > A"));
  EXPECT_FALSE(load_dictionary("<fix major=\"4\" minor=\"4\"/>", "v.xml", DictionaryFaults::Warn));
  EXPECT_FALSE(load_dictionary("<fix", "v.xml", DictionaryFaults::Warn));
}

TEST(DictionaryFaults, the_latest_fix_of_quickfix_j_is_5_0_sp2) {
  const Dictionary dictionary =
      *load_dictionary("<fix major=\"Latest\" minor=\"0\"><messages/><fields/></fix>", "v.xml");
  EXPECT_EQ(dictionary.begin_string, "FIX.5.0");
  EXPECT_EQ(dictionary.service_pack, 2U);
}

TEST(DictionaryFaults, those_of_a_repository_are_read_the_same_way) {
  const std::string text =
      "<repository version=\"FIX.4.4\"><codeSets><codeSet name=\"S\" type=\"char\">\n"
      "<code value=\"1\"/></codeSet></codeSets><fields>\n"
      "<field id=\"54\" name=\"Side\" type=\"S\"/>\n"
      "<field id=\"54\" name=\"Seite\" type=\"String\"/>\n"
      "<field id=\"55\" name=\"Side\" type=\"Strnig\"/>\n"
      "<field id=\"555\" name=\"NoLegs\" type=\"NumInGroup\" lengthId=\"7\"/></fields><groups>\n"
      "<group id=\"1\" name=\"Legs\"><fieldRef id=\"55\"/></group></groups><messages>\n"
      "<message name=\"M\" msgType=\"U1\"><structure><fieldRef id=\"54\" presence=\"maybe\"/>\n"
      "<fieldRef id=\"99\"/><fieldRef id=\"x\"/></structure></message>\n"
      "<message name=\"M\" msgType=\"U2\"/></messages></repository>";
  EXPECT_THAT(faults_of(text), SizeIs(11));
  const Dictionary dictionary = read(text);
  EXPECT_THAT(dictionary.warnings, SizeIs(11));
  ASSERT_THAT(dictionary.fields, SizeIs(3));
  EXPECT_EQ(dictionary.fields[0].name, "Side");
  EXPECT_EQ(dictionary.fields[1].name, "Side_55");
  EXPECT_EQ(dictionary.fields[1].type, FieldType::Unknown);
  EXPECT_EQ(dictionary.fields[2].length_tag, 0U);
  EXPECT_THAT(dictionary.groups, IsEmpty());
  ASSERT_THAT(dictionary.messages, SizeIs(2));
  EXPECT_THAT(tags_of(dictionary, dictionary.messages[0].members), ElementsAre(54));
  EXPECT_EQ(dictionary.messages[1].name, "M_U2");
}

}  // namespace
}  // namespace nexusfix::dictionary
