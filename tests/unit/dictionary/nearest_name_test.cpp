#include "dictionary/api/nearest_name.hpp"

#include <gtest/gtest.h>
#include <string>

namespace nexusfix::dictionary {
namespace {

const std::vector<std::string_view> kNames{"Side", "Symbol", "SymbolSfx", "ClOrdID", "Price2"};

TEST(NearestName, forgives_a_letter_or_two) {
  EXPECT_EQ(nearest_name("Symbl", kNames), "Symbol");
  EXPECT_EQ(nearest_name("Smybol", kNames), "Symbol");
  EXPECT_EQ(nearest_name("SymbolSfxx", kNames), "SymbolSfx");
  EXPECT_EQ(nearest_name("ClOrderID", kNames), "ClOrdID");
}

TEST(NearestName, ignores_case_of_letters) {
  EXPECT_EQ(nearest_name("CLORDID", kNames), "ClOrdID");
  EXPECT_EQ(nearest_name("sIDE", kNames), "Side");
}

TEST(NearestName, gives_no_distant_name) {
  EXPECT_EQ(nearest_name("Text", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("Symbol", {}), std::nullopt);
}

TEST(NearestName, counts_a_swap_of_neighbours_once) {
  EXPECT_EQ(nearest_name("ab", {"ba"}), "ba");
  EXPECT_EQ(nearest_name("ab", {"cd"}), std::nullopt);
}

TEST(NearestName, ignores_names_of_hostile_length) {
  const std::string longest(64, 'x');
  const std::string too_long(65, 'x');
  EXPECT_EQ(nearest_name(longest, {longest}), longest);
  EXPECT_EQ(nearest_name(too_long, {longest}), std::nullopt);
  EXPECT_EQ(nearest_name(longest, {too_long}), std::nullopt);
}

}  // namespace
}  // namespace nexusfix::dictionary
