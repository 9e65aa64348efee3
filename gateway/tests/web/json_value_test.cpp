// JSON of a program that means harm: each limit, and no text of the client in an error.
#include "gateway/json/json_value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace nexusfix::gateway {
namespace {

using ::testing::HasSubstr;

std::string fault_of(std::string_view text) {
  const auto read = read_json(text);
  return read ? "" : read.error();
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(GatewayJsonValueTest, values_keep_their_order_their_kinds_and_their_digits) {
  const auto read = read_json(R"({"b":"x\u0001\ud83d\ude00","a":[1,-2,true,null],"c":{}})");
  ASSERT_TRUE(read) << read.error();
  ASSERT_EQ(read->items.size(), 3U);
  EXPECT_EQ(read->items[0].key, "b");
  EXPECT_EQ(read->items[0].text, "x\x01\xf0\x9f\x98\x80");
  ASSERT_EQ(read->items[1].items.size(), 4U);
  EXPECT_EQ(read->items[1].items[0].text, "1");
  EXPECT_EQ(read->items[1].items[1].text, "-2");
  EXPECT_TRUE(read->items[1].items[2].is_true);
  EXPECT_EQ(read->items[1].items[3].kind, JsonValue::Kind::Null);
  EXPECT_EQ(read->items[2].kind, JsonValue::Kind::Object);
}

TEST(GatewayJsonValueTest, depth_is_limited) {
  EXPECT_EQ(fault_of(nested(kJsonDepthMax)), "");
  EXPECT_THAT(fault_of(nested(kJsonDepthMax + 1)), HasSubstr("in one another"));
  EXPECT_THAT(fault_of(std::string(1'000'000, '[')), HasSubstr("in one another"));
}

TEST(GatewayJsonValueTest, bytes_and_values_are_limited) {
  EXPECT_EQ(fault_of("\"" + std::string(kJsonBytesMax - 2, 'x') + "\""), "");
  EXPECT_THAT(fault_of("\"" + std::string(kJsonBytesMax - 1, 'x') + "\""), HasSubstr("2 MiB"));
  EXPECT_THAT(fault_of(std::string(10'000'000, ' ')), HasSubstr("2 MiB"));
  std::string many = "[0";
  for (std::size_t i = 2; i < kJsonValuesMax; ++i) many += ",0";
  EXPECT_EQ(fault_of(many + "]"), "");
  EXPECT_THAT(fault_of(many + ",0]"), HasSubstr("100,000 values"));
}

TEST(GatewayJsonValueTest, a_key_comes_once_in_an_object) {
  EXPECT_THAT(fault_of(R"({"a":1,"b":2,"a":3})"), HasSubstr("twice"));
  EXPECT_THAT(fault_of(R"({"a":1,"\u0061":3})"), HasSubstr("twice"));
  EXPECT_EQ(fault_of(R"({"a":{"a":1},"b":{"a":1}})"), "");
}

TEST(GatewayJsonValueTest, numbers_are_integers_of_64_bits) {
  EXPECT_EQ(fault_of("[18446744073709551615,-9223372036854775808]"), "");
  for (const char* const number : {"1.5", "1e3", "1e999", "18446744073709551616", "-1e-999",
                                   "123456789012345678901234567890"}) {
    EXPECT_THAT(fault_of(number), HasSubstr("number")) << number;
  }
  const std::string digits(1'000'000, '9');
  EXPECT_THAT(fault_of(digits), HasSubstr("number"));
}

TEST(GatewayJsonValueTest, what_is_no_json_is_refused_without_its_text) {
  for (const char* const text :
       {"", "{", "secret", "\"secret", "{\"token\":secret}", "[1,]", "{\"a\":1}x", "{'a':1}",
        "// secret\n1", "NaN", "\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"\\ud800\"",
        "\"\\x\"", "\"a\nb\"", "01"}) {
    const std::string fault = fault_of(text);
    EXPECT_THAT(fault, HasSubstr("it is no JSON in UTF-8")) << text;
    EXPECT_FALSE(fault.contains("secret")) << fault;
    EXPECT_FALSE(fault.contains('\n')) << fault;
  }
}

}  // namespace
}  // namespace nexusfix::gateway
