// The name of a ring's file says which process made it.
#include "gateway/ring/ring_names.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace nexusfix::gateway {
namespace {

TEST(RingNames, a_name_says_its_gateway) {
  const ProcessMark gateway{.process = 4711, .start = 123'456'789'012};
  const std::string name = ring_name(gateway, 0xAB);
  EXPECT_EQ(name, "nexusfix-ring.4711.123456789012.00000000000000ab");
  EXPECT_EQ(gateway_of_ring_name(name), gateway);
}

TEST(RingNames, other_names_have_no_gateway) {
  for (const char* const name :
       {"", "nexusfix-ring.", "nexusfix-ring.1", "nexusfix-ring.1.2", "nexusfix-ring.1.2.",
        "nexusfix-ring.1.2.xyz", "nexusfix-ring.1.2.ab.new", "nexusfix-ring.-1.2.ab",
        "nexusfix-ring.99999999999.2.ab", "nexusfix-ring..2.ab", "sem.nexusfix-ring.1.2.ab"}) {
    EXPECT_FALSE(gateway_of_ring_name(name)) << name;
  }
}

TEST(RingNames, the_start_of_a_process_follows_its_name_which_may_have_blanks) {
  const std::string rest = " S 1 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 98765 0 0";
  EXPECT_EQ(start_in_stat("17 (a program)" + rest), 98'765U);
  EXPECT_EQ(start_in_stat("17 (a) R 7 (b)" + rest), 98'765U);
  EXPECT_FALSE(start_in_stat("17 (a) S 1 1"));
  EXPECT_FALSE(start_in_stat(""));
}

TEST(RingNames, this_process_is_alive_and_no_process_has_the_highest_id) {
  const ProcessMark here = mark_of_this_process();
  EXPECT_EQ(here.process, static_cast<std::uint32_t>(::getpid()));
  EXPECT_GT(here.start, 0U);
  EXPECT_EQ(mark_of_process(here.process), here);
  EXPECT_FALSE(mark_of_process(0x7FFF'FFFF));
}

}  // namespace
}  // namespace nexusfix::gateway
