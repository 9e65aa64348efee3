#include <gtest/gtest.h>
#include <string>

#include <nexusfix/simulator/fault.hpp>

namespace nexusfix::simulator {
namespace {

// The text that --faults takes and a failure prints (docs/guide/simulator.md).
TEST(Faults, every_kind_has_a_name_that_is_read_back) {
  for (std::size_t i = 0; i < kFaults; ++i) {
    FaultSet one;
    one.add(static_cast<Fault>(i));
    const auto read = parse_faults(to_string(one));
    ASSERT_TRUE(read) << i;
    EXPECT_EQ(*read, one);
  }
}

TEST(Faults, all_and_none_have_their_own_words) {
  EXPECT_EQ(to_string(FaultSet::all()), "all");
  EXPECT_EQ(to_string(FaultSet{}), "none");
  EXPECT_EQ(parse_faults("all"), FaultSet::all());
  EXPECT_EQ(parse_faults("none"), FaultSet{});
}

TEST(Faults, an_unknown_fault_is_named_by_the_error) {
  const auto read = parse_faults("kill,tornado,drop");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(), "tornado");
}

TEST(Faults, a_kind_that_is_removed_is_gone) {
  FaultSet set = FaultSet::all();
  set.remove(Fault::Reset);
  EXPECT_FALSE(set.has(Fault::Reset));
  EXPECT_TRUE(set.has(Fault::Logout));
}

}  // namespace
}  // namespace nexusfix::simulator
