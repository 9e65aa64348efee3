#include <gtest/gtest.h>
#include <string>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/wire/parser.hpp>

#include "support/fix_text.hpp"

namespace nexusfix::dictionary {
namespace {

constexpr std::string_view kVenue = R"(<fix major="4" minor="4"><header/><trailer/>
<messages><message name="Blobs" msgtype="UB"><field name="Size"/><field name="Blob"/>
<field name="Count"/><field name="Loose"/></message></messages>
<fields><field number="5001" name="Size" type="LENGTH"/>
<field number="5002" name="Blob" type="DATA"/>
<field number="5003" name="PictureLen" type="INT"/>
<field number="5004" name="Picture" type="DATA"/>
<field number="5005" name="SchemaLength" type="LENGTH"/>
<field number="5006" name="SchemaData" type="XMLDATA"/>
<field number="5007" name="Count" type="INT"/><field number="5008" name="Loose" type="DATA"/>
<field number="5009" name="TextLen" type="LENGTH"/><field number="5010" name="Text" type="STRING"/>
<field number="95" name="RawDataLength" type="LENGTH"/>
<field number="5096" name="RawData" type="DATA"/></fields></fix>)";

Dictionary venue() {
  auto loaded = load_dictionary(kVenue, "venue.xml");
  EXPECT_TRUE(loaded) << loaded.error().what();
  return loaded ? std::move(*loaded) : Dictionary{};
}

TEST(DataFields, are_paired_by_position_and_by_name) {
  const wire::DataFieldTable table = data_fields(venue());
  EXPECT_EQ(table.data_tag_for(5001), 5002U);
  EXPECT_EQ(table.data_tag_for(5003), 5004U);
  EXPECT_EQ(table.data_tag_for(5005), 5006U);
  EXPECT_EQ(table.length_tag_for(5008), std::nullopt) << "Count is no length";
  EXPECT_EQ(table.data_tag_for(5009), std::nullopt) << "Text is no data";
}

TEST(DataFields, do_not_take_the_length_of_another_one) {
  const auto loaded = load_dictionary(R"(<fix major="4" minor="4"><header/><trailer/><messages>
<message name="A" msgtype="UA"><field name="Size"/><field name="Blob"/></message>
<message name="B" msgtype="UB"><field name="Size"/><field name="Loose"/></message></messages>
<fields><field number="5001" name="Size" type="LENGTH"/>
<field number="5002" name="Blob" type="DATA"/>
<field number="5008" name="Loose" type="DATA"/></fields></fix>)",
                                      "venue.xml");
  ASSERT_TRUE(loaded) << loaded.error().what();
  const wire::DataFieldTable table = data_fields(*loaded);
  EXPECT_EQ(table.data_tag_for(5001), 5002U);
  EXPECT_EQ(table.length_tag_for(5008), std::nullopt);
}

TEST(DataFields, keep_the_standards_pairs_unless_the_dictionary_has_another) {
  const wire::DataFieldTable table = data_fields(venue());
  EXPECT_EQ(table.data_tag_for(354), 355U);
  EXPECT_EQ(table.data_tag_for(95), 5096U);
}

TEST(DataFields, reach_the_parser) {
  const std::string body = "35=UB|49=A|56=B|34=1|52=20240115-10:30:00|5001=7|5002=a|9=b=c|5007=3|";
  const std::string message = nexusfix::testing::fix("FIX.4.4", body);
  wire::Parser parser{data_fields(venue())};
  const auto parsed = parser.parse(message);
  ASSERT_TRUE(parsed);
  EXPECT_EQ((*parsed)[5002], nexusfix::testing::soh("a|9=b=c"));
  EXPECT_EQ((*parsed)[5007], "3");

  wire::Parser standard;
  const auto without = standard.parse(message);
  EXPECT_NE((*without)[5002], nexusfix::testing::soh("a|9=b=c"));
}

TEST(DataFields, of_the_built_in_dictionaries_are_all_paired) {
  for (unsigned i = 0; i <= static_cast<unsigned>(Version::Fixt11); ++i) {
    const Dictionary& dictionary = builtin_dictionary(static_cast<Version>(i));
    const wire::DataFieldTable table = data_fields(dictionary);
    for (const FieldDefinition& field : dictionary.fields) {
      if (field.type != FieldType::Data && field.type != FieldType::XmlData) continue;
      EXPECT_NE(field.length_tag, 0U) << field.name;
      EXPECT_EQ(table.length_tag_for(field.tag), field.length_tag) << field.name;
    }
  }
}

}  // namespace
}  // namespace nexusfix::dictionary
