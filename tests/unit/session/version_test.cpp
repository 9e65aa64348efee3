// What differs between the versions of FIX for a session.
#include <gtest/gtest.h>

#include <nexusfix/session/identity.hpp>

#include "session/api/config.hpp"

namespace nexusfix::session {
namespace {

TEST(Version, end_of_an_open_resend_request_is_999999_before_fix_4_2) {
  for (const char* old : {"FIX.4.0", "FIX.4.1"}) {
    EXPECT_EQ(find_version(old)->resend_to_infinity, 999'999U) << old;
  }
  for (const char* current : {"FIX.4.2", "FIX.4.3", "FIX.4.4", "FIXT.1.1"}) {
    EXPECT_EQ(find_version(current)->resend_to_infinity, 0U) << current;
  }
}

TEST(Version, sending_time_has_no_fraction_before_fix_4_2) {
  using enum wire::TimePrecision;
  EXPECT_EQ(effective_precision(*find_version("FIX.4.1"), Micros), Seconds);
  EXPECT_EQ(effective_precision(*find_version("FIX.4.2"), Micros), Micros);
}

TEST(Version, unknown_begin_string_has_none) {
  for (const char* unknown : {"", "FIX.4", "FIX.4.5", "FIX.5.0", "fix.4.4"}) {
    EXPECT_EQ(find_version(unknown), nullptr) << unknown;
  }
}

}  // namespace
}  // namespace nexusfix::session
