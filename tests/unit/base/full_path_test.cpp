#include "base/api/full_path.hpp"

#include <gtest/gtest.h>

namespace nexusfix {
namespace {

TEST(FullPathOnly, is_on_while_an_object_lives) {
  EXPECT_FALSE(FullPathOnly::is_on());
  {
    const FullPathOnly first;
    EXPECT_TRUE(FullPathOnly::is_on());
    {
      const FullPathOnly second;
      EXPECT_TRUE(FullPathOnly::is_on());
    }
    EXPECT_TRUE(FullPathOnly::is_on());
  }
  EXPECT_FALSE(FullPathOnly::is_on());
}

}  // namespace
}  // namespace nexusfix
