#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include <nexusfix/catalog.hpp>

namespace nexusfix::dictionary {
namespace {

class DictionaryFiles : public ::testing::TestWithParam<Version> {};

TEST_P(DictionaryFiles, of_each_built_in_dictionary_are_read_as_it_was) {
  const Dictionary& dictionary = builtin_dictionary(GetParam());
  const auto again = load_quickfix_xml(to_quickfix_xml(dictionary), "again.xml");
  ASSERT_TRUE(again) << again.error().what();
  EXPECT_EQ(*again, dictionary);
}

TEST_P(DictionaryFiles, are_written_as_orchestra) {
  const Dictionary& dictionary = builtin_dictionary(GetParam());
  auto again = load_orchestra(to_orchestra(dictionary), "again.xml");
  ASSERT_TRUE(again) << again.error().what();
  EXPECT_TRUE(again->warnings.empty());
  EXPECT_EQ(again->components.at(again->components.size() - 2).name, "StandardHeader");
  again->components.resize(dictionary.components.size());
  Dictionary expected = dictionary;  // without what Orchestra cannot say
  for (GroupDefinition& group : expected.groups) group.any_field_begins = false;
  for (MessageDefinition& message : expected.messages) {
    if (message.msg_type == "j") message.admin = false;  // FIX 4.3
  }
  EXPECT_EQ(*again, expected);
}

INSTANTIATE_TEST_SUITE_P(all, DictionaryFiles,
                         ::testing::Values(Version::Fix40, Version::Fix41, Version::Fix42,
                                           Version::Fix43, Version::Fix44, Version::Fix50,
                                           Version::Fix50Sp1, Version::Fix50Sp2, Version::Fixt11));

constexpr std::string_view kFile = R"(<fix type="FIX" major="4" minor="4">
<header><field name="Symbol" required="Y"/><component name="Legs" required="N"/></header>
<messages><message name="Order" msgtype="D" msgcat="app">
<field name="ClOrdID" required="Y"/><group name="NoLegs" required="N"><field name="LegSymbol"/>
</group></message><message name="Ping" msgtype="0" msgcat="admin"/></messages>
<components><component name="Legs"><field name="LegSymbol"/></component></components>
<fields>
<field number="55" name="Symbol" type="STRING"/>
<field number="11" name="ClOrdID" type="STRING"/>
<field number="555" name="NoLegs" type="NUMINGROUP"/>
<field number="600" name="LegSymbol" type="STRING"/>
</fields>
</fix>
)";

TEST(DictionaryFile, keeps_what_the_built_in_ones_do_not_have) {
  auto dictionary = load_quickfix_xml(kFile, "test.xml");
  ASSERT_TRUE(dictionary) << dictionary.error().what();
  dictionary->service_pack = 3;
  dictionary->fields[0].other_values = FieldDefinition::OtherValues::Any;
  dictionary->fields[0].values = {{"a<b>\"&'\t", "<&>"}};
  dictionary->fields[1].other_values = FieldDefinition::OtherValues::Reserved100Plus;
  dictionary->groups[0].any_field_begins = true;
  const auto again = load_quickfix_xml(to_quickfix_xml(*dictionary), "again.xml");
  ASSERT_TRUE(again) << again.error().what();
  EXPECT_EQ(*again, *dictionary);
}

}  // namespace
}  // namespace nexusfix::dictionary
