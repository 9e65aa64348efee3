#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {
namespace {

constexpr std::string_view kFields = R"(<fields>
<field number="55" name="Symbol" type="STRING"/>
<field number="11" name="ClOrdID" type="STRING"/>
<field number="54" name="Side" type="CHAR">
<value enum="1" description="BUY"/><value enum="2" description="SELL"/>
</field>
<field number="555" name="NoLegs" type="NUMINGROUP"/>
<field number="600" name="LegSymbol" type="STRING"/>
</fields>)";

struct Parts {
  std::string header = "";
  std::string messages = "";
  std::string components = "";
  std::string fields{kFields};
};

std::string document(const Parts& parts) {
  return "<fix type=\"FIX\" major=\"4\" minor=\"4\">\n<header>" + parts.header +
         "</header>\n<messages>" + parts.messages + "</messages>\n<components>" + parts.components +
         "</components>\n" + parts.fields + "\n</fix>\n";
}

Dictionary load(const std::string& text) {
  auto loaded = load_quickfix_xml(text, "test.xml");
  EXPECT_TRUE(loaded) << loaded.error().what();
  return loaded ? std::move(*loaded) : Dictionary{};
}

std::string error_of(std::string_view text) {
  const auto loaded = load_quickfix_xml(text, "test.xml");
  return loaded ? "no error" : loaded.error().what();
}

TEST(QuickfixXml, reads_fields_by_tag_with_their_values) {
  const Dictionary dictionary = load(document({}));
  EXPECT_EQ(dictionary.begin_string, "FIX.4.4");
  ASSERT_EQ(dictionary.fields.size(), 5U);
  EXPECT_EQ(dictionary.fields[0].name, "ClOrdID");
  const FieldDefinition* side = dictionary.field(54);
  ASSERT_NE(side, nullptr);
  EXPECT_EQ(side->type, FieldType::Char);
  ASSERT_EQ(side->values.size(), 2U);
  EXPECT_EQ(side->values[1].value, "2");
  EXPECT_EQ(side->values[1].name, "SELL");
}

TEST(QuickfixXml, reads_messages_with_components_and_nested_groups) {
  const Dictionary dictionary = load(document({
      .header = R"(<field name="Symbol" required="Y"/>)",
      .messages = R"(<message name="Order" msgtype="D" msgcat="app">
<field name="ClOrdID" required="Y"/><component name="Legs" required="Y"/></message>
<message name="Ping" msgtype="0" msgcat="admin"/>)",
      .components = R"(<component name="Legs"><group name="NoLegs" required="N">
<field name="LegSymbol" required="N"/></group></component>)",
  }));
  ASSERT_EQ(dictionary.messages.size(), 2U);
  const MessageDefinition& order = dictionary.messages[0];
  EXPECT_FALSE(order.admin);
  EXPECT_TRUE(dictionary.messages[1].admin);
  ASSERT_EQ(order.members.size(), 2U);
  EXPECT_TRUE(order.members[0].required);
  EXPECT_EQ(order.members[1].kind, Member::Kind::Component);
  ASSERT_EQ(dictionary.groups.size(), 1U);
  EXPECT_EQ(dictionary.fields[dictionary.groups[0].count_field].name, "NoLegs");
  ASSERT_EQ(dictionary.groups[0].members.size(), 1U);
  ASSERT_EQ(dictionary.header.size(), 1U);
  EXPECT_TRUE(dictionary.header[0].required);
}

TEST(QuickfixXml, reads_a_component_that_is_defined_after_its_user) {
  const Dictionary dictionary = load(document({
      .components = R"(<component name="A"><component name="B"/></component>
<component name="B"><field name="Symbol"/></component>)",
  }));
  EXPECT_EQ(dictionary.components[0].members[0].index, 1U);
}

