// The messages of a load about definitions that no message or value can satisfy.
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>

namespace nexusfix::dictionary {
namespace {

std::string error_of(std::string_view text) {
  const auto loaded = load_dictionary(text, "a.xml");
  return loaded ? "no error" : loaded.error().what();
}

std::vector<std::string> warnings_of(std::string_view text) {
  const auto loaded = load_dictionary(text, "a.xml");
  return loaded ? loaded->warnings : std::vector{loaded.error().what()};
}

// Lines 1 to 3, then the fields.
std::string quickfix(std::string_view fields, std::string_view members = {},
                     std::string_view msg_type = "D") {
  return "<fix major=\"4\" minor=\"4\"><messages>\n<message name=\"M\" msgtype=\"" +
         std::string{msg_type} + "\" msgcat=\"app\">" + std::string{members} +
         "</message></messages>\n<fields>\n" + std::string{fields} + "</fields></fix>";
}

std::string one_field(std::string_view type, std::string_view value) {
  return quickfix("<field number=\"54\" name=\"Side\" type=\"" + std::string{type} +
                  "\">\n<value enum=\"" + std::string{value} + "\" description=\"X\"/></field>");
}

TEST(DefinitionChecks, a_value_that_is_not_of_its_fields_type_is_a_warning_with_its_line) {
  EXPECT_EQ(warnings_of(one_field("CHAR", "AB")),
            std::vector<std::string>{"a.xml:5: the value \"AB\" of Side is not of type CHAR"});
  EXPECT_EQ(warnings_of(one_field("INT", "1x")),
            std::vector<std::string>{"a.xml:5: the value \"1x\" of Side is not of type INT"});
  EXPECT_EQ(warnings_of(one_field("MULTIPLEVALUESTRING", "A B")).size(), 1U);
  EXPECT_EQ(warnings_of(one_field("BOOLEAN", "YES")).size(), 1U);
  for (const auto& [type, value] : {std::pair{"CHAR", "A"},
                                    {"INT", "-12"},
                                    {"STRING", "A B"},
                                    {"MULTIPLEVALUESTRING", "AB"},
                                    {"BOOLEAN", "Y"}}) {
    EXPECT_TRUE(warnings_of(one_field(type, value)).empty()) << type;
  }
  const std::string orchestra =
      "<repository version=\"FIX.4.4\"><codeSets><codeSet name=\"S\" id=\"1\" type=\"char\">\n"
      "<code name=\"Ab\" value=\"AB\"/></codeSet></codeSets>\n"
      "<fields><field id=\"54\" name=\"Side\" type=\"S\"/></fields><messages/></repository>";
  EXPECT_EQ(warnings_of(orchestra),
            std::vector<std::string>{"a.xml:2: the value \"AB\" of Side is not of type CHAR"});
}

TEST(DefinitionChecks, a_value_with_a_soh_is_an_error) {
  EXPECT_TRUE(error_of(one_field("STRING", "A&#1;B")).starts_with("a.xml:5: the value \"A\\x01B\""))
      << error_of(one_field("STRING", "A&#1;B"));
}

TEST(DefinitionChecks, a_msg_type_that_no_message_can_have_is_an_error) {
  for (const char* wrong : {"D E", "D=", "&#1;D", "\xc3\xa9"}) {
    const std::string error = error_of(quickfix("", "", wrong));
    EXPECT_TRUE(error.starts_with("a.xml:2: msgtype ")) << error;
    const std::string orchestra =
        "<repository version=\"FIX.4.4\"><fields/><messages>\n<message name=\"M\" msgType=\"" +
        std::string{wrong} + "\"><structure/></message></messages></repository>";
    EXPECT_TRUE(error_of(orchestra).starts_with("a.xml:2: msgtype ")) << error_of(orchestra);
  }
  EXPECT_EQ(error_of(quickfix("", "", "U1")), "no error");
}

TEST(DefinitionChecks, a_group_that_contains_itself_or_its_count_is_an_error) {
  constexpr std::string_view kFields =
      "<field number=\"555\" name=\"NoLegs\" type=\"NUMINGROUP\"/>"
      "<field number=\"556\" name=\"LegID\" type=\"STRING\"/>";
  const std::string leg = "<field name=\"LegID\" required=\"N\"/>";
  for (const std::string& inner : {std::string{"<field name=\"NoLegs\" required=\"N\"/>"},
                                   "<group name=\"NoLegs\">" + leg + "</group>"}) {
    const std::string error =
        error_of(quickfix(kFields, "\n<group name=\"NoLegs\">" + leg + inner + "</group>"));
    EXPECT_EQ(error,
              "a.xml:3: group \"NoLegs\" contains itself, or the field that counts its entries");
  }
  EXPECT_EQ(error_of(quickfix(kFields, "<group name=\"NoLegs\">" + leg + "</group>")), "no error");
}

// A dictionary that no loader has made or checked.
TEST(DefinitionChecks, a_dictionary_that_no_loader_made_is_checked_before_it_is_used) {
  const auto made = [] {
    Dictionary dictionary;
    dictionary.fields = {{.tag = 1, .name = "A", .values = {}},
                         {.tag = 2, .name = "B", .values = {}}};
    dictionary.messages = {{.name = "M", .msg_type = "U", .members = {{Member::Kind::Field, 0}}}};
    return dictionary;
  };
  const auto expect_refused = [](const Dictionary& dictionary, std::string_view because) {
    const auto validator = Validator::make(dictionary, {});
    ASSERT_FALSE(validator) << because;
    EXPECT_EQ(validator.error(),
              "the structure of the dictionary is invalid: " + std::string{because});
  };
  EXPECT_TRUE(Validator::make(made(), {}));

  Dictionary wrong = made();
  wrong.messages[0].members[0].index = 2;
  expect_refused(wrong, "message \"M\" has a member that the dictionary does not have");
  wrong = made();
  wrong.header = {{Member::Kind::Group, 0}};
  expect_refused(wrong, "the header has a member that the dictionary does not have");
  wrong = made();
  wrong.messages[0].msg_type.clear();
  expect_refused(wrong, "message \"M\" has no MsgType");
  wrong = made();
  std::swap(wrong.fields[0], wrong.fields[1]);
  expect_refused(wrong, "its fields are not by ascending tag, each once");
  wrong = made();
  wrong.components = {{.name = "C", .members = {{Member::Kind::Component, 0}}}};
  expect_refused(wrong, "component \"C\" contains itself: C > C");
  wrong = made();
  wrong.groups = {{.count_field = 7, .members = {{Member::Kind::Field, 0}}}};
  expect_refused(wrong, "group 0 has a member that the dictionary does not have");
}

}  // namespace
}  // namespace nexusfix::dictionary
