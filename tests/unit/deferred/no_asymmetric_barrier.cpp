#include "deferred/asymmetric_barrier.hpp"

namespace nexusfix::deferred {

bool asymmetric_barrier_available() noexcept { return false; }
void asymmetric_barrier() noexcept {}

}  // namespace nexusfix::deferred
