#include "explanation/field_places.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {
namespace {

// The tables of FIX 4.0 to 5.0 SP2, volume 6.
TEST(FieldPlaces, a_tag_has_its_names_in_all_versions) {
  EXPECT_EQ(versions_with(1138), "DisplayQty in FIX.5.0 to FIX.5.0SP2");
  EXPECT_EQ(versions_with(22),
            "IDSource in FIX.4.0 to FIX.4.2, SecurityIDSource in FIX.4.3 to FIX.5.0SP2");
  EXPECT_EQ(versions_with(9'998), "");
}

TEST(FieldPlaces, groups_of_message_header_and_trailer) {
  const Dictionary& fix44 = builtin_dictionary(Version::Fix44);
  const auto groups = groups_of({fix44, fix44}, "D");
  const auto place = [&](wire::Tag count) {
    return std::ranges::find(groups, count, &GroupPlace::count_tag);
  };
  ASSERT_NE(place(453), groups.end());
  EXPECT_EQ(place(453)->delimiter, 448U);
  EXPECT_TRUE(place(453)->has(452));
  EXPECT_FALSE(place(453)->has(523)) << "of the group within";
  EXPECT_TRUE(place(802)->has(523));
  ASSERT_NE(place(627), groups.end()) << "of the header";
  EXPECT_EQ(place(627)->delimiter, 628U);
  EXPECT_EQ(groups_of({fix44, fix44}, "no such type").size(), 1U);
}

}  // namespace
}  // namespace nexusfix::dictionary
