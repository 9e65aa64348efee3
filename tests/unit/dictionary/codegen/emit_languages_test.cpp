// The fields of a dictionary for other languages. clients/tests compiles and runs such files.
#include "codegen/languages/emit_languages.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "codegen/languages/language_model.hpp"

namespace nexusfix::codegen {
namespace {

constexpr std::string_view kDictionary = R"(<fix type='FIX' major='4' minor='4'><header/><trailer/>
<messages>
<message name='Quote' msgtype='S' msgcat='app'><field name='Side' required='Y'/>
<group name='NoLegs' required='N'><field name='LegQty' required='Y'/>
<group name='NoParts' required='N'><field name='part' required='Y'/></group></group></message>
<message name='News' msgtype='B' msgcat='app'><field name='Qty' required='N'/>
<group name='NoLegs' required='N'><field name='part' required='Y'/></group></message>
<message name='Side' msgtype='US' msgcat='app'><field name='Flag' required='N'/>
<group name='NoLegs' required='N'><field name='part' required='Y'/></group></message>
<message name='Beat' msgtype='0' msgcat='admin'/></messages><components/>
<fields>
<field number='54' name='Side' type='CHAR'><value enum='1' description='BUY'/>
<value enum='"' description='SELL_SHORT'/><value enum='3' description='SELL__SHORT'/>
<value enum='4' description='2_WAY'/></field>
<field number='555' name='NoLegs' type='NUMINGROUP'/><field number='600' name='LegQty' type='QTY'/>
<field number='601' name='NoParts' type='NUMINGROUP'/>
<field number='602' name='part' type='STRING'/>
<field number='603' name='Qty' type='INT'/><field number='604' name='Flag' type='BOOLEAN'/>
<field number='605' name='NoteLen' type='LENGTH'/><field number='606' name='Note' type='DATA'/>
</fields></fix>)";

dictionary::Dictionary oddities() {
  auto loaded = dictionary::load_dictionary(kDictionary, "tiny.xml");
  EXPECT_TRUE(loaded) << loaded.error().what();
  auto dictionary = loaded.value_or(dictionary::Dictionary{});
  for (auto& field : dictionary.fields) {
    if (field.name == "Note") field.length_tag = 605;
  }
  return dictionary;
}

// All files of a language.
std::string text_of(Language language) {
  std::string all;
  for (const GeneratedFile& file : emit_language(oddities(), language, {"tiny", "tiny.xml"})) {
    EXPECT_TRUE(file.text.starts_with("// Made by nexusfix codegen from tiny.xml"));
    all += "==> " + file.path + '\n' + file.text;
  }
  return all;
}

void expect_lines(const std::string& text, std::initializer_list<std::string_view> lines) {
  for (const std::string_view line : lines) {
    EXPECT_NE(text.find(fmt::format("{}\n", line)), std::string::npos) << line << "\n" << text;
  }
}

TEST(LanguageModel, names_a_message_like_a_field_and_a_second_group_of_a_name_apart) {
  const LanguageModel model = language_model(oddities());
  std::string messages;
  for (const ModelMessage& one : model.messages) messages += one.name + ' ';
  EXPECT_EQ(messages, "Quote News SideMessage ");
  ASSERT_EQ(model.groups.size(), 3U);
  EXPECT_EQ(model.groups[0].name, "NoParts");  // before the group that it is in
  EXPECT_EQ(model.groups[1].name, "NoLegs");
  EXPECT_EQ(model.groups[1].members, (std::vector<wire::Tag>{600, 601}));
  EXPECT_EQ(model.groups[1].groups, std::vector<std::string>{"NoParts"});
  EXPECT_EQ(model.groups[2].name, "NoLegsOfNews");  // that of the message Side is equal
  EXPECT_EQ(model.groups[2].messages, (std::vector<std::string>{"News", "Side"}));
}

TEST(LanguageModel, has_no_field_for_the_count_of_a_group) {
  const LanguageModel model = language_model(oddities());
  EXPECT_TRUE(std::ranges::none_of(model.fields, [](const ModelField& f) { return f.tag == 555; }));
  EXPECT_EQ(model.fields.front().values.size(), 4U);
}

TEST(EmitLanguages, writes_typed_fields_of_go) {
  expect_lines(text_of(Language::Go),
               {"==> tiny/tiny.go", "package tiny", "\tQuote nexusfix.MsgType = \"S\"",
                "\tSide = nexusfix.EnumField[SideValue](54)", "\tSideBuy SideValue = \"1\"",
                "\tSideSellShort SideValue = \"\\\"\"", "\tSideSellShortN3 SideValue = \"3\"",
                "\tLegQty = nexusfix.DecimalField(600)", "\tPart = nexusfix.TextField(602)",
                "\tFlag = nexusfix.BoolField(604)", "\tNote = nexusfix.BytesField(606, 605)",
                "\tNoLegs = nexusfix.NewGroup(555, []int{600, 601}, NoParts)"});
}

TEST(EmitLanguages, writes_constants_and_enumerations_of_java) {
  expect_lines(text_of(Language::Java),
               {"==> nexusfix/tiny/Tiny.java", "package nexusfix.tiny;",
                "    Field<Tiny.Side> SIDE = Field.named(54, Tiny.Side.values());",
                "  public enum Side implements NamedValue {", "    SELL_SHORT(\"\\\"\"),",
                "    SELL_SHORT_N3(\"3\"),", "    Field<byte[]> NOTE = Field.data(606, 605);",
                "    Group NO_LEGS = new Group(555, new int[] {600, 601}, NO_PARTS);",
                "    String SIDE_MESSAGE = \"US\";"});
}

TEST(EmitLanguages, writes_a_module_of_javascript_and_its_types) {
  expect_lines(text_of(Language::TypeScript),
               {"==> tiny.js", "==> tiny.d.ts", "export const LegQty = decimalField(600);",
                "export const NoLegs = new Group(555, [600, 601], [NoParts]);",
                "export const SideMessage = \"US\";",
                "export declare const Note: Field<Uint8Array>;", "  readonly Buy: \"1\";"});
}

TEST(EmitLanguages, knows_its_languages_by_name) {
  EXPECT_EQ(language_of("go"), Language::Go);
  EXPECT_EQ(language_of("typescript"), Language::TypeScript);
  EXPECT_EQ(language_of("cobol"), std::nullopt);
}

}  // namespace
}  // namespace nexusfix::codegen
