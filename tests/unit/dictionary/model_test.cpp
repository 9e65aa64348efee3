#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {
namespace {

constexpr bool kRequired = true;
constexpr bool kOptional = false;

Dictionary five_fields() {
  Dictionary dictionary;
  for (const wire::Tag tag : {1U, 2U, 3U, 4U, 5U}) {
    dictionary.fields.push_back(
        {.tag = tag, .name = "F" + std::to_string(tag), .type = FieldType::Int, .values = {}});
  }
  return dictionary;
}

TEST(FieldType, is_found_by_name_in_any_case_and_spelling) {
  EXPECT_EQ(field_type("UTCTIMESTAMP"), FieldType::UtcTimestamp);
  EXPECT_EQ(field_type("utctimestamp"), FieldType::UtcTimestamp);
  EXPECT_EQ(field_type("MONTH-YEAR"), FieldType::MonthYear);
  EXPECT_EQ(field_type("UTCDATE"), FieldType::UtcDateOnly);
  EXPECT_EQ(field_type("PRICES"), FieldType::Unknown);
  EXPECT_EQ(field_type(""), FieldType::Unknown);
}

TEST(FieldType, has_the_name_it_is_found_by) {
  for (unsigned i = 1; i <= static_cast<unsigned>(FieldType::XmlData); ++i) {
    const auto type = static_cast<FieldType>(i);
    EXPECT_EQ(field_type(to_string(type)), type) << to_string(type);
  }
  EXPECT_EQ(to_string(FieldType::Unknown), "UNKNOWN");
}

TEST(Dictionary, finds_fields_by_tag_and_messages_by_type) {
  Dictionary dictionary = five_fields();
  dictionary.messages.push_back({"Order", "D", false, {}});
  ASSERT_NE(dictionary.field(5), nullptr);
  EXPECT_EQ(dictionary.field(5)->name, "F5");
  EXPECT_EQ(dictionary.field(0), nullptr);
  EXPECT_EQ(dictionary.field(6), nullptr);
  ASSERT_NE(dictionary.message("D"), nullptr);
  EXPECT_EQ(dictionary.message("d"), nullptr);
}

TEST(Flatten, replaces_components_by_their_members) {
  Dictionary dictionary = five_fields();
  dictionary.components.push_back({"Inner", {{Member::Kind::Field, 1, kRequired}}});
  dictionary.components.push_back(
      {"Outer", {{Member::Kind::Component, 0, kRequired}, {Member::Kind::Field, 2, kOptional}}});
  const auto flat = flatten(dictionary, {{Member::Kind::Field, 0, kRequired},
                                         {Member::Kind::Component, 1, kRequired},
                                         {Member::Kind::Field, 3, kRequired}});
  ASSERT_EQ(flat.size(), 4U);
  EXPECT_EQ(flat[1].field, 1U);
  EXPECT_TRUE(flat[1].required);
  EXPECT_EQ(flat[2].field, 2U);
  EXPECT_FALSE(flat[2].required);
  EXPECT_EQ(flat[3].field, 3U);
}

TEST(Flatten, requires_nothing_of_an_optional_component) {
  Dictionary dictionary = five_fields();
  dictionary.components.push_back({"Part", {{Member::Kind::Field, 1, kRequired}}});
  const auto flat = flatten(dictionary, {{Member::Kind::Component, 0, kOptional}});
  ASSERT_EQ(flat.size(), 1U);
  EXPECT_FALSE(flat[0].required);
}

TEST(Flatten, keeps_a_group_as_its_count_field_without_its_members) {
  Dictionary dictionary = five_fields();
  dictionary.groups.push_back({4, {{Member::Kind::Field, 1, kRequired}}});
  const auto flat = flatten(dictionary, {{Member::Kind::Group, 0, kRequired}});
  ASSERT_EQ(flat.size(), 1U);
  EXPECT_EQ(flat[0].field, 4U);
  EXPECT_EQ(flat[0].group, 0U);
}

// Optional A contains B, which is required in A, and B is also required next to A.
TEST(Flatten, a_field_is_required_if_one_of_its_places_requires_it) {
  Dictionary dictionary = five_fields();
  dictionary.groups.push_back({4, {{Member::Kind::Field, 2, kRequired}}});
  dictionary.components.push_back({"A", {{Member::Kind::Component, 1, kRequired}}});
  dictionary.components.push_back(
      {"B", {{Member::Kind::Field, 1, kRequired}, {Member::Kind::Group, 0, kRequired}}});
  for (const bool optional_first : {true, false}) {
    const auto flat =
        flatten(dictionary, {{Member::Kind::Component, optional_first ? 0U : 1U, !optional_first},
                             {Member::Kind::Field, 0, kOptional},
                             {Member::Kind::Component, optional_first ? 1U : 0U, optional_first}});
    ASSERT_EQ(flat.size(), 3U);
    EXPECT_EQ(flat[0].field, 1U);
    EXPECT_TRUE(flat[0].required);
    EXPECT_EQ(flat[1].group, 0U);
    EXPECT_TRUE(flat[1].required);
    EXPECT_FALSE(flat[2].required);
  }
}

TEST(Flatten, keeps_the_first_occurrence_of_a_tag) {
  const auto flat = flatten(five_fields(), {{Member::Kind::Field, 1, kOptional},
                                            {Member::Kind::Field, 0, kOptional},
                                            {Member::Kind::Field, 1, kRequired}});
  ASSERT_EQ(flat.size(), 2U);
  EXPECT_EQ(flat[0].field, 1U);
  EXPECT_TRUE(flat[0].required);  // required at one of its places
}

// Each component contains the next one twice: a naive walk takes 2^40 steps.
TEST(Flatten, walks_a_component_once) {
  Dictionary dictionary = five_fields();
  for (Index i = 0; i < 40; ++i) {
    dictionary.components.push_back({"C" + std::to_string(i), {}});
    dictionary.components[i].members = {{Member::Kind::Component, i + 1, kOptional},
                                        {Member::Kind::Component, i + 1, kOptional}};
  }
  dictionary.components.push_back({"C40", {{Member::Kind::Field, 0, kOptional}}});
  EXPECT_EQ(flatten(dictionary, {{Member::Kind::Component, 0, kOptional}}).size(), 1U);
}

}  // namespace
}  // namespace nexusfix::dictionary
