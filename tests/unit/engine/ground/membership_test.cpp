// A session takes only the transitions of its membership that are legal.
#include "engine/ground/state/membership.hpp"

#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <string_view>

#include "support/transitions.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::array kMemberships{MembershipState::Prepared, MembershipState::Active,
                                  MembershipState::Removed, MembershipState::Closing};

// A row for each state that is left.
constexpr std::array<std::string_view, kMemberships.size()> kLegalChanges{
    ".x.x",  // Prepared
    "..xx",  // Active
    ".x.x",  // Removed
    "....",  // Closing
};

TEST(Membership, only_legal_transitions_are_allowed) {
  testing::expect_transitions(kMemberships, kLegalChanges, &can_become);
}

TEST(Membership, new_session_is_not_in_service) {
  const Membership membership;
  EXPECT_EQ(membership.state(), MembershipState::Prepared);
  EXPECT_TRUE(membership.is_out());
  EXPECT_FALSE(membership.is_active());
  EXPECT_FALSE(membership.has_logged_on());
}

}  // namespace
}  // namespace nexusfix::engine
