// Checks the legal transitions between the states of a component.
#pragma once

#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <string_view>

namespace nexusfix::testing {

// legal: a row for each state that is left, in the order of states: "x" allows the transition to
// the state of the column.
template <class State, std::size_t kStates>
void expect_transitions(const std::array<State, kStates>& states,
                        const std::array<std::string_view, kStates>& legal,
                        bool (*can_become)(State from, State to) noexcept) {
  for (std::size_t from = 0; from < kStates; ++from) {
    for (std::size_t to = 0; to < kStates; ++to) {
      EXPECT_EQ(can_become(states[from], states[to]), legal[from][to] == 'x')
          << "from state " << from << " to state " << to;
    }
  }
}

}  // namespace nexusfix::testing
