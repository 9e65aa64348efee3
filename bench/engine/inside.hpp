// The engine alone, which both builds that are compared have.
#pragma once

#include "bench/messages/contestant.hpp"

namespace nexusfix::bench {

// An order's bytes to its report's, over a network in memory. is_in_memory: nothing is kept.
[[nodiscard]] ContestantPtr make_inside(bool is_in_memory);

}  // namespace nexusfix::bench
