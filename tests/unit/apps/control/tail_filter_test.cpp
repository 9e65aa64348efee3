#include "nexusfix/control/tail_filter.hpp"

#include <gtest/gtest.h>
#include <string>

#include "support/fix_text.hpp"

namespace nexusfix::command {
namespace {

using testing::fix;

bool admits(const std::string& condition, const std::string& body,
            const dictionary::Dictionary* own = nullptr) {
  const FieldNames names{own};
  const auto filter = TailFilter::parse({condition}, names);
  return filter && filter->admits(fix("FIX.4.2", body));
}

TEST(TailFilter, knows_the_names_of_all_versions) {
  EXPECT_TRUE(admits("MsgType=NewOrderSingle", "35=D|54=1|"));
  EXPECT_TRUE(admits("Side=BUY", "35=D|54=1|"));
  EXPECT_FALSE(admits("Side=SELL", "35=D|54=1|"));
  EXPECT_TRUE(admits("20001=x", "35=D|20001=x|"));
  EXPECT_TRUE(admits("Rule80A=A", "35=D|47=A|"));  // removed in FIX 4.4
}

TEST(TailFilter, knows_the_names_of_the_users_dictionary) {
  dictionary::Dictionary own;
  own.fields.push_back(
      {.tag = 5001, .name = "DeskCode", .values = {{.value = "1", .name = "EQUITIES"}}});
  EXPECT_TRUE(admits("DeskCode=1", "35=D|5001=1|", &own));
  EXPECT_TRUE(admits("DeskCode=EQUITIES", "35=D|5001=1|", &own));
  EXPECT_FALSE(admits("DeskCode=EQUITIES", "35=D|5001=2|", &own));
  EXPECT_FALSE(TailFilter::parse({"DeskCode=1"}, FieldNames{}).has_value());
}

}  // namespace
}  // namespace nexusfix::command