TEST(QuickfixXml, names_the_line_of_a_field_that_is_not_defined) {
  EXPECT_EQ(error_of(document({.messages = R"(
<message name="Order" msgtype="D">
  <field name="Nothing" required="Y"/></message>)"})),
            "test.xml:5: field \"Nothing\" is not defined in <fields>");
  EXPECT_EQ(error_of(document({.messages = R"(<message name="Order" msgtype="D">
<component name="Nothing"/></message>)"})),
            "test.xml:4: component \"Nothing\" is not defined in <components>");
}

TEST(QuickfixXml, names_the_nearest_name_that_is_defined) {
  const auto message = [](const std::string& member) {
    return error_of(document(
        {.messages = "<message name=\"Order\" msgtype=\"D\">" + member + "</message>",
         .components = R"(<component name="Legs"><field name="LegSymbol"/></component>)"}));
  };
  EXPECT_EQ(message(R"(<field name="Symbl"/>)"),
            "test.xml:3: field \"Symbl\" is not defined in <fields>; did you mean \"Symbol\"?");
  EXPECT_EQ(message(R"(<group name="NoLeg"/>)"),
            "test.xml:3: field \"NoLeg\" is not defined in <fields>; did you mean \"NoLegs\"?");
  EXPECT_EQ(message(R"(<component name="legs"/>)"),
            "test.xml:3: component \"legs\" is not defined in <components>; did you mean "
            "\"Legs\"?");
  EXPECT_EQ(message(R"(<field name="Legs"/>)"),
            "test.xml:3: field \"Legs\" is not defined in <fields>, and a component has this "
            "name");
}

TEST(QuickfixXml, takes_components_and_nested_groups_in_header_and_trailer) {
  const Dictionary dictionary = load(document({
      .header = R"(<component name="Hops" required="Y"/>
<group name="NoLegs" required="N"><group name="NoMore"><field name="Symbol"/></group></group>)",
      .components = R"(<component name="Hops"><field name="ClOrdID" required="Y"/></component>)",
      .fields = R"(<fields><field number="11" name="ClOrdID" type="STRING"/>
<field number="55" name="Symbol" type="STRING"/><field number="555" name="NoLegs" type="INT"/>
<field number="556" name="NoMore" type="NUMINGROUP"/></fields>)",
  }));
  const std::vector<FlatMember> header = flatten(dictionary, dictionary.header);
  ASSERT_EQ(header.size(), 2U);
  EXPECT_EQ(dictionary.fields[header[0].field].name, "ClOrdID");
  EXPECT_TRUE(header[0].required);
  ASSERT_TRUE(header[1].group);
  const GroupDefinition& hops = dictionary.groups[*header[1].group];
  ASSERT_EQ(hops.members.size(), 1U);
  EXPECT_EQ(hops.members[0].kind, Member::Kind::Group);
  EXPECT_TRUE(dictionary.warnings.empty()) << dictionary.warnings.front();
}

TEST(QuickfixXml, skips_comments_and_parts_without_meaning) {
  const Dictionary dictionary = load(
      "\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8'?>\n<!-- <fix> -->\n<!DOCTYPE fix>\n"
      "<fix major='4' minor='4' type='FIX'><!-- one --><![CDATA[two]]>three"
      "<header><!-- four --></header><trailer/><components/>"
      "<messages><message name='A' msgtype='A' msgcat='admin'><!-- five -->"
      "<field name='B' required='y'/></message></messages>"
      "<fields><field number='1' name='B' type='char' other='x'>"
      "<values><value enum='1' description='ONE'/></values></field></fields></fix>");
  ASSERT_EQ(dictionary.messages.size(), 1U);
  EXPECT_TRUE(dictionary.messages[0].members[0].required);
  ASSERT_EQ(dictionary.fields[0].values.size(), 1U);
  EXPECT_EQ(dictionary.fields[0].values[0].name, "ONE");
  EXPECT_TRUE(dictionary.warnings.empty()) << dictionary.warnings.front();
}

TEST(QuickfixXml, knows_fields_whose_enumeration_is_open) {
  const auto others = [](const std::string& attribute) {
    return load(document({.fields = "<fields><field number=\"1\" name=\"A\" type=\"INT\" " +
                                    attribute + "/></fields>"}))
        .fields[0]
        .other_values;
  };
  EXPECT_EQ(others("allowOtherValues=\"Y\""), FieldDefinition::OtherValues::Any);
  EXPECT_EQ(others("allowOtherValues=\"true\""), FieldDefinition::OtherValues::Any);
  EXPECT_EQ(others("allowOtherValues=\"N\""), FieldDefinition::OtherValues::None);
  EXPECT_EQ(others(""), FieldDefinition::OtherValues::None);
  EXPECT_EQ(others("allowOtherValues=\"true\" unionDataType=\"Qty\""),
            FieldDefinition::OtherValues::Qty);
  EXPECT_EQ(others("unionDataType=\"Tenor\""), FieldDefinition::OtherValues::Tenor);
  EXPECT_EQ(others("unionDataType=\"Pattern\""), FieldDefinition::OtherValues::Any);
}

TEST(QuickfixXml, refuses_a_group_whose_components_are_empty) {
  EXPECT_EQ(error_of(document({.messages = R"(<message name="Order" msgtype="D">
<group name="NoLegs"><component name="A"/></group></message>)",
                               .components = R"(<component name="A"/>)"})),
            "test.xml:4: group \"NoLegs\" has no fields: its first field begins an entry");
}

TEST(QuickfixXml, refuses_a_group_without_fields) {
  EXPECT_EQ(error_of(document({.messages = R"(<message name="Order" msgtype="D">
<group name="NoLegs" required="N"></group></message>)"})),
            "test.xml:4: group \"NoLegs\" has no fields: its first field begins an entry");
}

TEST(QuickfixXml, refuses_duplicate_definitions) {
  EXPECT_EQ(error_of(document({.fields = R"(<fields><field number="1" name="A" type="INT"/>
<field number="1" name="B" type="INT"/></fields>)"})),
            "test.xml:6: tag 1 is defined twice: A and B");
  EXPECT_EQ(error_of(document({.fields = R"(<fields><field number="1" name="A" type="INT"/>
<field number="2" name="A" type="INT"/></fields>)"})),
            "test.xml:6: field \"A\" is defined twice");
  EXPECT_EQ(error_of(document({.messages = R"(<message name="A" msgtype="D"/>
<message name="B" msgtype="D"/>)"})),
            "test.xml:4: msgtype \"D\" is defined twice: A and B");
  EXPECT_EQ(error_of(document({.components = R"(<component name="A"/><component name="A"/>)"})),
            "test.xml:4: component \"A\" is defined twice");
}

TEST(QuickfixXml, refuses_a_component_that_contains_itself) {
  EXPECT_EQ(
      error_of(document({.components = R"(<component name="A"><component name="B"/></component>
<component name="B"><group name="NoLegs"><component name="A"/></group></component>)"})),
      "test.xml:4: component \"A\" contains itself: A > B > NoLegs > A");
}

TEST(QuickfixXml, refuses_numbers_that_are_not_tags) {
  for (const char* number : {"0", "2147483648", "-1", "x", "1 ", "99999999999"}) {
    const std::string error =
        error_of(document({.fields = "<fields><field name=\"A\" type=\"INT\" number=\"" +
                                     std::string{number} + "\"/></fields>"}));
    EXPECT_TRUE(error.starts_with("test.xml:5: number is ")) << number << ": " << error;
  }
  EXPECT_EQ(load(document({.fields = "<fields><field number=\"2147483647\" name=\"A\" "
                                     "type=\"INT\"/></fields>"}))
                .fields[0]
                .tag,
            wire::kTagMax);
}

TEST(QuickfixXml, refuses_an_element_without_a_required_attribute) {
  EXPECT_EQ(error_of(document({.fields = "<fields><field number=\"1\" type=\"INT\"/></fields>"})),
            "test.xml:5: <field> lacks the attribute \"name\"");
  EXPECT_EQ(error_of(document({.messages = "<message name=\"A\"/>"})),
            "test.xml:3: <message> lacks the attribute \"msgtype\"");
  EXPECT_EQ(error_of("<fix minor=\"4\"/>"), "test.xml:1: <fix> lacks the attribute \"major\"");
}

TEST(QuickfixXml, refuses_a_required_that_is_neither_yes_nor_no) {
  EXPECT_EQ(error_of(document({.header = "<field name=\"Symbol\" required=\"maybe\"/>"})),
            "test.xml:2: required is \"maybe\", expected \"Y\" or \"N\"");
}

TEST(QuickfixXml, refuses_a_file_that_is_not_a_dictionary) {
  EXPECT_EQ(error_of("<html/>"), "test.xml:1: the root element is <html>, expected <fix>");
  EXPECT_EQ(error_of("<fix major=\"4\" minor=\"4\"/>"), "test.xml:1: there is no <messages>");
  EXPECT_TRUE(error_of("").starts_with("test.xml:1: not XML: "));
  EXPECT_TRUE(error_of("\n\n<fix><header></fix>").starts_with("test.xml:3: not XML: "));
  EXPECT_TRUE(error_of(std::string{"\0\0\0", 3}).starts_with("test.xml:"));
  EXPECT_EQ(error_of(document({.messages = "<field name=\"Symbol\"/>"})),
            "test.xml:3: <field> within <messages>, expected <message>");
}

TEST(QuickfixXml, refuses_a_text_beyond_the_limit_before_it_reads_it) {
  const std::string text(kDictionaryBytesMax + 1, ' ');
  EXPECT_EQ(error_of(text), "test.xml: larger than 67108864 bytes");
}

std::string nested_groups(unsigned depth) {
  // Each group has its own count field, so that only the depth is at fault.
  std::string fields = "<fields><field number=\"1\" name=\"LegSymbol\" type=\"STRING\"/>";
  std::string text;
  for (unsigned i = 0; i < depth; ++i) {
    const std::string name = "No" + std::to_string(std::min(i, kNestingMax + 1));
    text += "<group name=\"" + name + "\">";
    if (i > kNestingMax + 1) continue;
    fields +=
        "<field number=\"" + std::to_string(2 + i) + "\" name=\"" + name + "\" type=\"INT\"/>";
  }
  text += "<field name=\"LegSymbol\"/>";
  for (unsigned i = 0; i < depth; ++i) text += "</group>";
  return document({.messages = "<message name=\"A\" msgtype=\"A\">" + text + "</message>",
                   .fields = fields + "</fields>"});
}

TEST(QuickfixXml, limits_the_nesting_of_groups) {
  EXPECT_EQ(error_of(nested_groups(kNestingMax)), "no error");
  EXPECT_EQ(error_of(nested_groups(kNestingMax + 1)),
            "test.xml:3: groups are nested deeper than 64");
  EXPECT_EQ(error_of(nested_groups(200'000)), "test.xml:3: groups are nested deeper than 64");
}

// Component i contains component i + 1 or i - 1: found in both directions of the walk.
std::string component_chain(int length, int step) {
  std::string text;
  for (int i = 0; i < length; ++i) {
    text += "<component name=\"C" + std::to_string(i) + "\">";
    const int next = i + step;
    if (next >= 0 && next < length) text += "<component name=\"C" + std::to_string(next) + "\"/>";
    text += "</component>";
  }
  return document({.components = text});
}

TEST(QuickfixXml, limits_the_nesting_of_components) {
  for (const int step : {1, -1}) {
    EXPECT_EQ(error_of(component_chain(65, step)), "no error");
    const std::string error = error_of(component_chain(66, step));
    EXPECT_TRUE(error.ends_with("is nested deeper than 64")) << error;
    EXPECT_NE(error_of(component_chain(100'000, step)), "no error");
  }
}

TEST(QuickfixXml, warns_of_harmless_defects) {
  const Dictionary dictionary = load(document({
      .messages = R"(<message name="A" msgtype="A"><field name="Symbol"/>
<field name="Symbol"/></message>)",
      .fields = R"(<fields><field number="55" name="Symbol" type="WORDS">
<value enum="1" description="A"/><value enum="1" description="B"/></field></fields><extra/>)",
  }));
  ASSERT_EQ(dictionary.warnings.size(), 4U) << dictionary.warnings.back();
  EXPECT_EQ(dictionary.warnings[0],
            "test.xml:3: field \"Symbol\" is listed twice in \"A\", the first counts");
  EXPECT_EQ(dictionary.warnings[1],
            "test.xml:6: unknown type \"WORDS\" of Symbol, its values are text");
  EXPECT_EQ(dictionary.warnings[2], "test.xml:7: <extra> is not part of a dictionary, ignored");
  EXPECT_EQ(dictionary.warnings[3],
            "test.xml:7: \"1\" of Symbol is defined twice, the first counts");
  EXPECT_EQ(dictionary.fields[0].type, FieldType::Unknown);
  ASSERT_EQ(dictionary.fields[0].values.size(), 1U);
  EXPECT_EQ(dictionary.fields[0].values[0].name, "A");
}

std::string field_with(const std::string& values) {
  return document({.fields = "<fields><field number=\"55\" name=\"Symbol\" type=\"STRING\">" +
                             values + "</field></fields>"});
}

TEST(QuickfixXml, reads_the_values_of_a_field_at_most_one_element_deep) {
  EXPECT_EQ(error_of(field_with("<values>\n<values><value enum=\"1\"/></values></values>")),
            "test.xml:6: <values> within <values>");
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "<values>";
  for (int i = 0; i < 200'000; ++i) deep += "</values>";
  EXPECT_EQ(error_of(field_with(deep)), "test.xml:5: <values> within <values>");
}

TEST(QuickfixXml, finds_a_duplicate_value_inside_and_outside_of_values) {
  const Dictionary dictionary = load(field_with(
      R"(<value enum="1" description="A"/><values><value enum="1" description="B"/></values>
<values><value enum="1" description="C"/><other/></values>)"));
  ASSERT_EQ(dictionary.fields[0].values.size(), 1U);
  EXPECT_EQ(dictionary.fields[0].values[0].name, "A");
  ASSERT_EQ(dictionary.warnings.size(), 3U);
  EXPECT_EQ(dictionary.warnings[1],
            "test.xml:6: \"1\" of Symbol is defined twice, the first counts");
  EXPECT_EQ(dictionary.warnings[2],
            "test.xml:6: <other> within <values>, expected <value>, ignored");
}

TEST(QuickfixXml, warns_of_a_field_that_a_component_repeats) {
  const Dictionary dictionary = load(document({
      .messages = R"(<message name="Order" msgtype="D"><component name="A"/><component name="A"/>
<group name="NoLegs"><field name="LegSymbol"/><field name="LegSymbol"/></group>
<field name="Symbol"/></message>)",
      .components = R"(<component name="A"><field name="Symbol"/></component>)",
  }));
  ASSERT_EQ(dictionary.warnings.size(), 2U);
  EXPECT_EQ(dictionary.warnings[0],
            "test.xml:3: field \"Symbol\" is listed twice in \"Order\", the first counts");
  EXPECT_EQ(dictionary.warnings[1],
            "test.xml:4: field \"LegSymbol\" is listed twice in \"NoLegs\", the first counts");
}

TEST(QuickfixXml, warns_of_a_count_field_of_text_type) {
  const Dictionary dictionary =
      load(document({.header = R"(<group name="Symbol"><field name="LegSymbol"/></group>)"}));
  ASSERT_EQ(dictionary.warnings.size(), 1U);
  EXPECT_EQ(dictionary.warnings[0],
            "test.xml:2: the type of Symbol is STRING, expected NUMINGROUP: it counts a group's "
            "entries");
}

// FIX 4.1, data types: "char" is any text; a single character since 4.2.
TEST(QuickfixXml, reads_char_of_old_versions_as_text) {
  const auto type_in = [](std::string_view root) {
    return load("<fix " + std::string{root} +
                "><messages/><fields><field number=\"1\" name=\"Account\" type=\"CHAR\"/>"
                "</fields></fix>")
        .fields[0]
        .type;
  };
  EXPECT_EQ(type_in(R"(major="4" minor="0")"), FieldType::String);
  EXPECT_EQ(type_in(R"(major="4" minor="1")"), FieldType::String);
  EXPECT_EQ(type_in(R"(major="4" minor="2")"), FieldType::Char);
  EXPECT_EQ(type_in(R"(type="FIXT" major="1" minor="1")"), FieldType::Char);
}

TEST(QuickfixXml, uses_the_value_as_a_missing_name) {
  const Dictionary dictionary = load(document(
      {.fields = R"(<fields><field number="1" name="A" type="CHAR"><value enum="7"/></field>
</fields>)"}));
  EXPECT_EQ(dictionary.fields[0].values[0].name, "7");
}

TEST(QuickfixXml, knows_the_transport_and_service_packs) {
  const auto root = [](std::string_view attributes) {
    return load("<fix " + std::string{attributes} + "><messages/><fields/></fix>");
  };
  EXPECT_EQ(root(R"(type="FIXT" major="1" minor="1")").begin_string, "FIXT.1.1");
  EXPECT_EQ(root(R"(major="5" minor="0" servicepack="2")").service_pack, 2U);
  EXPECT_EQ(error_of(R"(<fix type="FAST" major="1" minor="1"/>)"),
            "test.xml:1: type is \"FAST\", expected \"FIX\" or \"FIXT\"");
}

}  // namespace
}  // namespace nexusfix::dictionary
