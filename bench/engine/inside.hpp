// The engine alone. Both compared builds have this row.
#pragma once

#include "bench/messages/contestant.hpp"

namespace nexusfix::bench {

// From an order's bytes to its report's, over a network in memory. is_in_memory: Store=memory.
[[nodiscard]] ContestantPtr make_inside(bool is_in_memory);

}  // namespace nexusfix::bench
