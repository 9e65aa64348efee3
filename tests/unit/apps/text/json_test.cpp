#include "nexusfix/text/json.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace nexusfix::command {
namespace {

TEST(JsonTest, an_object_keeps_the_order_in_which_its_members_were_set) {
  Json object = Json::object({{"z", 1}, {"a", "text"}});
  object.set("m", true);
  EXPECT_EQ(object.line(), R"({"z":1,"a":"text","m":true})");
  object.set("z", 2);
  EXPECT_EQ(object.line(), R"({"z":2,"a":"text","m":true})");
}

TEST(JsonTest, values_are_of_the_kind_that_they_are_given_as) {
  Json all = Json::array();
  all.push_back({});
  all.push_back(false);
  all.push_back(-1);
  all.push_back(std::numeric_limits<std::uint64_t>::max());
  all.push_back(std::numeric_limits<std::int64_t>::min());
  all.push_back(0.5);
  all.push_back(std::numeric_limits<double>::infinity());
  all.push_back(std::optional<int>{});
  all.push_back(std::optional<int>{7});
  all.push_back(std::string_view{"7"});
  EXPECT_EQ(all.line(),
            R"([null,false,-1,18446744073709551615,-9223372036854775808,0.5,null,null,7,"7"])");
}

TEST(JsonTest, an_array_is_made_of_items) {
  const std::vector<std::string> names{"a", "b"};
  EXPECT_EQ(Json::array(names).line(), R"(["a","b"])");
  const auto size = [](const std::string& name) { return name.size(); };
  EXPECT_EQ(Json::array(names, size).line(), "[1,1]");
  EXPECT_EQ(Json::array(std::vector<int>{}).line(), "[]");
  EXPECT_EQ(Json::object().line(), "{}");
}

TEST(JsonTest, a_document_is_indented_and_ends_its_last_line) {
  EXPECT_EQ(Json::object({{"rows", Json::array(std::vector<int>{1, 2})}, {"none", Json::array()}})
                .document(),
            "{\n  \"rows\": [\n    1,\n    2\n  ],\n  \"none\": []\n}\n");
}

TEST(JsonTest, a_text_cannot_end_or_break_the_line) {
  EXPECT_EQ(Json{"a\"b\\c\n\x01\x7f"}.line(), R"("a\"b\\c\n\u0001\u007f")");
  EXPECT_EQ(Json::object({{"a\"\n\xff", 1}}).line(), R"({"a\"\n\\xff":1})");
}

// RFC 8259, sec. 8.1: JSON is UTF-8.
TEST(JsonTest, utf_8_is_kept_and_other_bytes_are_shown_as_in_any_text) {
  EXPECT_EQ(Json{"Zürich €"}.line(), "\"Zürich €\"");
  EXPECT_EQ(Json{"a\xff\xc3"}.line(), R"("a\\xff\\xc3")");
  EXPECT_EQ(Json{"\xc2\x80"}.line(), R"("\\xc2\\x80")") << "a terminal obeys it";
}

TEST(JsonTest, an_exact_text_keeps_each_byte_or_is_none) {
  EXPECT_EQ(Json::exact("a|\x01\"\\ Zürich \xc2\x80\x7f")->line(),
            R"("a|\u0001\"\\ Zürich \u0080\u007f")");
  EXPECT_EQ(Json::exact(std::string_view{"\0", 1})->line(), R"("\u0000")");
  for (const char* none : {"\xff", "a\xc3", "\xc0\x80", "\xed\xa0\x80"}) {
    EXPECT_FALSE(Json::exact(none).has_value());
  }
}

}  // namespace
}  // namespace nexusfix::command
