// A session takes only the transitions of its membership that are legal.
#include "engine/registry/membership.hpp"

#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <string_view>

namespace nexusfix::engine {
namespace {

constexpr std::array kMemberships{MembershipState::Prepared, MembershipState::Active,
                                  MembershipState::Removed, MembershipState::Closing};

// A row for each state that is left, in the order of kMemberships: "x" allows the transition to the
// state of the column.
constexpr std::array<std::string_view, kMemberships.size()> kLegalChanges{
    ".x.x",  // Prepared
    "..xx",  // Active
    ".x.x",  // Removed
    "....",  // Closing
};

TEST(Membership, only_legal_transitions_are_allowed) {
  for (std::size_t from = 0; from < kMemberships.size(); ++from) {
    for (std::size_t to = 0; to < kMemberships.size(); ++to) {
      EXPECT_EQ(can_become(kMemberships[from], kMemberships[to]), kLegalChanges[from][to] == 'x')
          << "from state " << from << " to state " << to;
    }
  }
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
