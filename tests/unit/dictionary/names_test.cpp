#include <gtest/gtest.h>
#include <optional>
#include <string_view>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {
namespace {

Dictionary example() {
  Dictionary dictionary;
  // Values and messages out of order: a table must sort them.
  dictionary.fields = {
      {.tag = 54,
       .name = "Side",
       .type = FieldType::Char,
       .values = {{"2", "SELL"}, {"1", "BUY"}, {"10", "TEN"}}},
      {.tag = 58, .name = "Text", .type = FieldType::String, .values = {}},
      {.tag = 59, .name = "TimeInForce", .type = FieldType::Char, .values = {{"1", "GTC"}}},
  };
  dictionary.messages = {{"Order", "D", false, {}}, {"Heartbeat", "0", true, {}}};
  return dictionary;
}

TEST(LoadedNames, has_the_names_of_the_dictionary) {
  const LoadedNames names{example()};
  const NameTable table = names.table();
  EXPECT_EQ(table.field_name(54), "Side");
  EXPECT_EQ(table.field_type(58), FieldType::String);
  EXPECT_EQ(table.value_name(54, "1"), "BUY");
  EXPECT_EQ(table.value_name(54, "2"), "SELL");
  EXPECT_EQ(table.value_name(54, "10"), "TEN");
  EXPECT_TRUE(table.has_values(54));
  EXPECT_EQ(table.message_name("0"), "Heartbeat");
  EXPECT_EQ(table.message_name("D"), "Order");
}

TEST(LoadedNames, has_no_names_that_the_dictionary_lacks) {
  const LoadedNames names{example()};
  const NameTable table = names.table();
  EXPECT_EQ(table.field_name(55), std::nullopt);
  EXPECT_EQ(table.field_type(60), std::nullopt);
  EXPECT_EQ(table.value_name(54, "3"), std::nullopt);
  EXPECT_EQ(table.value_name(54, ""), std::nullopt);
  EXPECT_EQ(table.value_name(58, "1"), std::nullopt);
  EXPECT_EQ(table.value_name(999, "1"), std::nullopt);
  EXPECT_FALSE(table.has_values(58));
  EXPECT_FALSE(table.has_values(999));
  EXPECT_EQ(table.message_name("Z"), std::nullopt);
}

TEST(LoadedNames, does_not_mix_the_values_of_neighbours) {
  const LoadedNames names{example()};
  EXPECT_EQ(names.table().value_name(59, "1"), "GTC");
  EXPECT_EQ(names.table().value_name(59, "2"), std::nullopt);
}

TEST(NameTable, is_empty_if_it_is_made_from_nothing) {
  EXPECT_EQ(NameTable{}.field_name(8), std::nullopt);
  EXPECT_EQ(NameTable{}.message_name("0"), std::nullopt);
  EXPECT_EQ(LoadedNames{Dictionary{}}.table().value_name(8, "x"), std::nullopt);
}

}  // namespace
}  // namespace nexusfix::dictionary
