#include <gtest/gtest.h>

#include "codegen/names.hpp"

namespace nexusfix::codegen {
namespace {

TEST(SnakeCase, splits_where_a_word_begins) {
  EXPECT_EQ(snake_case("ClOrdID"), "cl_ord_id");
  EXPECT_EQ(snake_case("HeartBtInt"), "heart_bt_int");
  EXPECT_EQ(snake_case("NewOrderSingle"), "new_order_single");
  EXPECT_EQ(snake_case("Symbol"), "symbol");
  EXPECT_EQ(snake_case("BidPx"), "bid_px");
}

TEST(SnakeCase, keeps_abbreviations_whole) {
  EXPECT_EQ(snake_case("IOIQty"), "ioi_qty");
  EXPECT_EQ(snake_case("CFICode"), "cfi_code");
  EXPECT_EQ(snake_case("URLLink"), "url_link");
  EXPECT_EQ(snake_case("IOI"), "ioi");
}

TEST(SnakeCase, keeps_the_plural_s_with_its_abbreviation) {
  EXPECT_EQ(snake_case("NoPartyIDs"), "no_party_ids");
  EXPECT_EQ(snake_case("NoPartySubIDs"), "no_party_sub_ids");
  EXPECT_EQ(snake_case("PartySubIDsGrp"), "party_sub_ids_grp");
  EXPECT_EQ(snake_case("SecurityIDSource"), "security_id_source");
}

TEST(SnakeCase, treats_id_after_an_abbreviation_as_a_word) {
  EXPECT_EQ(snake_case("IOIid"), "ioi_id");
}

TEST(SnakeCase, counts_digits_to_the_word_before_them) {
  EXPECT_EQ(snake_case("OrderQty2"), "order_qty2");
  EXPECT_EQ(snake_case("Leg2Price"), "leg2_price");
}

TEST(PascalCase, joins_words) {
  EXPECT_EQ(pascal_case("IMMEDIATE_OR_CANCEL"), "ImmediateOrCancel");
  EXPECT_EQ(pascal_case("BUY"), "Buy");
  EXPECT_EQ(pascal_case("1ST_YEAR"), "1stYear");
}

TEST(PascalCase, keeps_the_letters_of_mixed_case) {
  EXPECT_EQ(pascal_case("PartialFill"), "PartialFill");
  EXPECT_EQ(pascal_case("partial fill"), "PartialFill");
}

TEST(Identifier, is_the_name_if_the_name_is_one) { EXPECT_EQ(identifier("ClOrdID"), "ClOrdID"); }

TEST(Identifier, replaces_invalid_characters) {
  EXPECT_EQ(identifier("a-b c"), "a_b_c");
  EXPECT_EQ(identifier("1st"), "N1st");
  EXPECT_EQ(identifier(""), "N");
}

TEST(Identifier, is_no_keyword) {
  EXPECT_EQ(identifier("default"), "default_");
  EXPECT_EQ(identifier("xor"), "xor_");
  EXPECT_EQ(identifier("Default"), "Default");
  // Names that the generated code itself uses, macros, and names that C++ reserves for the
  // compiler.
  EXPECT_EQ(identifier("std"), "std_");
  EXPECT_EQ(identifier("wire"), "wire_");
  EXPECT_EQ(identifier("errno"), "errno_");
  EXPECT_EQ(identifier("NULL"), "NULL_");
  EXPECT_EQ(identifier("__x__y"), "N_x_y");
}

TEST(UniqueNames, gives_the_second_user_a_longer_name) {
  UniqueNames names;
  EXPECT_EQ(names.take("A", "_x"), "A");
  EXPECT_EQ(names.take("A", "_x"), "A_x");
  EXPECT_EQ(names.take("A", "_x"), "A_x2");
  EXPECT_EQ(names.take("B", "_x"), "B");
}

TEST(StringLiteral, escapes_characters_that_would_end_or_change_it) {
  EXPECT_EQ(string_literal("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(string_literal("\x01"
                           "1"),
            "\"\\0011\"");
  EXPECT_EQ(char_literal('\''), "'\\''");
  EXPECT_EQ(char_literal('"'), "'\"'");
}

}  // namespace
}  // namespace nexusfix::codegen
